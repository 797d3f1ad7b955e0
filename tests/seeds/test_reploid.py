"""Statements T1 to T51 about well-formed, odd and cut text; test_malformed.py has the rest."""
# ruff: noqa: N802 - a test bears the number of its statement

import json
from collections.abc import Iterable
from typing import Any

import pytest

import toolgrammar
from tests.seeds.checking import call, check, check_kept, tool
from toolgrammar import CallEnd, CallStart, Event, Parser, ToolCall
from toolgrammar.interop import reploid as older
from toolgrammar.testing import laws
from toolgrammar.testing.cases import case_of_row

FORMAT = "reploid"


def one(name: str, body: str) -> str:
    """Returns a call on the wire."""
    return f"TOOL_CALL: {name}\nARGS: {body}"


def check_value(body: str, arguments: dict[str, Any]) -> None:
    """Holds that a legal body is read as these arguments, complete."""
    check(FORMAT, one("A", body), [call("A", arguments)], "", status=["complete"])


def test_T1_one_call_in_prose() -> None:
    text = "I read.\n\n" + one("ReadFile", '{ "path": "/t.txt" }') + "\n\nLet me see."
    check(FORMAT, text, [call("ReadFile", {"path": "/t.txt"})], status=["complete"])
    assert "Let me see." in toolgrammar.parse(text, format=FORMAT).text


def test_T2_several_calls() -> None:
    first, second = one("A", '{"x": 1}'), one("B", '{"y": [2]}')
    text = f"a\n{first}\n\nmid\n\n{second}\nend"
    check(FORMAT, text, [call("A", {"x": 1}), call("B", {"y": [2]})])


def test_T3_nested_values() -> None:
    check_value(
        '{"c": {"n": {"d": true}, "a": [1, 2, 3]}}', {"c": {"n": {"d": True}, "a": [1, 2, 3]}}
    )


def test_T4_an_object_over_several_lines() -> None:
    check_value('{\n  "path": "/a"\n}', {"path": "/a"})


def test_T5_names() -> None:
    check(FORMAT, one("my_tool_v2", "{}"), [call("my_tool_v2")], "")


def test_T6_an_empty_object() -> None:
    check_value("{}", {})


def test_T7_loose_white_space() -> None:
    check(FORMAT, 'TOOL_CALL:   A\n\nARGS:\n{ "x" : 1 }', [call("A", {"x": 1})], "")
    check(FORMAT, 'TOOL_CALL:\tA  \n \t\nARGS:   \n\n {"x":1}', [call("A", {"x": 1})], "")


def test_T8_types_are_json_types() -> None:
    body = '{"i": 42, "f": 3.14, "n": -10, "t": true, "o": false, "z": null, "u": "世 🌍 \\u00e9"}'
    arguments = {"i": 42, "f": 3.14, "n": -10, "t": True, "o": False, "z": None, "u": "世 🌍 é"}
    check_value(body, arguments)
    check_value(r'{"s": "a\nb \"c\" \\ \/ \t"}', {"s": 'a\nb "c" \\ / \t'})


@pytest.mark.parametrize("inside", ["if (a) { b }} {", "}", "{", "}}}}", "{ok}"])
def test_T9_braces_in_strings(inside: str) -> None:
    check_value(f'{{"c": "{inside}"}}', {"c": inside})


def test_T10_double_quotes_in_backticks() -> None:
    check_value('{"c": `say "hi"`}', {"c": 'say "hi"'})


@pytest.mark.parametrize("inside", ["}{", "{", "}", "({[}])"])
def test_T11_braces_in_backticks(inside: str) -> None:
    check_value(f'{{"c": `{inside}`, "d": 1}}', {"c": inside, "d": 1})


@pytest.mark.parametrize("inside", ["l1\nl2", "\tx\ty", "l1\r\nl2", "\n\n"])
def test_T12_line_ends_and_tabs_in_backticks(inside: str) -> None:
    check_value(f'{{"c": `{inside}`}}', {"c": inside})


def test_T13_placeholders_and_escapes_in_backticks() -> None:
    check_value('{"c": `a ${b}`}', {"c": "a ${b}"})
    check_value(r'{"c": `a\nb\tc\\d\"e`}', {"c": 'a\nb\tc\\d"e'})


def test_T14_an_escaped_backtick() -> None:
    check_value(r'{"c": `a \` b`}', {"c": "a ` b"})


def test_T15_quotes_of_the_other_kind() -> None:
    check_value('{"a": "x ` y", "b": `p " q`}', {"a": "x ` y", "b": 'p " q'})


def test_T16_crlf() -> None:
    check(FORMAT, 'TOOL_CALL: A\r\nARGS: {"x": 1}\r\n', [call("A", {"x": 1})], "")


def test_T17_the_marker_in_the_middle_of_a_line() -> None:
    check(FORMAT, f"I do {one('A', '{}')}", [call("A")], "I do")


def test_T18_the_line_goes_on_after_the_object() -> None:
    check(FORMAT, f"{one('A', '{}')} then {one('B', '{}')}", [call("A"), call("B")], "then")


def test_T19_closing_braces_too_many_are_text() -> None:
    check(FORMAT, one("A", '{"x": 1}}}'), [call("A", {"x": 1})], "}}", status=["complete"])


@pytest.mark.parametrize("marks", [("tool_call:", "args:"), ("Tool_Call:", "ARGS:")])
def test_T20_markers_are_case_sensitive(marks: tuple[str, str]) -> None:
    text = f"{marks[0]} A\n{marks[1]} {{}}"
    check(FORMAT, text, [], text)


def test_T21_no_args_line_no_call() -> None:
    text = "TOOL_CALL: A\nSome text"
    check(FORMAT, text, [], text)


@pytest.mark.parametrize("text", ["TOOL_CALL: A ARGS: {}", "TOOL_CALL: A\n  ARGS: {}"])
def test_T22_args_not_at_the_start_of_a_line_lose_nothing(text: str) -> None:
    check_kept(FORMAT, text)


@pytest.mark.parametrize("name", ["read-file", "fs.read"])
def test_T23_other_names_lose_nothing(name: str) -> None:
    check_kept(FORMAT, one(name, '{"x": 1}'))


@pytest.mark.parametrize("text", ["", None])
def test_T24_no_text(text: str | None) -> None:
    result = toolgrammar.parse(text, format=FORMAT)
    assert (result.calls, result.text, result.ok) == ((), "", True)


def test_T25_text_without_markers() -> None:
    text = "This is {just} regular text: no `calls`."
    check(FORMAT, text, [], text)


@pytest.mark.parametrize("tail", ["", " ", "\n"])
def test_T26_blank_args(tail: str) -> None:
    text = f"TOOL_CALL: A\nARGS:{tail}"
    check(FORMAT, text, [call("A")], "")
    assert not toolgrammar.parse(text, format=FORMAT).ok


@pytest.mark.parametrize("body", ["not json", "[1]", "12", '"x"'])
def test_T27_args_that_are_no_object(body: str) -> None:
    text = one("A", body)
    check(FORMAT, text, [call("A")])
    (found,) = toolgrammar.parse(text, format=FORMAT).calls
    assert found.error
    assert found.status == "unreadable"


def test_T29_an_unclosed_object_gives_the_members_read() -> None:
    arguments = {"x": 1, "y": "a"}
    check(FORMAT, one("A", '{"x": 1, "y": "a"'), [call("A", arguments)], "", status=["truncated"])


def test_T35_an_apostrophe_opens_nothing() -> None:
    check_value('{"c": "it\'s {"}', {"c": "it's {"})
    check_value('{"c": `it\'s {`}', {"c": "it's {"})


def test_T37_the_last_of_a_key_wins() -> None:
    check(FORMAT, one("A", '{"a": 1, "a": 2}'), [call("A", {"a": 2})], "")


def test_T38_a_call_in_a_backtick_string_does_not_run() -> None:
    inside = f"x\n{one('B', '{}')}\ny"
    check_value(f'{{"c": `{inside}`}}', {"c": inside})


def test_T39_a_call_in_a_double_quoted_string_does_not_run() -> None:
    inside = f"x\n{one('B', '{}')}\ny"
    check_value(json.dumps({"c": inside}), {"c": inside})


def test_T40_unknown_names_give_calls() -> None:
    tools = [tool("Known", path="string")]
    check(FORMAT, one("Other", '{"x": 1}'), [call("Other", {"x": 1})], "", tools)


@pytest.mark.parametrize(
    "text", ["TOOL_CALL: ReadF", "TOOL_CALL: A\n", "TOOL_CALL: A\nARGS", "TOOL_"]
)
def test_T41_a_marker_without_args_is_no_call_yet(text: str) -> None:
    check(FORMAT, f"Going.\n{text}", [])
    parser = Parser(format=FORMAT)
    assert not any(isinstance(event, CallStart) for event in parser.feed(text))


def test_T41_an_open_object_is_one_truncated_call_at_the_end() -> None:
    text = one("A", '{"p": "/x')
    check(FORMAT, text, [call("A", {"p": "/x"})], "", status=["truncated"])


def ended(events: Iterable[Event]) -> list[ToolCall]:
    return [event.call for event in events if isinstance(event, CallEnd)]


def test_T41_the_last_brace_ends_the_call() -> None:
    """What stands behind it decides whether the arguments were closed too early."""
    parser = Parser(format=FORMAT)
    assert ended(parser.feed(one("A", '{"p": {}') + "}\n")) == []
    (found,) = ended(parser.feed("Done."))
    assert found.arguments == {"p": {}}
    assert found.executable


def test_T41_the_end_of_the_text_ends_the_call() -> None:
    parser = Parser(format=FORMAT)
    assert ended(parser.feed(one("A", '{"p": {}}'))) == []
    (found,) = ended(parser.close())
    assert found.arguments == {"p": {}}
    assert found.executable


def test_T42_a_fence_changes_nothing() -> None:
    check(FORMAT, f"```\n{one('A', '{}')}\n```", [call("A")])


def test_T43_very_long_strings() -> None:
    inside = "{ab}" * 5_000
    text = one("A", f'{{"c": "{inside}"}}')
    (found,) = toolgrammar.parse(text, format=FORMAT).calls
    assert found.arguments == {"c": inside}
    laws.linear(case_of_row({"text": one("A", f'{{"c": "{inside[:400]}"}}')}, "T43", FORMAT))


def test_T44_the_older_interface() -> None:
    assert older.is_done("DONE") is False
    schema = {"type": "object", "properties": {"x": {"type": "integer"}}, "required": ["x"]}
    assert older.validate_tool_call({"name": "A", "args": {"x": 1}}, schema) is True
    assert older.validate_tool_call({"name": "A", "args": {}}, schema) is False


def test_T45_the_name_on_the_next_line() -> None:
    check(FORMAT, "TOOL_CALL:\nA\nARGS: {}", [call("A")], "")


def test_T48_an_unclosed_object_is_not_silent() -> None:
    result = toolgrammar.parse(one("A", '{"x": "y"'), format=FORMAT)
    assert not result.ok
    assert not any(found.executable for found in result.calls)


def test_T49_a_fence_inside_the_args_loses_nothing() -> None:
    check_kept(FORMAT, one("A", '```json\n{"x": 1}\n```\nafter'))


def test_T51_a_line_of_the_later_protocol_changes_nothing() -> None:
    text = f"TOOL: other\n{one('A', '{}')}"
    check(FORMAT, text, [call("A")], "TOOL: other")
