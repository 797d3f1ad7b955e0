"""Defines `Parser`, which reads one message as its chunks arrive.

`parser.feed("Hi <tool")` returns `[TextDelta("Hi ")]` and holds `<tool` back. A message of
one format begins with the stream reader (`core/shortcuts/stream`), which repairs nothing. Where the
message is not sound, the driver reads it again from its beginning (`driven.py`), and events that were
emitted already are skipped. All other messages are read by the driver from the start.
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

    A parser must be used by one thread or task. No text raises; `feed` after `close` does.
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
        # Checked here, since a shortcut does not use all of them.
        check_options(strict, prefix, id_seed, limits)
        chosen = formats.resolve_any(format)
        specs = to_specs(tools) if tools is not None else {}
        self._options = Options(chosen, specs, strict, id_seed, limits)
        self._source = Source(sys.maxsize if limits.max_chars is None else limits.max_chars)
        self._closed, self._prefix, self._cut = False, prefix, False
        self._result: ParseResult | None = None
        stream = None
        # The shortcut supports neither `strict` nor a prefix, and only a single format.
        if not (strict or prefix or isinstance(chosen, AnyOf)):
            stream = self._stream_reader(chosen)
        self._reader: StreamReader | DrivenReading
        """The reader of the message: the shortcut for streams until it gives up, or the driver."""
        self._taker: Cursor | DrivenReading
        """The part of the reader whose `take` reads the chunks."""
        if stream is not None:
            self._reader, self._taker = stream, stream.cursor
        else:
            self._reader = self._taker = DrivenReading(self._options, self._source, prefix=prefix)

    def _stream_reader(self, chosen: Format) -> StreamReader | None:
        """Returns the shortcut for streams; None if it can't be used or is not worth a try."""
        plain, limits = chosen.plain, self._options.limits
        # The shortcut reads JSON to the default depth, so a lower limit needs the driver.
        if plain is None or limits.depth < MAX_DEPTH:
            return None
        machine = plain.machine or machine_of(chosen, self._options.specs)
        # If many streams of this format needed the driver, it reads the next ones at once.
        if not machine.stream_budget.tries():
            return None
        most = sys.maxsize if limits.max_calls is None else limits.max_calls
        return _stream_class()(machine, self._source, plain, self._options.specs, most)

    def run_whole(self, text: str, finish_reason: FinishReason = None) -> ParseResult:
        """Reads a whole message with the driver, without recording events."""
        cut = finish_reason is not None and is_cut(finish_reason)
        self._closed, self._cut = True, cut
        self._driven().read_whole(text, cut=cut)
        return self.result

    def _driven(self) -> DrivenReading:
        """Returns the driver's reading, for a parser that was not fed yet."""
        if not isinstance(self._reader, DrivenReading):
            self._reader = self._taker = DrivenReading(self._options, self._source)
        return self._reader

    @property
    def steps(self) -> int:
        """The rounds of work so far, which grow linearly with the text."""
        return self._reader.steps

    @property
    def held(self) -> int:
        """The number of characters held back since they are undecided, outside of begun calls."""
        return len(self._reader.held)

    @property
    def unread(self) -> int:
        """The number of characters that the next chunk is read with once more.

        Of an undecided call, `held` counts what was read, too.
        """
        return self._reader.unread

    def read_text(self, start: int, end: int | None = None) -> str:
        """Returns the text between two offsets, up to the limit on characters."""
        source = self._source
        stop = source.length if end is None else end + source.origin
        return source.slice(start + source.origin, stop)

    def feed(self, chunk: str) -> list[Event]:
        """Reads the next chunk of the message; returns the events that are certain now.

        Raises:
            RuntimeError: the parser was closed.
            TypeError: the chunk is not a str.
        """
        # One test for all rare cases, since this runs for each token of a model.
        if type(chunk) is not str or not chunk or self._closed:
            self._check(chunk)
            if not chunk:
                return []
        take = (
            self._taker.take
        )  # an instance attribute of a stream, which CPython finds faster than a method
        found = take(chunk)
        return self._go_on() if found is None else found

    def _check(self, chunk: object) -> None:
        """Raises if a chunk can't be read."""
        if self._closed:
            raise RuntimeError("feed() after close(): make a new Parser for a new message")
        if not isinstance(chunk, str):
            raise TypeError(f"feed() takes a str, got {type(chunk).__name__}")

    def _go_on(self) -> list[Event]:
        """Reads the message again with the driver; returns the events that were not emitted yet."""
        from toolgrammar.core.shortcuts.stream.delivered import GivenOut

        stream = self._reader
        assert not isinstance(stream, DrivenReading)
        # A failure makes the next tries of the shortcut rarer.
        stream.machine.stream_budget.failed()
        delivered = GivenOut(stream.so_far())
        stream.release()
        # The driver appends the whole text again, so it gets a new source.
        text, self._source = self._source.text(), Source()
        self._reader = self._taker = DrivenReading(
            self._options, self._source, delivered=delivered, steps=stream.steps
        )
        return self._reader.take(text)

    def close(self, finish_reason: FinishReason = None) -> list[Event]:
        """Ends the message; returns its last events. A second call returns [].

        Args:
            finish_reason: why the server stopped; "length", and its names in other APIs, mean that
                the answer was cut.
        """
        cut = finish_reason is not None and is_cut(finish_reason)
        if self._closed:
            return []
        events: list[Event] = []
        reader = self._reader
        if not isinstance(reader, DrivenReading):
            # Only the driver can report what a cut answer lacks.
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
        """The result of the whole message, available after `close`.

        Raises:
            RuntimeError: the parser was not closed.
        """
        if not self._closed:
            raise RuntimeError("result is there from close() on: call close() first")
        # Made on first access, since streams are often read for their events alone.
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
    """Returns the class of the shortcut, imported on first use: whole messages do not need it."""
    from toolgrammar.core.shortcuts.stream.stream_reader import StreamReader

    return StreamReader


class DrivenParser(Parser):
    """A parser that always reads with the driver."""

    def _stream_reader(self, chosen: Format) -> StreamReader | None:
        return None

    def reader_at(self, text: str, start: int, most: int) -> tuple[int, str]:
        """Finds which of several formats reads the call that opens at an offset of a sound message.

        Later text can't change the answer, since streams and whole messages give the same result.

        Args:
            text: the message.
            start: the offset.
            most: the number of characters after it to read at most.

        Returns:
            The index of the format, or -1 if formats have to be compared, and the shortest
            beginning of the text that decides it.
        """
        among = self._driven().among
        assert among is not None
        self.feed(text[:start])
        number, beginning = -1, ""
        # One character at a time, to find the shortest beginning that decides.
        for end in range(start + 1, min(start + most, len(text)) + 1):
            self.feed(text[end - 1])
            current = among.current if among.opened and among.begun == start else None
            if current is not None and current.number != number:
                number, beginning = current.number, text[start:end]
            # The next opener has begun, or the call that opened here is over.
            if among.begun > start or (number >= 0 and not among.opened):
                break
        # A comparison of formats may depend on later text, so the beginning alone is not enough.
        judge = among.judge
        is_judged = among.begun == start and (judge.passed >= 0 or judge.doubted)
        return -1 if is_judged else number, beginning
