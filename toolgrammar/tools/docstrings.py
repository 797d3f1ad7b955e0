"""Reads the descriptions of parameters in a docstring, in the styles of Google, NumPy and Sphinx.

`:param city: Where.` describes `city` as `Where.`
"""

from __future__ import annotations

import re
from typing import Final

_SECTION: Final = re.compile(r"(?:Args|Arguments|Parameters|Params|Keyword Args)[ \t]*:?[ \t]*")
_UNDERLINE: Final = re.compile(r"-{3,}[ \t]*")
# As in `city (str): Where.` and `*args: More of them.`
_ENTRY: Final = re.compile(
    r"\*{0,2}(?P<name>\w+)[ \t]*(?:\([^)]{0,200}\))?[ \t]*:[ \t]*(?P<text>.*)"
)
# As in `city : str`; the description is on the lines below.
_NAMES: Final = re.compile(r"\*{0,2}(?P<name>\w+)(?:[ \t]*:.*)?")
# As in `:param str city: Where.`
_SPHINX: Final = re.compile(
    r":(?:param|parameter|arg|argument)[ \t]+(?:[^:]{0,80}[ \t])?\*{0,2}(?P<name>\w+)[ \t]*:[ \t]*(?P<text>.*)"
)
_LONGEST: Final = 200
"""Characters of a line that may begin an entry: what is longer is prose."""


def described_parameters(docstring: str | None) -> dict[str, str]:
    r"""Returns the descriptions of parameters in a docstring, as `inspect.getdoc` gives it.

    >>> described_parameters("Looks up.\n\nArgs:\n    city (str): Where,\n        in English.")
    {'city': 'Where, in English.'}
    """
    found: dict[str, list[str]] = {}
    lines = (docstring or "").splitlines()
    for index, line in enumerate(lines):
        # Sphinx has no section: its entries may stand on any line.
        sphinx = _SPHINX.match(line)
        if sphinx is not None:
            found.setdefault(sphinx["name"], [sphinx["text"], *_below(lines, index + 1, 1)])
        elif _SECTION.fullmatch(line):
            # `Parameters` above a line of hyphens is NumPy's section; `Args:` with its colon is
            # Google's.
            underlined = index + 1 < len(lines) and _UNDERLINE.fullmatch(lines[index + 1])
            if underlined:
                _read_numpy(lines, index + 2, found)
            elif line.rstrip().endswith(":"):
                _read_google(lines, index + 1, found)
    texts = {name: " ".join(filter(None, map(str.strip, each))) for name, each in found.items()}
    return {name: text for name, text in texts.items() if text}


def _read_google(lines: list[str], start: int, found: dict[str, list[str]]) -> None:
    """Reads entries that are indented as the first one is."""
    depth = _depth(lines[start]) if start < len(lines) else 0
    # Entries are indented below their section; a line at the margin is other text.
    if not depth:
        return
    for index in range(start, len(lines)):
        line = lines[index]
        if line.strip() and _depth(line) < depth:
            return
        entry = _ENTRY.match(line.strip()) if _depth(line) == depth else None
        if entry is not None:
            found.setdefault(entry["name"], [entry["text"], *_below(lines, index + 1, depth + 1)])


def _read_numpy(lines: list[str], start: int, found: dict[str, list[str]]) -> None:
    """Reads entries that begin lines, with their texts indented below them."""
    for index in range(start, len(lines)):
        line = lines[index]
        # The line above the hyphens is the heading of the next section.
        if index + 1 < len(lines) and _UNDERLINE.fullmatch(lines[index + 1]):
            return
        entry = _NAMES.fullmatch(line) if len(line) <= _LONGEST else None
        if entry is not None and not _depth(line):
            found.setdefault(entry["name"], _below(lines, index + 1, 1))


def _below(lines: list[str], start: int, depth: int) -> list[str]:
    """Returns the lines from one on that are indented so deep at least."""
    found = []
    for line in lines[start:]:
        # An empty line ends the text of an entry.
        if not line.strip() or _depth(line) < depth:
            break
        found.append(line)
    return found


def _depth(line: str) -> int:
    return len(line) - len(line.lstrip())
