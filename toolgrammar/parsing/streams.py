"""Reads a message while it comes in, from any iterable of chunks.

Example: the chunks `Hi <tool`, `_call>…` give the text `Hi ` at once, and the call as it comes.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable, Iterable, Iterator, Mapping
from typing import TYPE_CHECKING, Any, Self, TypeAlias

from toolgrammar.parsing.checks import check_finish_reason
from toolgrammar.parsing.parser import Parser
from toolgrammar.values.limits import Limits

if TYPE_CHECKING:
    from collections.abc import AsyncGenerator, AsyncIterable, Generator

    from toolgrammar.catalogue.registry import FormatsLike
    from toolgrammar.values.calls import ParseResult
    from toolgrammar.values.events import Event

FinishReason: TypeAlias = str | Callable[[], str | None] | None
"""Why the server stopped; a callable is asked when the chunks are over."""

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
    """Returns the events of a message, each as soon as it is certain, to the end.

    Args:
        chunks: the pieces of the message, strings; None, an empty delta of some servers, is passed
            over. An item with a `finish_reason`, such as the last choice of a completion or
            `{"finish_reason": "length"}`, says why the server stopped.
        format: an id, an alias, a format or the path of a `.lark` file.
        tools: the tools that the model had, of any shape.
        strict: accept only the language of the grammar and repair nothing.
        prefix: what the chat template had written of the answer before the model began.
        id_seed: what ids that the format leaves out are made from.
        finish_reason: why the server stopped ("length": it cut the answer), or a callable that is
            asked once, when the chunks are over. What the chunks say themselves goes before.
        limits: bounds on length, depth and number of calls.

    Raises:
        UnknownFormat: no format has this id or alias.
        GrammarError: the grammar of the format is broken.
        TypeError: an argument has the wrong type.
    """
    # Here and not in the generator: a wrong argument raises at the call, not at first use.
    if not isinstance(chunks, Iterable):
        raise TypeError(
            f"chunks must be an iterable of strings, got {type(chunks).__name__}; "
            "toolgrammar.astream takes those that come asynchronously"
        )
    parser = Parser(
        format,
        tools=tools,
        strict=strict,
        prefix=prefix,
        id_seed=id_seed,
        limits=limits,
    )
    # A string is iterable as well: it is one chunk, not many of one character.
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
    """Returns the events of a message whose chunks come asynchronously; else as `stream`."""
    # Without this check a plain iterable would raise only when it is first awaited.
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
    """One message that is being read, and what is known of its end."""

    def __init__(self, parser: Parser, finish_reason: FinishReason) -> None:
        check_finish_reason(finish_reason)
        self._parser = parser
        self.finish_reason = finish_reason
        """Why the server stopped, or what will tell; may be set as long as the chunks come."""
        self._said: str | None = None

    @property
    def result(self) -> ParseResult:
        """The whole message, when all events were taken.

        Raises:
            RuntimeError: before that.
        """
        return self._parser.result

    def text_from(self, offset: int) -> str:
        """Returns what has come of the message, from an offset on."""
        return self._parser.read_text(offset)

    def _taken(self, chunk: Any) -> list[Event]:
        # Nearly all chunks are strings, and nothing else is asked of them.
        if type(chunk) is str:
            return self._parser.feed(chunk)
        if chunk is None:
            return []
        if isinstance(chunk, Mapping) and "finish_reason" in chunk:
            said = chunk["finish_reason"]
        # A choice of OpenAI's client is an object, the same from a server a dict.
        elif hasattr(chunk, "finish_reason"):
            said = chunk.finish_reason
        else:
            return self._parser.feed(chunk)
        # Items that come after may have no reason any more.
        self._said = said or self._said
        return []

    def _ended(self) -> list[Event]:
        reason = self.finish_reason
        # What the chunks say is of this answer; a reason that was passed in may be a guess.
        if self._said is not None:
            reason = self._said
        elif callable(reason):
            # Asked only now: a client often knows the reason when its stream is over, and not
            # before.
            reason = reason()
        return self._parser.close(reason)


class EventStream(_Reading, Iterator["Event"]):
    """The events of one message; `result` is the message itself, when all were taken."""

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
        """Gives the rest of the message up."""
        self._events.close()


class AsyncEventStream(_Reading, AsyncIterator["Event"]):
    """The events of one message that comes asynchronously; else as `EventStream`."""

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
        """Gives the rest of the message up."""
        await self._events.aclose()
