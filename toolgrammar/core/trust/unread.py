"""Reports calls that could not be read, so that their markup is part of the message's text.

Example: `<toolcal>{"name": "tide"}</tool_call>` is text, with the error `unread-call`. A text that
only mentions a format contains its markup, too, so there is an error only if the markup is used as
in a call (`core/evidence/used.py`), else a warning.
"""

from __future__ import annotations

from bisect import bisect_right
from functools import cached_property
from itertools import accumulate, islice
from operator import itemgetter
from typing import TYPE_CHECKING, TypeAlias

from toolgrammar.core.evidence.member_behind import begins_rest
from toolgrammar.core.evidence.spellings import spellings_in
from toolgrammar.core.evidence.used import (
    NEAR,
    begins,
    closing_lines,
    end_of_attribute,
    is_quoted,
)
from toolgrammar.core.trust.beside_arguments import report_rest
from toolgrammar.core.trust.cut_texts import CODE as BEGUN_ANEW
from toolgrammar.core.trust.quoted_calls import openers_in
from toolgrammar.patterns import fences
from toolgrammar.tools.json_tokens import COMMAS
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
"""Reads a text as a message, and returns its first call that ends behind a place."""

_FENCE = late(fences.OPENING)
_INDENTED_FENCE = late(rf"(?m:^)([ \t]{{1,64}})`{{{fences.LEAST},}}")
_CLOSING_FENCE = late(r"\s{0,64}`{3,}")
_JOINED = late(r"\s{0,64},\s{0,64}\{")
_OF_CALLS = frozenset({"quoted-call", "unread-call"})
"""The codes of warnings about a whole call in text; other warnings are about repairs beside a call."""
_OBJECT = late(r"\{\s{0,64}[\"'\w]")
_BEGUN = late(r"\s{0,64}\{\s{0,64}(?:[\"'\w]|\Z)")
"""An object, or its beginning at the end of the text."""
_TAG = late(r"<[^<>]{1,128}>")
_WORD = late(r"\w")
_SELF_CLOSED = late(r"[\"']\s{0,8}/>\Z")
_MOST_REPEATED, _LONGEST_REPEATED = 16, 2048
"""The maximal number and the maximal length of calls that are searched again in the text."""
_LONGEST_COMMA = 32
"""The maximal length of a comma behind an object and the white space around it, in characters."""
_MOST_READ = 16
"""The maximal number of repaired texts that are read once more."""
_HINT = (
    "A misspelt opener, or a key that the format does not have, makes a call text: compare what "
    "stands there with the format's page"
)


def report_unread(builder: Builder, signs: Signs, call_at: CallAt) -> None:
    """Reports the first place in the text of a message where a call was written, but none was read.

    Called once, when the text has ended. The result does not change: the text stays text. Places that
    another diagnostic covers are skipped.

    Args:
        builder: the content of the message.
        signs: the signs of calls.
        call_at: reads a text as a message, and returns its first call that ends behind a place.
    """
    if builder.header.calls == "last" and builder.calls:
        return  # those before it are text
    search = _Search(builder, call_at)
    stretches = [(start, text, signs, "text") for start, text in builder.text_parts.stretches()]
    for start, end, own, kind in builder.turns.prose:
        # `Actoin: search` does not end reasoning, so the call is part of it. Its format is known.
        stretches.append((start, builder.source.slice(start, end), own, kind))
    stretches.sort(key=itemgetter(0))
    if builder.end.unclosed_text >= 0:
        # The rest is only known to be text if the element has its closer.
        start = builder.end.unclosed_text
        rest = builder.source.slice(start, builder.source.length)
        # Of several formats, that of the text knows its own marks best.
        both = dict.fromkeys((builder.end.unclosed_signs or signs, signs))
        stretches += [(start, rest, each, "text") for each in both]
    for start, text, its_signs, _ in stretches:
        if search.continues_call(start, text) or search.precedes_closer(start, text, its_signs):
            report_rest(builder, start)
            return
        if span := search.closer_of_value(start, text):
            closer = builder.source.slice(span.start, span.end).strip()
            message = f"Found `{closer}` behind a call; a value may have ended too early"
            builder.report("stray-close-tag", "error", message, span)
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
"""The place and the text of a sign, and whether a call was meant there."""


class _Search:
    """The search of one message, stretch by stretch."""

    def __init__(self, builder: Builder, call_at: CallAt) -> None:
        self._builder, self._call_at = builder, call_at
        self._covered = _Covered(builder)
        self._read = _texts_of_calls(builder)
        self._left = _MOST_READ
        """Texts that may be read once more."""

    @cached_property
    def _ends(self) -> frozenset[int]:
        """The offsets where calls end."""
        return frozenset(call.span.end for call in self._builder.calls)

    @cached_property
    def _fences(self) -> tuple[Span, ...]:
        """The fences around the calls in the last block of code, if they are in one: it was read."""
        fenced, source = self._builder.turns.fenced, self._builder.source
        if not fenced:
            return ()
        began = max(fenced.values())
        end = max(self._builder.calls[at].span.end for at in fenced if fenced[at] == began)
        before = source.slice(began - NEAR, began)
        line = before.rstrip("\r\n").rfind("\n") + 1
        closing = _CLOSING_FENCE.match(source.slice(end, end + NEAR))
        behind = Span(end, end + (closing.end() if closing else 0))
        return Span(began - len(before) + line, began), behind

    def first_in(self, start: int, whole: str, signs: Signs) -> _Found:
        """Returns the first sign of a lost call in a stretch of text that begins at an offset."""
        builder, tools = self._builder, self._builder.tools
        text = builder.turns.before_answer(whole, start)  # a final answer may mention calls
        for call in self._read:
            text = text.replace(call, " " * len(call))  # a call that was read is not lost
        for span in self._fences:
            text = _without(text, span.start - start, span.end - start)
        # A diagnostic at the end of a call does not cover an object that a comma joins to the call.
        begin = start + 1 if _JOINED.match(text) else start
        opened = openers_in(builder, start, text)
        stop = start + len(text)
        if self._covered.all_but_mended.touch(begin, stop):
            return None
        fence = self._fence_in_line(start, text)
        if fence is not None or not (opened or signs.are_in(text, tools)):
            return fence
        found = signs.first_in(text, tools, opened)
        is_near = self._covered.mended.touch(begin, stop)
        if is_near and not (found is not None and found[2] and _holds_payload(text, signs, tools)):
            return None
        if found is not None and found[2]:
            return found
        # An opener at the end of the message: nothing behind it can show that it is used.
        if start + len(text) == builder.source.length:
            # Openers in reasoning are not listed.
            last = opened[-1] if opened else signs.last_opener(text)
            if last is not None and _ends(builder, text, *last):
                return (*last, True)
        return self._spelt_otherwise(text) or self._damaged(start, text, signs) or found

    def _fence_in_line(self, start: int, text: str) -> _Found:
        """Returns the fence of a call that is text because it does not begin a line.

        As in `</think>```shell`: behind the closer of reasoning the text begins within a line. Or it
        is indented, as in a list of steps.
        """
        fence = _FENCE.match(text)
        if fence is not None:
            begins = self._builder.source.slice(start - 1, start) in ("", "\n")
            return None if begins or not self._is_lost_in(text) else (0, fence[0], True)
        fence = _INDENTED_FENCE.search(text)
        if fence is None:
            return None
        indent, at = fence[1], fence.end(1)
        lines = text[at:].replace(f"\n{indent}", "\n")
        return (at, fence[0].lstrip(), True) if self._is_lost_in(lines) else None

    def _is_lost_in(self, text: str) -> bool:
        """Whether a call that could run begins a text."""
        call = self._call_at(text, 0)
        return call is not None and call.span.start == 0 and self._is_lost(call)

    def _spelt_otherwise(self, text: str) -> _Found:
        """Returns markup in another spelling, if the text would be a call in the usual spelling."""
        tools = self._builder.tools
        for spelling, place in spellings_in(text):
            at = place.start()
            call = self._call_at(spelling.usual(text), at)
            if call is not None and self._is_lost(call):
                # Escaped markup may be meant to be shown, unless it calls a known tool.
                is_lost = spelling.is_damage or call.name in tools
                return at, place[0], is_lost
        return None

    def _is_lost(self, call: ToolCall) -> bool:
        """Whether a call that was found in a repaired text counts as lost: it could have run."""
        tools = self._builder.tools
        # With this doubt it may be two calls, the first of which the model broke off.
        return (call.executable or call.doubts == (BEGUN_ANEW,)) and (
            not tools or call.name in tools or call.name in self._builder.header.names.values()
        )

    def continues_call(self, start: int, text: str) -> bool:
        """Whether the text behind a call begins with the rest of a string, or a member, of the call."""
        calls = self._builder.calls
        if not calls or calls[0].span.end > start:
            return False
        # A list of calls has read the comma behind its object: of `}, "b": 2}]` the text is `"b": 2}]`.
        before, end = self._builder.source.slice(start - _LONGEST_COMMA, start), start + len(text)
        written = before.rstrip()
        if written[-2:-1] == "}" and written[-1] in COMMAS:
            start, text = start - len(before) + len(written) - 1, f",{text}"
        return begins_rest(text) and not self._covered.all_but_mended.touch(start, end)

    def precedes_closer(self, start: int, text: str, signs: Signs) -> bool:
        """Whether text stands between a call and its closer, and may be a lost part of the call.

        Example: ` and more` in `{"query": "a"} and more<|call|>`.
        """
        written = signs.before_closer(text)
        if not written.strip() or is_quoted(text, len(written)):
            return False
        if start not in self._ends:
            return False
        is_closed = signs.close(self._builder.source.slice(start - NEAR, start).rstrip())
        return not is_closed and not self._covered.all_but_mended.touch(start, start + len(written))

    def closer_of_value(self, start: int, text: str) -> Span | None:
        """Returns where a text behind a call first closes a value as the calls before it did.

        That is a line that repeats a key or a mark, or the end of an attribute right behind the call.
        """
        closers, calls = self._builder.turns.closers, self._builder.calls
        if not calls or calls[0].span.end > start:
            return None
        attribute = end_of_attribute(text) if start in self._ends else None
        before = self._builder.source.slice(start - NEAR, start)
        if attribute is not None and _SELF_CLOSED.search(before):
            return Span(start + attribute.start("end"), start + attribute.end())
        lines = (line for line in closing_lines(text) if line[0].strip().rstrip(">") in closers)
        found = next(lines, None) if closers else None
        return None if found is None else Span(start + found.start(), start + found.end())

    def _damaged(self, start: int, text: str, signs: Signs) -> _Found:
        """Returns a damaged mark, if the text would be a call with the mark repaired."""
        # The text may begin in a block of code that opened before it.
        before = self._builder.source.slice(start - NEAR, start)
        for mended in islice(signs.mended(text, self._builder.tools), self._left):
            self._left -= 1
            # `<tool_cell>` before an object is meant as an opener, even if the object is no call.
            is_tag, quoted = mended.text[mended.place] in "<[", is_quoted(mended.text, mended.place)
            if (
                mended.is_of_calls
                and is_tag
                and not quoted
                and _BEGUN.match(mended.text, mended.end)
            ):
                return mended.start, mended.written, True
            context = before if mended.is_first else ""
            call = self._call_at(context + mended.text, len(context) + mended.place)
            # The call opens with the mark, or right behind the mark of a section.
            is_opened = call is not None and call.span.start <= len(context) + mended.end
            if call is not None and is_opened and self._is_lost(call):
                return mended.start, mended.written, True
        return None


def _without(text: str, start: int, end: int) -> str:
    """Returns a text with blanks in place of the part between two indexes, which may be outside of it."""
    start, end = max(0, start), min(len(text), end)
    return f"{text[:start]}{' ' * (end - start)}{text[end:]}" if start < end else text


def _texts_of_calls(builder: Builder) -> set[str]:
    """Returns the texts of the first executable calls, which the prose behind them may repeat."""
    # Only a few short ones: the search for each costs a pass over the text.
    spans = [call.span for call in islice(builder.calls, _MOST_REPEATED) if call.executable]
    return {
        builder.source.slice(span.start, span.end)
        for span in spans
        if 0 < span.end - span.start <= _LONGEST_REPEATED
    }


def _ends(builder: Builder, text: str, at: int, opener: str) -> bool:
    """Whether a text ends with an opener that no sentence leads to, or behind which the server cut it."""
    before = text[max(0, at - NEAR) : at]
    is_meant = builder.end.is_cut or begins(before)
    return is_meant and not text[at + len(opener) :].strip() and not is_quoted(text, at)


def _holds_payload(text: str, signs: Signs, tools: Mapping[str, ToolSpec]) -> bool:
    """Whether a text contains more of a call than its opener: an object, a name or words."""
    if _OBJECT.search(text) or any(name in text for name in tools):
        return True
    # Closers alone are no evidence; words before them are.
    closed = text[: len(text) - len(signs.behind_closers(text))]
    return _WORD.search(_TAG.sub("", closed)) is not None


class _Covered:
    """The places that diagnostics cover already; computed on first use, which most messages never need."""

    def __init__(self, builder: Builder) -> None:
        self._builder = builder

    @cached_property
    def all_but_mended(self) -> _Spans:
        """The spans of all diagnostics, except those of repairs."""
        return self._spans(mended=False)

    @cached_property
    def mended(self) -> _Spans:
        """The spans of diagnostics of repairs."""
        return self._spans(mended=True)

    def _spans(self, *, mended: bool) -> _Spans:
        found = (each for each in self._builder.diagnostics if each.severity != "info")
        return _Spans(each.span for each in found if _reports_repair(each) == mended)


def _reports_repair(diagnostic: Diagnostic) -> bool:
    return diagnostic.severity == "warning" and diagnostic.code not in _OF_CALLS


class _Spans:
    """Spans that can be searched by the stretches of text that they touch."""

    def __init__(self, spans: Iterable[Span]) -> None:
        places = sorted((each.start, each.end) for each in spans)
        self._starts = [start for start, _ in places]
        # Spans may lie inside each other, so the furthest end so far is kept: then one search decides.
        self._ends = list(accumulate((end for _, end in places), max))
        """For each span, the furthest end of it and those before it."""

    def touch(self, start: int, end: int) -> bool:
        """Whether a span reaches into a stretch of text or touches its edge."""
        before = bisect_right(self._starts, end)
        return before > 0 and self._ends[before - 1] >= start
