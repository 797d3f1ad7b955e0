"""Takes white space off the ends of a raw payload while it streams."""

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


class Trimmer:
    """Passes on what is certain of a payload; `finish` gives what is left at its end."""

    __slots__ = ("before", "began", "held", "mode")

    def __init__(self, mode: str, *, before: bool = True) -> None:
        self.mode = mode
        self.before = before
        self.began = mode in (NONE, RIGHT, INDENT) or (mode == ONE_NEWLINE and not before)
        self.held: list[str] = []

    def feed(self, text: str) -> str:
        """Takes the next part of the payload; gives what of it is certain."""
        if not text:
            return ""
        if not self.began:
            text = "".join(self.held) + text
            self.held = []
            if not self._begin(text):
                return ""
            text = self.held.pop()
        if self.mode == NONE:
            return text
        if self.mode in (QUOTED, INDENT):
            self.held.append(text)
            return ""
        return self._pass(text)

    @property
    def passes(self) -> bool:
        """Whether text that white space does not end is passed on at once."""
        return self.began and not self.held and self.mode not in (QUOTED, INDENT)

    def _begin(self, text: str) -> bool:
        """Drops what stands in front; keeps in `held` what goes on, once that is decided."""
        if self.mode in (STRIP, LINE, QUOTED):
            text = text.lstrip()
            if not text:
                return False
        elif text.startswith("\n"):
            text = text[1:]
        elif text.startswith("\r"):
            if len(text) == 1:
                self.held = [text]
                return False
            text = text[2:] if text[1] == "\n" else text
        self.began = True
        self.held = [text]
        return True

    def _pass(self, text: str) -> str:
        last = text[-1:]
        if (
            not self.held
            and last not in "\r\n"
            and (self.mode == ONE_NEWLINE or not last.isspace())
        ):
            return text
        if self.mode != ONE_NEWLINE and not text.strip("\r\n" if self.mode == NEWLINES else None):
            # Only white space so far: kept in pieces, so that a long run costs no copies.
            self.held.append(text)
            return ""
        text = "".join(self.held) + text
        cut = self._tail_start(text)
        self.held = [text[cut:]] if cut < len(text) else []
        return text[:cut]

    def _tail_start(self, text: str) -> int:
        if self.mode == ONE_NEWLINE:
            if text.endswith("\r\n"):
                return len(text) - 2
            return len(text) - 1 if text[-1:] in ("\n", "\r") else len(text)
        kept = text.rstrip("\r\n") if self.mode == NEWLINES else text.rstrip()
        return len(kept)

    def finish(self, *, whole: bool = True) -> str:
        """Gives what is left at the end: of a whole payload nothing that is trimmed."""
        text = "".join(self.held)
        self.held = []
        if not self.began:
            return ""
        if self.mode == QUOTED:
            text = text.rstrip()
            if len(text) >= 2 and text[0] == text[-1] == '"':
                text = text[1:-1]
            return text
        if self.mode == INDENT:
            return _unindented(text)
        if self.mode == ONE_NEWLINE:
            if not whole:
                return text
            for end in ("\r\n", "\n"):
                if text.endswith(end):
                    return text[: -len(end)]
            return text
        if self.mode == LINE:
            return "\n" if whole else ""
        return "" if whole or self.mode in (STRIP, RIGHT, NEWLINES) else text


def _unindented(text: str) -> str:
    """Takes off each line what the first one begins with, or what of it the line has."""
    lines = text.strip("\r\n").split("\n")
    width = len(lines[0]) - len(lines[0].lstrip(" \t"))
    return "\n".join(line[min(width, len(line) - len(line.lstrip(" \t"))) :] for line in lines)
