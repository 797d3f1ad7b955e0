"""Makes ids for calls that have none, for APIs that require them.

With a prefix, two calls without ids get `call_0` and `call_1`; without one, `call_` and a hash of the
call's place and text. Reading the same message again gives the same ids.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from toolgrammar.values.errors import check_type
from toolgrammar.values.events import ArgumentsDelta, InputDelta, ReasoningDelta, TextDelta
from toolgrammar.values.spans import NOWHERE

if TYPE_CHECKING:
    from collections.abc import Iterable

    from toolgrammar.values.calls import ToolCall
    from toolgrammar.values.events import Event

_MARK = "_"
_PREFIX = "call_"
_DIGITS = 24
"""The number of hex digits of a hashed id: with its prefix it is as long as OpenAI's ids."""


def check_id_prefix(prefix: object) -> None:
    """Checks the text before the index in a generated id.

    Raises:
        TypeError: it is neither a str nor None.
    """
    check_type("id_prefix", prefix, (str, type(None)), 'each id begins with it: "call_"')


def ids_of(
    calls: Iterable[ToolCall], prefix: str | None = None, places: Iterable[int] | None = None
) -> list[str]:
    """Returns the ids of the calls of a message: their own, or generated ones.

    No two calls get the same one: `_` is appended to a generated id that another call has as its own,
    and to the own id of a call that repeats that of an earlier one.

    Args:
        calls: the calls.
        prefix: the text before the call's index in a generated id; None: the id is a hash of the
            call's place and text, so that calls of two turns have different ids.
        places: the indexes of the calls in their message; None: their indexes in `calls`.

    Raises:
        TypeError: the prefix is neither a str nor None.
    """
    check_id_prefix(prefix)
    given = list(calls)
    # The own ids of all calls, later ones too: a generated id must differ from each.
    own = {call.id for call in given}
    found: dict[str, None] = {}
    for place, call in zip(range(len(given)) if places is None else places, given, strict=True):
        identity = call.id or (made_id(call, place) if prefix is None else f"{prefix}{place}")
        # An id that the model wrote is kept, but for the second call that has it.
        while identity in found or (identity != call.id and identity in own):
            identity += _MARK
        found[identity] = None
    return list(found)


def made_id(call: ToolCall, place: int) -> str:
    """Returns the generated id of a call; the same call at the same place gets the same id."""
    if call.span == NOWHERE:  # made by hand, so it has no place in a text
        return f"{_PREFIX}{place}"
    return _hashed(call.span.start, call.span.end, call.name, call.origin)


def _hashed(*parts: object) -> str:
    import hashlib  # slow, since it loads OpenSSL, and few messages need it

    text = json.dumps(parts)
    return _PREFIX + hashlib.sha256(text.encode("ascii")).hexdigest()[:_DIGITS]


class UniqueIds:
    """Makes the ids of one answer's calls, unique within the conversation."""

    def __init__(self, taken: Iterable[str], turn: str) -> None:
        """Starts the ids of one answer.

        Args:
            taken: the ids of the conversation's calls so far.
            turn: a text that distinguishes the answer from others of the conversation, since a
                model may write the same call twice.
        """
        self._taken = set(taken)
        self._turn = turn

    def next(self, call: ToolCall, place: int) -> str:
        """Returns the call's own id if it is new, else a generated one.

        The result is the same for whole and streamed messages, provided that the method is called
        for all calls in their order.

        Args:
            call: the call.
            place: its index among the calls of the answer.
        """
        identity, tries = call.id, 0
        while not identity or identity in self._taken:
            span = call.span
            made_from = (self._turn, place, span.start, span.end, call.name, call.origin)
            identity = _hashed(*made_from, tries)
            # A second round is needed only if the model itself wrote the id generated here.
            tries += 1
        self._taken.add(identity)
        return identity


class ArrivingIds:
    """Makes the ids of calls that arrive one after the other, when later ones are not known yet."""

    def __init__(self, prefix: str | None, message: str = "") -> None:
        """Starts the ids of one message.

        Args:
            prefix: the text before the call's index in a generated id; None: the id is a hash of
                the index and of the message so far, if there is anything before the call.
            message: a text that distinguishes the message from others, such as its own id.

        Raises:
            TypeError: the prefix is neither a str nor None.
        """
        check_id_prefix(prefix)
        self._prefix = prefix
        self._seen = [message]
        self._taken: set[str] = set()

    def see(self, event: Event) -> None:
        """Records the next event of the message."""
        # With a prefix, the id depends on the index alone.
        if self._prefix is None:
            if isinstance(event, TextDelta | ReasoningDelta | InputDelta):
                self._seen.append(event.text)
            elif isinstance(event, ArgumentsDelta):
                self._seen.append(event.json)

    def next(self, own: str | None, index: int, name: str) -> str:
        """Returns the id of the next call; its own id is changed if an earlier call has the same."""
        # The id is emitted with the start of the call, before later calls are known.
        identity = own or self._id(index, name)
        while identity in self._taken:
            identity += _MARK
        self._taken.add(identity)
        return identity

    def _id(self, index: int, name: str) -> str:
        if self._prefix is not None:
            return f"{self._prefix}{index}"
        seen = "".join(self._seen)
        # Nothing came before the call that distinguishes this message from others.
        if not seen:
            return f"{_PREFIX}{index}"
        # Replaced by a short hash, so that each id costs only the text since the last call.
        self._seen = [_hashed(index, name, seen)]
        return self._seen[0]
