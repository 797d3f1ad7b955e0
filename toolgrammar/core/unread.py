"""Reports calls that could not be read: their markup stands in the text of the message."""

from __future__ import annotations

from bisect import bisect_right
from itertools import accumulate
from typing import TYPE_CHECKING

from toolgrammar.core.named_tools import named_as_in_a_call
from toolgrammar.core.weights import ANY_NAME, CERTAIN
from toolgrammar.values.patterns import late
from toolgrammar.values.spans import Span

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from toolgrammar.core.build import Builder
    from toolgrammar.values.diagnostics import Diagnostic
    from toolgrammar.values.tools import ToolSpec

_JOINED = late(r"\s{0,64},\s{0,64}\{")
_HINT = (
    "A misspelt opener, or a key that the format does not have, makes a call text: compare what "
    "stands there with the format's page"
)


class Signs:
    """What shows in a text that a call was written there."""

    __slots__ = ("_by_first", "weights")

    def __init__(self, signs: Iterable[tuple[str, int]], names: Sequence[str]) -> None:
        """Takes signs, each with its weight, and the names of the known tools.

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

    def are_in(self, text: str, tools: Mapping[str, ToolSpec]) -> bool:
        """Whether a call seems to be written in a text.

        Args:
            text: the text.
            tools: the known tools by their names.
        """
        said = 0
        for first, signs in self._by_first.items():
            if first in text:  # one character is looked for at many times the speed of a text
                said += sum([self.weights[sign] for sign in signs if sign in text])
        if said >= CERTAIN or not tools:
            return said >= CERTAIN
        # To look for every name costs a pass over the text for each: most prose is spared it.
        may = said > 0 or "(" in text or "{" in text or "[" in text or "<" in text
        return may and named_as_in_a_call(text, tools, self.weights) is not None

    def first_in(self, text: str, tools: Mapping[str, ToolSpec]) -> tuple[int, str]:
        """Gives the first place of one in a text that has some, and what stands there."""
        by_first = self._by_first.values()
        places = [(text.index(sign), sign) for signs in by_first for sign in signs if sign in text]
        named = named_as_in_a_call(text, tools, self.weights)
        found = places if named is None else [*places, named]
        return min(found, key=lambda place: (place[0], -len(place[1])))


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
    for start, whole in stretches:
        text = builder.turns.before_answer(whole, start)  # the answer may speak of calls
        # What ended the call before does not tell of an object that a comma joins to it.
        begin = start + 1 if _JOINED.match(text) else start
        if not signs.are_in(text, tools) or told.touches(begin, start + len(text)):
            continue
        at, sign = signs.first_in(text, tools)
        message = f"Found `{sign[:40]}` in text, and no call there that could be read"
        if start == builder.unclosed_text:
            message = f"Found `{sign[:40]}` behind what never closed; nothing there is a call"
        place = Span(start + at, start + at + len(sign))
        builder.report("unread-call", "warning", message, place, hint=_HINT)
        return


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
