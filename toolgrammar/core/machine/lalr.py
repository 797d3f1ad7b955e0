"""Follows the LALR tables of a grammar: from a stack of states and a terminal to the next stack.

Example: after the opener of a call, the terminal `NAME` leads to the stack in which arguments may
come; the rules that are reduced on the way give the roles that close.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from toolgrammar.grammar.tables import Tables

END: Final = -1
"""The number of the terminal for the end of the text."""
_MOST_REDUCTIONS: Final = 10_000
"""The most reductions before one terminal; a grammar that needs more would never end."""


class Lalr:
    """The moves of one grammar's automaton."""

    def __init__(self, tables: Tables) -> None:
        self.tables = tables

    def shift(
        self, stack: tuple[int, ...], number: int
    ) -> tuple[tuple[int, ...], tuple[str, ...]] | None:
        """Applies the reductions before a terminal, and shifts it.

        Args:
            stack: the states, the innermost last.
            number: the number of the terminal.

        Returns:
            The stack after the terminal, and the roles that closed before it; None if the terminal
            may not come next.
        """
        tables = self.tables
        states = list(stack)
        closed: list[str] = []
        for _ in range(_MOST_REDUCTIONS):
            action = tables.actions[states[-1]].get(number)
            if action is None:
                return None
            # An action that begins with 0 is a shift, any other one a reduction.
            if action[0] == 0:
                # The end of the text has no state of its own.
                if number == END:
                    return tuple(states), tuple(closed)
                states.append(action[1])
                return tuple(states), tuple(closed)
            if not self.reduce(states, action[1], closed):
                return None
        return None

    def reduce(self, states: list[int], rule: int, closed: list[str]) -> bool:
        """Reduces a rule: replaces the states of its symbols by its own state, in place.

        Args:
            states: the stack, which is changed.
            rule: the number of the rule.
            closed: the roles that closed so far, to which the role of the rule is added.

        Returns:
            False if there is no state to go to.
        """
        origin, length, role = self.tables.rules[rule]
        # An empty rule removes nothing, and `del states[-0:]` would clear the stack.
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
        """Returns the roles that close if the text ends on this stack; None if it may not end."""
        result = self.shift(stack, END)
        return None if result is None else result[1]

    def reduce_unambiguous(self, states: list[int]) -> tuple[str, ...]:
        """Reduces as long as nothing else is possible, in place; returns the roles that close.

        In this way a call ends with its last character, and not with the next token.
        """
        closed: list[str] = []
        while True:
            targets = set(self.tables.actions[states[-1]].values())
            # If there is a choice, the next token has to decide.
            if len(targets) != 1:
                break
            kind, rule = next(iter(targets))
            # A shift needs the next token, which has not come.
            if kind == 0 or not self.reduce(states, rule, closed):
                break
        return tuple(closed)
