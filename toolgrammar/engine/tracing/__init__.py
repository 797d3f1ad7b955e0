"""Traces runs: sends events without secrets to sinks, whose failures do not affect a call.

In: an event of the pipeline, `tool.invoke.ok` with its details. Out: the same with secrets hidden, as
a line of JSON, a span of OpenTelemetry, or an object in a list.

Begin with `traces`, the sinks; `recorder` hands events to them, `redaction` and `secret_shapes` hide
what looks like a password or a key. Imports `values` only.
"""
