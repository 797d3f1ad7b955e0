"""Finds a block of code that may be a call whose fence is damaged: nothing opens it, or closes it.

Example: behind "``bash" and a command stands a line of three backticks, which closes no block.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from toolgrammar.patterns.damaged_marks import most_damaged
from toolgrammar.patterns.distances import distance
from toolgrammar.patterns.fences import LEAST
from toolgrammar.values.patterns import late

if TYPE_CHECKING:
    from collections.abc import Collection, Sequence

_LINE = late(r"^[ \t]{0,3}(`{3,})(?![ \t]+\S)([^\n`]*)$", re.MULTILINE)
"""A line that is a fence; words behind a blank would go on with a sentence."""
_OBJECT = late(r"\s*+[^\w\s]{0,3}?[{\[]")
_OF_A_FILE = late(r"\s*+(?:[^\w\n]{0,4}-{2}|[^@\n]*\n[^\w\n]{0,4}\+{2})")
"""The lines of a diff that name its file, whole or damaged."""
_FIRST_KEY = late(r"\s*+([^\s:]{2,24}[^\n:]{0,2}:)")
_MOST: Final = 2
"""Characters of such a key that may be damaged."""
_OTHERS: Final = frozenset(
    {"bat", "basic", "csh", "dash", "fish", "json5", "jsonc", "jsonl", "pyi", "toml", "yml", "zsh"}
)
"""Languages whose names resemble those in which calls are written."""
_OF_TEXTS: Final = frozenset({"bash", "diff", "json", "py", "python", "xml", "yaml"})
"""Words behind fences that texts have, too."""


def broken_fence(
    text: str, words: Sequence[str], labels: Collection[str] = ()
) -> tuple[int, str] | None:
    """Returns the fence of a block that may be a call and could not be read, and its place.

    Args:
        text: the text.
        words: what stands behind the fences of calls; `json` where the call is an object.
        labels: keys that begin such calls, with their colons.
    """
    if not words or "```" not in text:
        return None
    of_json = {word.rstrip("{") for word in words if word} == {"json"}
    opened: tuple[int, str] | None = None
    length = 0
    for found in _LINE.finditer(text):
        marks, word = found[1], found[2].strip()
        place = found.start(1), found[0].strip()
        if opened is not None:
            # As in Markdown: as many marks as opened the block close it, or more.
            if not word and len(marks) >= length:
                opened = None
            continue
        if word in words and _is_lost(text, found.end(), word, labels):
            return place
        may_be_call = not of_json or _OBJECT.match(text, found.end()) is not None
        if may_be_call and _is_of_calls(word, words):
            return place
        opened, length = (place if may_be_call else (-1, "")), len(marks)
    return opened if opened is not None and opened[0] >= 0 else None


def _is_lost(text: str, place: int, word: str, labels: Collection[str]) -> bool:
    """Whether a block that is no call begins as calls do: with a file, or a key that is damaged."""
    if word == "diff":
        return _OF_A_FILE.match(text, place) is not None
    key = _FIRST_KEY.match(text, place)
    return key is not None and any(0 < distance(each, key[1]) <= _MOST for each in labels)


def _is_of_calls(word: str, words: Sequence[str]) -> bool:
    """Whether a word behind a fence is one that calls alone have, or one of calls, damaged."""
    if word in words or word in _OTHERS:
        return word in words and word not in _OF_TEXTS and word != ""
    return any(
        0 < distance(each, word[: len(each) + 2]) <= most_damaged(each)
        for each in words
        if len(each) > LEAST
    )
