"""Writes the terminals of a grammar as regular expressions, with the names of the known tools in them.

Example: `<function=` is itself; the terminal `TOOL` of a format that writes tools as tags becomes
`(?:search|send)`.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from toolgrammar.core.machine.payload_starts import beginning
from toolgrammar.core.machine.relaxed_quotes import alike_pattern, loose_pattern
from toolgrammar.patterns import fences, marks
from toolgrammar.patterns.partial import partial
from toolgrammar.patterns.sample import sample

if TYPE_CHECKING:
    from toolgrammar.grammar.terminals import Terminal

# A name in markup: it ends at white space, a quote or a bracket. Without one of them behind it, the
# beginning of a longer name would be taken for the name.
_WORD = r"[^\s<>\"'/]{1,256}"
IDENTIFIER = _WORD + r"(?=[\s<>\"'/])"
_REPEATED = {
    "SAME_FENCE": (fences.CLOSING, fences.CLOSING_BEGINNINGS),
    "SAME_MARK": (marks.CLOSING, marks.CLOSING_BEGINNINGS),
}
"""The expressions of what is repeated and is no name or key, each with that of its beginnings."""


class Expressions:
    """The expressions of terminals for one set of tools."""

    def __init__(self, tool_names: tuple[str, ...], any_name: str = "") -> None:
        """Takes the names of the tools, the longest first: of two that match, it counts.

        Args:
            tool_names: the names.
            any_name: the expression of all names, where each is taken for that of a tool.
        """
        self.tool_names = tool_names
        self.any_name = any_name

    def pattern(self, terminal: Terminal) -> str:
        """Returns the regular expression of a terminal, and of spellings that are like its own."""
        return alike_pattern(terminal) or self.exact(terminal)

    def exact(self, terminal: Terminal) -> str:
        """Returns the regular expression of a terminal, with the known tools filled in.

        That of a payload is of what it begins with.
        """
        if terminal.kind == "payload":
            return beginning(terminal).pattern
        if terminal.kind == "tool":
            names = self._names()
            # Without tools there is no name to match.
            return f"(?:{'|'.join(names)})" if names else "(?!)"
        if terminal.kind == "same":
            return _REPEATED.get(terminal.name, (IDENTIFIER, ""))[0]
        # A token that stands for the only tool there is needs exactly one.
        return terminal.pattern if terminal.is_read(self.tool_names) else "(?!)"

    def tolerant(self, terminal: Terminal) -> str:
        """Returns the regular expression of a terminal and of other ways to quote it."""
        pattern = self.pattern(terminal)
        loose = loose_pattern(terminal)
        return f"{pattern}|{loose}" if loose else pattern

    def partial(self, terminal: Terminal) -> str:
        """Returns the expression of the beginnings of a terminal."""
        if terminal.kind == "tool":
            return "|".join(begun for name in self._names() if (begun := partial(name)))
        if terminal.kind == "same":
            return _REPEATED.get(terminal.name, ("", _WORD))[1]
        if alike := alike_pattern(terminal):
            return partial(alike) or ""
        return terminal.partial if terminal.is_read(self.tool_names) else ""

    def _names(self) -> list[str]:
        """Writes the names of the tools as expressions."""
        return [self.any_name] if self.any_name else list(map(re.escape, self.tool_names))


def sampled(terminal: Terminal) -> str:
    """Returns the text of a terminal, or one that its expression matches."""
    return terminal.text or (sample(terminal.pattern) if terminal.kind == "regex" else "") or ""
