"""Finds where the JSON value of a text begins: at once, behind a fence, or in prose."""

from __future__ import annotations

from typing import Final

from toolgrammar.core.json_look import ODD_SPACES
from toolgrammar.recovery.json_rest import WINDOW, may_go_on
from toolgrammar.values.patterns import anywhere, late

_BLANK = anywhere(
    rf"(?:[ \t\n\r{ODD_SPACES}]++|\\[nrt]|//[^\n\r]*+[\n\r]|\#[^\n\r]*+[\n\r]|"
    r"/\*[^*]*+\*++(?:[^/*][^*]*+\*++)*+/)*+"
)
_COMMENT_BEGUN = late(r"\\|/|//[^\n\r]*+|\#[^\n\r]*+|/\*(?s:(?!.*\*/).*)")
_ESCAPED = late(r"[{\[](?:[ \t\n\r{\[]|\\[nrt])*+\\\"")
_ESCAPED_BEGUN = late(r"[{\[](?:[ \t\n\r{\[]|\\[nrt])*+\\?")
_MEMBER = late(r'"[^"\\\n]{1,64}"\s*+:')
_MEMBER_BEGUN = late(r'"[^"\\\n]{0,64}(?:"\s*+)?')
_FENCE_OR_OPENER = late(r"```|[{\[]")
_OPENER = late(r"[{\[]")

PLAIN: Final = "plain"
"""A bracket stands there."""
ESCAPED: Final = "escaped"
"""A bracket stands there, and all is escaped once too often."""
MEMBER: Final = "member"
"""A key stands there whose object lacks its opener."""


class Start:
    """Takes the beginning of a text until it is known where the value begins."""

    def __init__(self, *, may_be_object: bool) -> None:
        self.text = ""
        self.kind = ""
        """How the value begins, once that is known."""
        self.offset = 0
        """Where the value begins, or what stands between it and the start of the text."""
        self._may_be_object = may_be_object
        self._parts: list[str] = []
        self._tail = ""
        self._tail_from = 0
        self._in_fence = False
        self._is_prose = False
        self._has_quote = False

    def feed(self, chunk: str) -> bool:
        """Takes the next piece; tells whether the place is known."""
        if self._has_quote:
            self._parts.append(chunk)
            return False
        if self._is_prose:
            return self._search(chunk)
        self.text += chunk
        begin = _BLANK.match(self.text).end()
        if begin == len(self.text) or _COMMENT_BEGUN.fullmatch(self.text, begin):
            if len(self.text) > WINDOW and begin < len(self.text):
                return self._turn_to_prose(begin)
            return False
        character = self.text[begin]
        if character in "{[":
            return self._begin_at_bracket(begin)
        if character == '"':
            return self._begin_at_quote(begin)
        return self._turn_to_prose(begin)

    def _begin_at_bracket(self, begin: int) -> bool:
        if _ESCAPED.match(self.text, begin):
            self.kind, self.offset = ESCAPED, begin
            return True
        if len(self.text) - begin < WINDOW and _ESCAPED_BEGUN.fullmatch(self.text, begin):
            return False
        self.kind, self.offset = PLAIN, 0
        return True

    def _begin_at_quote(self, begin: int) -> bool:
        if self._may_be_object and _MEMBER.match(self.text, begin):
            self.kind, self.offset = MEMBER, begin
            return True
        if not self._may_be_object or not _MEMBER_BEGUN.fullmatch(self.text, begin):
            self._has_quote = True
            self._parts = [self.text]
        return False

    def _turn_to_prose(self, begin: int) -> bool:
        self._is_prose = True
        text, self.text = self.text, ""
        return self._search(text, begin)

    def _search(self, chunk: str, begin: int = 0) -> bool:
        """Looks for the first fence that holds an opener."""
        self._parts.append(chunk)
        if not self._in_fence and not self._tail and "`" not in chunk:
            self._tail_from += len(chunk)
            return False
        text, cursor = self._tail + chunk, begin
        while (match := _FENCE_OR_OPENER.search(text, cursor)) is not None:
            cursor = match.end()
            if match.group() == "```":
                self._in_fence = not self._in_fence
            elif self._in_fence:
                if not _decides(text, match.start()):
                    self._keep(text, match.start())
                    return False
                if may_go_on(text, match.start()):
                    self.kind, self.offset = PLAIN, self._tail_from + match.start()
                    self.text = "".join(self._parts)
                    return True
        # Half a fence may stand at the end.
        ticks = len(text) - len(text.rstrip("`"))
        self._keep(text, max(cursor, len(text) - min(ticks, 2)))
        return False

    def _keep(self, text: str, start: int) -> None:
        self._tail = text[start:]
        self._tail_from += start

    def end(self) -> bool:
        """Ends the text; tells whether a bracket was found where a value can begin."""
        text = self.text = "".join(self._parts) or self.text
        begin = _BLANK.match(text).end()
        if text[begin : begin + 1] in ("{", "["):
            self.kind, self.offset = PLAIN, 0
            return True
        in_fence = False
        for match in _FENCE_OR_OPENER.finditer(text):
            if match.group() == "```":
                in_fence = not in_fence
            elif in_fence and may_go_on(text, match.start()):
                self.kind, self.offset = PLAIN, match.start()
                return True
        for match in _OPENER.finditer(text):
            if may_go_on(text, match.start()):
                self.kind, self.offset = PLAIN, match.start()
                return True
        return False


def _decides(text: str, opener: int) -> bool:
    """Whether enough follows a bracket to tell if a value goes on from it."""
    if len(text) - opener >= WINDOW:
        return True
    rest = text[opener + 1 :].lstrip()
    return bool(rest) and (text[opener] == "{" or not rest[0].isalpha())
