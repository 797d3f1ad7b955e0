"""How often does small damage change a call without a word?

`python -m fuzz.small_damage [FORMAT …] [--attempts N]`: so many texts of each format, its sound
examples and rows with one to three characters damaged. Counted are the texts in which a call is
executable that nobody wrote. A letter more or less inside of a name, a key or a value is none:
nobody can see that. Nor is a call of a tool that was not given: no engine runs it. With `--into FILE` each such text is written as a line of JSON.
"""

from __future__ import annotations

import argparse
import json
import random
from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING, Any

import toolgrammar
from tests.laws.damaged import small_damage
from tests.laws.every_case import cases

if TYPE_CHECKING:
    from collections.abc import Iterator

    from toolgrammar import ToolCall
    from toolgrammar.testing import Case

_SMALL = 3
"""Characters that are damaged at most."""
Deed = list[tuple[str, Any]]
"""The name of a call, then its keys and values in their order, with what each is."""


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
        touched, text = small_damage(given.case.text, draw)
        if text != given.case.text:
            counts["texts"] += 1
            if given.changes(touched, text):
                counts["changed"] += 1
                found.append(text)
    return counts, found


def _sound(case: Case) -> Iterator[_Given]:
    for tools in (None, case.tools) if case.tools else (None,):
        given = _Given(case, tools)
        if given.deeds:
            yield given


class _Given:
    """A sound text, and what is read in it."""

    def __init__(self, case: Case, tools: Any) -> None:
        self.case = case
        self.tools = tools
        read = self._read(case.text) if case.text else None
        whole = read is not None and read.ok and all(call.executable for call in read.calls)
        self.deeds = [_deed(call) for call in read.calls] if read is not None and whole else []

    def _read(self, text: str) -> toolgrammar.ParseResult:
        case = self.case
        return toolgrammar.parse(text, case.format, tools=self.tools, prefix=case.prefix)

    def _runs(self, text: str) -> list[Deed]:
        names = {tool.name for tool in self.tools} if self.tools else None
        runs = (call for call in self._read(text).calls if call.executable)
        return [_deed(call) for call in runs if names is None or call.name in names]

    def changes(self, touched: range, text: str) -> bool:
        """Whether a call of a damaged text is executable that nobody wrote."""
        odd = [deed for deed in self._runs(text) if deed not in self.deeds]
        if len(odd) == 1 and any(_is_one_change(deed, odd[0]) for deed in self.deeds):
            return not all(map(self._is_content, touched))
        return bool(odd)

    def _is_content(self, place: int) -> bool:
        """Whether another character at a place only changes a name, a key or a value."""
        text, here = self.case.text, self.case.text[place]
        one, other = "34" if here.isdigit() else "qz"
        deeds = self._runs(f"{text[:place]}{other if here == one else one}{text[place + 1 :]}")
        odd = [(one, two) for one, two in zip(self.deeds, deeds, strict=False) if one != two]
        is_one = len(deeds) == len(self.deeds) and len(odd) == 1
        return is_one and _is_one_change(*odd[0])


def _deed(call: ToolCall) -> Deed:
    value = call.input if call.input is not None and not call.arguments else call.arguments
    return [("name", call.name), *_parts(value)]


def _parts(value: Any) -> Iterator[tuple[str, Any]]:
    if isinstance(value, dict):
        for key, inner in value.items():
            yield "key", key
            yield from _parts(inner)
        yield "end", "}"
    elif isinstance(value, list):
        for inner in value:
            yield from _parts(inner)
        yield "end", "]"
    else:
        yield type(value).__name__, value


def _is_one_change(one: Deed, other: Deed) -> bool:
    """Whether one text or number differs, by few characters."""
    odd = [(first, second) for first, second in zip(one, other, strict=False) if first != second]
    if len(one) != len(other) or len(odd) != 1:
        return False
    (kind, first), (same, second) = odd[0]
    return kind == same and _are_near(str(first), str(second))


def _are_near(one: str, other: str) -> bool:
    start = 0
    while start < min(len(one), len(other)) and one[start] == other[start]:
        start += 1
    one, other = one[start:], other[start:]
    while one and other and one[-1] == other[-1]:
        one, other = one[:-1], other[:-1]
    return max(len(one), len(other)) <= _SMALL


if __name__ == "__main__":
    main()
