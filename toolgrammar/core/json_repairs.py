"""Keeps what was mended in a JSON text, and says it as diagnostics."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, NamedTuple

from toolgrammar.values.codes import CODES, DOUBTS
from toolgrammar.values.making import make_diagnostic, make_edit, make_span

if TYPE_CHECKING:
    from toolgrammar.core.json_body_runs import BodyRun
    from toolgrammar.values.diagnostics import Diagnostic, Severity

MESSAGES: Final = {
    "stray-comma": "Found a comma with nothing to part; JSON wants none here",
    "quote-style": "Found a string in other quotes; JSON wants double quotes",
    "template": "Found `${` in a backtick string; it is kept as it stands",
    "doubled-quotes": "Found a quote written twice; JSON wants one",
    "bare-key": "Found a key without quotes; JSON wants double quotes",
    "bare-text": "Found text without quotes; it is read as a string",
    "literal": "Found another spelling; JSON wants `true`, `false` or `null`",
    "undefined": "Found `undefined`; it is read as null",
    "bracket": "Found a bracket missing or of the wrong kind; JSON wants each closed by its own",
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
"""What stands there and what JSON wants, by code."""

_HINTS: Final = {
    "truncated": "the value is not whole: do not use it as if it were",
    "inner-quote": "a schema tells where such a string ends",
}


class Repair:
    """One repair: its code, its place and the edits that make it."""

    __slots__ = ("code", "doubt", "edits", "end", "path", "start")

    def __init__(self, code: str, start: int, end: int, path: str) -> None:
        self.code = code
        self.start = start
        self.end = end
        self.path = path
        self.edits: list[tuple[int, int, str]] = []
        self.doubt = code in DOUBTS
        """Whether it may have guessed wrong."""

    def diagnostic(self) -> Diagnostic:
        """Gives what is told to the caller."""
        joined = self._joined() if len(self.edits) > 1 else self.edits
        edits = tuple([make_edit(make_span(start, end), text) for start, end, text in joined])
        return make_diagnostic(
            self.code,
            self._severity(),
            MESSAGES[self.code],
            make_span(self.start, self.end),
            edits,
            self.path,
            _HINTS.get(self.code, "") if self.doubt or self.code == "truncated" else "",
        )

    def _joined(self) -> list[tuple[int, int, str]]:
        """Gives the edits; replacements that touch each other are one."""
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
        return "warning" if severity == "error" and CODES[self.code].doubt else severity


class RunRepair(Repair):
    """Stands for all repairs of a part of a key until it is sure that the key stays."""

    __slots__ = ("run",)

    def __init__(self, run: BodyRun) -> None:
        super().__init__("", run.start, run.end, run.path)
        self.run = run
        self.edits.append((run.start, run.end, ""))


class OpenerRun(NamedTuple):
    """Braces in an array that each follow another: all but the last lack their closer and comma."""

    start: int
    """The offset of the second one in the source."""
    more: int
    """How many follow the first."""
    path: str
    """Of the array."""
    members: int
    """How many items it has with the first brace."""
    doubts: tuple[str, ...] = ()

    @property
    def end(self) -> int:
        """The offset behind them."""
        return self.start + self.more

    def repairs(self) -> list[Repair]:
        """Gives what was mended."""
        found = []
        for index in range(self.more):
            place, item = self.start + index, self.members + index
            for code, written, number in (("bracket", "}", item - 1), ("comma", ",", item)):
                repair = Repair(code, place, place, f"{self.path}[{number}]")
                repair.edits.append((place, place, written))
                found.append(repair)
        return found


def single(repairs: list[Repair]) -> list[Repair]:
    """Gives repairs with those of each part in its place."""
    return [
        repair
        for each in repairs
        for repair in (each.run.repairs() if isinstance(each, RunRepair) else (each,))
    ]
