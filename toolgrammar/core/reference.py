"""Reads a call section strictly by plain Lark: the reference of what the driver reads."""

from __future__ import annotations

import copy
import sys
from functools import lru_cache
from itertools import product
from typing import TYPE_CHECKING, Any, cast

from lark import Lark, Token, Tree
from lark.exceptions import UnexpectedEOF, UnexpectedInput, UnexpectedToken
from lark.grammar import NonTerminal, Rule
from lark.grammar import Terminal as LarkTerminal
from lark.lexer import PatternRE, TerminalDef
from lark.load_grammar import Grammar, load_grammar

from toolgrammar.core import files, roles
from toolgrammar.core import tables as stored
from toolgrammar.core.doubled import once
from toolgrammar.core.header import read_header
from toolgrammar.core.kept_machines import machine_for
from toolgrammar.core.strict_terminals import ODD_BLANK, PAYLOAD_GRAMMAR, StrictTerminals
from toolgrammar.core.tree_calls import ISLAND, tokens_of
from toolgrammar.core.tree_feed import Island
from toolgrammar.values.patterns import blanks

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from toolgrammar.core.tables import Tables

_PAYLOAD = "payload__"
_STARTS = {"call", *roles.GROUP_ROLES}
_ALL_TOKENS = True


def tree(
    path: Path, island: str, *, tables: Tables | None = None, tool_names: Sequence[str] = ()
) -> Tree[Token]:
    """Returns the tree of one call, or of one section of calls, read by plain Lark.

    The tree holds every token; a declared terminal such as JSON_OBJECT is one token too, although
    Lark read it by rules. White space between tokens is free, as it is for the driver; a payload
    has to be exact. The root's `meta` keeps the text and the grammar for `ToolCallTransformer`.

    Args:
        path: the grammar file.
        island: the text from the opener of a call or a section to its closer.
        tables: the compiled grammar, where it is at hand.
        tool_names: the known tools; by default those of the grammar's header.

    Raises:
        UnexpectedInput: the text is not in the language.
        GrammarError: the grammar is broken.
    """
    digest = files.digest_of(path)
    header = read_header(path)
    tables = tables or stored.load(path, digest)
    machine = machine_for(tables, tool_names or header.tools)
    problems: list[UnexpectedInput] = []
    # Where a call that is quoted in a value never closes, its opener is text like any other.
    for quoting in (True, False):
        strict = StrictTerminals(machine, island, quoting=quoting, doubled=header.doubled)
        parser, starts = _parser(path, digest, strict)
        for text, start in product(dict.fromkeys((island, island.rstrip())), starts):
            try:
                found = _tidied(parser.parse(text, start=start))
                _check_repeated(found, header.doubled)
            except UnexpectedInput as problem:
                problems.append(problem)
            else:
                vars(found.meta)[ISLAND] = Island(text, tables, header)
                return found
    raise max(problems, key=_place)


def _place(problem: UnexpectedInput) -> int:
    """Gives how far Lark came; the end of the text is the furthest."""
    place: int | None = problem.pos_in_stream
    return sys.maxsize if isinstance(problem, UnexpectedEOF) or place is None else place


_PARSERS: dict[object, tuple[Lark, tuple[str, ...]]] = {}
_PARSERS_KEPT = 64


def _parser(path: Path, digest: str, strict: StrictTerminals) -> tuple[Lark, tuple[str, ...]]:
    """Gives Lark's parser for a grammar and the rules at which it may start; made once."""
    key = (digest, *strict.identity)
    if key not in _PARSERS:
        if len(_PARSERS) >= _PARSERS_KEPT:
            _PARSERS.clear()
        grammar = _StrictGrammar(path, strict)
        parser = Lark(
            grammar,
            parser="earley",
            lexer="dynamic",
            start=list(grammar.starts),
            keep_all_tokens=True,
            maybe_placeholders=False,
        )
        _PARSERS[key] = (parser, grammar.starts)
    return _PARSERS[key]


@lru_cache(maxsize=1)
def _payloads() -> tuple[list[TerminalDef], list[Rule]]:
    """Gives terminals and rules of the declared payloads."""
    grammar, _ = load_grammar(PAYLOAD_GRAMMAR, "payloads", [], _ALL_TOKENS)
    starts = list(dict.fromkeys(roles.PAYLOAD_RULES.values()))
    terminals, rules, _ = grammar.compile(starts, set())
    return terminals, rules


class _StrictGrammar(Grammar):
    """A grammar whose declared terminals are rules or expressions that plain Lark can read."""

    def __init__(self, path: Path, strict: StrictTerminals) -> None:
        grammar, _ = load_grammar(
            files.read_text(path), str(path), [files.read_import], _ALL_TOKENS
        )
        super().__init__(grammar.rule_defs, grammar.term_defs, grammar.ignore)
        self._strict = strict
        self._tables = strict.machine.tables
        self.starts = tuple(
            dict.fromkeys(
                p.origin
                for p in self._tables.productions
                if {roles.bare_name(p.origin), p.role} & _STARTS
            )
        )

    def compile(
        self, _start: object, _terminals_to_keep: object
    ) -> tuple[list[TerminalDef], list[Rule], list[str]]:
        """Gives Lark terminals and rules; called by Lark itself."""
        definitions, rules, _ = super().compile(["start"], "*")
        self._priorities = {d.name: d.priority for d in definitions}
        used = {s.name for r in rules for s in r.expansion if isinstance(s, LarkTerminal)}
        self._numbers = {name: number for number, name in enumerate(sorted(used))}
        terminals, payloads = _payloads()
        self._terminals = {terminal.name: terminal for terminal in terminals}
        for name, expression in self._strict.payload_terminals():
            self._terminals[name] = TerminalDef(name, PatternRE(expression))
        self._rules: list[Rule] = [copy.copy(rule) for rule in payloads]
        for rule in rules:
            if rule.origin.name != "start":
                self._rules.append(self._rewritten(rule))
        self._rules = self._reachable()
        names = {s.name for r in self._rules for s in r.expansion if s.is_term}
        return [t for name, t in self._terminals.items() if name in names], self._rules, []

    def _rewritten(self, rule: Rule) -> Rule:
        role = roles.bare_name(rule.alias or rule.origin.name)
        expansion = [
            self._symbol(symbol, role) if isinstance(symbol, LarkTerminal) else symbol
            for symbol in rule.expansion
        ]
        kept = [symbol for symbol in expansion if symbol is not None]
        return Rule(rule.origin, kept, rule.order, rule.alias, rule.options)

    def _symbol(self, symbol: Any, role: str) -> Any:
        """Gives what stands for a terminal in a rule, or None for white space alone."""
        number = self._numbers[symbol.name]
        terminal = self._tables.terminals[number]
        if terminal.name in roles.TEXT_LIKE:
            return self._defined(terminal.name, self._strict.between(), 0)
        if terminal.name in roles.RAW_LIKE:
            return self._raw(terminal.name, role if role in roles.LEAF_ROLES else "")
        if terminal.kind == "payload":
            origin = NonTerminal(f"{_PAYLOAD}{terminal.name}")
            payload = NonTerminal(roles.PAYLOAD_RULES[terminal.name])
            self._add_rule(origin, [payload])
            self._add_rule(origin, [self._defined("ODD_BLANK", ODD_BLANK, 0), payload])
            return origin
        if terminal.kind == "literal" and not terminal.pattern:
            return None
        priority = self._priorities.get(symbol.name, 0)
        return self._defined(symbol.name, self._strict.scanned(number), priority)

    def _raw(self, kind: str, role: str) -> NonTerminal:
        """Gives the rule of a raw payload; calls quoted in it balance."""
        name = f"{kind}_{role.upper()}"
        origin = NonTerminal(f"{_PAYLOAD}{name}")
        begin = self._defined(name, self._strict.raw(role, kind), 1)
        self._add_rule(origin, [begin])
        self._add_rule(origin, [])
        parts = self._strict.quoted(role)
        if parts is None:
            return origin
        on = self._defined(f"{name}_ON", self._strict.raw_goes_on(role), 1)
        opens, text, closes = (
            self._defined(f"QUOTED_{number}", part, 1) for number, part in enumerate(parts)
        )
        call, inner, rest = (NonTerminal(f"_{part}_{name}") for part in ("call", "inner", "rest"))
        self._add_rule(call, [opens, closes])
        self._add_rule(call, [opens, inner, closes])
        for piece in (text, call):
            self._add_rule(inner, [piece])
            self._add_rule(inner, [piece, inner])
        for tail in ([], [rest], [on], [on, rest]):
            self._add_rule(rest, [call, *tail])
        self._add_rule(origin, [rest])
        self._add_rule(origin, [begin, rest])
        return origin

    def _add_rule(self, origin: NonTerminal, expansion: list[Any]) -> None:
        rule = Rule(origin, expansion, len(expansion) == 0)
        rule.options = copy.copy(_payloads()[1][0].options)
        if rule not in self._rules:
            self._rules.append(rule)

    def _defined(self, name: str, expression: str, priority: int) -> LarkTerminal:
        self._terminals.setdefault(name, TerminalDef(name, PatternRE(expression), priority))
        return LarkTerminal(name)

    def _reachable(self) -> list[Rule]:
        """Gives the rules that a call or a section consists of."""
        wanted: list[Any] = [NonTerminal(name) for name in self.starts]
        for origin in wanted:
            for rule in self._rules:
                if rule.origin == origin:
                    wanted += [s for s in rule.expansion if not s.is_term and s not in wanted]
        return [rule for rule in self._rules if rule.origin in wanted]


def _tidied(root: Any) -> Tree[Token]:
    """Gives the tree with the grammar's own names and with payloads as single tokens."""
    end = 0

    def tidy(node: Any) -> Any:
        nonlocal end
        if isinstance(node, Token):
            end = cast("int", node.end_pos)
            blank = blanks.match(node).end()
            return _token(roles.bare_name(node.type), str(node)[blank:], end)
        if not node.data.startswith(_PAYLOAD):
            return Tree(roles.bare_name(node.data), [tidy(child) for child in node.children])
        name = node.data.removeprefix(_PAYLOAD)
        text = "".join(str(token) for token in node.scan_values(lambda _: True))
        end += len(text)
        if name.startswith("RAW"):
            return _token("RAW_STRING" if name.startswith("RAW_STRING") else "RAW", text, end)
        return _token(name, text.lstrip(), end)

    return cast("Tree[Token]", tidy(root))


def _token(kind: str, text: str, end: int) -> Token:
    return Token(kind, text, start_pos=end - len(text), end_pos=end)


def _check_repeated(found: Tree[Token], doubled: str) -> None:
    """Raises UnexpectedToken where a closer does not repeat the name or the key."""
    for part in found.iter_subtrees():
        for wanted, role in (("SAME_NAME", "name"), ("SAME_KEY", "key")):
            leaves = [c for c in part.children if isinstance(c, Tree) and c.data == role]
            words = [once("".join(tokens_of(leaf)), doubled) for leaf in leaves]
            for child in part.children:
                repeated = isinstance(child, Token) and child.type == wanted
                if repeated and once(str(child), doubled) not in words:
                    raise UnexpectedToken(child, {wanted})
