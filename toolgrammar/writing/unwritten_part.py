"""Says which part of a call a format has no way to write, as far as a single part is to blame.

Example: where a `key` is read by `[a-z]+`, the call with the key `a b` can't be written, and the one
with the key `a` in its place can.
"""

from __future__ import annotations

from contextlib import suppress
from dataclasses import replace
from itertools import islice
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from toolgrammar.values.calls import ToolCall
    from toolgrammar.writing.grammar_walk.walk import Walk

_PLAIN_KEYS = ("a", "b")
_PLAIN_NAME = "f"
_PLAIN_ID = "1"
_MOST_KEYS = 32
"""Each is tried by itself, so that of a call with very many only the first are."""


def reason(walk: Walk, calls: Sequence[ToolCall]) -> str:
    """Returns the part of a call that the format can't express, if it is a single part."""
    # One part after the other is changed or omitted: where the call can be written then, that part
    # is to blame.
    for index, call in enumerate(calls):
        of = "" if len(calls) == 1 else f" of {call.name!r:.80}"
        for said, other in _others(walk, call):
            rest = [*calls[:index], other, *calls[index + 1 :]]
            # The tried call is not the caller's, so its error is not shown.
            with suppress(TypeError, ValueError):
                if other != call and walk.calls(rest) is not None:
                    return f"; {said.format(of)}"
    return ""


def _others(walk: Walk, call: ToolCall) -> Iterator[tuple[str, ToolCall]]:
    """Yields calls that differ in one part, each with what it says if it can be written."""
    yield _unread("name", call.name), replace(call, name=_PLAIN_NAME)
    for key in islice(call.arguments, _MOST_KEYS):
        plain = next(k for k in (*_PLAIN_KEYS, key) if k == key or k not in call.arguments)
        renamed = {plain if each == key else each: call.arguments[each] for each in call.arguments}
        yield _unread("key", key), replace(call, arguments=renamed)
    unread = "it has one with an `id`{}" if call.id is None else _unread("id", call.id)
    yield unread, replace(call, id=_PLAIN_ID)
    yield _without("id", call.id), replace(call, id=None)
    yield _without("depends_on", call.depends_on), replace(call, depends_on=())
    yield _without("input", call.input), replace(call, input=None)
    said = _without("arguments", call.arguments)
    # A key in a longer token is read, and never written.
    held = sorted(
        each.name for each in walk.terminals.values() if "key" in (role for _, role in each.groups)
    )
    more = f"; `{held[0]}` holds the key in a longer token, which is not written" if held else ""
    yield said + more, replace(call, arguments={})


def _unread(role: str, text: str) -> str:
    return _escaped(f"its `{role}` does not read {text!r:.80}") + "{}"


def _without(part: str, value: object) -> str:
    return f"it has one without the `{part}`{{}}, {_escaped(f'{value!r:.80}')}"


def _escaped(text: str) -> str:
    """Returns a text whose braces are no place to fill in."""
    return text.replace("{", "{{").replace("}", "}}")
