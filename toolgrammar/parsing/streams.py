"""Reads a message while it comes in, from any iterable of chunks."""

from __future__ import annotations

from typing import TYPE_CHECKING

from toolgrammar.parsing.parser import Parser
from toolgrammar.values.limits import Limits

if TYPE_CHECKING:
    from collections.abc import AsyncIterable, AsyncIterator, Iterable, Iterator

    from toolgrammar.catalogue.registry import FormatsLike
    from toolgrammar.values.events import Event

_LIMITS = Limits()


def stream(
    chunks: Iterable[str | None],
    format: FormatsLike = "auto",
    tools: Iterable[object] | None = None,
    *,
    strict: bool = False,
    prefix: str = "",
    id_seed: str = "",
    limits: Limits = _LIMITS,
) -> Iterator[Event]:
    """Returns the events of a message, each as soon as it is certain, to the end.

    Args:
        chunks: the pieces of the message; None, an empty delta of some servers, is passed over.
        format: an id, an alias, a format or the path of a `.lark` file.
        tools: the tools that the model had, of any shape.
        strict: accept only the language of the grammar and repair nothing.
        prefix: what the chat template had written of the answer before the model began.
        id_seed: what ids that the format leaves out are made from.
        limits: bounds on length, depth and number of calls.

    Raises:
        UnknownFormat: no format has this id or alias.
        GrammarError: the grammar of the format is broken.
        TypeError: an argument has the wrong type.
    """
    # Made here and not in the generator: a wrong argument raises at the call, not at first use.
    parser = Parser(
        format,
        tools=tools,
        strict=strict,
        prefix=prefix,
        id_seed=id_seed,
        limits=limits,
    )
    return _events([chunks] if isinstance(chunks, str) else chunks, parser)


def astream(
    chunks: AsyncIterable[str | None],
    format: FormatsLike = "auto",
    tools: Iterable[object] | None = None,
    *,
    strict: bool = False,
    prefix: str = "",
    id_seed: str = "",
    limits: Limits = _LIMITS,
) -> AsyncIterator[Event]:
    """Returns the events of a message whose chunks come asynchronously; else as `stream`."""
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
    return _async_events(chunks, parser)


def _events(chunks: Iterable[str | None], parser: Parser) -> Iterator[Event]:
    for chunk in chunks:
        if chunk is not None:
            yield from parser.feed(chunk)
    yield from parser.close()


async def _async_events(chunks: AsyncIterable[str | None], parser: Parser) -> AsyncIterator[Event]:
    async for chunk in chunks:
        if chunk is not None:
            for event in parser.feed(chunk):
                yield event
    for event in parser.close():
        yield event
