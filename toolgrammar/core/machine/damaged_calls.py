"""Says what the calls of a grammar begin and end with, for the search of damaged ones in text.

Example: where a fence and a word open a call, "```bash" is what may stand damaged.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeAlias

from toolgrammar.core.evidence.remains import Remains
from toolgrammar.core.machine.expressions import sampled
from toolgrammar.grammar.call_evidence import longest_texts
from toolgrammar.grammar.roles import GROUP_ROLES

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from toolgrammar.grammar.terminals import Terminal


_First: TypeAlias = "tuple[Terminal, str, list[Terminal]]"
"""A terminal that text may begin with, what it opens, and the terminals behind it."""


def remains_of(
    first: Iterable[_First], signs: Iterable[str], closers: Iterable[str], names: Sequence[str]
) -> Remains:
    """Returns what finds the rest of a damaged call of a grammar in text.

    Args:
        first: what stands in text.
        signs: what shows a call.
        closers: what calls end with.
        names: the names of the known tools.
    """
    return Remains(signs, set(_openers(first)), closers, names)


def _openers(first: Iterable[_First]) -> Iterator[str]:
    """Yields what calls and sections begin with."""
    for terminal, opens, behind in first:
        written = sampled(terminal)
        if opens == "call" or opens in GROUP_ROLES:
            yield written
            yield from longest_texts(terminal)
        # A fence is a terminal of its own where the word behind it opens the call.
        if written and not written.strip("`"):
            for each in behind:
                yield from (f"{written}{word}" for word in longest_texts(each))
