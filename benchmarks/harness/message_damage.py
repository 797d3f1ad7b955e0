"""Valid messages of a format, and one damage each to their markup or to the JSON in them."""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING, Any, NamedTuple

import toolgrammar
from harness.damage import CLASSES
from harness.payloads import schema_of, text
from toolgrammar import RenderError, ToolCall
from toolgrammar.testing.small_damage import content_of

if TYPE_CHECKING:
    import random
    from collections.abc import Callable

    from toolgrammar.catalogue.format import Format

_NAMES = ("save_note", "find_note", "list_days")
_KEYS = ("path", "body", "words", "place", "title")
_MARKUP = re.compile(
    r"</?[^<>\n]{1,60}>|<[|\uff5c][^<>\n]{1,60}[|\uff5c]>|\[/?[A-Z_]{3,40}\]|```\w*"
)
_OF_ARGUMENTS = ("fence", "prose", "cut", "extra closer", "escaped twice")
"""Damages that speak of a text by itself, not of arguments inside a message."""


class Message(NamedTuple):
    """A valid message."""

    format: Format
    text: str
    calls: tuple[ToolCall, ...]
    """As they are read in the valid text."""
    tools: list[dict[str, Any]]


class Damaged(NamedTuple):
    """A message with one damage."""

    name: str
    message: Message
    text: str
    forbidden: tuple[str, ...] = ()
    """Names of calls that are only quoted."""
    is_cut: bool = False
    """Whether the text is cut, so that the server would have said so."""


def message(format_id: str, draw: random.Random) -> Message | None:
    """Returns a message of one to three calls; None where the format can't carry them."""
    chosen = toolgrammar.formats[format_id]
    calls = [_call(name, draw) for name in draw.sample(_NAMES, draw.randint(1, 3))]
    for given in (calls, calls[:1], [_plain(call) for call in calls[:1]]):
        made = _written(chosen, given, draw)
        if made is not None:
            return made
    return None


def _call(name: str, draw: random.Random) -> ToolCall:
    arguments: dict[str, Any] = {}
    for key in draw.sample(_KEYS, draw.randint(1, 3)):
        roll = draw.random()
        if roll < 0.7:
            arguments[key] = text(draw)
        elif roll < 0.85:
            arguments[key] = draw.choice([1, 42, 2.5, True])
        else:
            arguments[key] = draw.choice([["a", "b"], [1, 2], {"x": 1, "y": "z"}])
    return ToolCall(name, arguments)


def _plain(call: ToolCall) -> ToolCall:
    return ToolCall(call.name, input=" ".join(map(str, call.arguments.values())))


def _written(chosen: Format, calls: list[ToolCall], draw: random.Random) -> Message | None:
    tools = [{"name": call.name, "parameters": schema_of(call.arguments)} for call in calls]
    try:
        wire = chosen.render(calls, text=draw.choice(["", "Let me look."]))
    except RenderError:
        return None
    read = toolgrammar.parse(wire, format=chosen, tools=tools)
    if not read.ok or [deed(call) for call in read.calls] != [deed(call) for call in calls]:
        return None
    return Message(chosen, wire, read.calls, tools)


def deed(call: ToolCall) -> str:
    """Returns what a call would do."""
    input_ = None if call.arguments else call.input
    return json.dumps([call.name, call.arguments, input_], sort_keys=True)


# Markup


def _pieces(given: Message, draw: random.Random) -> tuple[int, int, int] | None:
    """Returns where the arguments of a call end, where its own text does, and its index."""
    index = draw.randrange(len(given.calls))
    call = given.calls[index]
    start = given.text.find(call.raw_arguments, call.span.start)
    end = start + len(call.raw_arguments)
    closing = given.text[end : call.span.end]
    return (end, call.span.end, index) if closing.strip() else None


def _closers_missing(given: Message, draw: random.Random) -> str | None:
    found = _pieces(given, draw)
    if found is None or given.calls[found[2]].input is not None:
        return None  # the line end would be a part of the free text
    return given.text[: found[0]] + "\n" + given.text[found[1] :].lstrip()


def _end_missing(given: Message, _draw: random.Random) -> str | None:
    call = given.calls[-1]
    end = given.text.find(call.raw_arguments, call.span.start) + len(call.raw_arguments)
    return given.text[:end] if given.text[end:].strip() else None


def _last_closer(given: Message, draw: random.Random) -> tuple[int, int] | None:
    found = _pieces(given, draw)
    marks = list(_MARKUP.finditer(given.text, found[0], found[1])) if found else []
    return marks[-1].span() if marks else None


def _closer_missing(given: Message, draw: random.Random) -> str | None:
    span = _last_closer(given, draw)
    return span and given.text[: span[0]] + given.text[span[1] :]


def _closer_doubled(given: Message, draw: random.Random) -> str | None:
    span = _last_closer(given, draw)
    return span and given.text[: span[1]] + "\n" + given.text[span[0] :]


def _closer_misspelt(given: Message, draw: random.Random) -> str | None:
    span = _last_closer(given, draw)
    letters = [place for place in range(*span or (0, 0)) if given.text[place].isalpha()]
    if not letters:
        return None
    place = draw.choice(letters)
    return given.text[:place] + draw.choice(["", "s"]) + given.text[place + 1 :]


def _closer_crossed(given: Message, draw: random.Random) -> str | None:
    span = _last_closer(given, draw)
    if span is None:
        return None
    other = draw.choice(["</tools>", "</tool_calls>", "```", "</call>"])
    return given.text[: span[0]] + other + given.text[span[1] :]


def _inner_closer_missing(given: Message, draw: random.Random) -> str | None:
    """Drops a closer of one argument, in formats that have such."""
    call = draw.choice(given.calls)
    start = given.text.find(call.raw_arguments, call.span.start)
    content = content_of(given.text, [call])
    found = [
        mark.span()
        for mark in _MARKUP.finditer(given.text, start, start + len(call.raw_arguments))
        if mark.group().startswith("</") and not all(content[mark.start() : mark.end()])
    ]
    if call.raw_arguments[:1] in ("{", "[", "") or not found:
        return None
    first, last = draw.choice(found)
    return given.text[:first] + given.text[last:]


def _fence_around(given: Message, draw: random.Random) -> str | None:
    if "```" in given.text:
        return None
    start, end = given.calls[0].span.start, given.calls[-1].span.end
    opener = draw.choice(["```\n", "```xml\n", "```json\n"])
    return given.text[:start] + opener + given.text[start:end] + "\n```" + given.text[end:]


def _fence_behind(given: Message, draw: random.Random) -> str | None:
    found = _pieces(given, draw)
    if found is None or "```" in given.text or given.calls[found[2]].input is not None:
        return None  # in free text a fence is a part of it
    return given.text[: found[0]] + "\n```\n" + given.text[found[0] :].lstrip("\n")


def _prose_behind(given: Message, draw: random.Random) -> str | None:
    found = _pieces(given, draw)
    if found is None or found[2] != len(given.calls) - 1:
        return None
    return given.text[: found[1]] + "\n\nThat should do it." + given.text[found[1] :]


MARKUP: dict[str, Callable[[Message, random.Random], str | None]] = {
    "all closers missing": _closers_missing,
    "end missing": _end_missing,
    "last closer missing": _closer_missing,
    "closer doubled": _closer_doubled,
    "closer misspelt": _closer_misspelt,
    "closer crossed": _closer_crossed,
    "argument's closer missing": _inner_closer_missing,
    "fence around": _fence_around,
    "fence behind the arguments": _fence_behind,
    "prose behind": _prose_behind,
}
"""By its name, a damage to the markup; None where the message has no such place."""


# JSON in the message


def of_arguments(name: str, given: Message, draw: random.Random) -> str | None:
    """Returns the message with a damage in the arguments of one call, where they are an object."""
    call = draw.choice(given.calls)
    if name in _OF_ARGUMENTS or call.raw_arguments[:1] != "{" or not _is_json(call.raw_arguments):
        return None
    damaged = CLASSES[name](call.raw_arguments, draw)
    if damaged is None:
        return None
    start = given.text.find(call.raw_arguments, call.span.start)
    return given.text[:start] + damaged + given.text[start + len(call.raw_arguments) :]


def of_envelope(name: str, given: Message, draw: random.Random) -> str | None:
    """Returns the message with a damage in the object that holds name and arguments of a call."""
    call = draw.choice(given.calls)
    start = given.text.find("{", call.span.start, call.span.end)
    if name in _OF_ARGUMENTS or start < 0 or name in ("inner quotes", "raw line end", "bad escape"):
        return None
    try:
        value, end = json.JSONDecoder().raw_decode(given.text, start)
    except ValueError:
        return None
    whole = given.text[start:end]
    if call.name not in whole or not isinstance(value, dict) or whole == call.raw_arguments:
        return None
    inside = given.text.find(call.raw_arguments, start)
    damaged = CLASSES[name](whole, draw)
    if damaged is None or call.raw_arguments in damaged[inside - start - 8 :]:
        return damaged and given.text[:start] + damaged + given.text[end:]
    return None


def _is_json(body: str) -> bool:
    try:
        return isinstance(json.loads(body), dict)
    except ValueError:
        return False


def quoting(given: Message, draw: random.Random) -> Damaged | None:
    """Returns a message with a call in one of its strings, and at times no closers behind it."""
    quoted = _written(given.format, [ToolCall("wipe_disk", {"path": "/"})], draw)
    if quoted is None:
        return None
    call = given.calls[-1]
    body = draw.choice(["It works so:\n{}\nDone.", "{}", "a {} b"]).format(quoted.text)
    outer = ToolCall(call.name, {**call.arguments, "body": body})
    made = _written(given.format, [*given.calls[:-1], outer], draw)
    if made is None:
        return None
    damage = draw.choice([_whole, _end_missing, _cut_in_quote, _closer_missing])
    damaged = damage(made, draw)
    return damaged and Damaged(
        "quoted call", made, damaged, ("wipe_disk",), is_cut=damage is _cut_in_quote
    )


def _whole(given: Message, _draw: random.Random) -> str:
    return given.text


def _cut_in_quote(given: Message, draw: random.Random) -> str | None:
    start = given.text.find("wipe_disk")
    return given.text[: draw.randrange(start, len(given.text))] if start >= 0 else None
