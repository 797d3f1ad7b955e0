"""Finds calls whose opener is missing, by the markup after it and the name of a known tool.

Example: `<invoke name="get_time">`, in a format that writes calls between `<minimax:tool_call>` and
`</minimax:tool_call>`.

A server may remove special tokens, a prompt may contain the opener, or a model may forget it. The
rest shows that a call was meant only if it names a tool of the caller. The opener is then inserted,
and the call is read as any other. This module also lists the markup of calls for the search for
damaged calls in a text (`core/evidence/remains.py`).
"""

from __future__ import annotations

import re
from functools import cached_property
from typing import TYPE_CHECKING, Final, Protocol

from toolgrammar.core.evidence.mended_marks import MarksOfCalls
from toolgrammar.core.evidence.remains import Remains
from toolgrammar.core.machine.expressions import markup_text, sample_text
from toolgrammar.grammar.call_evidence import is_of_calls, longest_texts, marks_of_calls
from toolgrammar.grammar.roles import GROUP_ROLES
from toolgrammar.patterns.beginnings import first_characters, without
from toolgrammar.patterns.partial import alternation, partial, tail_that_begins, unnamed
from toolgrammar.values.patterns import compile_pattern

if TYPE_CHECKING:
    from collections.abc import Container, Iterable, Iterator, Mapping, Sequence

    from toolgrammar.core.machine.expressions import Expressions
    from toolgrammar.core.machine.near_marks import NearOpener
    from toolgrammar.grammar.tables import Tables
    from toolgrammar.grammar.terminals import Terminal

_MOST_LITERALS: Final = 4
"""The most literals between the opener and the name, and between the name and the arguments."""
_MARK: Final = 5
"""The least characters of markup that is evidence of a call by itself."""
_NAME_CHARACTER: Final = r"[\w.:/-]"
_NAME: Final = rf"(?P<tool>{_NAME_CHARACTER}{{1,128}})(?!{_NAME_CHARACTER})"
_BLANKS: Final = r"\s{0,16}"
_LINE: Final = r"(?<![^\n>])"
"""Matches at the beginning of a line, and after a tag."""
_UNQUOTED: Final = r"(?<![\"'`])"


class MachineView(Protocol):
    """The machine, as far as this module reads it."""

    expressions: Expressions


class StepView(Protocol):
    """A step of the machine, as far as this module reads it (`machine` imports it)."""

    role: str
    kind: str
    opens: str
    weight: int
    terminal: Terminal
    constants: tuple[tuple[str, str], ...]
    closes: tuple[str, ...]

    @property
    def machine(self) -> MachineView:
        """The machine, which writes terminals as expressions."""

    @property
    def node(self) -> NodeView:
        """The node that the step leads to."""


class NodeView(Protocol):
    """A node of the machine, as far as this module reads it."""

    closes_at_end: tuple[str, ...] | None
    skipping: bool
    accepts_text: bool
    tokens: list[tuple[str, Terminal]]

    @property
    def steps(self) -> Mapping[str, StepView]:
        """The steps of the node's tokens, by group."""

    @property
    def payloads(self) -> Sequence[StepView]:
        """The steps of the payloads that may stand there."""

    @property
    def near_openers(self) -> tuple[NearOpener | LostOpener, ...]:
        """The misspelt and missing openers that are recognised there."""


class LostOpener:
    """An opener that may be missing before the markup that follows it, used like a `NearOpener`."""

    def __init__(self, group: str, text: str, pattern: str, *, begins_word: bool) -> None:
        """Defines the opener, and the markup that follows it.

        Args:
            group: the group of the opener among the tokens of its node.
            text: the text of the opener.
            pattern: an expression of zero width, a lookahead to the markup after the opener, with
                the group `tool` for a name that has to be that of a known tool.
            begins_word: whether the name follows the opener directly.
        """
        self.group = group
        self.text = text
        self.pattern = pattern
        self.begins_word = begins_word
        self.unnamed = unnamed(pattern)
        """The expression without the names of its groups."""

    @cached_property
    def whole(self) -> re.Pattern[str]:
        """Matches the place of the opener."""
        return compile_pattern(self.pattern)

    @cached_property
    def begun(self) -> re.Pattern[str]:
        """Matches the end of a text that may still become such a place."""
        return tail_that_begins([self.pattern])

    def matches(self, text: str, place: int) -> bool | None:
        """Whether the opener is missing at an index; None if it is not or more text is needed."""
        return True if self.whole.match(text, place) else None

    def is_missing_before(
        self, text: str, place: int, tools: Container[str], *, final: bool
    ) -> bool | None:
        """Whether the opener is missing at an index before a call of a known tool.

        None if more text is needed: at the end of a chunk the name may go on.
        """
        match = self.whole.match(text, place)
        may_grow = not final and match is not None and match.end("tool") == len(text)
        if match is not None and not may_grow and match["tool"] in tools:
            return True
        if may_grow or (not final and self.begun.match(text, place) is not None):
            return None
        return False


def lost_openers(node: NodeView) -> Iterator[LostOpener]:
    """Yields the openers of calls and sections that may be missing at a text node."""
    # This applies only to text outside of all calls and sections.
    if node.closes_at_end is None or node.skipping or not node.accepts_text:
        return
    taken = {terminal.name for _, terminal in node.tokens}
    seen = set()
    for group, terminal in node.tokens:
        step = node.steps[group]
        text = markup_text(terminal)
        if len(text.strip()) < _MARK or not step.opens or _has_attributes(terminal, text):
            continue
        for before, name, behind in _ways(step.node):
            # If `<invoke` is itself an opener in this node, nothing is missing before it.
            if before and before[0].terminal.name in taken:
                continue
            # Any word may begin a line. With the tag of an argument after it, `search<arg_key>`, it
            # is a name.
            if not (before or (behind and _opens_argument(behind[0]))):
                continue
            # A `{` and a name are not enough to distinguish a call from other data.
            if sum(len(markup_text(each.terminal).strip()) for each in (*before, *behind)) < _MARK:
                continue
            pattern = _lookahead(before, name, behind)
            # The same markup may follow two openers: the first one of the grammar is inserted.
            if pattern not in seen:
                seen.add(pattern)
                yield LostOpener(group, text, pattern, begins_word=not before)


def _has_attributes(terminal: Terminal, text: str) -> bool:
    """Whether an opener is a tag with attributes, whose unknown values can't be inserted."""
    tag = f'{text.removesuffix(">")} a="b">'
    return terminal.kind == "regex" and compile_pattern(terminal.pattern).match(tag) is not None


def opens_nothing(
    openers: Iterable[str], near: Iterable[NearOpener | LostOpener]
) -> re.Pattern[str]:
    """Returns the expression of a chunk in which no opener, misspelt or missing, can begin."""
    begins, has_words = [*openers], False
    for each in near:
        if isinstance(each, LostOpener) and each.begins_word:
            has_words = True
        else:
            begins.append(each.unnamed)
    firsts = first_characters(alternation(begins))
    # If an opener may begin with any character, every chunk has to be searched.
    if firsts is None or not has_words:
        return without(firsts)
    # A name without its opener counts only at the beginning of a line, or after a tag.
    rest = without(firsts | frozenset(">\n")).pattern
    return compile_pattern(rf"(?!{_NAME_CHARACTER}){rest}")


def lost_pairs(node: NodeView) -> list[tuple[str, str]]:
    """Returns the expressions of a node's missing openers, each with that of its beginnings."""
    lost = (each for each in node.near_openers if isinstance(each, LostOpener))
    return [(each.unnamed, partial(each.unnamed) or "") for each in lost]


def lacks_opener(
    node: NodeView, text: str, place: int, tools: Container[str], *, final: bool
) -> bool | None:
    """Whether a call of a known tool stands at an index without its opener.

    Args:
        node: the text node at this place.
        text: the text so far.
        place: the index.
        tools: the names of the known tools.
        final: whether the text is complete.

    Returns:
        None if more text is needed.
    """
    waits = False
    for each in node.near_openers:
        if isinstance(each, LostOpener):
            stands = each.is_missing_before(text, place, tools, final=final)
            if stands:
                return True
            # Another opener may match already, so the loop ends before more text is requested.
            waits = waits or stands is None
    return None if waits else False


def _ways(node: NodeView) -> Iterator[tuple[tuple[StepView, ...], StepView, tuple[StepView, ...]]]:
    """Yields the ways to a tool's name: the literals before it, its step, the literals after it."""
    for before, reached in _literal_ways(node):
        for step in reached.steps.values():
            if step.role != "name" or step.kind != "regex":
                continue
            for behind, end in _literal_ways(step.node):
                # A name is evidence of a call only if its arguments have to follow.
                if any(each.role == "key" for each in end.steps.values()) or end.payloads:
                    yield before, step, behind


def _literal_ways(node: NodeView) -> Iterator[tuple[tuple[StepView, ...], NodeView]]:
    """Yields the sequences of literals that may follow a node, the shortest first, each with its end."""
    queue: list[tuple[tuple[StepView, ...], NodeView]] = [((), node)]
    seen = {id(node)}
    # The queue grows while it is read.
    for path, reached in queue:
        yield path, reached
        for step in reached.steps.values() if not reached.accepts_text else ():
            is_plain = markup_text(step.terminal) and not (
                step.role or step.constants or step.closes
            )
            if len(path) < _MOST_LITERALS and is_plain and id(step.node) not in seen:
                seen.add(id(step.node))
                queue.append(((*path, step), step.node))


def _is_mark(step: StepView) -> bool:
    """Whether a literal is markup that prose does not have."""
    text = markup_text(step.terminal).strip()
    return len(text) >= _MARK and not text[0].isalnum()


def _opens_argument(step: StepView) -> bool:
    """Whether a literal is an opening tag, which distinguishes a name from a word of prose."""
    return _is_mark(step) and re.match("<[^/]", markup_text(step.terminal).strip()) is not None


def _lookahead(before: tuple[StepView, ...], name: StepView, behind: tuple[StepView, ...]) -> str:
    """Returns a lookahead to a tool's name with the literals before and after it."""
    quote = '"' if name.terminal.name == "JSON_STRING" else ""
    marked = bool(before) and _is_mark(before[0])
    parts = [*map(_bounded_pattern, before), f"{quote}{_NAME}{quote}"]
    # After a mark the name is enough, unless a tag encloses the name, as also in results of tools.
    in_tag = bool(behind) and markup_text(behind[0].terminal).strip().startswith("</")
    parts += () if marked and not in_tag else map(_bounded_pattern, behind)
    # A mark counts anywhere in a line; a JSON object inside a sentence is an example.
    return rf"{_UNQUOTED if marked else _LINE}(?={_BLANKS.join(parts)})"


def _bounded_pattern(step: StepView) -> str:
    r"""Returns the expression of a token without the names of its groups, its blanks bounded.

    Of `<invoke name="` that is `<invoke\s{1,64}name="`. A stream matches it again with each chunk until
    the name has come, so a run of blanks without a bound would cost the square of its length.
    """
    pattern = unnamed(step.machine.expressions.pattern(step.terminal))
    return pattern.replace(r"\s+", r"\s{1,64}")


_OPENED: Final = frozenset({"call", *GROUP_ROLES})


class TextNode(NodeView, Protocol):
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
    opener = alternation(
        each for each, is_call in zip(start.openers(), opens, strict=True) if is_call
    )
    marks = MarksOfCalls(fixed_marks(start, tables), compile_pattern(opener or "(?!)"))
    return Remains(signs, set(_openers(start)), tables.call_closers, names, marks)


def fixed_marks(start: TextNode, tables: Tables) -> set[str]:
    """Returns the fixed marks in the calls of a grammar.

    Args:
        start: the node at the beginning of a message.
        tables: the tables of the grammar.
    """
    return {*_openers(start), *_with_what_follows(start), *marks_of_calls(tables.terminals)}


def _opens_call(start: TextNode, group: str, terminal: Terminal) -> bool:
    """Whether a terminal opens a call or a section of them."""
    step = start.steps[group]
    is_thought = any(payload.role == "reasoning" for payload in step.node.payloads)
    if step.opens or step.node.accepts_text or is_thought:
        return step.opens in _OPENED
    # `[TOOL_CALLS]` may open a call or a list of them: what follows it shows which.
    return is_of_calls(terminal.text or sample_text(terminal), "")


def _openers(start: TextNode) -> Iterator[str]:
    """Yields the openers of calls and sections."""
    for group, terminal in start.tokens:
        step, text = start.steps[group], sample_text(terminal)
        if _opens_call(start, group, terminal):
            yield text
            yield from longest_texts(terminal)
        # If the word after a fence opens the call, the fence is a terminal of its own.
        if text and not text.strip("`"):
            for _, behind in step.node.tokens:
                yield from (f"{text}{word}" for word in longest_texts(behind))


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
