r"""Defines the tokens of strict JSON as patterns, for text that may be cut anywhere.

They are built from `tools/json_tokens.py`. Example: `string_run` matches `C:\\d` of `C:\\d\u00`
and leaves the incomplete escape to `unit_begun`. Most chunks of a stream only continue a string: they
have patterns of their own, and a memo, since models repeat the same tokens.
"""

from __future__ import annotations

import json
from functools import cache
from json.encoder import encode_basestring, encode_basestring_ascii
from typing import TYPE_CHECKING, Final, TypeVar

from toolgrammar.tools.json_tokens import (
    CONTROLS,
    HALVES,
    HEX,
    HIGH_HALF,
    LITERAL,
    LOW_BEGUN,
    NUMBER,
    PLAIN,
    SPACE,
    UNIT,
)
from toolgrammar.values.patterns import anywhere, compile_pattern, late

if TYPE_CHECKING:
    import re
    from collections.abc import Callable

MAX_DEPTH: Final = 200
"""The default limit of nested brackets."""
TOO_DEEP: Final = "Found brackets that nest deeper than `max_depth` allows"
"""The reason why a payload that nests too deep can't be read."""

space_run = anywhere(SPACE)
unit_run = anywhere(rf"(?:{UNIT})*+")
# An escape that the end of a chunk cut: `\`, `\u00`, or `\ud83d\u`, whose low half is to come.
unit_begun = anywhere(rf"(?:\\(?:u(?:{HIGH_HALF}{LOW_BEGUN}|{HEX}{{0,4}}))?)?")
# Runs between escapes: an alternation, `(?:…|…)*+`, takes a fifth longer.
string_run = anywhere(rf"[^{PLAIN}]*+(?:{UNIT}[^{PLAIN}]*+)*+")
backtick_run = anywhere(r"[^`\\]*+")

# Only if its delimiter has arrived: `12` at the end of a chunk may become `123`.
plain_scalar = late(rf"(?:{NUMBER}|{LITERAL})(?=[ \t\n\r,\]}}])")
DELIMITERS: Final = " \t\n\r,]}"
# No comma or bracket ends a root number or literal: it ends where no word continues.
word_character = late(r"[\w.+-]")


def as_json(text: str) -> str:
    r"""Returns a text as a JSON string, in quotes; characters beyond ASCII are not escaped.

    Of `é "a"` it makes `"é \"a\""`.
    """
    # CPython encodes pure ASCII in half the time with the function that would escape all others,
    # and DEL.
    if text.isascii() and "\x7f" not in text:
        return encode_basestring_ascii(text)
    return encode_basestring(text)


def shown(character: str) -> str:
    """Returns a character as messages show it: an invisible one as its escape."""
    return character if character.isprintable() else ascii(character)[1:-1]


def text_of(body: str) -> str:
    """Returns the text of a JSON string, given the characters between its quotes."""
    if "\\" not in body:
        return body
    try:
        # Not strict: a string that contains a raw tab is still a string.
        text: str = json.loads(f'"{body}"', strict=False)
    except ValueError:
        # `C:\dir` is not JSON, since `\d` is not an escape: the text is kept as it was written.
        return body
    return text


def decoded_token(text: str) -> str:
    """Returns the value of a token: the content of a JSON string, any other text unchanged."""
    is_string = len(text) >= 2 and text[0] == text[-1] == '"'
    return text_of(text[1:-1]) if is_string else text


TAG: Final = r"<(?=[^/|\uff5c])"
"""The beginning of markup that does not close a call, as `</tool_call>` and `<|call|>` may."""
# A quote may be missing: in `{"a": "x, "b": 1}` the string ends before the comma, in `{"a": "x}`
# before the bracket, if markup follows, or before that markup. So these are not plain characters.
CHARACTERS: Final = rf"[^{PLAIN},}}\]<{HALVES}]*+"
"""Characters of a string that neither end it nor may end it."""

_INNER_COMMA: Final = r",(?! *[,'\\])"
"""A comma that no key in single quotes follows."""
# A piece may not end with a comma or a bracket: the next character decides what it is.
inside_string = late(rf"(?:[^{PLAIN},{HALVES}]|{_INNER_COMMA})*[^{PLAIN}{HALVES}, ] *")
"""A piece of a string that proves that the string did not end before the end of the piece."""
# `${name} is` continues as text; `}` before `<`, before a quote of a key or at the end does not.
BRACKETS: Final = rf"""[}}\]]++(?= *[\w.;()=+\\"':/*&!?%$^~-]|, *[^ ,"'\\{{{CONTROLS}])"""
"""Closing brackets before which a string can't have ended: neither markup nor a key follows."""
inside_framed = late(
    rf"(?:[^{PLAIN},}}\]<{HALVES}]|{_INNER_COMMA}|{BRACKETS}|{TAG})*"
    rf"[^{PLAIN}}}\]<{HALVES}, ] *"
)
"""Like `inside_string`, inside markup: the string may have ended before a tag or a bracket."""


_MOST: Final = 2048  # nine in ten tokens of code and prose are repeated within so many
_LONGEST: Final = 16

Judgement = TypeVar("Judgement")


class ChunkMemo(dict[str, Judgement]):
    """Maps pieces of text to their class; `memo[piece]` classifies a piece that is not stored yet.

    In a string, ` the` only continues it, and the second ` the` is looked up: to match an expression
    takes as long as all other work on a chunk.

    Args:
        judge: returns the class of a piece; it must depend on the piece alone.
        most: how many pieces are stored before the memo is emptied.
        longest: the length in characters of the longest piece that is stored.
    """

    __slots__ = ("_judge", "_longest", "_most")

    def __init__(
        self, judge: Callable[[str], Judgement], *, most: int = _MOST, longest: int = _LONGEST
    ) -> None:
        super().__init__()
        self._judge = judge
        self._most, self._longest = most, longest

    def __missing__(self, piece: str) -> Judgement:
        """Classifies a piece, and stores the result if the piece is short."""
        judgement = self._judge(piece)
        if len(piece) <= self._longest:
            # Emptied as a whole: the usual tokens are back soon, and no order has to be tracked.
            if len(self) >= self._most:
                self.clear()
            self[piece] = judgement
        return judgement


@cache
def matching(expression: str) -> ChunkMemo[bool]:
    """Returns a memo of whether an expression matches the whole of a chunk."""
    fullmatch = compile_pattern(expression).fullmatch
    return ChunkMemo(lambda piece: fullmatch(piece) is not None)


def certain_in(pattern: re.Pattern[str]) -> ChunkMemo[int]:
    """Returns a memo of how many characters of a chunk are certain; -1 without a match.

    The uncertain ones are the pattern's only group, at the end of the chunk.
    """

    def certain(piece: str) -> int:
        match = pattern.fullmatch(piece)
        if match is None:
            return -1
        # Without the group there is no doubtful tail: all of the piece is certain.
        return match.start(1) if match.lastindex else len(piece)

    return ChunkMemo(certain)


# `as_json` adds the quotes, which the string that contains the piece has already.
@cache
def in_strings(expression: str) -> ChunkMemo[str]:
    """Returns a memo of chunks as JSON string content; "" if the expression does not match one."""
    fullmatch = compile_pattern(expression).fullmatch
    return ChunkMemo(lambda piece: as_json(piece)[1:-1] if fullmatch(piece) else "")
