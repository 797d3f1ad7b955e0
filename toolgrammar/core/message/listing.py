"""Lists what a message is diagnosed with: of each code so many, then how many more there are.

A megabyte of damage would else be a gigabyte of diagnostics. What is not listed still counts: the
severity of the diagnostic that stands for the rest is that of the worst of them.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, NamedTuple

from toolgrammar.values import limits
from toolgrammar.values.diagnostics import Diagnostic
from toolgrammar.values.spans import Span

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from toolgrammar.values.diagnostics import Severity

_RANKS: Final = {"info": 0, "warning": 1, "error": 2}
_HINT: Final = (
    "their edits are not listed either: what was mended can't be checked by applying them"
)


class Rest(NamedTuple):
    """What is not listed of one code."""

    more: int
    severity: Severity
    start: int
    end: int

    def diagnostic(self, code: str) -> Diagnostic:
        """Returns the diagnostic that counts them."""
        message = f"Found {self.more:,} more of `{code}`; they are counted, not listed"
        return Diagnostic(code, self.severity, message, Span(self.start, self.end), hint=_HINT)


class Mark(NamedTuple):
    """How far a list of diagnostics had come."""

    listed: int
    rest: Mapping[str, Rest]


START: Final = Mark(0, {})
"""Where there is none yet."""


class Listing:
    """The diagnostics of one message, which can be taken back to a mark."""

    def __init__(self) -> None:
        self.diagnostics: list[Diagnostic] = []
        self._counts: dict[str, int] = {}
        self._rest: Mapping[str, Rest] = {}
        """By code; never changed in place, so that a mark can hold it."""

    def add(self, diagnostic: Diagnostic) -> bool:
        """Lists a diagnostic; false where it is only counted."""
        code, span = diagnostic.code, diagnostic.span
        count = self._counts.get(code, 0)
        if count < limits.MOST_LISTED:
            self._counts[code] = count + 1
            self.diagnostics.append(diagnostic)
            return True
        # The count begins with the first that is not listed; its span grows over all of them.
        known = self._rest.get(code, Rest(0, "info", span.start, span.end))
        # One error among a million warnings must still make the message one that is not ok.
        worst = max(known.severity, diagnostic.severity, key=_RANKS.__getitem__)
        start, end = min(known.start, span.start), max(known.end, span.end)
        self._rest = {**self._rest, code: Rest(known.more + 1, worst, start, end)}
        return False

    def mark(self) -> Mark:
        """Returns what `rewind` takes to come back to here."""
        return Mark(len(self.diagnostics), self._rest)

    def rewind(self, mark: Mark) -> None:
        """Forgets what came since a mark."""
        for each in self.diagnostics[mark.listed :]:
            # The counts of what is only counted are not in `_counts`, so `_rest` alone takes them
            # back.
            self._counts[each.code] -= 1
        del self.diagnostics[mark.listed :]
        self._rest = mark.rest

    def forget_doubts(self, since: Mark, until: Mark, codes: Iterable[str]) -> Mark:
        """Forgets the errors with some codes between two marks; returns what the second one is now."""
        # The call became text, and text has no doubts; its warnings say what was mended and stay.
        known, kept = set(codes), []
        for each in self.diagnostics[since.listed : until.listed]:
            if each.severity == "error" and each.code in known:
                self._counts[each.code] -= 1
            else:
                kept.append(each)
        self.diagnostics[since.listed : until.listed] = kept
        return Mark(since.listed + len(kept), until.rest)

    def end(self) -> list[Diagnostic]:
        """Lists, once, how many more there are of each code; returns what that added."""
        added = [rest.diagnostic(code) for code, rest in sorted(self._rest.items())]
        self.diagnostics += added
        self._rest = {}
        return added


def listed(diagnostics: Iterable[Diagnostic]) -> list[Diagnostic]:
    """Returns diagnostics, of each code so many, and behind them those that count the rest."""
    listing = Listing()
    for each in diagnostics:
        listing.add(each)
    listing.end()
    return listing.diagnostics
