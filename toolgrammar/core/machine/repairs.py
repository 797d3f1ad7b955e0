"""Finds the markup that may be missing at a node before text that does not fit there.

Example: after the value in `<parameter=p>x</function>` the closer `</parameter>` is missing.

Nothing in an envelope nests inside itself, so a short search over the nodes finds the possible
insertions: markup only, no token that is a name, an opener or a value. Such a sequence leads to an
*anchor*, which is markup that can't be mistaken for prose. (This follows the insertions of
Corchuelo et al. 2002, without a cost model.)
"""

from __future__ import annotations

import re
from functools import cached_property
from typing import TYPE_CHECKING, NamedTuple

from toolgrammar.core.machine.caches import cached_on_argument
from toolgrammar.core.machine.expressions import DISTINCTIVE, markup_text
from toolgrammar.grammar.roles import CLOSING_LINES, GROUP_ROLES
from toolgrammar.patterns.beginnings import literal_start
from toolgrammar.patterns.partial import alternation, tail_that_begins
from toolgrammar.values.patterns import compile_pattern, late

if TYPE_CHECKING:
    from toolgrammar.core.machine.machine import Node, Step
    from toolgrammar.grammar.terminals import Terminal

MOST_INSERTED = 5
"""The most literals that one repair inserts."""
_MOST_NODES = 200
"""The most nodes that a search visits."""
_CLOSED = ("call", *GROUP_ROLES)
BRACKETS = frozenset("}])")
_LANDMARK = 5
"""The least characters of a literal that is markup wherever it stands."""
_LINE_START = late(r"(?:\(\?[a-z]+:)?\^")
_PIECE = late(r"<[^<>]*>|[^<>]+")
_BLANKS = r"\s{0,16}"

JUNK = late(
    r"</[^<>\s]{1,64}(?:(?: [^<>\s]{1,64})?>|(?=<))|<[|\uff5c][^|<>\s]{1,64}[|\uff5c](?:>|(?=<))|\[/[^\[\]\s]{1,32}\]|```\w{0,16}|[}\])]"
)
"""Markup that looks like a closer, and can be dropped if nothing is open that it closes."""
JUNK_BEGINNINGS = late(
    r"(?:<(?:/[^<>\s]{0,64}(?: [^<>\s]{0,64})?|[|\uff5c][^|<>\s]{0,64}[|\uff5c]?)?|\[(?:/[^\[\]\s]{0,32})?|`{1,2}|```\w{0,16})\Z"
)


class Anchor(NamedTuple):
    """A literal that fits after an insertion."""

    group: str
    pattern: str
    path: tuple[Step, ...]
    """The steps of the markup that is inserted before it."""
    step: Step
    """The step of the literal after that insertion."""
    node: Node
    """The node after the literal."""
    closes: str
    """The call or section that it closes, or ""."""

    @property
    def closes_more(self) -> bool:
        """Whether the markup that is inserted before it closes the call."""
        return any("call" in step.closes for step in self.path)


class Repairs:
    """The possible insertions at one node, searched when a text first needs them."""

    def __init__(self, node: Node) -> None:
        self.to_text: tuple[Step, ...] | None = None
        """The shortest insertion after which text may stand outside of a call."""
        self.to_end: tuple[Step, ...] | None = None
        """The shortest insertion after which the message may end."""
        found: dict[str, Anchor] = {}
        self._search(node, found)
        self.anchors = {anchor.group: anchor for anchor in found.values()}

    def _search(self, node: Node, found: dict[str, Anchor]) -> None:
        """Visits the nodes that insertions reach, the nearest first."""
        queue: list[tuple[Node, tuple[Step, ...]]] = [(node, ())]
        seen = {id(node)}
        # A token that the node accepts needs no repair, so it is not an anchor.
        here = {terminal.pattern for _, terminal in node.tokens}
        for reached, path in queue:
            # The nodes come in order of their distance, so the first that fits is the shortest
            # repair.
            if path and reached.accepts_text and self.to_text is None:
                self.to_text = path
            if reached.closes_at_end is not None and self.to_end is None:
                self.to_end = path
            for group, terminal in reached.tokens:
                step = reached.steps[group]
                if path:
                    name = f"a{len(found)}"
                    pattern, last = _anchor_pattern(reached, group, terminal, name)
                    # Two ways may lead to the same markup: their patterns differ only in the
                    # group's name, and the shorter way counts.
                    key = pattern.replace(f"_{name}>", ">")
                    if pattern and pattern not in here and key not in found:
                        closed = next((r for r in last.closes if r in _CLOSED), "")
                        found[key] = Anchor(name, pattern, path, step, last.node, closed)
                if (
                    len(path) < MOST_INSERTED
                    and len(seen) < _MOST_NODES
                    and _can_be_inserted(step)
                    and id(step.node) not in seen
                ):
                    seen.add(id(step.node))
                    queue.append((step.node, (*path, step)))

    @cached_property
    def pattern(self) -> re.Pattern[str]:
        """Matches an anchor; the last group that matched is its group."""
        # The longest come first, as the beginning of `</tool_calls>` may be an anchor as well.
        parts = sorted(self.anchors.values(), key=lambda anchor: -len(anchor.pattern))
        return compile_pattern(alternation(f"{each.pattern}(?P<{each.group}>)" for each in parts))

    @cached_property
    def beginnings(self) -> re.Pattern[str]:
        """Matches the end of a text that may still become an anchor."""
        return tail_that_begins(each.pattern for each in self.anchors.values())


class Strays:
    """The closers, and tokens that end a turn, which may be left over in text after a call."""

    def __init__(self, node: Node) -> None:
        openers = {terminal.text.strip() for _, terminal in node.tokens}
        # A lone closer of reasoning says more than a closer too many: see `report_unopened`.
        openers.update(node.machine.tables.reasoning_tags)
        tables, terminals = node.machine.tables, node.machine.tables.terminals
        marks = {each.pattern for each in terminals if _is_mark(each, openers)}
        # A token that ends the turn is left by servers that do not stop at it.
        marks.update(re.escape(stop) for stop in tables.stops if _is_turn_end(stop, openers))
        # Reversed, a mark is tried before those with which it begins.
        found = sorted(marks)
        # An example is `</search>` after a call of `search`; the name is compared when it is found.
        if any(terminal.name == "SAME_NAME" for terminal in terminals):
            found.append(r"</(?P<name>[^\s<>/]{1,256})>")
        self.pattern = compile_pattern(alternation(reversed(found)))
        """Matches such a closer; the group `name` is the name of a call that it has to repeat."""
        self.beginnings = tail_that_begins(found)


@cached_on_argument
def repairs_of(node: Node) -> Repairs:
    """Returns the possible insertions at a node before text that does not fit there."""
    return Repairs(node)


@cached_on_argument
def strays_of(node: Node) -> Strays:
    """Returns the closers that may be left over in text directly after a call or a section."""
    return Strays(node)


@cached_on_argument
def landmarks_of(node: Node) -> re.Pattern[str] | None:
    """Returns the expression of a node's tokens that prose does not have; None if none."""
    found = [
        node.machine.expressions.pattern(terminal)
        for _, terminal in node.tokens
        if terminal.kind in ("literal", "regex")
        and len(literal_start(terminal.pattern).strip()) >= _LANDMARK
    ]
    return compile_pattern("|".join(found)) if found else None


@cached_on_argument
def call_openers_of(node: Node) -> re.Pattern[str] | None:
    """Returns the expression of a node's tokens that open a call and are more than a word."""
    found = [
        node.machine.expressions.pattern(terminal)
        for group, terminal in node.tokens
        if node.steps[group].opens == "call"
        and len(terminal.text.strip() or literal_start(terminal.pattern)) >= DISTINCTIVE
    ]
    return compile_pattern("|".join(found)) if found else None


def _is_turn_end(stop: str, openers: set[str]) -> bool:
    """Whether a stop string is markup, and is not an opener here; `Observation:` is a word."""
    return stop[0] + stop[-1] == "<>" and stop not in openers


def _is_mark(terminal: Terminal, openers: set[str]) -> bool:
    """Whether a literal is markup that prose does not have, and is not an opener here."""
    text = terminal.text.strip()
    return (
        terminal.kind == "literal"
        and len(text) > DISTINCTIVE
        # `</tool_call>` is markup; a word, or a key such as `"name"`, may stand in any text.
        and not (text[0].isalnum() or text[-1].isalnum() or '"' in text)
        and text not in openers
    )


def begins_line(terminal: Terminal) -> bool:
    """Whether markup stands at the start of a line, as `^@@end` and a closing fence do."""
    return terminal.name in CLOSING_LINES or (
        terminal.kind == "regex" and _LINE_START.match(terminal.pattern) is not None
    )


def ends_line(terminal: Terminal) -> bool:
    """Whether markup stands at the end of its line, as a fence does."""
    return terminal.name in CLOSING_LINES or (
        terminal.kind == "regex" and terminal.pattern.rstrip(")").endswith("$")
    )


def without_last_tag(step: Step) -> str:
    """Returns a closer of several tags without its last one; "" if it has only one."""
    if step.kind != "literal" or step.opens or step.role or not step.closes:
        return ""
    # Of `</parameter></function>` a model may write only the first tag.
    pieces = _PIECE.findall(step.terminal.text.strip())
    half = "".join(pieces[:-1])
    return half if len(half) > DISTINCTIVE and pieces[-1].endswith(">") else ""


def _can_be_inserted(step: Step) -> bool:
    """Whether a token is markup without a role, so that it can be inserted."""
    return (
        (step.kind == "same" or markup_text(step.terminal) != "")
        and not step.role
        and not step.opens
        # A token with named groups has a part of the call, such as its id.
        and not step.terminal.groups
        and not step.constants
    )


def _anchor_pattern(node: Node, group: str, terminal: Terminal, name: str) -> tuple[str, Step]:
    """Returns the expression of an anchor: a distinctive literal, or one and a repeated name.

    Returns:
        The expression, "" if nothing is distinctive, and the step of its last token.
    """
    machine, step = node.machine, node.steps[group]
    expressions = machine.expressions
    # A pattern that fills a role reads a value, which is not an anchor.
    text = "" if step.role and terminal.kind != "literal" else markup_text(terminal).strip()
    if not text:
        return "", step
    pattern = expressions.pattern(terminal)
    # In an envelope, a closing bracket is a closer even though it is short.
    if len(text) >= DISTINCTIVE or text in BRACKETS:
        return pattern, step
    # `</` alone is not evidence, but `</` and the name after it are.
    repeated = _only_step(step.node)
    # The name has to end there: `<search_all` is not `<search`.
    if repeated is not None and repeated.kind == "tool" and machine.tool_names:
        return f"{pattern}{_BLANKS}{expressions.pattern(repeated.terminal)}(?![\\w.-])", step
    if repeated is None or repeated.kind != "same":
        return "", step
    pattern += (
        f"{_BLANKS}(?P<{repeated.terminal.name}_{name}>{expressions.pattern(repeated.terminal)})"
    )
    closing = _only_step(repeated.node)
    if closing is None or closing.kind != "literal":
        return pattern, repeated
    return pattern + _BLANKS + expressions.pattern(closing.terminal), closing


def _only_step(node: Node) -> Step | None:
    """Returns the step of the only token that may stand at a node; None if there is a choice."""
    # If text, a payload or the end of the text may stand there as well, there is a choice.
    alone = len(node.tokens) == 1 and not node.payloads and not node.accepts_text
    return node.steps[node.tokens[0][0]] if alone and node.closes_at_end is None else None
