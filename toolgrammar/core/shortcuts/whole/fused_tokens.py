"""Says what the tokens between two payloads do, fused into one regular expression.

The models of one format write nearly the same envelope each time. A *fused run* is one such run of
tokens: from a node to the next payload, or back to text. Its marks say what the roles are.
Example: the run `<tool_call>{"name": "` … `", "arguments": ` has one mark, the name.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from toolgrammar.core.payloads.raw.named_end import end_of_raw
from toolgrammar.grammar.payload_kinds import PAYLOADS
from toolgrammar.patterns.trim import NONE, ONE_NEWLINE
from toolgrammar.values.patterns import compile_pattern

if TYPE_CHECKING:
    from toolgrammar.core.machine.machine import Node, Step
    from toolgrammar.patterns.quick_search import Search

# What a mark does, in the order of the text.
NAME, ID, KEY = range(3)  # Up to `KEY`: what takes a text.
UNIT, FIRST_UNIT, FIRST_KEY, SAME_NAME, SAME_KEY = range(3, 8)
END_CALL, END_ARGUMENT, BEGIN_GROUP, END_GROUP = range(8, 12)

_REPEATED = (SAME_NAME, SAME_KEY)
_OPEN = (END_CALL, END_ARGUMENT, END_GROUP)  # A call is open before these.
_BEFORE_NO_UNIT: Final = (UNIT, *_OPEN, *_REPEATED)
"""The marks before which `UNIT` has no effect: a call is open, or begins at a later mark."""

OBJECTS = tuple(name for name, payload in PAYLOADS.items() if payload.object_only)
"""The payload terminals that can only be an object."""
SCANNED = tuple(n for n, each in PAYLOADS.items() if each.notation not in ("text", "raw", "json"))
"""Payloads that are neither text nor JSON: a scanner of their own reads them at once."""
WHOLE_MATCH: Final = "whole"
"""The group of a mark that ends where its fused run does."""
_TOKEN_GROUP: Final = re.compile(r"\(\?P<(g\d+)>")


class FusedTokens:
    """A run of tokens that is matched by one expression: its pattern, its roles, the node behind it."""

    def __init__(
        self,
        pattern: str,
        marks: list[tuple[int, str]],
        node: Node,
        payload: Step | None,
        *,
        before: bool,
        may_go_on: bool,
    ) -> None:
        # The order matters: what no mark needs is not captured.
        needed = _needed(marks, payload)
        compiled = compile_pattern(_capturing(pattern, {group for _, group in needed}))
        self.match = compiled.match
        groups = {**compiled.groupindex, WHOLE_MATCH: 0}
        self.marks = tuple((kind, groups[group]) for kind, group in needed)
        """Kinds and groups, in the order of the text."""
        self.node = node
        """The node behind the run; of a run up to a payload, the one that takes the payload."""
        self.payload = payload
        self.may_go_on = may_go_on
        """Whether the run ends a call whose arguments may go on in the text behind it."""
        # `RAW_STRING` is a string whatever the schema says.
        self.is_typed = payload is not None and payload.terminal.name == "RAW"
        self.before = before
        """Whether a line end stands before the payload."""
        raw = self.raw = end_of_raw(payload) if payload is not None else None
        """The end of the payload, if it is raw."""
        self.skips_blanks = raw is not None and raw.solid is not None
        """Whether the closer may begin with white space."""
        # The same default as in `RawValues.begin`: the two readings have to agree.
        self.trim = ONE_NEWLINE if before or (raw is not None and raw.closes_line) else NONE
        """The default way to trim a raw payload, used unless the header says another."""
        self.find_end: Search | None = None
        """Finds what ends the payload, without white space that the closer may begin with."""
        if raw is not None:
            # White space before a closer is found from the closer back, for a search for it would
            # try each blank.
            self.find_end = raw.find_solid or raw.find


def _capturing(pattern: str, needed: set[str]) -> str:
    """Lets the tokens of a run capture that a mark asks for, and no other: each costs time."""
    return _TOKEN_GROUP.sub(lambda group: group[0] if group[1] in needed else "(?:", pattern)


def _needed(marks: list[tuple[int, str]], payload: Step | None) -> list[tuple[int, str]]:
    """Leaves out what has no effect.

    That is where a call may begin, if the call is open, begins later or not here.
    """
    needed: list[tuple[int, str]] = []
    # Behind a payload nothing is known of what the next fused run does.
    following = END_GROUP if payload is None else None
    for kind, group in reversed(marks):
        # Backwards, so that what follows a mark is known when the mark is judged.
        # `[` and the opener behind it both may begin a call: only the last one before its name
        # does.
        if kind in (UNIT, FIRST_UNIT) and following in _BEFORE_NO_UNIT:
            continue
        # A section that opens says nothing of where its call begins.
        if kind != BEGIN_GROUP:
            following = kind
        needed.append((kind, group))
    return needed[::-1]
