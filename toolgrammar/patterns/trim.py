r"""Removes white space from the ends of a raw payload while it streams.

Example: in the mode `strip`, `\n  ls -l \n` becomes `ls -l`; the blank and the line end
after it are held until more text comes, or the end.
"""

from __future__ import annotations

from typing import Final

from toolgrammar.values.patterns import late

NONE = "none"
ONE_NEWLINE = "one-newline"
NEWLINES = "newlines"
STRIP = "strip"
RIGHT = "right"
QUOTED = "quoted"
LINE = "line"
INDENT = "indent"

MODES = {
    NONE: "nothing is taken off",
    ONE_NEWLINE: "one line end at each end",
    NEWLINES: "one line end in front and all line ends behind",
    STRIP: "all white space at both ends",
    RIGHT: "all white space behind",
    LINE: "all white space at both ends; then one line end is put behind",
    QUOTED: "all white space at both ends, then one pair of double quotes",
    INDENT: "from each line the white space that the first one begins with; line ends behind",
}


_SEVERAL: Final = late(r'"(?:[^"\\]|\\[\s\S])*+(?<![\s"])"(?=\W)')
"""The beginning of several quoted texts, whose outer quotes are no pair: `"tea" or "coffee"`."""


def _before_line_end(text: str, end: int) -> int:
    """Returns the start of the line end that ends at an index; the index if there is none."""
    # Both characters are one line end: removing only the second would leave a bare `\r`.
    if text.endswith("\r\n", 0, end):
        return end - 2
    return end - 1 if text[end - 1 : end] in ("\n", "\r") and end else end


class Trimmer:
    """Passes on the certain text of a payload; `finish` returns the rest at its end."""

    def __init__(self, mode: str, *, before: bool = True, holds: bool = False) -> None:
        """Begins a payload.

        Args:
            mode: one of `MODES`.
            before: whether the mode `one-newline` removes a line end in front, too.
            holds: whether a line end is held that may belong to the markup after a missing closer.
        """
        self.mode = mode
        self.holds = holds
        self.dropped = 0
        """How many characters `finish` dropped because the closer is missing."""
        # These modes remove nothing from the front.
        self.began = mode in (NONE, RIGHT, INDENT) or (mode == ONE_NEWLINE and not before)
        """Whether the front of the payload is trimmed: from there on only its end changes."""
        self.held: list[str] = []
        """The text that is not certain yet, in pieces."""

    def feed(self, text: str) -> str:
        """Accepts the next part of the payload; returns the text that is certain."""
        if not text:
            return ""
        if not self.began:
            text = "".join(self.held) + text
            self.held = []
            if not self._begin(text):
                return ""
            text = self.held.pop()
        if self.mode == NONE and not self.holds:
            return text
        # A closing quote, or the last line end, is known only at the end: all text is held.
        if self.mode in (QUOTED, INDENT):
            self.held.append(text)
            return ""
        return self._pass(text)

    def _begin(self, text: str) -> bool:
        """Drops text in front; stores the rest in `held`, once that is decided."""
        if self.mode in (STRIP, LINE, QUOTED):
            text = text.lstrip()
            if not text:
                return False
        elif text.startswith("\n"):
            text = text[1:]
        elif text.startswith("\r"):
            # `\r` may be the first half of `\r\n`.
            if len(text) == 1:
                self.held = [text]
                return False
            text = text[2:] if text[1] == "\n" else text
        self.began = True
        self.held = [text]
        return True

    def _pass(self, text: str) -> str:
        """Returns the certain part of a text, and holds back white space at its end."""
        # Most chunks end with a character that no mode removes: then nothing is held.
        last = text[-1:]
        if (
            not self.held
            and last not in "\r\n"
            and (self.mode in (ONE_NEWLINE, NONE) or not last.isspace())
        ):
            return text
        if self.mode not in (ONE_NEWLINE, NONE) and not text.strip(
            "\r\n" if self.mode == NEWLINES else None
        ):
            # Only white space so far: stored in pieces, so that a long run is not copied
            # repeatedly.
            self.held.append(text)
            return ""
        text = "".join(self.held) + text
        end = self._certain_end(text)
        self.held = [text[end:]] if end < len(text) else []
        return text[:end]

    def _certain_end(self, text: str) -> int:
        """Returns the index up to which a text is certain: the white space behind it may be trimmed."""
        if self.mode in (ONE_NEWLINE, NONE):
            end = _before_line_end(text, len(text))
            # Two are held: the payload's own, and one before markup after a missing closer.
            return _before_line_end(text, end) if self.holds and self.mode != NONE else end
        return len(text.rstrip("\r\n" if self.mode == NEWLINES else None))

    def finish(self, *, whole: bool = True, mended: bool = False) -> str:
        """Returns the held text without the white space that is trimmed at the end.

        Args:
            whole: whether the payload is not cut.
            mended: whether its closer is missing: then a line end belongs to the text after it.
        """
        text = "".join(self.held)
        self.held = []
        if mended and self.holds and self.began:
            end = _before_line_end(text, len(text))
            text, self.dropped = text[:end], len(text) - end
        if not self.began:
            return ""
        if self.mode == QUOTED:
            text = text.rstrip()
            # A quote at one end only is part of the value.
            if len(text) >= 2 and text[0] == text[-1] == '"' and not _SEVERAL.match(text):
                text = text[1:-1]
            return text
        if self.mode == INDENT:
            return _unindented(text)
        if self.mode == NONE:
            return text
        if self.mode == ONE_NEWLINE:
            # If the message was cut, the line end may be part of the value: it is kept.
            if not whole or mended:
                return text[: _before_line_end(text, len(text))] if mended else text
            for line_end in ("\r\n", "\n"):
                if text.endswith(line_end):
                    return text[: -len(line_end)]
            return text
        if self.mode == LINE:
            # A cut value has not reached the end of its last line.
            return "\n" if whole else ""
        # The remaining modes trim all of it, and nothing else was held.
        return ""


def _unindented(text: str) -> str:
    """Removes the indent of the first line from each line, or as much of it as the line has."""
    lines = text.strip("\r\n").split("\n")
    width = len(lines[0]) - len(lines[0].lstrip(" \t"))
    # A line with less indent loses all of it.
    return "\n".join(line[min(width, len(line) - len(line.lstrip(" \t"))) :] for line in lines)
