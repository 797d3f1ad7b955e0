"""Turns LALR tables into nodes: one for each stack that the parser can reach, made on demand.

A node knows which terminals it takes, the one regular expression that reads any of them, and,
for each terminal, what happens (a `Step`): which calls and groups close, which role it fills, and
the next node. An envelope does not nest inside itself, so a grammar has few nodes, and after the
first messages parsing is a walk over ready nodes.

Example: the first node of a grammar with JSON in tags takes text and `<tool_call>`; the step of
that literal opens a call and leads to a node that takes `{"name"`.

Node, step and machine name each other, so they stand together here. What else is known of a node
(repairs, the end of a raw payload) is a function of it in its own module: see `kept.py`.
"""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING, Any, Final

from toolgrammar.core.evidence.signs import Signs
from toolgrammar.core.machine.damaged_calls import remains_of
from toolgrammar.core.machine.expressions import Expressions
from toolgrammar.core.machine.lalr import END, Lalr
from toolgrammar.core.machine.lost_openers import LostOpener, lost_openers, opens_nothing
from toolgrammar.core.machine.near_marks import NearOpener, near_openers
from toolgrammar.core.machine.payload_starts import beginning, begun
from toolgrammar.core.machine.relaxed_quotes import loose_pattern
from toolgrammar.core.machine.retry_budget import RetryBudget
from toolgrammar.grammar import roles
from toolgrammar.patterns.partial import BEGUN, MAX_TOKEN, any_of, partial, unnamed
from toolgrammar.values.patterns import compile_pattern

if TYPE_CHECKING:
    import re
    from collections.abc import Container, Iterable

    from toolgrammar.core.evidence.remains import Remains
    from toolgrammar.grammar.tables import Tables
    from toolgrammar.grammar.terminals import Terminal

LONGEST_OPENER = MAX_TOKEN + 64
"""Characters that an opener has at most, with what must follow one that is short."""
SHORT: Final = 64
"""Characters of an end of a text that may come again: markup, a name, a key."""
_BRACKET: Final = 2
"""Characters of a literal that any text may hold."""


def _blanks_before(node: Node) -> str:
    return "" if node.exact else r"\s{0,16}"


class Node:
    """One reachable stack of LALR states; its expressions are made when they are first asked for."""

    def __init__(self, machine: Machine, stack: tuple[int, ...]) -> None:
        self.machine = machine
        self.stack = stack
        self.steps: dict[str, Step] = {}
        """Group name in the node's expression, or name of the payload → step."""
        self.payloads: tuple[Step, ...] = ()
        self.tokens: list[tuple[str, Terminal]] = []
        self.end: tuple[str, ...] | None = None
        """Roles that close when the text ends here; None where it may not end."""
        self.exact = False
        """Whether white space counts here, so that none is skipped before a token."""
        self.accepts_text = False
        self.after_text: tuple[tuple[str, ...], tuple[int, ...]] = ((), stack)
        """What closes when text follows, and the stack then."""
        self.skipping = self.closes_group = False
        """Whether text is left out here, and whether it ends a section."""
        self.kept: dict[Any, Any] = {}
        """What is known of the node besides: see `kept`."""
        self._fill()

    def _fill(self) -> None:
        tables = self.machine.tables
        payloads = []
        for number in sorted(tables.actions[self.stack[-1]]):
            if number == END:
                self.end = self.machine.lalr.end_of(self.stack)
                continue
            terminal = tables.terminals[number]
            # Text is no token of the expression. Its own state is left off the stack, so that the
            # node is the same between two pieces of text.
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
        self.takes_arguments = any(step.leaf == "arguments" for step in payloads)
        self._pair()
        # White space before raw text is a part of it.
        self.exact = any(step.terminal.name in roles.RAW_LIKE for step in payloads)
        # `re` takes the first branch that matches: a keyword has to stand before a name, and
        # punctuation, which may begin either, behind both.
        self.tokens.sort(
            key=lambda pair: (-pair[1].priority, rank_of_kind(pair[1]), -pair[1].rank, pair[0])
        )

    def _pair(self) -> None:
        """Pairs each JSON payload with the raw one that means the same."""
        # The same roles and the same stack behind it: only the text tells JSON from raw text.
        raws = {
            (step.leaf, step.before, step.after, step.stack): step
            for step in self.payloads
            if step.terminal.name in roles.RAW_LIKE
        }
        for step in self.payloads if raws else ():
            if step.terminal.name in roles.STRICT_JSON:
                step.pair(raws.get((step.leaf, step.before, step.after, step.stack)))

    @property
    def takes_colon(self) -> bool:
        """Whether the colon behind a key is wanted."""
        return any(terminal.text.strip() == ":" for _, terminal in self.tokens)

    @cached_property
    def token(self) -> re.Pattern[str]:
        """Reads one token, with the white space before it where that does not count."""
        return self.token_without(frozenset())

    def token_without(self, left_out: Container[str]) -> re.Pattern[str]:
        """Returns what reads one token that is none of these groups."""
        tokens = (pair for pair in self.tokens if pair[0] not in left_out)
        body = "|".join(
            f"(?P<{group}>{self.machine.expressions.tolerant(each)})" for group, each in tokens
        )
        return compile_pattern(
            # An expression without branches would match everywhere: `(?!)` matches nowhere.
            r"(?!)" if not body else f"(?:{body})" if self.exact else rf"\s*(?:{body})"
        )

    @cached_property
    def beginnings(self) -> re.Pattern[str]:
        """Matches what may still become a token of this node, up to the end of the text."""
        parts = [b for _, t in self.tokens if (b := self.machine.expressions.partial(t))]
        # Also of a key in other quotes: cut behind `'na`, a stream would take it for damage.
        loose = [pattern for _, t in self.tokens if (pattern := loose_pattern(t))]
        parts += [begun for pattern in loose if (begun := partial(pattern))]
        body = any_of(parts)
        return compile_pattern(rf"(?:{body})\Z" if self.exact else rf"\s*(?:{body})\Z")

    @cached_property
    def opener(self) -> re.Pattern[str]:
        """Finds the next place in text where a call, group or section may open."""
        return compile_pattern(any_of(self.openers()))

    @cached_property
    def opener_beginnings(self) -> re.Pattern[str]:
        """Finds the tail of the text that may become an opener."""
        return compile_pattern(rf"(?:{any_of(begin for _, begin in self.opener_pairs())})\Z")

    @cached_property
    def near_openers(self) -> tuple[NearOpener | LostOpener, ...]:
        """What resembles an opener, or stands behind one that is missing."""
        near = near_openers(self.tokens, lambda group: self.steps[group].node.following())
        return (*near, *lost_openers(self))

    def following(self) -> str:
        """Writes what must follow a misspelt opener; behind a bracket what stands there, too."""
        options = []
        expressions = self.machine.expressions
        for group, terminal in self.tokens:
            pattern, step = expressions.pattern(terminal), self.steps[group]
            # A bracket stands in any text; with what the grammar has behind it, it tells.
            if terminal.kind == "literal" and step.weight <= _BRACKET:
                second = "|".join(expressions.pattern(each) for _, each in step.node.tokens)
                pattern = rf"{pattern}\s{{0,16}}(?:{second})" if second else "(?!)"
            options.append(unnamed(pattern))
        return rf"\s{{0,16}}(?:{any_of(options)})"

    @cached_property
    def entry(self) -> re.Pattern[str]:
        """Finds the next place where text may end: an opener, or what resembles one."""
        near = (each.unnamed for each in self.near_openers)
        return compile_pattern(any_of((*self.openers(), *near)))

    @cached_property
    def entry_beginnings(self) -> re.Pattern[str]:
        """Finds the tail of the text that may become that."""
        begins = [begin for _, begin in self.opener_pairs()]
        begins += [partial(each.unnamed) or "" for each in self.near_openers]
        return compile_pattern(rf"(?:{any_of(begins)})\Z")

    @cached_property
    def entry_or_begun(self) -> re.Pattern[str]:
        """Finds the first place of either; the group `BEGUN` names the latter."""
        return compile_pattern(f"{self.entry.pattern}|{self.entry_beginnings.pattern}(?P<{BEGUN}>)")

    def begun_entry(self, text: str, position: int, end: int) -> int:
        """Returns where what may become an entry begins before an index; -1 where none does.

        Args:
            text: the text so far.
            position: where to look from.
            end: where one stands already, or the end of the text.
        """
        # What is longer than any opener becomes none, so the tail is all that has to be searched.
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
        """Returns the expressions of what may open in text.

        An opener that alone is too short to be evidence is lengthened by what follows it.
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
        """Returns what may open in text, each with its beginnings (or an empty string)."""
        begins = []
        for group, terminal in self.tokens:
            begin, following = self.machine.expressions.partial(terminal), self.steps[group].node
            if self._is_short_opener(group, terminal):
                parts = (self.machine.expressions.partial(each) for _, each in following.tokens)
                second = "|".join(part for part in parts if part)
                whole = f"{self.machine.expressions.pattern(terminal)}{_blanks_before(following)}"
                # `[` alone opens nothing, but is held back: with a name behind it, it is an opener.
                begin = f"{begin}|{whole}(?:{second})?" if begin else f"{whole}(?:{second})?"
            begins.append(begin)
        return list(zip(self.openers(), begins, strict=True))

    def _is_short_opener(self, group: str, terminal: Terminal) -> bool:
        step = self.steps[group]
        return terminal.kind == "literal" and step.weight < 3 and bool(step.node.tokens)


def rank_of_kind(terminal: Terminal) -> int:
    """Orders the kinds of terminals: a keyword before a pattern, bare punctuation after both."""
    if terminal.kind == "regex":
        return 1
    text = terminal.text.strip()
    bare = terminal.kind == "literal" and len(text) < 3 and not any(c.isalnum() for c in text)
    return 2 if bare else 0


class Step:
    """What reading one terminal in one node does."""

    def __init__(
        self,
        machine: Machine,
        terminal: Terminal,
        *,
        leaf: str,
        opens: str,
        before: tuple[str, ...],
        after: tuple[str, ...],
        stack: tuple[int, ...],
    ) -> None:
        self.machine = machine
        self.terminal = terminal
        self.kind = terminal.kind
        self.leaf = leaf
        """The role that the terminal fills."""
        self.opens = opens
        """The structure that opens with it."""
        self.before = before
        """Roles that close before the terminal."""
        self.after = after
        """Roles that close with it."""
        self.stack = stack
        self.begins = beginning(terminal)
        """How a payload begins."""
        self.begun = begun(terminal)
        """What may yet become that; None where one character tells."""
        self.constants = terminal.fills(machine.tool_names)
        """Roles that it fills with a text of the header."""
        self.otherwise: Step | None = None
        """What a JSON payload is where it is no JSON: the raw payload that may stand there too."""
        self.is_fallback = False
        """Whether it is such a raw payload: what it reads should have been JSON."""
        self.weight = len(terminal.text.strip()) if terminal.kind == "literal" else 0
        """Literal characters: evidence that what stands here is a call."""
        self.kept: dict[Any, Any] = {}
        """What is known of the step besides: see `kept`."""

    def pair(self, raw: Step | None) -> None:
        """Notes the raw payload that means the same as this one of JSON."""
        self.otherwise = raw
        if raw is not None:
            raw.stand_in()

    def stand_in(self) -> None:
        """Notes that what this raw payload reads should have been JSON."""
        self.is_fallback = True

    @cached_property
    def node(self) -> Node:
        """The node that the step leads to, made when it is first asked for."""
        return self.machine.node(self.stack)

    def filled(self, match: re.Match[str], text: str) -> list[tuple[str, str]]:
        """Returns the roles that the token fills, with their texts; a part of a name replaces it."""
        if not self.terminal.groups:
            return [(self.leaf, text)] if self.leaf else []
        parts = [(role, match[group]) for group, role in self.terminal.groups]
        # `KNOWN_TOOL` asks whether the name is known and fills nothing.
        found = [
            (role, part) for role, part in parts if part is not None and role != roles.KNOWN_TOOL
        ]
        if self.leaf and self.leaf not in dict(found):
            found.insert(0, (self.leaf, text))
        return found


class Machine:
    """The nodes of one grammar for one set of tool names."""

    def __init__(
        self, tables: Tables, tool_names: Iterable[str] = (), *, any_name: str = ""
    ) -> None:
        self.tables = tables
        self.lalr = Lalr(tables)
        # The longest first, so that `get_time` is not read as `get`.
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
        """What shows in text that a call was written there."""
        self.whole_budget = RetryBudget()
        """Whether messages that need no driver are."""
        self.stream_budget = RetryBudget()
        """Whether streams that need none are."""
        self.start = self.node((0,))

    def node(self, stack: tuple[int, ...]) -> Node:
        """Returns the one node of a stack."""
        found = self.nodes.get(stack)
        if found is None:
            found = self.nodes[stack] = Node(self, stack)
        return found

    def _remains(self, signs: Iterable[str]) -> Remains:
        return remains_of(self.start, self.tables, signs, self.tool_names)

    def step(self, stack: tuple[int, ...], number: int) -> Step | None:
        """Works out what reading a terminal on this stack does; None where it may not stand."""
        shifted = self.lalr.shift(stack, number)
        if shifted is None:
            return None
        states, before = list(shifted[0]), shifted[1]
        # A terminal's role is known by the state behind it, what opens by the one before it; both
        # are gone when the states are reduced.
        leaf = self.tables.leaf_roles[states[-1]]
        opens = self.tables.opening[states[-2]].get(number, "")
        after = self.lalr.settle(states)
        return Step(
            self,
            self.tables.terminals[number],
            leaf=leaf,
            opens=opens,
            before=before,
            after=after,
            stack=tuple(states),
        )
