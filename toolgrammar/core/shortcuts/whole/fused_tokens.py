"""Defines fused runs: the tokens between two payloads as one expression, with their effects.

Models write nearly the same envelope in each message. A *fused run* is a sequence of tokens that
leads from a node to the next payload, or back to text. Its *marks* are the effects of its tokens,
such as `NAME` or `END_CALL`, each with the group of the text that has the effect. Example: in the
run `<tool_call>{"name": "` … `", "arguments": ` the group `…` has the mark `NAME`.
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

# The kinds of marks.
NAME, ID, KEY = range(3)  # These take the text of their group.
CALL_START, FIRST_CALL_START, FIRST_KEY, SAME_NAME, SAME_KEY = range(3, 8)
END_CALL, END_ARGUMENT, BEGIN_GROUP, END_GROUP = range(8, 12)

_REPEATED = (SAME_NAME, SAME_KEY)
_OPEN = (END_CALL, END_ARGUMENT, END_GROUP)  # A call is open before these.
_BEFORE_NO_CALL_START: Final = (CALL_START, *_OPEN, *_REPEATED)
"""The marks before which `CALL_START` has no effect: a call is open, or begins at a later mark."""

OBJECTS = tuple(name for name, payload in PAYLOADS.items() if payload.object_only)
"""The payload terminals that can only be an object."""
SCANNED = tuple(n for n, each in PAYLOADS.items() if each.notation not in ("text", "raw", "json"))
"""Payloads that are neither text nor JSON: a scanner of their own reads them at once."""
WHOLE_MATCH: Final = "whole"
"""The group of a mark that ends where its fused run does."""
_TOKEN_GROUP: Final = re.compile(r"\(\?P<(g\d+)>")


class FusedTokens:
    """A fused run: its expression, its marks, and the node or payload behind it."""

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
        # This comes before compiling: only the groups that a mark needs are captured.
        needed = _needed(marks, payload)
        compiled = compile_pattern(_capturing(pattern, {group for _, group in needed}))
        self.match = compiled.match
        groups = {**compiled.groupindex, WHOLE_MATCH: 0}
        self.marks = tuple((kind, groups[group]) for kind, group in needed)
        """The kind and the group of each mark, in the order of the text."""
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
            # Without the white space before the closer: a search that begins with white space would
            # be tried at each blank.
            self.find_end = raw.find_solid or raw.find


def _capturing(pattern: str, needed: set[str]) -> str:
    """Returns a pattern in which only the needed groups capture, since each capture costs time."""
    return _TOKEN_GROUP.sub(lambda group: group[0] if group[1] in needed else "(?:", pattern)


def _needed(marks: list[tuple[int, str]], payload: Step | None) -> list[tuple[int, str]]:
    """Returns the marks that have an effect.

    `CALL_START` and `FIRST_CALL_START` note where a call may begin. They have none if the call is open already,
    or begins at a later mark.
    """
    needed: list[tuple[int, str]] = []
    # Behind a payload nothing is known of what the next fused run does.
    following = END_GROUP if payload is None else None
    for kind, group in reversed(marks):
        # Backwards, since the following mark decides: `[` and the opener behind it may both begin a
        # call, and the last one before the name does.
        if kind in (CALL_START, FIRST_CALL_START) and following in _BEFORE_NO_CALL_START:
            continue
        # The opener of a section does not show where its call begins.
        if kind != BEGIN_GROUP:
            following = kind
        needed.append((kind, group))
    return needed[::-1]
