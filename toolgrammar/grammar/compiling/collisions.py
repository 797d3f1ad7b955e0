"""Finds where the LALR tables of a grammar can't distinguish two readings.

Example: in `start: (call | other)*` with `call: A` and `other: A`, nothing after `A` determines
which rule ended.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from toolgrammar.grammar.roles import bare_name
from toolgrammar.values.errors import raise_first
from toolgrammar.values.patterns import late

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from toolgrammar.grammar.compiling.places import Places
    from toolgrammar.grammar.compiling.source_text import Place
    from toolgrammar.grammar.terminals import Terminal
    from toolgrammar.values.errors import GrammarError

_HELPER = late(r"__\w+?_(star|plus|repeat|opt)\w*_\d+")
_END = "$END"


class Collisions:
    """Finds the collisions of one grammar, and reports them in the words of its author."""

    def __init__(
        self, places: Places, terminals: Mapping[str, Terminal], raws: Mapping[str, str]
    ) -> None:
        """Sets up the search.

        Args:
            places: the places in the grammar.
            terminals: the terminals by the names that the rules use.
            raws: the spelling of the terminals that are written in a rule, without a name.
        """
        self._places = places
        self._terminals = terminals
        self._raws = raws
        self._repeated: dict[str, str] = {}

    def check(self, analyzer: Any, rules: Iterable[Any]) -> list[GrammarError]:
        """Checks Lark's item sets, once their lookaheads are known.

        Returns:
            The places at which a rule may end or continue; Lark's tables let it continue.

        Raises:
            GrammarError: two readings collide; if several do, the first in the file, with the others
                as its notes.
        """
        for rule in rules:
            # Lark names the rule of `x+` `__start_plus_0`: its author wrote `x+`.
            if _HELPER.fullmatch(rule.origin.name) and len(rule.expansion) == 1:
                self._repeated[rule.origin.name] = f"{self._shown(rule.expansion[0])}+"
        wrong: list[GrammarError] = []
        doubtful: list[GrammarError] = []
        for itemset in analyzer.lr0_itemsets:
            wrong += [*self._undecided(itemset), *self._same_terminals(itemset)]
            doubtful += self._longest(itemset)
        if wrong:
            # Item sets come in Lark's order; the author reads from the top.
            raise_first(sorted({str(error): error for error in wrong}.values(), key=_order))
        return sorted({str(error): error for error in doubtful}.values(), key=_order)

    def _undecided(self, itemset: Any) -> Iterable[GrammarError]:
        """Yields an error for each set of rules that may end at the same symbol."""
        by_rules: dict[tuple[Any, ...], set[str]] = {}
        for symbol, rules in itemset.lookaheads.items():
            # `rule.2: …` has a priority, which decides.
            if len(rules) > 1 and not _decided(rules):
                key = tuple(sorted(rules, key=self._rule))
                # The same two rules collide before many terminals: that is one error.
                by_rules.setdefault(key, set()).add(self._shown(symbol))
        for rules, before in by_rules.items():
            yield self._reduce_reduce(rules, before)

    def _longest(self, itemset: Any) -> Iterable[GrammarError]:
        for symbol, rules in itemset.lookaheads.items():
            # A rule may end before a symbol with which another continues: Lark shifts without a
            # warning.
            for rule in rules if symbol in itemset.transitions else ():
                yield self._shift_reduce(itemset, symbol, rule)

    def _reduce_reduce(self, rules: tuple[Any, ...], before: set[str]) -> GrammarError:
        """Returns the error for rules that may both end before the same symbols."""
        shown = sorted({self._rule(rule) for rule in rules})
        # Of two rules, the later one is more likely the one that was just written.
        place = max(self._place(rule) for rule in rules)
        message = (
            f"before {_listed(before)} the grammar can't tell which rule ended: {_listed(shown)}"
        )
        hint = "drop one of the two, or put a literal into one that tells them apart"
        return place.error("reduce-reduce", message, hint)

    def _shift_reduce(self, itemset: Any, symbol: Any, rule: Any) -> GrammarError:
        """Returns the error for a rule that may end where another may continue."""
        going_on = sorted(
            (
                item.rule
                for item in itemset.closure
                if not item.is_satisfied and item.next == symbol
            ),
            key=self._rule,
        )
        message = (
            f"at `{self._shown(symbol)}` the rule `{self._rule(rule)}` could end, "
            f"or `{self._rule(going_on[0])}` could go on: it goes on"
        )
        hint = "if that is not meant, put a literal between them, or make one of them not optional"
        # The place where the symbol is written, not where the rule begins.
        place = self._use(symbol.name, going_on[0].origin.name) or self._place(rule)
        return place.error("shift-reduce", message, hint)

    def _same_terminals(self, itemset: Any) -> Iterable[GrammarError]:
        """Yields an error for each pattern that several terminals in one place have."""
        by_pattern: dict[str, list[str]] = {}
        for symbol in itemset.transitions:
            terminal = self._terminals.get(symbol.name)
            if terminal is not None and terminal.pattern:
                # Declared terminals have no pattern: their scanners distinguish them.
                by_pattern.setdefault(terminal.pattern, []).append(symbol.name)
        for names in by_pattern.values():
            # The driver recognises a token by its text: equal patterns can't be distinguished.
            if len(names) > 1:
                names.sort(key=lambda name: (self._use(name) or self._places.start(), name))
                message = f"{_listed(map(self._named, names))} read the same text in one place"
                hint = "use one terminal in both, or make the patterns differ"
                place = self._use(names[-1]) or self._places.start()
                yield place.error("terminal-collision", message, hint)

    # Texts for the author

    def _place(self, rule: Any) -> Place:
        return self._places.definition(rule.origin.name) or self._places.start()

    def _use(self, name: str, within: str = "") -> Place | None:
        if name in self._raws:
            return self._places.written(self._raws[name], within=within)
        return self._places.use(name, within)

    def _rule(self, rule: Any) -> str:
        parts = " ".join(self._shown(symbol) for symbol in rule.expansion)
        return f"{self._shown(rule.origin)}: {parts or 'nothing'}"

    def _named(self, name: str) -> str:
        return self._raws.get(name) or bare_name(name)

    def _shown(self, symbol: Any) -> str:
        # The author's spelling, not Lark's: `"<call>"`, not `__ANON_0`.
        name: str = symbol.name
        if name == _END:
            return "the end of the text"
        return self._repeated.get(name) or self._named(name)


def _order(error: GrammarError) -> tuple[str, int, int, str]:
    return error.file, error.line, error.column, error.message


def _decided(rules: Iterable[Any]) -> bool:
    """Whether the priorities of rules select one of them."""
    priorities = sorted(((rule.options.priority or 0) for rule in rules), reverse=True)
    return priorities[0] > priorities[1]


def _listed(names: Iterable[str]) -> str:
    return ", ".join(f"`{name}`" for name in sorted(names))
