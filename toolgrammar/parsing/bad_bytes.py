"""Decodes a message, and says which of its bytes are not UTF-8.

Example: the bytes `caf` and 0xE9 are `caf` and U+FFFD, with a diagnostic for the byte at 3.
"""

from __future__ import annotations

import codecs
from typing import TYPE_CHECKING

from toolgrammar.values.diagnostics import Diagnostic
from toolgrammar.values.patterns import late
from toolgrammar.values.spans import Span

if TYPE_CHECKING:
    from collections.abc import Iterator

_HANDLER = "toolgrammar.bad-bytes"
_MARKS = "\udc01\udc02\udc03"
"""What stands for one, two or three bytes that are no character: half a surrogate pair is none in
UTF-8 either, so that nothing else is decoded to it."""
_BAD = late(f"[{_MARKS}]+")
_MOST = 1000
"""So many places are told one by one: a text of random bytes has millions."""
_HINT = "Each bad sequence was replaced by U+FFFD; decode the bytes where their encoding is known"


def _mark(error: UnicodeError) -> tuple[str, int]:
    assert isinstance(error, UnicodeDecodeError)
    # A decoder stops where a sequence can't go on, so one error is of one to three bytes.
    return _MARKS[error.end - error.start - 1], error.end


# Handlers of `codecs` are global, so it is registered once.
codecs.register_error(_HANDLER, _mark)


def as_text(text: object) -> tuple[str, tuple[Diagnostic, ...]]:
    """Returns the message as a string, and what was wrong with its bytes, a stretch each.

    Raises:
        TypeError: it is neither str, bytes nor None.
    """
    if isinstance(text, str):
        return text, ()
    if text is None:
        return "", ()
    if not isinstance(text, bytes | bytearray | memoryview):
        raise TypeError(f"text must be str, bytes or None, got {type(text).__name__}")
    # A `memoryview` has no `decode`, and may count items of more than one byte.
    data = bytes(text)
    try:
        # Sound bytes need no marks, and nothing is looked for in them.
        return data.decode("utf-8"), ()
    except UnicodeDecodeError:
        marked = data.decode("utf-8", errors=_HANDLER)
    return marked.translate(dict.fromkeys(map(ord, _MARKS), "\ufffd")), tuple(_told(marked, data))


def _told(marked: str, data: bytes) -> Iterator[Diagnostic]:
    """Yields a diagnostic for each stretch of bad bytes; one for all behind the first thousand."""
    place = behind = 0
    for number, found in enumerate(_BAD.finditer(marked), 1):
        # Places in the bytes are counted from the length of what stands between, encoded again.
        place += len(marked[behind : found.start()].encode())
        message = f"Found the byte 0x{data[place]:02x} at byte {place}, which is not UTF-8"
        if number == _MOST:
            last = _last(marked)
            yield _diagnostic(f"{message}, and more behind it", found.start(), last)
            return
        yield _diagnostic(message, found.start(), found.end())
        # Each mark stands for as many bytes as its place in `_MARKS` says.
        place += sum(_MARKS.index(mark) + 1 for mark in found[0])
        behind = found.end()


def _last(marked: str) -> int:
    """Returns the offset behind the last mark."""
    return max(marked.rfind(mark) for mark in _MARKS) + 1


def _diagnostic(message: str, start: int, end: int) -> Diagnostic:
    return Diagnostic("invalid-utf8", "warning", message, Span(start, end), hint=_HINT)
