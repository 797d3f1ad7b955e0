"""Where payloads, calls and sections end, in grammars whose closers are like each other."""

from pathlib import Path

import pytest

from tests.units.core.cuts import read, save

TEXT_RAW = "%import .common.text (TEXT, RAW, NAME)\nstart: (TEXT | call)*\n"

NAMELESS = r"""
%import .common.text (TEXT)
%import .common.json_keys (_object)
start: (TEXT | call)*
call: "```json" _object{"\"name\"", "\"arguments\""} ["\n```"]
"""

ATTRIBUTES = (
    TEXT_RAW
    + r"""
call: "<do" name argument* ">" child+ "</do>" | "<do" name argument* ">" input "</do>"
child: "<" key ">" value "</c>" -> argument
argument: key "=\"" value "\""
name: /\w+/
key: /\w+/
value: RAW
input: RAW
"""
)

TWO_CLOSERS = (
    TEXT_RAW
    + r"""
call: "<act " file ">" input "</act>" | "<act " name ">" input END
file: FILE -> name
name: NAME
input: RAW
FILE.1: /file/
END: /\s*<\/act>/
"""
)

SECTION = r"""
%import .common.text (TEXT, NAME)
%import .common.json (JSON_OBJECT)
start: (TEXT | calls)*
calls: "<function_calls>\n" call+ ["\n</function_calls>"]
call: "<c " name ">" arguments "</c>"
name: NAME
arguments: JSON_OBJECT
"""

INVOKE = "<function_calls>\n<invoke>\n<tool_name>f</tool_name>\n<parameters>\n"


@pytest.mark.parametrize("tail", ["", "\n```", "\n``` end", " end"])
def test_an_object_that_names_no_tool_stays_text(tmp_path: Path, tail: str) -> None:
    text = 'The config:\n```json\n{"debug": true}' + tail
    result = read(save(tmp_path, "", NAMELESS), text)
    assert (result.calls, result.text) == ((), text)


def test_a_payload_may_follow_the_closer_of_a_value(tmp_path: Path) -> None:
    (call,) = read(save(tmp_path, "", ATTRIBUTES), '<do x a="1">text</do> y').calls
    assert (call.arguments, call.input, call.status) == ({"a": "1"}, "text", "complete")


def test_the_arguments_begin_behind_the_name(tmp_path: Path) -> None:
    text = '<do x a="1"><k>v</c></do> <do y b="2"><k>v</c></do>'
    first, second = read(save(tmp_path, "", ATTRIBUTES), text).calls
    assert first.raw_arguments == 'a="1"><k>v</c>'
    assert second.raw_arguments == 'b="2"><k>v</c>'


@pytest.mark.parametrize(
    ("text", "body"),
    [
        ("<act file>a\n\n</act> rest", "a\n\n"),
        ("<act file>a <act sh>x\n</act> b</act> rest", "a <act sh>x\n</act> b"),
        ("<act sh>a\n\n</act> rest", "a"),
    ],
)
def test_the_closer_of_another_alternative_hides_none(tmp_path: Path, text: str, body: str) -> None:
    result = read(save(tmp_path, "", TWO_CLOSERS), text)
    assert [(call.input, call.status) for call in result.calls] == [(body, "complete")]
    assert result.text == "rest"


@pytest.mark.parametrize(
    "body", ["<body>x</body>", "<body>x</body> y", "<body>x", "<b>x</b>", "x</body>"]
)
def test_the_own_tags_of_a_value_pair(body: str) -> None:
    text = f"{INVOKE}<body>{body}</body>\n</parameters>\n</invoke>\n</function_calls>"
    (call,) = read("anthropic_legacy", text).calls
    assert (call.arguments, call.status) == ({"body": body}, "complete")


def test_a_quoted_opener_of_the_same_argument_pairs_before_the_next_one() -> None:
    value = "a <body>b</body> c"
    text = f"{INVOKE}<body>{value}</body>\n<to>x</to>\n</parameters>\n</invoke>\n</function_calls>"
    (call,) = read("anthropic_legacy", text).calls
    assert call.arguments == {"body": value, "to": "x"}


def test_white_space_before_an_optional_closer_of_a_section_is_markup(tmp_path: Path) -> None:
    text = "a\n<function_calls>\n<c f>{}</c>\n<c g>{}</c>\n\n</function_calls>\nb"
    result = read(save(tmp_path, "", SECTION), text)
    assert [call.name for call in result.calls] == ["f", "g"]
    assert (result.text, result.diagnostics) == ("a\n\nb", ())


@pytest.mark.parametrize("tail", ["", "\n", " words", " words <c g>{}</c>"])
def test_a_section_without_its_optional_closer_is_whole(tmp_path: Path, tail: str) -> None:
    result = read(save(tmp_path, "", SECTION), "<function_calls>\n<c f>{}</c>" + tail)
    assert all(call.status == "complete" for call in result.calls)
    assert (result.text, result.diagnostics) == (tail.partition("<")[0].strip(), ())


def test_a_long_run_of_white_space_in_a_section_is_text(tmp_path: Path) -> None:
    text = "<function_calls>\n<c f>{}</c>" + " " * 3000 + "</function_calls>."
    result = read(save(tmp_path, "", SECTION), text)
    assert [call.status for call in result.calls] == ["complete"]
    assert result.text == "."


@pytest.mark.parametrize("tail", ["<", "</", "</par", "</parameters>", "</parameters>\n</inv"])
def test_the_beginning_of_a_closer_at_the_end_is_a_cut(tail: str) -> None:
    result = read("anthropic_legacy", f"{INVOKE}<hours>6</hours>\n{tail}")
    (call,) = result.calls
    (problem,) = result.diagnostics
    assert (call.arguments, call.status, result.text) == ({"hours": "6"}, "truncated", "")
    assert problem.code == "truncated"
    (edit,) = problem.edits
    fixed = result.source[: edit.span.start] + edit.replacement
    assert [call.status for call in read("anthropic_legacy", fixed).calls] == ["complete"]


def test_reasoning_that_only_closes_is_reported_however_it_is_read() -> None:
    text = 'Hm.</think>\n<tool_calls>\n{"name": "f", "arguments": {}}\n</tool_calls>'
    for _ in range(3):
        result = read("minimax_m1", text)
        assert [problem.code for problem in result.diagnostics] == ["unopened-reasoning"]


def test_of_two_arguments_in_one_call_the_first_stay() -> None:
    text = '<tool_call>\n{"name": "f", "arguments": {"a": 1}, "arguments": {"a": 2}}\n</tool_call>'
    result = read("hermes", text)
    (call,) = result.calls
    assert (call.arguments, call.status) == ({"a": 1}, "complete")
    assert [problem.code for problem in result.diagnostics] == ["duplicate-key"]
    assert not call.executable


@pytest.mark.parametrize("closed", ["a <act sh>b", "a <act sh>b</act> <act sh>c"])
def test_a_quoted_call_that_the_text_never_closes(tmp_path: Path, closed: str) -> None:
    text = f"<act sh>{closed}</act> <act sh>d"
    result = read(save(tmp_path, "", TWO_CLOSERS), text)
    assert [(call.input, call.status) for call in result.calls] == [
        (closed, "complete"),
        ("d", "truncated"),
    ]
    assert not any(call.executable for call in result.calls)
    assert [problem.code for problem in result.diagnostics] == ["missing-close-tag", "truncated"]


MORE_BEHIND_NAMES = """\
%import .common.text (TEXT, RAW)

start: (TEXT | call)*
call: "<function name=\\"" name MORE argument* "</function>"
argument: "<param name=\\"" key "\\">" value "</param>"
name: /\\w+/
key: /\\w+/
value: RAW
MORE: /"[^<>]{0,64}>/
"""


def test_a_closer_behind_the_opener_of_a_call_may_be_of_a_lost_argument(tmp_path: Path) -> None:
    grammar = save(tmp_path, "", MORE_BEHIND_NAMES)
    tool: dict[str, object] = {
        "name": "look",
        "parameters": {
            "type": "object",
            "properties": {"a": {"type": "string"}, "b": {"type": "string"}},
        },
    }
    text = '<function name="look"aram name="a"></param><param name="b">x</param></function>'
    [call] = read(grammar, text, [tool]).calls
    assert (call.arguments, call.doubts) == ({"b": "x"}, ("stray-close-tag",))
    sound = text.replace('aram name="a">', '><param name="a">')
    assert read(grammar, sound, [tool]).calls[0].executable
