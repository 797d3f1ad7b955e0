"""Free-text calls in the shapes of APIs that have none: their text is an argument, and whole."""

from __future__ import annotations

from typing import Any

import pytest

from toolgrammar import CallEnd, Parser, ToolCall, parse
from toolgrammar.interop import anthropic, langchain, mcp, openai

SHAPES = [anthropic, langchain, openai]
COMMAND = {"name": "bash", "parameters": {"properties": {"command": {}}, "required": ["command"]}}
FILE = 'A "b"\n'
BOLT = (
    '<boltArtifact id="a" title="A">\n'
    f'<boltAction type="file" filePath="a.txt">{FILE}</boltAction>\n</boltArtifact>'
)
MESSAGES: list[tuple[str, str, list[Any], dict[str, Any]]] = [
    ("aider_whole", f"a.txt\n```\n{FILE}```", [], {"path": "a.txt", "input": FILE}),
    ("bolt", BOLT, [], {"filePath": "a.txt", "input": FILE}),
    ("simple_agent", "🛠️ bash ls -l", [], {"input": "ls -l"}),
    ("simple_agent", "🛠️ bash ls -l", [COMMAND], {"command": "ls -l"}),
]


@pytest.mark.parametrize("shape", [*SHAPES, mcp])
@pytest.mark.parametrize("message", MESSAGES)
def test_text_stands_beside_the_arguments(
    shape: Any, message: tuple[str, str, list[Any], dict[str, Any]]
) -> None:
    form, text, tools, wanted = message
    calls = shape.to_tool_calls(parse(text, format=form, tools=tools).calls)
    assert [each.arguments for each in shape.from_tool_calls(calls)] == [wanted]


@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("step", [1, 1000])
@pytest.mark.parametrize("message", MESSAGES)
def test_streamed_text_closes_the_arguments(
    shape: Any, step: int, message: tuple[str, str, list[Any], dict[str, Any]]
) -> None:
    form, text, tools, wanted = message
    parser = Parser(format=form, tools=tools)
    events = [each for at in range(0, len(text), step) for each in parser.feed(text[at:][:step])]
    events += parser.close()
    back = list(shape.from_stream(shape.to_stream(events)))
    (call,) = [each.call for each in back if isinstance(each, CallEnd)]
    assert call.arguments == wanted
    assert call.executable


def test_own_argument_of_that_name_is_kept() -> None:
    call = ToolCall("f", {"input": 1}, input="text")
    assert anthropic.to_tool_calls([call])[0]["input"] == {"input": 1}
