"""Defines code fences: their length, the line that closes one, and fences inside a block.

Example: a text that contains a line of three backticks is written between fences of four.
"""

from __future__ import annotations

import re

from toolgrammar.patterns.partial import partial
from toolgrammar.values.patterns import late

LEAST = 3
"""The number of backticks of the shortest fence."""
MOST = 1024
"""The maximal number of backticks, and of blanks after them: a line must not stall a stream."""

OPENING: str = rf"(?m:^`{{{LEAST},}})"
"""The expression of the backticks that open a block, at the start of a line."""
NESTED = rf"(?m:^(?P<fence_mark>`{{{LEAST},{MOST}}})[ \t]{{0,{MOST}}}[^\s`])(?P<fence_opener>)"
"""The expression of a line that opens a block inside a block: a fence with a word."""

_NESTED = late(NESTED)
_RUNS = late(r"^`+", re.MULTILINE)


def closing(count: int) -> str:
    """Returns the expression of the line that closes a block of this many backticks, or of fewer."""
    return rf"(?m:^`{{{count},}}[ \t\r]*$)"


CLOSING = rf"(?m:^`{{{LEAST},{MOST}}}[ \t\r]{{0,{MOST}}}$)"
CLOSING_BEGINNINGS = partial(CLOSING) or ""


def length(fence: str) -> int:
    """Returns how many backticks a fence has."""
    return fence.count("`")


def opens_inside(text: str, count: int) -> bool:
    """Whether a line of a text opens a block with a word, and with this many backticks or more."""
    return any(length(each["fence_mark"]) >= count for each in _NESTED.finditer(text))


def fence_round(text: str) -> str:
    """Returns the shortest fence that can enclose a text."""
    # Only a run at the beginning of a line could close the block.
    longest = max((len(run) for run in _RUNS.findall(text)), default=0)
    return "`" * max(LEAST, longest + 1)
