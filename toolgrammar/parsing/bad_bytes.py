r"""Decodes a message, and reports the bytes that are not UTF-8.

`b"caf\xe9"` becomes `caf` and U+FFFD, with the diagnostic `invalid-utf8` for the byte at 3.
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
"""The marks that replace one, two or three bad bytes while decoding. They are lone surrogates, which
UTF-8 can't encode, so no sound byte is decoded to them."""
_BAD = late(f"[{_MARKS}]+")
_MOST = 1000
"""The number of places that are reported one by one: random bytes have millions of them."""
_HINT = "Each bad sequence was replaced by U+FFFD; decode the bytes where their encoding is known"


def _mark(error: UnicodeError) -> tuple[str, int]:
    assert isinstance(error, UnicodeDecodeError)
    # The decoder stops where a sequence can't go on, so an error covers one to three bytes.
    return _MARKS[error.end - error.start - 1], error.end


# Handlers of `codecs` are global, so the module registers it once.
codecs.register_error(_HANDLER, _mark)


def as_text(text: object) -> tuple[str, tuple[Diagnostic, ...]]:
    """Returns the message as a string, and a diagnostic for each stretch of bad bytes.

    Raises:
        TypeError: the message is neither str, bytes nor None.
    """
    if isinstance(text, str):
        return text, ()
    if text is None:
        return "", ()
    if not isinstance(text, bytes | bytearray | memoryview):
        raise TypeError(f"text must be str, bytes or None, got {type(text).__name__}")
    # A `memoryview` has no `decode`, and its items may have more than one byte.
    data = bytes(text)
    try:
        # Sound bytes, the common case, are decoded without marks.
        return data.decode("utf-8"), ()
    except UnicodeDecodeError:
        marked = data.decode("utf-8", errors=_HANDLER)
    return marked.translate(dict.fromkeys(map(ord, _MARKS), "\ufffd")), tuple(
        _reports(marked, data)
    )


def _reports(marked: str, data: bytes) -> Iterator[Diagnostic]:
    """Yields a diagnostic for each stretch of bad bytes; the thousandth covers all that follow."""
    place = behind = 0
    for number, found in enumerate(_BAD.finditer(marked), 1):
        # The offset in the bytes grows by the encoded length of the text between two stretches.
        place += len(marked[behind : found.start()].encode())
        message = f"Found the byte 0x{data[place]:02x} at byte {place}, which is not UTF-8"
        if number == _MOST:
            last = _last(marked)
            yield _diagnostic(f"{message}, and more behind it", found.start(), last)
            return
        yield _diagnostic(message, found.start(), found.end())
        # The index of a mark in `_MARKS`, plus one, is the number of bytes that it replaced.
        place += sum(_MARKS.index(mark) + 1 for mark in found[0])
        behind = found.end()


def _last(marked: str) -> int:
    """Returns the offset after the last mark."""
    return max(marked.rfind(mark) for mark in _MARKS) + 1


def _diagnostic(message: str, start: int, end: int) -> Diagnostic:
    return Diagnostic("invalid-utf8", "warning", message, Span(start, end), hint=_HINT)
