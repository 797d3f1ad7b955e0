"""Translates streams from one shape to another, for sync and async iterables.

A `Translator` takes one item after the other, `TextDelta("Hi")` say, and returns what each becomes,
`{"choices": [{"delta": {"content": "Hi"}}]}`; `translated` runs it over either kind of iterable.
"""

from __future__ import annotations

from collections.abc import (
    AsyncGenerator,
    AsyncIterable,
    AsyncIterator,
    Callable,
    Generator,
    Iterable,
    Iterator,
)
from typing import TYPE_CHECKING, Any, Concatenate, ParamSpec, Protocol, TypeVar, cast, overload

from toolgrammar.values.errors import check_several

if TYPE_CHECKING:
    from toolgrammar.values.calls import ParseResult

Taken = TypeVar("Taken")
Given = TypeVar("Given")
Taken_contra = TypeVar("Taken_contra", contravariant=True)
Given_co = TypeVar("Given_co", covariant=True)
Options = ParamSpec("Options")


class Translator(Protocol[Taken_contra, Given_co]):
    """Turns one stream into another, piece by piece."""

    def feed(self, item: Taken_contra) -> Iterable[Given_co]:
        """Returns what one piece becomes."""
        ...

    def close(self) -> Iterable[Given_co]:
        """Returns what comes after the last piece."""
        ...


class Reader(Translator[Taken_contra, Given_co], Protocol):
    """Turns a stream into another, and knows the message at its end."""

    @property
    def finish_reason(self) -> str | None:
        """Why the server stopped; None if it did not say so, or not yet."""

    @property
    def result(self) -> ParseResult:
        """The whole message, when all was taken."""


class _Read:
    """The properties of a stream beside its items."""

    def __init__(self, reader: Reader[Any, Any]) -> None:
        self._reader = reader

    @property
    def finish_reason(self) -> str | None:
        """Why the server stopped; None if it did not say so, or not yet."""
        return self._reader.finish_reason

    @property
    def result(self) -> ParseResult:
        """The whole message, when all items were taken.

        Raises:
            RuntimeError: before that.
        """
        return self._reader.result


class ReadStream(_Read, Iterator[Given]):
    """A stream that was turned into another; `result` is the message, when all was taken."""

    def __init__(self, reader: Reader[Taken, Given], items: Iterable[Taken]) -> None:
        super().__init__(reader)
        self._items = _translated(reader, items)

    def __next__(self) -> Given:
        return next(self._items)

    def close(self) -> None:
        """Stops reading; the rest of the message is abandoned."""
        self._items.close()


class AsyncReadStream(_Read, AsyncIterator[Given]):
    """Like `ReadStream`, for an asynchronous stream."""

    def __init__(self, reader: Reader[Taken, Given], items: AsyncIterable[Taken]) -> None:
        super().__init__(reader)
        self._items = _translated_async(reader, items)

    async def __anext__(self) -> Given:
        return await anext(self._items)

    async def aclose(self) -> None:
        """Stops reading; the rest of the message is abandoned."""
        await self._items.aclose()


class ReadBothWays(Protocol[Taken_contra, Options, Given]):
    """A function that reads a stream: an async one for an async one."""

    @overload
    def __call__(
        self, items: AsyncIterable[Taken_contra], /, *args: Options.args, **options: Options.kwargs
    ) -> AsyncReadStream[Given]: ...

    @overload
    def __call__(
        self, items: Iterable[Taken_contra], /, *args: Options.args, **options: Options.kwargs
    ) -> ReadStream[Given]: ...


class BothWays(Protocol[Taken_contra, Options, Given_co]):
    """A function that turns a stream into another: an async one for an async one."""

    @overload
    def __call__(
        self, items: AsyncIterable[Taken_contra], /, *args: Options.args, **options: Options.kwargs
    ) -> AsyncIterator[Given_co]: ...

    @overload
    def __call__(
        self, items: Iterable[Taken_contra], /, *args: Options.args, **options: Options.kwargs
    ) -> Iterator[Given_co]: ...


def both_ways(
    function: Callable[
        Concatenate[Iterable[Taken] | AsyncIterable[Taken], Options],
        Iterator[Given] | AsyncIterator[Given],
    ],
) -> BothWays[Taken, Options, Given]:
    """Returns the function itself, with the type of an overload: what goes in says what comes out.

    For type checkers only, so that no stream function has to write its options three times.
    """
    return cast("BothWays[Taken, Options, Given]", function)


def read_both_ways(
    function: Callable[
        Concatenate[Iterable[Taken] | AsyncIterable[Taken], Options],
        ReadStream[Given] | AsyncReadStream[Given],
    ],
) -> ReadBothWays[Taken, Options, Given]:
    """Returns the function itself, as `both_ways` does, for one that reads a message."""
    return cast("ReadBothWays[Taken, Options, Given]", function)


def read_stream(
    reader: Reader[Taken, Given], items: Iterable[Taken] | AsyncIterable[Taken]
) -> ReadStream[Given] | AsyncReadStream[Given]:
    """Returns the other stream, and the message at its end; an async one for an async one."""
    _check_stream(items)
    if isinstance(items, AsyncIterable):
        return AsyncReadStream(reader, items)
    return ReadStream(reader, items)


def translated(
    translator: Translator[Taken, Given], items: Iterable[Taken] | AsyncIterable[Taken]
) -> Iterator[Given] | AsyncIterator[Given]:
    """Returns the other stream; an async one for an async one."""
    _check_stream(items)
    # An object may be both; the async way holds up no event loop.
    if isinstance(items, AsyncIterable):
        return _translated_async(translator, items)
    return _translated(translator, items)


def _check_stream(items: object) -> None:
    """Checks that a caller passed in a stream, here and not at its first item.

    Raises:
        TypeError: it is something else.
    """
    if not isinstance(items, AsyncIterable):
        wanted = "an iterable or async iterable of chunks or events"
        check_several("a stream", items, wanted, "write [chunk]")


def _translated(
    translator: Translator[Taken, Given], items: Iterable[Taken]
) -> Generator[Given, None, None]:
    for item in items:
        yield from translator.feed(item)
    yield from translator.close()


async def _translated_async(
    translator: Translator[Taken, Given], items: AsyncIterable[Taken]
) -> AsyncGenerator[Given, None]:
    async for item in items:
        for piece in translator.feed(item):
            yield piece
    for piece in translator.close():
        yield piece
