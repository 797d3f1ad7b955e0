"""Calls, messages and streams in the shapes of LangChain."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any, assert_never, overload

from toolgrammar.interop.exchange import (
    Pieces,
    Withheld,
    arguments_of,
    plain,
    read_call,
    translated,
    with_ids,
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
    "to_invalid_tool_calls",
    "to_message",
    "to_stream",
    "to_tool_calls",
]


def to_tool_calls(
    calls: Iterable[ToolCall], *, id_prefix: str | None = None
) -> list[dict[str, Any]]:
    """Returns the calls that are executable as the `tool_calls` of an `AIMessage`.

    The text of a free-text call becomes the argument `input`.

    Args:
        calls: the calls of one message.
        id_prefix: what stands before the index in the id of a call that has none; None: the id is
            made from the call's place and text.
    """
    return [
        {
            "name": call.name,
            "args": arguments_of(call),
            "id": identity,
            "type": "tool_call",
        }
        for call, identity in with_ids(calls, id_prefix)
        if call.executable
    ]


def to_invalid_tool_calls(
    calls: Iterable[ToolCall], *, id_prefix: str | None = None
) -> list[dict[str, Any]]:
    """Returns the calls that are not executable as the `invalid_tool_calls` of an `AIMessage`.

    Args:
        calls: the calls of one message.
        id_prefix: what stands before the index in the id of a call that has none; None: the id is
            made from the call's place and text.
    """
    return [
        {
            "name": call.name,
            "args": call.raw_arguments,
            "id": identity,
            "error": _why_not(call),
            "type": "invalid_tool_call",
        }
        for call, identity in with_ids(calls, id_prefix)
        if not call.executable
    ]


def _why_not(call: ToolCall) -> str:
    """Gives the reason why a call is not executable."""
    if call.error is not None:
        return call.error
    doubts = [f"doubtful: {', '.join(call.doubts)}"] if call.doubts else []
    return "; ".join([*([] if call.status in {"complete", "repaired"} else [call.status]), *doubts])


def from_tool_calls(tool_calls: Iterable[object] | None) -> list[ToolCall]:
    """Returns the calls of an `AIMessage`'s `tool_calls` or `invalid_tool_calls`.

    Raises:
        TypeError: one of them is no dict.
        KeyError: one of them has no name.
    """
    return [_from_tool_call(plain(tool_call)) for tool_call in tool_calls or ()]


def _from_tool_call(tool_call: Mapping[str, Any]) -> ToolCall:
    name, identity = tool_call["name"] or "", tool_call.get("id") or None
    arguments, error = tool_call.get("args"), tool_call.get("error")
    if isinstance(arguments, dict):
        return ToolCall(name, dict(arguments), id=identity)
    call = read_call(name, arguments or "", identity)
    if error is None:
        return call
    return replace(call, arguments={}, status="unreadable", error=str(error))


def to_message(result: ParseResult, *, id_prefix: str | None = None) -> dict[str, Any]:
    """Returns what was read as the fields of an `AIMessage`.

    `AIMessage(**message)` and `convert_to_messages([message])` take it.

    Args:
        result: the message as it was parsed.
        id_prefix: what stands before the index in the id of a call that has none; None: the id is
            made from the call's place and text.
    """
    message: dict[str, Any] = {
        "type": "ai",
        "content": result.text,
        "tool_calls": to_tool_calls(result.calls, id_prefix=id_prefix),
    }
    invalid = to_invalid_tool_calls(result.calls, id_prefix=id_prefix)
    if invalid:
        message["invalid_tool_calls"] = invalid
    if result.reasoning:
        message["additional_kwargs"] = {"reasoning_content": result.reasoning}
    return message


@overload
def to_stream(
    events: AsyncIterable[Event], *, id_prefix: str | None = None
) -> AsyncIterator[dict[str, Any]]: ...


@overload
def to_stream(
    events: Iterable[Event], *, id_prefix: str | None = None
) -> Iterator[dict[str, Any]]: ...


def to_stream(
    events: Iterable[Event] | AsyncIterable[Event], *, id_prefix: str | None = None
) -> Iterator[dict[str, Any]] | AsyncIterator[dict[str, Any]]:
    """Returns the events of a parser as the fields of `AIMessageChunk`s, which add up.

    A call's id goes out with its start. One that the model writes after the arguments comes too
    late for that: such a call keeps the generated id here. The last bracket of the arguments goes
    out when the call has ended; that of a call that is not executable is of the wrong kind, so that
    the chunks add up to an invalid call: LangChain would put in one that is missing.

    Args:
        events: the events of one message; an async iterable gives an async iterator.
        id_prefix: what stands before the index in the id of a call that has none; None: the id is
            made from its place and the text before it.
    """
    return translated(_Chunks(id_prefix), events)


class _Chunks:
    """Turns events into chunks."""

    def __init__(self, id_prefix: str | None) -> None:
        self._ids = ArrivingIds(id_prefix)
        self._withheld = Withheld()

    def feed(self, item: Event) -> list[dict[str, Any]]:
        self._ids.see(item)
        match item:
            case TextDelta(text):
                return [_chunk(text)]
            case ReasoningDelta(text):
                return [{**_chunk(), "additional_kwargs": {"reasoning_content": text}}]
            case CallStart(index, name, identity):
                return [_call_chunk(index, "", name, self._ids.next(identity, index, name))]
            case ArgumentsDelta(index, json):
                out = self._withheld.add(index, json)
                return [_call_chunk(index, out)] if out else []
            case InputDelta(index):
                self._withheld.see_text(index)
                return []
            case CallEnd(index, call):
                rest = self._rest(index, call)
                return [_call_chunk(index, rest)] if rest else []
            case Problem():
                return []
            case _:
                assert_never(item)

    def _rest(self, index: int, call: ToolCall) -> str:
        """Gives the end of the arguments, which shows whether they may be run."""
        if call.executable:
            return self._withheld.end(index, call)
        if self._withheld.begun(index):
            return "]"
        raw = call.raw_arguments.strip()
        return "{]" if not raw or raw.startswith("{") else raw

    def close(self) -> list[dict[str, Any]]:
        return [{**_chunk(), "chunk_position": "last"}]


def _chunk(content: str = "") -> dict[str, Any]:
    return {"type": "AIMessageChunk", "content": content}


def _call_chunk(
    index: int, json: str, name: str | None = None, identity: str | None = None
) -> dict[str, Any]:
    piece = {"name": name, "args": json, "id": identity, "index": index}
    return {**_chunk(), "tool_call_chunks": [{**piece, "type": "tool_call_chunk"}]}


@overload
def from_stream(chunks: AsyncIterable[object]) -> AsyncIterator[Event]: ...


@overload
def from_stream(chunks: Iterable[object]) -> Iterator[Event]: ...


def from_stream(
    chunks: Iterable[object] | AsyncIterable[object],
) -> Iterator[Event] | AsyncIterator[Event]:
    """Returns the chunks of a streamed message as events.

    Args:
        chunks: `AIMessageChunk`s, or their fields as dicts; an async iterable gives an async
            iterator.
    """
    return translated(_Events(), chunks)


class _Events:
    """Turns chunks into events."""

    def __init__(self) -> None:
        self._pieces = Pieces()

    def feed(self, item: object) -> list[Event]:
        chunk = plain(item)
        events: list[Event] = []
        reasoning = (chunk.get("additional_kwargs") or {}).get("reasoning_content")
        if reasoning:
            events.append(ReasoningDelta(reasoning))
        text = _text_of(chunk.get("content"))
        if text:
            events.append(TextDelta(text))
        for piece in chunk.get("tool_call_chunks") or ():
            events += self._piece(piece)
        metadata = chunk.get("response_metadata") or {}
        reason = metadata.get("finish_reason") or metadata.get("stop_reason")
        if isinstance(reason, str):
            events += self._pieces.end_all(reason)
        return events

    def close(self) -> list[Event]:
        return self._pieces.end_all()

    def _piece(self, piece: Mapping[str, Any]) -> list[Event]:
        key = piece.get("index")
        name, identity = piece.get("name"), piece.get("id") or None
        events: list[Event] = []
        if self._pieces.is_another(key, name, identity):
            events += self._pieces.end(key)
        if key not in self._pieces:
            if not name:
                return []
            events += self._pieces.end_whole()
            events += self._pieces.start(key, name, identity)
        return events + self._pieces.add(key, piece.get("args") or "")


def _text_of(content: object) -> str:
    """Gives the text of a content, which is one text or a list of texts and blocks."""
    if isinstance(content, str):
        return content
    parts = content if isinstance(content, list) else []
    return "".join(
        part if isinstance(part, str) else str(part.get("text") or "")
        for part in parts
        if isinstance(part, str) or part.get("type") == "text"
    )
