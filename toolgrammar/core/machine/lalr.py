"""Follows the LALR tables of a grammar: from a stack of states and a terminal to the next stack.

Example: behind the opener of a call the terminal `NAME` leads to the stack in which arguments may come;
the rules that are reduced on the way say which roles closed.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from toolgrammar.grammar.tables import Tables

END: Final = -1
"""The terminal that stands for the end of the text."""
_MOST_REDUCTIONS: Final = 10_000
"""Reductions before one terminal; a grammar that needs more would never end."""


class Lalr:
    """The moves of one grammar's automaton."""

    def __init__(self, tables: Tables) -> None:
        self.tables = tables

    def shift(
        self, stack: tuple[int, ...], number: int
    ) -> tuple[tuple[int, ...], tuple[str, ...]] | None:
        """Follows the reductions before a terminal; returns the stack after it and what closed."""
        tables = self.tables
        states = list(stack)
        closed: list[str] = []
        for _ in range(_MOST_REDUCTIONS):
            action = tables.actions[states[-1]].get(number)
            if action is None:
                return None
            # An action is a shift where it begins with 0, and else a reduction.
            if action[0] == 0:
                # The end of the text leads to no state.
                if number == END:
                    return tuple(states), tuple(closed)
                states.append(action[1])
                return tuple(states), tuple(closed)
            if not self.reduce(states, action[1], closed):
                return None
        return None

    def reduce(self, states: list[int], rule: int, closed: list[str]) -> bool:
        """Replaces the symbols of a rule by the rule, in place; False where that leads nowhere.

        Args:
            states: the stack, which is changed.
            rule: the number of the rule.
            closed: what closed so far; the role of the rule is added.
        """
        origin, length, role = self.tables.rules[rule]
        # An empty rule takes nothing off: `del states[-0:]` would clear the stack.
        if length:
            del states[-length:]
        if role:
            closed.append(role)
        target = self.tables.gotos[states[-1]].get(origin)
        if target is None:
            return False
        states.append(target)
        return True

    def end_of(self, stack: tuple[int, ...]) -> tuple[str, ...] | None:
        """Returns the roles that close when the text ends on this stack, or None if it may not."""
        result = self.shift(stack, END)
        return None if result is None else result[1]

    def settle(self, states: list[int]) -> tuple[str, ...]:
        """Reduces while nothing else is possible, in place; returns the roles that close so.

        A call ends with its last character: its rule does not wait for the next token.
        """
        closed: list[str] = []
        while True:
            targets = set(self.tables.actions[states[-1]].values())
            # Where there is a choice, the next token has to decide.
            if len(targets) != 1:
                break
            kind, rule = next(iter(targets))
            # A shift needs a token that has not come.
            if kind == 0 or not self.reduce(states, rule, closed):
                break
        return tuple(closed)
