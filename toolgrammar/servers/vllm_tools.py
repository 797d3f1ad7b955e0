r"""Defines the tool parsers for vLLM's flag `--tool-call-parser toolgrammar_hermes`.

Example: `<tool_call>\n{"name": "search", "arguments": {"q": "tea"}}\n</tool_call>` becomes a
`DeltaMessage` with a tool call, or an `ExtractedToolCallInformation` of the whole message.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar

from vllm.entrypoints.generate.base.protocol import (
    DeltaFunctionCall,
    DeltaMessage,
    DeltaToolCall,
    ExtractedToolCallInformation,
    FunctionCall,
    ToolCall,
)
from vllm.renderers.chat_utils import make_tool_call_id
from vllm.tool_parsers.abstract_tool_parser import ToolParser

from toolgrammar.servers.given_calls import GivenCalls
from toolgrammar.servers.giving import giving
from toolgrammar.servers.message_reader import Arguments, CallBegun, Content, MessageReader
from toolgrammar.servers.parser_names import parser_class, tool_parser_names
from toolgrammar.servers.prompt_end import needs_special_tokens
from toolgrammar.servers.requests import messages_of, specs_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from toolgrammar.servers.giving import Giving
    from toolgrammar.servers.message_reader import Piece


class ToolgrammarToolParser(GivenCalls, ToolParser):  # type: ignore[misc]
    """Reads the calls of one message; vLLM makes one for each choice of a request."""

    format_id: ClassVar[str]
    """The id of the format, or `auto`."""

    def __init__(self, tokenizer: Any, tools: list[Any] | None = None) -> None:
        super().__init__(tokenizer, tools)
        self._giving = giving()
        self._reader: MessageReader | None = None

    def adjust_request(self, request: Any) -> Any:
        """Requests special tokens in the text, if the format needs them."""
        request = super().adjust_request(request)
        if request.tools and request.tool_choice != "none":
            keep_special_tokens(request, self.format_id, self.model_tokenizer)
        return request

    def extract_tool_calls(self, model_output: str, request: Any) -> ExtractedToolCallInformation:
        """Reads a whole message."""
        # Nobody waits for the deltas of a whole message, so nothing has to be sent early.
        reader = self._new_reader("all" if self._giving == "all" else "hold", request)
        delta = _delta([*reader.feed(model_output), *reader.finish()])
        calls = [
            ToolCall(
                id=call.id,
                function=FunctionCall(name=call.function.name, arguments=call.function.arguments),
            )
            for call in delta.tool_calls
        ]
        return ExtractedToolCallInformation(
            tools_called=bool(calls), tool_calls=calls, content=delta.content
        )

    def extract_tool_calls_streaming(
        self,
        previous_text: str,
        current_text: str,
        delta_text: str,
        previous_token_ids: Sequence[int],
        current_token_ids: Sequence[int],
        delta_token_ids: Sequence[int],
        request: Any,
    ) -> DeltaMessage | None:
        """Accepts the next piece of a message; only `delta_text` is used."""
        if self._reader is None:
            self._reader = self._new_reader(self._giving, request)
            # With this, vLLM calls `finish_streaming` at the end. As a class attribute it would
            # hide the text so far from the methods of vLLM that handle `tool_choice="required"`.
            self.engine_based_streaming = True
        return self._message(self._reader.feed(delta_text))

    def finish_streaming(self) -> DeltaMessage | None:
        """Ends the message; returns the pieces that were held back."""
        reader, self._reader = self._reader, None
        return None if reader is None else self._message(reader.finish())

    def get_remaining_unstreamed_args(self) -> str:
        """Returns "": what may be sent was sent, and the rest follows at the end."""
        return ""

    def _new_reader(self, given: Giving, request: Any) -> MessageReader:
        """Makes the reader of a message, with the tools and the conversation of a request."""
        self.forget_calls()
        specs = specs_of(self.tools)
        return MessageReader(
            self.format_id,
            specs,
            giving=given,
            names={each.name for each in specs},
            messages=messages_of(request),
        )

    def _message(self, pieces: list[Piece]) -> DeltaMessage | None:
        self.note(pieces)
        return _delta(pieces) if pieces else None


def keep_special_tokens(request: Any, format_id: str, tokenizer: Any) -> None:
    """Makes vLLM write the special tokens into the text, if the format needs them."""
    special = tuple(getattr(tokenizer, "all_special_tokens", ()))
    if needs_special_tokens(format_id, special):
        request.skip_special_tokens = False
        # Requests of the Responses API lack this field.
        if hasattr(request, "spaces_between_special_tokens"):
            request.spaces_between_special_tokens = False


def _delta(pieces: Iterable[Piece]) -> DeltaMessage:
    """Returns a message of vLLM that contains all pieces."""
    content: list[str] = []
    calls: dict[int, DeltaToolCall] = {}
    for piece in pieces:
        match piece:
            case Content(text):
                content.append(text)
            case CallBegun(index, name, own):
                calls[index] = DeltaToolCall(
                    index=index,
                    id=own or make_tool_call_id(),
                    type="function",
                    function=DeltaFunctionCall(name=name, arguments=""),
                )
            case Arguments(index, json):
                # More of a call that an earlier delta began: then neither its name nor its id is
                # sent again.
                call = calls.setdefault(
                    index, DeltaToolCall(index=index, function=DeltaFunctionCall(arguments=""))
                )
                call.function.arguments += json
    fields: dict[str, Any] = {"content": "".join(content)} if content else {}
    if calls:
        fields["tool_calls"] = list(calls.values())
    return DeltaMessage(**fields)


def __getattr__(name: str) -> type[ToolgrammarToolParser]:
    """Returns the parser of this name, made on first use."""
    if name not in tool_parser_names():
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return parser_class(ToolgrammarToolParser, name)
