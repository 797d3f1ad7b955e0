"""Converts calls, messages and streams to and from the shapes of OpenAI's chat completions.

A call becomes `{"id": …, "type": "function", "function": {"name": "get_weather", "arguments":
…}}`, with the arguments as JSON text.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from toolgrammar.interop.exchange import (
    Cut,
    Message,
    Withheld,
    call_with,
    lost_call,
    mapping_of,
    name_in,
    plain,
    server_problem,
    string_of,
    text_of,
    with_ids,
    written_arguments,
    written_json,
)
from toolgrammar.interop.handed_in import (
    check_reasoning_key,
    check_result,
    given_calls,
    keys_of,
    no_event,
)
from toolgrammar.interop.native.read_events import read_events
from toolgrammar.interop.openai.responses import ResponsesEvents, is_responses_event
from toolgrammar.interop.streaming import both_ways, read_both_ways, read_stream, translated
from toolgrammar.parsing.call_ids import ArrivingIds, check_id_prefix
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

if TYPE_CHECKING:
    from collections.abc import AsyncIterable, AsyncIterator, Iterable, Iterator

    from toolgrammar.catalogue.registry import FormatsLike
    from toolgrammar.interop.pieces import AnyPieces
    from toolgrammar.interop.streaming import AsyncReadStream, ReadStream
    from toolgrammar.values.calls import ParseResult

__all__ = [
    "from_stream",
    "from_tool_calls",
    "to_message",
    "to_stream",
    "to_tool_calls",
]

REASONING_KEYS = ("reasoning_content", "reasoning")
"""The keys under which servers of open models send reasoning; OpenAI's own API has none."""

REASONS = frozenset({"stop", "length", "content_filter"})
"""Why an answer without calls ends, in the API's words."""


def to_tool_calls(
    calls: Iterable[ToolCall], *, id_prefix: str | None = None
) -> list[dict[str, Any]]:
    """Returns calls as the `tool_calls` of an assistant message.

    The text of a free-text call becomes the argument `input`. The `arguments` of
    a call that is not executable are no JSON object, as those that the API itself has cut:
    `from_tool_calls` gives such a call back as `unreadable`.

    Args:
        calls: the calls of one message.
        id_prefix: the text before the index in the generated id of a call; None: the id is
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
    return [_from_tool_call(plain(tool_call)) for tool_call in given_calls(tool_calls)]


def _from_tool_call(tool_call: Mapping[str, Any]) -> ToolCall:
    identity = string_of(tool_call.get("id")) or None
    custom = tool_call.get("custom")
    # A custom tool takes a text in place of arguments.
    if isinstance(custom, Mapping) and isinstance(custom.get("name"), str):
        text = string_of(custom.get("input"))
        return ToolCall(custom["name"], {}, id=identity, input=text, raw_arguments=text)
    function = tool_call.get("function")
    name = function.get("name") if isinstance(function, Mapping) else None
    # A call in the shape of another API, say: the error names the keys that it has instead.
    if not isinstance(function, Mapping) or not isinstance(name, str):
        found = keys_of(tool_call)
        raise KeyError(f"a tool call has its name under function.name; this one has {found}")
    return call_with(name, function.get("arguments"), identity)


def to_message(
    result: ParseResult, *, id_prefix: str | None = None, reasoning_key: str | None = None
) -> Message:
    """Returns what was read as an assistant message.

    Args:
        result: the message as it was parsed.
        id_prefix: the text before the index in the generated id of a call; None: the id is
            made from the call's place and text.
        reasoning_key: the key for the reasoning, such as `reasoning_content`; None leaves it out.

    Raises:
        TypeError: `result` is not a ParseResult.
    """
    check_result(result)
    check_id_prefix(id_prefix)
    check_reasoning_key(reasoning_key)
    # With calls the API has None if there is no text.
    message: dict[str, Any] = {"role": "assistant", "content": result.text or None}
    if reasoning_key is not None and result.reasoning:
        message[reasoning_key] = result.reasoning
    if result.calls:
        message["tool_calls"] = to_tool_calls(result.calls, id_prefix=id_prefix)
    elif message["content"] is None:
        # Without calls the API wants a text, be it empty.
        message["content"] = ""
    return message


@both_ways
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
        id_prefix: the text before the index in the generated id of a call; None: the id is
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
    return translated(ChunkWriter(head, id_prefix, reasoning_key, finish_reason), events)


class ChunkWriter:
    """Turns events into chunks."""

    def __init__(
        self,
        head: dict[str, Any],
        id_prefix: str | None,
        reasoning_key: str | None,
        finish_reason: str | None = None,
    ) -> None:
        self._head = head
        self._deltas = DeltaWriter(id_prefix, string_of(head["id"]), reasoning_key)
        self._finish_reason = finish_reason
        self._begun = False
        self._cut = Cut()

    def feed(self, item: Event) -> list[dict[str, Any]]:
        self._cut.see(item)
        delta = self._deltas.delta(item)
        return [] if delta is None else [*self._opening(), self._chunk(delta)]

    def close(self, finish_reason: str | None = None) -> list[dict[str, Any]]:
        reason = finish_reason or self._finish_reason or reason_of(self._cut)
        return [*self._opening(), self._chunk({}, reason)]

    def other(self, delta: dict[str, Any]) -> list[dict[str, Any]]:
        """Returns a chunk with what no event says."""
        return [*self._opening(), self._chunk(delta)]

    def _opening(self) -> list[dict[str, Any]]:
        if self._begun:
            return []
        self._begun = True
        # The first chunk says who speaks, as the API's own does.
        return [self._chunk({"role": "assistant", "content": ""})]

    def _chunk(self, delta: dict[str, Any], finish_reason: str | None = None) -> dict[str, Any]:
        choice = {"index": 0, "delta": delta, "logprobs": None, "finish_reason": finish_reason}
        return {**self._head, "choices": [choice]}


def reason_of(message: Cut) -> str:
    """Returns why a message ended, as its calls tell: one that ends inside a call was cut."""
    return "length" if message.is_cut else "tool_calls" if message.calls else "stop"


class DeltaWriter:
    """Turns events into the deltas of chunks."""

    def __init__(self, id_prefix: str | None, seed: str, reasoning_key: str | None) -> None:
        check_reasoning_key(reasoning_key)
        self._ids = ArrivingIds(id_prefix, seed)
        self._reasoning_key = reasoning_key
        self._withheld = Withheld()

    def delta(self, event: Event) -> dict[str, Any] | None:
        """Returns what an event becomes; None where nothing goes out for it."""
        self._ids.see(event)
        match event:
            case TextDelta(text):
                return {"content": text}
            case ReasoningDelta(text):
                # OpenAI's own API has no key for it, and clients may refuse one that they do not
                # know.
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
                # A text is not JSON: it goes out at the end of the call, as an argument.
                self._withheld.see_text(index)
                return None
            case CallEnd(index, call):
                return _arguments(index, self._withheld.end(index, call))
            case Problem():
                return None
            case _:
                raise no_event(event)


def _arguments(index: int, json: str) -> dict[str, Any] | None:
    if not json:
        return None
    return {"tool_calls": [{"index": index, "function": {"arguments": json}}]}


@read_both_ways
def from_stream(
    chunks: Iterable[object] | AsyncIterable[object],
    *,
    repair: bool = False,
    format: FormatsLike | None = None,
    tools: Iterable[object] | None = None,
) -> ReadStream[Event] | AsyncReadStream[Event]:
    """Returns the chunks of a streamed completion as events; of several choices the first.

    The events of the Responses API are taken, too. Arguments that are almost JSON, of a call that
    the server calls whole, are mended. An error that it sends in place of the rest is a `Problem`.
    What comes back has `finish_reason` and, at the end, the message as `result`.

    Args:
        chunks: dicts, or the models of the openai package; an async iterable gives an async
            iterator.
        repair: whether broken calls are repaired as by `repair_stream`; the deltas of their
            arguments are strict JSON then.
        format: with `repair`, the format in which calls may stand in the text.
        tools: with `repair`, the tools that the model had.
    """
    return read_stream(read_events(ChunkReader, repair=repair, format=format, tools=tools), chunks)


class ChunkReader:
    """Turns chunks into events."""

    def __init__(self, pieces: AnyPieces) -> None:
        self._pieces = pieces
        # The pieces are shared, so that calls of both kinds of chunk are counted together.
        self._responses = ResponsesEvents(pieces)
        self._reason: str | None = None

    @property
    def finish_reason(self) -> str | None:
        """Why the server stopped, once it said so."""
        return self._reason or self._responses.finish_reason

    @property
    def ended_texts(self) -> int:
        """The number of texts that have ended; the whole content of a completion is one."""
        return self._responses.ended_texts

    def feed(self, item: object) -> list[Event]:
        chunk = plain(item)
        if is_responses_event(chunk):
            return self._responses.feed(chunk)
        if chunk.get("error"):
            # An error ends the answer as a limit does: open calls count as cut off.
            self._reason = self._reason or "error"
            return [*self._pieces.end_all("length"), server_problem(chunk["error"])]
        return [event for choice in first_choices(chunk) for event in self._choice(choice)]

    def close(self) -> list[Event]:
        return [*self._pieces.end_all(), *self._responses.close()]

    def _choice(self, choice: Mapping[str, Any]) -> list[Event]:
        delta = delta_of(choice)
        events: list[Event] = []
        # One server, one key; a chunk has its reasoning once.
        reasoning = next((delta[key] for key in REASONING_KEYS if delta.get(key)), None)
        if isinstance(reasoning, str):
            events.append(ReasoningDelta(reasoning))
        if text := text_of(delta.get("content")):
            events.append(TextDelta(text))
        calls = delta.get("tool_calls") or []
        for piece in calls if isinstance(calls, list) else [calls]:
            events += self._piece(piece)
        # The one call of the API before it had many.
        if isinstance(delta.get("function_call"), Mapping):
            events += self._piece({"index": "function_call", "function": delta["function_call"]})
        # With the last piece, or in a chunk of its own.
        reason = choice.get("finish_reason")
        if reason and isinstance(reason, str):
            self._reason = reason
            events += self._pieces.end_all(reason)
        return events

    def _piece(self, piece: object) -> list[Event]:
        """Reads a piece of a call."""
        if not isinstance(piece, Mapping):
            return [lost_call(piece)]
        # Some servers leave the `function` around name and arguments out.
        inner = piece.get("function")
        function = inner if isinstance(inner, Mapping) else piece
        # Servers that never send two calls leave the index out.
        index = piece.get("index")
        key = index if isinstance(index, int | str) else 0
        name, told = name_in(function)
        identity = string_of(piece.get("id")) or None
        # Of an open call the name is known.
        events = [] if key in self._pieces else told
        arguments = written_json(function.get("arguments"))
        return events + self._pieces.piece(key, name or None, identity, arguments)


def first_choices(chunk: Mapping[str, Any]) -> list[Mapping[str, Any]]:
    """Returns what a chunk holds of the first choice: another choice would be another message."""
    choices = chunk.get("choices")
    found = [mapping_of(each) for each in (choices if isinstance(choices, list) else ())]
    # Servers that know one choice alone may leave its index out.
    return [each for each in found if (each.get("index") or 0) == 0]


def delta_of(choice: Mapping[str, Any]) -> Mapping[str, Any]:
    """Returns what a choice brings; some servers stream one whole message."""
    return mapping_of(choice.get("delta") or choice.get("message"))
