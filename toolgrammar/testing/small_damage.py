"""Damages a few characters of a message's markup, never of its content.

Content is the characters of names, keys and values. Another character there is another value, which
no reader can recognise as damage: it is not a silent change of a call.
"""

from __future__ import annotations

import json
import re
from functools import lru_cache
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import random
    from collections.abc import Iterable, Iterator

    from toolgrammar.values.calls import ToolCall

_ENTITIES = {"&": "amp", "<": "lt", ">": "gt", '"': "quot", "'": "apos"}
REPLACEMENTS = " \n\"'`{}[]()<>:,=/|\\_-x7"
"""The characters that replace a damaged one."""
_NOTHING = re.compile(r">(\s*)</")
"""An element without content: between its tags stands a value, which is empty."""
_WORD = re.compile(r"\w")
_SHORT = 2
"""Characters of a text that is only looked for as a word, since it may stand anywhere."""


def content_of(text: str, calls: Iterable[ToolCall]) -> bytearray:
    """Returns for each character of a text whether it is content of one of the calls.

    Of `{"name": "save", "arguments": {"path": "a.txt"}}` these are `save`, `path` and `a.txt`.
    """
    marked = bytearray(len(text))
    for call in calls:
        for part in {call.name, *([call.input] if call.input else []), *_leaves(call.arguments)}:
            # Of a text of several lines each may be indented.
            is_whole = _mark(marked, text, part, call)
            for line in () if is_whole else map(str.strip, part.split("\n")):
                _mark(marked, text, line, call)
    return marked


def markup_of(text: str, calls: Iterable[ToolCall]) -> list[int]:
    """Returns the places of the markup of the calls that are not beside content.

    A character more beside content belongs to it: before a quote that ends it, too.
    """
    calls = list(calls)
    content = content_of(text, calls)
    beside = set(_beside(text, content))
    # What comes to stand in `<text></text>` is content, as it is in any other element.
    beside.update(place for each in _NOTHING.finditer(text) for place in range(*each.span()))
    inside = {place for call in calls for place in range(call.span.start, call.span.end)}
    return [place for place in sorted(inside) if not content[place] and place not in beside]


def small_damage(text: str, places: list[int], draw: random.Random) -> str:
    """Returns the text with one to three characters damaged at one of the places.

    They are deleted, doubled, replaced or swapped, or one is inserted; all of them are in `places`.
    """
    allowed = set(places)
    place = draw.choice(places)
    end = place + 1
    for _ in range(draw.choice((1, 1, 2, 3)) - 1):
        # A run stops where content begins: damage there would make another value, which no reader
        # can recognise.
        end += end in allowed
    before, here, after = text[:place], text[place:end], text[end:]
    kind = draw.choice(("deleted", "doubled", "swapped", "replaced", "put in"))
    if kind == "swapped" and place + 1 in allowed:
        return before + text[place + 1] + text[place] + text[place + 2 :]
    if kind == "doubled":
        return before + here + here + after
    if kind == "replaced":
        return before + "".join(draw.choice(REPLACEMENTS) for _ in here) + after
    if kind == "put in":
        return before + draw.choice(REPLACEMENTS) + here + after
    return before + after


def _leaves(value: Any) -> Iterator[str]:
    if isinstance(value, dict):
        for key, inner in value.items():
            yield key
            yield from _leaves(inner)
    elif isinstance(value, list):
        for inner in value:
            yield from _leaves(inner)
    elif isinstance(value, str):
        yield value
    else:
        # `true` in JSON, `True` in Python: a format may write either.
        yield json.dumps(value)
        yield str(value)


def _mark(marked: bytearray, text: str, part: str, call: ToolCall) -> bool:
    if not part:
        return True
    found = list(_places(text, part, call.span.start, call.span.end))
    for start, end in found:
        marked[start:end] = b"\1" * (end - start)
    return bool(found)


def _places(text: str, part: str, start: int, end: int) -> Iterator[tuple[int, int]]:
    """Yields where a part stands as it is, or else with escapes of strings or with entities."""
    is_plain = text.find(part, start, end) >= 0
    while (found := _next(text, part, start, end, is_plain=is_plain)) is not None:
        first, last = found
        around = text[max(0, first - 1) : first] + text[last : last + 1]
        # `5` stands in `15` as well, and there it is not a value.
        if len(part) > _SHORT or not _WORD.search(around):
            yield found
            start = last
        else:
            start = first + 1


def _next(text: str, part: str, start: int, end: int, *, is_plain: bool) -> tuple[int, int] | None:
    if is_plain:
        first = text.find(part, start, end)
        return (first, first + len(part)) if first >= 0 else None
    opening = _ways(part[0])
    while (begun := opening.search(text, start, end)) is not None:
        last = _end_of(text, part, begun.start(), end)
        if last is not None:
            return begun.start(), last
        start = begun.start() + 1
    return None


def _end_of(text: str, part: str, place: int, end: int) -> int | None:
    """Returns where a part ends that is written from a place on; each character has one way."""
    for number, character in enumerate(part):
        # A line that goes on in the next one may be broken anywhere.
        if number and text.startswith("\\\n", place, end):
            place += 2
        found = _ways(character).match(text, place, end)
        if found is None:
            return None
        place = found.end()
    return place


@lru_cache(maxsize=1024)
def _ways(character: str) -> re.Pattern[str]:
    code = ord(character)
    ways = [rf"&#(?i:0*{code}|x0*{code:x});", rf"\\(?i:u\{{0*{code:x}\}}|u{code:04x}|x{code:02x})"]
    if character in _ENTITIES:
        ways.append(f"&{_ENTITIES[character]};")
    ways.append(re.escape(json.dumps(character)[1:-1]))
    # A backslash before a line end is no way to write it: the line goes on.
    if character != "\n":
        ways.append(rf"\\{re.escape(character)}")
    return re.compile("|".join([*ways, re.escape(character)]))


def _beside(text: str, content: bytearray) -> Iterator[int]:
    """Yields the places beside content: white space and the next character."""
    for places in (range(len(text)), reversed(range(len(text)))):
        is_beside = False
        for place in places:
            if content[place]:
                is_beside = True
            elif is_beside:
                is_beside = text[place].isspace()
                yield place
