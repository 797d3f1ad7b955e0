"""Back-off for a shortcut: after repeated failures it is tried on every n-th message only.

Example: 16 damaged messages in a row, and the whole reader is tried for one in 32.
"""

from __future__ import annotations

CREDIT = 16
"""Failures in a row before the tries become rare."""
PAUSE = 32
"""Messages between two rare tries."""


class RetryBudget:
    """How one way of reading went lately, for the messages of one format."""

    def __init__(self) -> None:
        self.left = CREDIT
        """Failures that are left; a success sets it to `CREDIT`."""
        self._passed = 0

    def tries(self) -> bool:
        """Whether the next message is tried."""
        # One of many messages is still tried, since the next ones may be of another kind.
        if self.left > 0:
            return True
        self._passed = (self._passed + 1) % PAUSE
        return self._passed == 0

    def renew(self) -> None:
        """Begins anew, as if nothing had been read."""
        self.left, self._passed = CREDIT, 0

    def rest(self) -> None:
        """Lets the next messages go another way."""
        self.left = self._passed = 0

    def succeeded(self) -> None:
        """Notes a message that was read in this way: the next ones are tried."""
        self.left = CREDIT

    def failed(self) -> None:
        """Notes a message that could not be read in this way."""
        self.left -= 1
