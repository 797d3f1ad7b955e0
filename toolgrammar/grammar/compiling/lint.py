"""Finds what is valid in a grammar but can't work: each finding has a place and a hint.

Example: `call: "<call>" arguments "</call>"` has no place for the name of the tool.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from toolgrammar.grammar import roles
from toolgrammar.grammar.compiling import author_errors
from toolgrammar.grammar.compiling.argument_rules import ArgumentRules
from toolgrammar.grammar.compiling.rule_roles import RolesOfRules, by_origin, raw_role

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from toolgrammar.grammar.compiling.places import Places
    from toolgrammar.grammar.compiling.source_text import Place
    from toolgrammar.grammar.header import Header
    from toolgrammar.grammar.terminals import Production, Terminal
    from toolgrammar.values.errors import GrammarError

_BEFORE = frozenset({"strip", "quoted"})
_BEHIND = frozenset({"strip", "quoted", "right"})
_LINE_END = "\n"
_OF_ONE_ARGUMENT = frozenset({"argument", *roles.LEAF_ROLES} - roles.PROSE_ROLES)


class Lint:
    """The findings about one grammar."""

    def __init__(
        self,
        productions: tuple[Production, ...],
        terminals: dict[str, Terminal],
        header: Header,
        places: Places,
        place_of: Callable[[str, str], Place],
    ) -> None:
        """Sets up the search.

        Args:
            productions: the rules as written, with their white-space literals.
            terminals: the terminals by the names that the rules use.
            header: the header of the file.
            places: the places in the grammar.
            place_of: returns the place of a terminal, by name, in a rule.
        """
        self._productions = productions
        self._terminals = terminals
        self._header = header
        self._places = places
        self._place_of = place_of
        self._by_origin = by_origin(productions)

    def findings(self) -> list[GrammarError]:
        """Lists the findings, each once, in the order of the checks."""
        checks = (
            self._ignored,
            self._unreached,
            self._recursive,
            self._nameless,
            self._beside_raw,
            RolesOfRules(self._productions, self._terminals, self._places).findings,
            ArgumentRules(self._productions, self._terminals, self._places).findings,
        )
        found: dict[str, GrammarError] = {}
        for check in checks:
            for finding in check():
                # The alternatives of one rule are separate productions, which repeat a finding.
                found.setdefault(str(finding), finding)
        return list(found.values())

    def advice(self) -> list[GrammarError]:
        """Lists what works but may not be meant."""
        return [*self._without_ids(), *self._without_keys(), *self._without_values()]

    def _ignored(self) -> Iterator[GrammarError]:
        if (place := self._places.directive("%ignore")) is not None:
            yield place.error("ignore", author_errors.IGNORED, author_errors.NOT_IGNORED)

    # Calls

    def _unreached(self) -> Iterator[GrammarError]:
        """Finds a `call` that no rule leads to."""
        calls = (production for production in self._productions if production.role == "call")
        # Without `start`, another error is more helpful.
        if "start" in self._by_origin and not any(calls):
            for name, place in self._places.rules():
                if roles.bare_name(name) == "call":
                    hint = "name it where a call may stand: `start: (TEXT | call)*`"
                    yield place.error("unreached", f"`start` does not lead to `{name}`", hint)

    def _recursive(self) -> Iterator[GrammarError]:
        """Finds rules that contain themselves in a call or argument: their parts are not kept."""
        for origin, productions in self._by_origin.items():
            played = {production.role for production in productions}
            if "call" in played or origin == "start":
                suspects = {origin}
            elif played & _OF_ONE_ARGUMENT:
                suspects = {origin} | self._reached(origin)
            else:
                continue
            for name in sorted(suspects):
                # Lark's own rules for `*` and `+` contain themselves.
                if name in self._reached(name) and not name.startswith("__"):
                    place = self._places.definition(name) or self._places.start()
                    message = f"`{roles.bare_name(name)}` holds itself: values inside are not kept"
                    hint = "declare a payload that nests, such as JSON_VALUE, BARE_OBJECT, ELEMENTS"
                    if origin == "start":
                        message = "`start` holds itself"
                        hint = "what stands several times is written `(TEXT | call)*`"
                    yield place.error("recursive", message, hint)

    def _reached(self, origin: str) -> set[str]:
        """Lists the rules to which a rule leads."""
        seen: set[str] = set()
        pending = [origin]
        while pending:
            for production in self._by_origin[pending.pop()]:
                found = {symbol for symbol in production.symbols if symbol in self._by_origin}
                pending += found - seen
                seen |= found
        return seen

    def _nameless(self) -> Iterator[GrammarError]:
        """Finds the ways to write a call that have no place for a name."""
        for production in self._productions:
            # A name may be deeper, in a rule or a group of an expression.
            if production.role != "call" or self._holds("name", production):
                continue
            longer = (
                other
                for other in self._by_origin[production.origin]
                if other.role == "call" and self._holds("name", other)
            )
            # A way that only omits optional parts is not a way of its own.
            if not any(_within(production.symbols, other.symbols) for other in longer):
                place = self._places.definition(production.origin) or self._places.start()
                hint = "put a rule `name: /…/`, or a group `(?P<name>…)`, where the tool is named"
                yield place.error("call-without-name", "this `call` has no `name`", hint)

    def _holds(self, role: str, production: Production, seen: frozenset[str] = frozenset()) -> bool:
        """Whether a rule contains a part with a role."""
        seen |= {production.origin}
        return any(self._plays(role, symbol, seen) for symbol in production.symbols)

    def _plays(self, role: str, symbol: str, seen: frozenset[str]) -> bool:
        """Whether a symbol has a role, or contains a part that has it."""
        terminal = self._terminals.get(symbol)
        if terminal is not None:
            return any(each == role for _, each in terminal.groups) or (
                role in dict(terminal.constants)
            )
        # A recursive rule is found by another check; here the recursion only has to end.
        if symbol in seen:
            return False
        return any(
            production.role == role or self._holds(role, production, seen)
            for production in self._by_origin.get(symbol, ())
        )

    def _without_ids(self) -> Iterator[GrammarError]:
        """Finds ordered sections of calls whose calls can't be distinguished."""
        groups = [p for p in self._productions if p.role in ("sequential", "mode")]
        if groups and not self._reads("id") and not self._header.roles:
            place = self._places.use(groups[0].role) or self._places.start()
            message = "calls that wait for each other need ids, and this format has none"
            hint = "put a rule `id` into `call`, or write `//@ roles: KEY=id` in the header"
            yield place.error("calls-without-ids", message, hint)

    def _without_keys(self) -> Iterator[GrammarError]:
        """Finds values of arguments that can't have a name."""
        # The header may define a key, so the whole grammar is checked, not one rule.
        if self._reads("value") and not self._reads("key"):
            place = self._places.use("value") or self._places.start()
            message = "a `value` needs a `key`, and this format has none: its argument has no name"
            hint = "put a rule `key` before it; a payload without names is an `input`"
            yield place.error("value-without-key", message, hint)

    def _without_values(self) -> Iterator[GrammarError]:
        """Finds arguments whose payload has another role than that of a value."""
        for production in self._productions:
            if production.role != "argument" or self._holds("value", production):
                continue
            for role in sorted(roles.PROSE_ROLES):
                if self._holds(role, production):
                    place = self._places.use(role) or self._places.start()
                    message = f"a `{role}` in an `argument` is {roles.LEAF_ROLES[role]}"
                    hint = "what the argument is set to is a `value`: `one: RAW -> value`"
                    yield place.error("argument-without-value", message, hint)

    def _reads(self, role: str) -> bool:
        """Whether any part of the grammar has a role."""
        return any(p.role == role for p in self._productions) or any(
            role in (*dict(terminal.constants), *(each for _, each in terminal.groups))
            for terminal in self._terminals.values()
        )

    # Raw payloads

    def _beside_raw(self) -> Iterator[GrammarError]:
        for production in self._productions:
            for at, symbol in enumerate(production.symbols):
                role = raw_role(self._by_origin, symbol)
                # Only payloads of a call have to be exact to the blank.
                if role and not role.startswith("_") and role not in roles.PROSE_ROLES:
                    yield from self._before_raw(production, at, role)
                    yield from self._behind_raw(production, at, role)

    @staticmethod
    def _raw_name(production: Production, at: int, role: str) -> str:
        """Returns the name of a raw payload in its rule, with its role if that is another word."""
        name = roles.bare_name(production.symbols[at])
        return f"`{name}`" if name == role else f"`{name}`, which plays `{role}`,"

    def _before_raw(self, production: Production, at: int, role: str) -> Iterator[GrammarError]:
        """Finds white space before a raw payload that would become part of it."""
        before = self._literal(production, at - 1)
        trim = self._header.trim.get(role, "")
        # White space is removed there anyway.
        if before is None or trim in _BEFORE:
            return
        blank = not before.text.strip()
        trail = before.text if blank else before.trail
        if trail.strip(_LINE_END) or (blank and trim not in ("one-newline", "newlines")):
            name = production.symbols[at - 1]
            raw = self._raw_name(production, at, role)
            message = f"the white space before {raw} would be part of it"
            mode = "strip" if trail.strip(_LINE_END) else "one-newline"
            # The hint shows the pattern that would read the white space.
            way = "/\\n/" if mode == "one-newline" else "/ ?/"
            if not blank:
                word = re.escape(before.text.strip()).replace("/", "\\/")
                lead = f'"{before.lead}" ' if before.lead.strip(_LINE_END) else ""
                way = f"{lead}/{word} |{word}/"
            hint = f"read it by a pattern, as in `{way}`, or write `//@ trim: {role}={mode}`"
            yield self._place_of(name, production.origin).error("blank-beside-raw", message, hint)

    def _behind_raw(self, production: Production, at: int, role: str) -> Iterator[GrammarError]:
        """Finds white space after a raw payload that would not end it, or become part of it."""
        behind = self._literal(production, at + 1)
        if behind is None:
            return
        place = self._place_of(production.symbols[at + 1], production.origin)
        raw = self._raw_name(production, at, role)
        if not behind.text.strip():
            following = self._first_terminal((*production.symbols, "", "")[at + 2])
            # A literal of white space is not read: the symbol after it has to end the payload.
            closes = following is not None and (following.pattern or following.kind == "same")
            if not closes:
                message = f"white space alone does not end {raw}: a literal of it is not read"
                hint = "write it as a pattern: `/\\n/`"
                yield place.error("blank-closer", message, hint)
            elif following is not None and following.kind == "same" and not self._header.trim:
                message = f"the white space behind {raw} would be part of it"
                hint = f"write `//@ trim: {role}=one-newline` in the header"
                yield place.error("blank-beside-raw", message, hint)
        elif behind.lead.strip(_LINE_END) and self._header.trim.get(role, "") not in _BEHIND:
            message = f"the white space behind {raw} would be part of it"
            hint = f"read it by a pattern, or write `//@ trim: {role}=right` in the header"
            yield place.error("blank-beside-raw", message, hint)

    def _first_terminal(self, symbol: str) -> Terminal | None:
        """Returns a terminal, or the only terminal of a rule."""
        for production in self._by_origin.get(symbol, ()):
            # `mark: "</x>"` is that terminal under another name.
            if len(production.symbols) == 1:
                return self._terminals.get(production.symbols[0])
        return self._terminals.get(symbol)

    def _literal(self, production: Production, at: int) -> Terminal | None:
        # An index of -1, before the first symbol, would return the last one.
        if not 0 <= at < len(production.symbols):
            return None
        terminal = self._terminals.get(production.symbols[at])
        return terminal if terminal is not None and terminal.kind == "literal" else None


def _within(part: tuple[str, ...], whole: tuple[str, ...]) -> bool:
    """Whether a sequence is another one with some symbols omitted."""
    rest = iter(whole)
    # `in` continues in the iterator after the match, so the order counts.
    return all(symbol in rest for symbol in part)
