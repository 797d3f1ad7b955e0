"""Finds the remains of damaged calls in a text, which open no call and would be lost silently.

Examples: `{"nmae": "tide", "arguments": {}}` has the keys of a call, and one of them is misspelt;
behind "``bash" and a command, a line of three backticks closes no block.
"""

from __future__ import annotations

import json
import re
from functools import cached_property
from typing import TYPE_CHECKING, Final, Protocol

from toolgrammar.core.evidence.named_tools import places_of_calls
from toolgrammar.core.evidence.used import begins, closes_more, is_used
from toolgrammar.patterns.damaged_marks import is_symbol, most_damaged
from toolgrammar.patterns.distances import distance, is_within
from toolgrammar.patterns.fences import LEAST
from toolgrammar.values.patterns import compile_pattern, late

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence

    from toolgrammar.core.evidence.mended_marks import MarksOfAny, MarksOfCalls, MendedMark
    from toolgrammar.values.tools import ToolSpec

_LINE = late(r"^[ \t]{0,3}(`{3,})(?![ \t]+\S)([^\n`]*)$", re.MULTILINE)
"""A line that is a fence; with words behind a blank it would be part of a sentence."""
_OBJECT = late(r"\s*+[^\w\s]{0,3}?[{\[]")
_OF_A_FILE = late(r"\s*+(?:[^\w\n]{0,4}-{2}|[^@\n]*\n[^\w\n]{0,4}\+{2})")
"""The lines of a diff with the names of its files, whole or damaged."""
_FIRST_KEY_OF_BLOCK = late(r"\s*+([^\s:]{2,24}[^\n:]{0,2}:)")
_MOST_OF_KEY: Final = 2
"""The maximal number of damaged characters of such a key."""
_OTHERS: Final = frozenset(
    {"bat", "basic", "csh", "dash", "fish", "json5", "jsonc", "jsonl", "pyi", "toml", "yml", "zsh"}
)
"""Languages whose names resemble those of the languages in which calls are written."""
_OF_TEXTS: Final = frozenset({"bash", "diff", "json", "py", "python", "xml", "yaml"})
"""Words behind fences that are common in text that is no call."""


def broken_fence(
    text: str, words: Sequence[str], labels: Collection[str] = ()
) -> tuple[int, str] | None:
    """Returns the fence of a block that may be a call and could not be read, and its place.

    Args:
        text: the text.
        words: the words behind the fences of calls; `json` if the call is an object.
        labels: the keys that such calls begin with, with their colons.
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
    """Whether a block that was not read as a call begins like one: with a file, or a damaged key."""
    if word == "diff":
        return _OF_A_FILE.match(text, place) is not None
    key = _FIRST_KEY_OF_BLOCK.match(text, place)
    return key is not None and any(0 < distance(each, key[1]) <= _MOST_OF_KEY for each in labels)


def _is_of_calls(word: str, words: Sequence[str]) -> bool:
    """Whether only calls have this word behind a fence, or it is a damaged form of such a word."""
    if word in words or word in _OTHERS:
        return word in words and word not in _OF_TEXTS and word != ""
    return any(
        0 < distance(each, word[: len(each) + 2]) <= most_damaged(each)
        for each in words
        if len(each) > LEAST
    )


_LONG: Final = 6
"""The least length of a key that data seldom has, such as `arguments`; `name` is common in data."""
_MOST: Final = 64
"""The maximal number of keys that are examined."""
_WRITTEN = late(
    r"""(?<=[{,\s])"(?P<quoted>[^"\n]{2,24})"\s{0,8}:
    |(?=[^\s{}\[\],:]{0,24}["'\u201c\u201d]|[^\s{}\[\],:]{0,24}:["'])
    (?=[^\s{}\[\],:]{1,57}+[{}\[\],]?\s{0,8}:)
    ["'\u201c]{0,4}(?P<loose>(?:[^\s"'{}\[\],:]["'\u201d]?){1,24}?)["'\u201d\\]{0,4}[^\s\w"']?\s{0,8}:""",
    re.VERBOSE,
)
"""A possible key: it has its colon and at least one quote. A run of quotes is not a key. The colon is
looked for first, since finding the end of a word takes most of the time if no colon follows."""
_QUOTES = late(r"[\"'\u201c\u201d]")


def broken_object(text: str, keys: Collection[str]) -> tuple[int, str] | None:
    """Returns the first key of a call in an object that may be one, and its place.

    It needs two keys of a call, and one of them, or the object, is damaged: an undamaged object that is
    not a call is data. One key is enough if the beginning of the object is missing, as in
    `save", "arguments": {}}`.

    Args:
        text: the text.
        keys: the keys that calls have.
    """
    if not keys or ("{" not in text and "}" not in text):
        return None
    whole = {key: at for key in keys if (at := text.find(f'"{key}"')) >= 0}
    damaged = _damaged_keys(text, keys)
    found = {**damaged, **whole}
    # Short keys, as `id`, are in any data.
    if not any(len(key) >= _LONG for key in found):
        return None
    if len(found) < 2 and not any(closes_more(text, at) for at in whole.values()):
        return None
    # A sound object is not a damaged call: it is data, and was judged as such.
    first = min(found.values())
    if not damaged and _is_sound(text, first):
        return None
    return first, text[first : first + 40]


def _damaged_keys(text: str, keys: Collection[str]) -> dict[str, int]:
    """Returns the keys that are damaged in a text, each with its place."""
    found: dict[str, int] = {}
    for number, each in enumerate(_WRITTEN.finditer(text)):
        if number >= _MOST:
            break
        word = each["quoted"] or _QUOTES.sub("", each["loose"])
        if word in keys and f'"{word}"' in each[0]:
            continue  # undamaged
        for key in keys:
            most = most_damaged(f'"{key}"')
            if key not in found and is_within(most, key, word):
                found[key] = each.start()
    return found


def _is_sound(text: str, place: int) -> bool:
    """Whether the object around a place is sound JSON."""
    start = text.rfind("{", 0, place)
    try:
        json.JSONDecoder().raw_decode(text, max(0, start))
    except (ValueError, RecursionError):
        return False
    return True


_NEAR: Final = 160
"""The number of characters before a place that are examined."""
_NAME = r"[\w.-]{1,64}"
_FIRST_KEY = late(r"[a-z]+:")
_KEY = late(r"""["'][\w ]+["']:?""")


class FindsRemains(Protocol):
    """Searches for the remains of damaged calls, of one format or of several."""

    def find(self, text: str, tools: Mapping[str, ToolSpec]) -> tuple[int, str] | None:
        """Returns the place and the text of the first remains in a text; None if there are none."""
        ...

    def mended(self, text: str, tools: Mapping[str, ToolSpec]) -> Iterator[MendedMark]:
        """Yields the ways to repair one damaged mark so that a call opens in a text."""
        ...


class Remains:
    """Searches for the remains of damaged calls of one format."""

    def __init__(
        self,
        signs: Iterable[str],
        openers: Iterable[str],
        closers: Iterable[str],
        names: Sequence[str],
        marks: MarksOfCalls,
    ) -> None:
        """Takes the markup of a format.

        Args:
            signs: the signs of calls.
            openers: the openers of calls.
            closers: the closers of calls.
            names: the names of the known tools.
            marks: the fixed marks in calls.
        """
        self._marks_of_calls = marks
        self._signs, self._closers = tuple(signs), tuple(closers)
        self._openers = tuple(filter(None, (each.strip() for each in openers)))
        self._keys = tuple(each.strip("\"':") for each in self._signs if _KEY.fullmatch(each))
        self._first_keys = tuple(each for each in self._signs if _FIRST_KEY.fullmatch(each))
        self._tags = tuple(each for each in self._openers if each[0] in "<[]" and len(each) > LEAST)
        # `<view_shell/>`: the tag is the name of the tool.
        self._named = tuple(f"<{name}" for name in names if "<" in self._openers)

    def find(self, text: str, tools: Mapping[str, ToolSpec]) -> tuple[int, str] | None:
        """Returns the place and the text of the first remains in a text; None if there are none."""
        places = (
            self._symbol(text),
            self._tag(text),
            self._mark(text),
            broken_fence(text, self._fence_words, self._first_keys),
            broken_object(text, self._keys),
        )
        return min((each for each in places if each is not None), default=None)

    def mended(self, text: str, tools: Mapping[str, ToolSpec]) -> Iterator[MendedMark]:
        """Yields the ways to repair one damaged mark so that a call opens in a text."""
        return self._marks_of_calls.mended(text)

    @cached_property
    def _fence_words(self) -> tuple[str, ...]:
        """The words behind the fences of calls; none if calls have special tokens."""
        if any("<|" in each or "\uff5c" in each or "[" in each for each in self._openers):
            return ()
        fences = (each.strip("`").strip() for each in self._openers if each.startswith("```"))
        return tuple(sorted({re.sub(r"\W.*", "", each) for each in fences}))

    @cached_property
    def _symbols(self) -> re.Pattern[str] | None:
        first = "".join(sorted({each[0] for each in self._openers if is_symbol(each[0])}))
        # The variation selector of an emoji may be left if the emoji itself is missing.
        alone = "(?<![\u2000-\U0010ffff])\ufe0f(?!\u20e3)"
        return compile_pattern(f"(?m)^[^\n]{{0,3}}?(?:[{first}]|{alone})") if first else None

    def _symbol(self, text: str) -> tuple[int, str] | None:
        for found in self._symbols.finditer(text) if self._symbols is not None else ():
            # A closer alone is not a lost call.
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
        # An undamaged opener that opened no call: its content is damaged.
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
        """Finds a mark such as `>>>` or `@`, whole or damaged, that a name follows."""
        searches = (pattern.search(text) for pattern in self._mark_patterns)
        found = next(filter(None, searches), None)
        return None if found is None else (found.start(), found[0])


class RemainsOfAny:
    """Searches for the remains of damaged calls of several formats."""

    def __init__(
        self,
        each: Callable[[Mapping[str, ToolSpec]], Iterable[FindsRemains]],
        marks: MarksOfAny | None,
    ) -> None:
        """Takes the searches.

        Args:
            each: returns the search of each format that is likely with some tools.
            marks: the marks of all formats, which are repaired beside the name of a tool.
        """
        self._each, self._marks = each, marks

    def find(self, text: str, tools: Mapping[str, ToolSpec]) -> tuple[int, str] | None:
        """Returns the place and the text of the first remains in a text; None if there are none."""
        places = (remains.find(text, tools) for remains in self._each(tools))
        return min((each for each in places if each is not None), default=None)

    def mended(self, text: str, tools: Mapping[str, ToolSpec]) -> Iterator[MendedMark]:
        """Yields the ways to repair one damaged mark so that a call opens in a text."""
        for remains in self._each(tools):
            yield from remains.mended(text, tools)
        if self._marks is not None:
            yield from self._marks.mended(text, places_of_calls(text, tools))


def _is_mark(opener: str) -> bool:
    """Whether an opener is one character, or the same one three times, but no bracket or quote."""
    is_one = len(opener) in (1, LEAST) and opener == opener[0] * len(opener)
    return is_one and not opener[0].isalnum() and opener[0] not in "`{[<\"'("
