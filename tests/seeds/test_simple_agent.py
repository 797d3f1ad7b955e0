"""Statements E1 to E62: both forms of simple_agent. `⏎` of the documents is `\\n` here."""
# ruff: noqa: N802 - a test bears the number of its statement

import pytest

import toolgrammar
from tests.seeds.checking import call, check, check_kept, tool
from toolgrammar import CallEnd, CallStart, Parser, ToolCall

LINE = "simple_agent"
BRACKET = "simple_agent_bracket"
BARE = "\U0001f6e0"
MARK = f"{BARE}\ufe0f"
END = f"{MARK}\U0001f51a"
STOP = f"{MARK}[/end]"
BASH = tool("bash", ["command"], command="string")


# ------------------------------------------------------------------------- line form


def test_E1_text_before_the_first_marker_is_the_message() -> None:
    check(LINE, f"Hello\n{MARK} bash echo hello", [call("bash", input="echo hello")], "Hello")
    check(LINE, f"Hello  \n\n{MARK} bash echo hello", [call("bash", input="echo hello")], "Hello")


def test_E2_lines_up_to_the_end_marker_belong_to_the_payload() -> None:
    text = f"Message\n{MARK} create_file path.txt\nline1\nline2\n{END}"
    check(LINE, text, [call("create_file", input="path.txt\nline1\nline2")], "Message")


def test_E3_no_marker_no_call() -> None:
    text = "Just a message with no tools"
    check(LINE, text, [], text)


def test_E4_each_marker_line_starts_a_call() -> None:
    text = f"Start\n{MARK} ls\n{MARK} bash pwd"
    check(LINE, text, [call("ls", input=""), call("bash", input="pwd")], "Start")


def test_E5_empty_text() -> None:
    check(LINE, "", [], "")


def test_E6_a_marker_inside_a_line_is_text() -> None:
    text = f"run {MARK} bash ls now"
    check(LINE, text, [], text)


def test_E7_an_indented_marker_is_text() -> None:
    check(LINE, f"  {MARK} bash ls", [], f"{MARK} bash ls")


@pytest.mark.parametrize("after", ["bash ls", "\tls", ""], ids=["nothing", "tab", "end"])
def test_E8_exactly_one_space_before_the_name(after: str) -> None:
    text = f"{MARK}{after}"
    check(LINE, text, [], text)


@pytest.mark.parametrize("name", ["create-file", "my_tool_2", "čti", "読む"])
def test_E9_names(name: str) -> None:
    check(LINE, f"{MARK} {name} a.txt", [call(name, input="a.txt")], "")


def test_E10_white_space_before_the_payload_is_dropped() -> None:
    check(LINE, f"{MARK} a   x  y", [call("a", input="x  y")], "")


def test_E11_white_space_after_the_payload_is_dropped() -> None:
    check(LINE, f"{MARK} a x  \n\n\n", [call("a", input="x")], "")


def test_E12_blank_args() -> None:
    check(LINE, f"{MARK} ls   \n", [call("ls", input="")], "")


def test_E13_the_payload_is_the_body_alone() -> None:
    check(LINE, f"{MARK} note\nhello\n{END}", [call("note", input="hello")], "")


def test_E14_blank_line_before_the_body() -> None:
    check(LINE, f"{MARK} a x\n\nbody\n{END}", [call("a", input="x\n\nbody")], "")


def test_E14_blank_line_before_the_body_without_args() -> None:
    check(LINE, f"{MARK} a\n\nhello\n{END}", [call("a", input="\nhello")], "")


def test_E15_without_end_marker_the_rest_is_payload() -> None:
    check(LINE, f"{MARK} ls\nI will wait.", [call("ls", input="I will wait.")], "")


def test_E16_text_after_the_end_marker_is_content() -> None:
    check(LINE, f"{MARK} w a\nx\n{END}\nDone.", [call("w", input="a\nx")], "Done.")


def test_E17_the_rest_of_the_end_marker_line_is_no_payload() -> None:
    check(LINE, f"{MARK} w a\nx\n{END} tail", [call("w", input="a\nx")])


def test_E18_an_end_marker_without_a_call_is_text() -> None:
    text = f"Hi\n{END}\nbye"
    check(LINE, text, [], text)


def test_E19_a_second_end_marker_is_text() -> None:
    text = f"{MARK} a x\n{END}\n{END}\n{MARK} b y"
    check(LINE, text, [call("a", input="x"), call("b", input="y")], status=["complete"] * 2)


@pytest.mark.parametrize("line", [f"see {END} here", f"  {END}"])
def test_E20_the_end_marker_counts_in_the_first_column_only(line: str) -> None:
    check(LINE, f"{MARK} a x\n{line}\n{END}", [call("a", input=f"x\n{line}")], "")


def test_E21_an_indented_marker_line_is_payload() -> None:
    check(LINE, f"{MARK} w f\n  {MARK} ls\n{END}", [call("w", input=f"f\n  {MARK} ls")], "")


def test_E22_there_is_no_escape_for_a_marker_line() -> None:
    check(LINE, f"{MARK} w f\n{MARK} ls\n{END}", [call("w", input="f"), call("ls", input="")], "")


def test_E23_crlf() -> None:
    text = f"{MARK} a x\r\nl1\r\nl2\r\n{END}\r\n"
    check(LINE, text, [call("a", input="x\r\nl1\r\nl2")], "")
    check(LINE, f"Hi\r\n{text}", [call("a", input="x\r\nl1\r\nl2")], "Hi")


def test_E24_blank_lines_before_the_first_marker() -> None:
    check(LINE, f"\n\n{MARK} ls", [call("ls", input="")], "")


def test_E25_text_between_end_marker_and_marker() -> None:
    text = f"{MARK} a\n{END}\nmid\n{MARK} b"
    check(LINE, text, [call("a", input=""), call("b", input="")], "mid")


def test_E26_the_payload_is_not_parsed() -> None:
    payload = "echo \"a {b}\" 'c' `d` <x> [1, 2] \\n"
    check(LINE, f"{MARK} bash {payload}", [call("bash", input=payload)], "")


def test_E27_a_marker_inside_the_payload() -> None:
    check(LINE, f"{MARK} bash echo {MARK} hi", [call("bash", input=f"echo {MARK} hi")], "")


def test_E28_fences_mean_nothing() -> None:
    check(LINE, f"```\n{MARK} ls\n```", [call("ls", input="```")])


def test_E29_unknown_names_give_a_call() -> None:
    check(LINE, f"{MARK} nope x", [call("nope", input="x")], "", [BASH])
    result = toolgrammar.parse(f"{MARK} nope x", format=LINE, tools=[BASH])
    assert list(result.unknown_tools([BASH])) == ["nope"]


def test_E30_the_same_tool_twice() -> None:
    check(LINE, f"{MARK} ls a\n{MARK} ls b", [call("ls", input="a"), call("ls", input="b")], "")


@pytest.mark.parametrize("tail", [BARE, MARK, f"{MARK} "])
def test_E31_a_prefix_of_a_marker_line_is_no_call(tail: str) -> None:
    check(LINE, f"Hi\n{tail}", [])


@pytest.mark.parametrize("closer", [f"{MARK} b ", f"{END}\n"])
def test_E31_the_last_call_is_open_until_the_next_mark(closer: str) -> None:
    parser = Parser(format=LINE)
    events = parser.feed(f"{MARK} a x\nmore\n")
    assert any(isinstance(event, CallStart) for event in events)
    assert not any(isinstance(event, CallEnd) for event in events)
    events = parser.feed(closer)
    assert [event.call.input for event in events if isinstance(event, CallEnd)] == ["x\nmore"]


def test_E32_an_open_call_at_the_end_is_complete() -> None:
    text = f"{MARK} w a.txt\nhalf a li"
    check(LINE, text, [call("w", input="a.txt\nhalf a li")], "", status=["complete"])
    result = toolgrammar.parse(text, format=LINE, finish_reason="length")
    assert [found.status for found in result.calls] == ["truncated"]


def test_E33_the_payload_is_the_one_string_parameter() -> None:
    check(LINE, f"{MARK} bash 42", [call("bash", {"command": "42"}, "42")], "", [BASH])


@pytest.mark.parametrize(
    ("schema", "text", "arguments"),
    [
        (tool("t", ["a"], a="string", b="string"), "x", {"a": "x"}),
        (tool("t", ["a", "b"], a="string", b="string"), "x", {}),
        (tool("t", a="string"), "x", {"a": "x"}),
        (tool("t", ["a"], a="integer"), "5", {}),
        (tool("t", ["a"], a="string"), "", {}),
        (
            {"name": "t", "parameters": {"properties": {"a": {}}, "required": ["a"]}},
            "x",
            {"a": "x"},
        ),
    ],
    ids=["optional", "two", "none-required", "no-string", "blank", "untyped"],
)
def test_E33_which_schema_takes_the_payload(
    schema: dict[str, object], text: str, arguments: dict[str, str]
) -> None:
    check(LINE, f"{MARK} t {text}", [call("t", arguments, text)], "", [schema])


def test_E34_a_name_with_a_dot_loses_nothing() -> None:
    text = f"{MARK} my.tool x"
    check_kept(LINE, text)
    assert "my" not in {found.name for found in toolgrammar.parse(text, format=LINE).calls}


def test_E35_two_spaces_after_the_marker_lose_nothing() -> None:
    check_kept(LINE, f"{MARK} a x\n{MARK}  odd\nmore\n{END}\nDone.")


@pytest.mark.parametrize("sign", ["\u2028", "\x85", "\x0c", "\x0b", "\x1c"])
def test_E36_other_line_ends_lose_nothing(sign: str) -> None:
    check_kept(LINE, f"{MARK} a x{sign}{MARK} b y{sign}{END}{sign}tail")


@pytest.mark.parametrize("payload", ["body", "a.txt\nbody", "x\n\ny", ""])
def test_E37_render_puts_the_end_marker_on_its_own_line(payload: str) -> None:
    calls = (ToolCall("w", input=payload), ToolCall("w", input=payload))
    wire = toolgrammar.formats[LINE].render(calls)
    assert all(line == END for line in wire.splitlines() if END in line)
    assert toolgrammar.parse(wire, format=LINE).calls == calls


def test_E38_text_after_the_first_call_is_kept() -> None:
    text = f"{MARK} a x\n{END}\nafter\n{MARK} b y\n{END}"
    check(LINE, text, [call("a", input="x"), call("b", input="y")], "after")


def test_E39_a_marker_without_variation_selector_loses_nothing() -> None:
    check_kept(LINE, f"Hi\n{BARE} bash ls\n{BARE}\U0001f51a\nbye")


# ---------------------------------------------------------------------- bracket form


def test_E40_the_header() -> None:
    text = f"{MARK}[run-query main.sql 100]"
    check(BRACKET, text, [call("run-query", input="main.sql 100")], "")
    check(BRACKET, f"{MARK}[a   x  y /]", [call("a", input="x  y")], "")


def test_E41_the_body() -> None:
    text = f"{MARK}[w a.txt]\n  x  \n\n{STOP}"
    check(BRACKET, text, [call("w", input="a.txt\n  x  ")], "", status=["complete"])


def test_E41_one_leading_newline_is_dropped() -> None:
    check(BRACKET, f"{MARK}[w]\n\nx\n{STOP}", [call("w", input="\nx")], "")


def test_E42_self_closing() -> None:
    text = f"{MARK}[ls dir1 /]\n{MARK}[ls dir2 /]"
    calls = [call("ls", input="dir1"), call("ls", input="dir2")]
    check(BRACKET, text, calls, "", status=["complete"] * 2)


def test_E43_a_slash_without_a_space() -> None:
    check(BRACKET, f"{MARK}[ls /tmp/]", [call("ls", input="/tmp/")], "")


def test_E44_the_marker_counts_anywhere() -> None:
    check(BRACKET, f"Here: {MARK}[w f]x{STOP}", [call("w", input="f\nx")], "Here:")


@pytest.mark.parametrize("start", [BARE, MARK])
@pytest.mark.parametrize("end", [BARE, MARK])
def test_E45_the_variation_selector_is_optional(start: str, end: str) -> None:
    check(BRACKET, f"{start}[w f]\nc\n{end}[/end]", [call("w", input="f\nc")], "")


def test_E46_text_around_is_no_part_of_a_call() -> None:
    check(BRACKET, f"A\n{MARK}[ls /]\nB", [call("ls", input="")])


def test_E47_a_header_at_the_end_is_a_call() -> None:
    check(BRACKET, f"Hi\n{MARK}[bash echo hello]", [call("bash", input="echo hello")], "Hi")


def test_E48_missing_end_marker() -> None:
    text = f"{MARK}[w s.py]\na\nb\n"
    check(BRACKET, text, [call("w", input="s.py\na\nb")], "", status=["truncated"])


def test_E49_a_header_with_end_marker_has_an_empty_body() -> None:
    check(BRACKET, f"{MARK}[ls dir]\n{STOP}", [call("ls", input="dir")], "", status=["complete"])


def test_E50_nested_markers_are_body() -> None:
    text = f"{MARK}[w n.txt]\nS\n{MARK}[sub x]\n{STOP}\n{STOP}"
    check(BRACKET, text, [call("w", input=f"n.txt\nS\n{MARK}[sub x]\n{STOP}")], "")


def test_E51_an_unclosed_nested_marker_takes_no_end_marker() -> None:
    text = f"{MARK}[w f]\nuses {MARK}[other] here\n{STOP}"
    check(BRACKET, text, [call("w", input=f"f\nuses {MARK}[other] here")], "")


def test_E52_no_closing_bracket() -> None:
    text = f"{MARK}[create-file\nsome text"
    check(BRACKET, text, [], text)


def test_E53_an_open_header_after_calls_is_text() -> None:
    text = f"{MARK}[ls dir]\n{STOP}\n{MARK}[broken"
    check(BRACKET, text, [call("ls", input="dir")])
    check_kept(BRACKET, text)


def test_E54_an_empty_header_is_text() -> None:
    check(BRACKET, f"{MARK}[]\n{MARK}[ls dir]", [call("ls", input="dir")])


def test_E55_crlf() -> None:
    check(BRACKET, f"{MARK}[t]\r\nline1\r\n{STOP}", [call("t", input="line1")], "")


def test_E56_the_bare_emoji_is_text() -> None:
    text = f"I like {MARK} tools"
    check(BRACKET, text, [], text)


def test_E57_unknown_names_pass() -> None:
    check(BRACKET, f"{MARK}[nonexistent arg1]", [call("nonexistent", input="arg1")], "", [BASH])


def test_E58_fenced_code_stays_whole() -> None:
    body = "```python\ndef f():\n    return [1]\n```"
    check(BRACKET, f"{MARK}[w t.py]\n{body}\n{STOP}", [call("w", input=f"t.py\n{body}")], "")


def test_E59_the_end_marker_alone_is_text() -> None:
    check(BRACKET, STOP, [], STOP)


def test_E60_a_self_closing_marker_does_not_nest() -> None:
    text = f"{MARK}[w a]\nrun {MARK}[ls /] first\n{STOP}\n{MARK}[w b]\nsecond\n{STOP}"
    calls = [call("w", input=f"a\nrun {MARK}[ls /] first"), call("w", input="b\nsecond")]
    check(BRACKET, text, calls, "")


def test_E61_text_around_an_empty_header_is_kept() -> None:
    text = f"before {MARK}[] after"
    check(BRACKET, text, [], text)


def test_E62_a_bracket_in_the_args_loses_nothing() -> None:
    check_kept(BRACKET, f"{MARK}[bash echo a[0] /]\nand {MARK}[ls /] then")
