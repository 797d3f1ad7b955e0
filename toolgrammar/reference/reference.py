"""Reads a section of calls strictly by plain Lark, to be compared with the driver's reading.

Example: `<tool_call>{"name": "f", "arguments": {}}</tool_call>` becomes a tree whose payload is one
token.
"""

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

from toolgrammar.core.machine.caches import machine_for
from toolgrammar.core.message.doubled import undoubled
from toolgrammar.grammar import files, roles, stored
from toolgrammar.grammar.header import read_header
from toolgrammar.reference.strict_terminals import ODD_BLANK, StrictTerminals, payload_grammar
from toolgrammar.reference.tree_feed import ISLAND, Island, tokens_of
from toolgrammar.values.patterns import blanks

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from toolgrammar.grammar.tables import Tables

_PAYLOAD = "payload__"  # The prefix of rules that represent a payload.
_STARTS = {"call", *roles.GROUP_ROLES}
_OF_START = "__start_"  # The prefix of what Lark makes of `(…)*` in `start`.
_ALL_TOKENS = True  # Lark's `global_keep_all_tokens`.


def tree(
    path: Path, island: str, *, tables: Tables | None = None, tool_names: Sequence[str] = ()
) -> Tree[Token]:
    """Returns the tree of one call, or of one section of calls, read by plain Lark.

    The tree contains every token; a declared terminal such as JSON_OBJECT is one token too,
    although Lark read it by rules. White space between tokens is free, as it is for the driver; a
    payload must match exactly. The root's `meta` keeps the text and the grammar for
    `ToolCallTransformer`.

    Args:
        path: the grammar file.
        island: the text from the opener of a call or a section to its closer.
        tables: the compiled grammar, if the caller has it.
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
    # If a call that is quoted in a value is never closed, its opener is text like any other.
    for quoting in (True, False):
        strict = StrictTerminals(machine, island, quoting=quoting, doubled=header.doubled)
        parser, starts = _parser(path, digest, strict)
        # White space at the end may belong to a payload that only the end of the text closes, or to
        # nothing.
        for text, start in product(dict.fromkeys((island, island.rstrip())), starts):
            try:
                found = _tidied(parser.parse(text, start=start))
                _check_repeated(found, header.doubled)
            except UnexpectedInput as problem:
                problems.append(problem)
            else:
                vars(found.meta)[ISLAND] = Island(text, tables, header)
                return found
    # The attempt that came furthest has the best error for the text.
    raise max(problems, key=_place)


def _place(problem: UnexpectedInput) -> int:
    """Returns how far Lark came; the end of the text is the furthest."""
    place: int | None = problem.pos_in_stream
    return sys.maxsize if isinstance(problem, UnexpectedEOF) or place is None else place


_PARSERS: dict[object, tuple[Lark, tuple[str, ...]]] = {}
# Closers that repeat a word of the text need a parser for each such text.
_PARSERS_KEPT = 64


def _parser(path: Path, digest: str, strict: StrictTerminals) -> tuple[Lark, tuple[str, ...]]:
    """Returns Lark's parser for a grammar and its possible start rules; they are made once."""
    key = (digest, *strict.identity)
    if key not in _PARSERS:
        if len(_PARSERS) >= _PARSERS_KEPT:
            _PARSERS.clear()
        grammar = _StrictGrammar(path, strict)
        parser = Lark(
            grammar,
            # The strict terminals overlap, so neither LALR nor a lexer of its own can choose among
            # them.
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
    """Returns the terminals and rules of the declared payloads."""
    grammar, _ = load_grammar(payload_grammar(), "payloads", [], _ALL_TOKENS)
    starts = list(dict.fromkeys(roles.PAYLOAD_RULES.values()))
    terminals, rules, _ = grammar.compile(starts, set())
    return terminals, rules


class _StrictGrammar(Grammar):
    """A grammar whose declared terminals are replaced by rules or expressions for plain Lark."""

    def __init__(self, path: Path, strict: StrictTerminals) -> None:
        grammar, _ = load_grammar(
            files.read_text(path), str(path), [files.read_import], _ALL_TOKENS
        )
        # The same text that is compiled to tables: only its terminals are replaced, in
        # `compile`.
        super().__init__(grammar.rule_defs, grammar.term_defs, grammar.ignore)
        self._strict = strict
        self._tables = strict.machine.tables
        # A call may be a rule of that name, or any rule with that role.
        found = [
            p.origin
            for p in self._tables.productions
            if {roles.bare_name(p.origin), p.role} & _STARTS
        ]
        self.starts = tuple(dict.fromkeys([*found, *self._parts(frozenset(found))]))

    def _parts(self, holding: frozenset[str]) -> list[str]:
        """Lists the parts of a message that hold calls, such as `_turn: "<turn>" call "</turn>"`."""
        before: frozenset[str] = frozenset()
        productions = self._tables.productions
        while before != holding:
            before = holding
            holding |= {p.origin for p in productions if not holding.isdisjoint(p.symbols)}
        of_start = (p for p in productions if p.origin == "start" or p.origin.startswith(_OF_START))
        used = {symbol for p in of_start for symbol in p.symbols if symbol in holding}
        return sorted(symbol for symbol in used if not symbol.startswith(_OF_START))

    def compile(
        self, _start: object, _terminals_to_keep: object
    ) -> tuple[list[TerminalDef], list[Rule], list[str]]:
        """Returns Lark terminals and rules; called by Lark itself."""
        # `"*"` keeps every terminal, so that the sorted names have the numbers of the tables.
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
            # `start` is the whole message with its text; here an island is read by itself.
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
        """Returns the symbol that replaces a terminal in a rule, or None for white space alone."""
        number = self._numbers[symbol.name]
        terminal = self._tables.terminals[number]
        if terminal.name in roles.TEXT_LIKE:
            return self._defined(terminal.name, self._strict.between(), 0)
        # The order matters: a raw payload is of kind `payload`, too, but has no rules of its
        # own.
        if terminal.name in roles.RAW_LIKE:
            return self._raw(terminal.name, role if role in roles.LEAF_ROLES else "")
        if terminal.kind == "payload":
            origin = NonTerminal(f"{_PAYLOAD}{terminal.name}")
            payload = NonTerminal(roles.PAYLOAD_RULES[terminal.name])
            self._add_rule(origin, [payload])
            # The driver skips a no-break space before the brace, which is not white space in
            # JSON.
            self._add_rule(origin, [self._defined("ODD_BLANK", ODD_BLANK, 0), payload])
            return origin
        # A literal of white space alone: it is free between any tokens.
        if terminal.kind == "literal" and not terminal.pattern:
            return None
        priority = self._priorities.get(symbol.name, 0)
        return self._defined(symbol.name, self._strict.scanned(number), priority)

    def _raw(self, kind: str, role: str) -> NonTerminal:
        """Returns the rule of a raw payload; calls quoted in it balance."""
        name = f"{kind}_{role.upper()}"
        origin = NonTerminal(f"{_PAYLOAD}{name}")
        begin = self._defined(name, self._strict.raw(role, kind), 1)
        self._add_rule(origin, [begin])
        # A raw value may be empty, but a terminal of Lark may not.
        self._add_rule(origin, [])
        # A call that is quoted in a value, `<call>…</call>`, does not end it: its markup balances.
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
        # After a quoted call: the end, another one, more text, or more text and then another one.
        for tail in ([], [rest], [on], [on, rest]):
            self._add_rule(rest, [call, *tail])
        self._add_rule(origin, [rest])
        self._add_rule(origin, [begin, rest])
        return origin

    def _add_rule(self, origin: NonTerminal, expansion: list[Any]) -> None:
        rule = Rule(origin, expansion, len(expansion) == 0)
        # Lark wants options on every rule; those of the payloads keep all tokens, as is needed
        # here.
        rule.options = copy.copy(_payloads()[1][0].options)
        if rule not in self._rules:
            self._rules.append(rule)

    def _defined(self, name: str, expression: str, priority: int) -> LarkTerminal:
        self._terminals.setdefault(name, TerminalDef(name, PatternRE(expression), priority))
        return LarkTerminal(name)

    def _reachable(self) -> list[Rule]:
        """Returns the rules that a call or a section needs."""
        wanted: list[Any] = [NonTerminal(name) for name in self.starts]
        # The list grows during the loop: a fixed point without a second set.
        for origin in wanted:
            for rule in self._rules:
                if rule.origin == origin:
                    wanted += [s for s in rule.expansion if not s.is_term and s not in wanted]
        return [rule for rule in self._rules if rule.origin in wanted]


def _tidied(root: Any) -> Tree[Token]:
    """Returns the tree with the grammar's own names and with payloads as single tokens."""
    end = 0

    def tidy(node: Any) -> Any:
        """Returns a node with the grammar's names; a payload becomes one token."""
        nonlocal end
        if isinstance(node, Token):
            end = cast("int", node.end_pos)
            # The expressions match the white space before a token; the tree has the token alone.
            blank = blanks.match(node).end()
            return _token(roles.bare_name(node.type), str(node)[blank:], end)
        if not node.data.startswith(_PAYLOAD):
            return Tree(roles.bare_name(node.data), [tidy(child) for child in node.children])
        name = node.data.removeprefix(_PAYLOAD)
        text = "".join(str(token) for token in node.scan_values(lambda _: True))
        # A payload is several tokens of Lark and becomes one; its place follows from the text
        # before it.
        end += len(text)
        if name.startswith("RAW"):
            return _token("RAW_STRING" if name.startswith("RAW_STRING") else "RAW", text, end)
        return _token(name, text.lstrip(), end)

    return cast("Tree[Token]", tidy(root))


def _token(kind: str, text: str, end: int) -> Token:
    return Token(kind, text, start_pos=end - len(text), end_pos=end)


def _check_repeated(found: Tree[Token], doubled: str) -> None:
    """Raises UnexpectedToken if a closer does not repeat the name or the key."""
    for part in found.iter_subtrees():
        for wanted, role in (("SAME_NAME", "name"), ("SAME_KEY", "key")):
            leaves = [c for c in part.children if isinstance(c, Tree) and c.data == role]
            words = [undoubled("".join(tokens_of(leaf)), doubled) for leaf in leaves]
            for child in part.children:
                # A context-free grammar can't express this: `<a>…</b>` is found only here.
                repeated = isinstance(child, Token) and child.type == wanted
                if repeated and undoubled(str(child), doubled) not in words:
                    raise UnexpectedToken(child, {wanted})
