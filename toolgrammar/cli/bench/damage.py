"""Damages one character of a message's syntax, and says what is read then.

`{"name": "f"}` becomes `{"name": "f"`, `{{"name": "f"}` or `{"name" "f"}`; the name itself is
left alone.
"""

from __future__ import annotations

import json
import random
from typing import TYPE_CHECKING, Literal
from xml.sax.saxutils import escape

from toolgrammar.parsing.whole import parse

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from toolgrammar.catalogue.format import Format
    from toolgrammar.cli.bench.material import Message
    from toolgrammar.values.calls import ToolCall
    from toolgrammar.values.json_types import JsonValue

Outcome = Literal["exact", "noticed", "lost", "wrong"]
"""The calls as they were; others, and a status or diagnostic says so; fewer, or others, unsaid."""

_STRAY = " \n\"'`{}[]()<>:,=/|\\_-x7"
"""What may be put in, besides the message's own characters."""


def damages(text: str, message: Message, count: int, seed: str) -> Iterator[str]:
    """Yields texts with one character deleted, doubled, replaced, added or changed places."""
    draw = random.Random(seed)  # noqa: S311 - the same damages in every run
    content = _places_of_content(text, message.calls)
    # Sorted, so that the same seed draws the same places.
    places = sorted(set(range(len(text))) - content)
    letters = sorted({*text, *_STRAY})
    made = 0
    # A draw may change nothing, a blank in place of a blank say: it is not counted, and the search
    # for others has an end.
    for _ in range(count * 4):
        if made == count or not places:
            return
        place = draw.choice(places)
        one = draw.choice(letters)
        before, here, after = text[:place], text[place], text[place + 1 :]
        ways = [
            before + after,
            before + here + here + after,
            before + one + after,
            before + one + here + after,
        ]
        # Two characters change places only where neither is part of a value.
        if place + 1 not in content:
            ways.append(before + after[:1] + here + after[1:])
        damaged = draw.choice(ways)
        if damaged != text:
            made += 1
            yield damaged


def outcome(damaged: str, form: Format, message: Message) -> Outcome:
    """Returns what a damaged message is read as."""
    found = parse(damaged, format=form, tools=message.tools)
    if same_calls(found.calls, message.calls):
        return "exact"
    if any(each.severity != "info" for each in found.diagnostics) or any(
        call.status != "complete" or call.doubts for call in found.calls
    ):
        return "noticed"
    return "lost" if len(found.calls) < len(message.calls) else "wrong"


def same_calls(found: Iterable[ToolCall], wanted: Iterable[ToolCall]) -> bool:
    """Whether both have the same names and arguments, of the same types, in the same order."""
    return [_essence(call) for call in found] == [_essence(call) for call in wanted]


def _essence(call: ToolCall) -> tuple[str, str]:
    value = call.arguments or call.input
    # No arguments and an empty text are the same in formats that write neither.
    return call.name, json.dumps(value or None, sort_keys=True)


def _places_of_content(text: str, calls: Iterable[ToolCall]) -> set[int]:
    """Returns where names, keys and values stand.

    No reader can tell a wrong letter in one from a right one; what remains is the format's syntax.
    """
    taken: set[int] = set()
    cursor = 0
    for call in calls:
        for value in (call.name, *_leaves(call.arguments or call.input)):
            for written in _spellings(value):
                # Mostly in the order of the calls; a format may write keys elsewhere.
                start = text.find(written, cursor)
                start = text.find(written) if start < 0 else start
                if start >= 0:
                    cursor = start + len(written)
                    taken.update(range(start, cursor))
                    break
    return taken


def _leaves(value: JsonValue) -> Iterator[str | int | float | bool]:
    match value:
        case dict():
            for key, part in value.items():
                # Keys, too: no reader can tell a wrong one from a right one.
                yield key
                yield from _leaves(part)
        case list():
            for part in value:
                yield from _leaves(part)
        case None | "":
            return
        case _:
            yield value


def _spellings(value: str | float) -> Iterator[str]:
    """Yields how formats may write a value, the longest first where one holds another."""
    if not isinstance(value, str):
        # JSON has `true`, Python `True`.
        yield from (json.dumps(value), repr(value))
        return
    once = json.dumps(value, ensure_ascii=False)[1:-1]
    # JSON inside a JSON string is escaped twice.
    yield json.dumps(once, ensure_ascii=False)[1:-1]
    yield once
    yield json.dumps(value)[1:-1]
    yield repr(value)[1:-1]
    yield escape(value)
    yield value
