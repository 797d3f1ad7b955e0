"""Walks the rules of a grammar and writes the text that they read: the inverse of the driver.

The alternatives of a rule are tried in their order; the first that can express what is to be written
is used. Literals are written as they are in the grammar, with their white space.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from toolgrammar.grammar import roles
from toolgrammar.writing.grammar_walk.needs import Needs
from toolgrammar.writing.grammar_walk.raw_texts import RawTexts
from toolgrammar.writing.grammar_walk.terminals import Terminals

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from toolgrammar.grammar.header import Header
    from toolgrammar.grammar.tables import Tables
    from toolgrammar.grammar.terminals import Production, Terminal
    from toolgrammar.values.calls import ToolCall
    from toolgrammar.writing.grammar_walk.manner import Manner
    from toolgrammar.writing.stretches import Stretch

_PROSE_ROLES = {"reasoning": "reasoning", "content": "text"}
"""The parts that the rules of these roles write."""


class Walk:
    """Writes stretches of messages in one format."""

    def __init__(
        self,
        tables: Tables,
        header: Header,
        manner: Manner,
    ) -> None:
        """Sets up the walk.

        Args:
            tables: the compiled grammar.
            header: the header of the grammar file.
            manner: how to choose between alternatives.
        """
        self.tables = tables
        self.rules: dict[str, list[Production]] = {}
        for production in tables.productions:
            self.rules.setdefault(production.origin, []).append(production)
        # A rule with another name is written as a call only where no rule is named `call`.
        self.callers = {name for name in self.rules if roles.bare_name(name) == "call"} or {
            production.origin for production in tables.productions if production.role == "call"
        }
        names = {s for p in tables.productions for s in p.symbols if s not in self.rules}
        # The tables list the terminals in the order of their names.
        self.terminals = dict(zip(sorted(names), tables.terminals, strict=True))
        self.wire_names = {role: name for name, role in header.roles.items()}
        self.last_first = manner.last_first
        self.texts = Terminals(RawTexts(header, tables), manner)
        # The rules that are being written, so that one that begins with itself has an end.
        self.active: list[str] = []

    def calls(self, calls: Sequence[ToolCall]) -> str | None:
        """Returns the islands that hold the calls, or None if no rule can carry them."""
        islands = []
        needs = Needs(calls)
        while needs.calls:
            text = self._unit(needs)
            if text is None:
                return None
            islands.append(text)
        # Islands stand on lines of their own; within an island the grammar says what stands
        # between.
        return "\n".join(islands)

    def prose(self, stretch: Stretch) -> str | None:
        """Returns text or reasoning as the format writes it, or None if it has no place."""
        return self._unit(Needs((), stretch))

    def _unit(self, needs: Needs) -> str | None:
        """Returns the first part of a message that carries something of what is needed."""
        for symbols in self._units("start"):
            trial = needs.copy()
            text = self._symbols(symbols, trial)
            # A unit that carries nothing of the message could be written without end.
            less = len(trial.calls) < len(needs.calls) or trial.prose is not needs.prose
            if text is not None and less:
                needs.take(trial)
                return text
        return None

    def _units(self, origin: str) -> list[tuple[str, ...]]:
        """Lists what the repetitions of a rule repeat, without what an earlier one has."""
        found: dict[tuple[str, ...], None] = {}
        for production in self.rules[origin]:
            for symbol in production.symbols:
                if symbol in self.rules and self._repeats(symbol):
                    # A rule that repeats holds units of the message: text and islands. The rule
                    # may have two: what only the beginning of a message has, and all that follows.
                    units = (each.symbols for each in self.rules[symbol])
                    found |= {each: None for each in units if symbol not in each}
        return list(found)

    def _repeats(self, origin: str) -> bool:
        return any(origin in production.symbols for production in self.rules[origin])

    def _symbols(self, symbols: Sequence[str], needs: Needs, role: str = "") -> str | None:
        out: list[str] = []
        for symbol in symbols:
            if symbol in self.rules:
                text = self._rule(symbol, needs)
            else:
                terminal = self.terminals[symbol]
                own = self._own_role(terminal, role, symbols)
                text = self.texts.text(terminal, needs, own, out[-1] if out else "")
            if text is None:
                return None
            out.append(text)
        return "".join(out)

    def _own_role(self, terminal: Terminal, role: str, symbols: Iterable[str]) -> str:
        """Returns the role of a terminal in a rule; beside a payload nothing else has it."""
        # Only a leaf's terminal can bear its role: in a rule of structure every terminal is markup.
        if role not in roles.LEAF_ROLES:
            return ""
        beside = [self.terminals[s] for s in symbols if s in self.terminals]
        visible = [each for each in beside if each.kind != "literal" or each.text.strip()]
        # A literal that is the whole rule, as in `name: "search"`, has the role itself.
        if terminal.kind == "payload" or len(visible) == 1:
            return role
        # In `name: "<" NAME ">"` the literals are markup, and NAME bears the role.
        payload = any(each.kind == "payload" for each in visible)
        return "" if payload or terminal.kind == "literal" else role

    def _rule(self, origin: str, needs: Needs) -> str | None:
        if self._repeats(origin):
            return self._repetition(origin, needs)
        role = roles.bare_name(origin)
        if origin in self.callers:
            return self._call(origin, needs)
        if role == "text" or origin in self.active:
            return None  # a rule that begins with itself writes nothing new
        if role in _PROSE_ROLES:
            return self._prose(origin, needs)
        self.active.append(origin)
        try:
            return self._alternative(origin, role, needs)
        finally:
            self.active.pop()

    def _alternative(self, origin: str, role: str, needs: Needs) -> str | None:
        best: tuple[str, Needs] | None = None
        fewest = 0
        for production in self._in_order(origin, role, needs):
            trial = needs.copy()
            text = self._symbols(production.symbols, trial, production.role)
            if text is None or (production.role == "argument" and not trial.argument_is_whole):
                continue
            # What wrote something is taken at once. A leaf's alternative is taken though the size
            # is the same: a value takes off the key, which the size omits.
            if trial.size < needs.size or role in roles.LEAF_ROLES:
                needs.take(trial)
                return text
            if best is None or len(production.symbols) < fewest:
                # Optional parts that carry nothing are omitted.
                best, fewest = (text, trial), len(production.symbols)
        if best is None:
            return None
        needs.take(best[1])
        return best[0]

    def _in_order(self, origin: str, role: str, needs: Needs) -> list[Production]:
        """Lists alternatives; of those of a value, first what names its type on the wire."""
        found = self.rules[origin]
        if self.last_first and (role == "argument" or needs.key is not None):
            # What only lacks the end of another is not a form of its own: it stays after that.
            found = [*reversed(found)]
            found.sort(key=lambda p: any(_is_start(p, q) for q in self.rules[origin]))
        if needs.key is not None:
            return sorted(found, key=lambda p: not self._names_type(p, needs))
        return found

    def _names_type(self, production: Production, needs: Needs) -> bool:
        beside = [self.terminals[s] for s in production.symbols if s in self.terminals]
        return any(self.texts.names_type(terminal, needs) for terminal in beside)

    def _repetition(self, origin: str, needs: Needs) -> str | None:
        # What a repetition repeats: its alternatives without the repetition itself.
        units = [p.symbols for p in self.rules[origin] if origin not in p.symbols]
        out = []
        grew = True
        while grew:
            grew = False
            # After each round from the first unit on, so that an argument of any kind may follow
            # any other.
            for unit in units:
                trial = needs.copy()
                text = self._symbols(unit, trial)
                if text is not None and trial.size < needs.size:
                    needs.take(trial)
                    out.append(text)
                    grew = True
                    break
        return "".join(out) if out else None

    def _call(self, origin: str, needs: Needs) -> str | None:
        if not needs.calls:
            return None
        call = needs.calls[0]
        # Copies per alternative: what one has taken off before it failed must not be missing in the
        # next.
        for production in self.rules[origin]:
            trial = needs.copy()
            trial.take_call()
            trial.begin(call, self.tables, self.wire_names)
            trial.expect_inputs(sum(map(self._is_input, production.symbols)))
            text = self._symbols(production.symbols, trial, production.role)
            if text is not None and trial.call_is_whole:
                needs.take(trial)
                # The number of the call counts only calls that were written.
                self.texts.next_call()
                return text
        return None

    def _is_input(self, symbol: str) -> bool:
        return any(p.role in ("input", "body") for p in self.rules.get(symbol, ()))

    def _prose(self, origin: str, needs: Needs) -> str | None:
        """Writes text or reasoning by the first alternative that can.

        Of what is optional in it, nothing is written before the text, and everything after it.
        """
        if needs.prose is None or _PROSE_ROLES[roles.bare_name(origin)] != needs.prose.kind:
            return None

        found = self.rules[origin]

        def around(production: Production) -> tuple[int, int, int]:
            # Variants without optional parts go with their whole form; the least stands before the
            # text, the most after it.
            whole = next(at for at, other in enumerate(found) if _is_part(production, other))
            before = next((at for at, s in enumerate(production.symbols) if self._is_raw(s)), 0)
            return whole, before, before - len(production.symbols)

        for production in sorted(found, key=around):
            trial = needs.copy()
            text = self._symbols(production.symbols, trial, production.role)
            if text is not None and trial.prose is None:
                needs.take(trial)
                return text
        return None

    def _is_raw(self, symbol: str) -> bool:
        return symbol in self.terminals and self.terminals[symbol].name in roles.RAW_LIKE


def _is_part(one: Production, other: Production) -> bool:
    """Whether a rule is another one, or what is left of it without optional parts."""
    symbols = iter(other.symbols)
    return all(symbol in symbols for symbol in one.symbols)


def _is_start(one: Production, other: Production) -> bool:
    """Whether a rule is the beginning of another one."""
    size = len(one.symbols)
    return size < len(other.symbols) and other.symbols[:size] == one.symbols
