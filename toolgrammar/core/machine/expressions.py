"""Writes the terminals of a grammar as regular expressions, with the names of the known tools in them.

Example: `<function=` is itself; the terminal `TOOL` of a format that writes tools as tags becomes
`(?:search|send)`.
"""

from __future__ import annotations

import re
from functools import cache
from typing import TYPE_CHECKING, Final

from toolgrammar.core.machine.relaxed_quotes import loose_pattern, spellings_pattern
from toolgrammar.grammar.payload_kinds import PAYLOADS
from toolgrammar.patterns import fences, heredocs
from toolgrammar.patterns.partial import partial
from toolgrammar.patterns.sample import sample
from toolgrammar.values.patterns import compile_pattern, late

if TYPE_CHECKING:
    from toolgrammar.grammar.terminals import Terminal

DISTINCTIVE: Final = 3
"""The least characters of a mark that is evidence by itself."""
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


# A name in markup ends at white space, a quote or a bracket. Without one of them after it, the
# beginning of a longer name would be read as the name.
_WORD = r"[^\s<>\"'/]{1,256}"
IDENTIFIER = _WORD + r"(?=[\s<>\"'/])"
_REPEATED = {
    "SAME_FENCE": (fences.CLOSING, fences.CLOSING_BEGINNINGS),
    "SAME_MARK": (heredocs.CLOSING, heredocs.CLOSING_BEGINNINGS),
}
"""The expressions of repeated fences and marks, each with the expression of its beginnings."""


class Expressions:
    """The expressions of terminals for one set of tools."""

    def __init__(self, tool_names: tuple[str, ...], any_name: str = "") -> None:
        """Makes the expressions for the names of the known tools.

        Args:
            tool_names: the names, the longest first, since the first one that matches counts.
            any_name: an expression of names, if any name counts as that of a tool; else "".
        """
        self.tool_names = tool_names
        self.any_name = any_name
        self._patterns: dict[Terminal, str] = {}
        """The expressions that were written so far."""

    def pattern(self, terminal: Terminal) -> str:
        """Returns the regular expression of a terminal, with its other spellings in the header."""
        # Terminals come again at many nodes, and in the ends of many payloads.
        found = self._patterns.get(terminal)
        if found is None:
            found = self._patterns[terminal] = spellings_pattern(terminal) or self.exact(terminal)
        return found

    def exact(self, terminal: Terminal) -> str:
        """Returns the regular expression of a terminal, with the names of the known tools in it.

        The expression of a payload matches its beginning.
        """
        if terminal.kind == "payload":
            return beginning(terminal).pattern
        if terminal.kind == "tool":
            names = self._names()
            # Without tools there is no name to match.
            return f"(?:{'|'.join(names)})" if names else "(?!)"
        if terminal.kind == "same":
            return _REPEATED.get(terminal.name, (IDENTIFIER, ""))[0]
        # A terminal that stands for the only tool is read only if there is exactly one tool.
        return terminal.pattern if terminal.is_read(self.tool_names) else "(?!)"

    def tolerant(self, terminal: Terminal) -> str:
        """Returns the regular expression of a terminal, also in other quotes."""
        pattern = self.pattern(terminal)
        loose = loose_pattern(terminal)
        return f"{pattern}|{loose}" if loose else pattern

    def partial(self, terminal: Terminal) -> str:
        """Returns the expression of the beginnings of a terminal; "" if it has none."""
        if terminal.kind == "tool":
            return "|".join(begun for name in self._names() if (begun := partial(name)))
        if terminal.kind == "same":
            return _REPEATED.get(terminal.name, ("", _WORD))[1]
        if alike := spellings_pattern(terminal):
            return partial(alike) or ""
        return terminal.partial if terminal.is_read(self.tool_names) else ""

    def _names(self) -> list[str]:
        """Returns the names of the tools as expressions."""
        return [self.any_name] if self.any_name else list(map(re.escape, self.tool_names))


def sample_text(terminal: Terminal) -> str:
    """Returns the text of a terminal, or a text that its expression matches; "" if unknown."""
    return terminal.text or (sample(terminal.pattern) if terminal.kind == "regex" else "") or ""


@cache
def markup_text(terminal: Terminal) -> str:
    """Returns the simplest text of markup; "" for a pattern that matches more than markup."""
    if terminal.kind == "literal":
        return terminal.text
    if terminal.kind != "regex" or terminal.groups or terminal.constants:
        return ""
    text = sample(terminal.pattern) or ""
    # A sample represents its pattern only if the pattern matches all of it, and if it is not a
    # word.
    is_mark = len(text) >= DISTINCTIVE and not text[:1].isalnum() and text == text.strip()
    found = compile_pattern(terminal.pattern).match(text)
    return text if is_mark and found is not None and found.end() == len(text) else ""
