"""Examples of which some tokens are dropped, doubled, swapped, moved or put in.

Example: `{"name": "f", "arguments": {}}` becomes `{"name": "f"} "arguments": {}}`, of which one more
character tells whether the call goes on. Damage of single characters seldom makes such texts.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from fuzz.mixed import short_example
from toolgrammar.testing import Case

if TYPE_CHECKING:
    import random

_TOKEN = re.compile(
    r'"(?:[^"\\\n]|\\.)*"|</?[\w:|\uff5c\u2581.-]+|<\|?[\w|]+\|?>|```|\w+|\s+|.', re.DOTALL
)
"""A string, the beginning of a tag, a special token, a fence, a word, white space, or a mark."""
_SCRAPS = (
    "7", "-", '"', "'", "}", "]", ",", ":", " ", "\n", ")", "<", ">", "</", "`", "``", "```", "\\",
    "{", "[", "(", "Ok. ", "null",
)  # fmt: skip
_MOST_MOVED = 8
"""Tokens that are repeated elsewhere together, at most."""


def moved_case(format_id: str, draw: random.Random) -> Case:
    """Returns an example with some of its tokens moved, and how to read it."""
    sample = short_example(format_id, draw)
    tokens = _TOKEN.findall(sample.text)
    for _ in range(draw.choice((1, 1, 2, 3))):
        _move(tokens, draw)
    alone = draw.random() < 0.8
    chosen, prefix = (format_id, sample.prefix) if alone else ("auto", "")
    return Case("moved", chosen, "".join(tokens), prefix, draw.choice((None, sample.tools)))


def _move(tokens: list[str], draw: random.Random) -> None:
    """Changes a list of tokens at one place."""
    if not tokens:
        return
    at, other = draw.randrange(len(tokens)), draw.randrange(len(tokens))
    match draw.randrange(7):
        case 0:
            del tokens[at]
        case 1:
            tokens.insert(at, tokens[at])
        case 2:
            tokens[at : at + 2] = tokens[at : at + 2][::-1]
        case 3:
            tokens.insert(at, tokens[other])
        case 4:
            tokens[at] = tokens[other]
        case 5:
            tokens[at:at] = tokens[other : other + draw.randint(1, _MOST_MOVED)]
        case _:
            tokens.insert(at, draw.choice(_SCRAPS))
