"""How often does small damage change a call, or lose one, without a word?

`python -m fuzz.small_damage [FORMAT …] [--attempts N]`: so many texts of each format, with one to
three characters of its markup damaged: its sound examples and rows, and messages of several calls
that are drawn. Counted are the texts in which a call is executable that nobody wrote (changed), and
those that have fewer calls than were written, and no error (lost). What is inside of a name, a key
or a value is not damaged: nobody can see that. With `--auto` nobody says the format: the tools are
known, and all formats are read. With `--into FILE` each such text is written as a line of JSON.
"""

from __future__ import annotations

import argparse
import json
import random
from collections import Counter
from dataclasses import replace
from functools import cache, cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

import toolgrammar
from tests.laws.every_case import cases
from toolgrammar import RenderError
from toolgrammar.comparison.messages import SEVERAL, drawn
from toolgrammar.testing import Case
from toolgrammar.testing.readings import deed
from toolgrammar.testing.small_damage import markup_of, small_damage
from toolgrammar.tools.specs import to_specs

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

_DRAWN = 6
"""Messages of several calls that are drawn."""


def main() -> None:
    """Damages texts of the formats that are named, and prints a line a format."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("formats", nargs="*", default=sorted(toolgrammar.formats))
    parser.add_argument("--attempts", type=int, default=300)
    parser.add_argument("--auto", action="store_true", help="read all formats, not the one")
    parser.add_argument("--into", type=Path)
    given = parser.parse_args()
    total: Counter[str] = Counter()
    rows = []
    for name in given.formats:
        counts, found = measure(toolgrammar.formats[name].id, given.attempts, is_auto=given.auto)
        total += counts
        rows += [{"format": name, **each} for each in found]
        print(line(name, counts), flush=True)
    print(line("all", total))
    if given.into:
        given.into.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")


def line(name: str, counts: Mapping[str, int]) -> str:
    """Returns the line of a table: how many texts were read, and how many changed or lost a call."""
    texts = counts.get("texts", 0)
    shares = (
        f"{counts.get(what, 0):5} {what} {100 * counts.get(what, 0) / max(1, texts):5.2f} %"
        for what in ("changed", "lost")
    )
    return f"{name:26} of {texts:6}: {'  '.join(shares)}"


def measure(
    format_id: str, attempts: int, *, is_auto: bool = False
) -> tuple[Counter[str], list[dict[str, Any]]]:
    """Returns how many texts were damaged, in how many a call changed or was lost, and these.

    Args:
        format_id: the format of the texts.
        attempts: how many texts are damaged.
        is_auto: whether they are read in all formats, with their tools.
    """
    sound = sound_texts(format_id, is_auto=is_auto)
    counts: Counter[str] = Counter()
    found = []
    for attempt in range(attempts if sound else 0):
        draw = random.Random(f"{format_id} {attempt}")
        given = draw.choice(sound)
        text = given.case.text
        if given.places:
            text = small_damage(text, given.places, draw)
        if text != given.case.text:
            counts["texts"] += 1
            what = given.harm(text)
            if what:
                counts[what] += 1
                found.append({"what": what, "text": text, **given.to_dict()})
    return counts, found


@cache
def sound_texts(format_id: str, *, is_auto: bool = False) -> tuple[Sound, ...]:
    """Returns the sound examples and rows of a format, and messages that are drawn."""
    found = []
    for case in (*cases(format_id, malformed=False), *_written(format_id)):
        lists = (None, case.tools) if case.tools else (None,)
        # What the prompt opened is of the format, which nobody says.
        for tools in [each for each in lists if not is_auto or (each and not case.prefix)]:
            given = Sound(replace(case, format="auto") if is_auto else case, tools)
            if given.calls:
                found.append(given)
    return tuple(found)


def _written(format_id: str) -> Iterator[Case]:
    """Yields drawn messages of several calls, as the format writes them, where it can."""
    messages = [each for each in drawn(11, _DRAWN) if each.shape == SEVERAL]
    for message in messages:
        try:
            text = toolgrammar.formats[format_id].render(message.calls)
        except RenderError:
            continue
        yield Case(message.name, format_id, text, tools=tuple(to_specs(message.tools).values()))


class Sound:
    """A sound text, and what is read in it."""

    def __init__(self, case: Case, tools: Any) -> None:
        self.case = case
        self.text = case.text
        self.tools = tools
        read = self.read(case.text)
        is_sound = read.ok and all(call.executable for call in read.calls)
        self.calls = read.calls if is_sound else ()

    @cached_property
    def places(self) -> list[int]:
        """Where its markup may be damaged."""
        return markup_of(self.case.text, self.calls)

    def read(self, text: str) -> toolgrammar.ParseResult:
        """Returns what is read in a text, with the tools and the prefix of the sound one."""
        case = self.case
        return toolgrammar.parse(text, case.format, tools=self.tools, prefix=case.prefix)

    def to_dict(self) -> dict[str, Any]:
        """Returns where the text is from, for a row of a report."""
        return {"of": self.case.text, "id": self.case.id, "tools": self.tools is not None}

    def harm(self, text: str) -> str:
        """Returns what a damaged text does to the calls; "" where no call changes, nor is lost.

        `changed`: a call is executable that nobody wrote. `lost`: one is missing, and no error says
        so.
        """
        wanted = {deed(call) for call in self.calls}
        read = self.read(text)
        if any(call.executable and deed(call) not in wanted for call in read.calls):
            return "changed"
        return "lost" if read.ok and len(read.calls) < len(self.calls) else ""


if __name__ == "__main__":
    main()
