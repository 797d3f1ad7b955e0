r"""Removes one level of escaping from a text as it arrives: `{\"a\": 1}` becomes `{"a": 1}`."""

from __future__ import annotations

import re
from bisect import bisect_right
from typing import Final

from toolgrammar.tools.json_tokens import ESCAPED, HEX, UNICODE
from toolgrammar.values.patterns import anywhere, late

_WHOLE = anywhere(rf"(?s:[^\\]++|\\{UNICODE}|\\u(?!{HEX}{{0,3}}\Z)|\\[^u])*+")
"""Up to half an escape at the end."""
_ESCAPE = late(rf"\\(?:u({HEX}{{4}})|([{re.escape(ESCAPED)}]))?")
_ESCAPES: Final = {
    '"': '"', "\\": "\\", "/": "/", "b": "\b", "f": "\f", "n": "\n", "r": "\r", "t": "\t"
}  # fmt: skip


def _unescaped(match: re.Match[str]) -> str:
    """Returns the character of an escape; a backslash that escapes nothing is kept."""
    if match[2] is not None:
        return _ESCAPES[match[2]]
    if match[1] is None:
        return "\\"
    # Halves of a pair stay escapes: the reader of the value joins them.
    code = int(match[1], 16)
    return match.group() if 0xD800 <= code < 0xE000 else chr(code)


class Unescaper:
    """Undoes the escapes of a text, and knows where each character came from."""

    def __init__(self, base: int) -> None:
        self._rest = ""
        self._source = base
        self._made = 0
        self._parts: list[tuple[int, int, str]] = []
        """The pieces that were undone: where each begins in what was made, in the source, and it."""
        self._marks: dict[int, list[tuple[int, int]]] = {}
        """By the number of a piece: where its escapes end in what was made, and in the source."""

    def feed(self, text: str, *, final: bool = False) -> str:
        """Returns the text without one level of escaping; half an escape waits."""
        text = self._rest + text
        # `\u00` at the end of a chunk waits for its other digits.
        end = len(text) if final else _WHOLE.match(text).end()
        text, self._rest = text[:end], text[end:]
        if text.count("\\") == text.count('\\"'):
            made = text.replace('\\"', '"')  # nothing else is escaped: most texts are so
        else:
            made = _ESCAPE.sub(_unescaped, text)
        # The text is kept as it came; where its escapes stand is looked up only for a repair.
        self._parts.append((self._made, self._source, text))
        self._made += len(made)
        self._source += len(text)
        return made

    def source(self, offset: int) -> int:
        """Returns the offset in the source of an offset in what was given."""
        index = max(bisect_right(self._parts, offset, key=lambda part: part[0]) - 1, 0)
        if not self._parts:
            return self._source + offset
        # Made only for pieces that a repair points into.
        if index not in self._marks:
            self._marks[index] = self._marks_of(*self._parts[index])
        marks = self._marks[index]
        # The last mark up to the offset; no second number is as large as this one.
        made, source = marks[bisect_right(marks, (offset, 1 << 62)) - 1]
        return source + offset - made

    @staticmethod
    def _marks_of(made: int, source: int, text: str) -> list[tuple[int, int]]:
        marks = [(made, source)]
        behind = 0
        for match in _ESCAPE.finditer(text):
            made += match.start() - behind + len(_unescaped(match))
            behind = match.end()
            marks.append((made, source + behind))
        return marks
