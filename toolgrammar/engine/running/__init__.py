"""Runs a call step by step, and the calls of a message in their order.

In: a call and the engine's settings. Out: a `ToolResult`. `pipeline` is one generator: it looks up,
reads the arguments, asks guardrails and approvals, calls the tool, tries again, and yields an
effect wherever something has to be waited for. `drivers` carry the effects out, in the caller's
thread or in an event loop; `plan` and `plan_drivers` do the same for several calls that depend on
each other. So sync and async code can't differ.

Begin with `pipeline`, then `effects`; `run` is what both know of one call.

Imports `engine.arguments`, `engine.outcomes`, `engine.tracing`, and the engine's small modules.
"""
