"""Converts the tree of a section of calls to calls.

Example: the tree of `<tool_call>{"name": "f", "arguments": {}}</tool_call>` gives one call of `f`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, cast

from lark import Token, Transformer, Tree

from toolgrammar.grammar import roles
from toolgrammar.reference.tree_feed import Piece, TreeFeed
from toolgrammar.tools.specs import to_specs

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from toolgrammar.reference.tree_feed import Described
    from toolgrammar.values.calls import ToolCall

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
        if tree.data in roles.GROUP_ROLES:
            self._feed.open(str(tree.data))
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
