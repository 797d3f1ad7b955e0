"""Collects the openers and closers of a grammar's calls, for the search of damaged calls in text.

Example: in a format in which a fence and a word open a call, "```bash" is an opener.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, Protocol

from toolgrammar.core.evidence.mended_marks import MarksOfCalls
from toolgrammar.core.evidence.remains import Remains
from toolgrammar.core.machine.expressions import sampled
from toolgrammar.core.machine.lost_openers import Place
from toolgrammar.grammar.call_evidence import is_of_calls, longest_texts, marks_of_calls
from toolgrammar.grammar.roles import GROUP_ROLES
from toolgrammar.patterns.partial import any_of
from toolgrammar.values.patterns import compile_pattern

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from toolgrammar.grammar.tables import Tables
    from toolgrammar.grammar.terminals import Terminal

_OPENED: Final = frozenset({"call", *GROUP_ROLES})


class TextNode(Place, Protocol):
    """The node at the beginning of a message, as far as this module reads it."""

    def openers(self) -> list[str]:
        """Returns the expressions of the openers in text, one for each of its tokens."""
        ...


def remains_of(
    start: TextNode, tables: Tables, signs: Iterable[str], names: Sequence[str]
) -> Remains:
    """Returns the search for remains of a grammar's damaged calls in text.

    Args:
        start: the node at the beginning of a message.
        tables: the tables of the grammar.
        signs: the texts that are signs of a call.
        names: the names of the known tools.
    """
    opens = [_opens_call(start, group, terminal) for group, terminal in start.tokens]
    opener = any_of(each for each, is_call in zip(start.openers(), opens, strict=True) if is_call)
    openers = set(_openers(start))
    every = {*openers, *_with_what_follows(start), *marks_of_calls(tables.terminals)}
    marks = MarksOfCalls(every, compile_pattern(opener or "(?!)"))
    return Remains(signs, openers, tables.call_closers, names, marks)


def _opens_call(start: TextNode, group: str, terminal: Terminal) -> bool:
    """Whether a terminal opens a call or a section of them."""
    step = start.steps[group]
    is_thought = any(payload.leaf == "reasoning" for payload in step.node.payloads)
    if step.opens or step.node.accepts_text or is_thought:
        return step.opens in _OPENED
    # `[TOOL_CALLS]` may open a call or a list of them: what follows it shows which.
    return is_of_calls(terminal.text or sampled(terminal), "")


def _openers(start: TextNode) -> Iterator[str]:
    """Yields the openers of calls and sections."""
    for group, terminal in start.tokens:
        step, written = start.steps[group], sampled(terminal)
        if _opens_call(start, group, terminal):
            yield written
            yield from longest_texts(terminal)
        # If the word after a fence opens the call, the fence is a terminal of its own.
        if written and not written.strip("`"):
            for _, behind in step.node.tokens:
                yield from (f"{written}{word}" for word in longest_texts(behind))


def _with_what_follows(start: TextNode) -> Iterator[str]:
    """Yields openers with the line end or the brace after them, which may be damaged with them."""
    for group, terminal in start.tokens:
        step = start.steps[group]
        if _opens_call(start, group, terminal):
            for each in longest_texts(terminal):
                line = f"{each}\n" if each.startswith("```") else each
                yield line
                if any(payload.terminal.name == "JSON_OBJECT" for payload in step.node.payloads):
                    yield f"{line}{{"
                elif each.endswith(":"):
                    yield f"{each}\n{{"
