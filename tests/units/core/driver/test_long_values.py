"""What is certain of a long value, or of text, goes out with the chunk that it comes in."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

from tests.units.core import cuts
from toolgrammar import ArgumentsDelta, Parser, TextDelta
from toolgrammar.parsing.parser import DrivenParser

if TYPE_CHECKING:
    from pathlib import Path

CODE = 'def f(a):\n    return "b"  # done\n' * 40
CALLS = {
    "hermes": f"<tool_call>\n{json.dumps({'name': 'write', 'arguments': {'body': CODE}})}\n</tool_call>",
    "qwen3_xml": (
        f"<tool_call>\n<function=write>\n<parameter=body>\n{CODE}x\n</parameter>\n</function>\n"
        "</tool_call>"
    ),
    "lfm2": f"<|tool_call_start|>[write(body={CODE!r})]<|tool_call_end|>",
}


@pytest.mark.parametrize("format_id", ["auto", "own"])
@pytest.mark.parametrize("name", sorted(CALLS))
def test_a_long_value_is_given_out_as_it_comes(name: str, format_id: str) -> None:
    text = CALLS[name]
    parser = Parser("auto" if format_id == "auto" else name)
    waited = 0
    said = list[str]()
    for start in range(0, len(text), 4):
        events = parser.feed(text[start : start + 4])
        said += [event.json for event in events if isinstance(event, ArgumentsDelta)]
        if 200 < start < len(text) - 60:
            waited = 0 if events else waited + 1
            assert waited < 4
    said += [event.json for event in parser.close() if isinstance(event, ArgumentsDelta)]
    assert json.loads("".join(said)) == parser.result.calls[0].arguments
    assert parser.result.calls[0].arguments["body"].startswith(CODE)


def test_a_long_string_that_is_read_strictly_is_given_out_as_it_comes() -> None:
    text = CALLS["hermes"]
    parser = DrivenParser("hermes", strict=True)
    said = list[str]()
    for start in range(0, len(text), 4):
        events = parser.feed(text[start : start + 4])
        said += [event.json for event in events if isinstance(event, ArgumentsDelta)]
    assert len(said) > len(CODE) // 8
    parser.close()
    assert json.loads("".join(said)) == parser.result.calls[0].arguments == {"body": CODE}


def test_prose_is_given_out_before_its_line_ends() -> None:
    text = "Then I look at the weather in the town that you named, and say what I have found.\n" * 3
    parser = Parser("auto")
    given = 0
    for number, character in enumerate(text):
        given += sum(len(e.text) for e in parser.feed(character) if isinstance(e, TextDelta))
        assert number + 1 - given < 40
    parser.close()
    assert parser.result.text == text.strip()


def test_what_was_given_out_of_a_long_string_counts_where_another_format_is_judged() -> None:
    """The call of an unknown tool is judged again when it stumbles, deep in its arguments."""
    text = '<tool_call>\n{"name": "f", "arguments": {"a": "' + "b c " * 200 + '"}}\n</tool_cal>\n'
    whole = Parser("auto").run_whole(text)
    for size in (1, 4, 50):
        parser = Parser("auto")
        pieces = [text[start : start + size] for start in range(0, len(text), size)]
        events = [event for piece in pieces for event in parser.feed(piece)] + parser.close()
        said = "".join(event.json for event in events if isinstance(event, ArgumentsDelta))
        assert json.loads(said) == whole.calls[0].arguments
        assert parser.result.to_dict() == whole.to_dict()


def test_an_opener_at_the_start_of_a_line_is_found_when_the_line_end_came_before(
    tmp_path: Path,
) -> None:
    rules = """
%import .common.text (TEXT, RAW)

start: (TEXT | reasoning | call)*
reasoning: "<think>" RAW "</think>"?
call: OPEN name input END
OPEN: /^```run /m
name: /[a-z]+/
input: RAW
END: /^```[ \\t]*$/m
"""
    grammar = cuts.save(tmp_path, "title: Probe", rules)
    parser = DrivenParser(grammar)
    for chunk in ("<think>", "I look at a", "ll:\n", "``", "`run ls", " -l\n```"):
        parser.feed(chunk)
    parser.close()
    result = parser.result
    assert [(call.name, call.input) for call in result.calls] == [("ls", " -l\n")]
    assert result.reasoning == "I look at all:"
