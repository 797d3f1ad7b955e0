"""Does what SGLang's server does for one answer, whole or delta by delta, with its own classes."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from tests.servers.examples import Message, dict_of

if TYPE_CHECKING:
    from collections.abc import Iterable

    from toolgrammar.values.tools import ToolSpec


@dataclass
class Answer(Message):
    """An answer of SGLang's server."""

    def add(self, items: list[Any]) -> None:
        """Adds the calls of one piece."""
        for item in items:
            if item.name:
                assert item.tool_index == len(self.calls)
                self.calls.append((item.name, ""))
            name, arguments = self.calls[item.tool_index]
            self.calls[item.tool_index] = name, arguments + item.parameters


class Server:
    """A server with the flags for parsers, and one request."""

    def __init__(
        self,
        tool_parser: str | None,
        reasoning_parser: str | None,
        tools: Iterable[ToolSpec],
        *,
        forced: bool | None = None,
        template: dict[str, Any] | None = None,
    ) -> None:
        from sglang.srt.entrypoints.openai.protocol import ChatCompletionRequest, Tool
        from sglang.srt.plugins import load_plugins

        load_plugins()
        self.tools = [Tool(**dict_of(tool)) for tool in tools]
        self._tool_parser, self._reasoning_parser = tool_parser, reasoning_parser
        self._forced = forced
        self._request = ChatCompletionRequest(
            model="m",
            messages=[{"role": "user", "content": "x"}],
            chat_template_kwargs=template,
        )

    def whole(self, text: str) -> Answer:
        """Returns the message of an answer that is not streamed: as `_build_chat_response`."""
        message = Answer(content=text)
        reasoner = self._reasoner(stream=False)
        if reasoner is not None:
            message.reasoning, message.content = reasoner.parse_non_stream(text)
        parser = self.parser()
        if parser is not None and parser.has_tool_call(message.content):
            message.content, calls = parser.parse_non_stream(message.content)
            message.calls = [(call.name, call.parameters) for call in calls]
        return message

    def stream(self, pieces: list[str]) -> Answer:
        """Returns the message of a stream: as `_generate_chat_stream`, its last look included."""
        message = Answer()
        reasoner, parser = self._reasoner(stream=True), self.parser()
        for number, piece in enumerate(pieces, 1):
            text = piece
            if reasoner is not None:
                reasoning, text = reasoner.parse_stream_chunk(text)
                if number == len(pieces):
                    last, behind = reasoner.parse_stream_end()
                    reasoning, text = (reasoning or "") + (last or ""), text + (behind or "")
                message.reasoning += reasoning
            if parser is None:
                message.content += text
                continue
            normal, calls = parser.parse_stream_chunk(text)
            if number == len(pieces):
                end, more = parser.parse_stream_end()
                normal, calls = normal + end, [*calls, *more]
            message.content += normal
            message.add(calls)
        assert parser is None or not _unstreamed(parser.detector)
        return message

    def parser(self) -> Any:
        """Returns the parser of one choice."""
        from sglang.srt.function_call.function_call_parser import FunctionCallParser

        return self._tool_parser and FunctionCallParser(self.tools, self._tool_parser)

    def _reasoner(self, *, stream: bool) -> Any:
        from sglang.srt.parser.reasoning_parser import ReasoningParser

        return self._reasoning_parser and ReasoningParser(
            self._reasoning_parser, stream, self._forced, self._request
        )


def _unstreamed(detector: Any) -> str:
    """Returns what SGLang would send at the end: `_check_for_unstreamed_tool_args`."""
    if not detector.prev_tool_call_arr:
        return ""
    last = len(detector.prev_tool_call_arr) - 1
    expected: str = detector.prev_tool_call_arr[last]["arguments"]
    return expected.removeprefix(detector.streamed_args_for_tool[last])
