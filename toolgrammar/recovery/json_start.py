"""Finds where the JSON value of a text begins: at once, after a fence, or in prose.

In `See [1]:` and then a fence with `{"a": 1}`, the value begins at the brace.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from toolgrammar.core.payloads.mended.look import blank_run
from toolgrammar.recovery.json_rest import WINDOW, may_go_on
from toolgrammar.values.patterns import late

if TYPE_CHECKING:
    import re

_COMMENT_OPENED = late(r"//|\#|/\*")
_LINE_END = late(r"[\n\r]")
_BLOCK_END = late(r"\*/")
# As in `{\"a\": 1}`: all is escaped once too often.
_ESCAPED = late(r"[{\[](?:[ \t\n\r{\[]|\\[nrt])*+\\\"")
_ESCAPED_BEGUN = late(r"[{\[](?:[ \t\n\r{\[]|\\[nrt])*+\\?")
# As in `"a": 1, "b": 2}`: an object without its bracket.
_MEMBER = late(r'"[^"\\\n]{1,64}"\s{0,256}+:')
_MEMBER_BEGUN = late(r'"[^"\\\n]{0,64}(?:"\s{0,256}+)?')
# A fence with a line end and a bracket behind it holds JSON, however that goes on.
_FENCE_OR_OPENER = late(r"```(?:\w{0,16}[ \t]{0,16}\r?\n\s{0,64}+[{\[])?|[{\[]")
_FENCE_BEGUN = late(r"```\w{0,16}[ \t]{0,16}(?:\r?\n\s{0,64}+|\r?)")

PLAIN: Final = "plain"
"""The value begins with a bracket."""
ESCAPED: Final = "escaped"
"""The value begins with a bracket, and the whole text is escaped once too often."""
MEMBER: Final = "member"
"""The value begins with a key: its object lacks the opening brace."""


class Start:
    """Reads the beginning of a text until it is known where the value begins."""

    def __init__(self, *, may_be_object: bool) -> None:
        self.text = ""
        """All that came, once it is known where the value begins, or that there is no more."""
        self.kind = ""
        """The kind of the value's beginning, once it is known."""
        self.offset = 0
        """The offset of the value, or of the text before it."""
        self._may_be_object = may_be_object
        self._parts: list[str] = []
        self.undecided = ""
        """The end of what came, which is looked at again with the next piece."""
        self._undecided_from = 0
        self._comment_end: re.Pattern[str] | None = None
        """The closer of the open comment."""
        self._in_fence = False
        self._is_prose = False
        self._has_quote = False

    def feed(self, chunk: str) -> bool:
        """Accepts the next piece; returns whether the place is known."""
        self._parts.append(chunk)
        # A text that begins with a quote is a string or prose: which, its end says.
        if self._has_quote:
            return False
        if self._is_prose:
            return self._search(chunk, 0)
        text = self.undecided + chunk
        begin = self._token(text)
        if begin < 0:
            return False
        character = text[begin]
        if character in "{[":
            return self._begin_at_bracket(text, begin)
        if character == '"':
            return self._begin_at_quote(text, begin)
        # Neither a bracket nor a quote begins it: it is prose, where at first only a fence counts.
        self._is_prose = True
        self._undecided_from += begin
        self.undecided = ""
        return self._search(text[begin:], 0)

    def _token(self, text: str) -> int:
        """Returns where the first token begins behind blanks and comments; -1 if none came yet."""
        begin = 0
        if self._comment_end is not None:
            end = self._comment_end.search(text)
            if end is None:
                # A `*` at the end may be half of `*/`.
                self._keep(text, len(text) - text.endswith("*"))
                return -1
            begin = end.end()
            self._comment_end = None
        begin = blank_run.match(text, begin).end()
        opened = _COMMENT_OPENED.match(text, begin)
        if opened is not None:
            self._comment_end = _BLOCK_END if opened[0] == "/*" else _LINE_END
            self._keep(text, max(opened.end(), len(text) - text.endswith("*")))
            return -1
        # Half an escape, or the first sign of a comment, may become white space.
        if text[begin:] in ("", "\\", "/"):
            self._keep(text, begin)
            return -1
        return begin

    def _is_at(self, kind: str, offset: int) -> bool:
        self.kind, self.offset = kind, offset
        self.text = "".join(self._parts)
        return True

    def _begin_at_bracket(self, text: str, begin: int, *, fence: int = -1) -> bool:
        """Begins the value at the first bracket of the text, or of a block of code."""
        kind = _kind(text, begin)
        if kind == PLAIN and len(text) - begin < WINDOW and _ESCAPED_BEGUN.fullmatch(text, begin):
            self._keep(text, begin if fence < 0 else fence)
            return False
        # From 0, not from the bracket: the reader of the value takes blanks and comments itself.
        is_first = kind == PLAIN and fence < 0
        return self._is_at(kind, 0 if is_first else self._undecided_from + begin)

    def _begin_at_quote(self, text: str, begin: int) -> bool:
        if self._may_be_object and _MEMBER.match(text, begin):
            return self._is_at(MEMBER, self._undecided_from + begin)
        self._keep(text, begin)
        # Too long for a key, or without a colon: only the end of the text decides.
        self._has_quote = not (self._may_be_object and _MEMBER_BEGUN.fullmatch(text, begin))
        return False

    def _search(self, chunk: str, cursor: int) -> bool:
        """Searches for the first fence that contains an opening bracket."""
        # Outside of a fence nothing counts but backticks.
        if not self._in_fence and not self.undecided and "`" not in chunk:
            self._undecided_from += len(chunk)
            return False
        text = self.undecided + chunk
        while (match := _FENCE_OR_OPENER.search(text, cursor)) is not None:
            cursor = match.end()
            if match.group().startswith("```"):
                fence, cursor = match.start(), match.start() + len("```")
                if _FENCE_BEGUN.fullmatch(text, fence):
                    self._keep(text, fence)
                    return False
                if not self._in_fence and match.end() > cursor:
                    return self._begin_at_bracket(text, match.end() - 1, fence=fence)
                self._in_fence = not self._in_fence
            elif self._in_fence:
                # A `{` at the end of a chunk may open a value, or be a brace in code.
                if not _decides(text, match.start()):
                    self._keep(text, match.start())
                    return False
                if may_go_on(text, match.start()):
                    return self._is_at(PLAIN, self._undecided_from + match.start())
        # Half a fence may stand at the end.
        ticks = len(text) - len(text.rstrip("`"))
        self._keep(text, max(cursor, len(text) - min(ticks, 2)))
        return False

    def _keep(self, text: str, start: int) -> None:
        self.undecided = text[start:]
        self._undecided_from += start

    def end(self) -> bool:
        """Ends the text; returns whether a bracket was found where a value can begin."""
        text = self.text = "".join(self._parts)
        # The whole text is there: what begins it, then a fence, then the first bracket in prose.
        begin = blank_run.match(text).end()
        if text[begin : begin + 1] in ("{", "["):
            return self._is_at(PLAIN, 0)
        in_fence, in_prose, cursor = False, -1, 0
        while (match := _FENCE_OR_OPENER.search(text, cursor)) is not None:
            cursor = match.end()
            if match.group().startswith("```"):
                cursor = match.start() + len("```")
                in_fence = not in_fence
                if in_fence and match.end() > cursor:
                    return self._is_at(_kind(text, match.end() - 1), match.end() - 1)
            elif (in_fence or in_prose < 0) and may_go_on(text, match.start()):
                if in_fence:
                    return self._is_at(PLAIN, match.start())
                # A bracket in prose counts only where no fence follows, which is a better place.
                in_prose = match.start()
        return in_prose >= 0 and self._is_at(PLAIN, in_prose)


def _kind(text: str, opener: int) -> str:
    """Returns the kind of the value that begins at a bracket."""
    return ESCAPED if _ESCAPED.match(text, opener) else PLAIN


def _decides(text: str, opener: int) -> bool:
    """Whether enough follows a bracket to tell if a value goes on from it."""
    if len(text) - opener >= WINDOW:
        return True
    rest = text[opener + 1 :].lstrip()
    # `[t` may become `[true]` or `[the list]`; any other sign decides at once.
    return bool(rest) and (text[opener] == "{" or not rest[0].isalpha())
