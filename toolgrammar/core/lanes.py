"""Says what the tokens between two payloads do, fused into one regular expression.

The models of one format write nearly the same envelope each time. A *lane* is one such run of
tokens: from a node to the next payload, or back to text. Its marks say what the roles are.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final, NamedTuple

from toolgrammar.core.roles import RAW_LIKE
from toolgrammar.core.trim import NONE, ONE_NEWLINE
from toolgrammar.values.patterns import compile_pattern

if TYPE_CHECKING:
    from toolgrammar.core.machine import Node
    from toolgrammar.core.quick_search import Search
    from toolgrammar.core.steps import Step

# What a mark does, in the order of the text.
NAME, ID, KEY = range(3)
UNIT, FIRST_UNIT, FIRST_KEY, SAME_NAME, SAME_KEY = range(3, 8)
END_CALL, END_ARGUMENT, BEGIN_GROUP, END_GROUP = range(8, 12)

_REPEATED = (SAME_NAME, SAME_KEY)
_OWN = ((NAME, SAME_NAME), (KEY, SAME_KEY))
_OPEN = (END_CALL, END_ARGUMENT, END_GROUP)

# What a lane does, but for ends of arguments and groups before it and behind it; the last two end
# a call.
BY_MARKS, NOTHING, BEGINS, BEGINS_WITH_KEY, NEXT_KEY, ENDS, NEXT_CALL = range(7)
WAYS = {
    (): NOTHING,
    (UNIT, NAME): BEGINS,
    (UNIT, NAME, FIRST_KEY, KEY): BEGINS_WITH_KEY,
    (FIRST_KEY, KEY): NEXT_KEY,
    (END_CALL,): ENDS,
    (END_CALL, UNIT, NAME): NEXT_CALL,
}
OBJECTS = ("JSON_OBJECT", "TEMPLATE_OBJECT")
"""Those that are an object and nothing else."""
SCANNED = ("PYTHON_ARGUMENTS", "BARE_OBJECT", "ELEMENTS")
"""Payloads that a scanner reads at once."""
WHOLE_MATCH: Final = "whole"
"""The group of a mark that ends where its lane does."""
_TOKEN_GROUP: Final = re.compile(r"\(\?P<(g\d+)>")


class Landmark(NamedTuple):
    """What stands behind all arguments of a call, and in few of them."""

    text: str
    braces: int
    """Closing braces before it that are none of the arguments'."""


class Lane:
    """One run of tokens: what it matches, what it means, where it leads."""

    __slots__ = (
        "before",
        "begins_group",
        "does_more",
        "ender",
        "ends_argument",
        "ends_group",
        "ends_section",
        "ends_values",
        "find_end",
        "following",
        "goes_on",
        "groups",
        "id",
        "is_typed",
        "landmark",
        "marks",
        "match",
        "node",
        "opens_values",
        "payload",
        "raw",
        "reads_arguments",
        "reads_value",
        "same",
        "scans",
        "skips_blanks",
        "trim",
        "way",
    )

    def __init__(
        self,
        pattern: str,
        marks: list[tuple[int, str]],
        node: Node,
        payload: Step | None,
        *,
        before: bool,
        landmark: Landmark | None,
    ) -> None:
        needed = _needed(marks, payload)
        compiled = compile_pattern(_capturing(pattern, {group for _, group in needed}))
        self.match = compiled.match
        groups = {**compiled.groupindex, WHOLE_MATCH: 0}
        self.marks = tuple((kind, groups[group]) for kind, group in needed)
        """Kinds and groups, in the order of the text."""
        self.same = tuple(mark for mark in self.marks if mark[0] in _REPEATED)
        """What has to repeat the name of the call or the key of the argument that is open."""
        self.id = max((group for kind, group in self.marks if kind == ID), default=0)
        """The group of an id, or 0."""
        rest = [mark for mark in self.marks if mark[0] not in (ID, *_REPEATED)]
        self.ends_argument = rest.pop(0)[1] if rest and rest[0][0] == END_ARGUMENT else 0
        """The group where an argument ends before all else, or 0."""
        self.begins_group = bool(rest) and rest[0][0] == BEGIN_GROUP
        rest = rest[self.begins_group :]
        self.ends_group = bool(rest) and rest[-1][0] == END_GROUP
        rest = rest[: len(rest) - self.ends_group]
        usual = WAYS.get(tuple(kind for kind, _ in rest), BY_MARKS)
        self.way = BY_MARKS if _repeats_itself(self.marks) else usual
        """What the lane does besides, where that is one of the usual things."""
        self.groups = tuple(group for _, group in rest)
        self.does_more = bool(self.same or self.ends_argument or self.begins_group)
        """Whether it repeats a name, ends an argument or begins a group besides."""
        self.node = node
        """The node behind the run; of a run up to a payload, the one that takes the payload."""
        self.payload = payload
        self.reads_arguments = (
            payload is not None
            and payload.leaf == "arguments"
            and payload.after in ((), ("call",))
            and payload.terminal.name not in RAW_LIKE
        )
        """Whether the payload is all arguments and not raw, and at most the call ends with it."""
        self.scans = payload is not None and payload.terminal.name in SCANNED
        self.reads_value = payload is not None and _is_raw_value(payload)
        """Whether the payload is the raw value of an argument, and nothing ends with it."""
        self.is_typed = payload is not None and payload.terminal.name == "RAW"
        self.landmark = landmark
        """The first literal of the run that is no bracket, where nothing but brackets is before."""
        self.before = before
        """Whether a line end stands before the payload."""
        raw = self.raw = node.end_of_raw(payload) if payload is not None else None
        """What ends the payload, where it is raw."""
        self.skips_blanks = raw is not None and raw.solid is not None
        """Whether the closer may begin with white space."""
        self.trim = ONE_NEWLINE if before or (raw is not None and raw.closes_line) else NONE
        """What is taken off the payload, where it is raw and the header says nothing."""
        self._tell()

    def _tell(self) -> None:
        """Notes what is asked of every lane of a call with one raw value after the other."""
        payload, raw = self.payload, self.raw
        self.find_end: Search | None = None
        """Finds what ends the payload, without white space that the closer may begin with."""
        if raw is not None:
            self.find_end = raw.find_solid or raw.find
        self.ender: tuple[Search, frozenset[str]] | None = None
        """Finds what ends the payload, and which groups of it do; None where more is asked."""
        if raw is not None and raw.solid is None:
            groups = raw.search.groupindex  # what is asked next is known once that is made
            if not (raw.repeats or raw.call_closes_alone):
                closers = frozenset(name for name in groups if name.startswith("closer_"))
                self.ender = (raw.find, closers)
        is_usual = not (self.same or self.id)
        has_value = is_usual and self.reads_value and not self.ends_group
        self.following = [] if payload is None else payload.node.lanes
        """The lanes behind the payload."""
        if payload is not None and payload.node.accepts_text:
            has_value = False  # the call may end there
        self.opens_values = has_value and self.way == BEGINS_WITH_KEY and not self.ends_argument
        """Whether it names a call and leads to its first value; it may begin a section before."""
        self.goes_on = has_value and self.way == NEXT_KEY and not self.begins_group
        """Whether it leads from a value to the next one."""
        ends = is_usual and payload is None
        self.ends_values = ends and self.way == ENDS and not self.begins_group
        """Whether it leads from the last value of a call to text; it may end a section, too."""
        self.ends_section = ends and self.way == NOTHING and self.ends_group and not self.does_more
        """Whether it does nothing but end a section."""

    @property
    def opens_call(self) -> bool:
        """Whether it names a call and leads to all its arguments; it may begin a section before.

        What is more, the arguments end soundly: with a closer behind them, or the call with them.
        """
        payload = self.payload
        if payload is None or self.way != BEGINS or not self.reads_arguments:
            return False
        if self.same or self.ends_argument or self.ends_group:
            return False
        if payload.after:
            return payload.node.accepts_text and not self.begins_group
        return not payload.node.accepts_text

    @property
    def ends_call(self) -> bool:
        """Whether it leads from the arguments of a call to text; it may end a section, too."""
        does_more = self.same or self.ends_argument or self.id or self.begins_group
        return self.payload is None and self.way == ENDS and not does_more


def end_of_section(node: Node, text: str, position: int) -> tuple[Node, int] | None:
    """Gives the node and the place behind the end of a section; None where another lane matches."""
    for lane in node.lanes:
        match = lane.match(text, position)
        if match is not None:
            return (lane.node, match.end()) if lane.ends_section else None
    return None


def _is_raw_value(payload: Step) -> bool:
    is_value = payload.leaf == "value" and not payload.after
    return is_value and payload.terminal.name in RAW_LIKE


def _repeats_itself(marks: tuple[tuple[int, int], ...]) -> bool:
    """Whether a closer repeats what the lane itself has read: it is compared after it."""
    kinds = [kind for kind, _ in marks]
    return any(same in kinds[kinds.index(read) :] for read, same in _OWN if read in kinds)


def _capturing(pattern: str, needed: set[str]) -> str:
    """Lets the tokens of a run capture that a mark asks for, and no other: each costs time."""
    return _TOKEN_GROUP.sub(lambda group: group[0] if group[1] in needed else "(?:", pattern)


def _needed(marks: list[tuple[int, str]], payload: Step | None) -> list[tuple[int, str]]:
    """Leaves out what has no effect.

    That is where a call may begin, if the call is open, begins later or not here; and a name that
    a part of it replaces.
    """
    needed: list[tuple[int, str]] = []
    following = END_GROUP if payload is None else None
    for kind, group in reversed(marks):
        if kind in (UNIT, FIRST_UNIT) and following in (UNIT, *_OPEN, *_REPEATED):
            continue
        if kind == NAME == following:
            continue
        if kind != BEGIN_GROUP:
            following = kind
        needed.append((kind, group))
    return needed[::-1]
