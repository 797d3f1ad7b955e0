"""Says what the calls of a grammar begin and end with, for the search of damaged ones in text.

Example: where a fence and a word open a call, "```bash" is what may stand damaged.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, Protocol

from toolgrammar.core.evidence.mended_marks import MarksOfCalls
from toolgrammar.core.evidence.remains import Remains
from toolgrammar.core.machine.expressions import sampled
from toolgrammar.core.machine.lost_openers import Place
from toolgrammar.grammar.call_evidence import longest_texts, marks_of_calls
from toolgrammar.grammar.roles import GROUP_ROLES
from toolgrammar.patterns.partial import any_of
from toolgrammar.values.patterns import compile_pattern

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from toolgrammar.grammar.tables import Tables

_OPENED: Final = frozenset({"call", *GROUP_ROLES})


class TextNode(Place, Protocol):
    """What is read of the node where a message begins."""

    def openers(self) -> list[str]:
        """Returns the expressions of what may open in text, one for each of its tokens."""
        ...


def remains_of(
    start: TextNode, tables: Tables, signs: Iterable[str], names: Sequence[str]
) -> Remains:
    """Returns what finds the rest of a damaged call of a grammar in text.

    Args:
        start: where a message begins.
        tables: those of the grammar.
        signs: what shows a call.
        names: the names of the known tools.
    """
    opens = [start.steps[group].opens in _OPENED for group, _ in start.tokens]
    opener = any_of(each for each, is_call in zip(start.openers(), opens, strict=True) if is_call)
    openers = set(_openers(start))
    every = {*openers, *_with_what_follows(start), *marks_of_calls(tables.terminals)}
    marks = MarksOfCalls(every, compile_pattern(opener or "(?!)"))
    return Remains(signs, openers, tables.call_closers, names, marks)


def _openers(start: TextNode) -> Iterator[str]:
    """Yields what calls and sections begin with."""
    for group, terminal in start.tokens:
        step, written = start.steps[group], sampled(terminal)
        if step.opens in _OPENED:
            yield written
            yield from longest_texts(terminal)
        # A fence is a terminal of its own where the word behind it opens the call.
        if written and not written.strip("`"):
            for _, behind in step.node.tokens:
                yield from (f"{written}{word}" for word in longest_texts(behind))


def _with_what_follows(start: TextNode) -> Iterator[str]:
    """Yields openers with the line end or the brace behind them, which may be damaged with them."""
    for group, terminal in start.tokens:
        step = start.steps[group]
        if step.opens in _OPENED:
            for each in longest_texts(terminal):
                line = f"{each}\n" if each.startswith("```") else each
                yield line
                if any(payload.terminal.name == "JSON_OBJECT" for payload in step.node.payloads):
                    yield f"{line}{{"
