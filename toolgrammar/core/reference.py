"""Reads a call section strictly by plain Lark, and turns the tree into calls: the reference."""

from __future__ import annotations

import copy
import itertools
import re
from functools import lru_cache
from typing import TYPE_CHECKING, Any, Protocol, cast

from lark import Lark, Token, Transformer, Tree
from lark.exceptions import UnexpectedInput, UnexpectedToken
from lark.grammar import NonTerminal, Rule
from lark.grammar import Terminal as LarkTerminal
from lark.lexer import PatternRE, TerminalDef
from lark.load_grammar import Grammar, load_grammar

from toolgrammar.core import files, roles
from toolgrammar.core import tables as stored
from toolgrammar.core.build import Builder
from toolgrammar.core.header import read_header
from toolgrammar.core.machine import Machine
from toolgrammar.core.scan_json import JsonScanner
from toolgrammar.core.scan_python import PythonArgumentsScanner
from toolgrammar.core.source import Source
from toolgrammar.core.strict_terminals import PAYLOAD_GRAMMAR, StrictTerminals
from toolgrammar.tools.specs import to_specs

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence
    from pathlib import Path

    from toolgrammar.core.header import Header
    from toolgrammar.core.tables import Tables
    from toolgrammar.values.calls import ToolCall
    from toolgrammar.values.tools import ToolSpec

_PAYLOAD = "payload__"
_STARTS = ("call", *roles.GROUP_ROLES)
_OPENING_BLANK = re.compile(r"\s*")


class Described(Protocol):
    """A format, as far as the reference needs it."""

    @property
    def tables(self) -> Tables:
        """The compiled grammar."""

    @property
    def header(self) -> Header:
        """What the grammar file says of itself."""


def tree(
    path: Path, island: str, *, tables: Tables | None = None, tool_names: Sequence[str] = ()
) -> Tree[Token]:
    """Returns the tree of one call, or of one section of calls, read by plain Lark.

    The tree holds every token; a declared terminal such as JSON_OBJECT is one token too, although
    Lark read it by rules. White space between tokens is free, as it is for the driver; a payload
    has to be exact.

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
    names = tuple(sorted(tool_names)) or tuple(read_header(path).tools)
    parser, starts = _parser(path, digest, names, tables)
    furthest: UnexpectedInput | None = None
    for text in dict.fromkeys((island, island.rstrip())):
        for start in starts:
            try:
                found = _tidied(parser.parse(text, start=start), text)
                _check_repeated(found)
            except UnexpectedInput as problem:
                if furthest is None or _place(problem) > _place(furthest):
                    furthest = problem
            else:
                return found
    assert furthest is not None
    raise furthest


def _place(problem: UnexpectedInput) -> int:
    place = problem.pos_in_stream
    return place if isinstance(place, int) and place >= 0 else -1


# ---------------------------------------------------------------------------- the parser

_PARSERS: dict[tuple[str, tuple[str, ...]], tuple[Lark, tuple[str, ...]]] = {}
_PARSERS_KEPT = 32


def _parser(
    path: Path, digest: str, names: tuple[str, ...], tables: Tables | None
) -> tuple[Lark, tuple[str, ...]]:
    """Gives Lark's parser for a grammar and the rules at which it may start; made once."""
    found = _PARSERS.get((digest, names))
    if found is None:
        if len(_PARSERS) >= _PARSERS_KEPT:
            _PARSERS.clear()
        grammar = _StrictGrammar(path, Machine(tables or stored.load(path, digest), names))
        parser = Lark(
            grammar,
            parser="earley",
            lexer="dynamic",
            start=list(grammar.starts),
            keep_all_tokens=True,
            maybe_placeholders=False,
        )
        found = _PARSERS[digest, names] = (parser, grammar.starts)
    return found


@lru_cache(maxsize=1)
def _payloads() -> tuple[list[TerminalDef], list[Rule]]:
    """Gives terminals and rules of the declared payloads."""
    grammar, _ = load_grammar(PAYLOAD_GRAMMAR, "payloads", [], True)
    starts = ["json_object", "json_value", "template_object", "python_arguments"]
    terminals, rules, _ = grammar.compile(starts, set())
    return terminals, rules


class _StrictGrammar(Grammar):  # type: ignore[misc]  # Lark ships it without types
    """A grammar whose declared terminals are rules or expressions that plain Lark can read."""

    def __init__(self, path: Path, machine: Machine) -> None:
        grammar, _ = load_grammar(
            files.read_text(path), str(path), [str(files.grammar_folder())], True
        )
        super().__init__(grammar.rule_defs, grammar.term_defs, grammar.ignore)
        self._strict = StrictTerminals(machine)
        self._tables = machine.tables
        self.starts = tuple(
            dict.fromkeys(
                p.origin for p in self._tables.productions if roles.bare_name(p.origin) in _STARTS
            )
        )
        self._terminals: dict[str, TerminalDef] = {}
        self._rules: list[Rule] = []

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
        self._rules = [copy.copy(rule) for rule in payloads]
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
        if terminal.name == "RAW":
            return self._raw(role if role in roles.LEAF_ROLES else "")
        if terminal.kind == "payload":
            return self._payload_rule(terminal.name, NonTerminal(terminal.name.lower()))
        if terminal.kind == "literal" and not terminal.pattern:
            return None
        priority = self._priorities.get(symbol.name, 0)
        return self._defined(symbol.name, self._strict.scanned(number), priority)

    def _raw(self, role: str) -> NonTerminal:
        """Gives the rule of a raw payload; calls quoted in it balance."""
        name = f"RAW_{role.upper()}"
        origin = NonTerminal(f"{_PAYLOAD}{name}")
        begin = self._defined(name, self._strict.raw(role), 1)
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

    def _payload_rule(self, name: str, inner: NonTerminal) -> NonTerminal:
        origin = NonTerminal(f"{_PAYLOAD}{name}")
        self._add_rule(origin, [inner])
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
        wanted = [NonTerminal(name) for name in self.starts]
        for origin in wanted:
            for rule in self._rules:
                if rule.origin == origin:
                    wanted += [s for s in rule.expansion if not s.is_term and s not in wanted]
        return [rule for rule in self._rules if rule.origin in wanted]


# ---------------------------------------------------------------------------- the tree


def _tidied(root: Any, text: str) -> Tree[Token]:
    """Gives the tree with the grammar's own names and with payloads as single tokens.

    The root's `meta` keeps the text: the white space between tokens is in none of them.
    """
    end = 0

    def tidy(node: Any) -> Any:
        nonlocal end
        if isinstance(node, Token):
            end = cast("int", node.end_pos)
            blank = _OPENING_BLANK.match(node).end()  # type: ignore[union-attr]
            return _token(roles.bare_name(node.type), str(node)[blank:], end)
        if not node.data.startswith(_PAYLOAD):
            return Tree(roles.bare_name(node.data), [tidy(child) for child in node.children])
        name = node.data.removeprefix(_PAYLOAD)
        text = "".join(str(token) for token in node.scan_values(lambda _: True))
        end += len(text)
        if name.startswith("RAW"):
            return _token("RAW", text, end)
        return _token(name, text.lstrip(), end)

    found = cast("Tree[Token]", tidy(root))
    vars(found.meta)["source"] = text
    return found


def _token(kind: str, text: str, end: int) -> Token:
    return Token(kind, text, start_pos=end - len(text), end_pos=end)


def _tokens(found: Tree[Token]) -> Iterator[Token]:
    for child in found.children:
        if isinstance(child, Token):
            yield child
        else:
            yield from _tokens(child)


def _check_repeated(found: Tree[Token]) -> None:
    """Checks that closers repeat the name or the key they close.

    Raises:
        UnexpectedToken: one does not.
    """
    for part in found.iter_subtrees():
        for wanted, role in (("SAME_NAME", "name"), ("SAME_KEY", "key")):
            leaves = [c for c in part.children if isinstance(c, Tree) and c.data == role]
            words = ["".join(_tokens(leaf)) for leaf in leaves]
            for child in part.children:
                if isinstance(child, Token) and child.type == wanted and child not in words:
                    raise UnexpectedToken(child, {wanted})


# ---------------------------------------------------------------------------- calls


class ToolCallTransformer(Transformer[Token, "list[ToolCall]"]):
    """Turns the tree of a call section into the calls that a parser reads in the same text.

    It has one method for each role, called in the order of the text; the parts of a call reach
    the same builder that the push parser feeds.
    """

    def __init__(
        self, format: Described, *, tools: Iterable[object] | None = None, id_seed: str = ""
    ) -> None:
        """Sets up the transformer.

        Args:
            format: the format that the tree was read in.
            tools: the tools that the model had, of any shape; their schemas type the values.
            id_seed: what ids that the format leaves out are made from.
        """
        super().__init__(visit_tokens=True)
        self._format = format
        self._tools: Mapping[str, ToolSpec] = to_specs(tools)
        self._id_seed = id_seed
        self._terminals = {terminal.name: terminal for terminal in format.tables.terminals}
        self._strict = StrictTerminals(Machine(format.tables, tuple(self._tools)))
        self._builder = self._new_builder("")
        self._before: dict[tuple[int, int], Token] = {}
        self._loose: set[tuple[int, int]] = set()
        self._call_starts: list[int] = []
        self._end = 0

    def _new_builder(self, text: str) -> Builder:
        header = self._format.header
        source = Source()
        source.append(text)
        return Builder(
            source=source,
            format_id=header.id,
            tools=self._tools,
            trim=header.trim,
            wire_roles=header.roles,
            drop_unknown=header.unknown_arguments == "drop",
            id_seed=self._id_seed,
            free_text=self._format.tables.free_text,
            listening=False,
        )

    def transform(self, tree: Tree[Token]) -> list[ToolCall]:
        """Returns the calls of a tree that `Format.tree` gave."""
        tokens = list(_tokens(tree))
        text = str(vars(tree.meta).get("source", ""))
        for token in tokens if not text else ():
            text = text.ljust(cast("int", token.start_pos)) + token
        self._builder = self._new_builder(text)
        self._before = {_key(after): before for before, after in itertools.pairwise(tokens)}
        self._call_starts = [
            cast("int", next(_tokens(part)).start_pos)
            for part in tree.iter_subtrees_topdown()
            if part.data == "call"
        ]
        self._loose = {
            _key(child)
            for part in tree.iter_subtrees()
            if part.data not in roles.LEAF_ROLES
            for child in part.children
            if isinstance(child, Token)
        }
        if tree.data in roles.GROUP_ROLES:
            self._builder.open(str(tree.data), 0)
        super().transform(tree)
        self._builder.finish(len(text))
        return self._builder.calls

    def __default_token__(self, token: Token) -> Token:
        """Takes a token: of those outside leaves, named groups may fill roles."""
        if _key(token) in self._loose:
            self._end = cast("int", token.end_pos)
            if token.type in self._terminals:
                unit = self._call_starts[0] if self._call_starts else 0
                self._named_groups(token, cast("int", token.start_pos), unit)
        return token

    # Leaves

    def name(self, children: list[Token]) -> str:
        """Takes the name of the tool."""
        return self._leaf("name", children)

    def id(self, children: list[Token]) -> str:
        """Takes the id of the call; the name may stand in it."""
        return self._leaf("id", children)

    def depends_on(self, children: list[Token]) -> str:
        """Takes the ids of the calls that come first."""
        return self._leaf("depends_on", children)

    def arguments(self, children: list[Token]) -> str:
        """Takes all arguments at once."""
        return self._leaf("arguments", children)

    def key(self, children: list[Token]) -> str:
        """Takes the name of an argument."""
        if children and (before := self._before.get(_key(children[0]))):
            self._builder.token_start = cast("int", before.start_pos)
        return self._leaf("key", children)

    def value(self, children: list[Token]) -> str:
        """Takes the value of an argument."""
        return self._leaf("value", children)

    def input(self, children: list[Token]) -> str:
        """Takes the payload of a free-text call."""
        return self._leaf("input", children)

    def body(self, children: list[Token]) -> str:
        """Takes more of the payload of a free-text call."""
        return self._leaf("body", children)

    def mode(self, children: list[Token]) -> str:
        """Takes how the calls of a section run."""
        return self._leaf("mode", children)

    # Structure

    def argument(self, children: list[object]) -> list[object]:
        """Closes an argument."""
        self._builder.close("argument", self._end)
        return children

    def call(self, children: list[object]) -> object:
        """Closes a call and gives it."""
        self._builder.close("call", self._end)
        self._call_starts.pop(0)
        return self._builder.calls[-1] if self._builder.calls else children

    def calls(self, children: list[object]) -> list[object]:
        """Closes a section of calls."""
        self._builder.close("calls", self._end)
        return children

    parallel = sequential = calls

    # From tokens to the builder

    def _leaf(self, role: str, children: list[Token]) -> str:
        """Feeds what stands in a leaf to the builder; gives its text."""
        for token in children:
            terminal = self._terminals.get(token.type)
            if terminal is None:
                continue
            if terminal.kind == "literal" and len(children) > 1:
                continue
            start, self._end = cast("int", token.start_pos), cast("int", token.end_pos)
            unit = self._call_starts[0] if self._call_starts else start
            if token.type == "RAW":
                self._raw(role, token, unit)
            elif terminal.kind == "payload":
                self._payload(role, token, unit)
            else:
                self._builder.leaf(role, str(token), start, unit)
                self._named_groups(token, start, unit)
        return "".join(children)

    def _named_groups(self, token: Token, start: int, unit: int) -> None:
        """Fills the roles that are groups inside one terminal."""
        terminal = self._terminals[token.type]
        match = re.match(terminal.pattern, token) if terminal.groups else None
        for group, role in terminal.groups if match else ():
            if (text := match[group]) is not None:  # type: ignore[index]
                self._builder.leaf(role, text, start, unit)

    def _raw(self, role: str, token: Token, unit: int) -> None:
        start, end = cast("int", token.start_pos), cast("int", token.end_pos)
        before = self._before.get(_key(token))
        opener = self._terminals.get(before.type) if before is not None else None
        on_own_line = opener is not None and "\n" in opener.trail
        self._builder.begin_raw(
            role, start, unit, before=on_own_line, closes_line=self._strict.closes_line(role)
        )
        self._builder.raw(str(token))
        self._builder.end_raw(end, whole=True)

    def _payload(self, role: str, token: Token, unit: int) -> None:
        start, end = cast("int", token.start_pos), cast("int", token.end_pos)
        builder = self._builder
        builder.begin_payload(role, start, unit)
        out: list[str] = []
        if token.type == "PYTHON_ARGUMENTS":
            python = PythonArgumentsScanner(parameters=builder.parameters())
            python.feed(f"{token})", 0, out)
        else:
            scanner = JsonScanner(backticks=token.type == "TEMPLATE_OBJECT")
            scanner.feed(str(token), 0, out)
            scanner.finish(out, closed=True)
        builder.payload("".join(out))
        builder.end_payload(end)


def _key(token: Token) -> tuple[int, int]:
    return cast("int", token.start_pos), cast("int", token.end_pos)
