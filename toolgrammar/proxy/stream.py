"""Rewrites a streamed answer chunk by chunk; chunks without changes are passed on as they are.

Example: `data: {"choices": [{"index": 0, "delta": {"content": "Hi"}}]}` stays the same bytes; an
event whose text ends a call becomes an event with `tool_calls`.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any, Final, cast

from toolgrammar.interop.exchange import plain
from toolgrammar.interop.streaming import both_ways, translated
from toolgrammar.proxy.answer import Reading, Report, reading_of
from toolgrammar.proxy.bodies import error_body, to_bytes
from toolgrammar.proxy.choices import Choice, StreamedChoice, index_of
from toolgrammar.proxy.sse import DONE, Events, data_of
from toolgrammar.values.errors import check_type

if TYPE_CHECKING:
    from collections.abc import AsyncIterable, AsyncIterator, Iterable, Iterator, Mapping

    from toolgrammar.catalogue.registry import FormatsLike
    from toolgrammar.salvage.policy import SalvagePolicy

Chunk = dict[str, Any]
_HEAD: Final = (
    "id", "object", "created", "model", "system_fingerprint", "service_tier", "obfuscation",
)  # fmt: skip
"""The keys that every chunk of a completion repeats: they alone are no reason to keep a chunk."""
TOO_LONG: Final = "upstream_too_long"
"""The code of an event or answer that is too long."""
_DONE_EVENT: Final = b"data: [DONE]\n\n"
_LONGEST: Final = 16_000_000
"""The default of the maximal size of an event in bytes."""


@both_ways
def rewrite_stream(
    chunks: Iterable[Any] | AsyncIterable[Any],
    request: Mapping[str, Any],
    *,
    format: FormatsLike,
    policy: SalvagePolicy | None = None,
    prefix: str = "",
    report: Report | None = None,
    repair: bool = False,
) -> Iterator[Any] | AsyncIterator[Any]:
    """Returns a stream with the calls in its text as tool calls.

    A call is sent as one delta when it has ended: only then is it known whether it may run. If a
    stream ends inside an answer, an error is added at its end.

    Args:
        chunks: the chunks of a chat or text completion as dicts, or the bytes of the
            server-sent events, cut anywhere. The result has the same type: dicts, or bytes. An
            async iterable gives an async iterator.
        request: the client's request, with `tools` and `messages`.
        format: as for `rewrite_response`.
        policy: as for `rewrite_response`.
        prefix: as for `rewrite_response`.
        report: as for `rewrite_response`.
        repair: as for `rewrite_response`.

    Raises:
        UnknownFormat: no format has this id or alias.
        TypeError: a tool of the request has a wrong shape.
        ValueError: a tool of the request costs too much to read.
    """
    reading = reading_of(request, format, policy, prefix, report, repair=repair)
    return translated(StreamRewriter(reading), chunks)


class StreamRewriter:
    """Rewrites one stream: `feed` each chunk, and `close` at its end or `fail` if it breaks."""

    def __init__(self, reading: Reading | None, *, longest_event: int = _LONGEST) -> None:
        """Sets up the rewriting.

        Args:
            reading: how the answers are read; None changes nothing.
            longest_event: the maximal size of an event in bytes.

        Raises:
            TypeError: `reading` has another type.
        """
        check_type(
            "reading", reading, (Reading, type(None)), "reading_of(request, format) makes one"
        )
        self._reading = reading
        self._events = Events(longest_event)
        self._choices: dict[int, StreamedChoice] = {}
        self._head: Chunk = {}
        self._done = False
        self._is_bytes = False
        self.failed = ""
        """The code of the error that broke the stream; "" otherwise."""

    def feed(self, item: Any) -> list[Any]:
        """Returns the chunks that a chunk, or some bytes of the stream, become."""
        if isinstance(item, bytes | bytearray | memoryview):
            # An error at the end must have the same form as the rest of the stream.
            self._is_bytes = True
            out = [out for event in self._events.feed(bytes(item)) for out in self._written(event)]
            limit = self._events.limit
            # The text of an answer stays in memory, like a whole one: see `AnswerReader`.
            if not self._done and (self._events.too_long or self.size > limit):
                what = "an event" if self._events.too_long else "the answer"
                out += self.fail(f"{what} of the upstream has more than {limit} bytes", TOO_LONG)
            return out
        try:
            chunk = cast("Chunk", plain(item))
        except TypeError:
            return [item]
        return self._rewritten(chunk)

    @property
    def size(self) -> int:
        """The length of the text so far and of an event that is not complete: so much may be read next.

        All of it, and not only what comes: damage makes the parser read an answer once more.
        """
        return self._events.held + sum(choice.size for choice in self._choices.values())

    def close(self) -> list[Any]:
        """Ends the stream; returns the rest, with an error if the answer had not ended."""
        if self.failed:
            return []
        rest = self._events.end()
        # After `[DONE]` nothing can be missing.
        if self._reading is None or self._done:
            return [rest] if rest else []
        last = self._last(rest)
        if self._done:
            return last
        missing = [choice for choice in self._choices.values() if not choice.closed]
        # Streams of bytes end with `[DONE]`; dicts end when their choices have.
        if missing or (self._is_bytes and not self._choices):
            message = "the upstream ended in the middle of its answer"
            return [*last, *self.fail(message, "upstream_ended")]
        return last or ([rest] if rest else [])

    def fail(self, message: str, code: str) -> list[Any]:
        """Ends a stream that broke; returns the rest of its text, and an error."""
        if self._done:
            return []
        last = self._last(self._events.end())
        if self._done:
            return last
        self._done = True
        self.failed = code
        chunks = [*self._flushed(), error_body(message, code)]
        if not self._is_bytes:
            return chunks
        return [*last, *map(_event, chunks), _DONE_EVENT]

    def start_bytes(self) -> None:
        """Declares that the stream consists of bytes, before any have come."""
        self._is_bytes = True

    def _last(self, rest: bytes) -> list[bytes]:
        """Returns the events for a last event without a blank line, if it is complete."""
        data = data_of(rest).strip()
        if data != DONE:
            try:
                json.loads(data)
            except (ValueError, RecursionError):
                return []
        return self._written(rest + b"\n\n")

    def _written(self, event: bytes) -> list[bytes]:
        """Returns the events that one event becomes; the event itself if nothing changes."""
        data = data_of(event)
        if self._reading is None or not data:
            return [event]
        if data.strip() == DONE:
            self._done = True
            return [*map(_event, self._flushed()), event]
        try:
            # Events are UTF-8, which need not be found out for each.
            chunk = json.loads(data.decode("utf-8", "surrogatepass"))
        # Data that is not JSON belongs to another protocol, and is passed on.
        except (ValueError, RecursionError):
            return [event]
        if not isinstance(chunk, dict):
            return [event]
        found = self._rewritten(chunk)
        if len(found) == 1 and found[0] is chunk:
            return [event]
        return [_event(each) for each in found]

    def _rewritten(self, chunk: Chunk) -> list[Chunk]:
        """Returns the chunks that one chunk becomes; only the chunk itself if nothing changes."""
        if self._reading is None:
            return [chunk]
        if chunk.get("error"):
            # Held text is sent before it: clients read nothing after an error.
            return [*self._flushed(), chunk]
        choices = chunk.get("choices")
        if not isinstance(choices, list) or not choices:
            return [chunk]
        # Chunks that are added at the end must belong to the same completion.
        if not self._head:
            self._head = {key: chunk[key] for key in _HEAD if key in chunk}
        taken = [self._taken(choice, chunk) for choice in choices]
        if all(len(new) == 1 and new[0] is old for new, old in zip(taken, choices, strict=True)):
            return [chunk]
        return self._chunks(chunk, [choice for new in taken for choice in new])

    def _taken(self, choice: Any, chunk: Chunk) -> list[Choice]:
        """Returns the choices that a choice of a chunk becomes."""
        if not isinstance(choice, dict):
            return [choice]
        index = index_of(choice)
        if index not in self._choices:
            assert self._reading is not None
            # From the completion's id and the index: two answers with the same call get different
            # ids.
            seed = f"{chunk.get('id') or ''}/{index}"
            self._choices[index] = StreamedChoice(self._reading, seed, index)
        return self._choices[index].take(choice)

    def _chunks(self, chunk: Chunk, choices: list[Choice]) -> list[Chunk]:
        """Returns chunks of one choice each; other keys, such as `usage`, are sent once."""
        extra = {key for key in chunk if key not in _HEAD and key != "choices"}
        if not choices:
            # All of its text is held back. A count of tokens is sent at once.
            tells = any(chunk[key] is not None for key in extra)
            # With its choices, emptied: many clients access the first one without a check.
            empty = [
                {**choice, "delta": {}} if "delta" in choice else {**choice, "text": ""}
                for choice in chunk["choices"]
            ]
            return [{**chunk, "choices": empty}] if tells else []
        bare = {key: part for key, part in chunk.items() if key not in extra}
        # One delta may become several, say a text and two calls; each chunk has one choice.
        *before, last = choices
        return [
            *({**bare, "choices": [choice]} for choice in before),
            {**chunk, "choices": [last]},
        ]

    def _flushed(self) -> list[Chunk]:
        """Returns the rest of the choices that have not ended."""
        left = [choice for each in self._choices.values() for choice in each.cut()]
        return [{**self._head, "choices": [choice]} for choice in left]


def error_events(message: str, code: str) -> bytes:
    """Returns the end of a stream that can no longer be read."""
    return _event(error_body(message, code)) + _DONE_EVENT


def _event(chunk: Chunk) -> bytes:
    return b"data: " + to_bytes(chunk) + b"\n\n"
