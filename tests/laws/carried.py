"""What each format does not carry of a fixed set of calls, and the record of it.

`python -m tests.laws.carried` writes the record anew: what a format no longer carries shows in the
difference, and has to be meant.
"""

import json
from functools import cache
from pathlib import Path

import toolgrammar
from tests.laws.drawn import MARKUP, tools_of
from tests.laws.every_case import every_page_case
from toolgrammar import ToolCall
from toolgrammar.testing import laws
from toolgrammar.testing.carried import TEXTS, own_samples, samples
from toolgrammar.testing.depth import at_depth

RECORD = Path(__file__).with_name("not_carried.json")


@cache
def every_sample(format_id: str) -> dict[str, tuple[list[ToolCall], str]]:
    """Returns lists of calls, each with the text before it, by their names."""
    markup = {f"markup {text!r}": ([ToolCall("f", {"a": text})], "") for text in MARKUP}
    every = {**samples(), **markup, **own_samples(every_page_case(format_id))}
    # Every fourth where few are wanted; the record holds all of them.
    return dict(list(every.items())[:: at_depth(few=4, usual=1, every=1)])


def not_carried(format_id: str) -> set[str]:
    """Returns the names of what a format does not carry now."""
    return {
        name
        for name, (calls, text) in every_sample(format_id).items()
        if laws.round_trip(calls, format_id, tools_of(calls), text) is None
    }


@cache
def recorded() -> dict[str, list[str]]:
    """Returns the names of what each format is known not to carry."""
    found: dict[str, list[str]] = json.loads(RECORD.read_text(encoding="utf-8"))
    return found


def carries_inputs(format_id: str) -> bool:
    """Whether a format carries a call of any name with one text."""
    return not set(TEXTS) <= set(recorded()[format_id])


def _write() -> None:
    every = {format_id: sorted(not_carried(format_id)) for format_id in sorted(toolgrammar.formats)}
    RECORD.write_text(
        json.dumps(every, ensure_ascii=False, indent=1) + "\n", encoding="utf-8", newline="\n"
    )


if __name__ == "__main__":
    _write()
