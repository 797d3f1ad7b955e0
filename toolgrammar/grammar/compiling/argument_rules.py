"""Finds rules of arguments that read one call in two ways at once, or an argument without a name.

Example: `call: "<call " name ">" arguments argument* "</call>"` has two places for all arguments.
"""

from __future__ import annotations

from itertools import product
from typing import TYPE_CHECKING

from toolgrammar.grammar.compiling.rule_roles import by_origin, gives

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from toolgrammar.grammar.compiling.places import Places
    from toolgrammar.grammar.terminals import Production, Terminal
    from toolgrammar.values.errors import GrammarError

_WHOLE, _ONE = "arguments", "argument"
# How often the arguments are read as a whole, up to twice, and whether one is read alone.
_Reads = tuple[int, bool]
_NOTHING: _Reads = (0, False)
# What stands round calls holds the arguments of none.
_OF_ROLE: dict[str, _Reads] = {
    "call": _NOTHING,
    _WHOLE: (1, False),
    _ONE: (0, True),
    "value": (0, True),
}


class ArgumentRules:
    """Finds rules of arguments that can't be read into one object."""

    def __init__(
        self,
        productions: Iterable[Production],
        terminals: Mapping[str, Terminal],
        places: Places,
    ) -> None:
        """Sets up the search.

        Args:
            productions: the rules as written, with their white-space literals.
            terminals: the terminals by the names that the rules use.
            places: the places in the grammar.
        """
        self._productions = tuple(productions)
        self._by_origin = by_origin(self._productions)
        self._terminals = terminals
        self._places = places
        self._reads = self._ways()

    def findings(self) -> Iterator[GrammarError]:
        """Yields the findings; alternatives of one rule may repeat one."""
        for production in self._productions:
            if production.role == _ONE and self._holds("value", production):
                if not self._holds("key", production):
                    yield self._without_key(production)
            elif production.role not in (_ONE, _WHOLE):
                yield from self._twice(production)

    def _without_key(self, production: Production) -> GrammarError:
        """Returns the error for a way to write an argument whose value has no name."""
        place = self._places.definition(production.origin) or self._places.start()
        message = "this `argument` has a `value` and no `key`: the value would have no name"
        hint = "put a `key` before it, or say the key in the header, `//@ keys: TERMINAL=name`; "
        hint += "a payload without names is an `input`"
        return place.error("argument-without-key", message, hint)

    def _twice(self, production: Production) -> Iterator[GrammarError]:
        """Finds a rule whose parts, together, hold the arguments of a call twice."""
        ways = [self._reads_of(symbol, self._reads) for symbol in production.symbols]
        place = self._places.use(_WHOLE, production.origin) or self._places.start()
        # Members of an object come in any order: one that may repeat the arguments need not.
        if sum(min((count for count, _ in way), default=0) for way in ways) > 1:
            message = "`arguments` are all arguments of a call, and this call holds them twice"
            hint = "read one payload; ways that exclude each other stand between `|`"
            yield place.error("arguments-twice", message, hint)
            return
        together = {_NOTHING}
        for way in ways:
            together = _joined(together, way)
        if any(count and is_one for count, is_one in together):
            message = (
                "`arguments` are all arguments of a call, and an `argument` stands beside them"
            )
            hint = "write either, `(arguments | argument+)`, or an `argument` for each member: "
            hint += '`member: key ": " json -> argument` with `json: JSON_VALUE -> value`'
            yield place.error("arguments-twice", message, hint)

    # What a rule holds

    def _ways(self) -> dict[str, set[_Reads]]:
        """Returns, for each rule, what the ways to write it read of a call's arguments."""
        found: dict[str, set[_Reads]] = {origin: set() for origin in self._by_origin}
        known = -1
        # Rules use each other, also in circles: it is repeated until nothing new is found.
        while known < sum(map(len, found.values())):
            known = sum(map(len, found.values()))
            for production in self._productions:
                found[production.origin] |= self._reads_by(production, found)
        return found

    def _reads_by(self, production: Production, known: Mapping[str, set[_Reads]]) -> set[_Reads]:
        """Returns what the ways to write one alternative read of the arguments of a call."""
        if production.role in _OF_ROLE:
            return {_OF_ROLE[production.role]}
        found = {_NOTHING}
        for symbol in production.symbols:
            found = _joined(found, self._reads_of(symbol, known))
        return found

    def _reads_of(self, symbol: str, known: Mapping[str, set[_Reads]]) -> set[_Reads]:
        """Returns what a symbol reads of the arguments of a call."""
        terminal = self._terminals.get(symbol)
        if terminal is None:
            return known.get(symbol, set())
        return {(int(gives(terminal, _WHOLE)), gives(terminal, "value"))}

    def _holds(self, role: str, production: Production) -> bool:
        """Whether an alternative contains a part with a role."""
        # Rules use each other in circles, so that each is looked at once.
        pending, seen = [production], {production.origin}
        while pending:
            for symbol in pending.pop().symbols:
                terminal = self._terminals.get(symbol)
                if terminal is not None and gives(terminal, role):
                    return True
                inner = () if symbol in seen else self._by_origin.get(symbol, ())
                seen.add(symbol)
                if any(each.role == role for each in inner):
                    return True
                pending += inner
        return False


def _joined(one: Iterable[_Reads], other: Iterable[_Reads]) -> set[_Reads]:
    """Returns what two parts read, one behind the other."""
    # Whether it is twice or more makes no difference: both are refused.
    pairs = product(one, other)
    return {(min(2, a + b), is_one or is_other) for (a, is_one), (b, is_other) in pairs}
