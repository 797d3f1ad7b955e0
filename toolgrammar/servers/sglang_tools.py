r"""Defines the tool detectors for SGLang's flag `--tool-call-parser toolgrammar_hermes`.

Example: `<tool_call>\n{"name": "search", "arguments": {"q": "tea"}}\n</tool_call>` becomes a
`StreamingParseResult` with one `ToolCallItem`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar

from sglang.srt.environ import envs
from sglang.srt.function_call.base_format_detector import BaseFormatDetector
from sglang.srt.function_call.core_types import StreamingParseResult, ToolCallItem

from toolgrammar.servers.given_calls import GivenCalls
from toolgrammar.servers.giving import giving
from toolgrammar.servers.message_reader import Arguments, CallBegun, Content, MessageReader
from toolgrammar.servers.requests import specs_of

if TYPE_CHECKING:
    from collections.abc import Iterable

    from toolgrammar.servers.giving import Giving
    from toolgrammar.servers.message_reader import Piece


class ToolgrammarDetector(GivenCalls, BaseFormatDetector):  # type: ignore[misc]
    """Reads the calls of one message; SGLang makes one for each choice of a request."""

    format_id: ClassVar[str]
    """The id of the format, or `auto`."""

    def __init__(self) -> None:
        super().__init__()
        self._giving = giving()
        self._reader: MessageReader | None = None

    def has_tool_call(self, text: str) -> bool:
        """Whether a message has to be read: any that is not empty.

        SGLang asks before it passes the tools, without which not every call can be detected.
        """
        return bool(text.strip())

    def detect_and_parse(self, text: str, tools: list[Any]) -> StreamingParseResult:
        """Reads a whole message."""
        # Nobody waits for the deltas of a whole message, so nothing has to be sent early.
        reader = self._new_reader(tools, "all" if self._giving == "all" else "hold")
        result = _result([*reader.feed(text), *reader.finish()])
        calls: dict[int, ToolCallItem] = {}
        for item in result.calls:
            if item.tool_index in calls:
                calls[item.tool_index].parameters += item.parameters
            else:
                calls[item.tool_index] = item
        return StreamingParseResult(normal_text=result.normal_text, calls=list(calls.values()))

    def parse_streaming_increment(self, new_text: str, tools: list[Any]) -> StreamingParseResult:
        """Accepts the next piece of a message."""
        if self._reader is None:
            self._reader = self._new_reader(tools, self._giving)
        return self._streamed(self._reader.feed(new_text))

    def finish(self, tools: list[Any]) -> StreamingParseResult:
        """Ends the message; returns the pieces that were held back."""
        reader, self._reader = self._reader, None
        return StreamingParseResult() if reader is None else self._streamed(reader.finish())

    # ------------------------------------------------------------ constraints

    def supports_structural_tag(self) -> bool:
        """Returns False: SGLang then constrains required and named tools to JSON, and parses it."""
        return False

    def structure_info(self) -> Any:
        """Raises the error of SGLang's own detectors without structural tags.

        Raises:
            NotImplementedError: always.
        """
        raise NotImplementedError("toolgrammar gives SGLang no structural tags")

    # ------------------------------------------------------------ helpers

    def _new_reader(self, tools: list[Any], given: Giving) -> MessageReader:
        self.forget_calls()
        specs = specs_of(tools)
        # SGLang's own detectors drop calls of tools that are not in the request, unless configured.
        known = None if envs.SGLANG_FORWARD_UNKNOWN_TOOLS.get() else {each.name for each in specs}
        return MessageReader(self.format_id, specs, giving=given, names=known)

    def _streamed(self, pieces: list[Piece]) -> StreamingParseResult:
        self.note(pieces)
        return _result(pieces)


def _result(pieces: Iterable[Piece]) -> StreamingParseResult:
    """Returns the result of SGLang with all pieces in it."""
    content: list[str] = []
    calls: list[ToolCallItem] = []
    for piece in pieces:
        match piece:
            case Content(text):
                content.append(text)
            case CallBegun(index, name):
                calls.append(ToolCallItem(tool_index=index, name=name, parameters=""))
            case Arguments(index, json):
                # SGLang joins the pieces by the index; only the first piece has the name.
                calls.append(ToolCallItem(tool_index=index, parameters=json))
    return StreamingParseResult(normal_text="".join(content), calls=calls)
