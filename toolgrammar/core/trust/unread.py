"""Reports calls that could not be read: their markup stands in the text of the message.

Who speaks of a format writes its markup, too. So it is an error, a lost call, only where the markup
is used as calls use it (`core/evidence/used.py`); else it is a warning.
"""

from __future__ import annotations

from bisect import bisect_right
from functools import cached_property
from itertools import accumulate, islice
from operator import itemgetter
from typing import TYPE_CHECKING, TypeAlias

from toolgrammar.core.evidence.member_behind import begins_in_string
from toolgrammar.core.evidence.spellings import spellings_in
from toolgrammar.core.evidence.used import (
    NEAR,
    begins,
    is_quoted,
)
from toolgrammar.core.trust.beside_arguments import report_rest
from toolgrammar.core.trust.cut_texts import CODE as BEGUN_ANEW
from toolgrammar.core.trust.standing import openers_in
from toolgrammar.values.patterns import late
from toolgrammar.values.spans import Span

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping

    from toolgrammar.core.evidence.signs import Signs
    from toolgrammar.core.message.build import Builder
    from toolgrammar.values.calls import ToolCall
    from toolgrammar.values.diagnostics import Diagnostic
    from toolgrammar.values.tools import ToolSpec

CallAt: TypeAlias = "Callable[[str, int], ToolCall | None]"
"""What reads a text by itself, and returns the call at a place of it."""

_JOINED = late(r"\s{0,64},\s{0,64}\{")
_OF_CALLS = frozenset({"quoted-call", "unread-call"})
"""Codes of warnings that tell of a whole call in text; others tell of what was mended beside one."""
_OBJECT = late(r"\{\s{0,64}[\"'\w]")
_BEGUN = late(r"\s{0,64}\{\s{0,64}(?:[\"'\w]|\Z)")
"""An object, or its beginning at the end of the text."""
_TAG = late(r"<[^<>]{1,128}>")
_WORD = late(r"\w")
_MOST_REPEATED, _LONGEST_REPEATED = 16, 2048
"""Calls whose repeats in text are looked for, and how long one is at most."""
_MOST_READ = 8
"""Ways to put a damaged mark right after which the text is read once more."""
_HINT = (
    "A misspelt opener, or a key that the format does not have, makes a call text: compare what "
    "stands there with the format's page"
)


def report_unread(builder: Builder, signs: Signs, call_at: CallAt) -> None:
    """Reports the first place in the text of a message where a call was written and none was read.

    It is called once, when the text has ended. Nothing is read anew: the text stays text. What
    another report tells of is left out.

    Args:
        builder: what the message consists of.
        signs: what shows a call.
        call_at: reads a text by itself, for the call at a place of it.
    """
    if builder.header.calls == "last" and builder.calls:
        return  # those before it are text
    search = _Search(builder, call_at)
    stretches = [(start, text, signs, "text") for start, text in builder.text_parts.stretches()]
    for start, end, own, kind in builder.turns.prose:
        # `Actoin: search` ends no thought, so the call is a part of it. Its format is known.
        stretches.append((start, builder.source.slice(start, end), own, kind))
    stretches.sort(key=itemgetter(0))
    if builder.end.unclosed_text >= 0:
        # What stands there was meant for text only if it had its closer.
        start = builder.end.unclosed_text
        rest = builder.source.slice(start, builder.source.length)
        # Of several formats, that of the text knows its own marks best.
        both = dict.fromkeys((builder.end.unclosed_signs or signs, signs))
        stretches += [(start, rest, each, "text") for each in both]
    for start, text, *_ in stretches:
        if search.begins_in_string(start, text):
            report_rest(builder, start)
            return
    mentioned: tuple[str, Span] | None = None
    for start, text, its_signs, kind in stretches:
        found = search.first_in(start, text, its_signs)
        if found is None:
            continue
        at, sign, is_lost = found
        place = Span(start + at, start + at + len(sign))
        message = f"Found `{sign[:40]}` in {kind}, and no call there that could be read"
        if start == builder.end.unclosed_text:
            message = f"Found `{sign[:40]}` behind what never closed; nothing there is a call"
        if is_lost:
            builder.report("unread-call", "error", message, place, hint=_HINT)
            return
        # An error further on outranks it, so it waits for the last stretch.
        mentioned = mentioned or (message, place)
    if mentioned is not None:
        builder.report("unread-call", "warning", *mentioned, hint=_HINT)


_Found: TypeAlias = "tuple[int, str, bool] | None"
"""Where something stands in a text, what it is, and whether a call was meant."""


class _Search:
    """The search of one message, stretch by stretch."""

    def __init__(self, builder: Builder, call_at: CallAt) -> None:
        self._builder, self._call_at = builder, call_at
        self._told = _Told(builder)
        self._read = _texts_of_calls(builder)
        self._left = _MOST_READ
        """Texts that may be read once more."""

    def first_in(self, start: int, whole: str, signs: Signs) -> _Found:
        """Returns what shows a call first in a stretch of text that begins at an offset."""
        builder, tools = self._builder, self._builder.tools
        text = builder.turns.before_answer(whole, start)  # the answer may speak of calls
        for call in self._read:
            text = text.replace(call, " " * len(call))  # nothing is lost that was read
        # What ended the call before does not tell of an object that a comma joins to it.
        begin = start + 1 if _JOINED.match(text) else start
        opened = openers_in(builder, start, text)
        stop = start + len(text)
        if not (opened or signs.are_in(text, tools)) or self._told.all_but_mended.touch(
            begin, stop
        ):
            return None
        found = signs.first_in(text, tools, opened)
        is_near = self._told.mended.touch(begin, stop)
        if is_near and not (found is not None and found[2] and _holds_payload(text, signs, tools)):
            return None
        if found is not None and found[2]:
            return found
        # An opener that ends the message: nothing behind it can show its use.
        if start + len(text) == builder.source.length:
            # Openers in reasoning are not listed.
            last = opened[-1] if opened else signs.last_opener(text)
            if last is not None and _ends(builder, text, *last):
                return (*last, True)
        return self._spelt_otherwise(text) or self._damaged(start, text, signs) or found

    def _spelt_otherwise(self, text: str) -> _Found:
        """Returns markup that is spelt otherwise, and a call would stand there if it were not."""
        tools = self._builder.tools
        for spelling, place in spellings_in(text):
            at = place.start()
            call = self._call_at(spelling.usual(text), at)
            if call is not None and self._is_lost(call):
                # Escaped markup may be meant to be shown, unless it calls a tool that there is.
                is_lost = spelling.is_damage or call.name in tools
                return at, place[0], is_lost
        return None

    def _is_lost(self, call: ToolCall) -> bool:
        """Whether a call that would stand in the text, but for damage, may run there."""
        tools = self._builder.tools
        # Or it may be two calls, of which the model broke one off.
        return (call.executable or call.doubts == (BEGUN_ANEW,)) and (
            not tools or call.name in tools or call.name in self._builder.header.names.values()
        )

    def begins_in_string(self, start: int, text: str) -> bool:
        """Whether a stretch behind a call begins with the rest of a string that the call may lack."""
        calls = self._builder.calls
        is_rest = bool(calls) and calls[0].span.end <= start and begins_in_string(text)
        return is_rest and not self._told.all_but_mended.touch(start, start + len(text))

    def _damaged(self, start: int, text: str, signs: Signs) -> _Found:
        """Returns a mark that stands damaged in a text, and but for that a call would stand there."""
        # The text may begin in a block of code that opened before it.
        before = self._builder.source.slice(start - NEAR, start)
        for mended in islice(signs.mended(text), self._left):
            self._left -= 1
            # `<tool_cell>` before an object that is no call: an opener was meant all the same.
            is_tag, quoted = mended.text[mended.place] in "<[", is_quoted(mended.text, mended.place)
            if is_tag and not quoted and _BEGUN.match(mended.text, mended.end):
                return mended.start, mended.written, True
            context = before if mended.is_first else ""
            call = self._call_at(context + mended.text, len(context) + mended.place)
            # It opens with the mark, or right behind it: that of a section.
            is_opened = call is not None and call.span.start <= len(context) + mended.end
            if call is not None and is_opened and self._is_lost(call):
                return mended.start, mended.written, True
        return None


def _texts_of_calls(builder: Builder) -> set[str]:
    """Returns the texts of the first calls that may run: prose behind them may repeat them."""
    # The first few, and short ones: the search for each costs a pass over the text.
    spans = [call.span for call in islice(builder.calls, _MOST_REPEATED) if call.executable]
    return {
        builder.source.slice(span.start, span.end)
        for span in spans
        if 0 < span.end - span.start <= _LONGEST_REPEATED
    }


def _ends(builder: Builder, text: str, at: int, opener: str) -> bool:
    """Whether a text ends with an opener that no sentence leads to, or that the server cut."""
    before = text[max(0, at - NEAR) : at]
    is_meant = builder.end.is_cut or begins(before)
    return is_meant and not text[at + len(opener) :].strip() and not is_quoted(text, at)


def _holds_payload(text: str, signs: Signs, tools: Mapping[str, ToolSpec]) -> bool:
    """Whether more of a call stands in a text than its opener: an object, a name, its closer."""
    if _OBJECT.search(text) or any(name in text for name in tools):
        return True
    # Closers that are left over say nothing: words before them do.
    closed = text[: len(text) - len(signs.behind_closers(text))]
    return _WORD.search(_TAG.sub("", closed)) is not None


class _Told:
    """Where reports speak of something already; most messages never ask."""

    def __init__(self, builder: Builder) -> None:
        self._builder = builder

    @cached_property
    def all_but_mended(self) -> _Spans:
        """Where one tells of any call."""
        return self._spans(mended=False)

    @cached_property
    def mended(self) -> _Spans:
        """Where one tells of something that was mended."""
        return self._spans(mended=True)

    def _spans(self, *, mended: bool) -> _Spans:
        found = (each for each in self._builder.diagnostics if each.severity != "info")
        return _Spans(each.span for each in found if _is_mended(each) == mended)


def _is_mended(told: Diagnostic) -> bool:
    return told.severity == "warning" and told.code not in _OF_CALLS


class _Spans:
    """Spans that are asked for by the stretches that they touch."""

    def __init__(self, spans: Iterable[Span]) -> None:
        places = sorted((each.start, each.end) for each in spans)
        self._starts = [start for start, _ in places]
        # The furthest end so far, as spans may lie within each other: one search then tells what
        # covers a place.
        self._ends = list(accumulate((end for _, end in places), max))
        """For each of them, how far it and those before it reach."""

    def touch(self, start: int, end: int) -> bool:
        """Whether one of them reaches into a stretch or stands at its edge."""
        before = bisect_right(self._starts, end)
        return before > 0 and self._ends[before - 1] >= start
