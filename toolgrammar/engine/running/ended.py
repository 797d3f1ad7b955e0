"""Extracts the calls from the events of a message that is still being read.

`TextDelta("On it."), CallStart(0, "get_weather"), …, CallEnd(0, call)` give `call`.
"""

from __future__ import annotations

from collections.abc import AsyncIterable
from dataclasses import replace
from typing import TYPE_CHECKING, Final, get_args

from toolgrammar.parsing.checks import check_finish_reason, is_cut
from toolgrammar.parsing.streams import AsyncEventStream, EventStream
from toolgrammar.values.events import CallEnd, Event

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Iterable, Iterator

    from toolgrammar.engine.running.judged import Judged
    from toolgrammar.parsing.streams import FinishReason
    from toolgrammar.values.calls import ToolCall

_EVENTS: Final = get_args(Event)


class Ended:
    """Yields the calls of one message, each when it has ended."""

    def __init__(
        self, events: object, finish_reason: FinishReason, judged: Judged | None = None
    ) -> None:
        """Stores how the message's finish reason will be known.

        Args:
            events: the source of the calls.
            finish_reason: why the server stopped, or a callable that is called at the end.
            judged: judges the calls; None: no call is judged.

        Raises:
            TypeError: it is neither.
        """
        check_finish_reason(finish_reason)
        if finish_reason is not None and isinstance(events, EventStream | AsyncEventStream):
            events.finish_reason = finish_reason  # the parser's own stream knows what is cut
            finish_reason = None
        self._finish_reason = finish_reason
        self._held: ToolCall | None = None
        self._judged = judged

    def calls(self, events: Iterable[Event]) -> Iterator[ToolCall]:
        """Yields the calls of events."""
        for event in events:
            yield from self._taken(event)
        yield from self._last()

    async def calls_async(
        self, events: AsyncIterable[Event] | Iterable[Event]
    ) -> AsyncIterator[ToolCall]:
        """Yields the calls of events that may come asynchronously."""
        if isinstance(events, AsyncIterable):
            async for event in events:
                for call in self._taken(event):
                    yield call
            for call in self._last():
                yield call
        else:
            for call in self.calls(events):
                yield call

    def _taken(self, event: object) -> Iterator[ToolCall]:
        """Yields the calls that are certain with an event."""
        if not isinstance(event, _EVENTS):
            # A string is iterable too, so that `stream_sync("…")` gets here.
            raise TypeError(f"expected the events of a parser, got {type(event).__name__}")
        # Another event came after the held call, so it did not end the message and is not cut.
        if self._held is not None:
            yield self._seen(self._held)
            self._held = None
        if isinstance(event, CallEnd):
            # Without a finish reason no call can turn out to be cut: it runs as soon as it has ended.
            if self._finish_reason is None:
                yield self._seen(event.call)
            else:
                self._held = event.call

    def _last(self) -> Iterator[ToolCall]:
        """Yields the call that ends the message; it is cut off where the server says so."""
        reason = self._finish_reason
        # Called only here, since a server gives its reason with the last chunk.
        if callable(reason):
            reason = reason()
        cut = reason is not None and is_cut(reason)
        # Of a format whose calls the end of the text may close, a call that was cut off looks
        # complete.
        if self._held is not None:
            yield self._seen(replace(self._held, status="truncated") if cut else self._held)

    def _seen(self, call: ToolCall) -> ToolCall:
        """Returns a call after it was judged: the plan must find the refusal when it takes it."""
        if self._judged is not None:
            self._judged.take(call)
        return call
