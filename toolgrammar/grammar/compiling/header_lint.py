"""Finds entries of the header that mean nothing for the grammar below them.

Example: `//@ trim: input=strip` above a grammar that has no `input`.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from toolgrammar.grammar import roles
from toolgrammar.grammar.compiling.rule_roles import by_origin, raw_role
from toolgrammar.grammar.header_values import nearest
from toolgrammar.grammar.payload_kinds import PAYLOADS

if TYPE_CHECKING:
    from collections.abc import Iterator

    from toolgrammar.grammar.compiling.places import Places
    from toolgrammar.grammar.compiling.source_text import Place
    from toolgrammar.grammar.header import Header
    from toolgrammar.grammar.terminals import Production, Terminal
    from toolgrammar.values.errors import GrammarError

_OF_TERMINALS = ("names", "keys", "misspelt", "observation", "answer")
"""The keys of the header that name terminals."""


class HeaderLint:
    """The findings about the header of one grammar."""

    def __init__(
        self,
        productions: tuple[Production, ...],
        results: tuple[Production, ...],
        terminals: dict[str, Terminal],
        header: Header,
        places: Places,
    ) -> None:
        """Sets up the search.

        Args:
            productions: the rules as written, with their white-space literals.
            results: the rules for tool results.
            terminals: the terminals by the names that the rules use.
            header: the header of the file.
            places: the places in the grammar.
        """
        self._productions = productions
        self._results = results
        self._terminals = terminals
        self._header = header
        self._places = places
        self._by_origin = by_origin(productions)

    def findings(self) -> Iterator[GrammarError]:
        """Yields the findings, each once, in the order of the checks."""
        checks = (
            self._trimmed,
            self._unread,
            self._renamed,
            self._encoded,
            self._alike,
            self._stopping,
        )
        for check in checks:
            yield from check()

    def _trimmed(self) -> Iterator[GrammarError]:
        """Finds keys of the header's `trim` that name no role of a raw payload."""
        raw = {raw_role(self._by_origin, symbol) for p in self._productions for symbol in p.symbols}
        raw |= {
            p.role
            for p in self._productions
            if not roles.RAW_LIKE.isdisjoint(map(roles.bare_name, p.symbols))
        }
        # A payload without a role can't be named in the header.
        raw.discard("")
        keyed = "value" in raw and any(p.role == "key" for p in self._productions)
        for name in self._header.trim:
            if name in raw or keyed:
                continue
            known = sorted(raw)
            hint = f"{nearest(name, known)}roles that read RAW here: {', '.join(known) or 'none'}"
            message = f"`{name}` is no role that reads RAW in this grammar"
            yield self._in_header("trim", name).error("unread-trim", message, hint)

    def _unread(self) -> Iterator[GrammarError]:
        """Finds keys of the header for a terminal that the grammar does not have."""
        used = {terminal.name for terminal in self._terminals.values()}
        for key, terminal in ((each.header, name) for name, each in PAYLOADS.items()):
            if key and getattr(self._header, key) and terminal not in used:
                message = f"`{key}` says how `{terminal}` is written, and it is not used here"
                hint = f"drop the line, or `%declare {terminal}` and use it"
                yield self._header_line(key).error(f"unread-{key}", message, hint)
        named = ((key, name) for key in _OF_TERMINALS for name in getattr(self._header, key))
        for key, name in named:
            if name not in used:
                hint = f'{nearest(name, used)}`{key}` names terminals, which a rule uses: `NAME: "<text>"`'
                message = f"`{name}` is no terminal of this grammar"
                yield self._in_header(key, name).error(f"unread-{key}", message, hint)

    def _renamed(self) -> Iterator[GrammarError]:
        """Finds arguments with a role, such as an id, in a grammar whose values are not all text."""
        written = {
            roles.bare_name(symbol)
            for production in self._productions
            if production.role == "value"
            for symbol in production.symbols
        }
        scanned = sorted(written & PAYLOADS.keys() - roles.RAW_LIKE)
        if self._header.roles and (scanned or not written):
            message = "`roles` is for arguments with a `value` each, and there is none here"
            if scanned:
                message = f"`roles` is for values that are text, and `{scanned[0]}` is read here"
            hint = "drop the line; give the id a rule of its own, `id: …`"
            yield self._header_line("roles").error("unread-roles", message, hint)

    def _header_line(self, key: str) -> Place:
        path, text = self._places.files[0]
        match = re.search(rf"(?m)^//@[ \t]*{key}[ \t]*:", text)
        line = text.count("\n", 0, match.start()) + 1 if match else 1
        return self._places.at(path, line, 1)

    def _in_header(self, key: str, word: str) -> Place:
        path, text = self._places.files[0]
        match = re.search(
            rf"(?m)^//@[ \t]*{key}[ \t]*:.*?(?<![^\s,:])({re.escape(word)})(?:=|[\s,]|$)", text
        )
        offset = match.start(1) if match else 0
        line = text.count("\n", 0, offset) + 1
        return self._places.at(path, line, offset - text.rfind("\n", 0, offset))

    def _encoded(self) -> Iterator[GrammarError]:
        """Finds roles of `entities` that the grammar does not read."""
        known = {each.role for each in (*self._productions, *self._results)}
        known |= {role for each in self._terminals.values() for _, role in each.groups}
        for name in self._header.entities:
            if name not in known:
                message = f"`{name}` is no role that this grammar reads"
                yield self._in_header("entities", name).error(
                    "unread-entities", message, "drop it, or name the role that holds entities"
                )

    def _alike(self) -> Iterator[GrammarError]:
        """Finds a spelling of `alike` that no literal has."""
        for spelled in self._header.alike[:1]:
            if not any(spelled in terminal.text for terminal in self._terminals.values()):
                message = f"no literal of this grammar has `{spelled}`"
                hint = "the first text is a part of literals as the grammar spells it"
                yield self._header_line("alike").error("unread-alike", message, hint)

    def _stopping(self) -> Iterator[GrammarError]:
        """Finds stop strings at which a server would stop before a call is written."""
        for stop in self._header.stop:
            for opener in self._openers():
                if stop.strip() and stop.strip() in opener:
                    message = (
                        f"a server stops at `{stop.strip()}`, which a call begins with: `{opener}`"
                    )
                    hint = "name what stands behind the calls, such as their closer"
                    yield self._header_line("stop").error("stop-opener", message, hint)
                    break

    def _openers(self) -> list[str]:
        """Lists the literals with which calls and their sections begin."""
        pending = [p for p in self._productions if p.role in ("call", *roles.GROUP_ROLES)]
        seen: set[str] = set()
        found: list[str] = []
        while pending:
            symbol = next(iter(pending.pop().symbols), "")
            if symbol in self._terminals:
                found.append(self._terminals[symbol].text.strip())
            elif symbol not in seen:
                seen.add(symbol)
                pending += self._by_origin.get(symbol, ())
        return sorted({text for text in found if text})
