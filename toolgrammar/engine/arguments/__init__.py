"""Converts the arguments of a call to those of its Python function.

In: a `ToolCall` with plain JSON values, `{"day": "2026-11-23", "limit": "5"}`, and what the tool says of
its parameters. Out: a `Reading`, `{"day": date(2026, 11, 23), "limit": 5}`, or `BadArguments` with a
sentence for each value that does not fit.

Begin with `readers`: one reader for functions with type hints (through a pydantic model that
`parameter_model` makes), one for pydantic models, one for JSON Schemas (`schema_values`).
`strict_types` tightens the models, and `unknown_names` has them refuse names that they do not know;
both walk pydantic's own schemas with `core_schemas`. `signature` says how the function is called.

Imports `engine.context`, `engine.outcomes`, `tools` and `values`; nothing of running, caching or tracing.
"""
