r"""Detects pieces of arguments that each repeat all earlier ones, as some servers send them.

The pieces `{"ci`, `{"city": "O` and `{"city": "Oslo"}` are the text `{"city": "Oslo"}`; of pieces that
go on where the one before ended, `{"ci` and `ty": "Oslo"}`, nothing changes.
"""

from __future__ import annotations

from typing import Final

from toolgrammar.core.payloads.json.strict_scanner import JsonScanner

_LEAST: Final = 3
"""Pieces that must grow out of each other: two may do so by chance."""


class RepeatedPieces:
    """Reads the pieces of one call's arguments, and returns the new part of each.

    The second piece that begins with the first is held back, and so is what follows it in the same
    way, until it is sure that the pieces joined are no JSON: `{"a": ` and `{"a": 1}}` may well be an
    object in another one. Its work is linear in what the server sends.
    """

    def __init__(self) -> None:
        self._held: list[str] = []
        # What came so far, each piece after the one before; and the longest piece alone.
        self._joined = _Strict()
        self._longest = _Strict()
        # The first piece, which is out, and the last one.
        self._given = self._last = ""
        self._count = 0
        self._grow = True
        self.sure = False
        """Whether each piece repeats those before it."""
        self.doubtful = False
        """Whether a piece stood among them that does not, or they are no JSON either."""

    def feed(self, piece: str) -> str:
        """Returns what is to be read of a piece by now: all, nothing, or what is new in it."""
        if not piece or not self._grow:
            return piece
        if self.sure:
            return self._more(piece)
        self._joined.feed(piece)
        if self._count == 0:
            return self._first(piece)
        if not self._goes_on(piece):
            # One piece that does not begin with the last: this server sends what is new, as it
            # should.
            self._grow = False
            return "".join([*self._take_held(), piece])
        self._held.append(piece)
        self._count += 1
        self._longest.feed(piece[len(self._last) :])
        self._last = piece
        # As long as the pieces joined may still be JSON, they may be meant to be joined.
        if self._count < _LEAST or not self._joined.failed:
            return ""
        self.sure, self.doubtful = True, self._longest.failed
        self._held.clear()
        return piece[len(self._given) :]

    def repeats(self, piece: str) -> bool:
        """Whether a piece holds what is known, once more."""
        return self.sure and piece == self._last

    @property
    def is_whole(self) -> bool:
        """Whether what is held back ends a sound object."""
        return bool(self._held) and self._joined.done

    @property
    def held(self) -> str:
        """The text that is held back, as it came."""
        return "".join(self._held)

    def close(self, *, cut: bool = False) -> str:
        """Returns what was held back and is to be read; `cut` is whether the answer may be."""
        held = self._take_held()
        # `{"a":`, `{"a": ` and `{"a": 1}` are JSON that goes on when joined, and here is their end.
        self.sure = self.sure or (
            bool(held)
            and not cut
            and self._count >= _LEAST
            and not self._joined.done
            and self._longest.done
            and not self._longest.failed
        )
        return held[-1][len(self._given) :] if held and self.sure else "".join(held)

    def _first(self, piece: str) -> str:
        self._longest.feed(piece)
        self._given = self._last = piece
        self._count = 1
        # Behind a whole object the next one may begin, with the same key.
        self._grow = piece.lstrip().startswith("{") and not self._longest.done
        return piece

    def _goes_on(self, piece: str) -> bool:
        return len(piece) > len(self._last) and piece.startswith(self._last)

    def _more(self, piece: str) -> str:
        """Returns what is new in a piece, of a server that repeats."""
        if piece == self._last:
            return ""
        if self._goes_on(piece):
            new = piece[len(self._last) :]
            self._last = piece
        else:
            # It is not known whether this piece continues the text or begins again.
            new, self._grow, self.doubtful = piece, False, True
        self._longest.feed(new)
        self.doubtful = self.doubtful or self._longest.failed
        return new

    def _take_held(self) -> list[str]:
        held, self._held = self._held, []
        return held


class _Strict:
    """Whether a text that grows is JSON so far."""

    def __init__(self) -> None:
        self._scanner = JsonScanner(object_only=True)
        self._rest = ""

    def feed(self, text: str) -> None:
        self._rest += text
        self._rest = self._rest[self._scanner.feed(self._rest, 0, []) :]
        # Behind the object only white space is dropped.
        if self.done:
            self._rest = self._rest.lstrip()

    @property
    def done(self) -> bool:
        return self._scanner.done

    @property
    def failed(self) -> bool:
        """Whether it is none, or something follows it."""
        return self._scanner.failed or (self.done and self._rest != "")
