"""Works out, for a node in which the text does not fit, which markup is missing before what fits.

Example: behind the value of `<parameter=p>x</function>` the closer `</parameter>` is missing.

Nothing in an envelope nests inside itself, so what can be put in is found by a short search over
the nodes: markup only, nothing that names, opens or carries a value. What such a sequence leads
to is an *anchor*: markup that can't be mistaken for prose. (After the insertions of Corchuelo
et al. 2002, reduced to what needs no cost model.)
"""

from __future__ import annotations

from functools import cache, cached_property
from typing import TYPE_CHECKING, NamedTuple

from toolgrammar.core.machine.kept import kept
from toolgrammar.grammar.roles import GROUP_ROLES
from toolgrammar.patterns.beginnings import literal_start
from toolgrammar.patterns.partial import any_of, tail_that_begins
from toolgrammar.patterns.sample import sample
from toolgrammar.values.patterns import compile_pattern, late

if TYPE_CHECKING:
    import re

    from toolgrammar.core.machine.machine import Node, Step
    from toolgrammar.grammar.terminals import Terminal

MOST_INSERTED = 5
"""Literals that one repair puts in."""
_MOST_NODES = 200
"""Nodes that a search visits."""
_DISTINCTIVE = 3
"""Characters of a literal that stands for itself, not for prose."""
_CLOSED = ("call", *GROUP_ROLES)
BRACKETS = frozenset("}])")
_LANDMARK = 5
"""Characters of a literal that is taken for markup wherever it stands."""
_PIECE = late(r"<[^<>]*>|[^<>]+")
_BLANKS = r"\s{0,16}"

JUNK = late(
    r"</[^<>\s]{1,64}(?: [^<>\s]{1,64})?>|<[|\uff5c][^|<>\s]{1,64}[|\uff5c]>|\[/[^\[\]\s]{1,32}\]|```\w{0,16}|[}\])]"
)
"""Markup that closes something which is not open: it can be left out."""
JUNK_BEGINNINGS = late(
    r"(?:<(?:/[^<>\s]{0,64}(?: [^<>\s]{0,64})?|[|\uff5c][^|<>\s]{0,64}[|\uff5c]?)?|\[(?:/[^\[\]\s]{0,32})?|`{1,2}|```\w{0,16})\Z"
)


class Anchor(NamedTuple):
    """A literal that fits after an insertion."""

    group: str
    pattern: str
    path: tuple[Step, ...]
    """What is put in before it."""
    step: Step
    """What the literal then does."""
    node: Node
    """The node behind it."""
    closes: str
    """The structure that it closes, or an empty string."""

    @property
    def closes_more(self) -> bool:
        """Whether something that is put in before it closes the call."""
        return any("call" in step.after for step in self.path)


class Repairs:
    """What can be done in one node; made when a text first needs it."""

    def __init__(self, node: Node) -> None:
        self.to_text: tuple[Step, ...] | None = None
        """The shortest insertion after which text may stand outside of a call."""
        self.to_end: tuple[Step, ...] | None = None
        """The shortest insertion after which the message may end."""
        found: dict[str, Anchor] = {}
        self._search(node, found)
        self.anchors = {anchor.group: anchor for anchor in found.values()}

    def _search(self, node: Node, found: dict[str, Anchor]) -> None:
        """Goes through the nodes that insertions reach, the nearest first."""
        queue: list[tuple[Node, tuple[Step, ...]]] = [(node, ())]
        seen = {id(node)}
        # What the node takes without any repair needs none.
        here = {terminal.pattern for _, terminal in node.tokens}
        for reached, path in queue:
            # The nodes come in order of their distance: the first that fits is the shortest repair.
            if path and reached.accepts_text and self.to_text is None:
                self.to_text = path
            if reached.end is not None and self.to_end is None:
                self.to_end = path
            for group, terminal in reached.tokens:
                step = reached.steps[group]
                if path:
                    name = f"a{len(found)}"
                    pattern, last = _unit(reached, group, terminal, name)
                    # Two ways may lead to the same markup; they differ in the group's name alone,
                    # and the nearer way counts.
                    key = pattern.replace(f"_{name}>", ">")
                    if pattern and pattern not in here and key not in found:
                        closed = next((r for r in last.after if r in _CLOSED), "")
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
        """Matches an anchor; the last group that matched names it."""
        # The longest first: `</tool_calls>` begins with what may be an anchor, too.
        parts = sorted(self.anchors.values(), key=lambda anchor: -len(anchor.pattern))
        return compile_pattern(any_of(f"{each.pattern}(?P<{each.group}>)" for each in parts))

    @cached_property
    def beginnings(self) -> re.Pattern[str]:
        """Matches what may still become an anchor, up to the end of the text."""
        return tail_that_begins(each.pattern for each in self.anchors.values())


class Strays:
    """The closers of a grammar, as they may be left over in text behind a call."""

    def __init__(self, node: Node) -> None:
        openers = {terminal.text.strip() for _, terminal in node.tokens}
        terminals = node.machine.tables.terminals
        found = sorted(
            (terminal.pattern for terminal in terminals if _is_mark(terminal, openers)), key=len
        )
        # `</search>` behind a call of `search`: the name is compared when it is found.
        if any(terminal.name == "SAME_NAME" for terminal in terminals):
            found.append(r"</(?P<name>[^\s<>/]{1,256})>")
        self.pattern = compile_pattern(any_of(reversed(found)))
        """Matches one; the group `name` is the name of a call that it must repeat."""
        self.beginnings = tail_that_begins(found)


@kept
def repairs_of(node: Node) -> Repairs:
    """Returns what can be put in where a text does not fit in a node."""
    return Repairs(node)


@kept
def strays_of(node: Node) -> Strays:
    """Finds closers that stand in text directly behind a call or a section."""
    return Strays(node)


@kept
def landmarks_of(node: Node) -> re.Pattern[str] | None:
    """Finds the tokens of a node that are no words of prose; None where it has none."""
    found = [
        node.machine.expressions.pattern(terminal)
        for _, terminal in node.tokens
        if terminal.kind in ("literal", "regex")
        and len(literal_start(terminal.pattern).strip()) >= _LANDMARK
    ]
    return compile_pattern("|".join(found)) if found else None


def _is_mark(terminal: Terminal, openers: set[str]) -> bool:
    """Whether a literal is markup that nobody writes as prose, and opens nothing here."""
    text = terminal.text.strip()
    return (
        terminal.kind == "literal"
        and len(text) > _DISTINCTIVE
        # `</tool_call>` is markup; a word, or a key such as `"name"`, may stand in any text.
        and not (text[0].isalnum() or text[-1].isalnum() or '"' in text)
        and text not in openers
    )


@cache
def written(terminal: Terminal) -> str:
    """Returns the plainest text of markup; empty where a pattern stands for more than markup."""
    if terminal.kind == "literal":
        return terminal.text
    if terminal.kind != "regex" or terminal.groups or terminal.constants:
        return ""
    text = sample(terminal.pattern) or ""
    # A sample stands for its pattern only if the pattern takes all of it, and if it is no word.
    is_mark = len(text) >= _DISTINCTIVE and not text[:1].isalnum() and text == text.strip()
    found = compile_pattern(terminal.pattern).match(text)
    return text if is_mark and found is not None and found.end() == len(text) else ""


def ends_line(terminal: Terminal) -> bool:
    """Whether markup stands at the end of its line, as a fence does."""
    return terminal.kind == "regex" and terminal.pattern.rstrip(")").endswith("$")


def clipped(step: Step) -> str:
    """Returns a closer of several tags without its last one; empty where it has but one."""
    if step.kind != "literal" or step.opens or step.leaf or not step.after:
        return ""
    # `</parameter></function>`: a model may stop behind the first of the two.
    pieces = _PIECE.findall(step.terminal.text.strip())
    half = "".join(pieces[:-1])
    return half if len(half) > _DISTINCTIVE and pieces[-1].endswith(">") else ""


def _can_be_inserted(step: Step) -> bool:
    """Whether a token has nothing of its own to say."""
    return (
        (step.kind == "same" or written(step.terminal) != "")
        and not step.leaf
        and not step.opens
        # A token with named groups says something of the call, such as its id.
        and not step.terminal.groups
        and not step.constants
    )


def _unit(node: Node, group: str, terminal: Terminal, name: str) -> tuple[str, Step]:
    """Returns the expression of a distinctive literal, or of one and the repeated name behind it.

    Returns:
        The expression, empty where nothing is distinctive, and its last token.
    """
    machine, step = node.machine, node.steps[group]
    expressions = machine.expressions
    # A pattern that fills a role reads a value, and values are never put in.
    text = "" if step.leaf and terminal.kind != "literal" else written(terminal).strip()
    if not text:
        return "", step
    pattern = expressions.pattern(terminal)
    # In an envelope a closing bracket is a closer, however short.
    if len(text) >= _DISTINCTIVE or text in BRACKETS:
        return pattern, step
    # `</` alone tells nothing, with the name behind it it does.
    repeated = _forced(step.node)
    # The name has to end there: `<search_all` is no `<search`.
    if repeated is not None and repeated.kind == "tool" and machine.tool_names:
        return f"{pattern}{_BLANKS}{expressions.pattern(repeated.terminal)}(?![\\w.-])", step
    if repeated is None or repeated.kind != "same":
        return "", step
    pattern += (
        f"{_BLANKS}(?P<{repeated.terminal.name}_{name}>{expressions.pattern(repeated.terminal)})"
    )
    closing = _forced(repeated.node)
    if closing is None or closing.kind != "literal":
        return pattern, repeated
    return pattern + _BLANKS + expressions.pattern(closing.terminal), closing


def _forced(node: Node) -> Step | None:
    """Returns the one token that a node takes, where there is no choice."""
    # Where text, a payload or the end may stand as well, the token is not forced.
    alone = len(node.tokens) == 1 and not node.payloads and not node.accepts_text
    return node.steps[node.tokens[0][0]] if alone and node.end is None else None
