"""Repairs completions whose calls are broken, or were left in the text.

A chunk whose call has the arguments `{'city': 'Oslo',}` becomes one with `{"city": "Oslo"}`.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from functools import cached_property
from types import NoneType
from typing import TYPE_CHECKING, Any, Final

from toolgrammar.interop.exchange import mapping_of, plain, string_of
from toolgrammar.interop.handed_in import check_reasoning_key
from toolgrammar.interop.native.read_events import read_events
from toolgrammar.interop.native.repaired import RepairedMessage, RepairedStream, written
from toolgrammar.interop.openai.repaired_responses import ResponseWriter, response_events
from toolgrammar.interop.openai.responses import is_responses_event
from toolgrammar.interop.openai.shapes import (
    REASONING_KEYS,
    REASONS,
    ChunkReader,
    ChunkWriter,
    delta_of,
    first_choices,
    to_message,
)
from toolgrammar.interop.streaming import read_both_ways, read_stream
from toolgrammar.parsing.call_ids import check_id_prefix
from toolgrammar.values.errors import check_type

if TYPE_CHECKING:
    from collections.abc import AsyncIterable, Iterable

    from toolgrammar.catalogue.registry import FormatsLike
    from toolgrammar.interop.native.read_events import ReadEvents
    from toolgrammar.interop.streaming import AsyncReadStream, ReadStream
    from toolgrammar.values.events import Event

# The keys that every chunk of a completion repeats.
_KEPT: Final = ("id", "object", "created", "model", "system_fingerprint", "service_tier")
# What the events of a chunk say; all else of a delta goes through as it is.
_READ: Final = {"role", "content", "tool_calls", "function_call", *REASONING_KEYS}


def _own_calls(given: Mapping[str, Any]) -> list[Any]:
    """Returns the native calls of a message as dicts, where they are any."""
    own = given.get("tool_calls") or []
    # What a server writes there may be anything: what is not a call is told as such.
    own = list(own) if isinstance(own, list | tuple) else [own]
    return [plain(each) if hasattr(each, "model_dump") else each for each in own]


def repair_message(
    message: object,
    format: FormatsLike | None = "auto",
    tools: Iterable[object] | None = None,
    *,
    finish_reason: str | None = None,
    id_prefix: str | None = None,
    reasoning_key: str = "reasoning_content",
) -> RepairedMessage:
    """Returns a message with its calls repaired, and with those that its content holds as text.

    One with nothing to repair comes back as it is. What was read and what was wrong is the
    `result` of what comes back.

    Args:
        message: a dict, or the message of the openai package.
        format: in which format the model writes calls; None leaves the content alone.
        tools: the tools that the model had: their names and schemas guide the repairs.
        finish_reason: why the server stopped.
        id_prefix: the text before the index in the generated id of a call; None: made from the
            call's place and text.
        reasoning_key: under which key reasoning goes that is found in the content.

    Raises:
        TypeError: it is not a message, but a whole completion say, or `finish_reason` is no text.
    """
    check_type("finish_reason", finish_reason, (str, NoneType))
    check_id_prefix(id_prefix)
    check_reasoning_key(reasoning_key)
    # The models of the openai package dump keys that are None.
    given = {key: part for key, part in plain(message).items() if part is not None}
    _refuse_completion(given, "openai.repair_message(response.choices[0].message)")
    content, calls = given.get("content"), _own_calls(given)
    # Custom tools take a text, in which nothing is to be repaired.
    custom = [each for each in calls if mapping_of(each).get("custom") is not None]
    pieces = [
        {**each, "index": index} if isinstance(each, Mapping) else each
        for index, each in enumerate(calls)
        if each not in custom
    ]
    events = read_events(ChunkReader, repair=True, format=format, tools=tools)
    for chunk in _chunks_of(given, pieces, finish_reason or "stop"):
        events.feed(chunk)
    events.close()
    result = events.result
    own = next((given[key] for key in REASONING_KEYS if given.get(key)), "")
    reasoning = f"{string_of(own).strip()}\n{result.reasoning}".strip()
    whole = replace(result, reasoning=reasoning)
    if not (events.repaired or any(map(_is_odd, pieces))):
        # The content is None beside calls that the server did read.
        none = {} if isinstance(content, str) else {"content": None}
        return RepairedMessage({**none, **given}, whole)
    read = to_message(result, id_prefix=id_prefix, reasoning_key=reasoning_key)
    # What was read takes the place of content and calls; all other keys stay.
    if custom:
        read["tool_calls"] = [*custom, *read.get("tool_calls", ())]
    rest = {key: part for key, part in given.items() if key not in {*read, *_READ} - {"role"}}
    kept = {key: given[key] for key in REASONING_KEYS if key in given and key not in read}
    return RepairedMessage({**read, **rest, **kept}, whole)


def _is_odd(call: object) -> bool:
    """Whether a call is written as no client reads it, though nothing is wrong with what it says.

    Some servers have an object in place of its JSON text, or no `function` around it.
    """
    return not isinstance(mapping_of(mapping_of(call).get("function")).get("arguments"), str)


def _chunks_of(given: Mapping[str, Any], calls: list[Any], reason: str) -> list[dict[str, Any]]:
    """Returns the chunks in which a message would be streamed, its calls before its content."""
    chunks = [{"error": given["error"]}] if given.get("error") else []
    deltas: list[dict[str, Any]] = [{"tool_calls": [each]} for each in calls]
    if given.get("function_call"):
        deltas.append({"function_call": given["function_call"]})
    for number, delta in enumerate(deltas, 1):
        # Each call is over before the next begins: only the last can have been cut.
        over = reason if number == len(deltas) else "tool_calls"
        chunks.append({"choices": [{"delta": delta, "finish_reason": over}]})
    # A content of parts is a user's.
    content = given.get("content")
    said = {"content": content if isinstance(content, str) else None}
    return [*chunks, {"choices": [{"delta": said, "finish_reason": reason}]}]


def repair_response(
    response: object,
    format: FormatsLike | None = "auto",
    tools: Iterable[object] | None = None,
    *,
    id_prefix: str | None = None,
) -> RepairedMessage:
    """Returns a response of the Responses API with its calls repaired, those in its texts too.

    One with nothing to repair comes back as it is; else calls that were found are its last items.

    Args:
        response: a dict, or the response of the openai package.
        format: in which format the model writes calls; None leaves the texts alone.
        tools: the tools that the model had: their names and schemas guide the repairs.
        id_prefix: the text before the index in the generated id of a call; None: made from the
            call's place and text.

    Raises:
        TypeError: it is not a response, but a completion of chat say.
    """
    given = dict(plain(response))
    _refuse_completion(given, "openai.repair_message(response.choices[0].message)")
    events = read_events(ChunkReader, repair=True, format=format, tools=tools)
    repaired = _Repaired(events, id_prefix, "")
    for chunk in response_events(given):
        repaired.feed(chunk)
    out = repaired.close()
    items = given.get("output")
    # An object in place of its JSON text, as some servers have it.
    odd = any(
        isinstance(mapping_of(each).get("arguments"), Mapping)
        for each in (items if isinstance(items, list) else ())
    )
    found = out[-1]["response"] if events.repaired or odd else given
    return RepairedMessage(found, events.result)


def _refuse_completion(given: Mapping[str, Any], instead: str) -> None:
    """Refuses a whole completion: nothing would be found in it, without an error."""
    if isinstance(given.get("choices"), list | tuple):
        raise TypeError(f"got a chat completion: give response.choices[0].message, as in {instead}")


@read_both_ways
def repair_stream(
    chunks: Iterable[object] | AsyncIterable[object],
    format: FormatsLike | None = "auto",
    tools: Iterable[object] | None = None,
    *,
    id_prefix: str | None = None,
    reasoning_key: str = "reasoning_content",
) -> ReadStream[dict[str, Any]] | AsyncReadStream[dict[str, Any]]:
    """Returns the chunks of a completion with its calls repaired, those in its content too.

    The events of the Responses API are taken and given alike.

    The reason of its end becomes `tool_calls` where there are calls, unless the server cut it.
    Chunks of usage and errors go through as they are; of several choices the first is left. What
    comes back has, at the end, the message as `result`, with all that was wrong.

    Args:
        chunks: dicts, or the chunks of the openai package.
        format: in which format the model writes calls; None leaves the content alone.
        tools: the tools that the model had: their names and schemas guide the repairs.
        id_prefix: as for `to_stream`.
        reasoning_key: under which key reasoning goes.
    """
    events = read_events(ChunkReader, repair=True, format=format, tools=tools)
    return read_stream(_Repaired(events, id_prefix, reasoning_key), chunks)


class _Repaired(RepairedStream):
    """Turns their chunks into chunks with repaired calls."""

    def __init__(self, events: ReadEvents, id_prefix: str | None, reasoning_key: str) -> None:
        super().__init__(events)
        # The first chunk says what the others are called; what a server leaves out is added.
        self._head: dict[str, Any] = {
            "id": "",
            "object": "chat.completion.chunk",
            "created": 0,
            "model": "",
        }
        check_id_prefix(id_prefix)
        check_reasoning_key(reasoning_key)
        self._options = id_prefix, reasoning_key
        self._begun = False
        # Made at the first event of the Responses API: then there are no chunks.
        self._response: ResponseWriter | None = None
        self._usage: object = None
        self._behind: list[dict[str, Any]] = []

    @cached_property
    def _writer(self) -> ChunkWriter:
        # Made late: its chunks are named after the first one.
        return ChunkWriter(self._head, *self._options)

    def chunk(self, chunk: Mapping[str, Any], events: list[Event]) -> list[dict[str, Any]]:
        if self._response is None and not self._begun and is_responses_event(chunk):
            self._response = ResponseWriter(self._options[0])
        if self._response is not None:
            return self._response.chunk(chunk, events)
        if not self._begun and not chunk.get("error"):
            self._begun = True
            self._head |= {key: chunk[key] for key in _KEPT if chunk.get(key) is not None}
        # What the error cut goes out before it.
        out = written(events, self._writer)
        if chunk.get("error"):
            # A client that gets it raises: an end of its own would make an answer of it.
            self.failed = self.failed or self.finish_reason == "error"
            return [*out, dict(chunk)]
        # Usage comes after the last choice: it goes out after the chunk that ends the message.
        if not chunk.get("choices"):
            self._behind.append(dict(chunk))
        else:
            self._usage = chunk.get("usage") or self._usage
        return [*out, *self._others(chunk)]

    def _others(self, chunk: Mapping[str, Any]) -> list[dict[str, Any]]:
        """Returns what a chunk says that no event does, a refusal say."""
        others = {
            key: part
            for choice in first_choices(chunk)
            for key, part in delta_of(choice).items()
            if key not in _READ and part is not None
        }
        return self._writer.other(others) if others else []

    def end(self, events: list[Event]) -> list[dict[str, Any]]:
        if self._response is not None:
            return self._response.close(events)
        out = written(events, self._writer)
        if not self.failed:
            out += self._writer.close(self.end_reason(REASONS, "length"))
            # Some servers count with each chunk, and send none of its own for it.
            if self._usage and not self._behind:
                out[-1]["usage"] = self._usage
        return [*out, *self._behind]
