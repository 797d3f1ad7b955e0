"""Memoises the classification of short chunks of a stream: models repeat the same tokens.

Example: in a string, ` the` only continues it, and the second ` the` is looked up. If nothing is
held back, the answer depends on the chunk alone; matching an expression would take as long as all
other work on the chunk.
"""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING, Final, TypeVar

from toolgrammar.core.payloads.json.tokens import as_json
from toolgrammar.values.patterns import compile_pattern

if TYPE_CHECKING:
    import re
    from collections.abc import Callable

_MOST: Final = 2048  # nine in ten tokens of code and prose are repeated within so many
_LONGEST: Final = 16

Judgement = TypeVar("Judgement")


class ChunkMemo(dict[str, Judgement]):
    """Maps pieces of text to their class; `memo[piece]` classifies a piece that is not stored yet.

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
