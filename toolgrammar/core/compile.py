"""Compiles a grammar file into tables; with `reference`, the only module that imports lark."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from lark import exceptions as lark_errors
from lark.common import ParserConf
from lark.grammar import NonTerminal, Rule
from lark.grammar import Terminal as LarkTerminal
from lark.lexer import PatternStr, TerminalDef
from lark.load_grammar import load_grammar
from lark.parsers.lalr_analysis import LALR_Analyzer, Shift

from toolgrammar.core import files, roles
from toolgrammar.core.partial import group_names, normalised, partial
from toolgrammar.core.tables import Production, Tables, Terminal
from toolgrammar.values.errors import GrammarError

if TYPE_CHECKING:
    from pathlib import Path

_CLOSING = frozenset({"call", "argument", *roles.GROUP_ROLES})
_POSITION = re.compile(r"line (\d+)(?:,? col(?:umn)? (\d+))?")


def compile_file(path: Path) -> Tables:
    """Compiles the grammar at `path`.

    Raises:
        GrammarError: with file, line, column and a hint, when the grammar is wrong.
    """
    return compile_text(files.read_text(path), path)


def compile_text(text: str, path: Path) -> Tables:
    """Compiles the text of a grammar; `path` is where its imports are looked for."""
    try:
        grammar, _ = load_grammar(
            text, str(path), [str(files.grammar_folder())], global_keep_all_tokens=False
        )
        definitions, rules, _ = grammar.compile(["start"], "*")
        return _Compiler(text, path, definitions, rules).tables()
    except GrammarError:
        raise
    except (lark_errors.LarkError, OSError, re.error, ValueError, AssertionError) as problem:
        raise _grammar_error(problem, text, path) from problem


def _grammar_error(problem: Exception, text: str, path: Path) -> GrammarError:
    message = str(problem).split("\n\n", 1)[0].strip()
    line = getattr(problem, "line", None)
    column = getattr(problem, "column", None)
    if not isinstance(line, int) or line < 1:
        found = _POSITION.search(message)
        line = int(found[1]) if found else 1
        column = int(found[2]) if found and found[2] else 1
    hint = "see docs/writing-a-format.md"
    undefined = re.search(
        r"(?:Rule|Terminal|symbol|Token)[^'`]*['`](\w+)['`]|not defined: (\w+)", message
    )
    if undefined and line == 1:
        name = undefined[1] or undefined[2]
        at = re.search(rf"(?m)^(?!//).*?\b({re.escape(name)})\b", text)
        if at:
            line = text.count("\n", 0, at.start(1)) + 1
            column = at.start(1) - (text.rfind("\n", 0, at.start(1)) + 1) + 1
            hint = f"define `{name}`, import it, or `%declare` it"
    return GrammarError(message, file=str(path), line=line, column=column or 1, hint=hint)


class _Compiler:
    """Takes one grammar from Lark's objects to tables."""

    def __init__(
        self, text: str, path: Path, definitions: list[TerminalDef], rules: list[Rule]
    ) -> None:
        self.text = text
        self.path = path
        self.definitions = {d.name: d for d in definitions}
        self.rules = rules
        self.used = sorted(
            {s.name for r in rules for s in r.expansion if isinstance(s, LarkTerminal)}
        )
        self.numbers = {name: number for number, name in enumerate(self.used)}
        self.terminals = tuple(self._terminal(name) for name in self.used)

    def tables(self) -> Tables:
        """Gives the finished tables."""
        self._check_roles()
        kept = self._without_blanks()
        analyzer = LALR_Analyzer(ParserConf(kept, {}, ["start"]), debug=True)
        analyzer.compute_lalr()
        states, order = self._numbered(analyzer)
        rule_numbers = {rule: number for number, rule in enumerate(self._sorted_rules(kept))}
        actions: list[dict[int, tuple[int, int]]] = []
        gotos: list[dict[str, int]] = []
        for closure in order:
            row: dict[int, tuple[int, int]] = {}
            jumps: dict[str, int] = {}
            for symbol, (action, argument) in sorted(analyzer.parse_table.states[closure].items()):
                if action is not Shift:
                    row[self.numbers.get(symbol, -1)] = (1, rule_numbers[argument])
                elif symbol in self.numbers:
                    row[self.numbers[symbol]] = (0, states[argument])
                else:
                    jumps[symbol] = states[argument]
            if closure == analyzer.parse_table.end_states["start"]:
                row[-1] = (0, states[closure])  # Lark accepts by the state, not by an action
            actions.append(row)
            gotos.append(jumps)
        return Tables(
            terminals=self.terminals,
            rules=tuple(
                (rule.origin.name, len(rule.expansion), self._closing(rule))
                for rule in rule_numbers
            ),
            actions=tuple(actions),
            gotos=tuple(gotos),
            leaf_roles=tuple(self._leaf_role(closure) for closure in order),
            opening=tuple(self._opening(closure, kept) for closure in order),
            call_opener=self._call_opener(kept, analyzer),
            productions=tuple(
                Production(
                    rule.origin.name, self._role(rule), tuple(s.name for s in rule.expansion)
                )
                for rule in self.rules
            ),
        )

    # Terminals

    def _terminal(self, lark_name: str) -> Terminal:
        name = roles.bare_name(lark_name)
        definition = self.definitions.get(lark_name)
        if definition is None:
            kind = "payload"
            if name in roles.SAME_TERMINALS:
                kind = "same"
            elif name == roles.TOOL_TERMINAL:
                kind = "tool"
            elif name not in roles.PAYLOAD_TERMINALS:
                raise self._error(
                    name,
                    f"undeclared-terminal `{name}` is declared, but no scanner reads it",
                    "declared terminals are " + ", ".join(roles.DECLARED_TERMINALS),
                )
            return Terminal(name, kind, "", "", "")
        pattern = definition.pattern
        if isinstance(pattern, PatternStr) and not pattern.flags:
            core = pattern.value.strip()
            expression = r"\s+".join(re.escape(word) for word in core.split())
            beginnings = partial(expression) if core else None
            return Terminal(
                name, "literal", pattern.value, expression, beginnings or "", definition.priority
            )
        expression = pattern.to_regexp()
        number = self.numbers[lark_name]
        groups = tuple((f"t{number}_{g}", g) for g in group_names(expression))
        for _, role in groups:
            if role not in roles.LEAF_ROLES:
                raise self._error(name, f"undefined-role group `{role}` is no role", "")
        clean = normalised(expression, {role: group for group, role in groups})
        return Terminal(
            name, "regex", "", clean, partial(expression) or "", definition.priority, groups
        )

    # Rules

    def _role(self, rule: Rule) -> str:
        return roles.bare_name(rule.alias or rule.origin.name)

    def _closing(self, rule: Rule) -> str:
        role = self._role(rule)
        return role if role in _CLOSING else ""

    def _check_roles(self) -> None:
        for rule in self.rules:
            role = self._role(rule)
            if role.startswith("_"):
                continue
            if role not in roles.LEAF_ROLES and role not in roles.STRUCTURE_ROLES:
                raise self._error(
                    role,
                    f"undefined-role rule `{role}` is no role",
                    "roles are "
                    + ", ".join((*roles.LEAF_ROLES, *roles.STRUCTURE_ROLES))
                    + "; begin the name of any other rule with `_`",
                )

    def _blank(self, name: str) -> bool:
        terminal = self.terminals[self.numbers[name]]
        return terminal.kind == "literal" and not terminal.pattern

    def _without_blanks(self) -> list[Rule]:
        """Drops white-space literals: the driver skips white space where the grammar has some."""
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

    def _sorted_rules(self, kept: list[Rule]) -> list[Rule]:
        return sorted(kept, key=lambda r: (r.origin.name, [s.name for s in r.expansion]))

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
        """Gives the role of the terminal that leads into a state, known before it is read."""
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
            raise self._error(
                next(role for role in sorted(found) if role),
                f"undecided-role what stands here may play several roles: {names}",
                "put a literal before one of them",
            )
        return found.pop() if found else ""

    def _opening(self, closure: Any, kept: list[Rule]) -> dict[int, str]:
        """Finds the terminals that certainly open a call or a group in this state."""
        by_origin: dict[str, list[Rule]] = {}
        for rule in kept:
            by_origin.setdefault(rule.origin.name, []).append(rule)
        chains: dict[int, set[str]] = {}

        def walk(symbols: list[Any], role: str, seen: frozenset[str]) -> None:
            for symbol in symbols:
                if isinstance(symbol, LarkTerminal):
                    chains.setdefault(self.numbers[symbol.name], set()).add(role)
                    return
                if symbol.name not in seen:
                    for rule in by_origin[symbol.name]:
                        own = self._role(rule)
                        inner = own if own == "call" or own in roles.GROUP_ROLES else role
                        walk(list(rule.expansion), inner, seen | {symbol.name})
                if not self._nullable(symbol.name, by_origin, frozenset()):
                    return

        for item in closure:
            if item.index or item.rule.origin.name.startswith("$root"):
                walk(list(item.rule.expansion[item.index :]), "", frozenset())
        return {
            number: next(iter(found))
            for number, found in sorted(chains.items())
            if len(found) == 1 and "" not in found
        }

    def _nullable(self, name: str, by_origin: dict[str, list[Rule]], seen: frozenset[str]) -> bool:
        if name in seen:
            return False
        return any(
            all(
                isinstance(s, NonTerminal) and self._nullable(s.name, by_origin, seen | {name})
                for s in rule.expansion
            )
            for rule in by_origin.get(name, [])
        )

    def _call_opener(
        self, kept: list[Rule], analyzer: LALR_Analyzer
    ) -> tuple[tuple[int, ...], ...]:
        """Finds the tags of a call that may nest inside a raw value: opener, followers, closer."""
        heads: list[tuple[int, ...]] = []
        follow: set[int] = set()
        closer: tuple[int, ...] = ()
        if not any(terminal.name == "RAW" for terminal in self.terminals):
            return ()
        for rule in kept:
            symbols = list(rule.expansion)
            if "name" not in [roles.bare_name(s.name) for s in symbols]:
                continue
            if not any(self._holds_payload(s, kept) for s in symbols):
                continue
            head, rest = self._head(symbols, kept)
            tail: list[Any] = []
            while (
                rest and isinstance(rest[-1], LarkTerminal) and not self._is_payload(rest[-1].name)
            ):
                tail.insert(0, rest.pop())
            if not tail or not head:
                continue
            heads.append(head)
            closer = closer or tuple(self.numbers[s.name] for s in tail)
            for symbol in [*rest[:1], tail[0]]:
                first = analyzer.FIRST.get(symbol, {symbol})
                follow |= {
                    self.numbers[s.name]
                    for s in first
                    if s.name in self.numbers and not self._is_payload(s.name)
                }
            if rest and any(self._is_payload(s.name) for s in analyzer.FIRST.get(rest[0], ())):
                follow.clear()
        if not heads:
            return ()
        value = self._value_opener(kept)
        return (closer, tuple(sorted(follow)), value, *dict.fromkeys(heads))

    def _holds_payload(self, symbol: Any, kept: list[Rule]) -> bool:
        """Tells whether something that is read by a scanner, or by further rules, stands here."""
        leaf = self._leaf(symbol, kept)[0]
        return not isinstance(leaf, LarkTerminal) or self._is_payload(leaf.name)

    def _head(self, symbols: list[Any], kept: list[Rule]) -> tuple[tuple[int, ...], list[Any]]:
        """Splits a rule with a name: the terminals up to its first payload, and the rest."""
        at = [roles.bare_name(s.name) for s in symbols].index("name")
        head: list[int] = []
        rest = symbols[max(0, at - 1) :]
        while rest:
            leaf = self._leaf(rest[0], kept)[0]
            if not isinstance(leaf, LarkTerminal) or self._is_payload(leaf.name):
                break
            head.append(self.numbers[leaf.name])
            rest.pop(0)
        return tuple(head), rest

    def _value_opener(self, kept: list[Rule]) -> tuple[int, ...]:
        """Finds the terminals between the start of an argument and its value."""
        for rule in kept:
            names = [roles.bare_name(s.name) for s in rule.expansion]
            if "key" in names and "value" in names[names.index("key") :]:
                head: list[Any] = []
                for symbol in rule.expansion[: names.index("value")]:
                    head += self._leaf(symbol, kept)
                if all(isinstance(s, LarkTerminal) for s in head):
                    return tuple(self.numbers[s.name] for s in head)
        return ()

    def _leaf(self, symbol: Any, kept: list[Rule]) -> list[Any]:
        for rule in kept:
            if rule.origin == symbol and len(rule.expansion) == 1:
                return list(rule.expansion)
        return [symbol]

    def _is_literal(self, name: str) -> bool:
        return self.terminals[self.numbers[name]].kind == "literal"

    def _is_payload(self, name: str) -> bool:
        return name in self.numbers and self.terminals[self.numbers[name]].kind == "payload"

    def _error(self, name: str, message: str, hint: str) -> GrammarError:
        at = re.search(rf"(?m)^(?!//).*?\b({re.escape(name)})\b", self.text)
        offset = at.start(1) if at else 0
        line = self.text.count("\n", 0, offset) + 1
        column = offset - (self.text.rfind("\n", 0, offset) + 1) + 1
        return GrammarError(message, file=str(self.path), line=line, column=column, hint=hint)


def write_all_tables(folder: Path) -> list[Path]:
    """Compiles every shipped grammar into `folder`, one JSON file each, and lists what it wrote."""
    from toolgrammar.core.tables import stored_form

    written = []
    folder.mkdir(parents=True, exist_ok=True)
    for path in sorted(files.grammar_folder().glob("*.lark")):
        target = folder / f"{path.stem}.json"
        text = stored_form(compile_file(path), files.digest_of(path))
        target.write_text(text, encoding="utf-8", newline="\n")
        written.append(target)
    return written
