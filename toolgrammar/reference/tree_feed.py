"""Passes the tokens of a tree to the builder that the driver uses, too.

Example: the token `"f"` of the rule `name` fills the role `name` of the open call.
"""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING, NamedTuple, Protocol

from toolgrammar.core.arguments.filling import fill_role
from toolgrammar.core.arguments.raw_values import raws_of
from toolgrammar.core.arguments.scanned_values import scanned_of
from toolgrammar.core.calls import call_ends
from toolgrammar.core.calls.completion import judge_calls
from toolgrammar.core.calls.role_effects import close_role, open_role
from toolgrammar.core.machine.kept_machines import machine_for
from toolgrammar.core.message.build import Builder
from toolgrammar.core.message.settings import Settings
from toolgrammar.core.message.source import Source
from toolgrammar.core.payloads.json.tokens import MAX_DEPTH
from toolgrammar.core.payloads.scanners import scanner_for
from toolgrammar.grammar.payload_kinds import notation_of
from toolgrammar.grammar.roles import KNOWN_TOOL, RAW_LIKE
from toolgrammar.reference.strict_terminals import StrictTerminals
from toolgrammar.values.patterns import compile_pattern

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from toolgrammar.grammar.header import Header
    from toolgrammar.grammar.tables import Tables
    from toolgrammar.values.calls import ToolCall
    from toolgrammar.values.tools import ToolSpec


class Described(Protocol):
    """The parts of a format that reading a tree needs."""

    @property
    def tables(self) -> Tables:
        """The compiled grammar."""

    @property
    def header(self) -> Header:
        """The properties that the grammar file declares."""


class Island(NamedTuple):
    """The origin of a tree."""

    text: str
    """The text that was read; the white space between its tokens is in none of them."""
    tables: Tables
    """The compiled grammar."""
    header: Header
    """The properties that the grammar file declares."""


class Piece(NamedTuple):
    """A token of the tree."""

    kind: str
    """The name of its terminal."""
    text: str
    """The text of the token."""
    start: int
    """The offset of its first character."""
    end: int
    """The offset after its last character."""


class TreeFeed:
    """Reads the pieces of one tree in the order of the text; returns the calls."""

    def __init__(self, format: Described, tools: Mapping[str, ToolSpec], id_seed: str) -> None:
        self._format = format
        self._tools = tools
        self._id_seed = id_seed
        self._terminals = {terminal.name: terminal for terminal in format.tables.terminals}
        self._strict = StrictTerminals(machine_for(format.tables, tools))
        self.begin("", [], [])

    def begin(self, text: str, pieces: Sequence[Piece], call_starts: list[int]) -> None:
        """Begins a tree.

        Args:
            text: the text that was read; if "", it is put together from the pieces.
            pieces: all tokens.
            call_starts: the offsets at which the calls begin.
        """
        for piece in pieces if not text else ():
            # The white space between the tokens is lost: blanks keep the offsets right.
            text = text.ljust(piece.start) + piece.text
        header, source = self._format.header, Source()
        source.append(text)
        self._text = text
        self._builder = Builder(
            source=source,
            settings=Settings(
                header.id,
                header.trim,
                header.roles,
                header.unknown_arguments == "drop",
                self._format.tables.free_text,
                header,
            ),
            tools=self._tools,
            id_seed=self._id_seed,
            listening=False,
        )
        self._before = {after: before for before, after in pairwise(pieces)}
        self._call_starts = list(call_starts)
        self._end = 0

    def open(self, role: str) -> None:
        """Opens a section."""
        open_role(self._builder, role)

    def loose(self, piece: Piece) -> None:
        """Reads a token that is in no leaf."""
        self._end = piece.end
        self._fill(self._named_groups(piece), piece)

    def leaf(self, role: str, pieces: Sequence[Piece]) -> None:
        """Reads the tokens of a leaf; literals beside another token are only its marks."""
        if role == "key" and pieces and pieces[0] in self._before:
            # The arguments, as written, begin with the mark before their first key.
            self._builder.note_token(self._before[pieces[0]].start)
        for piece in pieces:
            self._end = piece.end
            terminal = self._terminals[piece.kind]
            if piece.kind in RAW_LIKE:
                self._raw(role, piece)
            elif terminal.kind == "payload":
                self._payload(role, piece)
            # In `"` NAME `"` the quotes are marks; a literal alone, as a fixed name, is the value.
            elif terminal.kind != "literal" or len(pieces) == 1:
                parts = self._named_groups(piece)
                if role not in dict(parts):  # a part of the name may be the whole name of the call
                    parts.insert(0, (role, piece.text))
                self._fill(parts, piece)

    def close(self, role: str) -> ToolCall | None:
        """Closes a structure; returns the call if one is complete now."""
        before = len(self._builder.calls)
        close_role(self._builder, role, self._end)
        if role == "call" and self._call_starts:
            # Calls do not nest in the tree, so they close in the order in which they begin.
            self._call_starts.pop(0)
        calls = self._builder.calls
        return calls[-1] if len(calls) > before else None

    def finish(self) -> list[ToolCall]:
        """Ends the tree; returns its calls."""
        call_ends.finish(self._builder, self._end)
        judge_calls(self._builder)
        return self._builder.calls

    @property
    def _unit(self) -> int:
        return self._call_starts[0] if self._call_starts else 0

    def _fill(self, parts: Iterable[tuple[str, str]], piece: Piece) -> None:
        for role, text in parts:
            fill_role(self._builder, role, text, piece.start, self._unit)

    def _named_groups(self, piece: Piece) -> list[tuple[str, str]]:
        """Returns the roles that are groups inside one terminal, with their texts."""
        terminal = self._terminals.get(piece.kind)
        if terminal is None:
            return []
        found = list(terminal.fills(self._strict.machine.tool_names))
        if terminal.groups:
            # A look-behind or look-ahead of the terminal may depend on the text beside the token,
            # so the terminal is matched in the whole text.
            match = compile_pattern(terminal.pattern).match(self._text, piece.start)
            parts = [(role, match[group]) for group, role in terminal.groups] if match else []
            found += [
                (role, text) for role, text in parts if text is not None and role != KNOWN_TOOL
            ]
        return found

    def _raw(self, role: str, piece: Piece) -> None:
        """Reads a raw payload."""
        before = self._before.get(piece)
        opener = self._terminals.get(before.kind) if before is not None else None
        # Trimming depends on the line ends that the grammar writes around a value, not on those
        # in the text.
        on_own_line = opener is not None and "\n" in opener.trail
        closes_line = self._strict.closes_line(role)
        raws_of(self._builder).begin(
            role,
            piece.start,
            self._unit,
            before=on_own_line,
            closes_line=closes_line,
            typed=piece.kind == "RAW",
        )
        raws_of(self._builder).take(piece.text)
        raws_of(self._builder).end(piece.end, whole=True)

    def _payload(self, role: str, piece: Piece) -> None:
        """Reads a payload with a scanner."""
        builder = self._builder
        scanned_of(builder).begin(role, piece.start, self._unit)
        out: list[str] = []
        scanner = scanner_for(self._terminals[piece.kind], builder.spec(), MAX_DEPTH)
        # A character after the payload: a parenthesis for Python arguments, or something else.
        behind = ")" if notation_of(piece.kind) == "python" else " ;"
        # The driver's own scanner: the comparison is about where a payload ends, which Lark
        # determined.
        scanner.feed(f"{piece.text}{behind}", 0, out)
        scanned_of(builder).take("".join(out))
        scanned_of(builder).end(piece.end)
