"""Assembles calls that an API returns in pieces.

The pieces `{"city": "Os` and `lo"}` of one call give a `CallStart`, two `ArgumentsDelta` and, at
last, a `CallEnd` with `{"city": "Oslo"}`.
"""

from __future__ import annotations

from typing import Any, Protocol

from toolgrammar.interop.exchange import doubts_of, mended_arguments, read_arguments
from toolgrammar.parsing.checks import is_cut
from toolgrammar.values.calls import Status, ToolCall
from toolgrammar.values.events import ArgumentsDelta, CallEnd, CallStart, Event


class AnyPieces(Protocol):
    """Calls that arrive in pieces, under keys of the API's own; repaired, or as they are."""

    def __contains__(self, key: object) -> bool:
        """Whether a call of this key is open."""

    def take_place(self) -> int:
        """Returns the index of a call that somebody else keeps."""

    def given(self, key: object) -> str:
        """Returns the arguments of an open call so far."""

    def piece(
        self, key: object, name: str | None, identity: str | None, arguments: str
    ) -> list[Event]:
        """Reads a piece of a call as chat APIs stream it: the first has the name, most others do not."""

    def start(self, key: object, name: str, identity: str | None) -> list[Event]:
        """Begins a call."""

    def add(self, key: object, text: str) -> list[Event]:
        """Adds to the arguments of an open call."""

    def over(self, key: object) -> list[Event]:
        """Records that a call got its last piece, in an API that also ends calls that were cut."""

    def end(self, key: object, reason: str | None = None) -> list[Event]:
        """Ends an open call; `reason` is why the server stopped, if it says so."""

    def end_all(self, reason: str | None = None) -> list[Event]:
        """Ends all open calls, in their order."""


class Pieces:
    """Calls that arrive in pieces, under keys of the API's own."""

    def __init__(self) -> None:
        self._count = 0
        self._open: dict[object, _Arriving] = {}

    def __contains__(self, key: object) -> bool:
        return key in self._open

    def take_place(self) -> int:
        """Returns the index of a call that somebody else keeps."""
        self._count += 1
        return self._count - 1

    def given(self, key: object) -> str:
        """Returns the arguments of an open call so far."""
        return "".join(self._open[key].parts)

    def piece(
        self, key: object, name: str | None, identity: str | None, arguments: str
    ) -> list[Event]:
        """Reads a piece of a call as chat APIs stream it: the first has the name, most others do not.

        Some servers give all calls of a message one index, or none: a new name with another id
        begins the next call under the same key. A piece of no call is passed over.
        """
        events: list[Event] = []
        call = self._open.get(key)
        # An id alone is not enough: some servers send a new one with each piece.
        if name and identity and call is not None and call.identity not in {None, identity}:
            events += self.end(key)
        if key not in self._open:
            if not name:
                return []
            # Chat completions do not say that a call has ended: the next name tells it.
            events += self.end_whole()
            events += self.start(key, name, identity)
        return events + self.add(key, arguments)

    def start(self, key: object, name: str, identity: str | None) -> list[Event]:
        """Begins a call."""
        call = self._open[key] = _Arriving(self.take_place(), name, identity)
        return [CallStart(call.index, name, identity)]

    def add(self, key: object, text: str) -> list[Event]:
        """Adds to the arguments of an open call."""
        call = self._open[key]
        call.parts.append(text)
        return [ArgumentsDelta(call.index, text)] if text else []

    def end(self, key: object, reason: str | None = None) -> list[Event]:
        """Ends an open call.

        Args:
            key: whose it is.
            reason: why the server stopped, if it says so.
        """
        call = self._open.pop(key)
        text = "".join(call.parts)
        cut = reason is not None and is_cut(reason)
        # Nothing came: there are no arguments, or they were cut off. Only the server's reason tells
        # which.
        if not text.strip():
            error = "the answer was cut before the arguments" if cut else None
            return [ArgumentsDelta(call.index, "{}"), call.ended("", {}, error)]
        arguments, error = read_arguments(text)
        # Only where the server says that the call is whole: a text that was cut is not completed.
        if error is not None and reason is not None and not cut:
            mended = mended_arguments(text)
            if mended is not None:
                return [call.ended(text, mended, None, whole="repaired")]
        return [call.ended(text, arguments, error)]

    def over(self, key: object) -> list[Event]:
        """Ends a call that got its last piece; one without arguments may have been cut there."""
        # Where nothing came, `message_delta` with its reason is waited for: see `BlockReader`.
        return self.end(key) if any(self._open[key].parts) else []

    def end_whole(self) -> list[Event]:
        """Ends the open calls whose arguments are whole; the others may still go on."""
        whole = [
            key
            for key, call in self._open.items()
            if call.parts and read_arguments("".join(call.parts))[1] is None
        ]
        return [event for key in whole for event in self.end(key)]

    def end_all(self, reason: str | None = None) -> list[Event]:
        """Ends all open calls, in their order."""
        return [event for key in list(self._open) for event in self.end(key, reason)]


class _Arriving:
    """A call that is not complete yet."""

    __slots__ = ("identity", "index", "name", "parts")

    def __init__(self, index: int, name: str, identity: str | None) -> None:
        self.index = index
        self.name = name
        self.identity = identity
        self.parts: list[str] = []

    def ended(
        self,
        text: str,
        arguments: dict[str, Any],
        error: str | None,
        whole: Status = "complete",
    ) -> CallEnd:
        # What was emitted of broken arguments can't be taken back: the call counts as cut off.
        call = ToolCall(
            self.name,
            arguments,
            id=self.identity,
            raw_arguments=text,
            status=whole if error is None else "truncated",
            error=error,
            doubts=doubts_of(self.name, arguments, text) if error is None else (),
        )
        return CallEnd(self.index, call)
