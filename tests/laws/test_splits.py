"""Every cutting of a text gives the same result and the same joined events.

The examples of the pages keep this law as tests of their own: see `toolgrammar.testing.plugin`.
"""

import random
import re
from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import toolgrammar
from fuzz.mixed import disagreement
from tests.laws.drawn import hostile_texts
from tests.laws.every_case import (
    cases,
    each_format,
    each_format_with_rows,
    hold,
    row_cases,
)
from toolgrammar.testing import Case, laws
from toolgrammar.testing.depth import at_depth
from toolgrammar.testing.growing import shapes_of
from toolgrammar.testing.readings import places, read, seen
from toolgrammar.tools.specs import to_specs

_BLANKS = (" " * 1030, "\n" * 1100, " " * 5000)
_BLANK_PLACES = at_depth(few=2, usual=6, every=6)
_BEGUN = at_depth(few=4, usual=16, every=16)
_TOKEN = re.compile(r"(?<=\W)\S|(?<=\w)\W")


@each_format_with_rows
def test_splits(format_id: str) -> None:
    hold(laws.splits, row_cases(format_id))


def _tool(name: str, **types: str) -> dict[str, object]:
    properties = {key: {"type": kind} for key, kind in types.items()}
    return {"name": name, "parameters": {"type": "object", "properties": properties}}


FOUND = (
    # A thought without its closer ends before a call with nothing in it, which ends the text.
    ("glm47", "<think>\nHm<tool_call></tool_call>", _tool("look")),
    # A name that begins like that of a tool ends a chunk, behind an opener that is missing.
    ("seed_oss", "<function=look\n<function=lookout>\n</function>", _tool("look")),
    # A comma is missing behind a digit, and the string behind it goes on in another chunk.
    (
        "llama3_json",
        '{"name": "f", "parameters": {"a": [7"bc" 2, 3]}}',
        {
            "name": "f",
            "parameters": {
                "type": "object",
                "properties": {"a": {"type": "array", "items": {"type": "number"}}},
            },
        },
    ),
    # A backtick in a thought, or before the prose, opens no code for a call behind that.
    ("mistral_v11", "[THINK]See ```x[/THINK]Ok.[TOOL_CALLS]f[ARGS]{}", _tool("f")),
    (
        "inkling",
        (
            "<|message_model|>``<|content_text|>Ok.<|end_message|><|message_model|>f"
            '<|content_invoke_tool_json|>{"name":"f","args":{"a":"b"}}<|end_message|>'
        ),
        _tool("f", a="string"),
    ),
    # The line behind a call begins with a blank, and a key stands below it.
    ("reploid0", 'TOOL: f\na: [1]\n : {"b": true}\ncode: 007\n', _tool("f")),
    # A short opener stands there already, and a longer one may still come.
    (
        "openwebui_json",
        '{"tool_calls": [{"name": "f", "parameters": {"a": "x"{"tool_calls": }}]}',
        _tool("f", a="string"),
    ),
    # Text in a section whose opener is missing ends with a backtick before an opener.
    (
        "deepseek_v3",
        (
            "function<\uff5ctool\u2581sep\uff5c>f\n```json\n{}````"
            "<\uff5ctool\u2581call\u2581end\uff5c><\uff5ctool\u2581calls\u2581end\uff5c>"
        ),
        _tool("f"),
    ),
    # An empty call in a thought without its closer, and a word that may be a name behind it.
    ("glm45", "<think>a\n<tool_call></tool_call>look\n</tool_call>", _tool("look")),
    # A format is tried on a text that ends with its object, and a brace follows.
    ("auto", '{"tool": "f", "args": "a": "\\"x\\" }]}"}}', _tool("f", a="string")),
)
"""Texts whose reading depended on how they were cut, with the tool that they call."""


@pytest.mark.parametrize(("format_id", "text", "tool"), FOUND, ids=[each[0] for each in FOUND])
def test_splits_of_found_texts(format_id: str, text: str, tool: dict[str, object]) -> None:
    case = Case("found", format_id, text, tools=tuple(to_specs([tool]).values()))
    laws.splits(case)
    assert not disagreement(case, random.Random(0))


@each_format
@settings(max_examples=at_depth(few=3, usual=8, every=8))
@given(data=st.data())
def test_splits_of_hostile_texts(format_id: str, data: st.DataObject) -> None:
    text = data.draw(hostile_texts(format_id))
    case = Case("drawn", format_id, text, tools=cases(format_id)[0].tools)
    laws.splits(case)
    laws.tiling(case)
    laws.deltas(case)


@each_format
def test_splits_of_long_blanks(format_id: str) -> None:
    """White space longer than any token, before each of some tokens of the shortest example."""
    whole = [case for case in cases(format_id) if case.calls and not case.prefix]
    case = min(whole, key=lambda each: len(each.text))
    tokens = [found.start() for found in _TOKEN.finditer(case.text)]
    for number, at in enumerate(places(len(tokens), _BLANK_PLACES)):
        place, run = tokens[at], _BLANKS[number % len(_BLANKS)]
        long = replace(case, text=case.text[:place] + run + case.text[place:])
        wanted = seen(read(long, [long.text]))
        for cut in (place + 700, place + len(run) - 3):
            assert seen(read(long, [long.text[:cut], long.text[cut:]])) == wanted, long
        pieces = [long.text[start : start + 97] for start in range(0, len(long.text), 97)]
        assert seen(read(long, pieces)) == wanted, long


@each_format
def test_splits_of_begun_literals(format_id: str) -> None:
    """The beginning of a literal at the end of a text, wherever that is cut off."""
    sample, _ = shapes_of(format_id, 0)
    assert sample is not None, "a format whose page has no whole call"
    found = (each.text.strip() for each in toolgrammar.formats[format_id].tables.terminals)
    literals = sorted({each for each in found if len(each) > 1}) or ["<x"]
    draw = random.Random(format_id)
    for _ in range(_BEGUN):
        end = draw.randrange(1, sample.call.span.end)
        literal = draw.choice(literals)
        text = sample.text[:end] + literal[: draw.randrange(1, len(literal))]
        case = Case("begun", format_id, text, tools=sample.tools)
        assert seen(read(case, list(text))) == seen(read(case, [text])), case
