"""How often does small damage change a call without a word?

`python -m fuzz.small_damage [FORMAT …] [--attempts N]`: so many texts of each format, its sound
examples and rows with one to three characters of its markup damaged. Counted are the texts in which
a call is executable that nobody wrote. What is inside of a name, a key or a value is not damaged:
nobody can see that. With `--into FILE` each such text is written as a line of JSON.
"""

from __future__ import annotations

import argparse
import json
import random
from collections import Counter
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

import toolgrammar
from tests.laws.every_case import cases
from toolgrammar.testing.readings import deed
from toolgrammar.testing.small_damage import markup_of, small_damage

if TYPE_CHECKING:
    from collections.abc import Iterator

    from toolgrammar.testing import Case


def main() -> None:
    """Damages texts of the formats that are named, and prints a line a format."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("formats", nargs="*", default=sorted(toolgrammar.formats))
    parser.add_argument("--attempts", type=int, default=300)
    parser.add_argument("--into", type=Path)
    given = parser.parse_args()
    total: Counter[str] = Counter()
    rows = []
    for name in given.formats:
        counts, found = measure(toolgrammar.formats[name].id, given.attempts)
        total += counts
        rows += [{"format": name, "text": text} for text in found]
        print(_line(name, counts), flush=True)
    print(_line("all", total))
    if given.into:
        given.into.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")


def _line(name: str, counts: Counter[str]) -> str:
    changed, texts = counts["changed"], counts["texts"]
    return f"{name:26} {changed:5} of {texts:6}  {100 * changed / max(1, texts):5.2f} %"


def measure(format_id: str, attempts: int) -> tuple[Counter[str], list[str]]:
    """Returns how many texts were damaged and in how many a call changed, and these."""
    sound = [each for case in cases(format_id, malformed=False) for each in _sound(case)]
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
            if given.changes(text):
                counts["changed"] += 1
                found.append(text)
    return counts, found


def _sound(case: Case) -> Iterator[_Given]:
    for tools in (None, case.tools) if case.tools else (None,):
        given = _Given(case, tools)
        if given.calls:
            yield given


class _Given:
    """A sound text, and what is read in it."""

    def __init__(self, case: Case, tools: Any) -> None:
        self.case = case
        self.tools = tools
        read = self._read(case.text)
        is_sound = read.ok and all(call.executable for call in read.calls)
        self.calls = read.calls if is_sound else ()

    @cached_property
    def places(self) -> list[int]:
        """Where its markup may be damaged."""
        return markup_of(self.case.text, self.calls)

    def _read(self, text: str) -> toolgrammar.ParseResult:
        case = self.case
        return toolgrammar.parse(text, case.format, tools=self.tools, prefix=case.prefix)

    def changes(self, text: str) -> bool:
        """Whether a call of a damaged text is executable that nobody wrote."""
        wanted = {deed(call) for call in self.calls}
        return any(call.executable and deed(call) not in wanted for call in self._read(text).calls)


if __name__ == "__main__":
    main()
