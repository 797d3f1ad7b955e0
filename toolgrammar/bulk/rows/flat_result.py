"""Flattens a result for tables: the same columns for Arrow, pandas, Spark and Ray.

Arguments differ from call to call, so they are written as JSON text.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from toolgrammar.bulk.rows.result_lines import plain_json
from toolgrammar.values.plain import sound

if TYPE_CHECKING:
    from toolgrammar.values.calls import ParseResult, ToolCall
    from toolgrammar.values.diagnostics import Diagnostic

# Flat fields where `to_dict` nests: a span is `start` and `end`.
_CALL: Final = {
    "name": "string",
    "arguments": "string",
    "id": "string",
    "input": "string",
    "raw_arguments": "string",
    "start": "bigint",
    "end": "bigint",
    "status": "string",
    "executable": "boolean",
    "depends_on": "array<string>",
    "format": "string",
    "error": "string",
    "doubts": "array<string>",
}
_EDIT: Final = {"start": "bigint", "end": "bigint", "replacement": "string"}


def _struct(fields: dict[str, str]) -> str:
    return f"struct<{','.join(f'{name}:{kind}' for name, kind in fields.items())}>"


_DIAGNOSTIC: Final = {
    "code": "string",
    "severity": "string",
    "message": "string",
    "start": "bigint",
    "end": "bigint",
    "edits": f"array<{_struct(_EDIT)}>",
    "path": "string",
    "hint": "string",
}


# Spark's words, since they are plain text; those of Arrow are made from them below.
PARSED: Final = {
    "ok": "boolean",
    "calls": f"array<{_struct(_CALL)}>",
    "text": "string",
    "reasoning": "string",
    "diagnostics": f"array<{_struct(_DIAGNOSTIC)}>",
    "format": "string",
}
"""The columns of a result with their types, as Spark writes them."""

SPARK_TYPE: Final = _struct(PARSED)
"""The type of a result in Spark's words."""


def parsed_type() -> Any:
    """Returns the type of a result as pyarrow's struct."""
    import pyarrow as pa

    words = {
        "string": pa.string(),
        "bigint": pa.int64(),
        "boolean": pa.bool_(),
        "array<string>": pa.list_(pa.string()),
    }
    # Lists of structs have no word of their own: each is made of its fields, the inner ones first.
    for word, fields in (
        (_DIAGNOSTIC["edits"], _EDIT),
        (PARSED["diagnostics"], _DIAGNOSTIC),
        (PARSED["calls"], _CALL),
    ):
        words[word] = pa.list_(pa.struct([(name, words[kind]) for name, kind in fields.items()]))
    return pa.struct([(name, words[kind]) for name, kind in PARSED.items()])


def parsed_of(result: ParseResult) -> dict[str, Any]:
    """Returns a result as the value of one row."""
    return {
        "ok": result.ok,
        "calls": [_call(call) for call in result.calls],
        "text": sound(result.text),
        "reasoning": sound(result.reasoning),
        "diagnostics": [_diagnostic(each) for each in result.diagnostics],
        "format": result.format,
    }


def _call(call: ToolCall) -> dict[str, Any]:
    return {
        "name": sound(call.name),
        # As text: a column has one type, and arguments have a shape for each tool.
        "arguments": plain_json(call.arguments).decode(),
        "id": None if call.id is None else sound(call.id),
        "input": None if call.input is None else sound(call.input),
        "raw_arguments": sound(call.raw_arguments),
        "start": call.span.start,
        "end": call.span.end,
        "status": call.status,
        "executable": call.executable,
        "depends_on": [sound(each) for each in call.depends_on],
        "format": call.format,
        "error": None if call.error is None else sound(call.error),
        "doubts": list(call.doubts),
    }


def _diagnostic(found: Diagnostic) -> dict[str, Any]:
    return {
        "code": found.code,
        "severity": found.severity,
        "message": sound(found.message),
        "start": found.span.start,
        "end": found.span.end,
        "edits": [
            {"start": each.span.start, "end": each.span.end, "replacement": sound(each.replacement)}
            for each in found.edits
        ],
        "path": sound(found.path),
        "hint": sound(found.hint),
    }
