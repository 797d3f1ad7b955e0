"""An object that has to stand somewhere may stand in a fence there, or lack its brace."""

import pytest

from tests.units.core.cuts import read
from toolgrammar.testing import Case, laws

KIMI = (
    "<|tool_calls_section_begin|><|tool_call_begin|>functions.f:0<|tool_call_argument_begin|>",
    "<|tool_call_end|><|tool_calls_section_end|>",
)
HARMONY = ("<|channel|>commentary to=functions.f <|constrain|>json<|message|>", "<|call|>")
TOOL: list[dict[str, object]] = [
    {"name": "f", "parameters": {"type": "object", "properties": {"a": {"type": "string"}},
                                 "required": ["a"]}}
]  # fmt: skip


@pytest.mark.parametrize(("format", "around"), [("kimi_k2", KIMI), ("harmony", HARMONY)])
@pytest.mark.parametrize(
    ("written", "codes"),
    [
        ('"a": "x"}', ["bracket"]),
        ('"a" : "x"', ["bracket", "bracket"]),
        ('\n"a": "x",}', ["bracket", "stray-comma"]),
        ('```json\n{"a": "x"}\n```', ["around", "around"]),
        ('```\n{"a": "x",}```', ["around", "stray-comma", "around"]),
        ('```json\n{"a": "x"}', ["around"]),
    ],
)
def test_it_is_read(format: str, around: tuple[str, str], written: str, codes: list[str]) -> None:
    text = written.join(around)
    laws.edits(Case(id=format, format=format, text=text))
    result = read(format, text, TOOL)
    (call,) = result.calls
    assert (call.arguments, call.status) == ({"a": "x"}, "repaired")
    assert call.executable
    assert [each.code for each in result.diagnostics] == codes
    assert result.text == ""


@pytest.mark.parametrize(("format", "around"), [("kimi_k2", KIMI), ("harmony", HARMONY)])
@pytest.mark.parametrize(
    "written", ["not json at all", '"x"', "```json\nx\n```", "a: x", '"a"', "`"]
)
def test_what_is_no_object_is_no_arguments(
    format: str, around: tuple[str, str], written: str
) -> None:
    (call,) = read(format, written.join(around), TOOL).calls
    assert (call.arguments, call.status) == ({}, "unreadable")
    assert not call.executable


@pytest.mark.parametrize("type", ["", " code", "<|constrain|>text"])
def test_text_that_nothing_calls_json_is_the_input(type: str) -> None:
    text = f"<|channel|>commentary to=functions.f{type}<|message|>ls -l<|call|>"
    (call,) = read("harmony", text, TOOL).calls
    assert (call.arguments, call.status) == ({"a": "ls -l"}, "complete")


@pytest.mark.parametrize("type", [" json", " <|constrain|>json", "<|constrain|> json"])
def test_no_body_is_no_arguments(type: str) -> None:
    text = f"<|channel|>commentary to=functions.f{type}<|message|><|call|>"
    (call,) = read("harmony", text).calls
    assert (call.arguments, call.status) == ({}, "complete")


@pytest.mark.parametrize(
    "written",
    [
        "'x'",
        "'it\\'s, {so}'",
        "\u201cx\u201d",
        "True",
        "FALSE",
        "None",
    ],
)
@pytest.mark.parametrize("place", [0, 1, 2])
def test_a_member_that_is_no_part_of_the_call_may_be_spelled_otherwise(
    written: str, place: int
) -> None:
    members = ["'name': 'f'", "'arguments': {'a': 'x'}"]
    members.insert(place, f"'index': {written}")
    text = f"<tool_call>\n{{{', '.join(members)}}}\n</tool_call>"
    (call,) = read("hermes", text, TOOL).calls
    assert (call.name, call.arguments, call.executable) == ("f", {"a": "x"}, True)


@pytest.mark.parametrize("quote", ["'", '"', ""])
def test_a_member_beside_the_arguments_is_known_by_its_key_in_any_quotes(quote: str) -> None:
    text = f'<tool_call>\n{{"name": "f", "arguments": {{}}, {quote}a{quote}: "x"}}\n</tool_call>'
    (call,) = read("hermes", text, TOOL).calls
    assert "skipped-markup" in call.doubts
