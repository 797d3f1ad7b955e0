"""A call that counts only if it is the last one of its message, with what stands behind it.

It waits until the message ends; what follows it waits too, since the text of the call may have to
stand before that.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, NamedTuple

if TYPE_CHECKING:
    from toolgrammar.core.message.draft import Draft
    from toolgrammar.core.message.settings import Settings
    from toolgrammar.values.calls import Status

# Not -1, which is the offset of text whose place in the source is not known.
REASONING: Final = -2
"""The offset of what the model thinks behind a candidate."""


class Candidate(NamedTuple):
    """A call that is the last one so far."""

    draft: Draft
    status: Status
    end: int
    behind: list[tuple[str, int]]
    """The text behind it: pieces with their offsets."""
    settings: Settings
    """Those of its format: the one that is read when it is given out may be another."""

    def copy(self) -> Candidate:
        """Returns one that nothing that happens to this one changes."""
        return self._replace(draft=self.draft.copy(), behind=list(self.behind))
