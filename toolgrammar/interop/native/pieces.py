"""Assembles native calls that arrive in pieces, and repairs them.

The pieces `get_weather`, `{'city': 'Os` and `lo',}` give a `CallStart`, the deltas of
`{"city": "Oslo"}`, a `Problem` for each repair, and a `CallEnd`.
"""

from __future__ import annotations

from dataclasses import replace
from itertools import takewhile
from typing import TYPE_CHECKING, Final

from toolgrammar.interop.exchange import to_json
from toolgrammar.interop.native.arguments import ArgumentsReader, doubt_if_nested
from toolgrammar.interop.native.names import ReadName, read_name
from toolgrammar.parsing.checks import is_cut
from toolgrammar.values.calls import ToolCall
from toolgrammar.values.diagnostics import Diagnostic
from toolgrammar.values.events import ArgumentsDelta, CallEnd, CallStart, Event, Problem
from toolgrammar.values.spans import NOWHERE

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Mapping

    from toolgrammar.interop.native.arguments import ReadArguments
    from toolgrammar.values.tools import ToolSpec

DOUBLED: Final = "doubled-name"
_SHOWN: Final = 200
"""Characters of a lost call that its diagnostic shows."""


class RepairedPieces:
    """Calls that arrive in pieces, under keys of the API's own."""

    def __init__(self, tools: Mapping[str, ToolSpec]) -> None:
        self._tools = tools
        self._count = 0
        self._open: dict[object, _Arriving] = {}
        # Who got the last piece: only this call can have been cut.
        self._last: object = None
        self.repaired = False
        """Whether any call is another than the API handed out."""

    def __contains__(self, key: object) -> bool:
        return key in self._open

    def take_place(self) -> int:
        """Returns the index of a call that somebody else keeps."""
        self._count += 1
        return self._count - 1

    def given(self, key: object) -> str:
        """Returns the arguments of an open call so far."""
        return self._open[key].reader.given

    def piece(
        self, key: object, name: str | None, identity: str | None, arguments: str
    ) -> list[Event]:
        """Reads a piece of a call as chat APIs stream it: the first has the name, most others do not.

        Servers give all calls of a message one index, send the name with every piece, or in pieces
        of its own, or after the arguments.
        """
        events: list[Event] = []
        call = self._open.get(key)
        if call is not None and name and self._is_next(call, name, identity, arguments):
            events += self._ended(key, cut=False)
            call = None
        if call is None:
            # The next name tells that calls before it are over, if what came of them is whole.
            events += [*self._end_whole(), *self._announced_all()] if name else []
            call = self._begun(key)
        call.hears(name, identity)
        return events + self.add(key, arguments)

    def start(self, key: object, name: str, identity: str | None) -> list[Event]:
        """Begins a call of an API that gives the name at once."""
        events = self._ended(key, cut=False) if key in self._open else []
        call = self._begun(key)
        call.hears(name, identity)
        return events + ([] if self._waits(call) else self._announced(call))

    def add(self, key: object, text: str) -> list[Event]:
        """Adds to the arguments of an open call."""
        call = self._open[key]
        if text:
            self._last = key
            call.reader.feed(text)
        # As long as there are no arguments, the name may go on.
        events: list[Event] = []
        if call.index is None and call.reader.has_begun and not self._waits(call):
            events = self._announced(call)
        if call.index is not None and text:
            json = call.reader.take(self._tool(call.name))
            events += [ArgumentsDelta(call.index, json)] if json else []
        return events

    def over(self, key: object) -> list[Event]:
        """Ends a call that got its last piece, if it is whole: else the server's reason decides."""
        return self._ended(key, cut=False) if self._open[key].reader.is_whole else []

    def end(self, key: object, reason: str | None = None) -> list[Event]:
        """Ends an open call; without a reason its stream broke off."""
        return self._ended(key, cut=reason is None or is_cut(reason))

    def end_all(self, reason: str | None = None) -> list[Event]:
        """Ends all open calls, in their order; only the last to get a piece can have been cut."""
        cut = reason is None or is_cut(reason)
        return [
            event
            for key in list(self._open)
            for event in self._ended(key, cut=cut and key == self._last)
        ]

    def _tool(self, name: str) -> ToolSpec | None:
        return self._tools.get(name)

    def _begun(self, key: object) -> _Arriving:
        self._last = key
        call = self._open[key] = _Arriving()
        return call

    def _end_whole(self) -> list[Event]:
        # The others may go on: nothing says that a server sends its calls one after the other.
        events: list[Event] = []
        for key, call in list(self._open.items()):
            if call.reader.is_whole and (call.index is not None or not self._waits(call)):
                events += self._ended(key, cut=False)
        return events

    def _announced_all(self) -> Iterator[Event]:
        """Emits the start of open calls without arguments so far, whose place is before the next."""
        for call in self._open.values():
            known = not self._tools or "".join(call.pieces) in self._tools
            if call.index is None and known and not self._waits(call):
                yield from self._announced(call)

    def _waits(self, call: _Arriving) -> bool:
        """Whether the name of a call that began earlier is not certain yet: it comes first.

        One without any name holds nothing up, since most never get one.
        """
        earlier = takewhile(lambda each: each is not call, self._open.values())
        return any(each.index is None and each.pieces for each in earlier)

    def _is_next(self, call: _Arriving, name: str, identity: str | None, arguments: str) -> bool:
        """Whether a piece with a name begins another call under the same key."""
        other_id = bool(identity and call.identity and identity != call.identity)
        if not call.pieces:
            return False  # the name comes after the arguments
        if not call.reader.has_begun:
            joined = "".join([*call.pieces, name])
            # Two tools without arguments; else the name may come in pieces.
            two = name != call.pieces[-1] and {name, call.pieces[-1]} <= self._tools.keys()
            return other_id or (two and joined not in self._tools)
        same, fresh = name == call.name, arguments.lstrip().startswith("{")
        if not call.reader.is_whole:
            # A new id with each piece is known of some servers.
            return (other_id and fresh) if same else True
        # The same name with each piece, too: what decides is whether new arguments begin.
        again = call.reader.repeats(arguments)
        return other_id or not same or (fresh and identity is None and not again)

    def _announced(self, call: _Arriving) -> list[Event]:
        """Emits the start of a call, once its name is known."""
        if not call.pieces:
            return []
        read = call.read_name(self._tools.keys())
        # Names of several calls are told apart when all arguments are there.
        if len(read.names) > 1:
            return []
        index = call.begin(self.take_place(), read.names[0])
        return [CallStart(index, call.name, call.identity)]

    def _ended(self, key: object, *, cut: bool) -> list[Event]:
        call = self._open.pop(key)
        if not call.pieces:
            return self._nameless(call)
        events = [] if call.index is not None else self._announced(call)
        assert call.read is not None
        read = call.read
        tool = self._tool(read.names[0]) if len(set(read.names)) == 1 else None
        calls = max(call.calls, len(read.names))
        rest, every = call.reader.end(tool, cut=cut, calls=calls, has_other_ids=call.has_other_ids)
        names = _names(read, len(every))
        if names is None:
            # Three objects for two names: who gets the third can't be said.
            read = replace(read, doubtful=True)
            names = ["".join(call.pieces)] * len(every)
        for number, (name, found) in enumerate(zip(names, every, strict=True)):
            # Results are told apart by the id: the second call needs one of its own.
            more = f"_{number}" if number else ""
            identity = f"{call.identity}{more}" if call.identity else None
            index = call.index
            if number or index is None:
                index = call.begin(self.take_place(), call.name)
                events.append(CallStart(index, name, identity))
                rest = to_json(found.arguments) if number else rest
            events += [ArgumentsDelta(index, rest)] if rest else []
            events += self._closed(index, name, identity, found, read)
        return events

    def _closed(
        self, index: int, name: str, identity: str | None, found: ReadArguments, read: ReadName
    ) -> Iterator[Event]:
        """Yields what was wrong with a call, and its end."""
        found = doubt_if_nested(found, name, self._tools)
        diagnostics, doubts = found.diagnostics, found.doubts
        if read.repaired or read.doubtful:
            diagnostics += (_name_problem(name, doubtful=read.doubtful),)
            doubts += (DOUBLED,) if read.doubtful else ()
        status = found.status
        if status == "complete" and read.repaired:
            status = "repaired"
        # Empty arguments are read as none, `{}`, which a client could not read.
        self.repaired = self.repaired or bool(diagnostics) or not found.raw
        for each in diagnostics:
            # Native calls have no place in a text: the message says whose arguments are meant.
            message = f"{each.message} (in the call of {name!r:.80})"
            yield Problem(replace(each, message=message))
        call = ToolCall(
            name,
            found.arguments,
            id=identity,
            raw_arguments=found.raw,
            status=status,
            error=found.error,
            doubts=doubts,
        )
        yield CallEnd(index, call)

    def _nameless(self, call: _Arriving) -> list[Event]:
        """Reports pieces that belong to no call."""
        text = call.reader.text.strip()
        self.repaired = True
        said = f": {text:.{_SHOWN}}" if text else ""
        message = f"Found a call without a name{said}"
        return [Problem(Diagnostic("malformed-call", "error", message, NOWHERE))]


class _Arriving:
    """A call that is not complete yet."""

    __slots__ = ("calls", "has_other_ids", "identity", "index", "name", "pieces", "read", "reader")

    def __init__(self) -> None:
        self.index: int | None = None
        self.name = ""
        self.pieces: list[str] = []
        self.read: ReadName | None = None
        self.identity: str | None = None
        self.reader = ArgumentsReader()
        self.calls = 1
        self.has_other_ids = False
        """Whether pieces came under another id: of another call, or of a server that changes them."""

    def read_name(self, tools: Collection[str]) -> ReadName:
        """Reads the name from the pieces that have come."""
        self.read = read_name(self.pieces, tools)
        return self.read

    def begin(self, index: int, name: str) -> int:
        """Assigns the call its index and its name, which are then emitted."""
        self.index, self.name = index, name
        return index

    def hears(self, name: str | None, identity: str | None) -> None:
        """Reads the name and the id of a piece."""
        other = bool(identity and self.identity and identity != self.identity)
        self.has_other_ids = self.has_other_ids or other
        # What is out can't be changed: an id that comes later is too late.
        if self.index is None:
            self.identity = self.identity or identity
        if not name:
            return
        if not self.reader.has_begun or not self.pieces:
            self.pieces.append(name)
        # The name once more behind whole arguments: the server began another call.
        elif self.reader.is_whole:
            self.calls += 1


def _names(read: ReadName, count: int) -> list[str] | None:
    """Returns the names of a number of calls; None if their assignment is ambiguous."""
    if len(read.names) == count:
        return list(read.names)
    return [read.names[0]] * count if len(set(read.names)) == 1 else None


def _name_problem(name: str, *, doubtful: bool) -> Diagnostic:
    message = f"Found the name {name!r:.80} doubled, or in pieces"
    return Diagnostic(DOUBLED, "error" if doubtful else "warning", message, NOWHERE)
