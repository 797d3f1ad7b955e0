"""Holds the payload that the driver reads, or read last, and what reads it.

Example: in `{"name": "f", "arguments": {"a": 1}}` the step is that of the arguments, and a scanner
reads `{"a": 1}`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from toolgrammar.core.arguments.json_payload import JsonPayload
    from toolgrammar.core.machine.machine import Step
    from toolgrammar.core.payloads.scanners import Scanner
    from toolgrammar.core.state.modes import RawMode


class OpenPayload:
    """One payload of an island at a time."""

    def __init__(self) -> None:
        self.step: Step | None = None
        """The payload that is read, or was read last."""
        self.scanner: Scanner | JsonPayload | None = None
        self.raw: RawMode | None = None
        self.undecided: object | None = None
        """The payload of which is not known yet what it is: see `undecided`."""
        self.open_brackets = 0
        """Of arguments that can't be read: how many brackets are open in them, with their own."""
        self.fenced = False
        """Whether a code fence was left out before it, so that one may end behind it."""

    def begin(self, step: Step) -> None:
        """Begins the payload that a step says."""
        self.step = step

    def scan(self, scanner: Scanner | JsonPayload) -> None:
        """Lets a scanner read it."""
        self.scanner = scanner

    def read_raw(self, raw: RawMode) -> None:
        """Reads it as text without escapes."""
        self.raw = raw

    def judge(self, undecided: object) -> None:
        """Notes that it is not known yet what it is."""
        self.undecided = undecided

    def decide(self) -> None:
        """Notes that it is known what it is."""
        self.undecided = None

    def end(self) -> None:
        """Forgets what reads it."""
        self.scanner = self.raw = None

    def fail(self, open_brackets: int) -> None:
        """Notes that it can't be read, and how many brackets are open in it."""
        self.open_brackets = open_brackets

    def open_fence(self) -> None:
        """Notes that a code fence was left out before it."""
        self.fenced = True

    def close_fence(self) -> None:
        """Notes that no fence around it is open."""
        self.fenced = False

    def forget(self) -> None:
        """Stands before any payload again."""
        self.step = self.scanner = self.raw = self.undecided = None
        self.open_brackets, self.fenced = 0, False
