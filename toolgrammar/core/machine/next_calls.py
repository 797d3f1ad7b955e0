"""Finds the next call of a list, by its brace and the first of the grammar's own keys in it.

Example: after `{"name": "a"` the text `{"name": "b"` begins another call, and `{"x": 1` does not.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from toolgrammar.core.machine.caches import cached_on_argument
from toolgrammar.patterns.partial import tail_that_begins
from toolgrammar.values.patterns import compile_pattern

if TYPE_CHECKING:
    from collections.abc import Iterator

    from toolgrammar.core.machine.machine import Node

_SEPARATORS: Final = ("", ",", ";")
"""The tokens that separate calls; a line break, stripped, is the empty one."""
_MOST_SEPARATORS: Final = 2
"""The most separators between two calls."""
_SHORTEST: Final = 4
"""The least characters of a key, with its quotes, that is evidence of a call."""


class NextCall:
    """The beginning of the next call, with the separators before it."""

    def __init__(self, node: Node) -> None:
        """Collects the beginnings of calls.

        Args:
            node: the node after a complete call.
        """
        body = "|".join(dict.fromkeys(_call_openers(node, _MOST_SEPARATORS)))
        expression = rf"\s{{0,64}}(?:{body})" if body else "(?!)"
        self.pattern = compile_pattern(expression)
        """Matches the beginning of a call; it matches nothing if no beginning is distinctive."""
        self.begun = tail_that_begins([expression])
        """Matches the end of a text that may become such a beginning."""


@cached_on_argument
def next_call_of(node: Node) -> NextCall:
    """Returns the beginnings of the next call of a list at a node."""
    return NextCall(node)


def _call_openers(node: Node, separators: int) -> Iterator[str]:
    """Yields the expressions of the beginnings of calls, after at most so many separators."""
    for group, terminal in node.tokens:
        text, following = terminal.text.strip(), node.steps[group].node
        if terminal.kind != "literal":
            continue
        # `{"name"` and `{"function"` begin calls; `{` alone begins any object.
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
        elif text in _SEPARATORS and separators and following is not node:
            for opener in _call_openers(following, separators - 1):
                yield rf"{text}\s{{0,64}}{opener}"
