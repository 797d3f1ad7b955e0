"""Compiles a grammar file into tables; with `reference`, the only module that imports lark."""

from __future__ import annotations

import re
import warnings
from typing import TYPE_CHECKING, Any

from lark import exceptions as lark_errors
from lark.common import ParserConf
from lark.grammar import Rule
from lark.grammar import Terminal as LarkTerminal
from lark.lexer import PatternStr, TerminalDef
from lark.load_grammar import _get_parser, load_grammar
from lark.parsers.lalr_analysis import LALR_Analyzer, Shift

from toolgrammar.grammar import files, roles
from toolgrammar.grammar.call_evidence import signs_of
from toolgrammar.grammar.compiling import author_errors
from toolgrammar.grammar.compiling.blank_tokens import blank_before_tokens
from toolgrammar.grammar.compiling.bounds import bounded, streamable
from toolgrammar.grammar.compiling.collisions import Collisions
from toolgrammar.grammar.compiling.file_checks import check_files
from toolgrammar.grammar.compiling.header_lint import HeaderLint
from toolgrammar.grammar.compiling.lint import Lint
from toolgrammar.grammar.compiling.nesting import Nesting
from toolgrammar.grammar.compiling.places import Places
from toolgrammar.grammar.compiling.result_rules import result_rules
from toolgrammar.grammar.compiling.rule_roles import OF_MESSAGES, OF_RESULTS, unknown_roles, unused
from toolgrammar.grammar.header import read_header
from toolgrammar.grammar.header_values import nearest
from toolgrammar.grammar.tables import Tables
from toolgrammar.grammar.terminals import Production, Terminal, declared
from toolgrammar.patterns import partial
from toolgrammar.values.errors import GrammarError, raise_first

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from toolgrammar.grammar.compiling.source_text import Place
    from toolgrammar.grammar.header import Header

_CLOSING = frozenset({"call", "argument", *roles.GROUP_ROLES})


def compile_file(path: Path) -> Tables:
    """Compiles the grammar at `path`.

    Raises:
        GrammarError: with file, line, column and a hint, if the grammar is wrong. It is the first
            of several findings; the others are its notes.
    """
    return _compiled(path).tables


def advice_on(path: Path) -> list[GrammarError]:
    """Lists what works in the grammar at `path` but may not be what its author meant.

    Raises:
        GrammarError: the grammar is wrong.
    """
    return _compiled(path).advice


def _compiled(path: Path) -> _Compiler:
    """Compiles a grammar."""
    places = Places(path)
    findings: list[GrammarError] = []
    try:
        header = read_header(path)
    except GrammarError as error:
        findings.append(error)
    try:
        raise_first([*findings, *_bad_lines(places)])
        check_files(places)
        text = places.files[0][1]
        grammar, _ = load_grammar(
            text, str(path), [files.read_import], global_keep_all_tokens=False
        )
        definitions, rules, _ = grammar.compile(["start"], "*")
        compiler = _Compiler(places, header, definitions, rules, result_rules(grammar))
    except GrammarError:  # it has its place already
        raise
    except RecursionError as problem:
        raise author_errors.too_deep(places) from problem
    except (lark_errors.LarkError, OSError, ValueError, AssertionError, KeyError) as problem:
        raise author_errors.translated(problem, places) from problem
    return compiler


def _bad_lines(places: Places) -> Iterator[GrammarError]:
    """Parses every file as Lark does; finds the first line of each that is not a statement."""
    for file, text in places.files:
        try:
            _get_parser().parse(f"{text}\n", "start")
        except lark_errors.UnexpectedInput as problem:
            token = getattr(problem, "token", None)
            yield author_errors.syntax_error(places, file, problem.line, problem.column, token)


class _Compiler:
    """Converts Lark's objects of one grammar to tables."""

    def __init__(
        self,
        places: Places,
        header: Header,
        definitions: list[TerminalDef],
        rules: list[Rule],
        results: tuple[Production, ...],
    ) -> None:
        self.places = places
        self.results = results
        self.header = header
        self.definitions = {d.name: d for d in definitions}
        self.rules = rules
        self.used = sorted(
            {s.name for r in rules for s in r.expansion if isinstance(s, LarkTerminal)}
        )
        self.numbers = {name: number for number, name in enumerate(self.used)}
        self.productions = tuple(
            Production(rule.origin.name, self._role(rule), tuple(s.name for s in rule.expansion))
            for rule in rules
        )
        strangers = [
            *unknown_roles(self.productions, OF_MESSAGES, places),
            *unknown_roles(results, OF_RESULTS, places),
        ]
        # A rule that messages and results share is told once.
        self.findings = list(
            {(each.line, each.column): each for each in reversed(strangers)}.values()
        )[::-1]
        self.terminals = tuple(self._sound_terminals())
        raise_first(self.findings)
        self.advice: list[GrammarError] = []
        """Advice on grammar that compiles but may not be meant."""
        self.tables = self._tables()
        """The finished tables."""

    def _tables(self) -> Tables:
        self._lint()
        kept = self._without_blanks()
        analyzer = self._analyzed(kept)
        states, order = self._numbered(analyzer)
        nesting = Nesting(kept, self.terminals, self.numbers, analyzer.FIRST)
        in_order = sorted(kept, key=lambda r: (r.origin.name, [s.name for s in r.expansion]))
        rule_numbers = {rule: number for number, rule in enumerate(in_order)}
        actions: list[dict[int, tuple[int, int]]] = []
        gotos: list[dict[str, int]] = []
        for closure in order:
            row: dict[int, tuple[int, int]] = {}
            jumps: dict[str, int] = {}
            for symbol, (action, argument) in sorted(analyzer.parse_table.states[closure].items()):
                if action is not Shift:  # a rule ends
                    row[self.numbers.get(symbol, -1)] = (1, rule_numbers[argument])
                elif symbol in self.numbers:
                    row[self.numbers[symbol]] = (0, states[argument])
                else:
                    jumps[symbol] = states[argument]
            if closure == analyzer.parse_table.end_states["start"]:
                row[-1] = (0, states[closure])  # Lark accepts by the state, not by an action
            actions.append(row)
            gotos.append(jumps)
        leaf_roles = tuple(self._leaf_role(closure) for closure in order)
        raise_first(self.findings)
        self.advice += blank_before_tokens(
            self.terminals,
            actions,
            lambda number: self._shown(self.used[number]),
            lambda number: self._terminal_place(self.used[number], ""),
        )
        return Tables(
            terminals=self.terminals,
            rules=tuple(
                (rule.origin.name, len(rule.expansion), self._closing(rule))
                for rule in rule_numbers
            ),
            actions=tuple(actions),
            gotos=tuple(gotos),
            leaf_roles=leaf_roles,
            opening=tuple(nesting.opening(closure) for closure in order),
            call_opener=nesting.call_opener(),
            value_openers=nesting.value_openers(),
            productions=self.productions,
            signs=signs_of(self.terminals, self.productions) if self.header.calls != "last" else (),
            results=self.results,
            stops=self.header.stop,
        )

    def _lint(self) -> None:
        terminals = dict(zip(self.used, self.terminals, strict=True))
        lint = Lint(self.productions, terminals, self.header, self.places, self._terminal_place)
        unread = HeaderLint(self.productions, self.results, terminals, self.header, self.places)
        self.advice += [*lint.advice(), *unused(self.places)]
        raise_first([*lint.findings(), *unread.findings()])

    def _analyzed(self, kept: list[Rule]) -> LALR_Analyzer:
        """Returns Lark's analysis; collisions are reported before Lark would report them."""
        analyzer = LALR_Analyzer(ParserConf(kept, {}, ["start"]), debug=True)
        analyzer.compute_lr0_states()
        analyzer.compute_reads_relations()
        analyzer.compute_includes_lookback()
        analyzer.compute_lookaheads()
        terminals = dict(zip(self.used, self.terminals, strict=True))
        raws = {name: raw for name in self.used if (raw := self._raw(name))}
        self.advice += Collisions(self.places, terminals, raws).check(analyzer, kept)
        analyzer.compute_lalr1_states()
        return analyzer

    # Terminals

    def _sound_terminals(self) -> Iterator[Terminal]:
        """Yields the terminals that can be read; what is wrong with others is kept as a finding."""
        for name in self.used:
            try:
                yield self._terminal(name).with_header(self.header)
            except GrammarError as error:
                self.findings.append(error)

    def _terminal(self, lark_name: str) -> Terminal:
        name = roles.bare_name(lark_name)
        definition = self.definitions.get(lark_name)
        if definition is None:
            terminal = declared(name)
            if terminal is None:
                hint = nearest(name, roles.DECLARED_TERMINALS) + "declared terminals are "
                raise self._error(
                    name,
                    "undeclared-terminal",
                    f"`{name}` is declared, but no scanner reads it",
                    hint + ", ".join(roles.DECLARED_TERMINALS),
                )
            return terminal
        pattern = definition.pattern
        # White space in a literal stands for any: models break lines where they like.
        if isinstance(pattern, PatternStr) and not pattern.flags:
            core = pattern.value.strip()
            expression = r"\s+".join(re.escape(word) for word in core.split())
            beginnings = partial.partial(expression) if core else None
            return Terminal(
                name, "literal", pattern.value, expression, beginnings or "", definition.priority
            )
        return self._regex(name, lark_name, definition)

    def _regex(self, name: str, lark_name: str, definition: TerminalDef) -> Terminal:
        """Returns a terminal that is a regular expression, rewritten for the driver."""
        pattern = definition.pattern
        expression = re.escape(pattern.value) if isinstance(pattern, PatternStr) else pattern.value
        for flag in sorted(pattern.flags):  # Lark's own order is that of a set
            expression = f"(?{flag}:{expression})"
        number = self.numbers[lark_name]
        try:
            with warnings.catch_warnings(action="error", category=FutureWarning):
                least = partial.least_width(expression)
            streamable(expression)
        except FutureWarning as problem:
            message = f"this may mean something else than it says: {str(problem).lower()}"
            hint = "write `\\[`, `\\-`, `\\&`, `\\|`, `\\~` in a class; `[[:alpha:]]` is unknown to `re`"
            place = self._terminal_place(lark_name, "")
            raise place.error("bad-expression", message, hint) from None
        except re.error as problem:
            at = partial.expression_error(definition.pattern.value)
            place = self._terminal_place(lark_name, "", problem.pos or 0 if at is None else at)
            hint = "expressions are written as in Python's `re`"
            message = f"this is no regular expression: {problem.msg}"
            raise place.error("bad-expression", message, hint) from None
        except partial.UnstreamableError as problem:
            place = self._terminal_place(lark_name, "")
            raise place.error(problem.code, str(problem), problem.hint) from None
        if not least:
            message = f"{self._shown(lark_name)} can match the empty text"
            hint = "make it match a character at least, and optional in the rule: `[…]`"
            raise self._terminal_place(lark_name, "").error("empty-terminal", message, hint)
        groups = tuple((f"t{number}_{g}", g) for g in partial.group_names(expression))
        # A named group fills the role of its name, as a rule of this name would.
        for _, role in groups:
            if role not in roles.LEAF_ROLES and role != roles.KNOWN_TOOL:
                at = self._offset(expression, expression.index(f"(?P<{role}>") + len("(?P<"))
                message = f"group `{role}` is no role"
                hint = f"{nearest(role, roles.LEAF_ROLES)}a group that is no role begins with `(?:`"
                place = self._terminal_place(lark_name, "", at)
                raise place.error("undefined-role", message, hint)
        clean, length = bounded(expression, {role: group for group, role in groups})
        begun, priority = partial.partial(clean) or "", definition.priority
        return Terminal(name, "regex", "", clean, begun, priority, groups, length=length)

    @staticmethod
    def _offset(expression: str, at: int | None) -> int:
        """Returns an offset in an expression as its author spelled it, before flags were inlined."""
        flags = re.match(r"\(\?[imslux]+:", expression)
        return max(0, (at or 0) - (flags.end() if flags else 0))

    def _raw(self, lark_name: str) -> str:
        """Returns the spelling of a terminal that is written in a rule and has no definition."""
        definition = self.definitions.get(lark_name)
        raw = getattr(definition.pattern, "raw", None) if definition is not None else None
        return raw if raw and self.places.in_terminal(lark_name) is None else ""

    def _shown(self, lark_name: str) -> str:
        return f"`{self._raw(lark_name) or roles.bare_name(lark_name)}`"

    def _terminal_place(self, lark_name: str, within: str, offset: int = -1) -> Place:
        raw = self._raw(lark_name)
        if raw:
            place = self.places.written(raw, offset, within)
        else:
            place = self.places.in_terminal(lark_name, offset)
        return place or self.places.use(lark_name) or self.places.start()

    # Rules

    def _role(self, rule: Rule) -> str:
        return roles.bare_name(rule.alias or rule.origin.name)

    def _closing(self, rule: Rule) -> str:
        role = self._role(rule)
        return role if role in _CLOSING else ""

    def _blank(self, name: str) -> bool:
        terminal = self.terminals[self.numbers[name]]
        return terminal.kind == "literal" and not terminal.pattern

    def _without_blanks(self) -> list[Rule]:
        """Drops white-space literals: the driver skips white space where the grammar has any."""
        kept: dict[tuple[str, tuple[str, ...]], Rule] = {}
        for rule in self.rules:
            expansion = [
                s
                for s in rule.expansion
                if not (isinstance(s, LarkTerminal) and self._blank(s.name))
            ]
            key = (rule.origin.name, tuple(s.name for s in expansion))
            kept.setdefault(key, Rule(rule.origin, expansion, len(kept), rule.alias, rule.options))
        return list(kept.values())

    # States

    def _numbered(self, analyzer: LALR_Analyzer) -> tuple[dict[Any, int], list[Any]]:
        """Numbers the states in the order in which they are reached over sorted symbols."""
        table = analyzer.parse_table
        start = table.start_states["start"]
        numbers, order = {start: 0}, [start]
        for closure in order:
            for _, (action, target) in sorted(table.states[closure].items()):
                if action is Shift and target not in numbers:
                    numbers[target] = len(order)
                    order.append(target)
        return numbers, order

    def _leaf_role(self, closure: Any) -> str:
        """Returns the role of the terminal that leads into a state, known before it is read."""
        found = set()
        for item in closure:
            if not item.index:
                continue
            symbol = item.rule.expansion[item.index - 1]
            role = self._role(item.rule)
            if role not in roles.LEAF_ROLES or not isinstance(symbol, LarkTerminal):
                found.add("")
                continue
            terminal = self.terminals[self.numbers[symbol.name]]
            if len(item.rule.expansion) > 1 and terminal.kind != "payload":
                others = item.rule.expansion
                if terminal.kind == "literal" or any(self._is_payload(s.name) for s in others):
                    role = ""
            found.add(role)
        if len(found) > 1:
            names = ", ".join(f"`{role or 'none'}`" for role in sorted(found))
            first = next(role for role in sorted(found) if role)
            message = f"what stands here may play several roles: {names}"
            hint = "put a literal before one of them"
            error = self._error(first, "undecided-role", message, hint)
            # The same two roles may meet in several states.
            if str(error) not in map(str, self.findings):
                self.findings.append(error)
        return min(found) if found else ""

    def _is_payload(self, name: str) -> bool:
        return name in self.numbers and self.terminals[self.numbers[name]].kind == "payload"

    def _error(self, name: str, code: str, message: str, hint: str) -> GrammarError:
        place = self.places.use(name) or self.places.start()
        return place.error(code, message, hint)
