"""Calls and texts that Hypothesis draws for the laws."""

import keyword

from hypothesis import strategies as st

import toolgrammar
from tests.laws.every_case import scraps
from toolgrammar.tools.specs import to_specs
from toolgrammar.values.json_types import JsonValue
from toolgrammar.values.tools import ToolSpec

NAMES = st.from_regex(r"[A-Za-z_][A-Za-z0-9_]{0,12}", fullmatch=True).filter(
    lambda name: not keyword.iskeyword(name)
)
# Markup of several wires, so that strings hold what a careless writer would take for a closer.
MARKUP = (
    "</tool_call>", "\n</parameter>\n", "</path>", "<function=f>", "\n```", '"}', "')]", "<|call|>",
    "🛠️🔚", "🛠️[/end]", "TOOL_CALL: f\nARGS: {}", "\nAction: f", "[TOOL_CALLS]", "\\", " ", "\n\n",
)  # fmt: skip
STRINGS = st.text(max_size=20) | st.lists(
    st.sampled_from(MARKUP) | st.text(max_size=3), max_size=4
).map("".join)
LEAVES = (
    st.none()
    | st.booleans()
    | st.integers(-(10**18), 10**18)
    | st.floats(allow_nan=False, allow_infinity=False)
    | STRINGS
)
VALUES: st.SearchStrategy[JsonValue] = st.recursive(
    LEAVES,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(STRINGS, inner, max_size=3),
    max_leaves=6,
)
_TYPES = {
    type(None): "null", bool: "boolean", int: "integer", float: "number",
    str: "string", list: "array", dict: "object",
}  # fmt: skip
_SCRAPS = (
    '{"name": "f", "arguments": {"a": 1}}', '{"a": "', '"}', "{}", "{", "}", "[", "]", '"', "'",
    "f", "x", "f(a=1)", "a", "1", ", ", ": ", "\n", "\n\n", " ", "\\", "é🛠️", "\ud800", "\x00",
    "<", ">", "</", "```", "<think>", "</think>", "the quick brown fox",
)  # fmt: skip


def argument_calls() -> st.SearchStrategy[list[toolgrammar.ToolCall]]:
    """One to three calls with named arguments, of different names."""
    call = st.builds(
        toolgrammar.ToolCall, name=NAMES, arguments=st.dictionaries(NAMES, VALUES, max_size=4)
    )
    return st.lists(call, min_size=1, max_size=3, unique_by=lambda drawn: drawn.name)


def input_calls() -> st.SearchStrategy[list[toolgrammar.ToolCall]]:
    """One to three free-text calls, of different names."""
    call = st.builds(toolgrammar.ToolCall, name=NAMES, input=STRINGS)
    return st.lists(call, min_size=1, max_size=3, unique_by=lambda drawn: drawn.name)


def tools_of(calls: list[toolgrammar.ToolCall]) -> tuple[ToolSpec, ...]:
    """Tools whose schemas say what the arguments of the calls are, and take their texts."""
    found: dict[str, dict[str, set[str]]] = {}
    for call in calls:
        types = found.setdefault(call.name, {})
        for key, value in call.arguments.items():
            types.setdefault(key, set()).add(_TYPES[type(value)])
        if call.input and call.input not in call.arguments.values():
            types.setdefault("the text", set()).add("string")
    schemas = [
        {
            "name": name,
            "parameters": {
                "type": "object",
                "properties": {
                    key: {"type": sorted(each) if len(each) > 1 else min(each)}
                    for key, each in types.items()
                },
                "required": [
                    key
                    for key in types
                    if all(
                        key in call.arguments or key == "the text"
                        for call in calls
                        if call.name == name
                    )
                ],
            },
        }
        for name, types in found.items()
    ]
    return tuple(to_specs(schemas).values())


def hostile_texts(format_id: str) -> st.SearchStrategy[str]:
    """Texts made of pieces of a format's wire, and of scraps of payloads."""
    pieces = st.sampled_from(scraps(format_id)) | st.sampled_from(_SCRAPS)
    return st.lists(pieces, max_size=14).map("".join)
