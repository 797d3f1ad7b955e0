"""Finds the tags that open and close a call, also one that is quoted inside a raw value.

Example: of `call: "<call=" name ">" argument* "</call>"` the opener is `<call=`, a name and `>`,
the closer `</call>`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from toolgrammar.grammar import roles

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from toolgrammar.grammar.terminals import Terminal


_BEGIN_ANYHOW = (*roles.RAW_LIKE, "TEXT", "SKIPPED")
"""Payloads that may begin with any character."""


class Nesting:
    """The tags of a grammar's calls, derived from its rules."""

    def __init__(
        self,
        rules: Sequence[Any],
        terminals: Sequence[Terminal],
        numbers: Mapping[str, int],
        first: Mapping[Any, Any],
    ) -> None:
        """Sets up the search.

        Args:
            rules: Lark's rules, without white space.
            terminals: the terminals, by their numbers.
            numbers: the number of each terminal.
            first: the terminals with which each symbol can begin.
        """
        self._rules = rules
        self._terminals = terminals
        self._numbers = numbers
        self._first = first
        self._by_origin: dict[str, list[Any]] = {}
        for rule in rules:
            self._by_origin.setdefault(rule.origin.name, []).append(rule)

    def call_opener(self) -> tuple[tuple[int, ...], ...]:
        """Finds the tags of a call that may nest inside a raw value: opener, followers, closer."""
        heads: list[tuple[int, ...]] = []
        follow: set[int] = set()
        closer: tuple[int, ...] = ()
        # Other payloads have escapes or brackets of their own: nothing nests in them unnoticed.
        if not any(terminal.name in roles.RAW_LIKE for terminal in self._terminals):
            return ()
        for rule in self._rules:
            symbols = list(rule.expansion)
            if "name" not in [roles.bare_name(s.name) for s in symbols]:
                continue
            # A rule without a payload has no arguments, and so no quoted call.
            if not any(self._holds_payload(s) for s in symbols):
                continue
            head, rest = self._head(symbols)
            tail: list[Any] = []
            while rest and rest[-1].is_term and not self._is_payload(rest[-1].name):
                tail.insert(0, rest.pop())
            # Without an opener and a closer there is nothing to balance.
            if not tail or not head:
                continue
            heads.append(head)
            # All ways to write a call share their closer: the first rule determines it.
            closer = closer or tuple(self._numbers[s.name] for s in tail)
            # Its opener is followed by its first argument, or by its closer if it has none.
            for symbol in [*rest[:1], tail[0]]:
                # A terminal begins with itself: Lark lists what rules begin with.
                first = self._first.get(symbol, {symbol})
                follow |= {self._numbers[s.name] for s in first if s.name in self._numbers}
        if not heads:
            return ()
        if any(self._terminals[number].name in _BEGIN_ANYHOW for number in follow):
            # If anything may follow, a follower proves nothing.
            follow.clear()
        return (closer, tuple(sorted(follow)), *dict.fromkeys(heads))

    def _holds_payload(self, symbol: Any) -> bool:
        """Whether a symbol is a payload, or a rule."""
        leaf = self._leaf(symbol)[0]
        return not leaf.is_term or self._is_payload(leaf.name)

    def _head(self, symbols: list[Any]) -> tuple[tuple[int, ...], list[Any]]:
        """Splits a rule with a name: the terminals up to its first payload, and the rest."""
        at = [roles.bare_name(s.name) for s in symbols].index("name")
        head: list[int] = []
        # Terminals of the opener may be before the rule `name`.
        while at and symbols[at - 1].is_term and not self._is_payload(symbols[at - 1].name):
            at -= 1
        rest = symbols[at:]
        while rest:
            leaf = self._leaf(rest[0])[0]
            if not leaf.is_term or self._is_payload(leaf.name):
                break
            head.append(self._numbers[leaf.name])
            rest.pop(0)
        return tuple(head), rest

    def value_openers(self) -> tuple[tuple[int, ...], ...]:
        """Returns the terminals between the start of an argument and its value, for each way of it.

        If the ways differ only after the key, they are represented by their common beginning. Ways
        that begin with the key count only if all do, and then the first alone: a word is a weak
        opener.
        """
        found: list[tuple[int, ...]] = []
        bare: list[tuple[int, ...]] = []
        shared: list[tuple[int, ...]] = []
        for rule in self._rules:
            names = [roles.bare_name(s.name) for s in rule.expansion]
            # Only a rule with a key reads one argument.
            if "key" not in names:
                continue
            key = names.index("key")
            has_value = "value" in names[key:]
            head: list[Any] = []
            for symbol in rule.expansion[: names.index("value") if has_value else None]:
                head += self._leaf(symbol)
            length = next((n for n, s in enumerate(head) if not s.is_term), len(head))
            numbers = tuple(self._numbers[s.name] for s in head[:length])
            if has_value and length == len(head):
                (found if key else bare).append(numbers)
            # The ways differ after the key: up to there they have the same terminals.
            elif key + 1 < length < len(head):
                shared.append(numbers)
        # Repeated ways are listed once.
        return tuple(dict.fromkeys((*found, *shared) if found else bare[:1]))

    def opening(self, closure: Any) -> dict[int, str]:
        """Finds the terminals that certainly open a call or a group in a state."""
        chains: dict[int, set[str]] = {}

        def walk(symbols: list[Any], role: str, seen: frozenset[str]) -> None:
            for symbol in symbols:
                if symbol.is_term:
                    chains.setdefault(self._numbers[symbol.name], set()).add(role)
                    return
                if symbol.name not in seen:
                    for rule in self._by_origin[symbol.name]:
                        own = roles.bare_name(rule.alias or rule.origin.name)
                        inner = own if own == "call" or own in roles.GROUP_ROLES else role
                        walk(list(rule.expansion), inner, seen | {symbol.name})
                # What may be empty lets the next symbol begin the text.
                if not self._nullable(symbol.name, frozenset()):
                    return

        for item in closure:
            if item.index or item.rule.origin.name.startswith("$root"):
                walk(list(item.rule.expansion[item.index :]), "", frozenset())
        return {
            number: next(iter(found))
            for number, found in sorted(chains.items())
            if len(found) == 1 and "" not in found
        }

    def _nullable(self, name: str, seen: frozenset[str]) -> bool:
        if name in seen:
            return False
        return any(
            all(not s.is_term and self._nullable(s.name, seen | {name}) for s in rule.expansion)
            for rule in self._by_origin.get(name, [])
        )

    def _leaf(self, symbol: Any) -> list[Any]:
        for rule in self._rules:
            if rule.origin == symbol and len(rule.expansion) == 1:
                return list(rule.expansion)
        return [symbol]

    def _is_payload(self, name: str) -> bool:
        return name in self._numbers and self._terminals[self._numbers[name]].kind == "payload"
