"""Reports calls that could not be read: their markup stands in the text of the message.

Who speaks of a format writes its markup, too. So it is an error, a lost call, only where the markup
is used as calls use it (`core/used.py`); else it is a warning.
"""

from __future__ import annotations

from bisect import bisect_right
from itertools import accumulate
from typing import TYPE_CHECKING

from toolgrammar.core.named_tools import named_as_in_a_call
from toolgrammar.core.standing import openers_in
from toolgrammar.core.used import (
    NEAR,
    begins,
    holds_object,
    is_label,
    is_quoted,
    is_used,
    quotations,
)
from toolgrammar.core.weights import ANY_NAME, CERTAIN, weight_of
from toolgrammar.values.patterns import late
from toolgrammar.values.spans import Span

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from toolgrammar.core.build import Builder
    from toolgrammar.values.diagnostics import Diagnostic
    from toolgrammar.values.tools import ToolSpec

_JOINED = late(r"\s{0,64},\s{0,64}\{")
_MOST_PLACES = 64
"""Places of one sign that are looked at."""
_HINT = (
    "A misspelt opener, or a key that the format does not have, makes a call text: compare what "
    "stands there with the format's page"
)


class Signs:
    """What shows in a text that a call was written there."""

    __slots__ = ("_by_first", "_closers", "_marks", "weights")

    def __init__(
        self, signs: Iterable[tuple[str, int]], names: Sequence[str], closers: Iterable[str] = ()
    ) -> None:
        """Takes signs, each with its weight, the names of the known tools, and what ends calls.

        One of no weight only tells of a call where the name of a tool follows it.
        """
        self.weights: dict[str, int] = {}
        for text, weight in signs:
            for name in names if ANY_NAME in text else ("",):
                self.weights[text.replace(ANY_NAME, name)] = weight
        self._by_first: dict[str, list[str]] = {}
        for text, weight in self.weights.items():
            if weight:
                self._by_first.setdefault(text[0], []).append(text)
        self._marks = {
            text
            for text, weight in self.weights.items()
            if weight >= CERTAIN or (weight and weight_of(text) >= CERTAIN)
        }
        """Those that are markup of calls alone, openers too."""

        self._closers = (
            *closers,
            *(f"</{name}>" for name in names if f"</{name}>" in self.weights),
        )

    @property
    def has_closers(self) -> bool:
        """Whether calls end with markup of their own."""
        return bool(self._closers)

    def behind_closers(self, text: str) -> str:
        """Returns what of a text stands behind the last closer of a call in it."""
        ends = [at + len(closer) for closer in self._closers if (at := text.rfind(closer)) >= 0]
        return text[max(ends, default=0) :]

    def show_use(self, text: str, opened: Sequence[tuple[int, str]]) -> bool:
        """Whether the markup of a call that goes on to the end of a text stands in it.

        An object that is whole ends what it is the payload of.

        Args:
            text: the text.
            opened: openers in it that only calls have, each with its place.
        """
        found = [sign for sign in self._marks if sign in text]
        if not (found or opened):
            return False
        quoted = quotations(text)
        if any(is_label(text, at := text.find(sign), at + len(sign)) for sign in found):
            return True
        places = [place for sign in found for place in _uses(text, sign, quoted)]
        places += [(at, sign) for at, sign in opened if _is_used(text, at, sign, quoted)]
        return not all(holds_object(text, at + len(sign)) for at, sign in places)

    def are_in(self, text: str, tools: Mapping[str, ToolSpec]) -> bool:
        """Whether a call may be written in a text.

        Args:
            text: the text.
            tools: the known tools by their names.
        """
        said = 0
        for first, signs in self._by_first.items():
            if first in text:  # one character is looked for at many times the speed of a text
                for sign in signs:
                    if sign in text:
                        said += self.weights[sign]
                        if sign in self._marks:
                            return True
        if said >= CERTAIN or not tools:
            return said >= CERTAIN
        # To look for every name costs a pass over the text for each: most prose is spared it.
        may = said > 0 or "(" in text or "{" in text or "[" in text or "<" in text
        return may and named_as_in_a_call(text, tools, self.weights) is not None

    def first_in(
        self, text: str, tools: Mapping[str, ToolSpec], opened: Sequence[tuple[int, str]] = ()
    ) -> tuple[int, str, bool] | None:
        """Gives the first place of one in a text, what stands there, and whether a call was meant.

        None where the text does no more than name an opener.

        Args:
            text: the text.
            tools: the known tools by their names.
            opened: openers in the text that only calls have, each with its place.
        """
        found = [sign for signs in self._by_first.values() for sign in signs if sign in text]
        places = [(text.index(sign), sign) for sign in found]
        said = sum(self.weights[sign] for sign in found)
        quoted = quotations(text)
        used = [
            place for sign in found if sign in self._marks for place in _uses(text, sign, quoted)
        ]
        used += [(at, sign) for at, sign in opened if _is_used(text, at, sign, quoted)]
        named = named_as_in_a_call(text, tools, self.weights) if tools else None
        if named is not None:
            places.append(named)
            at, sign = named
            # A quote that ends in what was found belongs to it: it is a string of JSON.
            if text[at - 1 : at] in sign or not is_quoted(text, at):
                used.append(named)
        if not used and named is None and said < CERTAIN:
            return None
        at, sign = min(used or places, key=lambda place: (place[0], -len(place[1])))
        return at, sign, bool(used)


def _uses(text: str, sign: str, quoted: Sequence[tuple[int, int]]) -> Iterator[tuple[int, str]]:
    """Yields the places where a sign is used as a call uses it, of the first few that it has."""
    at = text.find(sign)
    for _ in range(_MOST_PLACES):
        if at < 0:
            return
        if _is_used(text, at, sign, quoted):
            yield at, sign
        at = text.find(sign, at + len(sign))


def _is_used(text: str, at: int, sign: str, quoted: Sequence[tuple[int, int]]) -> bool:
    """Whether what stands at a place is used as a call uses it, and not quoted."""
    is_inside = any(start < at < end for start, end in quoted)
    return not is_inside and is_used(text, at, at + len(sign))


def report_unread(builder: Builder, signs: Signs) -> None:
    """Reports the first place in the text of a message where a call was written and none was read.

    It is called once, when the text has ended. Nothing is read anew: the text stays text. What
    another report tells of is left out.

    Args:
        builder: what the message consists of.
        signs: what shows a call.
    """
    if builder.header.calls == "last":
        return  # those before it are text
    told, tools = _Told(builder.diagnostics), builder.tools
    stretches = builder.text_parts.stretches()
    if builder.unclosed_text >= 0:
        # What stands there was meant for text only if it had its closer.
        rest = builder.source.slice(builder.unclosed_text, builder.source.length)
        stretches.append((builder.unclosed_text, rest))
    mentioned: tuple[str, Span] | None = None
    for start, whole in stretches:
        text = builder.turns.before_answer(whole, start)  # the answer may speak of calls
        # What ended the call before does not tell of an object that a comma joins to it.
        begin = start + 1 if _JOINED.match(text) else start
        opened = openers_in(builder, start, text)
        if not (opened or signs.are_in(text, tools)) or told.touches(begin, start + len(text)):
            continue
        found = signs.first_in(text, tools, opened)
        last = opened[-1] if opened and start + len(text) == builder.source.length else None
        if last is not None and (found is None or not found[2]) and _ends(builder, text, *last):
            found = (*last, True)
        if found is None:
            continue
        at, sign, is_lost = found
        place = Span(start + at, start + at + len(sign))
        message = f"Found `{sign[:40]}` in text, and no call there that could be read"
        if start == builder.unclosed_text:
            message = f"Found `{sign[:40]}` behind what never closed; nothing there is a call"
        if is_lost:
            builder.report("unread-call", "error", message, place, hint=_HINT)
            return
        mentioned = mentioned or (message, place)
    if mentioned is not None:
        builder.report("unread-call", "warning", *mentioned, hint=_HINT)


def _ends(builder: Builder, text: str, at: int, opener: str) -> bool:
    """Whether a text ends with an opener that no sentence leads to, or that the server cut."""
    before = text[max(0, at - NEAR) : at]
    is_meant = builder.cut_by_server or begins(before)
    return is_meant and not text[at + len(opener) :].strip() and not is_quoted(text, at)


class _Told:
    """Where reports speak of something already."""

    def __init__(self, diagnostics: Iterable[Diagnostic]) -> None:
        spans = [(d.span.start, d.span.end) for d in diagnostics if d.severity != "info"]
        spans.sort()
        self._starts = [start for start, _ in spans]
        self._ends = list(accumulate((end for _, end in spans), max))
        """For each of them, how far it and those before it reach."""

    def touches(self, start: int, end: int) -> bool:
        """Whether one of them reaches into a stretch or stands at its edge."""
        before = bisect_right(self._starts, end)
        return before > 0 and self._ends[before - 1] >= start
