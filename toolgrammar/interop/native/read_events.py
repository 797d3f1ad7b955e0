"""Converts the stream of an API to events, and collects the whole message.

Chunks of a completion become `TextDelta`, `CallStart`, …, and at the end there is a `ParseResult`
with the calls, the text, the reasoning and the diagnostics.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Final, Protocol

from toolgrammar.interop.native.pieces import RepairedPieces
from toolgrammar.interop.pieces import Pieces
from toolgrammar.interop.rereading import Reread
from toolgrammar.tools.specs import to_specs
from toolgrammar.values.calls import ParseResult, ToolCall
from toolgrammar.values.errors import check_type
from toolgrammar.values.events import CallEnd, Event, Problem, ReasoningDelta, TextDelta

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from toolgrammar.catalogue.registry import FormatsLike
    from toolgrammar.interop.pieces import AnyPieces
    from toolgrammar.values.diagnostics import Diagnostic


_BROKE_OFF: Final = "incomplete"
"""The reason of an answer that ends without one."""


class ApiReader(Protocol):
    """Turns what an API streams into events."""

    @property
    def finish_reason(self) -> str | None:
        """Why the server stopped, once it said so."""

    @property
    def ended_texts(self) -> int:
        """The number of texts that have ended, since another block follows them."""

    def feed(self, item: object) -> list[Event]:
        """Returns what one chunk becomes."""

    def close(self) -> list[Event]:
        """Returns what comes after the last chunk."""


class ReadEvents:
    """The events of one message of an API, repaired or as they are."""

    def __init__(
        self, reader: ApiReader, reread: Reread | None, pieces: AnyPieces, *, names_reason: bool
    ) -> None:
        self._reader = reader
        self._names_reason = names_reason
        self._reread = reread
        self._pieces = pieces
        self._gathered = _Gathered()
        self._ended_texts = 0
        self._result: ParseResult | None = None

    @property
    def finish_reason(self) -> str | None:
        """Why the server stopped; None if it did not say so, or not yet."""
        return self._reader.finish_reason

    @property
    def repaired(self) -> bool:
        """Whether any call of the API is another than it handed out, or was found in the text."""
        own = isinstance(self._pieces, RepairedPieces) and self._pieces.repaired
        return own or (self._reread is not None and self._reread.found)

    @property
    def result(self) -> ParseResult:
        """The whole message, when all was taken.

        Raises:
            RuntimeError: before that.
        """
        if self._result is None:
            raise RuntimeError("no result yet: take all of the stream first")
        return self._result

    def feed(self, item: object) -> list[Event]:
        """Returns what one chunk becomes."""
        events = self._reader.feed(item)
        over = self._end_text() if self._reader.ended_texts > self._ended_texts else []
        return [*over, *self._taken(events)]

    def close(self) -> list[Event]:
        """Returns what comes after the last chunk."""
        events = self._taken(self._reader.close())
        if self._reread is not None:
            broke_off = self._names_reason and self.finish_reason is None
            reason = _BROKE_OFF if broke_off else self.finish_reason
            events += self._gathered.see(self._reread.close(reason))
        self._result = self._gathered.result(self._reread)
        return events

    def _end_text(self) -> list[Event]:
        """Returns the end of a text, which does not go on behind the block that begins here."""
        self._ended_texts = self._reader.ended_texts
        events = [] if self._reread is None else self._gathered.see(self._reread.end_text())
        self._gathered.end_text()
        return events

    def _taken(self, events: Iterable[Event]) -> list[Event]:
        taken: list[Event] = []
        for event in events:
            # Text is read for calls before anybody sees it; all else passes through.
            found = [event] if self._reread is None else self._reread.feed(event)
            taken += self._gathered.see(found, is_thought=isinstance(event, ReasoningDelta))
        return taken


def read_events(
    reader: Callable[[AnyPieces], ApiReader],
    *,
    repair: bool,
    format: FormatsLike | None,
    tools: Iterable[object] | None,
    names_reason: bool = True,
) -> ReadEvents:
    """Returns what turns the chunks of an API into events.

    Args:
        reader: makes the reader of the API, with what puts its calls together.
        repair: whether broken calls are repaired.
        format: in which format calls may stand in the text; None: the text is left alone.
        tools: the tools that the model had.
        names_reason: whether every answer of the API ends with its reason: one that does not broke
            off.

    Raises:
        TypeError: `tools` holds something else, or `repair` is no bool.
        ValueError: nothing is to be repaired, and yet it is said how.
    """
    check_type("repair", repair, bool)
    if not repair:
        # They would be omitted in silence.
        if format is not None or tools is not None:
            raise ValueError("format and tools say how to repair: they need repair=True")
        plain_pieces = Pieces()
        return ReadEvents(reader(plain_pieces), None, plain_pieces, names_reason=names_reason)
    # Read once: an iterator would be empty when the parser reads it again.
    specs = to_specs(tools)
    pieces = RepairedPieces(specs)
    # An empty list means that there are no tools; None, that they are not known.
    known = None if tools is None else specs
    reread = None if format is None else Reread(format, known)
    return ReadEvents(reader(pieces), reread, pieces, names_reason=names_reason)


class _Gathered:
    """Collects the events of a message into a result."""

    def __init__(self) -> None:
        self._texts: list[list[str]] = [[]]
        self._reasoning: list[list[str]] = [[]]
        self._in_thought = False
        """Whether the last reasoning is the server's own, and was not found in a text."""
        self._calls: dict[int, ToolCall] = {}
        self._diagnostics: list[Diagnostic] = []

    def see(self, events: Iterable[Event], *, is_thought: bool = False) -> list[Event]:
        """Accepts the next events and gives them back.

        Args:
            events: the events.
            is_thought: whether they are reasoning of the server's own.
        """
        seen = list(events)
        for event in seen:
            if isinstance(event, TextDelta):
                self._texts[-1].append(event.text)
            elif isinstance(event, ReasoningDelta):
                if is_thought is not self._in_thought:
                    self._reasoning.append([])
                self._in_thought = is_thought
                self._reasoning[-1].append(event.text)
            elif isinstance(event, CallEnd):
                # By the index: calls may end in another order than they began in.
                self._calls[event.index] = event.call
            elif isinstance(event, Problem):
                self._diagnostics.append(event.diagnostic)
        return seen

    def end_text(self) -> None:
        """Notes that the next text, or thought, is another one."""
        self._texts.append([])
        self._reasoning.append([])

    def result(self, reread: Reread | None) -> ParseResult:
        own = ParseResult(
            calls=tuple(call for _, call in sorted(self._calls.items())),
            text=_joined(self._texts),
            reasoning=_joined(self._reasoning),
            diagnostics=tuple(self._diagnostics),
        )
        if reread is None:
            return own
        # Places in the text are those of the text alone: it is what was read.
        text = reread.result
        return replace(own, format=text.format, source=text.source, digest=text.digest)


def _joined(texts: Iterable[list[str]]) -> str:
    """Returns the texts of a message, each on lines of its own."""
    return "\n".join(filter(None, ("".join(each).strip() for each in texts)))
