"""Mends many members or items at once, if each damage among them is unambiguous by itself.

Most damage is repeated throughout a text: other quotes, keys without quotes, missing commas. One
expression finds it piece by piece, and CPython's own scanner checks that the mended text is strict
JSON. Only what the reader of single tokens would mend in the same way is accepted here, so a
stretch changes the speed alone. Its repairs are computed on demand. Example: of `a: 1, b: 2, c: 3`
the first two members become `"a": 1, "b": 2`; `c` waits for what follows.
"""

from __future__ import annotations

import json
from bisect import bisect_left
from functools import cache
from itertools import accumulate
from typing import TYPE_CHECKING, Final, NamedTuple

from toolgrammar.core.payloads.json.other_scalars import WORDS
from toolgrammar.core.payloads.json.whole import scan_unique
from toolgrammar.core.payloads.mended.look import BLOCK_COMMENT, DOTS, REACH
from toolgrammar.tools.json_tokens import CONTROLS, ESCAPE, HALVES, LITERAL, SHORT_NUMBER, SPACE
from toolgrammar.values.patterns import compile_pattern, late

if TYPE_CHECKING:
    import re

    from toolgrammar.core.payloads.mended.frames import Frame
    from toolgrammar.core.payloads.mended.state import State

LEAST: Final = 256
"""The characters of text that must be left to look for a stretch."""
_FIRST_WINDOW: Final = 256
_LONGEST_WINDOW: Final = 1 << 14
"""The maximal number of characters in one window."""
_BETWEEN: Final = " \t\n\r,/#}]"
"""The characters that may be in the place of a key or an item, and begin none."""
_WS: Final = SPACE
_CONTROLS: Final = CONTROLS + HALVES
# White space and comments between tokens; a comment must end.
_A_COMMENT: Final = (
    rf"(?!(?://|/\*|\#)\s*+{DOTS})"  # one that stands for values is a doubt
    rf"(?:(?://|\#)[^\n\r]*+(?=[\n\r])|{BLOCK_COMMENT})"
)
_BLANK: Final = rf"(?:[ \t\n\r]++|{_A_COMMENT})*+"
# Words that are a number or a literal, or begin text that needs a closer look.
_NO_TEXT: Final = rf"(?!(?i:{'|'.join(word for word in WORDS if word.isalpha())}))"
# What follows a literal; a comma may be missing before a key.
_WORD_END: Final = rf"""(?={_WS}[,}}\]]|[ \t\n\r]++(?:"[^"\\{_CONTROLS}]{{1,64}}+"|'[^'\\{_CONTROLS}]{{1,64}}+'){_WS}:)"""


def _other_string(opener: str, closer: str) -> str:
    """Returns the pattern of a string in other quotes: a key before a colon, or a value."""
    stops = f'{opener}{closer}"\\\\{_CONTROLS},'
    key = rf"[^{stops}]{{1,64}}+(?={closer}{_WS}:)"
    value = rf"""(?:[^{stops}]++|,(?!{_WS}["'{closer}]))++(?={closer}(?!{_BLANK}:))"""
    return f"{opener}({key}|{value}){closer}(?:{_WS}:{_WS})?+"


_SOUND: Final = "|".join(
    (
        rf'"[^"\\{_CONTROLS}]{{1,64}}+"{_WS}:{_WS}',
        rf"""\"(?:[^"\\,{_CONTROLS}]++|,(?!{_WS}["'])|{ESCAPE})*+"(?!{_BLANK}:)""",
        rf'{SHORT_NUMBER}(?={_WS}[,}}\]]|[ \t\n\r]++(?:["\'\u201c{{\[0-9\-\#]|/[/*]))',
        rf"(?:{LITERAL}){_WORD_END}",
        rf"[{{\[:]{_WS}",  # an opener or a colon
        rf",(?!{_BLANK}[,}}\]]){_WS}",
        r"[}\]]",  # a closer
        r"[ \t\n\r]++(?![\"'\u201c{\[0-9\-])",
    )
)
# The groups of `_DAMAGED`, in its order.
(_SINGLE, _SMART, _KEY, _LITERAL, _TEXT, _COMMENT, _NO_COMMA, _COMMA) = range(1, 9)
_BARE_KEY: Final = (
    r"([^\W\d][\w$\-]{0,63}+)[ \t]*+:"
    rf"""{_WS}(?=["'\u201c{{\[0-9\-]|(?i:{LITERAL})\b)"""
)
_DAMAGED: Final = "|".join(
    (
        _other_string("'", "'"),  # _SINGLE
        _other_string("\u201c", "\u201d"),  # _SMART
        _BARE_KEY,  # _KEY
        rf"(True|False|None|TRUE|FALSE|NULL|Null){_WORD_END}",  # _LITERAL
        rf"({_NO_TEXT}[A-Za-z](?:[A-Za-z0-9_.\-]++|[ ]++(?=[A-Za-z0-9_]))*+)(?=[,}}\]])",
        rf"({_A_COMMENT}){_WS}(?![/#])",  # _COMMENT
        r"(?<=[\"'\u201d}\]0-9elEL])()[ \t\n\r]++(?=[\"'\u201c{\[0-9\-])",
        rf"(,)(?={_WS}[}}\]])",
    )
)
_LITERALS: Final = {"t": "true", "f": "false", "n": "null"}
_colon = late(rf"{_WS}:")
_separator = late(rf"{_WS},{_WS}")
_key_and_colon = late(rf'{_WS}"([^"\\]*+)"{_WS}:{_WS}')


@cache
def _pattern() -> re.Pattern[str]:
    """Returns the expression that matches up to the next damage, whose kind is its group."""
    return compile_pattern(f"(?:{_SOUND})*+(?:{_DAMAGED})?+")


class Stretch(NamedTuple):
    """A stretch that was mended, and the state of the reader where it began."""

    text: str
    """Its text, with the next member or item and the text that a look may examine behind that."""
    start: int
    """Its offset in the source."""
    end: int
    state: int
    path: str
    """The path of the object or array."""
    members: int
    """The number of members or items before it in that."""
    strict: bool
    doubts: tuple[str, ...]
    """The codes of the repairs that may have guessed wrong."""


class Stretches:
    """Decides where to look for a stretch, and stores the ones that were mended.

    After a look that finds little, the next one waits, longer each time: so looks cost at most a
    fraction of the rest.
    """

    def __init__(self, max_depth: int) -> None:
        self.mended: list[Stretch] = []
        """The stretches, in order."""
        self._max_depth = max_depth
        self._look_from = 0
        """The offset of the source before which a look is not worth its cost."""
        self._size = _FIRST_WINDOW
        """The size of the next window in characters, for `_frame`."""
        self._frame: Frame | None = None
        """The object or array in which a stretch was mended last."""
        self._pause = _FIRST_WINDOW // 2
        """The characters that are read token by token after a look that found little."""

    def take(self, state: State) -> bool:
        """Mends members or items at once, up to the last but one; returns whether it mended any."""
        source, frame = state.source, state.stack[-1]
        text, start, place = source.text, source.pos, source.base + source.pos
        if len(text) - start < LEAST or place < self._look_from or text[start] in _BETWEEN:
            return False
        # A schema may want other types, and doubled quotes are not among the damages here.
        if frame.guide is not None or state.doubled:
            return False
        size = self._size if frame is self._frame else _FIRST_WINDOW
        seen = frame.seen if frame.is_object else None
        window = _look(text, start, size, seen, self._max_depth - len(state.stack))
        # The last member only shows where the one before it ends.
        count = window.members - 1
        end, damages = window.source(window.before)
        # Less than a quarter of the window: the next look waits longer.
        if count < 1 or (end - start) * 4 < window.end - start:
            self._look_from = place + max(self._pause, (window.end - start) // 2)
            self._pause = min(self._pause * 2, _LONGEST_WINDOW)
            self._frame = None
            if count < 1:
                return False
        else:
            self._pause = _FIRST_WINDOW // 2
            self._frame, self._size = frame, min(size * 4, _LONGEST_WINDOW)
        state.insert_comma(start)
        if damages:
            # All that the reader of single tokens needs to compute the repairs later.
            shown = text[start : window.source(window.last)[0] + REACH + 1]
            before = (state.mode, frame.path, frame.members, state.strict)
            doubts = ("bare-text",) if window.text_from < end else ()
            self.mended.append(Stretch(shown, place, source.base + end, *before, doubts))
        written = window.written[: window.before]
        state.pass_by(written, window.keys[:count], count, mended=damages > 0)
        source.go(end)
        return True

    def pause(self, until: int) -> None:
        """Does not look for a stretch before an offset of the source."""
        self._look_from = until


class _Window:
    """A part of a text after mending: the origin of each piece, and how much of it is strict."""

    def __init__(self, text: str, start: int, end: int) -> None:
        self._start = start
        self.end = end
        self._pieces: list[str] = []
        """Alternately an unchanged piece of the source and the replacement of a damage."""
        self._ends: list[int] = []
        """The offset in the source of the end of each damage."""
        self._stop = end
        """The offset of the first character that is neither plainly sound nor plainly damaged."""
        self.text_from = end
        """The offset in the source of the first text without quotes."""
        self._mend(text, start, end)
        self.written = "".join(self._pieces)
        self.keys: list[str] = []
        """The keys of the strict members; items have none."""
        self.members = 0
        """The number of strict members or items."""
        self.before = self.last = 0
        """The ends of the last but one and of the last of them, in the mended text."""
        self.is_cut = False
        """Whether the part ended before anything that can't be mended here."""

    def _mend(self, text: str, start: int, end: int) -> None:
        """Mends a text up to the first place that is neither plainly sound nor plainly damaged."""
        pieces, ends = self._pieces, self._ends
        last = start
        for match in _pattern().finditer(text, start, end):
            kind = match.lastindex
            # Neither sound nor plainly damaged: the reader of single tokens continues here.
            if kind is None:
                self._stop = match.end()
                break
            first, after = match.span(kind)
            if kind <= _TEXT and kind != _LITERAL:
                written = f'"{text[first:after]}"'
                # The body is replaced together with its quotes.
                if kind <= _SMART:
                    first, after = first - 1, after + 1
                elif kind == _TEXT:
                    self.text_from = min(self.text_from, first)
            elif kind == _LITERAL:
                written = _LITERALS[text[first].lower()]
            elif kind == _COMMENT and _is_far(text, first, after):
                self._stop = first
                break
            else:
                written = "," if kind == _NO_COMMA else ""
            pieces += (text[last:first], written)
            ends.append(after)
            last = after
        pieces.append(text[last : self._stop])

    def source(self, place: int) -> tuple[int, int]:
        """Returns the offset in the source of a value's end, and how much is mended before it."""
        offsets = list(accumulate(map(len, self._pieces)))
        index = bisect_left(offsets, place)
        count = (index + 1) // 2
        # Pieces alternate between unchanged and mended: an odd index is a damage.
        behind = self._ends[count - 1] if count else self._start
        return behind if index % 2 else behind + place - (offsets[index - 1] if index else 0), count

    def read(self, seen: set[str] | None, depth: int) -> None:
        """Reads members, or items if `seen` is None, as long as they are strict.

        Args:
            seen: the keys that the open object has already; None for an array.
            depth: how deep brackets may nest inside.
        """
        written, position = self.written, 0
        known: set[str] = set()
        try:
            while True:
                if seen is not None:
                    match = _key_and_colon.match(written, position)
                    if match is None or match[1] in seen or match[1] in known:
                        break
                    self.keys.append(match[1])
                    known.add(match[1])
                    position = match.end()
                _, after = scan_unique(written, position)
                # With so many brackets it may nest too deep; in a short value they are not counted.
                if after - position > 2 * depth and _brackets(written, position, after) > depth:
                    break
                match = _separator.match(written, after)
                if match is None and _colon.match(written, after):
                    break  # a key where an item should be
                self.members += 1
                self.before, self.last = self.last, after
                position = after
                if match is None:
                    break
                position = match.end()
        except StopIteration as stop:
            position = stop.value
        except json.JSONDecodeError as error:
            position = error.pos
        except (ValueError, RecursionError):
            pass
        # It ran out of text before anything that it can't mend.
        self.is_cut = position >= len(written) and self._stop > self.end - _FIRST_WINDOW // 2


def _look(text: str, start: int, size: int, seen: set[str] | None, depth: int) -> _Window:
    """Mends `size` characters from an index on, and more if no member ends within them."""
    limit = min(len(text), start + _LONGEST_WINDOW)
    while True:
        window = _Window(text, start, min(start + size, limit))
        window.read(seen, depth)
        if window.members > 1 or not window.is_cut or window.end == limit:
            return window
        size *= 4


def _is_far(text: str, start: int, end: int) -> bool:
    """Whether a look from the last quote would end inside this comment."""
    quote = max(text.rfind(each, max(0, start - 2 * REACH), start) for each in "\"'\u201d")
    return quote >= 0 and end - quote > REACH


def _brackets(text: str, start: int, end: int) -> int:
    return text.count("{", start, end) + text.count("[", start, end)
