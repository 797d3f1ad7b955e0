"""Texts with one damage each, drawn from a seed."""

import random
import re
from collections.abc import Iterator
from dataclasses import replace

import toolgrammar
from tests.laws.every_case import cases
from toolgrammar.testing import Case
from toolgrammar.testing.depth import at_depth

EACH = at_depth(few=6, usual=24, every=600)
"""Damaged texts of each format."""
TOUCHED = 3
"""Texts with one character taken out or put in, a text."""

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


def touched(text: str) -> Iterator[str]:
    """Yields a text with one character taken out, or another put in."""
    for number in range(TOUCHED):
        chance = random.Random(f"{number}{text}")
        place = chance.randrange(len(text) + 1)
        put = chance.choice(["", *"<>{}[]()\"'\\,:\n `", *(text or " ")])
        yield text[:place] + put + text[place + (put == "") :]
