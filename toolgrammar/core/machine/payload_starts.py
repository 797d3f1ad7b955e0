"""Defines the regular expressions of the beginnings of payloads.

Example: a JSON object begins with `{`, Python arguments with a name and `=`.
"""

from __future__ import annotations

import re
from functools import cache
from typing import TYPE_CHECKING

from toolgrammar.grammar.payload_kinds import PAYLOADS
from toolgrammar.patterns.partial import partial
from toolgrammar.values.patterns import compile_pattern, late

if TYPE_CHECKING:
    from toolgrammar.grammar.terminals import Terminal

_PYTHON_BEGUN = late(r"(?:[^\W\d][\w\\]{0,255}\s{0,16}=?|\*{1,2}|\*\*\s{1,16})?\Z")
"""Matches the end of a text that may become the beginning of Python arguments."""


def beginning(terminal: Terminal) -> re.Pattern[str]:
    """Returns the expression of the beginning of a payload's text."""
    pattern = PAYLOADS[terminal.name].begins if terminal.name in PAYLOADS else ""
    # A kind of payload is defined once for all formats, with `MARK` in place of the mark that the
    # header declares.
    return _compiled(pattern.replace("MARK", re.escape("".join(terminal.marks[:1]))))


def begun(terminal: Terminal) -> re.Pattern[str] | None:
    """Returns the expression of the end of a text that may become the beginning of a payload.

    Returns:
        None if one character decides whether a payload begins.
    """
    notation = PAYLOADS[terminal.name].notation if terminal.name in PAYLOADS else ""
    # `get` may become `get=` or a value: more than one character is needed.
    if notation == "python":
        return _PYTHON_BEGUN
    if notation == "elements":
        return _compiled(rf"{partial(beginning(terminal).pattern)}\Z")
    return None


@cache
def _compiled(pattern: str) -> re.Pattern[str]:
    return compile_pattern(pattern)
