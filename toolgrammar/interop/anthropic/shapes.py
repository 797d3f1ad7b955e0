"""Converts calls, messages and streams to and from the shapes of Anthropic's messages.

A call becomes `{"type": "tool_use", "id": …, "name": "get_weather", "input": {"city": "Oslo"}}`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from toolgrammar.interop.anthropic.blocks import BlockReader
from toolgrammar.interop.exchange import (
    Cut,
    Message,
    Withheld,
    arguments_of,
    call_with,
    plain,
    string_of,
    with_ids,
    written_arguments,
)
from toolgrammar.interop.handed_in import check_result, given_calls, keys_of, no_event
from toolgrammar.interop.native.read_events import read_events
from toolgrammar.interop.streaming import both_ways, read_both_ways, read_stream, translated
from toolgrammar.parsing.call_ids import ArrivingIds
from toolgrammar.values.calls import ToolCall
from toolgrammar.values.errors import check_type
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

if TYPE_CHECKING:
    from collections.abc import AsyncIterable, AsyncIterator, Iterable, Iterator, Mapping

    from toolgrammar.catalogue.registry import FormatsLike
    from toolgrammar.interop.streaming import AsyncReadStream, ReadStream
    from toolgrammar.values.calls import ParseResult

__all__ = [
    "from_stream",
    "from_tool_calls",
    "to_message",
    "to_stream",
    "to_tool_calls",
]

INVALID: Final = "INVALID_JSON"
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
        id_prefix: the text before the index in the generated id of a call; None: the id is
            made from the call's place and text.
    """
    return [
        {
            "type": "tool_use",
            "id": identity,
            "name": call.name,
            "input": arguments_of(call) if call.executable else {INVALID: written_arguments(call)},
        }
        for call, identity in with_ids(calls, id_prefix)
    ]


def from_tool_calls(blocks: Iterable[object] | None) -> list[ToolCall]:
    """Returns the calls among the blocks of a message's content; blocks of other kinds are passed.

    It never raises on their arguments: an `input` that is no object makes the call unreadable.

    Args:
        blocks: dicts, or the models of the anthropic package.

    Raises:
        TypeError: one of them is neither.
        KeyError: a `tool_use` block has no name.
    """
    if isinstance(blocks, str):
        return []  # a content that is a text
    found = (plain(block) for block in given_calls(blocks))
    return [_call(block) for block in found if block.get("type") == "tool_use"]


def _call(block: Mapping[str, Any]) -> ToolCall:
    name = block.get("name")
    if not isinstance(name, str):
        raise KeyError(f"a `tool_use` block has its name under name; this one has {keys_of(block)}")
    call = call_with(name, block.get("input"), block.get("id"))
    invalid = call.arguments.get(INVALID)
    # Alone under this key: a tool may have an argument of this name among others.
    if len(call.arguments) == 1 and isinstance(invalid, str):
        return ToolCall(
            name,
            id=call.id,
            raw_arguments=invalid,
            status="unreadable",
            error="the arguments are no JSON object",
        )
    return call


def to_message(
    result: ParseResult, *, id_prefix: str | None = None, thinking: bool = False
) -> Message:
    """Returns what was read as an assistant message.

    Args:
        result: the message as it was parsed.
        id_prefix: the text before the index in the generated id of a call; None: the id is
            made from the call's place and text.
        thinking: whether the reasoning comes as a `thinking` block. It has no signature, so the
            API itself would refuse it.

    Raises:
        TypeError: `result` is not a ParseResult.
    """
    check_result(result)
    check_type("thinking", thinking, bool)
    content: list[dict[str, Any]] = []
    # Thinking first: the API wants it before the text and the calls that came of it.
    if thinking and result.reasoning:
        content.append({"type": "thinking", "thinking": result.reasoning, "signature": ""})
    if result.text:
        content.append({"type": "text", "text": result.text})
    content += to_tool_calls(result.calls, id_prefix=id_prefix)
    return {"role": "assistant", "content": content}


@both_ways
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
        id_prefix: the text before the index in the generated id of a call; None: the id is
            made from its place, `message_id` and the text before it.
        thinking: whether the reasoning comes as `thinking` blocks.
        message_id: the `id` of the message.
        model: the `model` of the message.
        stop_reason: why the message ends; None: `max_tokens` if it ends inside a call, `tool_use`
            if there were others, else `end_turn`.
    """
    message = begun_message(message_id, model)
    return translated(BlockWriter(message, id_prefix, stop_reason, thinking=thinking), events)


def begun_message(message_id: str = "", model: str = "") -> dict[str, Any]:
    """Returns the message in the event that begins a stream."""
    return {
        "id": message_id,
        "type": "message",
        "role": "assistant",
        "model": model,
        "content": [],
        "stop_reason": None,
        "stop_sequence": None,
        "usage": {"input_tokens": 0, "output_tokens": 0},
    }


class BlockWriter:
    """Turns our events into theirs: one content block after the other."""

    def __init__(
        self,
        message: dict[str, Any],
        id_prefix: str | None,
        stop_reason: str | None,
        *,
        thinking: bool,
    ) -> None:
        check_type("thinking", thinking, bool)
        self._message = message
        self._ids = ArrivingIds(id_prefix, string_of(message.get("id")))
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
        self,
        stop_reason: str | None = None,
        usage: dict[str, Any] | None = None,
        stop_sequence: object = None,
    ) -> list[dict[str, Any]]:
        # A message that ends inside a call can only have been cut.
        own = "max_tokens" if self._cut.is_cut else "tool_use" if self._cut.calls else "end_turn"
        reason = stop_reason or self._stop_reason or own
        delta = {"stop_reason": reason, "stop_sequence": stop_sequence}
        return [
            *self.opening(),
            *self._closed(),
            {"type": "message_delta", "delta": delta, "usage": usage or {"output_tokens": 0}},
            {"type": "message_stop"},
        ]

    def opening(self) -> list[dict[str, Any]]:
        """Returns the event that begins the message, once."""
        if self._begun:
            return []
        self._begun = True
        return [{"type": "message_start", "message": self._message}]

    def other_block(self, block: dict[str, Any]) -> list[dict[str, Any]]:
        """Opens a block that no event of ours makes; `other_delta` goes on with it."""
        return [*self.opening(), *self._closed(), *self._opened(block)]

    def other_delta(self, delta: dict[str, Any]) -> list[dict[str, Any]]:
        """Adds to the block that was opened last."""
        return [{"type": "content_block_delta", "index": self._block, "delta": delta}]

    def beside(self, kind: str, delta: dict[str, Any]) -> list[dict[str, Any]]:
        """Adds what is no text, as a signature of thinking, while a block of its kind is open."""
        return self.other_delta(delta) if self._open == kind else []

    def end_block(self, kind: str) -> list[dict[str, Any]]:
        """Closes an open block of text or thinking, as the next one of its kind is another."""
        return self._closed() if kind in ("text", "thinking") and self._open == kind else []

    def _event(self, event: Event) -> list[dict[str, Any]]:
        match event:
            case TextDelta(text):
                return self._text(text)
            case ReasoningDelta(text):
                # Without a signature the API would refuse it, so it comes only where it is asked
                # for.
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
                # Closed first: `_opened` would take two calls in a row for one block.
                return [*self._closed(), *self._opened(call_block)]
            case ArgumentsDelta(index, json):
                return self._arguments(self._withheld.add(index, json))
            case InputDelta(index):
                # A text is not JSON: it goes out at the end of the call, as an argument.
                self._withheld.see_text(index)
                return []
            case CallEnd(index, call):
                return [*self._arguments(self._withheld.end(index, call)), *self._closed()]
            case Problem():
                return []
            case _:
                raise no_event(event)

    def _text(self, text: str) -> list[dict[str, Any]]:
        """Returns a piece of text; white space opens no block: the API refuses a blank one."""
        # White space may be all that stands between two calls.
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
        if self._open == block.get("type"):
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


@read_both_ways
def from_stream(
    chunks: Iterable[object] | AsyncIterable[object],
    *,
    repair: bool = False,
    format: FormatsLike | None = None,
    tools: Iterable[object] | None = None,
) -> ReadStream[Event] | AsyncReadStream[Event]:
    """Returns the raw events of a streamed message as our events.

    What comes back has `finish_reason` and, at the end, the message as `result`.

    Args:
        chunks: dicts, or the raw events of the anthropic package; an async iterable gives an
            async iterator.
        repair: whether broken calls are repaired as by `repair_stream`; the deltas of their
            arguments are strict JSON then.
        format: with `repair`, the format in which calls may stand in the text.
        tools: with `repair`, the tools that the model had.
    """
    return read_stream(read_events(BlockReader, repair=repair, format=format, tools=tools), chunks)
