r"""Splits bytes into server-sent events, each kept as it was written.

Example: `data: {"id": 1}\n\nda` gives the event `data: {"id": 1}\n\n` and keeps `da`.
"""

from __future__ import annotations

import re
from typing import Final

# Two line ends, each of any kind, from the last byte of the first one, which makes it quick to
# search for. Atomic, since a `\r\n` alone is not two line ends.
_END: Final = re.compile(rb"\n(?>\r\n|\n|\r)|\r\r")
_DATA: Final = re.compile(rb"(?:^|(?<=[\r\n]))data: ?([^\r\n]*)")
"""A line of data, without the space that may follow the colon."""
_BOM: Final = b"\xef\xbb\xbf"
DONE: Final = b"[DONE]"
"""The data of the last event."""


class Events:
    """Splits one stream into its events."""

    def __init__(self, limit: int) -> None:
        """Sets up an empty stream.

        Args:
            limit: the maximal size of an event in bytes.
        """
        self.limit = limit
        """The maximal size of an event in bytes."""
        self.too_long = False
        """Whether an event was longer: it and all later ones are lost."""
        self._rest = bytearray()
        self._searched = 0

    @property
    def held(self) -> int:
        """The bytes of the event that is not complete yet."""
        return len(self._rest)

    def feed(self, data: bytes) -> list[bytes]:
        """Returns the events that are complete by now, with the blank lines that end them."""
        if self.too_long:
            return []
        rest = self._rest
        rest += data
        found = []
        begin = 0
        # Bytes are searched once, except for the beginning of an end.
        # Three bytes back: `\r\n\r\n` is the longest end, and all but its last byte may have been
        # there.
        for match in _END.finditer(rest, max(0, self._searched - 3)):
            # The `\n` of a `\r\n` may arrive next.
            if match.end() == len(rest) and match[0].endswith(b"\n\r"):
                break
            # The limit does not depend on the cuts: an event that arrives whole is measured, too.
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
        """Returns and clears the text that no blank line has ended."""
        rest = bytes(self._rest)
        self._rest.clear()
        self._searched = 0
        return rest


def data_of(event: bytes) -> bytes:
    """Returns the data of an event; b"" for a comment."""
    # A stream may begin with a byte order mark, which is not part of its first line.
    return b"\n".join(_DATA.findall(event.removeprefix(_BOM)))
