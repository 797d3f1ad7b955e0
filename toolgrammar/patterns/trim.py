r"""Takes white space off the ends of a raw payload while it streams.

Example: in the mode `strip`, of `\n  ls -l \n` the text `ls -l` is left; the blank and the line end
behind it are held until more text comes, or the end.
"""

from __future__ import annotations

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


def _before_line_end(text: str, end: int) -> int:
    """Returns where a line end begins that ends at an index; the index where there is none."""
    # Both characters are one line end: to take off the second alone would leave a bare `\r`.
    if text.endswith("\r\n", 0, end):
        return end - 2
    return end - 1 if text[end - 1 : end] in ("\n", "\r") and end else end


class Trimmer:
    """Passes on what is certain of a payload; `finish` returns what is left at its end."""

    def __init__(self, mode: str, *, before: bool = True, holds: bool = False) -> None:
        self.mode = mode
        self.holds = holds
        """Whether a line end is held that may belong to markup behind a closer that is missing."""
        self.dropped = 0
        """Characters that `finish` left out because the closer is missing."""
        self.before = before
        # These modes take nothing off the front.
        self.began = mode in (NONE, RIGHT, INDENT) or (mode == ONE_NEWLINE and not before)
        self.held: list[str] = []

    def feed(self, text: str) -> str:
        """Takes the next part of the payload; returns what of it is certain."""
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
        # A closing quote, or the last line end, is known at the end alone: all of it is held.
        if self.mode in (QUOTED, INDENT):
            self.held.append(text)
            return ""
        return self._pass(text)

    def _begin(self, text: str) -> bool:
        """Drops what stands in front; keeps in `held` what goes on, once that is decided."""
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
        # Most chunks end with a character that no mode takes off: nothing is held then.
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
            # Only white space so far: kept in pieces, so that a long run costs no copies.
            self.held.append(text)
            return ""
        text = "".join(self.held) + text
        cut = self._tail_start(text)
        self.held = [text[cut:]] if cut < len(text) else []
        return text[:cut]

    def _tail_start(self, text: str) -> int:
        if self.mode in (ONE_NEWLINE, NONE):
            end = _before_line_end(text, len(text))
            # Two are held: the payload's own, and one before markup whose closer is missing.
            return _before_line_end(text, end) if self.holds and self.mode != NONE else end
        kept = text.rstrip("\r\n") if self.mode == NEWLINES else text.rstrip()
        return len(kept)

    def finish(self, *, whole: bool = True, mended: bool = False) -> str:
        """Returns what is left at the end: of a whole payload nothing that is trimmed.

        Args:
            whole: nothing cuts the payload.
            mended: its closer is missing: a line end before what follows belongs to that.
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
            # A quote at one end only belongs to the value.
            if len(text) >= 2 and text[0] == text[-1] == '"':
                text = text[1:-1]
            return text
        if self.mode == INDENT:
            return _unindented(text)
        if self.mode == NONE:
            return text
        if self.mode == ONE_NEWLINE:
            # Where the message was cut, the line end may be one of the value's own: it stays.
            if not whole or mended:
                return text[: _before_line_end(text, len(text))] if mended else text
            for line_end in ("\r\n", "\n"):
                if text.endswith(line_end):
                    return text[: -len(line_end)]
            return text
        if self.mode == LINE:
            # A value that was cut has not come to the end of its last line.
            return "\n" if whole else ""
        # The modes that are left take all of it off the end, and nothing else was held.
        return ""


def _unindented(text: str) -> str:
    """Takes off each line what the first one begins with, or what of it the line has."""
    lines = text.strip("\r\n").split("\n")
    width = len(lines[0]) - len(lines[0].lstrip(" \t"))
    # A line that is less indented loses what it has.
    return "\n".join(line[min(width, len(line) - len(line.lstrip(" \t"))) :] for line in lines)
