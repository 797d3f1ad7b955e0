"""Makes ids for calls that have none, for APIs that want one.

Two calls without ids become `call_0` and `call_1`, or `call_` and what is made from their place and
text: the same each time they are read.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from toolgrammar.values.events import ArgumentsDelta, InputDelta, ReasoningDelta, TextDelta
from toolgrammar.values.spans import NOWHERE

if TYPE_CHECKING:
    from collections.abc import Iterable

    from toolgrammar.values.calls import ToolCall
    from toolgrammar.values.events import Event

_MARK = "_"
_PREFIX = "call_"
_DIGITS = 24
"""Digits of an id that is made from a call: with the prefix it is as long as OpenAI's own."""


def ids_of(
    calls: Iterable[ToolCall], prefix: str | None = None, places: Iterable[int] | None = None
) -> list[str]:
    """Returns the ids of the calls of a message: their own, or such as are made for them.

    Where another call has such an id as its own, `_` is put behind it.

    Args:
        calls: the calls.
        prefix: what stands before the place of a call in an id that is made; None: it is made
            from the call's place and text, so that two turns do not share one.
        places: the places of the calls in their message; None: as they stand here.
    """
    given = list(calls)
    # The own ids of all calls, the later ones too: a made one must not meet any.
    taken = {call.id for call in given}
    found: list[str] = []
    for place, call in zip(range(len(given)) if places is None else places, given, strict=True):
        identity = call.id or (made_id(call, place) if prefix is None else f"{prefix}{place}")
        # Made ids give way; what the model wrote stays as it is.
        while not call.id and identity in taken:
            identity += _MARK
        taken.add(identity)
        found.append(identity)
    return found


def made_id(call: ToolCall, place: int) -> str:
    """Returns the id of a call that has none: the same for the same call at the same place."""
    if call.span == NOWHERE:  # made by hand: it stands in no text
        return f"{_PREFIX}{place}"
    return _hashed(call.span.start, call.span.end, call.name, call.origin)


def _hashed(*parts: object) -> str:
    import hashlib  # loads OpenSSL: few messages need it

    text = json.dumps(parts)
    return _PREFIX + hashlib.sha256(text.encode("ascii")).hexdigest()[:_DIGITS]


class UniqueIds:
    """The ids of one answer's calls: no other call of the conversation has them."""

    def __init__(self, taken: Iterable[str], turn: str) -> None:
        """Sets up the ids of one answer.

        Args:
            taken: the ids of the conversation's calls.
            turn: what tells the answer from others of the conversation: a model may write the same
                call twice.
        """
        self._taken = set(taken)
        self._turn = turn

    def next(self, call: ToolCall, place: int) -> str:
        """Returns the call's own id where it is new, else one that is made.

        It is the same each time, whole and streamed; the calls are asked for in their order.

        Args:
            call: the call.
            place: its place among the calls of the answer.
        """
        identity, tries = call.id, 0
        while not identity or identity in self._taken:
            span = call.span
            made_from = (self._turn, place, span.start, span.end, call.name, call.origin)
            identity = _hashed(*made_from, tries)
            # Only where the model wrote an id that would be made, for another call.
            tries += 1
        self._taken.add(identity)
        return identity


class ArrivingIds:
    """The ids of calls that come one after the other: what comes later is not known."""

    def __init__(self, prefix: str | None, message: str = "") -> None:
        """Sets up the ids of one message.

        Args:
            prefix: what stands before the place in an id that is made; None: it is made from the
                place and from what is known of the message by then, where anything is.
            message: what tells the message from others, such as its own id.
        """
        self._prefix = prefix
        self._seen = [message]
        self._taken: set[str] = set()
        self._made: set[str] = set()

    def see(self, event: Event) -> None:
        """Takes the next event of the message."""
        # With a prefix, the place alone makes the id.
        if self._prefix is None:
            if isinstance(event, TextDelta | ReasoningDelta | InputDelta):
                self._seen.append(event.text)
            elif isinstance(event, ArgumentsDelta):
                self._seen.append(event.json)

    def next(self, own: str | None, index: int, name: str) -> str:
        """Returns the id of the next call: a made one may have taken what it has as its own."""
        # The id goes out with the call's start, before anything of what comes later is known.
        identity = own or self._id(index, name)
        # The id that was made is out already, so here the own one gives way.
        while identity in (self._made if own else self._taken):
            identity += _MARK
        self._taken.add(identity)
        if not own:
            self._made.add(identity)
        return identity

    def _id(self, index: int, name: str) -> str:
        if self._prefix is not None:
            return f"{self._prefix}{index}"
        seen = "".join(self._seen)
        # Nothing came before the call that could tell its message from another.
        if not seen:
            return f"{_PREFIX}{index}"
        # One short string again: no call's id shall cost the whole text before it.
        self._seen = [_hashed(index, name, seen)]
        return self._seen[0]
