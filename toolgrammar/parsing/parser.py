"""Wires one message's driver and builder: the push parser of the public API."""

from __future__ import annotations

import sys
from functools import cache
from typing import TYPE_CHECKING

from toolgrammar.catalogue.registry import formats
from toolgrammar.catalogue.several import AnyOf
from toolgrammar.core.alternative import Settings
from toolgrammar.core.begun import report_begun
from toolgrammar.core.build import Builder
from toolgrammar.core.driver import Driver
from toolgrammar.core.json_tokens import MAX_DEPTH
from toolgrammar.core.passage import LONGEST_PASSAGE, end_passage, feed_inside, passage_at
from toolgrammar.core.patience import CREDIT
from toolgrammar.core.source import Source
from toolgrammar.core.standing import report_inline
from toolgrammar.core.turns import Withheld
from toolgrammar.core.unopened import report_unopened
from toolgrammar.core.unread import report_unread
from toolgrammar.parsing.checks import check_limits, check_strict, is_cut
from toolgrammar.parsing.machines import machine_of, settings_of
from toolgrammar.tools.specs import to_specs
from toolgrammar.values.calls import ParseResult
from toolgrammar.values.diagnostics import Diagnostic
from toolgrammar.values.limits import Limits
from toolgrammar.values.spans import Span

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from toolgrammar.catalogue.format import Format
    from toolgrammar.catalogue.registry import FormatsLike
    from toolgrammar.core.given_out import GivenOut
    from toolgrammar.core.passage import Passage
    from toolgrammar.core.sound_stream import SoundStream
    from toolgrammar.core.unread import Signs
    from toolgrammar.parsing.readers import Several
    from toolgrammar.values.events import Event

FinishReason = str | None
_ENDLESS = Limits()
_NEUTRAL = Settings("", {}, {}, drop_unknown=False, free_text=False)


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
        if not isinstance(prefix, str):
            raise TypeError(f"prefix must be a str, got {type(prefix).__name__}")
        check_limits(limits)
        check_strict(strict)
        self._format = chosen = formats.resolve_any(format)
        self._specs = to_specs(tools) if tools is not None else {}
        self._limits = limits
        self._room = sys.maxsize if limits.max_chars is None else limits.max_chars
        self._source = Source(self._room)
        self._id_seed = id_seed
        self._strict = strict
        self._result: ParseResult | None = None
        self._passage: Passage | None = None
        self._closed = False
        self._over = False
        self._given_out: GivenOut | None = None
        self._steps_before = 0
        self._several: Several | None = None
        self._sound: SoundStream | None = None
        """What reads the message so far without the driver."""
        self._ended: SoundStream | None = None
        """What has read all of it so."""
        if not (strict or prefix or isinstance(chosen, AnyOf)):
            self._sound = self._sound_stream(chosen)
        if self._sound is None:
            self._begin(prefix)

    def _begin(self, prefix: str = "") -> None:
        """Sets the driver to the beginning of the message."""
        chosen, specs, limits = self._format, self._specs, self._limits
        if isinstance(chosen, AnyOf):
            from toolgrammar.parsing.readers import several_of

            self._several = several_of(chosen, specs)
            machine, settings = self._several.start, _NEUTRAL
            signs = None
        else:
            machine, settings = machine_of(chosen, specs), settings_of(chosen)
            signs = machine.signs
        self._builder = Builder(
            source=self._source,
            format_id=settings.format_id,
            tools=specs,
            trim=settings.trim,
            wire_roles=settings.wire_roles,
            drop_unknown=settings.drop_unknown,
            id_seed=self._id_seed,
            free_text=settings.free_text,
            listening=True,
            strict=self._strict,
            max_calls=limits.max_calls,
            header=settings.header,
        )
        self._builder.signs = signs
        self._driver = Driver(
            machine,
            self._builder,
            base=-len(prefix),
            max_depth=limits.depth,
        )
        if self._several is not None:
            self._driver.among = self._several.among(self._builder)
        self._withheld = Withheld()
        if prefix:
            self._builder.prefix = prefix
            self._driver.feed(prefix)

    def _sound_stream(self, chosen: Format) -> SoundStream | None:
        """Gives the short way through the stream, where it is worth a try."""
        plain, limits = chosen.plain, self._limits
        if plain is None or limits.depth < MAX_DEPTH:
            return None
        machine = plain.machine or machine_of(chosen, self._specs)
        if not machine.sound.tries():
            return None
        most = sys.maxsize if limits.max_calls is None else limits.max_calls
        return _stream_class()(machine, self._source, plain, self._specs, most)

    def run_whole(self, text: str, finish_reason: FinishReason = None) -> ParseResult:
        """Reads a whole message at once: the driver fed once, with nobody listening."""
        if self._sound is not None:
            self._sound = None
            self._begin()
        self._builder.listening = False
        self._take(text, final=True, finish_reason=finish_reason)
        return self.result

    @property
    def steps(self) -> int:
        """Rounds of work so far: grows linearly with the text."""
        sound = self._sound or self._ended
        return self._steps_before + (self._driver.steps if sound is None else sound.steps)

    @property
    def held(self) -> int:
        """Characters that are kept since something of them is undecided: not those in a call."""
        sound = self._sound
        return len(self._driver.buffer if sound is None else sound.held)

    def feed(self, chunk: str) -> list[Event]:
        """Takes the next piece of the message; gives what is certain by now.

        Raises:
            RuntimeError: after `close`.
            TypeError: for anything but a str.
        """
        sound = self._sound
        if sound is None:
            return self._feed_driver(chunk)
        if not chunk:
            self._check(chunk)
            return []
        try:
            take = sound.take  # a field, not a method: CPython finds it sooner so
            found = take(chunk)
        except TypeError:
            self._check(chunk)
            raise
        if found is not None:
            return found
        self._hand_over(sound)
        return self._taken()

    def _check(self, chunk: object) -> None:
        """Raises where a chunk can't be taken."""
        if self._closed:
            raise RuntimeError("feed() after close(): make a new Parser for a new message")
        if not isinstance(chunk, str):
            raise TypeError(f"feed() takes a str, got {type(chunk).__name__}")

    def _feed_driver(self, chunk: str) -> list[Event]:
        passage = self._passage
        if passage is not None:
            room = passage.room - len(chunk) if type(chunk) is str else -1
            events = passage.take(chunk) if room >= 0 else None
            if events is not None:
                passage.room = room
                return events
            self._end_passage(passage)
            if isinstance(chunk, str):
                chunk = passage.held + chunk
        self._check(chunk)
        if chunk:
            room = self._room - self._source.length - len(chunk)
            if room >= 0 and feed_inside(self._driver, chunk):
                self._source.append(chunk)
                if self._may_pass():
                    self._passage = passage_at(self._driver, min(room, LONGEST_PASSAGE))
            else:
                self._take(chunk, final=False)
        return self._taken()

    def _may_pass(self) -> bool:
        """Whether events may be given out as they come."""
        behind = self._given_out is None or self._given_out.is_behind
        return behind and not self._withheld.events

    def _hand_over(self, sound: SoundStream) -> None:
        """Has the driver read the message from its beginning."""
        from toolgrammar.core.given_out import GivenOut

        self._sound = None
        sound.machine.sound.failed()
        self._steps_before = sound.steps
        self._given_out = GivenOut(sound)
        sound.release()
        text = self._source.text()
        self._source = Source()
        self._begin()
        self._take(text, final=False)

    def _end_passage(self, passage: Passage) -> None:
        self._passage = None
        self._source.append(end_passage(self._driver, passage))

    def close(self, finish_reason: FinishReason = None) -> list[Event]:
        """Ends the message; gives the events of its end. A second call gives none.

        Args:
            finish_reason: why the server stopped; "length", or what else APIs call it, says that
                the answer was cut.
        """
        rest = ""
        sound = self._sound
        cut = finish_reason is not None and is_cut(finish_reason)
        if sound is not None:
            last = None if cut else sound.finish()
            if last is not None:
                self._closed = True
                self._sound, self._ended = None, sound
                sound.release()
                sound.machine.sound.left = CREDIT
                return last
            self._hand_over(sound)
        if self._passage is not None:
            rest = self._passage.held
            self._end_passage(self._passage)
        if not self._closed:
            self._take(rest, final=True, finish_reason=finish_reason)
        return self._taken() if self._ended is None else []

    def _take(self, chunk: str, *, final: bool, finish_reason: FinishReason = None) -> None:
        if final:
            self._closed = True
            self._builder.cut_by_server = finish_reason is not None and is_cut(finish_reason)
        limit = self._limits.max_chars
        if limit is not None and self._source.length + len(chunk) > limit:
            self._take_rest(chunk, limit - self._source.length)
        elif not self._over:
            self._source.append(chunk)
            self._driver.feed(chunk, final=final)
        if final:
            self._builder.watched = False  # nothing is left to be judged
            report_unopened(self._builder, self._reasoning_tags())
            report_inline(self._builder)
            if not self._over:
                report_begun(self._builder)
                report_unread(self._builder, self._signs())
            self._builder.count_rest()

    def _reasoning_tags(self) -> Mapping[str, str]:
        if self._several is not None:
            return self._several.tags
        return {} if isinstance(self._format, AnyOf) else self._format.tables.reasoning_tags

    def _signs(self) -> Signs:
        """Gives what shows in text that a call was written there."""
        several = self._several
        return self._driver.start_node.machine.signs if several is None else several.signs

    def _take_rest(self, chunk: str, room: int) -> None:
        """Ends the reading at the limit of characters: the rest is text."""
        source, builder = self._source, self._builder
        if not self._over:
            self._over = True
            source.append(chunk[:room])
            self._driver.feed(chunk[:room], final=True)
            limit = source.length
            message = f"Found more than {limit} characters; the rest is text"
            builder.report("limit-chars", "error", message, Span(limit, limit))
            chunk = chunk[room:]
        offset = source.length
        source.append(chunk)
        builder.text(chunk, offset)

    def _taken(self) -> list[Event]:
        events, self._builder.events = self._builder.events, []
        if self._builder.turns.awaiting:
            events = self._withheld.take(events, self._builder, ended=self._closed)
        return events if self._given_out is None else self._given_out.new(events)

    @property
    def result(self) -> ParseResult:
        """The whole message, from `close` on.

        Raises:
            RuntimeError: before `close`.
        """
        if not self._closed:
            raise RuntimeError("result is there from close() on: call close() first")
        if self._result is None and self._ended is not None:
            self._result = self._ended.result()
        if self._result is None:
            builder = self._builder
            format_ = self._format_of_all()
            source = self._source.text()  # first: its blocks are free before the text is joined
            self._result = ParseResult(
                tuple(builder.calls),
                builder.text_parts.stripped(),
                builder.reasoning_parts.stripped(),
                tuple(builder.diagnostics),
                format_.id,
                source,
                format_.digest,
            )
        return self._result

    def _format_of_all(self) -> Format | AnyOf:
        """Gives the one format that all calls are written in, else what the caller named."""
        chosen = self._format
        used = {call.format for call in self._builder.calls}
        if isinstance(chosen, AnyOf) and len(used) == 1:
            return next(each for each in chosen.formats if each.id in used)
        return chosen


@cache
def _stream_class() -> type[SoundStream]:
    """Gives the class of the short way; whole messages do without its import."""
    from toolgrammar.core.sound_stream import SoundStream

    return SoundStream


class DrivenParser(Parser):
    """A parser that has the driver read from the beginning on."""

    def _sound_stream(self, chosen: Format) -> SoundStream | None:
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
        among = self._driver.among
        assert among is not None
        self.feed(text[:start])
        number, beginning = -1, ""
        for end in range(start + 1, min(start + most, len(text)) + 1):
            self.feed(text[end - 1])
            current = among.current if among.opened and among.begun == start else None
            if current is not None and current.number != number:
                number, beginning = current.number, text[start:end]
            if among.begun > start or (number >= 0 and not among.opened):
                break
        is_judged = among.begun == start and (among.passed >= 0 or among.doubted)
        return -1 if is_judged else number, beginning


def note(code: str, message: str, start: int, end: int) -> Diagnostic:
    """Makes a diagnostic of the facade: about the input, not about the format."""
    return Diagnostic(code, "warning", message, Span(start, end))
