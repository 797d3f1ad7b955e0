"""Turns the tree of a section into calls: its tokens go to the builder that the driver uses, too.

Example: of `<tool_call>{"name": "f", "arguments": {}}</tool_call>` the token `"f"` of the rule `name`
fills the role `name` of the open call, and the section gives one call of `f`.
"""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING, NamedTuple, Protocol, cast

from lark import Token, Transformer, Tree

from toolgrammar.core.arguments.raw_values import fill_role, raws_of
from toolgrammar.core.arguments.scanned_values import scanned_of
from toolgrammar.core.calls import call_ends
from toolgrammar.core.calls.completion import judge_calls
from toolgrammar.core.calls.role_effects import close_role, open_role
from toolgrammar.core.machine.caches import machine_for
from toolgrammar.core.message.build import Builder
from toolgrammar.core.message.settings import Settings
from toolgrammar.core.message.source import Source
from toolgrammar.core.payloads.json.tokens import MAX_DEPTH
from toolgrammar.core.payloads.scanners import scanner_for
from toolgrammar.grammar import roles
from toolgrammar.grammar.payload_kinds import notation_of
from toolgrammar.grammar.roles import KNOWN_TOOL, RAW_LIKE
from toolgrammar.reference.strict_terminals import StrictTerminals
from toolgrammar.tools.specs import to_specs
from toolgrammar.values.patterns import compile_pattern

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

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
        source = Source()
        source.append(text)
        self._text = text
        self._builder = Builder(
            source=source,
            settings=Settings(self._format.header, self._format.tables),
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


ISLAND = "island"
"""The attribute of a root's `meta` for the text and the grammar."""


def tokens_of(found: Tree[Token]) -> Iterator[Token]:
    """Yields the tokens of a tree, in the order of the text."""
    for child in found.children:
        if isinstance(child, Token):
            yield child
        else:
            yield from tokens_of(child)


class ToolCallTransformer(Transformer[Token, "list[ToolCall]"]):
    """Converts the tree of a call section to the calls that a parser reads in the same text.

    It has one method for each role, called in the order of the text; the parts of a call are passed
    to the builder that the push parser uses, too.
    """

    def __init__(
        self,
        format: Described | None = None,
        *,
        tools: Iterable[object] | None = None,
        id_seed: str = "",
    ) -> None:
        """Sets up the transformer.

        Args:
            format: the format of trees that were not returned by `Format.tree`.
            tools: the tools that the model had, of any shape; their schemas type the values.
            id_seed: the seed of the ids that the format omits.
        """
        super().__init__(visit_tokens=True)
        self._format = format
        self._tools = to_specs(tools)
        self._id_seed = id_seed
        self._loose: set[Piece] = set()

    def transform(self, tree: Tree[Token]) -> list[ToolCall]:
        """Returns the calls of a tree that `Format.tree` returned.

        Raises:
            ValueError: the tree has another origin, and the transformer has no format.
        """
        island = vars(tree.meta).get(ISLAND)
        chosen: Described | None = self._format or island
        # A tree that was built by hand has no `meta`.
        if chosen is None:
            raise ValueError("the tree does not know its format; give ToolCallTransformer one")
        self._loose = {
            # Tokens of leaves reach `leaf` with their role; only others may fill a role by a named
            # group.
            _piece(child)
            for part in tree.iter_subtrees()
            if part.data not in roles.LEAF_ROLES
            for child in part.children
            if isinstance(child, Token)
        }
        # A call begins at its first token, which is read before Lark closes the rule: so look
        # ahead.
        starts = (
            _piece(next(tokens_of(part))).start
            for part in tree.iter_subtrees_topdown()
            if part.data == "call"
        )
        self._feed = TreeFeed(chosen, self._tools, self._id_seed)
        self._feed.begin(
            island.text if island else "",
            [_piece(token) for token in tokens_of(tree)],
            list(starts),
        )
        # The transformer works from the leaves up, so a section has to be open before its calls.
        parts = (str(part.data) for part in tree.iter_subtrees_topdown())
        if group := next((part for part in parts if part in roles.GROUP_ROLES), ""):
            self._feed.open(group)
        super().transform(tree)
        return self._feed.finish()

    def __default_token__(self, token: Token) -> Token:
        """Reads a token: outside of leaves, its named groups may fill roles."""
        piece = _piece(token)
        if piece in self._loose:
            self._feed.loose(piece)
        return token

    def _leaf(self, role: str, children: list[Token]) -> str:
        self._feed.leaf(role, [_piece(token) for token in children])
        return "".join(children)

    def name(self, children: list[Token]) -> str:
        """Reads the name of the tool."""
        return self._leaf("name", children)

    def id(self, children: list[Token]) -> str:
        """Reads the id of the call, which may contain the name."""
        return self._leaf("id", children)

    def depends_on(self, children: list[Token]) -> str:
        """Reads the ids of the calls on which the call depends."""
        return self._leaf("depends_on", children)

    def arguments(self, children: list[Token]) -> str:
        """Reads all arguments at once."""
        return self._leaf("arguments", children)

    def key(self, children: list[Token]) -> str:
        """Reads the name of an argument."""
        return self._leaf("key", children)

    def value(self, children: list[Token]) -> str:
        """Reads the value of an argument."""
        return self._leaf("value", children)

    def input(self, children: list[Token]) -> str:
        """Reads the payload of a free-text call."""
        return self._leaf("input", children)

    def words(self, children: list[Token]) -> str:
        """Reads arguments without names."""
        return self._leaf("words", children)

    def body(self, children: list[Token]) -> str:
        """Reads more of the payload of a free-text call."""
        return self._leaf("body", children)

    def mode(self, children: list[Token]) -> str:
        """Reads how the calls of a section run."""
        return self._leaf("mode", children)

    def argument(self, children: list[object]) -> list[object]:
        """Closes an argument."""
        self._feed.close("argument")
        return children

    def call(self, children: list[object]) -> object:
        """Closes a call and returns it."""
        return self._feed.close("call") or children

    def calls(self, children: list[object]) -> list[object]:
        """Closes a section of calls."""
        self._feed.close("calls")
        return children

    # Lark calls a method by the name of the rule: a section of any mode closes alike.
    parallel = sequential = calls


def _piece(token: Token) -> Piece:
    start, end = cast("int", token.start_pos), cast("int", token.end_pos)
    return Piece(token.type, str(token), start, end)
