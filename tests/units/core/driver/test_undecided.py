"""`RAW_STRING` is never typed; `JSON_VALUE | RAW` is raw text where no JSON stands."""

from pathlib import Path

import pytest

from tests.units.core.held import check, format_in, streamed
from toolgrammar import Parser, ToolCall, load_format
from toolgrammar.catalogue.format import Format

GRAMMAR = r"""//@ id: typed
%import .common.text (TEXT, RAW, RAW_STRING)
%import .common.json (JSON_VALUE)

start: (TEXT | call)*

call: "<do " name ">\n" argument* "</do>"
argument: "<arg " key value "</arg>\n"
value: " s>" RAW_STRING
     | " j>" (JSON_VALUE | RAW)
name: /\w+/
key: /\w+/
"""
TOOLS = [
    {
        "name": "f",
        "parameters": {
            "type": "object",
            "properties": {"n": {"type": "integer"}, "s": {"type": "string"}, "any": {}},
        },
    }
]


@pytest.fixture
def typed(tmp_path: Path) -> Format:
    return format_in(tmp_path, GRAMMAR)


def test_a_raw_string_is_a_string_whatever_the_schema_says(typed: Format) -> None:
    text = "<do f>\n<arg n s>005</arg>\n<arg s s>5</arg>\n<arg any s>null</arg>\n</do>"
    calls = [{"name": "f", "arguments": {"n": "005", "s": "5", "any": "null"}}]
    check(typed, text, {"calls": calls, "tools": TOOLS, "status": ["complete"], "codes": []})


def test_a_raw_string_streams_at_once(typed: Format) -> None:
    chunks = ("<do f>\n<arg n s>", "00", "5", "</arg>", "\n</do>")
    assert streamed(typed, *chunks, tools=TOOLS) == ["", '{"n": "00', "5", "", '"}']


@pytest.mark.parametrize(
    ("written", "value"),
    [
        ("5", 5),
        (" true\n", True),
        ('"a"', "a"),
        ('{"a": ["x</arg>\\n"]}', {"a": ["x</arg>\n"]}),
        ("foo bar", "foo bar"),
        ("nullable", "nullable"),
        ("5 apples", "5 apples"),
        ("-", "-"),
        ("[1, 2] or 3", "[1, 2] or 3"),
        ("[1, 2", "[1, 2"),
        ('"a" and "b"', '"a" and "b"'),
        ("{a: 1}", "{a: 1}"),
        ("", ""),
    ],
)
def test_what_is_no_json_up_to_the_closer_is_text(
    typed: Format, written: str, value: object
) -> None:
    text = f"a <do f>\n<arg any j>{written}</arg>\n<arg s s>x</arg>\n</do> b"
    calls = [{"name": "f", "arguments": {"any": value, "s": "x"}}]
    # The wire says that it is no string, so the text is a doubt.
    codes = ["bare-text"] if value == written else []
    check(typed, text, {"calls": calls, "content": "a  b", "status": ["complete"], "codes": codes})


def test_what_is_undecided_is_held_back_to_its_end(typed: Format) -> None:
    chunks = ("<do f>\n<arg any j>[1, ", "2]", " ", "</arg>\n", "<")
    assert streamed(typed, *chunks) == ["", "", "", '{"any": [1, 2]', ""]
    chunks = ("<do f>\n<arg any j>[1, ", "2]", " x", "y</arg>\n", "</do>")
    assert streamed(typed, *chunks) == ["", "", '{"any": "[1, 2] x', "y", '"}']


@pytest.mark.parametrize(
    ("value", "kept"),
    [
        ("[1, 2", {"any": [1]}),
        ('{"a": "b', {"any": {"a": "b"}}),
        ("true", {"any": True}),
        ("tru", {}),
        ("5", {}),
        ("", {"any": ""}),
    ],
)
def test_of_json_that_the_end_of_the_text_cuts_the_sure_part_stays(
    typed: Format, value: str, kept: dict[str, object]
) -> None:
    text = f"<do f>\n<arg s s>x</arg>\n<arg any j>{value}"
    calls = [{"name": "f", "arguments": {"s": "x", **kept}}]
    check(typed, text, {"calls": calls, "status": ["truncated"], "tier": "edge"})


def test_reading_twice_is_linear(typed: Format) -> None:
    steps = []
    for size in (2_000, 4_000):
        parser = Parser(typed)
        for character in "<do f>\n<arg any j>[" + "1, " * size + "x</arg>\n</do>":
            parser.feed(character)
        parser.close()
        assert parser.result.calls[0].status == "complete"
        steps.append(parser.steps)
    assert steps[1] < 2.2 * steps[0]


def test_render_takes_the_way_that_keeps_the_value(typed: Format) -> None:
    call = ToolCall("f", {"a": "5", "b": 5, "c": [1, "x"], "d": None})
    written = typed.render([call])
    assert written == (
        "<do f>\n<arg a s>5</arg>\n<arg b j>5</arg>\n"
        '<arg c j>[1, "x"]</arg>\n<arg d j>null</arg>\n</do>'
    )


def test_raw_text_comes_last_whatever_the_names_are(tmp_path: Path) -> None:
    grammar = GRAMMAR.replace("(TEXT, RAW, RAW_STRING)", "(TEXT)").replace("id: typed", "id: own")
    grammar = grammar.replace("\nstart:", "%declare RAW RAW_STRING\n\nstart:", 1)
    path = tmp_path / "own.lark"
    path.write_text(grammar, encoding="utf-8", newline="\n")
    text = "<do f>\n<arg a j>[1]</arg>\n</do>"
    check(load_format(path), text, {"calls": [{"name": "f", "arguments": {"a": [1]}}]})
