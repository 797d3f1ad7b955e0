"""Finds the next call of a list, by its brace and the first of the grammar's own keys in it.

Example: behind `{"name": "a"` the text `{"name": "b"` begins another call, and `{"x": 1` does not.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from toolgrammar.core.machine.kept import kept
from toolgrammar.patterns.partial import tail_that_begins
from toolgrammar.values.patterns import compile_pattern

if TYPE_CHECKING:
    from collections.abc import Iterator

    from toolgrammar.core.machine.machine import Node

_PARTS: Final = ("", ",", ";")
"""What stands between calls and nowhere else."""
_MOST: Final = 2
"""Such tokens between two calls."""
_SHORTEST: Final = 4
"""Characters of a key that is nobody's word."""


class NextCall:
    """What a call begins with that may follow in a node, after what parts it from the last."""

    def __init__(self, node: Node) -> None:
        """Finds out how calls begin there.

        Args:
            node: the node behind a whole call.
        """
        body = "|".join(dict.fromkeys(_beginnings(node, _MOST)))
        expression = rf"\s{{0,64}}(?:{body})" if body else "(?!)"
        self.pattern = compile_pattern(expression)
        """Matches the beginning of a call; nothing where none is distinctive."""
        self.begins = tail_that_begins([expression])
        """Matches what may become one, up to the end of the text."""


@kept
def next_call_of(node: Node) -> NextCall:
    """Returns how the next call of a list begins in a node."""
    return NextCall(node)


def _beginnings(node: Node, parts: int) -> Iterator[str]:
    for group, terminal in node.tokens:
        text, following = terminal.text.strip(), node.steps[group].node
        if terminal.kind != "literal":
            continue
        # `{"name"` and `{"function"` begin calls, `{` alone any object.
        if text == "{":
            keys = [
                node.machine.expressions.pattern(each)
                for _, each in following.tokens
                if each.kind == "literal"
                and each.text.startswith('"')
                and len(each.text) >= _SHORTEST
            ]
            if keys:
                yield rf"\{{\s{{0,64}}(?:{'|'.join(keys)})"
        # A line break between calls is a token as well; stripped, it is the empty one of these.
        elif text in _PARTS and parts and following is not node:
            for each in _beginnings(following, parts - 1):
                yield rf"{text}\s{{0,64}}{each}"
