"""Records how a message ended: whether it was cut, and what was open there.

Example: `<tool_call>{"name": "f"` with `finish_reason="length"` was cut by the server in an open
call.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from toolgrammar.core.evidence.signs import Signs


class MessageEnd:
    """Facts about the end of a message that decide whether its last call is complete."""

    def __init__(self) -> None:
        self.is_cut = False
        """Whether the answer was cut: by its server, or at the limit of characters."""
        self.is_open = False
        """Whether the text ended at a place where the call could have gone on."""
        self.unclosed_text = -1
        """The offset of text or reasoning that lacks its closer, or -1."""
        self.unclosed_signs: Signs | None = None
        """The signs of calls in the format of that text."""
        self.cut_opener: tuple[int, int] | None = None
        """The start of an opener and the end of the text, if the text ends in an uncertain call."""

    def cut(self, *, is_cut: bool) -> None:
        """Notes that the text has ended, and whether it was cut."""
        self.is_cut = is_cut

    def leave_open(self, *, is_open: bool = True) -> None:
        """Notes whether the call could have gone on where the text ended."""
        self.is_open = is_open

    def leave_text_open(self, start: int, signs: Signs) -> None:
        """Notes the offset of text or reasoning that lacks its closer, and its format's signs."""
        self.unclosed_text, self.unclosed_signs = start, signs

    def note_opener(self, start: int, end: int) -> None:
        """Notes the opener of a call in which the text ends before the call was certain."""
        self.cut_opener = start, end

    def reopen(self) -> None:
        """Forgets how the text ended, since its end is read again."""
        self.is_open, self.unclosed_text, self.unclosed_signs = False, -1, None
