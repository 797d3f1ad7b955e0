"""A text without quotes that a closer in it may have cut is doubted, in a stream before its `CallEnd`."""

import pytest

from tests.units.core.cuts import read
from toolgrammar import CallEnd, ToolCall, formats, stream

_TOOLS: list[dict[str, object]] = [
    {"name": "note", "parameters": {"properties": {"text": {"type": "string"}}}},
]


def _call(value: str) -> str:
    return f'<tool_call>\n{{"name": "note", "arguments": {{"text": {value}}}}}\n</tool_call>'


@pytest.mark.parametrize("format_id", ["hermes", "auto"])
@pytest.mark.parametrize(
    ("text", "executable"),
    [
        (_call("Hello }}</tool_call> more text"), [False]),
        (_call("Hello }}</tool_call> more text").removesuffix("\n</tool_call>"), [False]),
        (_call('Hello }}</tool_call> more text"'), [False]),
        (_call('"Hello }}</tool_call> more text'), [False]),
        (_call('"Hello }}</tool_call> more text"'), [True]),
        (_call('Hello }}</tool_call> more text"').removesuffix("\n</tool_call>"), [False]),
        (_call('Hello }}</tool_call> more text"').replace('"}}', '"'), [False]),
        (f'{_call("Hello")}\nIt says "Hello" now.', [True]),
        (f"{_call('Hello')}\n{_call('you')}", [True, True]),
    ],
)
def test_a_text_without_quotes_is_no_part_of_a_longer_one(
    format_id: str, text: str, executable: list[bool]
) -> None:
    result = read(format_id, text, tools=_TOOLS)
    assert [call.executable for call in result.calls] == executable
    ends = [each for each in stream(text, format_id, tools=_TOOLS) if isinstance(each, CallEnd)]
    assert [each.call for each in ends] == list(result.calls)
    whole = {"Hello }}</tool_call> more text", "Hello", "you"}
    assert all(call.arguments["text"] in whole for call in result.calls if call.executable)


def test_the_doubt_is_told_of() -> None:
    result = read("hermes", _call('Hello }}</tool_call> more text"'), tools=_TOOLS)
    [call] = result.calls
    assert call.doubts == ("bare-text",)
    [said] = [each for each in result.diagnostics if each.severity == "error"]
    assert (said.code, said.span) == ("bare-text", call.span)
    assert said.message == "Found the end of a text behind its call, where the text may go on"
    assert not result.ok


@pytest.mark.parametrize("format_id", ["glm45", "glm47", "mimo", "telechat4"])
@pytest.mark.parametrize(
    "value", ["</tool_call>", "a </tool_call> b", "</tool_call>\n<tool_call>note"]
)
def test_the_closer_of_the_call_in_a_value_cuts_nothing_that_runs(
    format_id: str, value: str
) -> None:
    marked = formats[format_id].render([ToolCall("note", {"text": "@@"})], tools=_TOOLS)
    result = read(format_id, marked.replace("@@", value), tools=_TOOLS)
    assert all(call.arguments == {"text": value} for call in result.calls if call.executable)
    assert result.ok == ([call.executable for call in result.calls] == [True])


@pytest.mark.parametrize("format_id", ["glm45", "glm47", "mimo", "telechat4"])
def test_the_closer_of_the_call_is_a_value(format_id: str) -> None:
    call = ToolCall("note", {"text": "</tool_call>"})
    read_back = read(format_id, formats[format_id].render([call], tools=_TOOLS), tools=_TOOLS)
    assert read_back.ok
    assert [each.arguments for each in read_back.calls] == [call.arguments]


def test_a_closer_that_is_missing_and_stands_nowhere_else_is_put_in() -> None:
    text = "<tool_call>note<arg_key>text</arg_key><arg_value>Hello</tool_call>\n"
    [call] = read("glm47", text, tools=_TOOLS).calls
    assert (call.executable, call.arguments) == (True, {"text": "Hello"})
    # It may stand in what the server cut.
    result = read("glm47", text, tools=_TOOLS, finish_reason="length")
    [call] = result.calls
    assert (call.doubts, call.arguments) == (("missing-close-tag",), {"text": "Hello"})
    assert "the message was cut" in result.diagnostics[-1].message
