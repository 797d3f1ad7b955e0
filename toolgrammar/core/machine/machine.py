"""Turns LALR tables into nodes, one for each stack that the parser can reach, made on demand.

Example: the first node of a grammar with JSON in tags accepts text and `<tool_call>`; the step of
that literal opens a call and leads to a node that accepts `{"name"`.

A node has the terminals that it accepts, one regular expression that matches any of them, and a
`Step` for each: the calls and groups that close, the role that it fills, and the next node. An
envelope does not nest inside itself, so a grammar has few nodes, and after the first messages all
of them are made.

Node, step and machine refer to each other, so they are in one module. Other facts about a node
(repairs, the end of a raw payload) are functions of it in their own modules: see `caches.py`.
"""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING, Any, Final

from toolgrammar.core.evidence.signs import Signs
from toolgrammar.core.machine.expressions import Expressions, beginning, begun
from toolgrammar.core.machine.lalr import END, Lalr
from toolgrammar.core.machine.lost_openers import (
    LostOpener,
    lost_openers,
    opens_nothing,
    remains_of,
)
from toolgrammar.core.machine.near_marks import NearOpener, near_openers
from toolgrammar.core.machine.relaxed_quotes import loose_pattern
from toolgrammar.core.machine.retry_budget import RetryBudget
from toolgrammar.grammar import roles
from toolgrammar.patterns.partial import BEGUN, MAX_TOKEN, alternation, partial, unnamed
from toolgrammar.values.patterns import compile_pattern

if TYPE_CHECKING:
    import re
    from collections.abc import Container, Iterable

    from toolgrammar.core.evidence.remains import Remains
    from toolgrammar.grammar.tables import Tables
    from toolgrammar.grammar.terminals import Terminal

LONGEST_OPENER = MAX_TOKEN + 64
"""The most characters of an opener, with the text that has to follow a short one."""
SHORT: Final = 64
"""The most characters of a suffix that is cheap to search again: markup, a name, a key."""
_BRACKET: Final = 2
"""The most characters of a literal that any text may contain."""


def _blanks_before(node: Node) -> str:
    return "" if node.blanks_matter else r"\s{0,16}"


class Node:
    """A node: one reachable stack of LALR states; its expressions are compiled on first use."""

    def __init__(self, machine: Machine, stack: tuple[int, ...]) -> None:
        self.machine = machine
        self.stack = stack
        self.steps: dict[str, Step] = {}
        """The steps, by the group's name in the node's expression or by the payload's name."""
        self.payloads: tuple[Step, ...] = ()
        """The steps of the payloads that may begin here, the one that matches most texts last."""
        self.tokens: list[tuple[str, Terminal]] = []
        """The terminals that are no payloads, each with its group; the first that matches counts."""
        self.closes_at_end: tuple[str, ...] | None = None
        """The roles that close when the text ends here; None if it may not end."""
        self.blanks_matter = False
        """Whether white space matters here, so that none is skipped before a token."""
        self.accepts_text = False
        self.after_text: tuple[tuple[str, ...], tuple[int, ...]] = ((), stack)
        """The roles that close when text follows, and the stack of that text."""
        self.skipping = self.closes_group = False
        """Whether text is skipped here, and whether text ends a section here."""
        self.cache: dict[Any, Any] = {}
        """The cache of functions of the node: see `caches.py`."""
        self._fill()

    def _fill(self) -> None:
        tables = self.machine.tables
        payloads = []
        for number in sorted(tables.actions[self.stack[-1]]):
            if number == END:
                self.closes_at_end = self.machine.lalr.end_of(self.stack)
                continue
            terminal = tables.terminals[number]
            # Text is not a token of the expression. Its own state is dropped from the stack, so
            # that the node is the same between two pieces of text.
            if terminal.name in roles.TEXT_LIKE:
                shifted = self.machine.lalr.shift(self.stack, number)
                if shifted is not None:
                    self.accepts_text = True
                    self.skipping = terminal.name == "SKIPPED"
                    self.after_text = (shifted[1], shifted[0][:-1])
                    self.closes_group = any(role in roles.GROUP_ROLES for role in shifted[1])
                continue
            step = self.machine.step(self.stack, number)
            if step is None:
                continue
            if terminal.kind == "payload":
                payloads.append(step)
                self.steps[terminal.name] = step
            else:
                self.steps[f"t{number}"] = step
                self.tokens.append((f"t{number}", terminal))
        # Raw text begins with anything, so it comes last.
        payloads.sort(key=lambda step: roles.breadth(step.terminal.name))
        self.payloads = tuple(payloads)
        self.takes_arguments = any(step.role == "arguments" for step in payloads)
        self._pair()
        # White space before raw text is a part of it.
        self.blanks_matter = any(step.terminal.name in roles.RAW_LIKE for step in payloads)
        # `re` takes the first branch that matches: keywords, then names, then marks that begin both.
        self.tokens.sort(
            key=lambda pair: (-pair[1].priority, rank_of_kind(pair[1]), -pair[1].rank, pair[0])
        )

    def _pair(self) -> None:
        """Pairs each JSON payload with the raw payload that may stand in its place."""
        # Both have the same roles and lead to the same stack: only the text distinguishes them.
        raws = {
            (step.role, step.closes_before, step.closes, step.stack): step
            for step in self.payloads
            if step.terminal.name in roles.RAW_LIKE
        }
        for step in self.payloads if raws else ():
            if step.terminal.name in roles.STRICT_JSON:
                step.pair(raws.get((step.role, step.closes_before, step.closes, step.stack)))

    @property
    def takes_colon(self) -> bool:
        """Whether the colon after a key is expected."""
        return any(terminal.text.strip() == ":" for _, terminal in self.tokens)

    @cached_property
    def names(self) -> frozenset[str]:
        """The names of the terminals of its tokens; at the start node those of all openers."""
        return frozenset(terminal.name for _, terminal in self.tokens)

    @cached_property
    def ends_by_opener(self) -> bool:
        """Whether reasoning before it has no closer, so that only what opens in text ends it: `Thought:`.

        A closer, as `</think>`, may be optional, and may be among the openers, where it is dropped.
        """
        only_openers = self.names <= self.machine.start.names
        return self.accepts_text and only_openers and not self.machine.tables.reasoning_tags

    @cached_property
    def token(self) -> re.Pattern[str]:
        """Matches one token, with the white space before it unless that matters."""
        return self.token_without(frozenset())

    def token_without(self, left_out: Container[str]) -> re.Pattern[str]:
        """Returns the expression of the tokens without those of some groups."""
        tokens = (pair for pair in self.tokens if pair[0] not in left_out)
        body = "|".join(
            f"(?P<{group}>{self.machine.expressions.tolerant(each)})" for group, each in tokens
        )
        return compile_pattern(
            # An expression without branches would match everywhere: `(?!)` matches nowhere.
            r"(?!)" if not body else f"(?:{body})" if self.blanks_matter else rf"\s*(?:{body})"
        )

    @cached_property
    def beginnings(self) -> re.Pattern[str]:
        """Matches the end of a text that may still become a token of this node."""
        parts = [b for _, t in self.tokens if (b := self.machine.expressions.partial(t))]
        # Keys in other quotes are included: else a stream would read `'na` as damage.
        loose = [pattern for _, t in self.tokens if (pattern := loose_pattern(t))]
        parts += [begun for pattern in loose if (begun := partial(pattern))]
        body = alternation(parts)
        return compile_pattern(rf"(?:{body})\Z" if self.blanks_matter else rf"\s*(?:{body})\Z")

    @cached_property
    def opener(self) -> re.Pattern[str]:
        """Finds the next place in text where a call, group or section may open."""
        return compile_pattern(alternation(self.openers()))

    @cached_property
    def opener_beginnings(self) -> re.Pattern[str]:
        """Finds the suffix of a text that may become an opener."""
        return compile_pattern(rf"(?:{alternation(begin for _, begin in self.opener_pairs())})\Z")

    @cached_property
    def near_openers(self) -> tuple[NearOpener | LostOpener, ...]:
        """The misspelt openers, and the missing ones, that are recognised at this node."""
        near = near_openers(self.tokens, lambda group: self.steps[group].node.following())
        return (*near, *lost_openers(self))

    def following(self) -> str:
        """Returns the expression of what has to follow a misspelt opener."""
        options = []
        expressions = self.machine.expressions
        for group, terminal in self.tokens:
            pattern, step = expressions.pattern(terminal), self.steps[group]
            # Any text may have a bracket; only with the grammar's next token is it evidence.
            if terminal.kind == "literal" and step.weight <= _BRACKET:
                second = "|".join(expressions.pattern(each) for _, each in step.node.tokens)
                pattern = rf"{pattern}\s{{0,16}}(?:{second})" if second else "(?!)"
            options.append(unnamed(pattern))
        return rf"\s{{0,16}}(?:{alternation(options)})"

    @cached_property
    def entry(self) -> re.Pattern[str]:
        """Finds the next place where text may end: an opener, a misspelt or a missing one."""
        near = (each.unnamed for each in self.near_openers)
        return compile_pattern(alternation((*self.openers(), *near)))

    @cached_property
    def entry_beginnings(self) -> re.Pattern[str]:
        """Finds the suffix of a text that may become an `entry`."""
        begins = [begin for _, begin in self.opener_pairs()]
        begins += [partial(each.unnamed) or "" for each in self.near_openers]
        return compile_pattern(rf"(?:{alternation(begins)})\Z")

    @cached_property
    def entry_or_begun(self) -> re.Pattern[str]:
        """Finds the first `entry` or beginning of one; the group `BEGUN` marks a beginning."""
        return compile_pattern(f"{self.entry.pattern}|{self.entry_beginnings.pattern}(?P<{BEGUN}>)")

    def begun_entry(self, text: str, position: int, end: int) -> int:
        """Returns the index, before `end`, of a suffix that may become an `entry`; -1 if none.

        Args:
            text: the text so far.
            position: the index from which it is searched.
            end: the index of an entry that was found, or the end of the text.
        """
        # Text that is longer than any opener can't become one, so only the end of it is searched.
        far = len(text) - LONGEST_OPENER
        if end < far:
            return -1
        begun = self.entry_beginnings.search(text, max(position, far))
        return begun.start() if begun is not None and begun.start() < end else -1

    @cached_property
    def plain(self) -> re.Pattern[str]:
        """Matches a chunk of text in which nothing can open."""
        return opens_nothing(self.openers(), self.near_openers)

    def openers(self) -> list[str]:
        """Returns the expressions of the openers in text.

        An opener that is too short to be evidence includes the token that has to follow it.
        """
        found = []
        for group, terminal in self.tokens:
            whole, following = self.machine.expressions.pattern(terminal), self.steps[group].node
            if self._is_short_opener(group, terminal):
                second = "|".join(self.machine.expressions.pattern(t) for _, t in following.tokens)
                whole = f"{whole}(?={_blanks_before(following)}(?:{second}))"
            found.append(unnamed(whole))
        return found

    def opener_pairs(self) -> list[tuple[str, str]]:
        """Returns the expressions of the openers, each with that of its beginnings (or "")."""
        begins = []
        for group, terminal in self.tokens:
            begin, following = self.machine.expressions.partial(terminal), self.steps[group].node
            if self._is_short_opener(group, terminal):
                parts = (self.machine.expressions.partial(each) for _, each in following.tokens)
                second = "|".join(part for part in parts if part)
                whole = f"{self.machine.expressions.pattern(terminal)}{_blanks_before(following)}"
                # `[` alone opens nothing, but is held back: with a name after it, it is an opener.
                begin = f"{begin}|{whole}(?:{second})?" if begin else f"{whole}(?:{second})?"
            begins.append(begin)
        return list(zip(self.openers(), begins, strict=True))

    def _is_short_opener(self, group: str, terminal: Terminal) -> bool:
        step = self.steps[group]
        return terminal.kind == "literal" and step.weight < 3 and bool(step.node.tokens)


def rank_of_kind(terminal: Terminal) -> int:
    """Returns the rank of a terminal: keywords before patterns, bare punctuation after both."""
    if terminal.kind == "regex":
        return 1
    text = terminal.text.strip()
    bare = terminal.kind == "literal" and len(text) < 3 and not any(c.isalnum() for c in text)
    return 2 if bare else 0


class Step:
    """The effect of reading one terminal at one node."""

    def __init__(
        self, machine: Machine, number: int, stack: tuple[int, ...], before: tuple[str, ...]
    ) -> None:
        """Makes the step of a terminal.

        Args:
            machine: the machine.
            number: the number of the terminal.
            stack: the stack after it, before anything that it ends is reduced.
            before: the roles that close before it.
        """
        tables, states = machine.tables, list(stack)
        terminal = tables.terminals[number]
        self.machine = machine
        self.terminal = terminal
        self.kind = terminal.kind
        # The role of a terminal follows from the state after it, and what it opens from the state
        # before it. Both are read here, before `reduce_unambiguous` reduces them.
        self.role = tables.leaf_roles[states[-1]]
        """The role that the terminal fills, or ""."""
        self.opens = tables.opening[states[-2]].get(number, "")
        """The call or section that opens with it, or ""."""
        self.closes_before = before
        """The roles that close before the terminal."""
        self.closes = machine.lalr.reduce_unambiguous(states)
        """The roles that close with it."""
        self.stack = tuple(states)
        self.begins = beginning(terminal)
        """Matches the beginning of a payload."""
        self.begun = begun(terminal)
        """Matches the end of a text that may become that; None if one character decides."""
        self.constants = terminal.fills(machine.tool_names)
        """The roles that it fills with a text of the header."""
        self.raw_alternative: Step | None = None
        """For a JSON payload, the step of the raw payload that is possible here as well; None if none is."""
        self.is_fallback = False
        """Whether it is such a raw payload, in place of a JSON value."""
        self.weight = len(terminal.text.strip()) if terminal.kind == "literal" else 0
        """The number of literal characters, as evidence that a call stands here."""
        self.cache: dict[Any, Any] = {}
        """The cache of functions of the step: see `caches.py`."""

    def pair(self, raw: Step | None) -> None:
        """Sets the raw payload that may stand in place of this JSON payload."""
        self.raw_alternative = raw
        if raw is not None:
            raw.stand_in()

    def stand_in(self) -> None:
        """Notes that this raw payload stands in place of a JSON value."""
        self.is_fallback = True

    @cached_property
    def node(self) -> Node:
        """The node to which the step leads, made on first use."""
        return self.machine.node(self.stack)

    def filled(self, match: re.Match[str], text: str) -> list[tuple[str, str]]:
        """Returns the roles that a token and its named groups fill, with their texts."""
        if not self.terminal.groups:
            return [(self.role, text)] if self.role else []
        parts = [(role, match[group]) for group, role in self.terminal.groups]
        # `KNOWN_TOOL` only requires that the name is known, and fills no role.
        found = [
            (role, part) for role, part in parts if part is not None and role != roles.KNOWN_TOOL
        ]
        if self.role and self.role not in dict(found):
            found.insert(0, (self.role, text))
        return found


class Machine:
    """The nodes of one grammar for one set of tool names."""

    def __init__(
        self, tables: Tables, tool_names: Iterable[str] = (), *, any_name: str = ""
    ) -> None:
        self.tables = tables
        self.lalr = Lalr(tables)
        # The longest names come first, so that `get_time` is not read as `get`.
        self.tool_names = tuple(sorted(tool_names, key=lambda name: (-len(name), name)))
        self.expressions = Expressions(self.tool_names, any_name)
        self.nodes: dict[tuple[int, ...], Node] = {}
        self.signs = Signs(
            tables.signs,
            self.tool_names,
            tables.call_closers,
            tables.result_openers,
            self._remains,
        )
        """The signs of this format's calls in a text."""
        self.whole_budget = RetryBudget()
        """The success of the shortcut for whole texts, in the last messages."""
        self.stream_budget = RetryBudget()
        """The success of the shortcut for streams, in the last messages."""
        self.start = self.node((0,))

    def node(self, stack: tuple[int, ...]) -> Node:
        """Returns the node of a stack, from the cache if it is there."""
        found = self.nodes.get(stack)
        if found is None:
            found = self.nodes[stack] = Node(self, stack)
        return found

    def _remains(self, signs: Iterable[str]) -> Remains:
        return remains_of(self.start, self.tables, signs, self.tool_names)

    def step(self, stack: tuple[int, ...], number: int) -> Step | None:
        """Returns the step of a terminal on a stack; None if the terminal may not come next."""
        shifted = self.lalr.shift(stack, number)
        return None if shifted is None else Step(self, number, *shifted)
