"""Lists the diagnostics of a message, up to a limit for each code, and counts the others.

Example: past the limit, 2,000 more of `bracket` become one diagnostic, `Found 2,000 more of …`.
Otherwise a megabyte of damage would be a gigabyte of diagnostics. The diagnostic that counts the
others has the severity of the worst of them. `is_misfit` decides which diagnostics, such as that of
a misspelt opener, suggest that the message is written in another format.
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
    """The diagnostics of one code that are not listed: their number, worst severity and span."""

    more: int
    severity: Severity
    start: int
    end: int

    def diagnostic(self, code: str) -> Diagnostic:
        """Returns the diagnostic that counts them, for their code."""
        message = f"Found {self.more:,} more of `{code}`; they are counted, not listed"
        return Diagnostic(code, self.severity, message, Span(self.start, self.end), hint=_HINT)


class Checkpoint(NamedTuple):
    """A position in a list of diagnostics, to which it can be rewound."""

    listed: int
    rest: Mapping[str, Rest]


START: Final = Checkpoint(0, {})
"""The checkpoint of an empty list."""


class Listing:
    """The diagnostics of one message, which can be rewound to a checkpoint."""

    def __init__(self) -> None:
        self.diagnostics: list[Diagnostic] = []
        self._counts: dict[str, int] = {}
        self._rest: Mapping[str, Rest] = {}
        """The counted diagnostics, by code; replaced and never changed, since checkpoints hold it."""

    def add(self, diagnostic: Diagnostic) -> bool:
        """Adds a diagnostic; returns whether it is listed, and not only counted."""
        code, span = diagnostic.code, diagnostic.span
        count = self._counts.get(code, 0)
        if count < limits.MOST_LISTED:
            self._counts[code] = count + 1
            self.diagnostics.append(diagnostic)
            return True
        # The count begins with the first one that is not listed; its span grows to cover all of
        # them.
        known = self._rest.get(code, Rest(0, "info", span.start, span.end))
        # One error among a million warnings must still make `ok` false.
        worst = max(known.severity, diagnostic.severity, key=_RANKS.__getitem__)
        start, end = min(known.start, span.start), max(known.end, span.end)
        self._rest = {**self._rest, code: Rest(known.more + 1, worst, start, end)}
        return False

    def checkpoint(self) -> Checkpoint:
        """Returns the checkpoint of the current state, for `rewind`."""
        return Checkpoint(len(self.diagnostics), self._rest)

    def rewind(self, checkpoint: Checkpoint) -> None:
        """Removes the diagnostics that were added after a checkpoint."""
        for each in self.diagnostics[checkpoint.listed :]:
            # `_counts` has the listed ones alone; those that are only counted are in `_rest`, which
            # the checkpoint restores.
            self._counts[each.code] -= 1
        del self.diagnostics[checkpoint.listed :]
        self._rest = checkpoint.rest

    def forget_doubts(
        self, since: Checkpoint, until: Checkpoint, codes: Iterable[str]
    ) -> Checkpoint:
        """Removes errors with some codes between two checkpoints; returns the adjusted second checkpoint."""
        # The call became text, and text has no doubts. Its warnings, which report repairs, are
        # kept.
        known, kept = set(codes), []
        for each in self.diagnostics[since.listed : until.listed]:
            if each.severity == "error" and each.code in known:
                self._counts[each.code] -= 1
            else:
                kept.append(each)
        self.diagnostics[since.listed : until.listed] = kept
        return Checkpoint(since.listed + len(kept), until.rest)

    def end(self) -> list[Diagnostic]:
        """Adds, once, the diagnostics that count the others, and returns these."""
        added = [rest.diagnostic(code) for code, rest in sorted(self._rest.items())]
        self.diagnostics += added
        self._rest = {}
        return added


def listed(diagnostics: Iterable[Diagnostic]) -> list[Diagnostic]:
    """Returns the diagnostics up to the limit for each code, then those that count the others."""
    listing = Listing()
    for each in diagnostics:
        listing.add(each)
    listing.end()
    return listing.diagnostics


_OF_MARKUP = frozenset({"misspelt", "missing-close-tag", "missing-open-tag", "stray-close-tag"})
"""Codes of safe repairs of the envelope."""
_OF_VALUES = frozenset(
    {
        "dependency-cycle",
        "duplicate-id",
        "duplicate-key",
        "empty-name",
        "malformed-name",
        "missing-quote",
        "overlong-name",
        "schema-mismatch",
        "slipped-quote",
        "unknown-argument",
        "unknown-dependency",
    }
)
"""Codes of diagnostics that do not depend on the wire: another format would report them as well."""


class FormatMisfit(Exception):  # noqa: N818 - no error: it ends a reading that is judged
    """The format that is read needs a repair, and another one might not."""

    def __init__(self, *, in_reasoning: bool = False, overlooked: bool = False) -> None:
        super().__init__()
        self.in_reasoning = in_reasoning
        """Whether another format ends the reasoning here, with no repair needed."""
        self.overlooked = overlooked
        """Whether an object is skipped that may be the arguments, with no repair needed."""


def is_misfit(code: str, severity: str) -> bool:
    """Whether a diagnostic suggests that the text is in another format.

    A safe repair inside JSON does not: models make such mistakes in any format.
    """
    # A closer that is missing in this format may not exist in another one.
    return code in _OF_MARKUP or (severity == "error" and code not in _OF_VALUES)
