"""Rewrites messages and streams of an API with repaired calls: the part that all APIs share.

A chunk whose call has `{'city': 'Oslo'}` is emitted with `{"city": "Oslo"}`; the attribute
`result` of the stream is the message with all diagnostics.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Protocol

from toolgrammar.interop.exchange import plain
from toolgrammar.parsing.checks import is_cut

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Mapping

    from toolgrammar.interop.native.read_events import ReadEvents
    from toolgrammar.values.calls import ParseResult
    from toolgrammar.values.events import Event


class RepairedMessage(dict[str, Any]):
    """A message in the shape of its API; `result` has the calls and all diagnostics."""

    def __init__(self, fields: Mapping[str, Any], result: ParseResult) -> None:
        super().__init__(fields)
        self.result = result


class Writer(Protocol):
    """Writes events in the shape of an API."""

    def feed(self, item: Event, /) -> list[dict[str, Any]]:
        """Returns what one event becomes."""


class RepairedStream:
    """Turns the chunks of an API into chunks with repaired calls; each API has a class of it."""

    def __init__(self, events: ReadEvents) -> None:
        self.events = events
        self.failed = False
        """Whether the server sent an error in place of the rest."""

    @property
    def finish_reason(self) -> str | None:
        """Why the server stopped; None if it did not say so, or not yet."""
        return self.events.finish_reason

    @property
    def result(self) -> ParseResult:
        """The whole message, when all was taken."""
        return self.events.result

    def feed(self, item: object) -> list[dict[str, Any]]:
        """Returns what one chunk becomes."""
        chunk = plain(item)
        return self.chunk(chunk, self.events.feed(chunk))

    def close(self) -> list[dict[str, Any]]:
        """Returns what comes after the last chunk."""
        return self.end(self.events.close())

    def chunk(self, chunk: Mapping[str, Any], events: list[Event]) -> list[dict[str, Any]]:
        """Returns what a chunk becomes that says these events."""
        raise NotImplementedError

    def end(self, events: list[Event]) -> list[dict[str, Any]]:
        """Returns the end of the stream, after these last events."""
        raise NotImplementedError

    def end_reason(self, known: Collection[str], cut: str) -> str | None:
        """Returns the server's reason where it may stay; None if the writer knows better.

        Args:
            known: the words that the clients of the API know.
            cut: the one for an answer that was cut.
        """
        reason = self.finish_reason
        if reason is None:
            return None
        return end_reason(reason, known, cut, has_calls=bool(self.result.calls))


def end_reason(reason: str, known: Collection[str], cut: str, *, has_calls: bool) -> str | None:
    """Returns the server's reason where it may stay; None where the writer knows better.

    Args:
        reason: why the server stopped.
        known: the words that the clients of the API know.
        cut: the one for an answer that was cut.
        has_calls: whether any call was read.
    """
    # Where the server cut the answer its own reason stays, whatever calls were found.
    if is_cut(reason):
        return reason if reason in known else cut
    # "stop" would tell an agent that there is nothing to run.
    return reason if reason in known and not has_calls else None


def written(events: Iterable[Event], writer: Writer) -> list[dict[str, Any]]:
    """Returns what a writer makes of events."""
    return [out for event in events for out in writer.feed(event)]
