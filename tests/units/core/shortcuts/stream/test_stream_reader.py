"""Sound streams are read without the driver; it takes over where one is not, and nothing shows."""

import ast
import gc
import json
import warnings
from pathlib import Path
from types import FunctionType

import pytest

from tests.units.core.cuts import read
from toolgrammar import (
    ArgumentsDelta,
    CallEnd,
    CallStart,
    Limits,
    Parser,
    TextDelta,
    formats,
    load_format,
    parse,
)
from toolgrammar.core.machine.retry_budget import CREDIT
from toolgrammar.parsing.machines import machine_of
from toolgrammar.testing.depth import if_quick

SOUND = {
    "hermes": '<tool_call>\n{"name": "f", "arguments": {"a": "b, {c}", "d": [1, {"e": null}]}}\n</tool_call>',
    "qwen3_xml": (
        "<think>so</think>\n<tool_call>\n<function=f>\n<parameter=a>\nb < c\n</parameter>\n"
        "</function>\n</tool_call>"
    ),
    "gemma4": '<|tool_call>call:f{a:<|"|>b<|"|>,d:[1,true]}<tool_call|>',
    "llama4_pythonic": '[f(a="b", d=[1, 2])]',
    "deepseek_v4": (
        '<|DSML|tool_calls>\n<|DSML|invoke name="f">\n<|DSML|parameter name="a" string="false">'
        "[1]</|DSML|parameter>\n</|DSML|invoke>\n</|DSML|tool_calls>"
    ).replace("|", "\uff5c"),
}
CODE = 'if (x) { say(\'a\', \'b\'); } // [1], {"k": {"l": "é"}, "m": 2}\n</p>}</div> ("x")'


def of(pieces: list[str], format_id: str, **options: object) -> tuple[Parser, list[object]]:
    parser = Parser(format_id, **options)  # type: ignore[arg-type]
    events: list[object] = [event for piece in pieces for event in parser.feed(piece)]
    return parser, events + parser.close()


@pytest.mark.parametrize("format_id", sorted(SOUND))
def test_a_sound_stream_needs_no_driver(format_id: str) -> None:
    machine = machine_of(formats[format_id], {})
    machine.stream_budget.left = CREDIT - 1
    parser, _ = of(list(SOUND[format_id]), format_id)
    assert [call.name for call in parser.result.calls] == ["f"]
    assert machine.stream_budget.left == CREDIT


def test_code_in_a_string_is_sound() -> None:
    call = json.dumps({"name": "f", "arguments": {"code": CODE, "at": CODE}}, ensure_ascii=False)
    machine = machine_of(formats["hermes"], {})
    machine.stream_budget.left = CREDIT - 1
    parser, _ = of(list(f"<tool_call>\n{call}\n</tool_call>"), "hermes")
    assert parser.result.calls[0].arguments == {"code": CODE, "at": CODE}
    assert machine.stream_budget.left == CREDIT


@pytest.mark.parametrize(
    "written",
    [
        r"'a\n\tb \\ \' \" end\\n'",
        r'"x\n\n\\\"y\\"',
        r"r'a\nb\\ c\'d'",
        r"'\x41 \u00e9 \101 \d \a'",
        r'"""a\n "b" \\ c"""',
    ],
)
def test_escapes_of_a_python_string_mean_the_same_in_all_pieces(written: str) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # Python warns of unknown escapes
        meant = ast.literal_eval(written)
    for _ in range(2):  # what a piece is, is remembered
        result = read("llama4_pythonic", f"[f(a={written}, b=1)]")
        assert [call.arguments for call in result.calls] == [{"a": meant, "b": 1}]


def test_the_driver_takes_over_and_every_event_comes_once() -> None:
    machine = machine_of(formats["hermes"], {})
    machine.stream_budget.left = CREDIT
    text = (
        'Look.\n<tool_call>\n{"name": "f", "arguments": {"a": "b"}}\n</tool_call>\n'
        '<tool_call>\n{"name": "g", "arguments": {"a": "say "hi" now", }}\n</tool_call>'
    )
    parser, events = of(list(text), "hermes")
    assert machine.stream_budget.left == CREDIT - 1
    marks = [
        (type(event), event.index) for event in events if isinstance(event, CallStart | CallEnd)
    ]
    assert marks == [(CallStart, 0), (CallEnd, 0), (CallStart, 1), (CallEnd, 1)]
    told = [
        "".join(e.json for e in events if isinstance(e, ArgumentsDelta) and e.index == index)
        for index in (0, 1)
    ]
    assert [json.loads(each) for each in told] == [{"a": "b"}, {"a": 'say "hi" now'}]
    assert "".join(e.text for e in events if isinstance(e, TextDelta)).strip() == "Look."
    assert [call.status for call in parser.result.calls] == ["complete", "repaired"]


def left_in_circles(format_id: str) -> list[str]:
    """Returns the names of the package's classes and functions whose objects a read stream leaves in circles.

    Other objects do not count: pytest, its workers and other threads leave some at any time.
    """
    # What is there already is not looked through: all that the tests before left.
    gc.collect(1)
    gc.freeze()
    gc.disable()
    gc.set_debug(gc.DEBUG_SAVEALL)
    try:
        of(list(SOUND[format_id]), format_id)
        gc.collect()
        owners = [
            each if isinstance(each, type | FunctionType) else type(each) for each in gc.garbage
        ]
    finally:
        gc.set_debug(0)
        gc.garbage.clear()
        gc.enable()
    return [
        owner.__qualname__ for owner in owners if str(owner.__module__).startswith("toolgrammar")
    ]


@pytest.mark.parametrize("format_id", sorted(SOUND))
def test_a_sound_stream_that_has_ended_leaves_no_circles(format_id: str) -> None:
    of(list(SOUND[format_id]), format_id)
    assert left_in_circles(format_id) == []


@pytest.mark.parametrize("limit", range(0, 100, 7))
def test_the_limit_of_characters_holds_wherever_it_falls(limit: int) -> None:
    text = f"Look.\n{SOUND['hermes']}"
    limits = Limits(max_chars=limit)
    whole = Parser("hermes", limits=limits).run_whole(text)
    for size in (1, 4, 50):
        pieces = [text[start : start + size] for start in range(0, len(text), size)]
        parser, events = of(pieces, "hermes", limits=limits)
        assert parser.result.to_dict() == whole.to_dict()
        said = "".join(e.text for e in events if isinstance(e, TextDelta))
        assert said.strip() == whole.text


@pytest.mark.parametrize("chunk", [b"text", 5, None])
def test_what_is_no_text_is_refused_and_changes_nothing(chunk: object) -> None:
    for before in ("", "Loo", '<tool_call>\n{"name": "f", "arguments": {"a": "b'):
        parser = Parser("hermes")
        parser.feed(before)
        with pytest.raises(TypeError, match="feed\\(\\) takes a str"):
            parser.feed(chunk)  # type: ignore[arg-type]
        parser.feed("k.")
        parser.close()
        assert parser.result.source == f"{before}k."
        with pytest.raises(RuntimeError, match="after close"):
            parser.feed("x")


@pytest.mark.parametrize(
    ("format_id", "text"),
    [
        # A later opener stands there already while an earlier one has only begun.
        (
            "llama3_json",
            '{"name[{"name": "f", "parameters": {"q": "a"}}, {"name": "g", "param": 1}',
        ),
        # A comma before a key in single quotes, inside of one chunk.
        ("functionary_v3_2", ">>>f\n{'kind':f\n{\"kind\": \"r 'rye', 'kilos': 25}"),
        # What follows a damaged string is the key that it has itself.
        (
            "functionary_v3_1",
            '<function=f>{"s": "C-1\n<function=f>{"s": "C-12", "text": "x2", "text": "a \\"C\\",\\nb',
        ),
        # Where the end of the text ends a line, a call without arguments may stand on it.
        ("reploid0", "TOOL: ReadFile\npath: /a.txt\n\nTOOL: WriteFip\nel"),
    ],
)
def test_it_is_one_result_for_every_cut(format_id: str, text: str) -> None:
    schema = {key: {"type": "string"} for key in ("q", "s", "text", "kind", "kilos")}
    tools: list[dict[str, object]] = [
        {"name": "f", "parameters": {"type": "object", "properties": schema}}
    ]
    whole = read(format_id, text, tools).to_dict()
    for first in range(0, len(text), if_quick(4, 1)):
        for second in range(first + 1, len(text), 3):
            pieces = [text[:first], text[first:second], text[second:]]
            assert of(pieces, format_id, tools=tools)[0].result.to_dict() == whole, pieces


LINES = r"""
//@ id: lines
%import .common.text (TEXT, RAW)
start: (TEXT | call)*
call: HEAD name "\n" argument+
argument: "- " key COLON value LINE_END
HEAD: /^### Tool: /m
name: /\w+/
key: /\w+/
value: RAW
COLON: /: (?=\S)/
LINE_END: /\n/
"""


def test_a_line_end_that_closes_waits_for_the_line_ends_behind_it(tmp_path: Path) -> None:
    grammar = tmp_path / "lines.lark"
    grammar.write_text(LINES.lstrip(), encoding="utf-8")
    text = "### Tool: w\n- p: b\n\nHi"
    lines = load_format(grammar)
    # First of all by characters: of a format that it gives up too often, the shortcut tries few.
    streamed = Parser(lines)
    said = [event for character in text for event in streamed.feed(character)]
    said += streamed.close()
    assert streamed.result == parse(text, lines)
    assert "".join(each.text for each in said if isinstance(each, TextDelta)) == "Hi"
