"""Runs a comparison: writes the messages in all formats, and measures each, in several processes.

The result, a `Comparison`, is plain data that is written to JSON unchanged.
"""

from __future__ import annotations

import random
from collections import Counter
from dataclasses import asdict, dataclass, field
from typing import TYPE_CHECKING, Any

from toolgrammar.comparison.carried import Carried, carried, compared
from toolgrammar.comparison.confusion import confusion
from toolgrammar.comparison.costs import ALL, earliness, prompts, sizes
from toolgrammar.comparison.cuts import cuts
from toolgrammar.comparison.damages import RECORDED
from toolgrammar.comparison.messages import SHAPES, long_message
from toolgrammar.comparison.robustness import of_models, of_random
from toolgrammar.comparison.speed import speeds
from toolgrammar.comparison.workers import Workers

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from toolgrammar.catalogue.format import Format
    from toolgrammar.comparison.messages import Message
    from toolgrammar.comparison.tokens import Tokenizer
    from toolgrammar.comparison.workers import Tell

_LONG = 4096


@dataclass(frozen=True)
class Settings:
    """The amount of measuring, and the seed of what is drawn."""

    seed: int = 0
    """The seed from which damages are drawn."""
    sample: int = 100
    """The number of messages that are damaged, cut and shown in prose; sizes use all messages."""
    damages: int = 250
    """The number of damaged messages for each format and each of the two kinds of damage."""
    rounds: int = 6
    """The number of rounds in which reading is timed; 0 for no timing."""
    weights: Mapping[str, int] = field(default_factory=lambda: dict(RECORDED))
    """The frequency with which models make each kind of damage."""


@dataclass
class Comparison:
    """The figures of all formats."""

    settings: Settings
    """The settings of the run."""
    messages: dict[str, int]
    """The number of messages of each shape."""
    compared: dict[str, int]
    """The number of those that all compared formats can express."""
    rows: list[dict[str, Any]]
    """The figures of each compared format."""
    apart: list[dict[str, Any]]
    """The formats that can't express the messages, and the reasons."""

    def to_dict(self) -> dict[str, Any]:
        """Returns it as plain JSON data, each figure as its value and the ends of its interval."""
        found: dict[str, Any] = _rounded(asdict(self))
        return found


def _rounded(value: Any) -> Any:
    """Returns data with six digits, more than any figure supports."""
    match value:
        case float():
            return round(value, 6)
        case dict():
            return {key: _rounded(part) for key, part in value.items()}
        case list() | tuple():
            return [_rounded(part) for part in value]
        case _:
            return value


def compare(
    formats: Sequence[Format],
    messages: Sequence[Message],
    tokenizers: Mapping[str, Tokenizer],
    settings: Settings,
    *,
    jobs: int = 1,
    tell: Tell = lambda *_: None,
) -> Comparison:
    """Returns the figures of formats over the same messages."""
    wanted = [*messages, long_message(_LONG)]
    with Workers(jobs) as workers:
        to_write = [(form.id, (form, wanted)) for form in formats]
        written = workers.each(carried, to_write, "formats written", tell)
        longs = {each.form.id: _take_long(each) for each in written}
        same, apart = compared(written, len(messages))
        sample = _sampled([wire.message for wire in same[0].wires], settings) if same else set()
        to_measure = [(each.form.id, (each, sample, tokenizers, settings)) for each in same]
        rows = workers.each(_row, to_measure, "formats measured", tell)
    if settings.rounds:
        to_time = [(each.form, each.wires, longs[each.form.id]) for each in same]
        timed = speeds(to_time, settings.rounds, lambda n: tell("rounds", n, settings.rounds))
        for row, times in zip(rows, timed, strict=True):
            row["speed"] = times
    common = [wire.message for wire in same[0].wires] if same else []
    return Comparison(
        settings,
        _shapes(messages),
        _shapes(common),
        rows,
        [_apart(x, len(messages)) for x in apart],
    )


def _take_long(found: Carried) -> Any:
    """Removes the long message, which is only for timing, from those of a format, and returns it."""
    longs = [wire for wire in found.wires if wire.message.name == "long"]
    for wire in longs:
        found.wires.remove(wire)
    return longs[0] if longs else None


def _shapes(messages: Iterable[Message]) -> dict[str, int]:
    counts = Counter(message.shape for message in messages)
    return {shape: counts[shape] for shape in SHAPES if counts[shape]}


def _sampled(messages: Sequence[Message], settings: Settings) -> set[str]:
    """Returns the names of the messages that are damaged and cut, equally many of each shape."""
    draw = random.Random(f"{settings.seed} sample")  # noqa: S311 - the same in every run
    by_shape = {shape: [each.name for each in messages if each.shape == shape] for shape in SHAPES}
    for names in by_shape.values():
        draw.shuffle(names)
    chosen: set[str] = set()
    # One of each shape in turn, as long as there are any.
    while any(by_shape.values()) and len(chosen) < settings.sample:
        for names in by_shape.values():
            if names and len(chosen) < settings.sample:
                chosen.add(names.pop())
    return chosen


def _row(
    found: Carried, sample: set[str], tokenizers: Mapping[str, Tokenizer], settings: Settings
) -> dict[str, Any]:
    form, wires = found.form, found.wires
    some = [wire for wire in wires if wire.message.name in sample]
    name_known, call_known = earliness(form, some)
    counted = sizes(form, wires, tokenizers)
    return {
        "format": form.id,
        "family": form.family,
        "sizes": counted[ALL],
        "shapes": {shape: counted[shape] for shape in SHAPES if shape in counted},
        "prompt": prompts(form, some, tokenizers),
        "name_known": name_known,
        "call_known": call_known,
        "random": of_random(form, some, settings.damages, settings.seed),
        "models": of_models(form, some, settings.weights, settings.damages, settings.seed),
        "cuts": cuts(form, some),
        "confusion": confusion(form, some),
    }


def _apart(found: Carried, messages: int) -> dict[str, Any]:
    return {
        "format": found.form.id,
        "family": found.form.family,
        "carried": len(found.wires),
        "of": messages,
        "refused": dict(found.refused),
        "reason": found.reason,
    }
