"""Says what resembles markup: `<tool_cal>` and `<tol_call>` resemble `<tool_call>`."""

from __future__ import annotations

import re
from functools import cached_property
from typing import TYPE_CHECKING, Final

from toolgrammar.patterns.damaged_marks import distance
from toolgrammar.patterns.partial import tail_that_begins, unnamed
from toolgrammar.values.patterns import compile_pattern, late

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from toolgrammar.grammar.terminals import Terminal

SHORTEST: Final = 4
"""Letters of a word that one letter more or less does not make another word of."""
_SURE: Final = 6
"""Letters of a word that two of them do not make another word of."""
_LONGEST: Final = 256
"""Characters of an opener."""
_WORDS = late(r"[^\s<>/|=\"'()\[\]{}]+")


def is_near(one: str, other: str) -> bool:
    """Whether one character is missing, too much or another one, or two are swapped."""
    # The word itself is no misspelling.
    if abs(len(one) - len(other)) > 1 or one == other:
        return False
    # Both are compared behind what they have in common.
    same = 0
    while same < min(len(one), len(other)) and one[same] == other[same]:
        same += 1
    if len(one) != len(other):
        shorter, longer = sorted((one, other), key=len)
        # `tool_cal` and `tool_call`: without one letter of the longer, the rest is the same.
        return shorter[same:] == longer[same + 1 :]
    # `tool_clal`: two letters change places.
    swapped = one[same : same + 2] == other[same : same + 2][::-1]
    return one[same + 1 :] == other[same + 1 :] or (
        swapped and one[same + 2 :] == other[same + 2 :]
    )


def may_be(word: str, key: str) -> bool:
    """Whether small damage may have made a word of a key."""
    return len(key) >= SHORTEST and 0 < distance(key, word) <= (2 if len(key) > _SURE else 1)


def near_mark(text: str, group: str) -> tuple[str, str]:
    """Returns an expression of what resembles markup, and the longest word in it.

    Both are empty where no word of it is long enough. What the group matches is a misspelling only if
    `is_near` says so of it and the word.
    """
    words: list[str] = _WORDS.findall(text)
    word = max(words, key=len, default="")
    if len(word) < SHORTEST:
        return "", ""
    before, _, behind = text.strip().partition(word)
    # What ends the word is not in it: else a longer text could be taken for it than a shorter one.
    character = rf"[^\s<>/{re.escape(behind[0])}]" if behind else r"\w"
    # One character off, or two swapped, leaves one of the halves as it is.
    half = (len(word) - 1) // 2
    rest = f"{character}{{{len(word) - half - 1},{len(word) - half + 1}}}"
    halves = f"{re.escape(word[:half])}{rest}|{rest}{re.escape(word[-half:])}"
    pattern = rf"{_spaced(before)}(?P<{group}>{halves}){_spaced(behind)}"
    return pattern, word


def _spaced(text: str) -> str:
    return r"\s{1,64}".join(map(re.escape, re.split(r"\s+", text)))


class NearOpener:
    """What resembles the opener of a call, a section or an argument."""

    def __init__(
        self, group: str, text: str, pattern: str, word: str, follow: Callable[[], str] | None
    ) -> None:
        """Takes what the opener is, and what resembles it.

        Args:
            group: the opener among the tokens of its node.
            text: the opener as it should be spelled.
            pattern: an expression of what resembles it, with the group `near`.
            word: what that group must resemble.
            follow: writes what must follow it, where only that tells it from text.
        """
        self.group = group
        self.text = text
        self.pattern = pattern
        self.word = word
        self._follow = follow

    @property
    def unnamed(self) -> str:
        """The expression without its group."""
        return unnamed(self.pattern)

    def matches(self, text: str, place: int) -> bool | None:
        """Whether it stands at a place, whatever follows; None where more text may tell."""
        # A stretch of bounded length, so that no place costs more than any other.
        found = compile_pattern(self.pattern).match(text[place : place + _LONGEST])
        return None if found is None else is_near(found["near"], self.word)

    @cached_property
    def whole(self) -> re.Pattern[str]:
        """Matches it, in text with what must follow."""
        follow = f"(?={self._follow()})" if self._follow is not None else ""
        return compile_pattern(self.pattern + follow)

    @cached_property
    def begun(self) -> re.Pattern[str]:
        """Matches what may become that, up to the end of the text."""
        return tail_that_begins([self.whole.pattern])


def near_openers(
    tokens: Iterable[tuple[str, Terminal]], follow: Callable[[str], str]
) -> Iterator[NearOpener]:
    """Yields what resembles the openers of a node that begin with a bracket or a mark.

    One that begins with a letter would have all words of a text looked at.

    Args:
        tokens: the tokens of the node, each with its group.
        follow: writes what must follow a token in text, given its group.
    """
    for group, terminal in tokens:
        text = terminal.text.strip()
        pattern, word = near_mark(text, "near") if terminal.kind == "literal" else ("", "")
        # Without a mark behind its word, nothing tells where the misspelt word ends.
        if pattern and not (text[0].isalnum() or text.endswith(word)):
            yield NearOpener(group, text, pattern, word, lambda group=group: follow(group))  # type: ignore[misc]
