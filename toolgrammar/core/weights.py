"""Says how much a text tells of a call: who speaks of a format writes some of its markup, too."""

from __future__ import annotations

from typing import Final

ANY_NAME: Final = "\0"
"""Stands in a sign for the name of a known tool."""
MENTIONED: Final = 1
"""Who speaks of a format mentions it, too: an opener."""
POSSIBLE: Final = 2
"""A text may hold it by chance: with another sign, it is taken for a call."""
CERTAIN: Final = 3
"""It is enough by itself."""

MARKS: Final = frozenset("<>[]|\uff5c")
_LANGUAGES: Final = frozenset({"", "bash", "diff", "json", "py", "python", "xml", "yaml"})
"""Fences that texts have, too."""
_LEAST_LETTERS: Final = 4
_OF_A_TAG: Final = 6
_OF_A_LABEL: Final = 10
"""Letters from which on a tag, or any other sign, is enough by itself."""


def letters_of(text: str) -> int:
    """Gives the number of letters in a text."""
    return sum(map(str.isalpha, text))


def weight_of(text: str) -> int:
    """Says how much a text tells of a call; 0 for one that any text may hold."""
    letters = letters_of(text)
    if letters < _LEAST_LETTERS or text.replace("_", "").isalnum():
        return 0
    if text.startswith("```"):
        return 0 if text.strip("`\n ") in _LANGUAGES else POSSIBLE
    if text[0] in "\"'":
        return POSSIBLE
    is_tag = not MARKS.isdisjoint(text) and letters >= _OF_A_TAG
    return CERTAIN if is_tag or letters >= _OF_A_LABEL or text.isupper() else POSSIBLE


def is_of_calls(opener: str, follows: str) -> bool:
    """Whether an opener is markup that texts do not have; what follows may tell."""
    return weight_of(opener.strip() + ("[" if follows == "[" else "")) >= CERTAIN
