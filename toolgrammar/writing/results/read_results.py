"""Reads tool results that were written by the rule `results` of a grammar, by the same rule.

In: `<tool_response>{"temp": 3}</tool_response>`. Out: one `ReadResult`, its content
`{"temp": 3}`.
"""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from toolgrammar.grammar.roles import JSON_LIKE, LEAF_ROLES, RESULTS
from toolgrammar.values.patterns import compile_pattern

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from toolgrammar.grammar.terminals import Production
    from toolgrammar.writing.results.markup import Markup

_STRING: Final = r'"(?:[^"\\]|\\.)*"'
_END: Final = r"\Z"


@dataclass(slots=True)
class ReadResult:
    """A tool result, as read from the wire."""

    name: str | None = None
    """The name of the tool, if the wire has it."""
    id: str | None = None
    """The id of the call, if the wire has it."""
    input: str | None = None
    """The first line of a free-text call, if the wire has it."""
    content: str = ""
    """The text for the model."""


class ResultReader:
    """Reads text of the rule `results`: a payload ends at the first match of what follows it."""

    def __init__(self, rules: Iterable[Production], markup: Markup) -> None:
        self._markup = markup
        self._rules: dict[str, list[Production]] = {}
        for production in rules:
            self._rules.setdefault(production.origin, []).append(production)
        self._found: list[ReadResult] = []

    def read(self, text: str) -> list[ReadResult] | None:
        # Half a section is not a result: what is left over means that a value ended too early.
        """Returns the results of a text, or None if the rule does not write the whole text."""
        self._found = []
        return self._found if self._symbol(RESULTS, text, 0, _END) == len(text) else None

    def _symbol(self, symbol: str, text: str, start: int, behind: str) -> int | None:
        """Reads a symbol that `behind` follows; returns where it ends, or None without it."""
        if symbol not in self._rules:
            match = compile_pattern(_spelled(symbol)).match(text, start)
            return match.end() if match else None
        productions = self._rules[symbol]
        role = productions[0].role
        if role in LEAF_ROLES:
            return self._leaf(symbol, role, text, start, behind)
        units = [p for p in productions if symbol not in p.symbols]
        repeats = len(units) < len(productions)
        if repeats:
            # A content ends where the next result may begin, also without a closer of its own.
            starts = (self._beginning(unit.symbols) for unit in units)
            behind = "|".join([behind, *filter(None, starts)])
        end: int | None = None
        place: int | None = start
        while place is not None and (end is None or repeats):
            # A repetition goes on for as long as one more unit stands there.
            place = self._first(units, text, place, behind)
            end = end if place is None else place
        return end

    def _first(self, units: list[Production], text: str, start: int, behind: str) -> int | None:
        """Reads the longest alternative that matches."""
        # Optional parts are expanded into alternatives: the longest reads all that is there.
        for production in sorted(units, key=lambda unit: -len(unit.symbols)):
            before = len(self._found)
            if production.role == "result":
                self._found.append(ReadResult())
            place: int | None = start
            for index, symbol in enumerate(production.symbols):
                rest = self._beginning(production.symbols[index + 1 :], behind)
                place = self._symbol(symbol, text, place, rest) if place is not None else None
            if place is not None:
                return place
            # An alternative that failed has noted results that are read again by the next.
            del self._found[before:]
        return None

    def _leaf(self, symbol: str, role: str, text: str, start: int, behind: str) -> int | None:
        """Reads a payload; names and ids stand on one line and hold no markup."""
        quoted = any(_is_quoted(each) for p in self._rules[symbol] for each in p.symbols)
        if quoted:
            pattern = _STRING
        elif role == "content":
            pattern = rf"(?:(?!{behind})[\s\S])*"
        else:
            pattern = rf"(?:(?!{behind}|{self._markup.tags})[^\n])*"
        match = compile_pattern(pattern).match(text, start)
        if match is None:
            return None
        # Not strict: a line end that stands in the string as it is counts as one.
        setattr(self._found[-1], role, json.loads(match[0], strict=False) if quoted else match[0])
        return match.end()

    def _beginning(self, symbols: Sequence[str], behind: str = "") -> str:
        """Returns the expression of what symbols begin with, up to the first payload."""
        found = ""
        for symbol in symbols:
            productions = self._rules.get(symbol)
            if productions is None:
                # Up to a payload, which may be anything: the expression ends there.
                found += _spelled(symbol)
            elif productions[0].role in LEAF_ROLES:
                return found
            else:
                units = [p.symbols for p in productions if symbol not in p.symbols]
                starts = [self._beginning(unit) for unit in units]
                # If one of the ways may begin with a payload, nothing certain can be said.
                return found + (f"(?:{'|'.join(starts)})" if all(starts) else "")
        return f"{found}(?:{behind})" if behind else found


def _spelled(symbol: str) -> str:
    """Returns the expression of a terminal."""
    return re.escape(symbol[1:]) if symbol.startswith('"') else f"(?:{symbol[1:]})"


def _is_quoted(symbol: str) -> bool:
    """Whether a terminal reads strings between quotes alone."""
    if symbol in JSON_LIKE:
        return True
    pattern = compile_pattern(symbol[1:]) if symbol.startswith("/") else None
    # It reads the word between quotes, and not without them.
    return pattern is not None and bool(pattern.fullmatch('"x"')) and not pattern.fullmatch("x")
