"""Limits the tries of a shortcut: after repeated failures only every n-th message is tried.

Example: after 16 damaged messages in a row, the shortcut is tried for one message in 32.
"""

from __future__ import annotations

CREDIT = 16
"""The number of failures in a row after which tries become rare."""
PAUSE = 32
"""The number of messages between two rare tries."""


class RetryBudget:
    """The failures of one shortcut in the last messages of one format."""

    def __init__(self) -> None:
        self.left = CREDIT
        """The failures that are left until tries become rare; a success resets it to `CREDIT`."""
        self._passed = 0

    def tries(self) -> bool:
        """Whether the next message is tried."""
        # One message of many is still tried, since the next ones may be sound again.
        if self.left > 0:
            return True
        self._passed = (self._passed + 1) % PAUSE
        return self._passed == 0

    def renew(self) -> None:
        """Resets the budget, as if no message had been read."""
        self.left, self._passed = CREDIT, 0

    def rest(self) -> None:
        """Makes tries rare at once."""
        self.left = self._passed = 0

    def succeeded(self) -> None:
        """Notes a message that the shortcut read, so that the next ones are tried."""
        self.left = CREDIT

    def failed(self) -> None:
        """Notes a message that the shortcut could not read."""
        self.left -= 1
