r"""Cuts server-sent events out of bytes, as they were written.

`data: {"id": 1}\n\nda` gives the event `data: {"id": 1}\n\n` and keeps `da`.
"""

from __future__ import annotations

import re
from typing import Final

# Two ends of lines, each of any kind; atomic, since a `\r\n` alone is not two of them.
_END: Final = re.compile(rb"(?>\r\n|\n)(?>\r\n|\n|\r)|\r\r")
_BOM: Final = b"\xef\xbb\xbf"
DONE: Final = b"[DONE]"
"""The data of the last event."""


class Events:
    """The events of one stream."""

    def __init__(self, limit: int) -> None:
        """Sets up an empty stream.

        Args:
            limit: bytes of the longest event.
        """
        self.limit = limit
        """Bytes of the longest event."""
        self.too_long = False
        """Whether an event was longer: it and all that follows are lost."""
        self._rest = bytearray()
        self._searched = 0

    def feed(self, data: bytes) -> list[bytes]:
        """Returns the events that are whole by now, with the blank lines that end them."""
        if self.too_long:
            return []
        rest = self._rest
        rest += data
        found = []
        begin = 0
        # What was searched is not searched again, but for the beginning of an end.
        # Three bytes back: `\r\n\r\n` is the longest end, and all but its last byte may have been
        # here.
        for match in _END.finditer(rest, max(0, self._searched - 3)):
            # The `\n` of a `\r\n` may be the next to come.
            if match.end() == len(rest) and match[0].endswith(b"\n\r"):
                break
            # However the stream is cut: one that came whole is no shorter for that.
            self.too_long = match.end() - begin > self.limit
            if self.too_long:
                break
            found.append(bytes(rest[begin : match.end()]))
            begin = match.end()
        del rest[:begin]
        self._searched = len(rest)
        self.too_long = self.too_long or len(rest) > self.limit
        return found

    def end(self) -> bytes:
        """Returns what no blank line has ended, and forgets it."""
        rest = bytes(self._rest)
        self._rest.clear()
        self._searched = 0
        return rest


def data_of(event: bytes) -> bytes:
    """Returns the data of an event; of a comment, nothing."""
    # A stream may begin with a byte order mark, which is no part of its first line.
    lines = event.removeprefix(_BOM).splitlines()
    return b"\n".join(line[5:].removeprefix(b" ") for line in lines if line[:5] == b"data:")
