"""Finds rules without a meaning: of an unknown role, empty of their own, used by nothing.

Example: `tool: /[a-z]+/` is no role; a rule that says what is called is a `name`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from toolgrammar.grammar import roles
from toolgrammar.grammar.header_values import nearest

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from toolgrammar.grammar.compiling.places import Places
    from toolgrammar.grammar.terminals import Production, Terminal
    from toolgrammar.values.errors import GrammarError

OF_MESSAGES = (*roles.LEAF_ROLES, *roles.STRUCTURE_ROLES)
"""The roles of rules that `start` leads to."""
OF_RESULTS = (roles.RESULTS, "result", "name", "id", "input", "content")
"""The roles of rules that `results` leads to."""
_ROOTS = ("start", roles.RESULTS)
_REPEATED = {
    "SAME_NAME": ("name", "call"),
    "SAME_KEY": ("key", "argument"),
    "SAME_FENCE": ("FENCE", ""),
    "SAME_MARK": ("MARK", ""),
}
"""What declared terminals repeat, and the role whose rule begins anew."""
_OTHER_WORDS = {
    "name": ("tool", "tool_name", "function", "function_name", "recipient"),
    "call": ("invoke", "tool_call", "tool_use", "action", "function_call"),
    "calls": ("tool_calls", "function_calls", "actions"),
    "argument": ("arg", "param", "parameter", "property", "field"),
    "arguments": ("args", "params", "parameters", "kwargs"),
    "reasoning": ("think", "thinking", "thought", "thoughts", "analysis"),
    "content": ("answer", "final", "response", "message"),
    "results": ("observation", "tool_response", "tool_result", "output"),
    "input": ("code", "body_text", "payload", "command"),
    "id": ("call_id", "tool_call_id", "number"),
}
"""Roles, by other words for what they read."""


def unknown_roles(
    productions: Iterable[Production], known: Sequence[str], places: Places
) -> Iterator[GrammarError]:
    """Finds rules whose names are not among the known roles, each once."""
    for role, origin in {production.role: production.origin for production in productions}.items():
        if role.startswith("_") or role in known:
            continue
        meant = next((each for each in known if role in _OTHER_WORDS.get(each, ())), "")
        near = f"nearest: `{meant}`; " if meant else nearest(role, known)
        hint = f"{near}roles are {', '.join(known)}; begin the name of any other rule with `_`"
        place = places.definition(role) or places.use(role) or places.definition(origin)
        of = " of a tool result" if known == OF_RESULTS else ""
        yield (place or places.start()).error(
            "undefined-role", f"rule `{role}` is no role{of}", hint
        )


def unused(places: Places) -> Iterator[GrammarError]:
    """Finds what the file defines, declares or imports and nothing leads to."""
    for place, name in places.unused(_ROOTS):
        meant = next((each for each, words in _OTHER_WORDS.items() if name in words), "")
        hint = f"nearest: `{meant}`; " if meant else ""
        hint += "use it in a rule, or drop it"
        if name == "result":
            hint = "what is written for tools begins with `results: result+`"
        yield place.error("unused", f"nothing leads to `{name}`", hint)


class RolesOfRules:
    """Finds rules whose role, or whose repeated text, can never be read."""

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

    def findings(self) -> Iterator[GrammarError]:
        """Yields the findings; alternatives of one rule may repeat one."""
        for production in self._productions:
            role = production.role
            if role in roles.LEAF_ROLES and not self._is_filled(production):
                place = self._places.definition(production.origin) or self._places.start()
                message = f"`{role}` reads nothing: a role is one token or payload"
                hint = f"write one expression, `{role}: /[a-z]+/`, or one payload, `{role}: RAW`"
                yield place.error("empty-role", message, hint)
        if any(production.role == roles.RESULTS for production in self._productions):
            place = self._places.use(roles.RESULTS, "start") or self._places.start()
            message = "`results` is written to the model, and never read in what it writes"
            hint = (
                "drop it there; a terminal that begins a result is told by `//@ observation: NAME`"
            )
            yield place.error("results-in-start", message, hint)
        yield from self._skipped()
        for same in _REPEATED:
            yield from self._unopened(same)

    def _skipped(self) -> Iterator[GrammarError]:
        """Finds places where words have to stand between calls: without them no call is read."""
        for production in self._productions:
            for at, symbol in enumerate(production.symbols):
                if roles.bare_name(symbol) != "SKIPPED" or production.origin.startswith("__"):
                    continue
                # Another way of the same rule may leave the words out.
                without = production.symbols[:at] + production.symbols[at + 1 :]
                ways = [each.symbols for each in self._by_origin[production.origin]]
                if without and without not in ways:
                    place = self._places.use("SKIPPED", production.origin) or self._places.start()
                    message = "`SKIPPED` has to stand here, and models mostly write no words"
                    hint = "make it optional: `[SKIPPED]`, or `(SKIPPED | call)*`"
                    yield place.error("skipped-words", message, hint)

    def _is_filled(self, production: Production) -> bool:
        """Whether a token fills the role of a rule, in the rule or further down."""
        role = production.role
        # A search by hand: rules may use each other in a circle.
        pending, seen = [production], {production.origin}
        while pending:
            each = pending.pop()
            for symbol in each.symbols:
                terminal = self._terminals.get(symbol)
                if terminal is not None and (each.role == role or gives(terminal, role)):
                    return True
                if terminal is None and symbol not in seen:
                    seen.add(symbol)
                    pending += self._by_origin.get(symbol, ())
        return False

    def _unopened(self, same: str) -> Iterator[GrammarError]:
        """Finds terminals that repeat a text, at places before which it can't have been read."""
        what, scope = _REPEATED[same]
        # What stands before the uses of each rule; grows until nothing more is found.
        behind: set[str] = set()
        known = -1
        while known < len(behind):
            known = len(behind)
            wrong = [p for p in self._productions if not self._opens(p, same, behind)]
        for production in wrong:
            place = self._places.use(same, production.origin) or self._places.start()
            message = f"`{same}` repeats a `{what}`, and none stands before it"
            hint = f"put a `{what}` before it, in the same rule `{scope}`"
            hint = hint if scope else f"put {what} before it, where the block begins"
            yield place.error("nothing-to-repeat", message, hint)

    def _opens(self, production: Production, same: str, behind: set[str]) -> bool:
        """Whether a text stands before each place of a rule that repeats it; extends `behind`."""
        what, scope = _REPEATED[same]
        begins_anew = production.role in (scope, "start") or production.origin.startswith(
            "__start_"
        )
        # What the last call read is forgotten where the next one begins.
        is_read = production.origin in behind and not begins_anew
        for symbol in production.symbols:
            terminal = self._terminals.get(symbol)
            if terminal is not None and terminal.name == same and not is_read:
                return False
            if is_read and terminal is None:
                behind.add(symbol)
            is_read = is_read or self._may_read(symbol, what, frozenset())
        return True

    def _may_read(self, symbol: str, what: str, seen: frozenset[str]) -> bool:
        """Whether a symbol is a terminal or a role, or may hold it."""
        terminal = self._terminals.get(symbol)
        if terminal is not None:
            return terminal.name == what or gives(terminal, what)
        return symbol not in seen and any(
            each.role == what
            or any(self._may_read(part, what, seen | {symbol}) for part in each.symbols)
            for each in self._by_origin.get(symbol, ())
        )


def gives(terminal: Terminal, role: str) -> bool:
    """Whether a terminal fills a role by a group of its pattern, or by the header."""
    return role in (*dict(terminal.constants), *(each for _, each in terminal.groups))


def by_origin(productions: Iterable[Production]) -> dict[str, list[Production]]:
    """Returns the alternatives of each rule, by its name."""
    found: dict[str, list[Production]] = {}
    for production in productions:
        found.setdefault(production.origin, []).append(production)
    return found


def raw_role(rules: Mapping[str, Sequence[Production]], symbol: str) -> str:
    """Returns the role of a rule that is a raw payload and nothing else, else ""."""
    for production in rules.get(symbol, ()):
        names = [roles.bare_name(part) for part in production.symbols]
        if len(names) == 1 and names[0] in roles.RAW_LIKE:
            return production.role
    return ""
