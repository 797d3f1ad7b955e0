"""Memoises how short chunks of a stream are classified: a model writes the same tokens again and again.

Example: in a string, ` the` only continues it, and the second ` the` is looked up. Where nothing is held
back, the answer depends on the chunk alone; matching an expression takes as long as all else that is
done for it.
"""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING, Final, TypeVar

from toolgrammar.core.payloads.json.tokens import as_json
from toolgrammar.values.patterns import compile_pattern

if TYPE_CHECKING:
    import re
    from collections.abc import Callable

_MOST: Final = 2048  # nine in ten tokens of code and prose come again within so many
_LONGEST: Final = 16

Judgement = TypeVar("Judgement")


class ChunkMemo(dict[str, Judgement]):
    """What each piece of text is; `remembered[piece]` judges one that was not asked for yet.

    Args:
        judge: says what a piece is; it depends on nothing else.
        most: how many pieces are remembered; then it begins anew.
        longest: characters of a piece that may come again.
    """

    __slots__ = ("_judge", "_longest", "_most")

    def __init__(
        self, judge: Callable[[str], Judgement], *, most: int = _MOST, longest: int = _LONGEST
    ) -> None:
        super().__init__()
        self._judge = judge
        self._most, self._longest = most, longest

    def __missing__(self, piece: str) -> Judgement:
        """Judges a piece, and keeps what was found where the piece is short."""
        judgement = self._judge(piece)
        if len(piece) <= self._longest:
            # Emptied as a whole: the usual tokens are back soon, and no order has to be kept.
            if len(self) >= self._most:
                self.clear()
            self[piece] = judgement
        return judgement


@cache
def matching(expression: str) -> ChunkMemo[bool]:
    """Returns for chunks whether an expression matches the whole of them."""
    fullmatch = compile_pattern(expression).fullmatch
    return ChunkMemo(lambda piece: fullmatch(piece) is not None)


def certain_in(pattern: re.Pattern[str]) -> ChunkMemo[int]:
    """Returns for chunks how many characters are certain; -1 where a pattern does not match.

    What is not is the pattern's only group, at the end of the piece.
    """

    def certain(piece: str) -> int:
        match = pattern.fullmatch(piece)
        if match is None:
            return -1
        # Without the group there is no doubtful tail: all of the piece is certain.
        return match.start(1) if match.lastindex else len(piece)

    return ChunkMemo(certain)


# `as_json` writes quotes round the piece, which stands inside of a string here.
@cache
def in_strings(expression: str) -> ChunkMemo[str]:
    """Returns pieces as they stand in a string of JSON; "" where an expression does not match."""
    fullmatch = compile_pattern(expression).fullmatch
    return ChunkMemo(lambda piece: as_json(piece)[1:-1] if fullmatch(piece) else "")
