"""Calls, messages and streams in the shapes of OpenAI's chat completions, and back."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, assert_never, overload

from toolgrammar.interop.exchange import (
    Cut,
    Message,
    Pieces,
    Withheld,
    plain,
    read_call,
    server_problem,
    translated,
    with_ids,
    written_arguments,
    written_json,
)
from toolgrammar.interop.openai_responses import ResponsesEvents, is_responses_event
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
    from collections.abc import AsyncIterable, AsyncIterator, Iterable, Iterator

    from toolgrammar.values.calls import ParseResult

__all__ = [
    "from_stream",
    "from_tool_calls",
    "to_message",
    "to_stream",
    "to_tool_calls",
]

_REASONING_KEYS = ("reasoning_content", "reasoning")
"""Under which servers of open models send reasoning; OpenAI's own API has no such key."""


def to_tool_calls(
    calls: Iterable[ToolCall], *, id_prefix: str | None = None
) -> list[dict[str, Any]]:
    """Returns calls as the `tool_calls` of an assistant message.

    The text of a free-text call becomes the argument `input`. The `arguments` of
    a call that is not executable are no JSON object, as those that the API itself has cut:
    `from_tool_calls` gives such a call back as `unreadable`.

    Args:
        calls: the calls of one message.
        id_prefix: what stands before the index in the id of a call that has none; None: the id is
            made from the call's place and text.

    Raises:
        ValueError: an executable call has a number that JSON can't write.
    """
    return [
        {
            "id": identity,
            "type": "function",
            "function": {"name": call.name, "arguments": written_arguments(call)},
        }
        for call, identity in with_ids(calls, id_prefix)
    ]


def from_tool_calls(tool_calls: Iterable[object] | None) -> list[ToolCall]:
    """Returns the calls of a message's `tool_calls`; never raises on their arguments.

    Args:
        tool_calls: dicts, or the models of the openai package; None: there are none.

    Raises:
        TypeError: one of them is neither.
        KeyError: one of them has no name.
    """
    return [_from_tool_call(plain(tool_call)) for tool_call in tool_calls or ()]


def _from_tool_call(tool_call: Mapping[str, Any]) -> ToolCall:
    identity = tool_call.get("id") or None
    custom = tool_call.get("custom")
    if custom is not None:
        text = custom.get("input") or ""
        return ToolCall(custom["name"], {}, id=identity, input=text, raw_arguments=text)
    function = tool_call.get("function")
    name = function.get("name") if isinstance(function, Mapping) else None
    if not isinstance(function, Mapping) or not isinstance(name, str):
        found = ", ".join(map(repr, tool_call)) or "nothing"
        raise KeyError(f"a tool call has its name under function.name; this one has {found}")
    return read_call(name, written_json(function.get("arguments")), identity)


def to_message(
    result: ParseResult, *, id_prefix: str | None = None, reasoning_key: str | None = None
) -> Message:
    """Returns what was read as an assistant message.

    Args:
        result: the message as it was parsed.
        id_prefix: what stands before the index in the id of a call that has none; None: the id is
            made from the call's place and text.
        reasoning_key: the key for the reasoning, such as `reasoning_content`; None leaves it out.
    """
    message: dict[str, Any] = {"role": "assistant", "content": result.text or None}
    if reasoning_key is not None and result.reasoning:
        message[reasoning_key] = result.reasoning
    if result.calls:
        message["tool_calls"] = to_tool_calls(result.calls, id_prefix=id_prefix)
    elif message["content"] is None:
        # Without calls the API wants a text, be it empty.
        message["content"] = ""
    return message


@overload
def to_stream(
    events: AsyncIterable[Event],
    *,
    id_prefix: str | None = None,
    reasoning_key: str | None = None,
    completion_id: str = "",
    model: str = "",
    created: int = 0,
    finish_reason: str | None = None,
) -> AsyncIterator[dict[str, Any]]: ...


@overload
def to_stream(
    events: Iterable[Event],
    *,
    id_prefix: str | None = None,
    reasoning_key: str | None = None,
    completion_id: str = "",
    model: str = "",
    created: int = 0,
    finish_reason: str | None = None,
) -> Iterator[dict[str, Any]]: ...


def to_stream(
    events: Iterable[Event] | AsyncIterable[Event],
    *,
    id_prefix: str | None = None,
    reasoning_key: str | None = None,
    completion_id: str = "",
    model: str = "",
    created: int = 0,
    finish_reason: str | None = None,
) -> Iterator[dict[str, Any]] | AsyncIterator[dict[str, Any]]:
    """Returns the events of a parser as chunks of a streamed completion.

    A call's id goes out with its first chunk. One that the model writes after the arguments comes
    too late for that: such a call keeps the generated id here. The last bracket of the arguments
    goes out when the call has ended, and only if it is executable: what was cut off, or is in
    doubt, adds up to no JSON object.

    Args:
        events: the events of one message; an async iterable gives an async iterator.
        id_prefix: what stands before the index in the id of a call that has none; None: the id is
            made from its place, `completion_id` and the text before it.
        reasoning_key: the key for the reasoning, such as `reasoning_content`; None leaves it out.
        completion_id: the `id` of every chunk.
        model: the `model` of every chunk.
        created: the `created` of every chunk, in seconds since 1970.
        finish_reason: of the last chunk; None: `length` if the message ends inside a call,
            `tool_calls` if there were others, else `stop`.
    """
    head = {
        "id": completion_id,
        "object": "chat.completion.chunk",
        "created": created,
        "model": model,
    }
    return translated(_Chunks(head, id_prefix, reasoning_key, finish_reason), events)


def chunk_writer(head: dict[str, Any], id_prefix: str | None, reasoning_key: str) -> _Chunks:
    """Gives what turns events into chunks."""
    return _Chunks(head, id_prefix, reasoning_key, None)


class _Chunks:
    """Turns events into chunks."""

    def __init__(
        self,
        head: dict[str, Any],
        id_prefix: str | None,
        reasoning_key: str | None,
        finish_reason: str | None,
    ) -> None:
        self._head = head
        self._ids = ArrivingIds(id_prefix, head["id"])
        self._reasoning_key = reasoning_key
        self._finish_reason = finish_reason
        self._begun = False
        self._cut = Cut()
        self._withheld = Withheld()

    def feed(self, item: Event) -> list[dict[str, Any]]:
        self._cut.see(item)
        self._ids.see(item)
        delta = self._delta(item)
        return [] if delta is None else [*self._opening(), self._chunk(delta)]

    def close(self, finish_reason: str | None = None) -> list[dict[str, Any]]:
        own = "length" if self._cut.is_cut else "tool_calls" if self._cut.calls else "stop"
        reason = finish_reason or self._finish_reason or own
        return [*self._opening(), self._chunk({}, reason)]

    def _opening(self) -> list[dict[str, Any]]:
        if self._begun:
            return []
        self._begun = True
        return [self._chunk({"role": "assistant", "content": ""})]

    def _chunk(self, delta: dict[str, Any], finish_reason: str | None = None) -> dict[str, Any]:
        choice = {"index": 0, "delta": delta, "logprobs": None, "finish_reason": finish_reason}
        return {**self._head, "choices": [choice]}

    def _delta(self, event: Event) -> dict[str, Any] | None:
        match event:
            case TextDelta(text):
                return {"content": text}
            case ReasoningDelta(text):
                return None if self._reasoning_key is None else {self._reasoning_key: text}
            case CallStart(index, name, identity):
                start = {
                    "index": index,
                    "id": self._ids.next(identity, index, name),
                    "type": "function",
                    "function": {"name": name, "arguments": ""},
                }
                return {"tool_calls": [start]}
            case ArgumentsDelta(index, json):
                return _arguments(index, self._withheld.add(index, json))
            case InputDelta(index):
                self._withheld.see_text(index)
                return None
            case CallEnd(index, call):
                return _arguments(index, self._withheld.end(index, call))
            case Problem():
                return None
            case _:
                assert_never(event)


def _arguments(index: int, json: str) -> dict[str, Any] | None:
    if not json:
        return None
    return {"tool_calls": [{"index": index, "function": {"arguments": json}}]}


@overload
def from_stream(chunks: AsyncIterable[object]) -> AsyncIterator[Event]: ...


@overload
def from_stream(chunks: Iterable[object]) -> Iterator[Event]: ...


def from_stream(
    chunks: Iterable[object] | AsyncIterable[object],
) -> Iterator[Event] | AsyncIterator[Event]:
    """Returns the chunks of a streamed completion as events; of several choices the first.

    The events of the Responses API are taken, too. Arguments that are almost JSON, of a call that
    the server calls whole, are mended. An error that it sends in place of the rest is a `Problem`.

    Args:
        chunks: dicts, or the models of the openai package; an async iterable gives an async
            iterator.
    """
    return translated(_Events(), chunks)


def chunk_reader() -> _Events:
    """Gives what turns chunks into events."""
    return _Events()


class _Events:
    """Turns chunks into events."""

    def __init__(self) -> None:
        self._pieces = Pieces()
        self._responses = ResponsesEvents(self._pieces)

    def feed(self, item: object) -> list[Event]:
        chunk = plain(item)
        if is_responses_event(chunk):
            return self._responses.feed(chunk)
        if chunk.get("error"):
            return [*self._pieces.end_all("length"), server_problem(chunk["error"])]
        events: list[Event] = []
        for choice in chunk.get("choices") or ():
            if choice.get("index", 0) == 0:
                events += self._choice(choice)
        return events

    def close(self) -> list[Event]:
        return [*self._pieces.end_all(), *self._responses.close()]

    def _choice(self, choice: Mapping[str, Any]) -> list[Event]:
        delta = choice.get("delta") or {}
        events: list[Event] = []
        reasoning = next((delta[key] for key in _REASONING_KEYS if delta.get(key)), None)
        if reasoning:
            events.append(ReasoningDelta(reasoning))
        if delta.get("content"):
            events.append(TextDelta(delta["content"]))
        for piece in delta.get("tool_calls") or ():
            events += self._piece(piece)
        if choice.get("finish_reason"):
            events += self._pieces.end_all(choice["finish_reason"])
        return events

    def _piece(self, piece: Mapping[str, Any]) -> list[Event]:
        key = piece.get("index", 0)
        function = piece.get("function") or {}
        name, identity = function.get("name"), piece.get("id") or None
        events: list[Event] = []
        if self._pieces.is_another(key, name, identity):
            events += self._pieces.end(key)
        if key not in self._pieces:
            if not name:
                return []
            events += self._pieces.end_whole()
            events += self._pieces.start(key, name, identity)
        return events + self._pieces.add(key, written_json(function.get("arguments")))
