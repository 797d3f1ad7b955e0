"""Fuses the tokens between two payloads into one regular expression, learned from what is read.

The models of one format write nearly the same envelope each time. A *lane* is one such run of
tokens: from a node to the next payload, or back to text. Its expression matches exactly where the
node's own expressions, one after the other, would choose these tokens: every token is guarded
against the ones that the node prefers, and none is given back. Its marks say what the roles are.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from toolgrammar.core.machine import MAX_TOKEN
from toolgrammar.core.partial import first_characters, normalised
from toolgrammar.core.roles import ANY_JSON, RAW_LIKE
from toolgrammar.core.trim import NONE, ONE_NEWLINE

if TYPE_CHECKING:
    from toolgrammar.core.machine import Node
    from toolgrammar.core.steps import Step

SIGHTINGS = 2
"""How often a run is read before it is fused: an expression costs more than a message."""
MOST_LANES = 8
"""Lanes that one node keeps."""
_LONGEST = 16
"""Tokens of a run."""
_REMEMBERED = 64
"""Runs of a node that are counted."""

# What a mark does, in the order of the text.
NAME, ID, KEY = range(3)
UNIT, FIRST_UNIT, FIRST_KEY, SAME_NAME, SAME_KEY = range(3, 8)
END_CALL, END_ARGUMENT, BEGIN_GROUP, END_GROUP = range(8, 12)

_REPEATED = (SAME_NAME, SAME_KEY)
_OWN = ((NAME, SAME_NAME), (KEY, SAME_KEY))
_OPEN = (END_CALL, END_ARGUMENT, END_GROUP)

# What a lane does, but for ends of arguments and groups before it and behind it.
BY_MARKS, NOTHING, BEGINS, BEGINS_WITH_KEY, NEXT_KEY, ENDS = range(6)
WAYS = {
    (): NOTHING,
    (UNIT, NAME): BEGINS,
    (UNIT, NAME, FIRST_KEY, KEY): BEGINS_WITH_KEY,
    (FIRST_KEY, KEY): NEXT_KEY,
    (END_CALL,): ENDS,
}
_LEAF_MARKS = {"name": NAME, "id": ID, "key": KEY}
_JSON_STARTS = frozenset('"{[-0123456789tfn')
_ANY_JSON_START = r'["{\[\-0-9tfn]'
JSON_STARTS = {
    "JSON_OBJECT": r"\{",
    "TEMPLATE_OBJECT": r"\{",
    **dict.fromkeys(ANY_JSON, _ANY_JSON_START),
}
"""Payloads that are JSON as a rule, and what their text begins with."""
OBJECTS = ("JSON_OBJECT", "TEMPLATE_OBJECT")
"""Those that are an object and nothing else."""
SCANNED = ("PYTHON_ARGUMENTS", "BARE_OBJECT", "ELEMENTS")
"""Payloads that a scanner reads at once."""


class Lane:
    """One run of tokens: what it matches, what it means, where it leads."""

    __slots__ = (
        "before",
        "begins_group",
        "does_more",
        "ends_argument",
        "ends_group",
        "groups",
        "id",
        "is_typed",
        "marks",
        "match",
        "node",
        "object_only",
        "payload",
        "raw",
        "reads_arguments",
        "reads_value",
        "same",
        "scans",
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
    ) -> None:
        compiled = re.compile(pattern)
        self.match = compiled.match
        groups = compiled.groupindex
        self.marks = tuple((kind, groups[group]) for kind, group in _needed(marks, payload))
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
        self.object_only = payload is not None and payload.terminal.name in OBJECTS
        self.scans = payload is not None and payload.terminal.name in SCANNED
        self.reads_value = (
            payload is not None
            and payload.leaf == "value"
            and not payload.after
            and payload.terminal.name in RAW_LIKE
        )
        """Whether the payload is the raw value of an argument, and nothing ends with it."""
        self.is_typed = payload is not None and payload.terminal.name == "RAW"
        self.before = before
        """Whether a line end stands before the payload."""
        self.raw = node.end_of_raw(payload) if payload is not None else None
        """What ends the payload, where it is raw."""
        line_ends = before or (self.raw is not None and self.raw.closes_line)
        self.trim = ONE_NEWLINE if line_ends else NONE
        """What is taken off the payload, where it is raw and the header says nothing."""


def _repeats_itself(marks: tuple[tuple[int, int], ...]) -> bool:
    """Whether a closer repeats what the lane itself has read: it is compared after it."""
    kinds = [kind for kind, _ in marks]
    return any(same in kinds[kinds.index(read) :] for read, same in _OWN if read in kinds)


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


class Run:
    """The tokens of a run, as they were read."""

    __slots__ = ("nodes", "payload", "steps")

    def __init__(self) -> None:
        self.nodes: list[Node] = []
        self.steps: list[Step] = []
        self.payload: Step | None = None


def learn(node: Node, text: str, position: int, *, in_call: bool) -> Lane | None:
    """Reads the run that begins at `position`; makes its lane when it was seen often enough."""
    run = _read(node, text, position, in_call=in_call)
    if run is None or len(node.lanes) >= MOST_LANES:
        return None
    key = (*map(id, run.steps), id(run.payload))
    count = node.sightings.get(key, 0) + 1
    if len(node.sightings) >= _REMEMBERED:
        node.sightings.clear()
    node.sightings[key] = count
    if count != SIGHTINGS:
        return None
    lane = fuse(run)
    if lane is not None:
        node.lanes.append(lane)
    return lane


def _read(node: Node, text: str, position: int, *, in_call: bool) -> Run | None:
    """Walks token by token up to a payload or to text; None where the run is none for a lane."""
    run = Run()
    while len(run.steps) < _LONGEST:
        match = node.token.match(text, position)
        if match is None:
            run.payload = _payload(node, text, position)
            run.nodes.append(node)
            # Where a call has no closer of its own, what follows ends it.
            is_one = run.payload is not None or (in_call and node.accepts_text)
            return run if is_one and run.steps else None
        group = match.lastgroup
        assert group is not None
        step = node.steps[group]
        if match.end() - position > MAX_TOKEN:
            return None
        if node.accepts_text and in_call and "call" in step.before:
            return None
        run.nodes.append(node)
        run.steps.append(step)
        for role in (*step.before, *step.after):
            in_call = in_call and role != "call"
        if (step.leaf or step.terminal.groups) and "call" not in step.after:
            in_call = True
        position, node = match.end(), step.node
        if node.accepts_text and not in_call:
            if "call" in node.after_text[0]:
                return None  # a call without a name
            run.nodes.append(node)
            return run
    return None


def _payload(node: Node, text: str, position: int) -> Step | None:
    start = position
    if not node.exact:
        while start < len(text) and text[start].isspace():
            start += 1
    if start == len(text):
        return None
    raw = None
    for step in node.payloads:
        begins = _beginning(step)
        if begins is None:
            return None
        if begins and re.compile(rf"\s*(?:{begins})").match(text, start):
            return step
        if not begins:
            raw = raw or step
    return raw


def _beginning(payload: Step) -> str | None:
    """Writes what a payload begins with: nothing where it is raw, None where a lane can't lead."""
    name = payload.terminal.name
    if name in RAW_LIKE:
        return ""
    if name in SCANNED:
        return payload.begins.pattern
    return JSON_STARTS.get(name)


def fuse(run: Run) -> Lane | None:
    """Makes the lane of a run, or gives None where it has a role that needs the driver."""
    parts: list[str] = []
    marks: list[tuple[int, str]] = []
    beside = ""
    for number, step in enumerate(run.steps):
        group = f"g{number}"
        pattern, found = _piece(run.nodes[number], step, group)
        parts.append(pattern)
        marked = _marks(run, number, found, beside)
        if marked is None:
            return None
        marks.extend(marked)
        if not step.leaf:
            beside = group
        elif step.leaf == "name":
            beside = ""
    payload, end = run.payload, run.nodes[-1]
    if payload is not None:
        if payload.before:
            return None
        parts.append(_end(end, payload))
    before = "\n" in run.steps[-1].terminal.trail
    return Lane("".join(parts), marks, end, payload, before=before)


def _marks(
    run: Run, number: int, found: list[tuple[str, str]], beside: str
) -> list[tuple[int, str]] | None:
    """Lists what one token does; None where that needs the driver.

    Args:
        run: the run.
        number: the place of the token in it.
        found: groups of the token, each with the role that it fills.
        beside: the last token before that fills no role: raw arguments begin with it.
    """
    step, group = run.steps[number], f"g{number}"
    marks: list[tuple[int, str]] = []
    if step.constants or step.terminal.is_fence or step.terminal.is_mark:
        return None
    if not _closing(step.before, f"g{number - 1}" if number else "", marks):
        return None
    unit = _unit(run, number)
    if unit is not None:
        marks.append((unit, group))
    if step.opens in ("calls", "parallel"):
        marks.append((BEGIN_GROUP, group))
    elif step.opens not in ("", "call", "argument"):
        return None
    for name, role in found:
        mark = _LEAF_MARKS.get(role)
        if mark is None:
            return None
        if mark == KEY:
            marks.append((FIRST_KEY, beside or name))
        marks.append((mark, name))
    if step.kind == "same":
        marks.append((SAME_NAME if step.terminal.name == "SAME_NAME" else SAME_KEY, group))
    return marks if _closing(step.after, group, marks) else None


def _unit(run: Run, number: int) -> int | None:
    """Tells whether what may become a call begins with a token, and whether that is sure."""
    step = run.steps[number]
    begins = step.opens or "call" in step.before
    if number and "call" in run.steps[number - 1].after:
        begins = True
    if begins or (not number and run.nodes[0].accepts_text):
        return UNIT
    return None if number else FIRST_UNIT


def _closing(closed: tuple[str, ...], group: str, marks: list[tuple[int, str]]) -> bool:
    """Marks what closes with a group; tells whether that can be done without the driver."""
    for role in closed:
        mark = {"call": END_CALL, "argument": END_ARGUMENT}.get(role)
        if role in ("calls", "parallel"):
            mark = END_GROUP
        elif role in ("sequential", "result", "results"):
            return False
        if mark is None:
            continue
        if not group:
            return False
        marks.append((mark, group))
    return True


def _piece(node: Node, step: Step, group: str) -> tuple[str, list[tuple[str, str]]]:
    """Writes one token, guarded against the tokens that the node prefers, and lists its roles."""
    machine = node.machine
    whole = machine.pattern(step.terminal)
    names = {name: f"{group}_{place}" for place, (name, _) in enumerate(step.terminal.groups)}
    found = [(group, step.leaf)] if step.leaf else []
    found += [(names[name], role) for name, role in step.terminal.groups]
    preferred = []
    mine = first_characters(whole)
    for _, terminal in node.tokens:
        if terminal is step.terminal:
            break
        other = machine.tolerant(terminal)
        if terminal.kind == step.kind == "literal" and not whole.startswith(other):
            continue
        firsts = first_characters(other)
        if mine is None or firsts is None or mine & firsts:
            preferred.append(normalised(other, {}))
    guard = f"(?!{'|'.join(preferred)})" if preferred else ""
    token = f"{guard}(?P<{group}>(?>{normalised(whole, names)}))"
    if node.exact:
        return token, found
    if mine is not None and not any(map(str.isspace, mine)):
        return rf"\s*+{token}", found
    return rf"(?>\s*{token})", found  # the token may begin with white space itself


def _end(node: Node, payload: Step) -> str:
    """Writes where a payload begins: where the node takes no token, at the payload's first."""
    name = payload.terminal.name
    begins = _beginning(payload)
    guards = []
    for _, terminal in node.tokens:
        pattern = node.machine.pattern(terminal)
        firsts = first_characters(pattern)
        if name not in JSON_STARTS or firsts is None or firsts & _JSON_STARTS:
            guards.append(normalised(pattern, {}))
    if not begins:
        guards += (rf"\s*+(?:{start})" for start in map(_beginning, node.payloads) if start)
    guard = f"(?!{'|'.join(guards)})" if guards else ""
    if node.exact and begins:
        return rf"{guard}\s*+(?={begins})"  # only tokens and raw text begin at the very place
    blanks = "" if node.exact else r"\s*+"
    any_character = r"(?=[\s\S])"  # where the text ends the driver decides
    return f"{blanks}{guard}{f'(?={begins})' if begins else any_character}"
