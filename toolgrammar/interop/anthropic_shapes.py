"""Calls, messages and streams in the shapes of Anthropic's messages, and back."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, assert_never, overload

from toolgrammar.interop.exchange import (
    Cut,
    Message,
    Pieces,
    Withheld,
    arguments_of,
    plain,
    server_problem,
    to_json,
    translated,
    with_ids,
    written_arguments,
)
from toolgrammar.values.calls import ToolCall
from toolgrammar.values.events import (
    ArgumentsDelta,
    CallEnd,
    CallStart,
    Event,
    InputDelta,
    Problem,
    ReasoningDelta,
    TextDelta,
)
from toolgrammar.values.ids import ArrivingIds

if TYPE_CHECKING:
    from collections.abc import AsyncIterable, AsyncIterator, Iterable, Iterator, Mapping

    from toolgrammar.values.calls import ParseResult

__all__ = [
    "from_stream",
    "from_tool_calls",
    "to_message",
    "to_stream",
    "to_tool_calls",
]

_INVALID = "INVALID_JSON"
"""The key under which Anthropic's documentation has arguments that are no JSON."""


def to_tool_calls(
    calls: Iterable[ToolCall], *, id_prefix: str | None = None
) -> list[dict[str, Any]]:
    """Returns calls as `tool_use` blocks.

    The text of a free-text call becomes the argument `input`. A call that is not
    executable has its text under the one key `INVALID_JSON`, by which the API tells a model of
    arguments that were no JSON: `from_tool_calls` gives it back as `unreadable`.

    Args:
        calls: the calls of one message.
        id_prefix: what stands before the index in the id of a call that has none; None: the id is
            made from the call's place and text.
    """
    return [
        {
            "type": "tool_use",
            "id": identity,
            "name": call.name,
            "input": arguments_of(call) if call.executable else {_INVALID: written_arguments(call)},
        }
        for call, identity in with_ids(calls, id_prefix)
    ]


def from_tool_calls(blocks: Iterable[object] | None) -> list[ToolCall]:
    """Returns the calls among the blocks of a message's content; blocks of other kinds are passed.

    Args:
        blocks: dicts, or the models of the anthropic package.

    Raises:
        TypeError: one of them is neither.
        KeyError: a `tool_use` block has no name.
    """
    if isinstance(blocks, str):
        return []  # a content that is a text
    found = (plain(block) for block in blocks or ())
    return [_call(block) for block in found if block.get("type") == "tool_use"]


def _call(block: Mapping[str, Any]) -> ToolCall:
    arguments = dict(block.get("input") or {})
    identity = block.get("id") or None
    invalid = arguments.get(_INVALID)
    if len(arguments) == 1 and isinstance(invalid, str):
        return ToolCall(
            block["name"],
            id=identity,
            raw_arguments=invalid,
            status="unreadable",
            error="the arguments are no JSON object",
        )
    return ToolCall(block["name"], arguments, id=identity)


def to_message(
    result: ParseResult, *, id_prefix: str | None = None, thinking: bool = False
) -> Message:
    """Returns what was read as an assistant message.

    Args:
        result: the message as it was parsed.
        id_prefix: what stands before the index in the id of a call that has none; None: the id is
            made from the call's place and text.
        thinking: whether the reasoning comes as a `thinking` block. It has no signature, so the
            API itself would refuse it.
    """
    content: list[dict[str, Any]] = []
    if thinking and result.reasoning:
        content.append({"type": "thinking", "thinking": result.reasoning, "signature": ""})
    if result.text:
        content.append({"type": "text", "text": result.text})
    content += to_tool_calls(result.calls, id_prefix=id_prefix)
    return {"role": "assistant", "content": content}


@overload
def to_stream(
    events: AsyncIterable[Event],
    *,
    id_prefix: str | None = None,
    thinking: bool = False,
    message_id: str = "",
    model: str = "",
    stop_reason: str | None = None,
) -> AsyncIterator[dict[str, Any]]: ...


@overload
def to_stream(
    events: Iterable[Event],
    *,
    id_prefix: str | None = None,
    thinking: bool = False,
    message_id: str = "",
    model: str = "",
    stop_reason: str | None = None,
) -> Iterator[dict[str, Any]]: ...


def to_stream(
    events: Iterable[Event] | AsyncIterable[Event],
    *,
    id_prefix: str | None = None,
    thinking: bool = False,
    message_id: str = "",
    model: str = "",
    stop_reason: str | None = None,
) -> Iterator[dict[str, Any]] | AsyncIterator[dict[str, Any]]:
    """Returns the events of a parser as the events of a streamed message.

    A call's id goes out with its start. One that the model writes after the arguments comes too
    late for that: such a call keeps the generated id here. The last bracket of the arguments goes
    out when the call has ended, and only if it is executable: what was cut off, or is in doubt,
    adds up to no JSON object.

    Args:
        events: the events of one message; an async iterable gives an async iterator.
        id_prefix: what stands before the index in the id of a call that has none; None: the id is
            made from its place, `message_id` and the text before it.
        thinking: whether the reasoning comes as `thinking` blocks.
        message_id: the `id` of the message.
        model: the `model` of the message.
        stop_reason: why the message ends; None: `max_tokens` if it ends inside a call, `tool_use`
            if there were others, else `end_turn`.
    """
    message: dict[str, Any] = {
        "id": message_id,
        "type": "message",
        "role": "assistant",
        "model": model,
        "content": [],
        "stop_reason": None,
        "stop_sequence": None,
        "usage": {"input_tokens": 0, "output_tokens": 0},
    }
    return translated(Blocks(message, id_prefix, stop_reason, thinking=thinking), events)


def event_writer(message: dict[str, Any], id_prefix: str | None) -> Blocks:
    """Gives what turns our events into theirs."""
    return Blocks(message, id_prefix, None, thinking=True)


class Blocks:
    """Turns our events into theirs: one content block after the other."""

    def __init__(
        self,
        message: dict[str, Any],
        id_prefix: str | None,
        stop_reason: str | None,
        *,
        thinking: bool,
    ) -> None:
        self._message = message
        self._ids = ArrivingIds(id_prefix, message["id"])
        self._stop_reason = stop_reason
        self._thinking = thinking
        self._begun = False
        self._cut = Cut()
        self._withheld = Withheld()
        self._block = -1
        self._open = ""
        self._blank = ""

    def feed(self, item: Event) -> list[dict[str, Any]]:
        self._cut.see(item)
        self._ids.see(item)
        return [*self.opening(), *self._event(item)]

    def close(
        self, stop_reason: str | None = None, usage: dict[str, Any] | None = None
    ) -> list[dict[str, Any]]:
        own = "max_tokens" if self._cut.is_cut else "tool_use" if self._cut.calls else "end_turn"
        reason = stop_reason or self._stop_reason or own
        delta = {"stop_reason": reason, "stop_sequence": None}
        return [
            *self.opening(),
            *self._closed(),
            {"type": "message_delta", "delta": delta, "usage": usage or {"output_tokens": 0}},
            {"type": "message_stop"},
        ]

    def opening(self) -> list[dict[str, Any]]:
        """Gives the event that begins the message, once."""
        if self._begun:
            return []
        self._begun = True
        return [{"type": "message_start", "message": self._message}]

    def _event(self, event: Event) -> list[dict[str, Any]]:
        match event:
            case TextDelta(text):
                return self._text(text)
            case ReasoningDelta(text):
                if not self._thinking:
                    return []
                block = {"type": "thinking", "thinking": "", "signature": ""}
                return [*self._opened(block), self._delta("thinking_delta", "thinking", text)]
            case CallStart(index, name, identity):
                call_block: dict[str, Any] = {
                    "type": "tool_use",
                    "id": self._ids.next(identity, index, name),
                    "name": name,
                    "input": {},
                }
                return [*self._closed(), *self._opened(call_block)]
            case ArgumentsDelta(index, json):
                return self._arguments(self._withheld.add(index, json))
            case InputDelta(index):
                self._withheld.see_text(index)
                return []
            case CallEnd(index, call):
                return [*self._arguments(self._withheld.end(index, call)), *self._closed()]
            case Problem():
                return []
            case _:
                assert_never(event)

    def _text(self, text: str) -> list[dict[str, Any]]:
        """Gives a piece of text; white space opens no block: the API refuses a blank one."""
        if self._open != "text":
            text = self._blank + text
            self._blank = ""
            if not text.strip():
                self._blank = text
                return []
        opened = self._opened({"type": "text", "text": ""})
        return [*opened, self._delta("text_delta", "text", text)]

    def _opened(self, block: dict[str, Any]) -> list[dict[str, Any]]:
        """Opens a block, unless one of its kind is open."""
        if self._open == block["type"]:
            return []
        closed = self._closed()
        self._open = block["type"]
        self._block += 1
        start = {"type": "content_block_start", "index": self._block, "content_block": block}
        return [*closed, start]

    def _closed(self) -> list[dict[str, Any]]:
        """Closes the open block, if there is one."""
        if not self._open:
            return []
        self._open = self._blank = ""
        return [{"type": "content_block_stop", "index": self._block}]

    def _arguments(self, json: str) -> list[dict[str, Any]]:
        return [self._delta("input_json_delta", "partial_json", json)] if json else []

    def _delta(self, kind: str, key: str, text: str) -> dict[str, Any]:
        delta = {"type": kind, key: text}
        return {"type": "content_block_delta", "index": self._block, "delta": delta}


@overload
def from_stream(chunks: AsyncIterable[object]) -> AsyncIterator[Event]: ...


@overload
def from_stream(chunks: Iterable[object]) -> Iterator[Event]: ...


def from_stream(
    chunks: Iterable[object] | AsyncIterable[object],
) -> Iterator[Event] | AsyncIterator[Event]:
    """Returns the raw events of a streamed message as our events.

    Args:
        chunks: dicts, or the raw events of the anthropic package; an async iterable gives an
            async iterator.
    """
    return translated(_Events(), chunks)


def event_reader() -> _Events:
    """Gives what turns their events into ours."""
    return _Events()


class _Events:
    """Turns their events into ours."""

    def __init__(self) -> None:
        self._pieces = Pieces()

    def feed(self, item: object) -> list[Event]:
        chunk = plain(item)
        index = chunk.get("index")
        match chunk.get("type"):
            case "content_block_start":
                return [*self._pieces.end_all(), *self._start(index, chunk["content_block"])]
            case "content_block_delta":
                return self._delta(index, chunk["delta"])
            case "content_block_stop" if index in self._pieces and self._pieces.has_begun(index):
                return self._pieces.end(index)
            case "message_delta":
                # A call without arguments may have been cut before them: here the server says so.
                return self._pieces.end_all((chunk.get("delta") or {}).get("stop_reason"))
            case "error":
                return [*self._pieces.end_all("max_tokens"), server_problem(chunk.get("error"))]
            case _:
                return []

    def close(self) -> list[Event]:
        return self._pieces.end_all()

    def _start(self, index: object, block: Mapping[str, Any]) -> list[Event]:
        match block.get("type"):
            case "tool_use":
                events = self._pieces.start(index, block["name"], block.get("id") or None)
                if block.get("input"):
                    events += self._pieces.add(index, to_json(block["input"]))
                return events
            case "text" if block.get("text"):
                return [TextDelta(block["text"])]
            case "thinking" if block.get("thinking"):
                return [ReasoningDelta(block["thinking"])]
            case _:
                return []

    def _delta(self, index: object, delta: Mapping[str, Any]) -> list[Event]:
        match delta.get("type"):
            case "text_delta":
                return [TextDelta(delta["text"])]
            case "thinking_delta":
                return [ReasoningDelta(delta["thinking"])]
            case "input_json_delta" if index in self._pieces:
                return self._pieces.add(index, delta["partial_json"])
            case _:
                return []
