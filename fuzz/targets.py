"""What a fuzzer asks of one input: nothing raises, and cutting changes nothing."""

from __future__ import annotations

import json
import random
from typing import TYPE_CHECKING

import toolgrammar
from fuzz.attacks import ATTACKS
from toolgrammar.testing import Case
from toolgrammar.testing.growing import work_of
from toolgrammar.testing.laws import no_raise
from toolgrammar.testing.readings import read, seen
from toolgrammar.tools.specs import to_specs

if TYPE_CHECKING:
    from collections.abc import Callable

_FORMATS = sorted(toolgrammar.formats)
_TOOLS = (
    {
        "name": "f",
        "parameters": {
            "type": "object",
            "properties": {"a": {"type": "string"}, "n": {"type": "integer"}},
            "required": ["a"],
        },
    },
)
_SCHEMAS: tuple[dict[str, object] | None, ...] = (None, _TOOLS[0]["parameters"])  # type: ignore[assignment]


_SIZE = 1500
"""Characters of a text that grows; behind it no token may be as long."""
_LONGEST = 200
"""Characters of what it begins with, and of what is repeated."""


def _split(data: bytes) -> tuple[int, str]:
    """Returns a number and the text: the first two bytes choose, the rest is what is read."""
    return int.from_bytes(data[:2], "big"), data[2:].decode("utf-8", "surrogateescape")


def _chunks(text: str, number: int) -> list[str]:
    draw = random.Random(number)
    found, place = [], 0
    while place < len(text):
        size = draw.choice((1, 1, 2, 3, 7, 30))
        found.append(text[place : place + size])
        place += size
    return found


def messages(data: bytes) -> None:
    """Reads a message in every way; nothing raises."""
    number, text = _split(data)
    text = text.encode("utf-8", "surrogateescape").decode("utf-8", "replace")
    tools = tuple(to_specs(_TOOLS).values()) if number % 2 else None
    no_raise(text, _FORMATS[number // 2 % len(_FORMATS)], tools)


def streams(data: bytes) -> None:
    """Reads a message whole and in chunks: the same result and the same events."""
    number, text = _split(data)
    case = Case("fuzz", _FORMATS[number // 2 % len(_FORMATS)], text)
    assert seen(read(case, _chunks(text, number))) == seen(read(case, [text])), case


def payloads(data: bytes) -> None:
    """Recovers a payload: nothing raises, and half a value is never to be executed."""
    number, text = _split(data)
    found = toolgrammar.recover_json(text, _SCHEMAS[number % 2])
    found.to_dict()
    assert not (found.executable and found.status in ("truncated", "unreadable")), text
    if found.status == "complete":
        json.loads(text)


def deltas(data: bytes) -> None:
    """Recovers a payload from deltas: the same as at once, looked at now and then."""
    number, text = _split(data)
    parser = toolgrammar.JsonParser(_SCHEMAS[number % 2])
    for index, piece in enumerate(_chunks(text, number)):
        parser.feed(piece)
        if index % 5 == 0:
            json.dumps(parser.value)
    wanted = toolgrammar.recover_json(text, _SCHEMAS[number % 2])
    assert json.dumps(parser.close().to_dict()) == json.dumps(wanted.to_dict()), text


def attacks(data: bytes) -> None:
    """Makes an attempt of an attack on a format: no promise breaks."""
    number = int.from_bytes(data[:2], "big")
    name = list(ATTACKS)[number % len(ATTACKS)]
    format_id = _FORMATS[number // len(ATTACKS) % len(_FORMATS)]
    found = ATTACKS[name](format_id, random.Random(data[2:]))
    assert not found.broke, (name, format_id, found)


def growth(data: bytes) -> None:
    """Streams a beginning and many repeats: four times the text is no more than six times the work.

    A character is a step at least: the shortcut, which only one of the two may take, counts none.
    """
    number, text = _split(data)
    at = number // 2 % (len(text) + 1)
    before, unit = text[:at][-_LONGEST:], text[at:][:_LONGEST] or "x"
    format_id = _FORMATS[number // 2 % len(_FORMATS)]
    wanted = [format_id] if number % 2 else format_id
    tools = tuple(to_specs(_TOOLS).values())
    short, long = (
        work_of(wanted, tools, (before + unit * size)[:size], 1) for size in (_SIZE, 4 * _SIZE)
    )
    assert long <= 6 * max(short, _SIZE), (wanted, before, unit, short, long)


TARGETS: dict[str, Callable[[bytes], None]] = {
    "messages": messages,
    "streams": streams,
    "payloads": payloads,
    "deltas": deltas,
    "growth": growth,
    "attacks": attacks,
}
"""By its name, what is asked of an input."""
