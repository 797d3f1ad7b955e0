"""Takes one level of escaping from a text as it arrives."""

from __future__ import annotations

import re
from bisect import bisect_right
from typing import Final

_PLAIN = re.compile(r"[^\\]*+")
_ESCAPES: Final = {
    '"': '"', "\\": "\\", "/": "/", "b": "\b", "f": "\f", "n": "\n", "r": "\r", "t": "\t"
}  # fmt: skip
_HEX = re.compile(r"[0-9a-fA-F]{0,4}")


class Unescaper:
    """Undoes the escapes of a text, and knows where each character came from."""

    def __init__(self, base: int) -> None:
        self._rest = ""
        self._source = base
        self._made = 0
        self._marks = [(0, base)]

    def feed(self, text: str, *, final: bool = False) -> str:
        """Gives the text without one level of escaping; half an escape waits."""
        text = self._rest + text
        position, out = 0, []
        while position < len(text):
            end = _PLAIN.match(text, position).end()  # type: ignore[union-attr]
            if end > position:
                out.append(text[position:end])
                self._made += end - position
                self._source += end - position
                position = end
                continue
            piece, width = self._escape(text, position, final=final)
            if not width:
                break
            out.append(piece)
            self._made += len(piece)
            self._source += width
            self._marks.append((self._made, self._source))
            position += width
        self._rest = text[position:]
        return "".join(out)

    def _escape(self, text: str, start: int, *, final: bool) -> tuple[str, int]:
        """Gives what an escape stands for and its length, 0 where its rest has not come."""
        if start + 1 == len(text):
            return ("\\", 1) if final else ("", 0)
        character = text[start + 1]
        if character == "u":
            end = _HEX.match(text, start + 2).end()  # type: ignore[union-attr]
            if end == start + 6:
                # Halves of a pair stay escapes: the reader of the value joins them.
                code = int(text[start + 2 : end], 16)
                return (text[start:end] if 0xD800 <= code < 0xE000 else chr(code)), 6
            if end == len(text) and not final:
                return "", 0
        if character in _ESCAPES:
            return _ESCAPES[character], 2
        return "\\", 1

    def source(self, offset: int) -> int:
        """Gives the offset in the source of an offset in what was given."""
        made, source = self._marks[bisect_right(self._marks, (offset, 1 << 62)) - 1]
        return source + offset - made
