"""Holds a compiled grammar as plain data and finds it: shipped, cached, or compiled now."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any, NamedTuple

from toolgrammar.core import files, marks
from toolgrammar.core.fences import OPENING
from toolgrammar.core.roles import MARK_TERMINAL, MISSPELT
from toolgrammar.core.signs import closers_of
from toolgrammar.core.unopened import reasoning_tags

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from toolgrammar.core.header import Header

TABLE_VERSION = 9
"""Raised whenever the shape or the meaning of the tables changes: older caches are not read."""

ANY_TOOL = "*"
"""A name that stands for the one tool that is known."""

TURN_ROLES = (("observation", ""), ("answer", ""))
"""What the header says of terminals that begin another turn; they have no text of their own."""

JsonTables = dict[str, Any]


class Terminal(NamedTuple):
    """A terminal of the grammar as the driver needs it."""

    name: str
    """The name in the grammar, without the prefix of an import."""
    kind: str
    """`literal`, `regex`, `payload`, `same` or `tool`."""
    text: str
    """A literal as written, with its edge white space; empty for other kinds."""
    pattern: str
    """The regular expression that reads it; empty for declared terminals."""
    partial: str
    """The regular expression of its proper beginnings; empty where it has none."""
    priority: int = 0
    groups: tuple[tuple[str, str], ...] = ()
    """Named groups that fill a role: pairs of group name in `pattern` and role."""
    marks: tuple[str, ...] = ()
    """What the header says of a declared terminal: the quotes of its strings, what stands before
    its tags. Of a literal: a part of it and the other spellings of that."""
    constants: tuple[tuple[str, str], ...] = ()
    """Roles that the header fills where this terminal stands, with their texts; the text `*` of a
    name is the one tool that is known."""
    length: int = 0
    """Characters of the expression before its repeats had bounds, where it has some: of two
    terminals that match, the longer expression counts."""

    def with_header(self, header: Header) -> Terminal:
        """Gives the terminal with what a header says of it."""
        said = (("name", header.names), ("key", header.keys), (MISSPELT, header.misspelt))
        constants = tuple((role, texts[self.name]) for role, texts in said if self.name in texts)
        constants += tuple(each for each in TURN_ROLES if self.name in getattr(header, each[0]))
        is_alike = self.kind == "literal" and header.alike and header.alike[0] in self.text
        marks = header.alike if is_alike else header.marks_of(self.name)
        return self._replace(marks=marks, constants=constants)

    def fills(self, tools: Sequence[str]) -> tuple[tuple[str, str], ...]:
        """Gives the roles that it fills by itself, with the one known tool filled in."""
        if ("name", ANY_TOOL) not in self.constants:
            return self.constants
        known = tools[0] if tools else ""
        return tuple((r, known if r == "name" else text) for r, text in self.constants)

    def is_read(self, tools: Sequence[str]) -> bool:
        """Whether it is known which tool it stands for; else it is read nowhere."""
        return len(tools) == 1 or ("name", ANY_TOOL) not in self.constants

    @property
    def rank(self) -> int:
        """The length by which it comes before others of its kind."""
        return self.length or len(self.pattern)

    @property
    def is_fence(self) -> bool:
        """Whether it is the declared terminal that opens a block of code."""
        return self.pattern == OPENING

    @property
    def is_mark(self) -> bool:
        """Whether it is the declared terminal that says which line ends a payload."""
        return self.name == MARK_TERMINAL and self.pattern == marks.OPENING

    @property
    def lead(self) -> str:
        """The white space that a literal begins with."""
        return self.text[: len(self.text) - len(self.text.lstrip())]

    @property
    def sample_start(self) -> str:
        """The character that it begins with, where that is fixed and no word character."""
        first = (self.text.strip() or self.pattern)[:1]
        return first if first and not first.isalnum() and first not in '(\\[^"' else ""

    @property
    def trail(self) -> str:
        """The white space that a literal ends with."""
        return self.text[len(self.text.rstrip()) :]


class Production(NamedTuple):
    """A rule with its white-space literals, for writing."""

    origin: str
    role: str
    symbols: tuple[str, ...]


@dataclass
class Tables:
    """The LALR tables of one grammar.

    States and rules are numbered in an order that depends on the grammar alone.
    """

    terminals: tuple[Terminal, ...]
    rules: tuple[tuple[str, int, str], ...]
    """Origin, number of symbols and closing role (or an empty string) of each rule."""
    actions: tuple[dict[int, tuple[int, int]], ...]
    """For each state: terminal → (0, next state) or (1, rule); terminal -1 is the end."""
    gotos: tuple[dict[str, int], ...]
    """For each state: origin of a rule → next state."""
    leaf_roles: tuple[str, ...]
    """For each state: the role of the terminal that leads into it, or an empty string."""
    opening: tuple[dict[int, str], ...]
    """For each state: terminal → the structural role that it certainly opens (call, a group)."""
    call_opener: tuple[tuple[int, ...], ...]
    """Where a call's own tags can nest inside a raw value: the terminals of its closer, the set of
    those that may follow its opener, and those of each way to write the opener; empty where there
    are none."""
    productions: tuple[Production, ...]
    value_openers: tuple[tuple[int, ...], ...] = ()
    """The terminals between the start of an argument and its value, for each way to write them."""
    results: tuple[Production, ...] = ()
    """The rules for tool results, as `result_rules` spells them; empty where there are none."""
    signs: tuple[tuple[str, int], ...] = ()
    """Texts that show a call, each with its weight, as `signs_of` finds them; empty where the last call
    alone counts, for those before it are text."""
    machines: dict[Any, Any] = field(default_factory=dict, repr=False)
    """Machines made from these tables, by the names of the tools."""

    @cached_property
    def names_tools(self) -> bool:
        """Whether the envelope has the names of the tools in it."""
        return any(
            terminal.kind == "tool" or ("name", ANY_TOOL) in terminal.constants
            for terminal in self.terminals
        )

    @cached_property
    def reasoning_tags(self) -> dict[str, str]:
        """What closes reasoning, each with what opens it."""
        return reasoning_tags(self)

    @cached_property
    def call_closers(self) -> tuple[str, ...]:
        """What ends calls and sections."""
        return closers_of(self.terminals, self.productions)

    @cached_property
    def has_keys(self) -> bool:
        """Whether arguments are written one by one, with a key."""
        told = any(role == "key" for terminal in self.terminals for role, _ in terminal.constants)
        return told or "key" in self.leaf_roles

    @cached_property
    def has_words(self) -> bool:
        """Whether arguments stand on the line of a call, without their names."""
        return "words" in self.leaf_roles

    @cached_property
    def free_text(self) -> bool:
        """Whether calls carry one text instead of named arguments."""
        found = set(self.leaf_roles)
        return "input" in found and not found & {"arguments", "value", "words"}

    def to_json(self) -> JsonTables:
        """Gives the tables as JSON data."""
        return {
            "version": TABLE_VERSION,
            "terminals": [[*terminal] for terminal in self.terminals],
            "rules": [list(rule) for rule in self.rules],
            "actions": [[[t, *a] for t, a in row.items()] for row in self.actions],
            "gotos": [list(row.items()) for row in self.gotos],
            "leaf_roles": list(self.leaf_roles),
            "opening": [list(row.items()) for row in self.opening],
            "call_opener": [list(part) for part in self.call_opener],
            "value_openers": [list(part) for part in self.value_openers],
            "productions": [[p.origin, p.role, list(p.symbols)] for p in self.productions],
            "results": [[p.origin, p.role, list(p.symbols)] for p in self.results],
            "signs": [list(sign) for sign in self.signs],
        }

    @classmethod
    def from_json(cls, data: JsonTables) -> Tables:
        """Reads tables back.

        Raises:
            ValueError: when the data is of another version or shape.
        """
        try:
            if data["version"] != TABLE_VERSION:
                raise ValueError("tables of another version")
            return cls(
                terminals=tuple(map(_terminal, data["terminals"])),
                rules=tuple((origin, length, role) for origin, length, role in data["rules"]),
                actions=tuple({t: (a, b) for t, a, b in row} for row in data["actions"]),
                gotos=tuple(dict(row) for row in data["gotos"]),
                leaf_roles=tuple(data["leaf_roles"]),
                opening=tuple(dict(row) for row in data["opening"]),
                call_opener=tuple(tuple(part) for part in data["call_opener"]),
                value_openers=tuple(tuple(part) for part in data["value_openers"]),
                productions=tuple(Production(o, r, tuple(s)) for o, r, s in data["productions"]),
                results=tuple(Production(o, r, tuple(s)) for o, r, s in data["results"]),
                signs=tuple((text, weight) for text, weight in data["signs"]),
            )
        except (KeyError, TypeError, IndexError) as problem:
            raise ValueError(f"not a table: {problem}") from problem


def _terminal(row: list[Any]) -> Terminal:
    *plain, groups, marks, constants, length = row
    name, kind, text, pattern, partial, priority = plain
    return Terminal(
        *(name, kind, text, pattern, partial),
        priority=priority,
        groups=_pairs(groups),
        marks=tuple(marks),
        constants=_pairs(constants),
        length=length,
    )


def _pairs(rows: list[list[str]]) -> tuple[tuple[str, str], ...]:
    return tuple((first, second) for first, second in rows)


def load(path: Path, digest: str) -> Tables:
    """Gives the tables of the grammar at `path`, whose text with its imports has this digest.

    Raises:
        GrammarError: when the grammar has to be compiled and is wrong.
    """
    tables = _stored(files.shipped_tables(path.stem), digest)
    if tables is not None:
        return tables
    name = f"{path.stem}-{digest[:32]}-{files.compiler_stamp()}.json"
    tables = _stored(files.read_cache(name), digest)
    if tables is not None:
        return tables
    from toolgrammar.core.compile import compile_file  # imports lark: only for what is not stored

    tables = compile_file(path)
    files.write_cache(name, stored_form(tables, digest))
    return tables


def _stored(text: str | None, digest: str) -> Tables | None:
    """Reads a table file, or gives None where it is absent, stale or damaged."""
    if not text:
        return None
    try:
        data = json.loads(text)
        return Tables.from_json(data["tables"]) if data["digest"] == digest else None
    except (ValueError, KeyError, TypeError):
        return None


def stored_form(tables: Tables, digest: str) -> str:
    """Gives the text of a table file."""
    data = {"digest": digest, "tables": tables.to_json()}
    return json.dumps(data, ensure_ascii=False, separators=(",", ":"))
