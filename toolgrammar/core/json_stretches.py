"""Mends a stretch of members or items at once, where each damage shows by itself.

Most damage is the same thing all over a text: other quotes, keys without quotes, commas missing.
One expression finds it piece by piece, and CPython's own scanner tells whether what was mended is
strict JSON. Only what the reader of single tokens would mend in the same way is taken here, so that
a stretch changes the speed alone. Its repairs are found when somebody asks for them.
"""

from __future__ import annotations

import json
from bisect import bisect_left
from functools import cache
from itertools import accumulate
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from toolgrammar.core.json_look import REACH
from toolgrammar.core.json_runs import UNIT
from toolgrammar.core.json_state import FIRST_WINDOW, LONGEST_WINDOW
from toolgrammar.values.patterns import compile_pattern, late

if TYPE_CHECKING:
    import re
    from collections.abc import Callable

    from toolgrammar.core.json_frames import Frame

_WS: Final = r"[ \t\n\r]*+"
_CONTROLS: Final = "\\x00-\\x1f\ud800-\udfff"
_NUMBER: Final = r"-?(?:0|[1-9][0-9]{0,63}+)(?:\.[0-9]{1,63}+)?+(?:[eE][+-]?[0-9]{1,2}+)?+"
# Between tokens; a comment must end.
_BLANK: Final = (
    r"(?:[ \t\n\r]++|//[^\n\r]*+(?=[\n\r])|\#[^\n\r]*+(?=[\n\r])|/\*(?:[^*]++|\*(?!/))*+\*/)*+"
)
# Words that are a number or a literal, or begin text that needs a closer look.
_NO_TEXT: Final = r"(?!(?i:true|false|null|none|nan|inf|undefined))"
# Behind a literal; a comma may be missing before a key.
_WORD_END: Final = rf"""(?={_WS}[,}}\]]|[ \t\n\r]++(?:"[^"\\{_CONTROLS}]{{1,64}}+"|'[^'\\{_CONTROLS}]{{1,64}}+'){_WS}:)"""


def _other_string(opener: str, closer: str) -> str:
    """Gives the body of a string in other quotes: of a key before a colon, or of a value."""
    stops = f'{opener}{closer}"\\\\{_CONTROLS},'
    key = rf"[^{stops}]{{1,64}}+(?={closer}{_WS}:)"
    value = rf"""(?:[^{stops}]++|,(?!{_WS}["'{closer}]))++(?={closer}(?!{_BLANK}:))"""
    return f"{opener}({key}|{value}){closer}(?:{_WS}:{_WS})?+"


_SOUND: Final = "|".join(
    (
        rf'"[^"\\{_CONTROLS}]{{1,64}}+"{_WS}:{_WS}',
        rf"""\"(?:[^"\\,{_CONTROLS}]++|,(?!{_WS}["'])|{UNIT})*+"(?!{_BLANK}:)""",
        rf'{_NUMBER}(?={_WS}[,}}\]]|[ \t\n\r]++(?:["\'\u201c{{\[0-9\-\#]|/[/*]))',
        rf"(?:true|false|null){_WORD_END}",
        rf"[{{\[:]{_WS}",
        rf",(?!{_BLANK}[,}}\]]){_WS}",
        r"[}\]]",
        r"[ \t\n\r]++(?![\"'\u201c{\[0-9\-])",
    )
)
(_SINGLE, _SMART, _KEY, _LITERAL, _TEXT, _COMMENT, _NO_COMMA, _COMMA) = range(1, 9)
_BARE_KEY: Final = (
    r"([^\W\d][\w$\-]{0,63}+)[ \t]*+:"
    rf"""{_WS}(?=["'\u201c{{\[0-9\-]|(?i:true|false|null)\b)"""
)
_DAMAGED: Final = "|".join(
    (
        _other_string("'", "'"),
        _other_string("\u201c", "\u201d"),
        _BARE_KEY,
        rf"(True|False|None|TRUE|FALSE|NULL|Null){_WORD_END}",
        rf"({_NO_TEXT}[A-Za-z](?:[A-Za-z0-9_.\-]++|[ ]++(?=[A-Za-z0-9_]))*+)(?=[,}}\]])",
        rf"(//[^\n\r]*+(?=[\n\r])|\#[^\n\r]*+(?=[\n\r])|/\*(?:[^*]++|\*(?!/))*+\*/){_WS}(?![/#])",
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
    """Gives the expression that goes on to the next damage, and tells which it is by its group."""
    return compile_pattern(f"(?:{_SOUND})*+(?:{_DAMAGED})?+")


def _members(pairs: list[tuple[str, Any]]) -> None:
    """Refuses an object that has a key twice."""
    if len(dict(pairs)) != len(pairs):
        raise ValueError


_scan_once: Callable[[str, int], tuple[Any, int]] = json.JSONDecoder(
    object_pairs_hook=_members
).scan_once  # type: ignore[attr-defined]


class Mended(NamedTuple):
    """A stretch that was mended."""

    end: int
    """Where it ends in the text."""
    seen: int
    """Where the member or item behind it ends: it shows that the stretch is sound."""
    written: str
    """Its strict JSON."""
    keys: list[str]
    """The keys of its members; of an array there are none."""
    members: int
    damaged: bool
    doubts: tuple[str, ...]
    """The codes of the repairs that may have guessed wrong."""


class Stretch(NamedTuple):
    """A stretch that was mended, and what the reader knew where it began."""

    text: str
    """It, the next member or item, and what a look may see behind that."""
    start: int
    """Its offset in the source."""
    end: int
    state: int
    path: str
    """Of the object or array."""
    members: int
    """How many stand before it there."""
    strict: bool
    doubts: tuple[str, ...]
    """The codes of the repairs that may have guessed wrong."""


class _Pieces:
    """What a text becomes, and where each part of that came from."""

    def __init__(self, text: str, start: int, end: int) -> None:
        self._start = start
        self._pieces: list[str] = []
        """In turn: as it stands, and what is written for a damage."""
        self._ends: list[int] = []
        """Where each damage ends in the source."""
        self.stop = end
        """Where something stands that is not plainly sound or damaged."""
        self._text_from = end
        """Where the first text without quotes begins in the source."""
        self._mend(text, start, end)
        self.written = "".join(self._pieces)

    def _mend(self, text: str, start: int, end: int) -> None:
        """Mends a text up to the first place that is not plainly sound or damaged."""
        pieces, ends = self._pieces, self._ends
        last = start
        for match in _pattern().finditer(text, start, end):
            kind = match.lastindex
            if kind is None:
                self.stop = match.end()
                break
            first, after = match.span(kind)
            if kind <= _TEXT and kind != _LITERAL:
                written = f'"{text[first:after]}"'
                if kind <= _SMART:
                    first, after = first - 1, after + 1
                elif kind == _TEXT:
                    self._text_from = min(self._text_from, first)
            elif kind == _LITERAL:
                written = _LITERALS[text[first].lower()]
            elif kind == _COMMENT and _is_far(text, first, after):
                self.stop = first
                break
            else:
                written = "," if kind == _NO_COMMA else ""
            pieces += (text[last:first], written)
            ends.append(after)
            last = after
        pieces.append(text[last : self.stop])

    def source(self, place: int) -> tuple[int, int]:
        """Gives the offset in the source of the end of a value, and how much is mended before."""
        offsets = list(accumulate(map(len, self._pieces)))
        index = bisect_left(offsets, place)
        count = (index + 1) // 2
        behind = self._ends[count - 1] if count else self._start
        return behind if index % 2 else behind + place - (offsets[index - 1] if index else 0), count

    def has_text(self, end: int) -> bool:
        """Whether there is text without quotes before an offset of the source."""
        return self._text_from < end


def _is_far(text: str, start: int, end: int) -> bool:
    """Whether a look from the last quote would end inside this comment."""
    quote = max(text.rfind(each, max(0, start - 2 * REACH), start) for each in "\"'\u201d")
    return quote >= 0 and end - quote > REACH


def mend(text: str, start: int, end: int, frame: Frame, depth: int) -> tuple[Mended | None, int]:
    """Mends members or items from `start` on, None where there are not two of them.

    Where one ends behind what was looked through, it looks on. Gives how far it looked, too.

    Args:
        text: holds them.
        start: where a key or an item begins.
        end: how far to look first.
        frame: the open object or array.
        depth: how deep brackets may nest inside.
    """
    limit = min(len(text), start + LONGEST_WINDOW)
    while True:
        end = min(end, limit)
        pieces = _Pieces(text, start, end)
        written = pieces.written
        sound = _sound(written, frame.seen if frame.is_object else None, depth)
        is_cut = sound.stop >= len(written) and pieces.stop > end - FIRST_WINDOW // 2
        if sound.number > 1 or not is_cut or end == limit:
            break
        end = start + 4 * (end - start)
    if sound.number < 2:
        return None, end
    source, damages = pieces.source(sound.before)
    found = Mended(
        source,
        pieces.source(sound.last)[0],
        written[: sound.before],
        sound.keys[: sound.number - 1],
        sound.number - 1,
        damages > 0,
        ("bare-text",) if pieces.has_text(source) else (),
    )
    return found, end


class _Sound(NamedTuple):
    """How much of a mended text is strict JSON."""

    keys: list[str]
    number: int
    """How many members or items."""
    before: int
    """Where the last member or item but one ends."""
    last: int
    stop: int
    """Where the reading stopped."""


def _sound(written: str, seen: set[str] | None, depth: int) -> _Sound:
    """Reads members, or items where no keys are `seen`, as long as they are strict."""
    keys: list[str] = []
    known: set[str] = set()
    position = before = last = count = 0
    try:
        while True:
            if seen is not None:
                match = _key_and_colon.match(written, position)
                if match is None or match[1] in seen or match[1] in known:
                    break
                keys.append(match[1])
                known.add(match[1])
                position = match.end()
            _, after = _scan_once(written, position)
            if after - position > 2 * depth and _brackets(written, position, after) > depth:
                break
            match = _separator.match(written, after)
            if match is None and _colon.match(written, after):
                break  # a key where an item should be
            count += 1
            before, last = last, after
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
    return _Sound(keys, count, before, last, position)


def _brackets(text: str, start: int, end: int) -> int:
    return text.count("{", start, end) + text.count("[", start, end)
