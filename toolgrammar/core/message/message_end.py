"""Holds what is known of the place where a message ends.

Example: `<tool_call>{"name": "f"` with `finish_reason="length"`: the server cut it, in an open call.
"""

from __future__ import annotations


class MessageEnd:
    """Where and why the text of a message ended, as far as that decides what is whole."""

    def __init__(self) -> None:
        self.is_cut = False
        """Whether the answer was cut: by its server, or at the limit of characters."""
        self.is_open = False
        """Whether the text ended where a closer could still have come."""
        self.unclosed_text = -1
        """Offset where text or reasoning begins that lacks its closer, or -1."""
        self.cut_opener: tuple[int, int] | None = None
        """The span from an opener to the end of the text, of a call that was not certain yet."""

    def cut(self, *, is_cut: bool) -> None:
        """Notes that the text has ended, and whether it was cut."""
        self.is_cut = is_cut

    def leave_open(self, *, is_open: bool = True) -> None:
        """Notes whether a closer could still have come."""
        self.is_open = is_open

    def leave_text_open(self, start: int) -> None:
        """Notes where text or reasoning begins that lacks its closer."""
        self.unclosed_text = start

    def note_opener(self, start: int, end: int) -> None:
        """Notes an opener that the text ends behind, before its call was certain."""
        self.cut_opener = start, end

    def reopen(self) -> None:
        """Forgets where the text ended: what ended is read anew."""
        self.is_open, self.unclosed_text = False, -1
