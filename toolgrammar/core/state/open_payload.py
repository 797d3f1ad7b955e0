"""Holds the step of the payload that the driver reads or read last, and its reader.

Example: in `{"name": "f", "arguments": {"a": 1}}` the step is that of the arguments, and the reader
is a scanner, which reads `{"a": 1}`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from toolgrammar.grammar.roles import PROSE_ROLES

if TYPE_CHECKING:
    from toolgrammar.core.arguments.json_payload import JsonPayload
    from toolgrammar.core.machine.machine import Step
    from toolgrammar.core.payloads.scanners import Scanner
    from toolgrammar.core.state.protocols import RawMode


class OpenPayload:
    """The state of one payload at a time; at most one of its readers is set."""

    def __init__(self) -> None:
        self.start = 0
        """The offset where the payload begins that is read or was read last."""
        self.forget()

    def forget(self) -> None:
        """Resets the state to that before any payload."""
        self.step: Step | None = None
        """The step of that payload."""
        self.scanner: Scanner | JsonPayload | None = None
        self.raw: RawMode | None = None
        self.undecided: object | None = None
        """The `Undecided` of a payload that may be JSON or raw text; None for any other."""
        self.open_brackets = 0
        """The open brackets of arguments that can't be read, the one around them included."""
        self.fenced = False
        """Whether a code fence was dropped before the payload, so that one may close after it."""
        self.lacks_closers = False
        """Whether markup ended the payload while its brackets were open."""

    @property
    def current(self) -> Step:
        """The step of the payload that is read, or was read last: there is one."""
        assert self.step is not None
        return self.step

    def begin(self, step: Step, start: int) -> None:
        """Begins the payload of a step at an offset."""
        self.step, self.start = step, start
        self.lacks_closers = False

    def prose_from(self, previous: Step | None, end: int) -> int:
        """Returns the offset from which the prose before an opener may open inline code.

        That is the end of the last island, or the beginning of reasoning or content that no closer
        has ended.

        Args:
            previous: the step that was read last.
            end: the offset where that ended.
        """
        step = self.step
        is_open = step is not None and step is previous and step.role in PROSE_ROLES
        return self.start if is_open else end

    def scan(self, scanner: Scanner | JsonPayload) -> None:
        """Lets a scanner read the payload."""
        self.scanner = scanner

    def read_raw(self, raw: RawMode) -> None:
        """Reads the payload as text without escapes."""
        self.raw = raw

    def leave_undecided(self, undecided: object) -> None:
        """Notes that the payload may be JSON or raw text."""
        self.undecided = undecided

    def decide(self) -> None:
        """Notes that it is known whether the payload is JSON or raw text."""
        self.undecided = None

    def end(self) -> None:
        """Forgets the reader of the payload; the step is kept."""
        self.scanner = self.raw = None

    def fail(self, open_brackets: int) -> None:
        """Notes how many brackets are open in a payload that can't be read."""
        self.open_brackets = open_brackets

    def note_open_brackets(self, *, are_open: bool) -> None:
        """Notes whether brackets of the payload are open where the markup behind it is judged."""
        self.lacks_closers = are_open

    def open_fence(self) -> None:
        """Notes that a code fence was dropped before the payload."""
        self.fenced = True

    def close_fence(self) -> None:
        """Notes that no code fence is open around the payload."""
        self.fenced = False
