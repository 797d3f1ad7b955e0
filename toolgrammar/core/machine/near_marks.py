"""Recognises misspelt markup and keys.

Example: `<tool_cal>` and `<tol_call>` resemble `<tool_call>`: one character is missing.
"""

from __future__ import annotations

import re
from functools import cached_property
from typing import TYPE_CHECKING, Final

from toolgrammar.patterns.distances import distance
from toolgrammar.patterns.partial import tail_that_begins, unnamed
from toolgrammar.values.patterns import compile_pattern, late

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from toolgrammar.grammar.terminals import Terminal

SHORTEST: Final = 4
"""The least letters of a word that one wrong letter does not turn into another common word."""
_SURE: Final = 6
"""A word with more letters is still recognised with two wrong ones."""
_LONGEST: Final = 256
"""The most characters of an opener."""
_WORDS = late(r"[^\s<>/|=\"'()\[\]{}]+")


def is_near(one: str, other: str) -> bool:
    """Whether two words differ by one missing, extra or wrong character, or two swapped ones."""
    # The word itself is not a misspelling.
    if abs(len(one) - len(other)) > 1 or one == other:
        return False
    # Both words are compared after their common beginning.
    same = 0
    while same < min(len(one), len(other)) and one[same] == other[same]:
        same += 1
    if len(one) != len(other):
        shorter, longer = sorted((one, other), key=len)
        # In `tool_cal` and `tool_call` the rest is the same without one letter of the longer word.
        return shorter[same:] == longer[same + 1 :]
    # In `tool_clal` two letters are swapped.
    swapped = one[same : same + 2] == other[same : same + 2][::-1]
    return one[same + 1 :] == other[same + 1 :] or (
        swapped and one[same + 2 :] == other[same + 2 :]
    )


def may_be(word: str, key: str) -> bool:
    """Whether a word may be a key with one wrong letter, or two in a long key."""
    return len(key) >= SHORTEST and 0 < distance(key, word) <= (2 if len(key) > _SURE else 1)


def near_mark(text: str, group: str) -> tuple[str, str]:
    """Returns an expression that matches misspellings of markup, and the markup's longest word.

    Both are empty if no word is long enough. The expression matches more than misspellings: they
    are those for which `is_near` is true of the group's text and the word.

    Args:
        text: the markup.
        group: the name of the group for the misspelt word.
    """
    words: list[str] = _WORDS.findall(text)
    word = max(words, key=len, default="")
    if len(word) < SHORTEST:
        return "", ""
    before, _, behind = text.strip().partition(word)
    # The character after the word can't be a part of it, else the word could match too much text.
    character = rf"[^\s<>/{re.escape(behind[0])}]" if behind else r"\w"
    # One wrong character, or two swapped ones, leaves one half of the word as it is.
    half = (len(word) - 1) // 2
    rest = f"{character}{{{len(word) - half - 1},{len(word) - half + 1}}}"
    halves = f"{re.escape(word[:half])}{rest}|{rest}{re.escape(word[-half:])}"
    pattern = rf"{_spaced(before)}(?P<{group}>{halves}){_spaced(behind)}"
    return pattern, word


def _spaced(text: str) -> str:
    """Returns the expression of a text in which white space may have another length."""
    return r"\s{1,64}".join(map(re.escape, re.split(r"\s+", text)))


class NearOpener:
    """The misspellings of the opener of a call, a section or an argument."""

    def __init__(
        self, group: str, text: str, pattern: str, word: str, follow: Callable[[], str] | None
    ) -> None:
        """Defines the opener and its misspellings.

        Args:
            group: the group of the opener among the tokens of its node.
            text: the opener as it should be spelled.
            pattern: an expression that matches its misspellings, with the group `near`.
            word: the word that the text of this group has to resemble.
            follow: returns the expression that has to follow it in text; None if nothing has to.
        """
        self.group = group
        self.text = text
        self.pattern = pattern
        self.word = word
        self._follow = follow

    @property
    def unnamed(self) -> str:
        """The expression without the name of its group."""
        return unnamed(self.pattern)

    def matches(self, text: str, place: int) -> bool | None:
        """Whether a misspelt opener stands at an index; None if the expression does not match."""
        # The searched text has a bounded length, so that no index costs more than another.
        found = compile_pattern(self.pattern).match(text[place : place + _LONGEST])
        return None if found is None else is_near(found["near"], self.word)

    @cached_property
    def whole(self) -> re.Pattern[str]:
        """Matches the misspelt opener, if the required text follows it."""
        follow = f"(?={self._follow()})" if self._follow is not None else ""
        return compile_pattern(self.pattern + follow)

    @cached_property
    def begun(self) -> re.Pattern[str]:
        """Matches the end of a text that may still become a misspelt opener."""
        return tail_that_begins([self.whole.pattern])


def near_openers(
    tokens: Iterable[tuple[str, Terminal]], follow: Callable[[str], str]
) -> Iterator[NearOpener]:
    """Yields the misspellings of those openers of a node that begin with a bracket or a mark.

    For an opener that begins with a letter, all words of a text would have to be compared.

    Args:
        tokens: the tokens of the node, each with its group.
        follow: returns the expression that has to follow a token in text, given its group.
    """
    for group, terminal in tokens:
        text = terminal.text.strip()
        pattern, word = near_mark(text, "near") if terminal.kind == "literal" else ("", "")
        # Without a mark after its word, the end of the misspelt word is not known.
        if pattern and not (text[0].isalnum() or text.endswith(word)):
            yield NearOpener(group, text, pattern, word, lambda group=group: follow(group))  # type: ignore[misc]
