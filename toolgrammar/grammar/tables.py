"""Holds a compiled grammar as plain data, and writes it as JSON.

Example: the driver follows `actions` and `gotos`, the LALR tables of the grammar; the writer of
messages follows `productions`. `stored.py` finds stored tables, or compiles them.
"""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

from toolgrammar.grammar.call_evidence import closers_of, result_openers
from toolgrammar.grammar.roles import RAW_LIKE, bare_name
from toolgrammar.grammar.terminals import ANY_TOOL, Production, Terminal

TABLE_VERSION = 10
"""Increase it whenever the shape or meaning of the tables changes: old caches are not read."""

JsonTables = dict[str, Any]


@dataclass
class Tables:
    """The LALR tables of one grammar.

    States and rules are numbered in an order that depends on the grammar alone.
    """

    terminals: tuple[Terminal, ...]
    rules: tuple[tuple[str, int, str], ...]
    """Origin, number of symbols and closing role ("" for none) of each rule."""
    actions: tuple[dict[int, tuple[int, int]], ...]
    """For each state: terminal → (0, next state) or (1, rule); terminal -1 is the end."""
    gotos: tuple[dict[str, int], ...]
    """For each state: origin of a rule → next state."""
    leaf_roles: tuple[str, ...]
    """For each state: the role of the terminal that leads into it, or ""."""
    opening: tuple[dict[int, str], ...]
    """For each state: terminal → the structural role that it certainly opens (call, a group)."""
    call_opener: tuple[tuple[int, ...], ...]
    """The tags of a call that can nest inside a raw value: the terminals of its closer, the set of
    those that may follow its opener, and those of each way to write the opener; empty if there
    are none."""
    productions: tuple[Production, ...]
    value_openers: tuple[tuple[int, ...], ...] = ()
    """The terminals between the start of an argument and its value, for each way to write them."""
    results: tuple[Production, ...] = ()
    """The rules for tool results, as `result_rules` spells them; empty if there are none."""
    signs: tuple[tuple[str, int], ...] = ()
    """Texts that show a call, with their weights, as `signs_of` finds them; empty if only the last
    call counts, since the earlier ones are text."""
    stops: tuple[str, ...] = ()
    """The strings at which a server stops, as the header has them."""
    machines: dict[Any, Any] = field(default_factory=dict, repr=False)
    """Machines made from these tables, by the names of the tools."""
    around: dict[bool, Any] = field(default_factory=dict, repr=False)
    """Two machines, without names and with any, by whether they are for a lone tool."""

    @cached_property
    def names_tools(self) -> bool:
        """Whether the envelope contains the names of the tools."""
        return any(
            terminal.kind == "tool" or ("name", ANY_TOOL) in terminal.constants
            for terminal in self.terminals
        )

    @cached_property
    def reasoning_tags(self) -> dict[str, str]:
        """The closers of reasoning, each with its opener, without white space."""
        texts = {t.name: t.text.strip() for t in self.terminals if t.kind == "literal"}
        tags: dict[str, str] = {}
        for production in self.productions:
            # An import or a template may have prefixed the names.
            symbols = [bare_name(symbol) for symbol in production.symbols]
            at = next((at for at, symbol in enumerate(symbols) if symbol in RAW_LIKE), -1)
            # Only a rule that contains the payload itself has the tags beside it.
            if production.role != "reasoning" or at < 0:
                continue
            before = [text for symbol in symbols[:at] if (text := texts.get(symbol, ""))]
            behind = [text for symbol in symbols[at + 1 :] if (text := texts.get(symbol, ""))]
            # An alternative may omit either of them, and then shows no pair.
            if before and behind:
                # Of several openers of the same reasoning, the first is used.
                tags.setdefault(behind[0], before[-1])
        return tags

    @cached_property
    def call_closers(self) -> tuple[str, ...]:
        """The texts that end calls and sections."""
        return closers_of(self.terminals, self.productions)

    @cached_property
    def result_openers(self) -> tuple[str, ...]:
        """The texts that begin the results of tools, as `<tool_response>`."""
        return result_openers(self.results)

    @cached_property
    def has_keys(self) -> bool:
        """Whether arguments are written one by one, each with a key."""
        # A key may be part of a terminal, or defined by the header.
        told = any(role == "key" for terminal in self.terminals for role, _ in terminal.constants)
        return told or "key" in self.leaf_roles

    @cached_property
    def has_words(self) -> bool:
        """Whether arguments are on the line of a call, without their names."""
        return "words" in self.leaf_roles

    @cached_property
    def free_text(self) -> bool:
        """Whether calls contain one text instead of named arguments."""
        found = set(self.leaf_roles)
        # A format that also has named arguments writes those if the tool has them.
        return "input" in found and not found & {"arguments", "value", "words"}

    def to_json(self) -> JsonTables:
        """Returns the tables as JSON data."""
        return {
            "version": TABLE_VERSION,
            "terminals": [[*terminal] for terminal in self.terminals],
            "rules": [list(rule) for rule in self.rules],
            # Lists, not objects: JSON objects have strings as keys, the tables numbers.
            "actions": [[[t, *a] for t, a in row.items()] for row in self.actions],
            "gotos": [list(row.items()) for row in self.gotos],
            "leaf_roles": list(self.leaf_roles),
            "opening": [list(row.items()) for row in self.opening],
            "call_opener": [list(part) for part in self.call_opener],
            "value_openers": [list(part) for part in self.value_openers],
            "productions": [[p.origin, p.role, list(p.symbols)] for p in self.productions],
            "results": [[p.origin, p.role, list(p.symbols)] for p in self.results],
            "signs": [list(sign) for sign in self.signs],
            "stops": list(self.stops),
        }

    @classmethod
    def from_json(cls, data: JsonTables) -> Tables:
        """Returns the tables from JSON data.

        Raises:
            ValueError: the data is of another version or shape.
        """
        try:
            # The caller then compiles the grammar again.
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
                stops=tuple(data["stops"]),
            )
        except (KeyError, TypeError, IndexError) as problem:
            raise ValueError(f"not a table: {problem}") from problem


def _terminal(row: list[Any]) -> Terminal:
    """Returns a terminal from its row in a table file."""
    # In the order of the fields of `Terminal`, as `to_json` writes them.
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


def stored_form(tables: Tables, digest: str) -> str:
    """Returns the content of a table file."""
    data = {"digest": digest, "tables": tables.to_json()}
    # Compact, since people don't read it and a wheel contains one such file for each format.
    return json.dumps(data, ensure_ascii=False, separators=(",", ":"))
