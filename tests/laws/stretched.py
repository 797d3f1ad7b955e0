"""Texts with one run of characters in them that is as long as something may be, or one longer.

The lengths are the whole numbers that modules of the package name: a limit that is new is tried.
"""

import ast
import random
from collections.abc import Iterator
from dataclasses import replace
from functools import cache
from pathlib import Path

import toolgrammar
from tests.laws.every_case import cases
from toolgrammar.testing import Case
from toolgrammar.testing.depth import at_depth

EACH = at_depth(few=2, usual=8, every=200)
"""Texts of each format."""
SHORTEST, LONGEST = 8, 8192
"""Shorter runs stand in the examples; longer ones take too long for every run."""

_FILLERS = (
    " ",
    "\n",
    "a",
    "a ",
    "1",
    "[",
    "{",
    "<",
    '"',
    "'",
    "`",
    "\\",
    "}",
    "]",
    ",",
    "é",
    "<x>",
)


@cache
def lengths() -> tuple[int, ...]:
    """Returns the limits of the package that a text can reach."""
    root = Path(toolgrammar.__file__).parent
    found = set()
    for file in root.rglob("*.py"):
        for node in ast.parse(file.read_text(encoding="utf-8")).body:
            value = node.value if isinstance(node, ast.Assign | ast.AnnAssign) else None
            if isinstance(value, ast.Constant) and isinstance(value.value, int):
                found.add(value.value)
    return tuple(sorted(each for each in found if SHORTEST <= each <= LONGEST))


def stretched_cases(format_id: str) -> Iterator[Case]:
    """Yields examples with a run put in, of a limit's length or of one character more."""
    known = cases(format_id)
    for attempt in range(EACH):
        draw = random.Random(f"stretched {format_id} {attempt}")
        case = draw.choice(known)
        place = draw.randrange(len(case.text) + 1)
        size = draw.choice(lengths()) + draw.randrange(2)
        filler = draw.choice(_FILLERS)
        run = (filler * size)[:size]
        text = case.text[:place] + run + case.text[place:]
        yield replace(case, id=f"{case.id}, {filler!r} for {size} at {place}", text=text)
