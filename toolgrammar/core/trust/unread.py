"""Reports calls that could not be read: their markup stands in the text of the message.

Who speaks of a format writes its markup, too. So it is an error, a lost call, only where the markup
is used as calls use it (`core/evidence/used.py`); else it is a warning.
"""

from __future__ import annotations

from bisect import bisect_right
from itertools import accumulate, islice
from typing import TYPE_CHECKING

from toolgrammar.core.evidence.used import (
    NEAR,
    begins,
    is_quoted,
)
from toolgrammar.core.trust.standing import openers_in
from toolgrammar.values.patterns import late
from toolgrammar.values.spans import Span

if TYPE_CHECKING:
    from collections.abc import Iterable

    from toolgrammar.core.evidence.signs import Signs
    from toolgrammar.core.message.build import Builder
    from toolgrammar.values.diagnostics import Diagnostic

_JOINED = late(r"\s{0,64},\s{0,64}\{")
_MOST_REPEATED, _LONGEST_REPEATED = 16, 2048
"""Calls whose repeats in text are looked for, and how long one is at most."""
_HINT = (
    "A misspelt opener, or a key that the format does not have, makes a call text: compare what "
    "stands there with the format's page"
)


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
    if builder.end.unclosed_text >= 0:
        # What stands there was meant for text only if it had its closer.
        rest = builder.source.slice(builder.end.unclosed_text, builder.source.length)
        stretches.append((builder.end.unclosed_text, rest))
    mentioned: tuple[str, Span] | None = None
    read = _texts_of_calls(builder)
    for start, whole in stretches:
        text = builder.turns.before_answer(whole, start)  # the answer may speak of calls
        for call in read:
            text = text.replace(call, " " * len(call))  # nothing is lost that was read
        # What ended the call before does not tell of an object that a comma joins to it.
        begin = start + 1 if _JOINED.match(text) else start
        opened = openers_in(builder, start, text)
        if not (opened or signs.are_in(text, tools)) or told.touches(begin, start + len(text)):
            continue
        found = signs.first_in(text, tools, opened)
        # An opener that ends the message: nothing behind it can show its use.
        last = opened[-1] if opened and start + len(text) == builder.source.length else None
        if last is not None and (found is None or not found[2]) and _ends(builder, text, *last):
            found = (*last, True)
        if found is None:
            continue
        at, sign, is_lost = found
        place = Span(start + at, start + at + len(sign))
        message = f"Found `{sign[:40]}` in text, and no call there that could be read"
        if start == builder.end.unclosed_text:
            message = f"Found `{sign[:40]}` behind what never closed; nothing there is a call"
        if is_lost:
            builder.report("unread-call", "error", message, place, hint=_HINT)
            return
        # An error further on outranks it, so it waits for the last stretch.
        mentioned = mentioned or (message, place)
    if mentioned is not None:
        builder.report("unread-call", "warning", *mentioned, hint=_HINT)


def _texts_of_calls(builder: Builder) -> set[str]:
    """Returns the texts of the first calls that may run: prose behind them may repeat them."""
    spans = [call.span for call in islice(builder.calls, _MOST_REPEATED) if call.executable]
    return {
        builder.source.slice(span.start, span.end)
        for span in spans
        if 0 < span.end - span.start <= _LONGEST_REPEATED and span.start >= 0
    }


def _ends(builder: Builder, text: str, at: int, opener: str) -> bool:
    """Whether a text ends with an opener that no sentence leads to, or that the server cut."""
    before = text[max(0, at - NEAR) : at]
    is_meant = builder.end.by_server or begins(before)
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
