"""Converts calls, messages and streams to and from the shapes of LangChain.

A call becomes `{"name": "get_weather", "args": {"city": "Oslo"}, "id": …, "type": "tool_call"}`.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Final

from toolgrammar.interop.exchange import (
    Withheld,
    arguments_of,
    call_with,
    key_of,
    lost_call,
    mapping_of,
    name_in,
    plain,
    string_of,
    text_of,
    with_ids,
    written_json,
)
from toolgrammar.interop.handed_in import check_result, given_calls, keys_of, no_event
from toolgrammar.interop.native.read_events import read_events
from toolgrammar.interop.streaming import both_ways, read_both_ways, read_stream, translated
from toolgrammar.parsing.call_ids import ArrivingIds
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
    from collections.abc import AsyncIterable, AsyncIterator, Iterable, Iterator

    from toolgrammar.catalogue.registry import FormatsLike
    from toolgrammar.interop.pieces import AnyPieces
    from toolgrammar.interop.streaming import AsyncReadStream, ReadStream
    from toolgrammar.values.calls import ParseResult, ToolCall

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
        id_prefix: the text before the index in the generated id of a call; None: the id is
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
        # Agents run all `tool_calls`, so calls that may not run are `invalid_tool_calls`.
        if call.executable
    ]


def to_invalid_tool_calls(
    calls: Iterable[ToolCall], *, id_prefix: str | None = None
) -> list[dict[str, Any]]:
    """Returns the calls that are not executable as the `invalid_tool_calls` of an `AIMessage`.

    Args:
        calls: the calls of one message.
        id_prefix: the text before the index in the generated id of a call; None: the id is
            made from the call's place and text.
    """
    return [
        {
            "name": call.name,
            # The text itself, which is what LangChain has for arguments that could not be read.
            "args": call.raw_arguments,
            "id": identity,
            "error": _why_not(call),
            "type": "invalid_tool_call",
        }
        for call, identity in with_ids(calls, id_prefix)
        if not call.executable
    ]


def _why_not(call: ToolCall) -> str:
    """Returns the reason why a call is not executable."""
    if call.error is not None:
        return call.error
    # Without an error, a status or doubts keep the call from being executable.
    doubts = [f"doubtful: {', '.join(call.doubts)}"] if call.doubts else []
    return "; ".join([*([] if call.status in {"complete", "repaired"} else [call.status]), *doubts])


def from_tool_calls(tool_calls: Iterable[object] | None) -> list[ToolCall]:
    """Returns the calls of an `AIMessage`'s `tool_calls` or `invalid_tool_calls`.

    Raises:
        TypeError: one of them is not a dict.
        KeyError: one of them has no name.
    """
    return [_from_tool_call(plain(tool_call)) for tool_call in given_calls(tool_calls)]


def _from_tool_call(tool_call: Mapping[str, Any]) -> ToolCall:
    name = tool_call.get("name")
    # An invalid call may have None there.
    if "name" not in tool_call or not isinstance(name, str | None):
        raise KeyError(f"a tool call has its name under name; this one has {keys_of(tool_call)}")
    # The `args` are a dict in `tool_calls` and a text in `invalid_tool_calls`.
    arguments, error = tool_call.get("args"), tool_call.get("error")
    call = call_with(name or "", arguments, tool_call.get("id"))
    if error is None:
        return call
    # Whatever the text reads as: LangChain said that the call is not to be run.
    return replace(call, arguments={}, status="unreadable", error=str(error))


def to_message(result: ParseResult, *, id_prefix: str | None = None) -> dict[str, Any]:
    """Returns what was read as the fields of an `AIMessage`.

    `AIMessage(**message)` and `convert_to_messages([message])` take it.

    Args:
        result: the message as it was parsed.
        id_prefix: the text before the index in the generated id of a call; None: the id is
            made from the call's place and text.

    Raises:
        TypeError: `result` is not a ParseResult.
    """
    check_result(result)
    message: dict[str, Any] = {
        "type": "ai",
        "content": result.text,
        "tool_calls": to_tool_calls(result.calls, id_prefix=id_prefix),
    }
    invalid = to_invalid_tool_calls(result.calls, id_prefix=id_prefix)
    if invalid:
        message["invalid_tool_calls"] = invalid
    if result.reasoning:
        # Where LangChain's own integrations put the reasoning of open models.
        message["additional_kwargs"] = {"reasoning_content": result.reasoning}
    return message


@both_ways
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
        id_prefix: the text before the index in the generated id of a call; None: the id is
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
                # A text is not JSON: it goes out at the end of the call, as an argument.
                self._withheld.see_text(index)
                return []
            case CallEnd(index, call):
                rest = self._rest(index, call)
                return [_call_chunk(index, rest)] if rest else []
            case Problem():
                return []
            case _:
                raise no_event(item)

    def _rest(self, index: int, call: ToolCall) -> str:
        """Returns the end of the arguments, which shows whether they may be run."""
        if call.executable:
            return self._withheld.end(index, call)
        # LangChain inserts brackets that are missing; one of the wrong kind it can't mend.
        if self._withheld.begun(index):
            return "]"
        # Nothing went out yet. A text that begins as an object could be completed to one, so it is
        # omitted; any other text may be shown as it is.
        raw = call.raw_arguments.strip()
        return "{]" if not raw or raw.startswith("{") else raw

    def close(self) -> list[dict[str, Any]]:
        # By this LangChain knows that the message is whole.
        return [{**_chunk(), "chunk_position": "last"}]


def _chunk(content: str = "") -> dict[str, Any]:
    return {"type": "AIMessageChunk", "content": content}


def _call_chunk(
    index: int, json: str, name: str | None = None, identity: str | None = None
) -> dict[str, Any]:
    piece = {"name": name, "args": json, "id": identity, "index": index}
    return {**_chunk(), "tool_call_chunks": [{**piece, "type": "tool_call_chunk"}]}


@read_both_ways
def from_stream(
    chunks: Iterable[object] | AsyncIterable[object],
    *,
    repair: bool = False,
    format: FormatsLike | None = None,
    tools: Iterable[object] | None = None,
) -> ReadStream[Event] | AsyncReadStream[Event]:
    """Returns the chunks of a streamed message as events.

    What comes back has `finish_reason` and, at the end, the message as `result`.

    Args:
        chunks: `AIMessageChunk`s, or their fields as dicts; an async iterable gives an async
            iterator.
        repair: whether broken calls are repaired; the deltas of their arguments are strict JSON
            then.
        format: with `repair`, the format in which calls may stand in the text.
        tools: with `repair`, the tools that the model had.
    """
    # Not every provider says why it stopped.
    events = read_events(_Events, repair=repair, format=format, tools=tools, names_reason=False)
    return read_stream(events, chunks)


_REASONS: Final = ("finish_reason", "stop_reason", "done_reason", "stopReason")
"""The keys of OpenAI and Google, Anthropic, Ollama, and Bedrock."""


def finish_reason_of(metadata: Mapping[str, Any]) -> str | None:
    """Returns why the server stopped, as the metadata of a message says it; None if they do not."""
    found = (metadata[key] for key in _REASONS if metadata.get(key))
    return next((reason for reason in found if isinstance(reason, str)), None)


class _Events:
    """Turns chunks into events."""

    def __init__(self, pieces: AnyPieces) -> None:
        self._pieces = pieces
        self.finish_reason: str | None = None
        """Why the server stopped, once it said so."""
        self.ended_texts = 0
        """The number of texts that have ended, in chunks with content blocks of Anthropic's API."""
        self._block = 0

    def feed(self, item: object) -> list[Event]:
        chunk = plain(item)
        events: list[Event] = []
        self._see_blocks(chunk.get("content"))
        reasoning = mapping_of(chunk.get("additional_kwargs")).get("reasoning_content")
        if reasoning:
            events.append(ReasoningDelta(string_of(reasoning)))
        if text := text_of(chunk.get("content")):
            events.append(TextDelta(text))
        calls = chunk.get("tool_call_chunks") or []
        for piece in calls if isinstance(calls, list) else [calls]:
            events += self._piece(piece)
        reason = finish_reason_of(mapping_of(chunk.get("response_metadata")))
        if reason is not None:
            self.finish_reason = reason
            events += self._pieces.end_all(reason)
        return events

    def _piece(self, piece: object) -> list[Event]:
        """Reads a piece of a call."""
        if not isinstance(piece, Mapping):
            return [lost_call(piece)]
        # A provider without indexes has one key, None, for all its calls.
        key = key_of(piece.get("index"))
        name, told = name_in(piece)
        identity = string_of(piece.get("id")) or None
        # Of an open call the name is known.
        events = [] if key in self._pieces else told
        arguments = written_json(piece.get("args"))
        return events + self._pieces.piece(key, name or None, identity, arguments)

    def _see_blocks(self, content: object) -> None:
        """Counts a text behind another block than a text: blocks are numbered, and none is skipped."""
        for block in content if isinstance(content, list) else ():
            place = mapping_of(block).get("index")
            if mapping_of(block).get("type") == "text" and isinstance(place, int):
                self.ended_texts += place > self._block + 1
                self._block = place

    def close(self) -> list[Event]:
        return self._pieces.end_all()
