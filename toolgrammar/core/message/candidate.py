"""Holds a call that counts only if it is the last one of its message, and the text after it.

Example: of two fenced calls in such a format the first one becomes text when the second one ends. A
candidate waits for the end of the message. The text after it waits too, since the text of the call
itself may have to be emitted before it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, NamedTuple

if TYPE_CHECKING:
    from toolgrammar.core.message.draft import Draft
    from toolgrammar.core.message.settings import Settings
    from toolgrammar.values.calls import Status

# Not -1, which is the offset of text whose place in the source is not known.
REASONING: Final = -2
"""The offset that marks reasoning among the pieces after a candidate."""


class Candidate(NamedTuple):
    """A call that is the last one so far."""

    draft: Draft
    status: Status
    end: int
    behind: list[tuple[str, int]]
    """The text and reasoning after it, in pieces with their offsets."""
    settings: Settings
    """The settings of its format; another format may be read when the call is emitted."""

    def copy(self) -> Candidate:
        """Returns an independent copy: changes of this candidate do not affect it."""
        return self._replace(draft=self.draft.copy(), behind=list(self.behind))
