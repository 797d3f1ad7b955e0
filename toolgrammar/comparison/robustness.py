"""Counts how damaged messages are read: with random damages, and with those that models make.

Of 300 messages that lack a bracket, 240 may run as they were meant, 58 do not run and have an error.
"""

from __future__ import annotations

import math
import random
from collections import Counter
from typing import TYPE_CHECKING, Any, Final

from toolgrammar.comparison.carried import deeds
from toolgrammar.comparison.damages import damaged
from toolgrammar.comparison.figures import share
from toolgrammar.parsing.whole import parse
from toolgrammar.testing.small_damage import REPLACEMENTS

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from toolgrammar.catalogue.format import Format
    from toolgrammar.comparison.carried import Wire
    from toolgrammar.comparison.figures import Figure
    from toolgrammar.values.calls import ParseResult

EXACT: Final = "exact"
NOTICED: Final = "noticed"
LOST: Final = "lost"
WRONG: Final = "wrong"
NO_PLACE: Final = "no place"
OUTCOMES: Final = {
    EXACT: "the calls run as they were meant",
    NOTICED: "a call does not run, and somebody is told",
    LOST: "a call does not run, and nobody is told",
    WRONG: "a call runs that was not meant",
}
"""The outcomes of reading a damaged message. Damages that models make have one more: `NO_PLACE`."""
PER_CHARACTERS: Final = 1000
"""The number of characters of markup per random damage."""

Counted = dict[str, Counter[str]]
"""By message, how often each outcome was seen."""


def outcome(result: ParseResult, wire: Wire) -> str:
    """Returns the outcome of a reading, for someone who runs every executable call."""
    wanted = deeds(wire.message.calls)
    ran = deeds(call for call in result.calls if call.executable)
    if ran == wanted:
        return EXACT
    # A call that ran twice was meant once.
    if Counter(ran) - Counter(wanted):
        return WRONG
    return LOST if result.ok else NOTICED


def of_random(form: Format, wires: Sequence[Wire], count: int, seed: int) -> dict[str, Any]:
    """Returns the outcomes of messages whose markup has errors at a fixed rate per character.

    A message is drawn with the probability that it has an error. In the result `fail` is the number of
    1,000 messages that do not run as they were meant, `of damaged` the share of each outcome among
    damaged messages, `of 1,000` the number of each outcome among 1,000 messages, and `markup` the mean
    number of characters of markup.
    """
    # Seeded with the format's id, so that a format gets the same damages whichever others are compared.
    draw = random.Random(f"{seed} random {form.id}")  # noqa: S311 - the same in every run
    # The probability that a message has an error. Only messages with one are read: at one error in
    # 1,000 characters most messages are sound, and reading them would show nothing.
    weights = [1 - math.exp(-len(wire.markup) / PER_CHARACTERS) for wire in wires]
    counted: Counted = {}
    for wire in draw.choices(wires, weights, k=count) if any(weights) else ():
        text = wire.text
        for _ in range(_errors(len(wire.markup), draw)):
            text = _with_error(text, wire, draw)
        read = parse(text, format=form, tools=wire.message.specs)
        counted.setdefault(wire.message.name, Counter())[outcome(read, wire)] += 1
    shares = _shares(counted, OUTCOMES)
    often = 1000 * sum(weights) / len(weights)
    per_thousand = {name: each and each.times(often) for name, each in shares.items()}
    # Messages without an error run as they were meant.
    exact = per_thousand[EXACT]
    per_thousand[EXACT] = exact and exact.times(1, 1000 - often)
    failed = _failed(counted)
    return {
        "fail": failed and failed.times(often),
        "markup": sum(len(wire.markup) for wire in wires) / len(wires),
        "of damaged": shares,
        "of 1,000": per_thousand,
        "by shape": _by_shape(counted, wires),
    }


def of_models(
    form: Format, wires: Sequence[Wire], weights: Mapping[str, int], count: int, seed: int
) -> dict[str, Any]:
    """Returns the outcomes of messages with one damage of a kind that models make."""
    counted: Counted = {}
    kinds: dict[str, Counter[str]] = {}
    for number in range(count):
        # The same kind and message at the same place for every format.
        draw = random.Random(f"{seed} models {number}")  # noqa: S311 - the same in every run
        kind = draw.choices(list(weights), list(weights.values()))[0]
        wire = draw.choice(wires)
        text = damaged(wire, kind, draw)
        if text is None:
            found = NO_PLACE
        else:
            found = outcome(parse(text, format=form, tools=wire.message.specs), wire)
        counted.setdefault(wire.message.name, Counter())[found] += 1
        kinds.setdefault(kind, Counter())[found] += 1
    return {
        "fail": _failed(counted),
        "of damaged": _shares(counted, (*OUTCOMES, NO_PLACE)),
        "kinds": {kind: dict(kinds[kind]) for kind in weights if kind in kinds},
    }


def _errors(markup: int, draw: random.Random) -> int:
    """Returns a number of errors, at least 1: drawn from Poisson's distribution without its 0."""
    rate = markup / PER_CHARACTERS
    left = draw.random() * (1 - math.exp(-rate))
    number, chance = 1, rate * math.exp(-rate)
    while left > chance and number < 20:
        left -= chance
        number += 1
        chance *= rate / number
    return number


def _with_error(text: str, wire: Wire, draw: random.Random) -> str:
    """Returns a text with one more place of its markup damaged."""
    places = wire.markup
    if text != wire.text:
        # For further errors, only the parts before the first and after the last change are used:
        # between them it is not known which character is markup.
        shift = len(text) - len(wire.text)
        last = len(wire.text) - _same(text[::-1], wire.text[::-1])
        first = _same(text, wire.text)
        places = [place for place in wire.markup if place < first]
        places += [place + shift for place in wire.markup if place >= max(first, last)]
    # A draw may change nothing, such as a blank that replaces a blank.
    allowed = set(places)
    # Several tries, since a place may allow no swap, or a replacement may equal what it replaces.
    tries = (_damaged(text, places, allowed, draw) for _ in range(20 if places else 0))
    return next((each for each in tries if each != text), text)


def _damaged(text: str, places: list[int], allowed: set[int], draw: random.Random) -> str:
    """Returns a text with one character deleted, doubled, replaced, or swapped with the next one.

    No character is inserted: next to a value it could not be distinguished from the value.
    """
    place = draw.choice(places)
    before, here, after = text[:place], text[place], text[place + 1 :]
    match draw.choice(("missing", "twice", "another", "changed")):
        case "missing":
            return before + after
        case "twice":
            return before + here * 2 + after
        case "another":
            return before + draw.choice(REPLACEMENTS) + after
        # A swap with a character of a value would change the value.
        case _ if place + 1 in allowed:
            return before + after[:1] + here + after[1:]
        case _:
            return text


def _same(one: str, other: str) -> int:
    """Returns the length of the common beginning of two texts."""
    pairs = enumerate(zip(one, other, strict=False))
    return next((n for n, (a, b) in pairs if a != b), min(len(one), len(other)))


def _shares(counted: Counted, names: Iterable[str]) -> dict[str, Figure | None]:
    return {name: share((each[name], each.total()) for each in counted.values()) for name in names}


def _failed(counted: Counted) -> Figure | None:
    """Returns the share of messages that don't run as they were meant."""
    return share(
        (each.total() - each[EXACT] - each[NO_PLACE], each.total()) for each in counted.values()
    )


def _by_shape(counted: Counted, wires: Sequence[Wire]) -> dict[str, dict[str, Figure | None]]:
    shapes: dict[str, Counted] = {}
    for wire in wires:
        name = wire.message.name
        if name in counted:
            shapes.setdefault(wire.message.shape, {})[name] = counted[name]
    return {shape: _shares(each, OUTCOMES) for shape, each in shapes.items()}
