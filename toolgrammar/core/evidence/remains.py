"""Finds, in a text, what damage has left of a call: it opens nothing, and would be lost unsaid.

Example: `{"nmae": "tide", "arguments": {}}` has the keys of a call, and one of them is misspelt.
"""

from __future__ import annotations

import re
from functools import cached_property
from itertools import chain
from typing import TYPE_CHECKING, Final, Protocol

from toolgrammar.core.evidence.broken_fences import broken_fence
from toolgrammar.core.evidence.broken_objects import broken_object
from toolgrammar.core.evidence.used import begins, is_used
from toolgrammar.patterns.damaged_marks import is_symbol
from toolgrammar.patterns.fences import LEAST
from toolgrammar.values.patterns import compile_pattern, late

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from toolgrammar.core.evidence.mended_marks import MarksOfCalls, MendedMark

_NEAR: Final = 160
"""Characters before a place that tell."""
_NAME = r"[\w.-]{1,64}"
_FIRST_KEY = late(r"[a-z]+:")
_KEY = late(r"""["'][\w ]+["']:?""")


class FindsRemains(Protocol):
    """The search for what damage has left of a call, of one format or of several."""

    def find(self, text: str) -> tuple[int, str] | None:
        """Returns where the first of them stands in a text, and what stands there."""
        ...

    def mended(self, text: str) -> Iterator[MendedMark]:
        """Yields the ways to put one damaged mark right so that a call opens in a text."""
        ...


class Remains:
    """What may be left of a call of one format."""

    def __init__(
        self,
        signs: Iterable[str],
        openers: Iterable[str],
        closers: Iterable[str],
        names: Sequence[str],
        marks: MarksOfCalls,
    ) -> None:
        """Takes what a format writes.

        Args:
            signs: what shows a call.
            openers: what calls begin with.
            closers: what they end with.
            names: the names of the known tools.
            marks: all that is fixed in it.
        """
        self._marks_of_calls = marks
        self._signs, self._closers = tuple(signs), tuple(closers)
        self._openers = tuple(filter(None, (each.strip() for each in openers)))
        self._keys = tuple(each.strip("\"':") for each in self._signs if _KEY.fullmatch(each))
        self._first_keys = tuple(each for each in self._signs if _FIRST_KEY.fullmatch(each))
        self._tags = tuple(each for each in self._openers if each[0] in "<[]" and len(each) > LEAST)
        # `<view_shell/>`: the tag is the name of the tool.
        self._named = tuple(f"<{name}" for name in names if "<" in self._openers)

    def find(self, text: str) -> tuple[int, str] | None:
        """Returns where the first of them stands in a text, and what stands there."""
        places = (
            self._symbol(text),
            self._tag(text),
            self._mark(text),
            broken_fence(text, self._fence_words, self._first_keys),
            broken_object(text, self._keys),
        )
        return min((each for each in places if each is not None), default=None)

    def mended(self, text: str) -> Iterator[MendedMark]:
        """Yields the ways to put one damaged mark right so that a call opens in a text."""
        return self._marks_of_calls.mended(text)

    @cached_property
    def _fence_words(self) -> tuple[str, ...]:
        """What stands behind the fences of calls; nothing where calls have special tokens."""
        if any("<|" in each or "\uff5c" in each or "[" in each for each in self._openers):
            return ()
        fences = (each.strip("`").strip() for each in self._openers if each.startswith("```"))
        return tuple(sorted({re.sub(r"\W.*", "", each) for each in fences}))

    @cached_property
    def _symbols(self) -> re.Pattern[str] | None:
        first = "".join(sorted({each[0] for each in self._openers if is_symbol(each[0])}))
        # What picks the form of a symbol is left where the symbol itself is gone.
        alone = "(?<![\u2000-\U0010ffff])\ufe0f(?!\u20e3)"
        return compile_pattern(f"(?m)^[^\n]{{0,3}}?(?:[{first}]|{alone})") if first else None

    def _symbol(self, text: str) -> tuple[int, str] | None:
        for found in self._symbols.finditer(text) if self._symbols is not None else ():
            # A closer alone closes nothing, and nothing is lost with it.
            if not text.startswith(self._closers, found.end() - 1):
                return found.start(), text[found.start() : found.end() + 8]
        return None

    def _tag(self, text: str) -> tuple[int, str] | None:
        for each in self._named:
            at = text.find(each)
            end = at + len(each)
            is_whole = at >= 0 and not text[end : end + 1].isalnum()
            if is_whole and begins(text[max(0, at - _NEAR) : at]):
                return at, each
        # One that is whole opened nothing, as what stands in it is damaged.
        for each in self._tags:
            at = text.find(each)
            if at >= 0 and is_used(text, at, at + len(each)):
                return at, each
        return None

    @cached_property
    def _mark_patterns(self) -> tuple[re.Pattern[str], ...]:
        found = []
        for mark in sorted({each for each in self._openers if _is_mark(each)}):
            own = re.escape(mark[0])
            if len(mark) == 1:
                ways = [rf"[^\w\s]{{0,2}}{own}(?={_NAME}[\[{{(])"]
            else:
                odd, name = r"[^\w\s]{0,2}", rf"(?={_NAME}[ \t\r]*\n)"
                ways = [rf"{odd}{own}{{2,}}{odd}{name}", rf"{odd}{own}{odd}{name}"]
            found.append(compile_pattern(f"(?m)^(?:{'|'.join(ways)})"))
        return tuple(found)

    def _mark(self, text: str) -> tuple[int, str] | None:
        """Finds a mark such as `>>>` or `@`, whole or damaged, with the name of a tool behind it."""
        searches = (pattern.search(text) for pattern in self._mark_patterns)
        found = next(filter(None, searches), None)
        return None if found is None else (found.start(), found[0])


class RemainsOfAny:
    """What may be left of a call of one of a few formats."""

    def __init__(self, each: Iterable[FindsRemains]) -> None:
        """Takes the searches of each of them."""
        self._each = tuple(each)

    def find(self, text: str) -> tuple[int, str] | None:
        """Returns where the first of them stands in a text, and what stands there."""
        places = (remains.find(text) for remains in self._each)
        return min((each for each in places if each is not None), default=None)

    def mended(self, text: str) -> Iterator[MendedMark]:
        """Yields the ways to put one damaged mark right so that a call opens in a text."""
        return chain.from_iterable(remains.mended(text) for remains in self._each)


def _is_mark(opener: str) -> bool:
    """Whether an opener is one mark, or the same one three times."""
    is_one = len(opener) in (1, LEAST) and opener == opener[0] * len(opener)
    return is_one and not opener[0].isalnum() and opener[0] not in "`{[<\"'("
