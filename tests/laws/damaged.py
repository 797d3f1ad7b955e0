"""Texts with one damage each, drawn from a seed."""

import os
import random
import re
from collections.abc import Iterator
from dataclasses import replace

import toolgrammar
from tests.laws.every_case import cases
from toolgrammar.testing import Case

EACH = 600 if os.environ.get("TOOLGRAMMAR_EVERY_SPLIT") else 24
"""Damaged texts of each format; the variable makes it the long run."""

_SCRAPS = ('"', "'", "{", "}", "]", "[", ",", ":", "\n", "\\", "</x>", "```", " ", "<", "x")


def damaged_cases(format_id: str) -> Iterator[Case]:
    """Yields cases of a format with one damage in each text."""
    found = (terminal.text.strip() for terminal in toolgrammar.formats[format_id].tables.terminals)
    literals = [text for text in found if len(text) > 1]
    sound = cases(format_id)
    for attempt in range(EACH):
        draw = random.Random(f"{format_id} {attempt}")
        case = draw.choice(sound)
        name, text = damaged(case.text, literals, draw)
        yield replace(case, id=f"{case.id}, {name} ({attempt})", text=text)


def damaged(text: str, literals: list[str], draw: random.Random) -> tuple[str, str]:
    """Returns what was done to a text, and the text."""
    kind, place = draw.randrange(7), draw.randrange(len(text) + 1)
    spans = [found.span() for each in literals for found in re.finditer(re.escape(each), text)]
    if kind == 0:
        return "cut", text[:place]
    if kind <= 3 and spans:
        start, end = draw.choice(spans)
        if kind == 1:
            return "literal dropped", text[:start] + text[end:]
        if kind == 2:
            return "literal doubled", text[:end] + text[start:end] + text[end:]
        place = draw.randrange(start, end)
        return "literal misspelt", text[:place] + text[place + 1 :]
    if kind == 4:
        return "characters deleted", text[:place] + text[place + draw.randrange(1, 5) :]
    if kind == 5:
        return "scrap inserted", text[:place] + draw.choice(_SCRAPS) + text[place:]
    return "character replaced", text[:place] + draw.choice(_SCRAPS)[0] + text[place + 1 :]


_REPLACEMENTS = " \n\"'`{}[]()<>:,=/|\\_-x7"


def small_damage(text: str, draw: random.Random) -> tuple[range, str]:
    """Returns which characters were touched, and the text with one to three of them damaged.

    They are deleted, written twice, replaced, or two of them change places.
    """
    place = draw.randrange(len(text))
    count = min(draw.choice((1, 1, 2, 3)), len(text) - place)
    before, here, after = text[:place], text[place : place + count], text[place + count :]
    kind = draw.choice(("deleted", "doubled", "swapped", "replaced"))
    if kind == "swapped" and place + 1 < len(text):
        return range(place, place + 2), before + text[place + 1] + text[place] + text[place + 2 :]
    if kind == "doubled":
        return range(place, place + count), before + here + here + after
    if kind == "replaced":
        here = "".join(draw.choice(_REPLACEMENTS) for _ in here)
        return range(place, place + count), before + here + after
    return range(place, place + count), before + after
