"""Reads a message from an iterable of chunks, and yields its events as they become certain.

The chunks `Hi <tool`, `_call>…` give `TextDelta("Hi ")` after the first, and then the call.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable, Iterable, Iterator, Mapping
from typing import TYPE_CHECKING, Any, Self, TypeAlias

from toolgrammar.parsing.checks import check_finish_reason
from toolgrammar.parsing.parser import Parser
from toolgrammar.values.errors import check_several
from toolgrammar.values.limits import Limits

if TYPE_CHECKING:
    from collections.abc import AsyncGenerator, AsyncIterable, Generator

    from toolgrammar.catalogue.registry import FormatsLike
    from toolgrammar.values.calls import ParseResult
    from toolgrammar.values.events import Event

FinishReason: TypeAlias = str | Callable[[], str | None] | None
"""Why the server stopped; a callable is called when the chunks are over."""

_LIMITS = Limits()


def stream(
    chunks: Iterable[Any],
    format: FormatsLike = "auto",
    tools: Iterable[object] | None = None,
    *,
    strict: bool = False,
    prefix: str = "",
    id_seed: str = "",
    finish_reason: FinishReason = None,
    limits: Limits = _LIMITS,
) -> EventStream:
    """Returns an iterator over the events of a message, each as soon as it is certain.

    Args:
        chunks: the chunks of the message, as strings; None, the empty delta of some servers, is
            skipped. An item with a `finish_reason`, such as the last choice of a completion or
            `{"finish_reason": "length"}`, gives the reason why the server stopped.
        format: an id, an alias, a format or the path of a `.lark` file.
        tools: the tools that the model had, of any shape.
        strict: accept only the language of the grammar and repair nothing.
        prefix: the beginning of the answer that the chat template wrote.
        id_seed: the seed of ids that the format requires but the message lacks.
        finish_reason: why the server stopped ("length": it cut the answer), or a callable that is
            called once, when the chunks are over. A reason in the chunks takes precedence.
        limits: the limits on length, depth and number of calls.

    Raises:
        UnknownFormat: no format has this id or alias.
        GrammarError: the grammar of the format is broken.
        TypeError: an argument has the wrong type.
    """
    # Checked here, so that a wrong argument raises at the call, not at the first event.
    if not isinstance(chunks, Iterable):
        raise TypeError(
            f"chunks must be an iterable of strings, got {type(chunks).__name__}; "
            "toolgrammar.astream takes those that come asynchronously"
        )
    # The keys of a dict would be read as text, and the bytes are numbers.
    if isinstance(chunks, bytes | Mapping):
        check_several(
            "chunks", chunks, "an iterable of strings", "write [chunk], with text decoded"
        )
    parser = Parser(
        format,
        tools=tools,
        strict=strict,
        prefix=prefix,
        id_seed=id_seed,
        limits=limits,
    )
    # A string is iterable too: it is one chunk, not one per character.
    return EventStream([chunks] if isinstance(chunks, str) else chunks, parser, finish_reason)


def astream(
    chunks: AsyncIterable[Any],
    format: FormatsLike = "auto",
    tools: Iterable[object] | None = None,
    *,
    strict: bool = False,
    prefix: str = "",
    id_seed: str = "",
    finish_reason: FinishReason = None,
    limits: Limits = _LIMITS,
) -> AsyncEventStream:
    """Returns an async iterator over the events of a message; otherwise like `stream`."""
    # Without this check a plain iterable would raise only at the first event.
    if not hasattr(chunks, "__aiter__"):
        raise TypeError(
            f"chunks must be an async iterable, got {type(chunks).__name__}; "
            "toolgrammar.stream takes plain ones"
        )
    parser = Parser(
        format,
        tools=tools,
        strict=strict,
        prefix=prefix,
        id_seed=id_seed,
        limits=limits,
    )
    return AsyncEventStream(chunks, parser, finish_reason)


class _Reading:
    """One message that is being read, and its finish reason."""

    def __init__(self, parser: Parser, finish_reason: FinishReason) -> None:
        check_finish_reason(finish_reason)
        self._parser = parser
        self.finish_reason = finish_reason
        """Why the server stopped, or a callable; may be set until the chunks are over."""
        self._said: str | None = None
        self._over = False

    @property
    def result(self) -> ParseResult:
        """The result of the whole message, available after the last event.

        Raises:
            RuntimeError: not all events were consumed.
        """
        # The parser would name its `close`; that of a stream gives up the message.
        if not self._over:
            raise RuntimeError("no result yet: take all of the stream first")
        return self._parser.result

    def text_from(self, offset: int) -> str:
        """Returns the text received so far, from an offset on."""
        return self._parser.read_text(offset)

    def _taken(self, chunk: Any) -> list[Event]:
        # Nearly all chunks are strings, which need no other test.
        if type(chunk) is str:
            return self._parser.feed(chunk)
        if chunk is None:
            return []
        if isinstance(chunk, Mapping) and "finish_reason" in chunk:
            said = chunk["finish_reason"]
        # A choice is an object in OpenAI's client, and a dict in a server's JSON.
        elif hasattr(chunk, "finish_reason"):
            said = chunk.finish_reason
        else:
            return self._parser.feed(chunk)
        # Later items may have None here.
        self._said = said or self._said
        return []

    def _ended(self) -> list[Event]:
        reason = self.finish_reason
        # A reason in the chunks is that of this answer; one passed in may be a guess.
        if self._said is not None:
            reason = self._said
        elif callable(reason):
            # Called only now: a client often knows the reason only after its stream has ended.
            reason = reason()
        events = self._parser.close(reason)
        self._over = True
        return events


class EventStream(_Reading, Iterator["Event"]):
    """Iterates over the events of one message; `result` is available after the last one."""

    def __init__(
        self, chunks: Iterable[Any], parser: Parser, finish_reason: FinishReason = None
    ) -> None:
        super().__init__(parser, finish_reason)
        self._events = self._all(chunks)

    def _all(self, chunks: Iterable[Any]) -> Generator[Event, None, None]:
        for chunk in chunks:
            yield from self._taken(chunk)
        yield from self._ended()

    def __iter__(self) -> Self:
        return self

    def __next__(self) -> Event:
        return next(self._events)

    def close(self) -> None:
        """Stops reading; the rest of the message is abandoned."""
        self._events.close()


class AsyncEventStream(_Reading, AsyncIterator["Event"]):
    """Iterates asynchronously over the events of one message; otherwise like `EventStream`."""

    def __init__(
        self, chunks: AsyncIterable[Any], parser: Parser, finish_reason: FinishReason = None
    ) -> None:
        super().__init__(parser, finish_reason)
        self._events = self._all(chunks)

    async def _all(self, chunks: AsyncIterable[Any]) -> AsyncGenerator[Event, None]:
        async for chunk in chunks:
            for event in self._taken(chunk):
                yield event
        for event in self._ended():
            yield event

    def __aiter__(self) -> Self:
        return self

    async def __anext__(self) -> Event:
        return await anext(self._events)

    async def aclose(self) -> None:
        """Stops reading; the rest of the message is abandoned."""
        await self._events.aclose()
