"""Finds calls whose opener is missing: what only stands behind it names a known tool.

A server may take special tokens away, a prompt may hold the opener, a model may forget it. What is
left tells that a call was meant only where it names a tool that the caller passes: the opener is
put in then, and the call is read as any other.

Example: `<invoke name="get_time">`, in a format that writes calls between `<minimax:tool_call>` and
`</minimax:tool_call>`.
"""

from __future__ import annotations

import re
from functools import cached_property
from typing import TYPE_CHECKING, Final, Protocol

from toolgrammar.patterns.beginnings import first_characters, without
from toolgrammar.patterns.partial import any_of, partial, tail_that_begins, unnamed
from toolgrammar.values.patterns import compile_pattern

if TYPE_CHECKING:
    from collections.abc import Container, Iterable, Iterator, Mapping, Sequence

    from toolgrammar.core.machine.expressions import Expressions
    from toolgrammar.core.machine.near_marks import NearOpener
    from toolgrammar.grammar.terminals import Terminal

_MOST_LITERALS: Final = 4
"""Literals between the opener and the name, and between the name and the arguments."""
_MARK: Final = 5
"""Characters of markup that tells by itself that a call stands there."""
_NAME_CHARACTER: Final = r"[\w.:/-]"
_NAME: Final = rf"(?P<tool>{_NAME_CHARACTER}{{1,128}})(?!{_NAME_CHARACTER})"
_BLANKS: Final = r"\s{0,16}"
_LINE: Final = r"(?<![^\n>])"
"""Where a line begins, or a tag has ended."""
_UNQUOTED: Final = r"(?<![\"'`])"


class Writes(Protocol):
    """What is read of the machine."""

    expressions: Expressions


class Token(Protocol):
    """What is read of a step of the machine, which is made of this module."""

    leaf: str
    kind: str
    opens: str
    weight: int
    terminal: Terminal
    constants: tuple[tuple[str, str], ...]
    after: tuple[str, ...]

    @property
    def machine(self) -> Writes:
        """What writes terminals as expressions."""

    @property
    def node(self) -> Place:
        """The node that the step leads to."""


class Place(Protocol):
    """What is read of a node of the machine."""

    end: tuple[str, ...] | None
    skipping: bool
    accepts_text: bool
    tokens: list[tuple[str, Terminal]]

    @property
    def steps(self) -> Mapping[str, Token]:
        """What each token of the node does."""

    @property
    def payloads(self) -> Sequence[Token]:
        """The payloads that it takes."""

    @property
    def near_openers(self) -> tuple[NearOpener | LostOpener, ...]:
        """What resembles an opener there."""


class LostOpener:
    """An opener that is missing before what only stands behind it; kin of `NearOpener`."""

    def __init__(self, group: str, text: str, pattern: str, *, begins_word: bool) -> None:
        """Takes what the opener is, and what stands behind it.

        Args:
            group: the opener among the tokens of its node.
            text: the opener as it should stand there.
            pattern: an expression that takes up nothing: it looks at what stands behind the opener,
                with the group `tool`, which must be a known one.
            begins_word: whether the name itself stands behind it.
        """
        self.group = group
        self.text = text
        self.pattern = pattern
        self.begins_word = begins_word
        self.unnamed = unnamed(pattern)
        """The expression without its group."""

    @cached_property
    def whole(self) -> re.Pattern[str]:
        """Matches the place of the opener."""
        return compile_pattern(self.pattern)

    @cached_property
    def begun(self) -> re.Pattern[str]:
        """Matches what may become that, up to the end of the text."""
        return tail_that_begins([self.pattern])

    def matches(self, text: str, place: int) -> bool | None:
        """Whether the opener is missing at a place; None where more text may tell."""
        return True if self.whole.match(text, place) else None


def lost_openers(node: Place) -> Iterator[LostOpener]:
    """Yields the openers of calls and sections that a text node takes, as they may be missing."""
    # Only where text stands outside of all calls and sections.
    if node.end is None or node.skipping or not node.accepts_text:
        return
    taken = {terminal.name for _, terminal in node.tokens}
    seen = set()
    for group, terminal in node.tokens:
        step = node.steps[group]
        if terminal.kind != "literal" or step.weight < _MARK or not step.opens:
            continue
        for before, name, behind in _ways(step.node):
            # `<invoke` opens by itself in this node: nothing is missing before it.
            if before and before[0].terminal.name in taken:
                continue
            # Any word may begin a line. With the tag of an argument behind it, `search<arg_key>`,
            # it is a name.
            if not (before or (behind and _opens_argument(behind[0]))):
                continue
            # `{` and a name are too little to tell a call from other data.
            if sum(each.weight for each in (*before, *behind)) < _MARK:
                continue
            pattern = _written(before, name, behind)
            # Two openers may have the same behind them: the first of the grammar is put in.
            if pattern not in seen:
                seen.add(pattern)
                yield LostOpener(group, terminal.text, pattern, begins_word=not before)


def opens_nothing(
    openers: Iterable[str], near: Iterable[NearOpener | LostOpener]
) -> re.Pattern[str]:
    """Matches a chunk of text in which none of the openers can begin, nor what resembles them."""
    begins, has_words = [*openers], False
    for each in near:
        if isinstance(each, LostOpener) and each.begins_word:
            has_words = True
        else:
            begins.append(each.unnamed)
    firsts = first_characters(any_of(begins))
    # What may begin with any character leaves no chunk without a search.
    if firsts is None or not has_words:
        return without(firsts)
    # What begins with a word stands where a line begins, or behind a tag.
    rest = without(firsts | frozenset(">\n")).pattern
    return compile_pattern(rf"(?!{_NAME_CHARACTER}){rest}")


def lost_pairs(node: Place) -> list[tuple[str, str]]:
    """Lists the expressions of a node's lost openers, each with that of its beginnings."""
    lost = (each for each in node.near_openers if isinstance(each, LostOpener))
    return [(each.unnamed, partial(each.unnamed) or "") for each in lost]


def stands_unopened(
    node: Place, text: str, place: int, tools: Container[str], *, final: bool
) -> bool | None:
    """Whether a call of a known tool stands at a place without its opener; None: more text tells.

    Args:
        node: the text node that is reached there.
        text: the text so far.
        place: an index of it.
        tools: the names of the known tools.
        final: whether nothing follows the text.
    """
    waits = False
    for each in node.near_openers:
        if isinstance(each, LostOpener):
            match = each.whole.match(text, place)
            if match is not None and match["tool"] in tools:
                return True
            # A later one may match already, so the loop goes on before more text is asked for.
            waits = waits or (not final and each.begun.match(text, place) is not None)
    return None if waits else False


def _ways(node: Place) -> Iterator[tuple[tuple[Token, ...], Token, tuple[Token, ...]]]:
    """Yields what stands before the name of a tool, the name, and what stands behind it."""
    for before, reached in _literals(node):
        for step in reached.steps.values():
            if step.leaf != "name" or step.kind != "regex":
                continue
            for behind, end in _literals(step.node):
                # A name is evidence of a call only where its arguments have to follow.
                if any(each.leaf == "key" for each in end.steps.values()) or end.payloads:
                    yield before, step, behind


def _literals(node: Place) -> Iterator[tuple[tuple[Token, ...], Place]]:
    """Yields the literals that may follow each other from a node on, with the node behind them."""
    queue: list[tuple[tuple[Token, ...], Place]] = [((), node)]
    seen = {id(node)}
    # The queue grows while it is read: the shortest way comes first.
    for path, reached in queue:
        yield path, reached
        for step in reached.steps.values() if not reached.accepts_text else ():
            is_plain = step.kind == "literal" and not (step.leaf or step.constants or step.after)
            if len(path) < _MOST_LITERALS and is_plain and id(step.node) not in seen:
                seen.add(id(step.node))
                queue.append(((*path, step), step.node))


def _is_mark(step: Token) -> bool:
    """Whether a literal is markup that no prose has."""
    return step.weight >= _MARK and not step.terminal.text.strip()[0].isalnum()


def _opens_argument(step: Token) -> bool:
    """Whether a literal is the tag of an argument: only such tell a name from a word of prose."""
    return _is_mark(step) and re.match("<[^/]", step.terminal.text.strip()) is not None


def _written(before: tuple[Token, ...], name: Token, behind: tuple[Token, ...]) -> str:
    """Writes the expression of a known name with what stands round it."""
    quote = '"' if name.terminal.name == "JSON_STRING" else ""
    marked = bool(before) and _is_mark(before[0])
    parts = [*map(_plain, before), f"{quote}{_NAME}{quote}"]
    # Behind a mark the name is enough, but for a tag around the name: results of tools have it, too.
    in_tag = bool(behind) and behind[0].terminal.text.strip().startswith("</")
    parts += () if marked and not in_tag else map(_plain, behind)
    # A mark tells wherever it stands; an object of JSON in a sentence is an example.
    return rf"{_UNQUOTED if marked else _LINE}(?={_BLANKS.join(parts)})"


def _plain(step: Token) -> str:
    return unnamed(step.machine.expressions.pattern(step.terminal))
