"""Turns LALR tables into nodes: one for each stack that the parser can reach, made on demand.

A node knows which terminals it takes, the one regular expression that reads any of them, and,
for each terminal, what happens: which calls and groups close, which role it plays, and the next
node. An envelope does not nest inside itself, so a grammar has few nodes, and after the first
messages parsing is a walk over ready nodes.
"""

from __future__ import annotations

import re
from functools import cached_property
from typing import TYPE_CHECKING

from toolgrammar.core import fences, marks, roles
from toolgrammar.core.beginnings import first_characters, literal_start, without
from toolgrammar.core.found_tokens import remembered_tokens
from toolgrammar.core.loose import alike_pattern, loose_pattern
from toolgrammar.core.misspelt import NearOpener, near_openers
from toolgrammar.core.partial import BEGUN, partial
from toolgrammar.core.patience import Patience
from toolgrammar.core.raw_end import RawEnd
from toolgrammar.core.repairs import Repairs, Strays
from toolgrammar.core.scanners import beginning
from toolgrammar.core.steps import Step, rank_of_kind
from toolgrammar.core.unread import Signs
from toolgrammar.values.patterns import compile_pattern, late

if TYPE_CHECKING:
    from collections.abc import Container, Iterable

    from toolgrammar.core.found_tokens import Found
    from toolgrammar.core.lanes import Lane
    from toolgrammar.core.remembered import Remembered
    from toolgrammar.core.tables import Tables, Terminal

END = -1
MAX_TOKEN = 1024
"""Characters that a name, key or other scanned token of the envelope may have."""
LONGEST_OPENER = MAX_TOKEN + 64
"""Characters that an opener has at most, with what must follow one that is short."""
_GROUP = late(r"\(\?P<\w+>")
_LANDMARK = 5
"""Characters of a literal that is taken for markup wherever it stands."""
_WORD = r"[^\s<>\"'/]{1,256}"
IDENTIFIER = _WORD + r"(?=[\s<>\"'/])"
_REPEATED = {
    "SAME_FENCE": (fences.CLOSING, fences.CLOSING_BEGINNINGS),
    "SAME_MARK": (marks.CLOSING, marks.CLOSING_BEGINNINGS),
}
"""The expressions of what is repeated and is no name or key, each with that of its beginnings."""


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
        self.raw_end: dict[str, RawEnd] = {}
        self.lanes: list[Lane] = []
        """Runs of tokens from here that were seen before, each fused into one expression."""
        self.sightings: dict[tuple[int, ...], int] = {}
        self._fill()

    def _fill(self) -> None:
        tables = self.machine.tables
        payloads = []
        for number in sorted(tables.actions[self.stack[-1]]):
            if number == END:
                self.end = self.machine.end_of(self.stack)
                continue
            terminal = tables.terminals[number]
            if terminal.name in roles.TEXT_LIKE:
                shifted = self.machine.shift(self.stack, number)
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
        payloads.sort(key=lambda step: roles.breadth(step.terminal.name))
        self.payloads = tuple(payloads)
        self.takes_arguments = any(step.leaf == "arguments" for step in payloads)
        self._pair()
        self.exact = any(step.terminal.name in roles.RAW_LIKE for step in payloads)
        self.tokens.sort(
            key=lambda pair: (-pair[1].priority, rank_of_kind(pair[1]), -pair[1].rank, pair[0])
        )

    def _pair(self) -> None:
        """Tells each JSON payload which raw one means the same as it."""
        raws = {
            (step.leaf, step.before, step.after, step.stack): step
            for step in self.payloads
            if step.terminal.name in roles.RAW_LIKE
        }
        for step in self.payloads if raws else ():
            if step.terminal.name in roles.STRICT_JSON:
                step.otherwise = raws.get((step.leaf, step.before, step.after, step.stack))

    @property
    def takes_colon(self) -> bool:
        """Whether the colon behind a key is wanted."""
        return any(terminal.text.strip() == ":" for _, terminal in self.tokens)

    @cached_property
    def token(self) -> re.Pattern[str]:
        """Reads one token, with the white space before it where that does not count."""
        return self.token_without(frozenset())

    def token_without(self, left_out: Container[str]) -> re.Pattern[str]:
        """Gives what reads one token that is none of these groups."""
        tokens = (pair for pair in self.tokens if pair[0] not in left_out)
        body = "|".join(f"(?P<{group}>{self.machine.tolerant(each)})" for group, each in tokens)
        return compile_pattern(
            r"(?!)" if not body else f"(?:{body})" if self.exact else rf"\s*(?:{body})"
        )

    @cached_property
    def beginnings(self) -> re.Pattern[str]:
        """Matches what may still become a token of this node, up to the end of the text."""
        parts = [b for _, t in self.tokens if (b := self.machine.partial(t))]
        loose = [pattern for _, t in self.tokens if (pattern := loose_pattern(t))]
        parts += [begun for pattern in loose if (begun := partial(pattern))]
        body = "|".join(parts) or "(?!)"
        return compile_pattern(rf"(?:{body})\Z" if self.exact else rf"\s*(?:{body})\Z")

    @cached_property
    def found(self) -> Remembered[Found]:
        """Reads the token behind the first character of a short text."""
        return remembered_tokens(self)

    @cached_property
    def opener(self) -> re.Pattern[str]:
        """Finds the next place in text where a call, group or section may open."""
        return compile_pattern("|".join(self.openers()) or "(?!)")

    @cached_property
    def opener_beginnings(self) -> re.Pattern[str]:
        """Finds the tail of the text that may become an opener."""
        body = "|".join(begin for _, begin in self.opener_pairs() if begin) or "(?!)"
        return compile_pattern(rf"(?:{body})\Z")

    @cached_property
    def near_openers(self) -> tuple[NearOpener, ...]:
        """What resembles an opener; whether it is a misspelt one, `is_near` says."""
        return tuple(near_openers(self))

    @cached_property
    def entry(self) -> re.Pattern[str]:
        """Finds the next place where text may end: an opener, or what resembles one."""
        near = (each.unnamed for each in self.near_openers)
        return compile_pattern("|".join((*self.openers(), *near)) or "(?!)")

    @cached_property
    def entry_beginnings(self) -> re.Pattern[str]:
        """Finds the tail of the text that may become that."""
        begins = [begin for _, begin in self.opener_pairs() if begin]
        begins += [begin for each in self.near_openers if (begin := partial(each.unnamed))]
        return compile_pattern(rf"(?:{'|'.join(begins) or '(?!)'})\Z")

    @cached_property
    def entry_or_begun(self) -> re.Pattern[str]:
        """Finds the first place of either; the group `BEGUN` names the latter."""
        return compile_pattern(f"{self.entry.pattern}|{self.entry_beginnings.pattern}(?P<{BEGUN}>)")

    def begun_entry(self, text: str, position: int, end: int) -> int:
        """Gives where what may become an entry begins before an index; -1 where none does.

        Args:
            text: the text so far.
            position: where to look from.
            end: where one stands already, or the end of the text.
        """
        far = len(text) - LONGEST_OPENER
        if end < far:
            return -1
        begun = self.entry_beginnings.search(text, max(position, far))
        return begun.start() if begun is not None and begun.start() < end else -1

    @cached_property
    def plain(self) -> re.Pattern[str]:
        """Matches a chunk of text in which nothing can open."""
        parts = self.openers()
        return without(first_characters("|".join(parts)) if parts else None)

    def openers(self) -> list[str]:
        """Gives the expressions of what may open in text.

        An opener that alone is too short to be evidence is lengthened by what follows it.
        """
        found = []
        for group, terminal in self.tokens:
            whole, following = self.machine.pattern(terminal), self.steps[group].node
            if self._is_short_opener(group, terminal):
                second = "|".join(self.machine.pattern(t) for _, t in following.tokens)
                whole = f"{whole}(?={_blanks_before(following)}(?:{second}))"
            found.append(_GROUP.sub("(?:", whole))  # a group may stand there twice
        return found

    def opener_pairs(self) -> list[tuple[str, str]]:
        """Gives what may open in text, each with its beginnings (or an empty string)."""
        begins = []
        for group, terminal in self.tokens:
            begin, following = self.machine.partial(terminal), self.steps[group].node
            if self._is_short_opener(group, terminal):
                parts = (self.machine.partial(each) for _, each in following.tokens)
                second = "|".join(part for part in parts if part)
                whole = f"{self.machine.pattern(terminal)}{_blanks_before(following)}"
                begin = f"{begin}|{whole}(?:{second})?" if begin else f"{whole}(?:{second})?"
            begins.append(begin)
        return list(zip(self.openers(), begins, strict=True))

    def _is_short_opener(self, group: str, terminal: Terminal) -> bool:
        step = self.steps[group]
        return terminal.kind == "literal" and step.weight < 3 and bool(step.node.tokens)

    @cached_property
    def landmarks(self) -> re.Pattern[str] | None:
        """Finds the tokens of the node that are no words of prose; None where it has none."""
        found = [
            self.machine.pattern(terminal)
            for _, terminal in self.tokens
            if terminal.kind in ("literal", "regex")
            and len(literal_start(terminal.pattern).strip()) >= _LANDMARK
        ]
        return compile_pattern("|".join(found)) if found else None

    @cached_property
    def repairs(self) -> Repairs:
        """Says what can be put in where the text does not fit."""
        return Repairs(self)

    @cached_property
    def strays(self) -> Strays:
        """Finds closers that stand in text directly behind a call or a section."""
        return Strays(self)

    def end_of_raw(self, step: Step) -> RawEnd:
        """Gives what ends a raw payload that begins in this node."""
        key = step.terminal.name
        found = self.raw_end.get(key)
        if found is None:
            found = self.raw_end[key] = RawEnd(step.node, step.leaf)
        return found


class Machine:
    """The nodes of one grammar for one set of tool names."""

    def __init__(self, tables: Tables, tool_names: Iterable[str] = ()) -> None:
        self.tables = tables
        self.tool_names = tuple(sorted(tool_names, key=lambda name: (-len(name), name)))
        self.nodes: dict[tuple[int, ...], Node] = {}
        self.signs = Signs(tables.signs, self.tool_names, tables.call_closers)
        """What shows in text that a call was written there."""
        self.straight = Patience()
        """Whether messages that need no driver are."""
        self.sound = Patience()
        """Whether streams that need none are."""
        self.start = self.node((0,))

    def node(self, stack: tuple[int, ...]) -> Node:
        """Gives the one node of a stack."""
        found = self.nodes.get(stack)
        if found is None:
            found = self.nodes[stack] = Node(self, stack)
        return found

    def pattern(self, terminal: Terminal) -> str:
        """Gives the regular expression of a terminal, and of spellings that are like its own."""
        return alike_pattern(terminal) or self.exact(terminal)

    def exact(self, terminal: Terminal) -> str:
        """Gives the regular expression of a terminal, with the known tools filled in.

        That of a payload is of what it begins with.
        """
        if terminal.kind == "payload":
            return beginning(terminal).pattern
        if terminal.kind == "tool":
            return (
                "(?:" + "|".join(map(re.escape, self.tool_names)) + ")"
                if self.tool_names
                else "(?!)"
            )
        if terminal.kind == "same":
            return _REPEATED.get(terminal.name, (IDENTIFIER, ""))[0]
        return terminal.pattern if terminal.is_read(self.tool_names) else "(?!)"

    def tolerant(self, terminal: Terminal) -> str:
        """Gives the regular expression of a terminal and of other ways to quote it."""
        pattern = self.pattern(terminal)
        loose = loose_pattern(terminal)
        return f"{pattern}|{loose}" if loose else pattern

    def partial(self, terminal: Terminal) -> str:
        """Gives the expression of the beginnings of a terminal."""
        if terminal.kind == "tool":
            return "|".join(p for name in self.tool_names if (p := partial(re.escape(name))))
        if terminal.kind == "same":
            return _REPEATED.get(terminal.name, ("", _WORD))[1]
        if alike := alike_pattern(terminal):
            return partial(alike) or ""
        return terminal.partial if terminal.is_read(self.tool_names) else ""

    def shift(
        self, stack: tuple[int, ...], number: int
    ) -> tuple[tuple[int, ...], tuple[str, ...]] | None:
        """Follows the reductions before a terminal; gives the stack after it and what closed."""
        tables = self.tables
        states = list(stack)
        closed: list[str] = []
        for _ in range(10_000):
            action = tables.actions[states[-1]].get(number)
            if action is None:
                return None
            if action[0] == 0:
                if number == END:
                    return tuple(states), tuple(closed)
                states.append(action[1])
                return tuple(states), tuple(closed)
            if not self._reduce(states, action[1], closed):
                return None
        return None

    def _reduce(self, states: list[int], rule: int, closed: list[str]) -> bool:
        origin, length, role = self.tables.rules[rule]
        if length:
            del states[-length:]
        if role:
            closed.append(role)
        target = self.tables.gotos[states[-1]].get(origin)
        if target is None:
            return False
        states.append(target)
        return True

    def end_of(self, stack: tuple[int, ...]) -> tuple[str, ...] | None:
        """Gives the roles that close when the text ends on this stack, or None if it may not."""
        result = self.shift(stack, END)
        return None if result is None else result[1]

    def step(self, stack: tuple[int, ...], number: int) -> Step | None:
        """Works out what reading a terminal on this stack does."""
        shifted = self.shift(stack, number)
        if shifted is None:
            return None
        states = list(shifted[0])
        step = Step(self, self.tables.terminals[number])
        step.before = shifted[1]
        step.leaf = self.tables.leaf_roles[states[-1]]
        step.opens = self._opens(shifted[0][:-1], number)
        closed: list[str] = []
        # A state that can only reduce, does so at once: a call ends with its last character.
        while True:
            row = self.tables.actions[states[-1]]
            targets = set(row.values())
            if len(targets) != 1:
                break
            kind, rule = next(iter(targets))
            if kind == 0 or not self._reduce(states, rule, closed):
                break
        step.after = tuple(closed)
        step.stack = tuple(states)
        return step

    def _opens(self, stack: tuple[int, ...], number: int) -> str:
        return self.tables.opening[stack[-1]].get(number, "")
