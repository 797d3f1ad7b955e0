"""Reads one message with the driver; every shortcut has to give the same result.

In: the chunks `Let me look. <tool`, `_call>…`. Out: events, each as soon as it is certain, and at
the end the result.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, NamedTuple

from toolgrammar.catalogue.several import AnyOf
from toolgrammar.core.driver.modes import new_driver
from toolgrammar.core.mending.cut_opener import report_cut_opener
from toolgrammar.core.message.build import Builder
from toolgrammar.core.message.settings import Settings
from toolgrammar.core.message.without_prefix import event_without_prefix, without_prefix
from toolgrammar.core.trust.code_around import report_inline
from toolgrammar.core.trust.stray_reasoning_closer import report_unopened
from toolgrammar.core.trust.surroundings import element_around
from toolgrammar.core.trust.turns import Withheld
from toolgrammar.core.trust.unread import report_unread
from toolgrammar.grammar.header import Header
from toolgrammar.parsing.machines import machine_of
from toolgrammar.values.calls import ParseResult
from toolgrammar.values.spans import Span

if TYPE_CHECKING:
    from collections.abc import Mapping

    from toolgrammar.catalogue.format import Format
    from toolgrammar.core.machine.machine import Machine
    from toolgrammar.core.message.source import Source
    from toolgrammar.core.shortcuts.stream.delivered import GivenOut
    from toolgrammar.parsing.readers import SeveralReaders
    from toolgrammar.values.calls import ToolCall
    from toolgrammar.values.events import Event
    from toolgrammar.values.limits import Limits
    from toolgrammar.values.tools import ToolSpec

_FAR: Final = 256
"""So many characters of text behind a place show that no call begins there."""


class Options(NamedTuple):
    """The options for reading a message."""

    format: Format | AnyOf
    """The format, or several that the message may be written in."""
    specs: Mapping[str, ToolSpec]
    """The tools that the model had, by their names."""
    strict: bool
    """Whether repairs are disabled."""
    id_seed: str
    """The seed of ids that the format requires but the message lacks."""
    limits: Limits
    """The limits on length, depth and number of calls."""


class DrivenReading:
    """Reads one message with the driver."""

    def __init__(
        self,
        options: Options,
        source: Source,
        *,
        prefix: str = "",
        delivered: GivenOut | None = None,
        steps: int = 0,
    ) -> None:
        """Starts reading a message.

        Args:
            options: the options of the message.
            source: stores the whole text.
            prefix: the beginning of the answer that the chat template wrote.
            delivered: the events that another reading has emitted; they are not emitted again.
            steps: the rounds of work of that reading.
        """
        self._options = options
        self._source = source
        self._delivered = delivered
        self._steps_before = steps
        self._several = self._several_formats()
        self._withheld = Withheld()
        self._over = False
        """Whether the text is longer than the limit on characters."""
        self._ended = False
        machine, header = self._machine_and_header()
        self._builder = Builder(
            source=source,
            settings=Settings(header, machine.tables),
            tools=options.specs,
            id_seed=options.id_seed,
            listening=True,
            strict=options.strict,
            max_calls=options.limits.max_calls,
        )
        # With several formats, it is not known yet whose signs of calls count.
        self._builder.read_signs(None if self._several is not None else machine.signs)
        self.driver = new_driver(machine, self._builder, max_depth=options.limits.depth)
        self.among = None if self._several is None else self._several.among(self._builder)
        if self.among is not None:
            self.driver.try_formats(self.among)
        # The prefix is read first, so that whatever it opens is open. It is not part of the
        # message: offsets in the result are counted from its end.
        if prefix:
            source.begin_with_prefix(prefix)
            self.driver.feed(prefix)
            if self.driver.in_text and not self.held:
                # An element that the prefix opens goes on in the message, although its tag is
                # hidden.
                shown = element_around(prefix, self._builder.turns.element)
                self._builder.turns.stand_in_element(shown)
                source.hide_markup_before()

    def _machine_and_header(self) -> tuple[Machine, Header]:
        """Returns the machine and header of the format; neutral ones for several formats."""
        chosen = self._options.format
        if self._several is not None:
            return self._several.start, Header()
        assert not isinstance(chosen, AnyOf)
        return machine_of(chosen, self._options.specs), chosen.header

    def _several_formats(self) -> SeveralReaders | None:
        """Returns the shared state for reading several formats; None for a single format."""
        if not isinstance(self._options.format, AnyOf):
            return None
        # Imported here, since messages of one format do not need it.
        from toolgrammar.parsing.readers import readers_of

        return readers_of(self._options.format, self._options.specs)

    @property
    def builder(self) -> Builder:
        """Builds the message from what the driver reports."""
        return self._builder

    @property
    def steps(self) -> int:
        """The rounds of work so far, including those of the reading before this one."""
        return self._steps_before + self.driver.rounds

    @property
    def held(self) -> str:
        """The text that is held back, since part of it is undecided."""
        driver = self.driver
        # The buffer also keeps text that was emitted already, for lookbehind: it is not held.
        return driver.buffer[driver.position if driver.island < 0 else driver.island :]

    @property
    def unread(self) -> int:
        """The number of characters that the next chunk is read with once more."""
        return len(self.driver.buffer) - self.driver.position

    def take(self, chunk: str) -> list[Event]:
        """Takes the next piece of the message, not an empty one; returns what is certain by now."""
        self._feed(chunk, final=False)
        return self._new_events()

    def end(self, *, cut: bool) -> list[Event]:
        """Ends the message; `cut`: the server says that it cut the answer."""
        self._end("", cut=cut)
        return self._new_events()

    def read_whole(self, text: str, *, cut: bool) -> None:
        """Reads a whole message, without recording events."""
        self._builder.queue.listen(listening=False)
        self._end(text, cut=cut)

    def result(self) -> ParseResult:
        """Returns the parse result, after the message has ended."""
        builder = self._builder
        chosen = self._format_of_all()
        source = self._source.message()  # first, since joining it frees the blocks of the source
        origin = self._source.origin
        return ParseResult(
            tuple(without_prefix(each, origin) for each in builder.calls),
            builder.text_parts.stripped(),
            builder.reasoning_parts.stripped(),
            tuple(without_prefix(each, origin) for each in builder.diagnostics),
            chosen.id,
            source,
            chosen.digest,
        )

    # ------------------------------------------------------------ the parts of these

    def _feed(self, chunk: str, *, final: bool) -> None:
        # Past the limit nothing is read, and the reading was ended already.
        limit, length = self._options.limits.max_chars, self._source.length - self._source.origin
        if limit is not None and length + len(chunk) > limit:
            self._feed_to_limit(chunk, limit - length)
        elif not self._over:
            self._read(chunk, final=final)

    def _read(self, chunk: str, *, final: bool) -> None:
        """Reads a piece with the driver."""
        self._source.append(chunk)
        self.driver.feed(chunk, final=final)

    def _feed_to_limit(self, chunk: str, room: int) -> None:
        """Ends the reading at the limit on characters: the rest is text."""
        source, builder = self._source, self._builder
        if not self._over:
            self._over = True
            # An open part goes on in the text that is not read, whatever reason the server gives.
            builder.end.cut(is_cut=True)
            self._read(chunk[:room], final=True)
            place = source.length
            message = f"Found more than {place - source.origin} characters; the rest is text"
            builder.report("limit-chars", "error", message, Span(place, place))
            chunk = chunk[room:]
        offset = source.length
        source.append(chunk)
        builder.text(chunk, offset)

    def _end(self, rest: str, *, cut: bool) -> None:
        """Reads the last piece, and reports what only the end of the message shows."""
        builder, several = self._builder, self._several
        self._ended = True
        builder.end.cut(is_cut=cut or self._over)
        self._feed(rest, final=True)
        report_unopened(builder, self._reasoning_tags())
        report_inline(builder)
        # After a limit the rest was not read, so calls in it are not reported.
        if not self._over:
            report_cut_opener(builder)
            machine = self.driver.start_node.machine
            signs = machine.signs if several is None else several.signs
            report_unread(builder, signs, self._call_at)
        builder.count_rest()

    def _call_at(self, text: str, place: int) -> ToolCall | None:
        """Returns the first call of a text that ends behind a place, in the message's formats."""
        for tried in self.driver.try_apart(text):
            for call in tried.builder.calls:
                if place < call.span.end:
                    return call
            in_text = tried.island < 0 and tried.builder.draft is None
            if in_text and tried.base + tried.position > place + _FAR:
                break  # no call began there
        return None

    def _reasoning_tags(self) -> Mapping[str, str]:
        """Returns the closers of reasoning, each with its opener."""
        if self._several is not None:
            return self._several.tags
        chosen = self._options.format
        return {} if isinstance(chosen, AnyOf) else chosen.tables.reasoning_tags

    def _new_events(self) -> list[Event]:
        """Returns the events that were not emitted yet."""
        events = self._builder.queue.take()
        # A later part of the message may make a call doubtful: its `CallEnd` is withheld until
        # that is known.
        if self._builder.turns.awaiting:
            events = self._withheld.take(events, self._builder, ended=self._ended)
        if self._source.origin:
            events = [event_without_prefix(each, self._source.origin) for each in events]
        return events if self._delivered is None else self._delivered.new(events)

    def _format_of_all(self) -> Format | AnyOf:
        """Returns the format in which all calls are written, or else the caller's formats."""
        chosen = self._options.format
        used = {call.format for call in self._builder.calls}
        # With calls in two formats, neither id would be right for the message.
        if isinstance(chosen, AnyOf) and len(used) == 1:
            return next(each for each in chosen.formats if each.id in used)
        return chosen
