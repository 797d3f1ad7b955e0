"""The push parser of the public API: one message, read by the first reader that can.

A message of one format begins with the stream reader (`core/shortcuts/stream`), which mends nothing.
Where that needs judgement the driver reads the message from its beginning (`driven.py`), and what
was delivered is left out. All other messages are the driver's from the start.
"""

from __future__ import annotations

import sys
from functools import cache
from typing import TYPE_CHECKING

from toolgrammar.catalogue.registry import formats
from toolgrammar.catalogue.several import AnyOf
from toolgrammar.core.message.source import Source
from toolgrammar.core.payloads.json.tokens import MAX_DEPTH
from toolgrammar.parsing.checks import check_options, is_cut
from toolgrammar.parsing.driven import DrivenReading, Options
from toolgrammar.parsing.machines import machine_of
from toolgrammar.parsing.parts import Reread
from toolgrammar.tools.specs import to_specs
from toolgrammar.values.limits import Limits

if TYPE_CHECKING:
    from collections.abc import Iterable

    from toolgrammar.catalogue.format import Format
    from toolgrammar.catalogue.registry import FormatsLike
    from toolgrammar.core.shortcuts.stream.cursor import Cursor
    from toolgrammar.core.shortcuts.stream.stream_reader import StreamReader
    from toolgrammar.values.calls import ParseResult
    from toolgrammar.values.events import Event

FinishReason = str | None
_ENDLESS = Limits()


class Parser:
    """Reads one message as it arrives.

    A parser belongs to one thread or task. Text never raises; `feed` after `close` does.
    """

    def __init__(
        self,
        format: FormatsLike = "auto",
        *,
        tools: Iterable[object] | None = None,
        strict: bool = False,
        prefix: str = "",
        id_seed: str = "",
        limits: Limits = _ENDLESS,
    ) -> None:
        # Here and not where they are used: a shortcut does not look at all of them.
        check_options(strict, prefix, id_seed, limits)
        chosen = formats.resolve_any(format)
        specs = to_specs(tools) if tools is not None else {}
        self._options = Options(chosen, specs, strict, id_seed, limits)
        self._source = Source(sys.maxsize if limits.max_chars is None else limits.max_chars)
        self._closed, self._prefix, self._cut = False, prefix, False
        self._result: ParseResult | None = None
        stream = None
        # The shortcut knows neither strict reading nor a prefix, and one format alone.
        if not (strict or prefix or isinstance(chosen, AnyOf)):
            stream = self._stream_reader(chosen)
        self._reader: StreamReader | DrivenReading
        """What reads the message: the shortcut for streams, until it gives up, or the driver."""
        self._taker: Cursor | DrivenReading
        """What of that takes the chunks."""
        if stream is not None:
            self._reader, self._taker = stream, stream.cursor
        else:
            self._reader = self._taker = DrivenReading(self._options, self._source, prefix=prefix)

    def _stream_reader(self, chosen: Format) -> StreamReader | None:
        """Returns the shortcut for streams, where it is worth a try."""
        plain, limits = chosen.plain, self._options.limits
        # Its JSON is read to the default depth.
        if plain is None or limits.depth < MAX_DEPTH:
            return None
        machine = plain.machine or machine_of(chosen, self._options.specs)
        # Where streams of this format keep needing the driver, it reads them at once.
        if not machine.stream_budget.tries():
            return None
        most = sys.maxsize if limits.max_calls is None else limits.max_calls
        return _stream_class()(machine, self._source, plain, self._options.specs, most)

    def run_whole(self, text: str, finish_reason: FinishReason = None) -> ParseResult:
        """Reads a whole message at once: the driver fed once, with nobody listening."""
        cut = finish_reason is not None and is_cut(finish_reason)
        self._closed, self._cut = True, cut
        self._driven().read_whole(text, cut=cut)
        return self.result

    def _driven(self) -> DrivenReading:
        """Returns the driver's reading of a message of which nothing has come."""
        if not isinstance(self._reader, DrivenReading):
            self._reader = self._taker = DrivenReading(self._options, self._source)
        return self._reader

    @property
    def steps(self) -> int:
        """Rounds of work so far: grows linearly with the text."""
        return self._reader.steps

    @property
    def held(self) -> int:
        """Characters that are kept since something of them is undecided: not those in a call."""
        return len(self._reader.held)

    def read_text(self, start: int, end: int | None = None) -> str:
        """Returns what was fed between two offsets; what lies past a limit is left out."""
        return self._source.slice(start, self._source.length if end is None else end)

    def feed(self, chunk: str) -> list[Event]:
        """Takes the next piece of the message; returns what is certain by now.

        Raises:
            RuntimeError: after `close`.
            TypeError: for anything but a str.
        """
        # One test for everything that is rare, since a chunk comes for each token.
        if type(chunk) is not str or not chunk or self._closed:
            self._check(chunk)
            if not chunk:
                return []
        take = self._taker.take  # a field of a stream, not a method: CPython finds it sooner so
        found = take(chunk)
        return self._go_on() if found is None else found

    def _check(self, chunk: object) -> None:
        """Raises where a chunk can't be taken."""
        if self._closed:
            raise RuntimeError("feed() after close(): make a new Parser for a new message")
        if not isinstance(chunk, str):
            raise TypeError(f"feed() takes a str, got {type(chunk).__name__}")

    def _go_on(self) -> list[Event]:
        """Has the driver read the message from its beginning; returns what is new of it."""
        from toolgrammar.core.shortcuts.stream.delivered import GivenOut

        stream = self._reader
        assert not isinstance(stream, DrivenReading)
        # A stream that was not sound counts against the next tries.
        stream.machine.stream_budget.failed()
        delivered = GivenOut(stream.so_far())
        stream.release()
        # The driver appends the whole text once more, so it gets a source of its own.
        text, self._source = self._source.text(), Source()
        self._reader = self._taker = DrivenReading(
            self._options, self._source, delivered=delivered, steps=stream.steps
        )
        return self._reader.take(text)

    def close(self, finish_reason: FinishReason = None) -> list[Event]:
        """Ends the message; returns the events of its end. A second call returns none.

        Args:
            finish_reason: why the server stopped; "length", or what else APIs call it, says that
                the answer was cut.
        """
        cut = finish_reason is not None and is_cut(finish_reason)
        if self._closed:
            return []
        events: list[Event] = []
        reader = self._reader
        if not isinstance(reader, DrivenReading):
            # What a cut answer lacks, only the driver can tell.
            last = None if cut else reader.finish()
            if last is not None:
                self._closed = True
                reader.release()
                reader.machine.stream_budget.succeeded()
                return last
            events = self._go_on()
            reader = self._reader
            assert isinstance(reader, DrivenReading)
        self._closed, self._cut = True, cut
        return [*events, *reader.end(cut=cut)]

    @property
    def result(self) -> ParseResult:
        """The whole message, from `close` on.

        Raises:
            RuntimeError: before `close`.
        """
        if not self._closed:
            raise RuntimeError("result is there from close() on: call close() first")
        # Made at the first question, and kept: streams are often read for their events alone.
        if self._result is None:
            options = self._options
            self._result = self._reader.result()
            self._result.read_by(
                Reread(
                    options.format,
                    options.specs,
                    options.limits,
                    options.id_seed,
                    options.strict,
                    self._prefix,
                    self._cut,
                )
            )
        return self._result


@cache
def _stream_class() -> type[StreamReader]:
    """Returns the class of the shortcut; whole messages do without its import."""
    from toolgrammar.core.shortcuts.stream.stream_reader import StreamReader

    return StreamReader


class DrivenParser(Parser):
    """A parser that has the driver read from the beginning on."""

    def _stream_reader(self, chosen: Format) -> StreamReader | None:
        return None

    def reader_at(self, text: str, start: int, most: int) -> tuple[int, str]:
        """Tells which of several formats reads what opens at a place of a sound message.

        Nothing that comes behind the beginning changes it, as streams and whole messages give the
        same.

        Args:
            text: the message.
            start: the place.
            most: characters behind it to read, at most.

        Returns:
            The place of the format among them, -1 where that takes a judgement between formats, and
            as much of the text as tells.
        """
        among = self._driven().among
        assert among is not None
        self.feed(text[:start])
        number, beginning = -1, ""
        # One character at a time, so that the shortest beginning that tells is found, as in a
        # stream that is cut everywhere.
        for end in range(start + 1, min(start + most, len(text)) + 1):
            self.feed(text[end - 1])
            current = among.current if among.opened and among.begun == start else None
            if current is not None and current.number != number:
                number, beginning = current.number, text[start:end]
            # The next opener has begun, or what opened here is over: the rest tells nothing more of
            # it.
            if among.begun > start or (number >= 0 and not among.opened):
                break
        # A judgement may look at text behind the beginning, so the beginning alone does not tell.
        is_judged = among.begun == start and (among.passed >= 0 or among.doubted)
        return -1 if is_judged else number, beginning
