"""Records what was mended in a JSON text, and reports it as diagnostics.

Example: of `{a: 1}` the repair `bare-key` has one edit, which replaces `a` by `"a"`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from toolgrammar.core.payloads.json.whole import equal_duplicates
from toolgrammar.values import limits
from toolgrammar.values.codes import CODES, DOUBTS
from toolgrammar.values.diagnostics import Diagnostic, Edit
from toolgrammar.values.spans import Span

if TYPE_CHECKING:
    from collections.abc import Iterable

    from toolgrammar.values.diagnostics import Severity

MESSAGES: Final = {
    "stray-comma": "Found a comma with nothing to part; JSON wants none here",
    "quote-style": "Found a string in other quotes; JSON wants double quotes",
    "template": "Found `${` in a backtick string; it is kept as it stands",
    "doubled-quotes": "Found a quote written twice; JSON wants one",
    "bare-key": "Found a key without quotes; JSON wants double quotes",
    "bare-text": "Found text without quotes; it is read as a string",
    "literal": "Found another spelling; JSON wants `true`, `false` or `null`",
    "undefined": "Found `undefined`; it is read as null",
    "bracket": "Found a bracket missing or of the wrong kind; each is closed by its own",
    "comment": "Found a comment; JSON has none",
    "comma": "Found no comma between two values; JSON wants one",
    "colon": "Found no colon after a key; JSON wants one",
    "extra-closer": "Found a closing bracket that nothing opened; it is dropped",
    "control": "Found a raw control character in a string; JSON wants it escaped",
    "escape": "Found a backslash that escapes nothing; JSON wants it doubled",
    "mixed-escape": "Found backslashes that escape beside such that do not; letters may be lost",
    "unescaped-once": "Found the whole text escaped once too often; one level is removed",
    "decoded": "Found a JSON string that holds the value; it is decoded",
    "space": "Found what is no white space in JSON between tokens; it is dropped",
    "inner-quote": "Found a quote inside a string; JSON wants it escaped",
    "missing-quote": "Found a string that lacks a quote; it is put in",
    "open-string": "Found markup of calls in a string that no quote closes; it ends before that",
    "missing-value": "Found a key or a value without the other; it is dropped",
    "duplicate-key": "Found a key for the second time; the last one counts",
    "nonfinite": "Found NaN or Infinity; JSON has no such number",
    "number": "Found a number in another form; JSON wants decimal digits",
    "lone-surrogate": "Found half a surrogate pair; it is replaced by U+FFFD",
    "around": "Found text around the value; it is left out",
    "extra-value": "Found another value after the first; it is not read",
    "schema-type": "Found a value of another type than its schema; it is converted",
    "truncated": "Found the end of the text inside the value",
    "too-deep": "Found brackets nested too deep; the value is not read",
    "refused": "Found no JSON value",
    "unreadable": "Found nothing in the object that can be read as a member",
}
"""The message for each code: what was found, and what JSON expects."""

_HINTS: Final = {
    "truncated": "the value is not whole: do not use it as if it were",
    "inner-quote": "a schema tells where such a string ends",
}

_JUDGED: Final = frozenset({"duplicate-key", "inner-quote"})
_MAY_CHANGE: Final = 64
"""The number of the latest repairs that may still change; earlier ones are final."""


class Repair:
    """A repair: its code, its place and its edits."""

    __slots__ = ("code", "doubt", "edits", "end", "path", "start")

    def __init__(self, code: str, start: int, end: int, path: str) -> None:
        self.code = code
        self.start = start
        self.end = end
        self.path = path
        self.edits: list[tuple[int, int, str]] = []
        self.doubt = code in DOUBTS
        """Whether the repair may have guessed wrong."""

    def edit(self, start: int, end: int, text: str) -> None:
        """Adds an edit at offsets of the source."""
        self.edits.append((start, end, text))

    def rewrite(self, *edits: tuple[int, int, str]) -> None:
        """Replaces all edits."""
        self.edits[:] = edits

    def extend(self, end: int) -> None:
        """Moves its end in the source."""
        self.end = end

    def move(self, start: int, end: int) -> None:
        """Moves it to another place in the source, without its edits, which don't apply there."""
        self.start, self.end = start, end
        self.edits.clear()

    def take_in(self, other: Repair) -> None:
        """Merges another repair of the same code into this one."""
        self.start, self.end = min(self.start, other.start), max(self.end, other.end)
        self.doubt = self.doubt or other.doubt

    def judge(self, *, doubt: bool) -> None:
        """Sets whether the repair may have guessed wrong."""
        self.doubt = doubt

    def become(self, code: str, *, doubt: bool) -> None:
        """Changes the code of the repair: the text after it shows what the damage is."""
        self.code, self.doubt = code, doubt

    def diagnostic(self) -> Diagnostic:
        """Returns the diagnostic of the repair."""
        # Neighbouring edits are joined, or a long string in other quotes would have thousands.
        joined = self._joined() if len(self.edits) > 1 else self.edits
        edits = tuple([Edit(Span(start, end), text) for start, end, text in joined])
        return Diagnostic(
            self.code,
            self._severity(),
            MESSAGES[self.code],
            Span(self.start, self.end),
            edits,
            self.path,
            _HINTS.get(self.code, "") if self.doubt or self.code == "truncated" else "",
        )

    def _joined(self) -> list[tuple[int, int, str]]:
        """Returns the edits, with adjacent replacements joined."""
        found = list(self.edits[:1])
        pieces: list[str] = []
        for start, end, text in self.edits[1:]:
            first, last, before = found[-1]
            if last == start and first < last and start < end:
                pieces = pieces or [before]
                pieces.append(text)
                found[-1] = (first, end, before)
                continue
            if pieces:
                found[-1] = (first, last, "".join(pieces))
                pieces = []
            found.append((start, end, text))
        if pieces:
            found[-1] = (*found[-1][:2], "".join(pieces))
        return found

    def _severity(self) -> Severity:
        if self.doubt:
            return "error"
        severity = CODES[self.code].severity
        # If a code is an error because of its doubt, a repair without doubt is a warning.
        return "warning" if severity == "error" and CODES[self.code].doubt else severity


def judge_duplicates(repairs: Iterable[Repair], text: str) -> int:
    """Judges the keys that are repeated in a whole value by its JSON; returns how many there are."""
    doubled = [each for each in repairs if each.code == "duplicate-key"]
    # `{"x": 1, "x": 1}` is the same object whichever member counts; `{"x": 1, "x": 2}` is ambiguous.
    if doubled and text:
        for repair, equal in zip(doubled, equal_duplicates(text), strict=False):
            repair.judge(doubt=not equal)
    return len(doubled)


class Repairs(list[Repair]):
    """The repairs of one value, in the order of detection; the first of each code are kept whole.

    A message lists no more of a code, so the later ones are only counted: one repair without edits
    is shared by all of them. Otherwise each would take hundreds of bytes.
    """

    __slots__ = ("_counts", "_rest", "_thinned")

    def __init__(self) -> None:
        super().__init__()
        self._thinned = 0
        """The index up to which repairs were thinned out."""
        self._counts: dict[str, int] = {}
        self._rest: dict[str, Repair] = {}

    def add(self, repair: Repair) -> None:
        """Records a repair."""
        self.append(repair)
        # The last ones may still change: a string may continue, and so may a run of commas.
        if len(self) - self._thinned > _MAY_CHANGE:
            self._thin(self._thinned)

    def cut(self, since: int) -> None:
        """Removes all repairs from an index on."""
        for each in self[since : self._thinned]:
            self._counts[each.code] -= 1
        self._thinned = min(self._thinned, since)
        del self[since:]

    def drop(self, repair: Repair) -> None:
        """Removes one of the last repairs; one that is only counted by now stays counted."""
        for index in range(len(self) - 1, self._thinned - 1, -1):
            if self[index] is repair:
                del self[index]
                return

    def _thin(self, index: int) -> None:
        """Keeps the repair at an index whole, or replaces it by the shared one of its code."""
        repair = self[index]
        code = repair.code
        self._thinned += 1
        self._counts[code] = count = self._counts.get(code, 0) + 1
        if count <= limits.MOST_LISTED:
            return
        # These are judged by their places when the value is complete.
        if code in _JUDGED:
            repair.rewrite()
            return
        rest = self._rest.setdefault(code, Repair(code, repair.start, repair.end, "$"))
        rest.take_in(repair)
        self[index] = rest
