"""Makes hostile texts of any length from a format's examples: runs at each place of a call.

`<tool_call>{"name": "f"` and then 10,000 quotes; or the opener of a call 10,000 times.
"""

from __future__ import annotations

import random
from typing import TYPE_CHECKING, Final, NamedTuple

from toolgrammar.catalogue.page import read_page
from toolgrammar.catalogue.registry import formats
from toolgrammar.parsing.parser import Parser
from toolgrammar.parsing.whole import parse
from toolgrammar.testing.cases import cases_of_page

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from toolgrammar.testing.cases import Case
    from toolgrammar.values.calls import ToolCall
    from toolgrammar.values.tools import ToolSpec

RUNS: Final = {
    "letters": "x",
    "blanks": " ",
    "line ends": "\n",
    "backticks": "`",
    "double quotes": '"',
    "single quotes": "'",
    "backslashes": "\\",
    "less-than signs": "<",
    "braces": "{",
    "brackets": "[",
    "parentheses": "(",
    "words": "a b\n",
    "mixed": '<"{[`\\',
    "digits": "1",
    "commas": ",",
    "equals signs": "=",
    "dashes": "-",
}
"""The texts that are repeated in any format, by name."""
_MOST_LITERALS: Final = 12
# To search a text once more costs far less than a step.
_UNREAD: Final = 64
"""Characters that are read once more and count as one step."""
# Any number, but always the same one: a failure can be made again.
_SEED: Final = 20_261_123
_LONGEST: Final = 600
"""Characters of an example that is taken apart; shorter ones are preferred in any case."""


class Shape(NamedTuple):
    """A text of any length: a beginning, a text that is repeated after it, and perhaps an end."""

    place: str
    """The place of the repeats."""
    repeated: str
    """The name of the piece that is repeated."""
    before: str
    unit: str
    behind: str = ""

    def text(self, size: int) -> str:
        """Returns the text of this many characters."""
        size -= len(self.behind)
        # Cut to the size: the last repeat may be half of one.
        return (self.before + self.unit * (size // len(self.unit) + 1))[:size] + self.behind

    def pair(self, size: int, times: int) -> tuple[str, str]:
        """Returns a text of about a size, and one of so many times as many characters.

        Both end at the same place of what is repeated: what is done at the end is done in both.
        """
        long = size * times
        return self.text(size + (long - size) % len(self.unit)), self.text(long)


class Sample(NamedTuple):
    """An example with a call, and the tools that it is read with."""

    text: str
    call: ToolCall
    tools: tuple[ToolSpec, ...] | None


def sample_of(cases: Iterable[Case]) -> Sample | None:
    """Returns the shortest example that holds a whole call with arguments or input."""
    found: list[Sample] = []
    for case in cases:
        if case.prefix or len(case.text) > _LONGEST:
            # A prefix would have to be fed with every text that is made of the example.
            continue
        result = parse(case.text, case.format, tools=case.tools)
        calls = [call for call in result.calls if call.executable]
        if calls and (calls[0].arguments or calls[0].input):
            found.append(Sample(case.text, calls[0], case.tools))
    return min(found, key=lambda sample: len(sample.text), default=None)


def shapes(sample: Sample, literals: Iterable[str]) -> Iterator[Shape]:
    """Yields the hostile shapes of a format.

    Args:
        sample: a call that is written in the format.
        literals: what the grammar of the format writes out.
    """
    parts = _parts(sample)
    # Without its end, the call is begun and never closed.
    begun = "".join([*parts.values()][:-1])
    units = {**RUNS, **{name: text for name, text in parts.items() if text.strip()}}
    units |= {"a call's beginning": begun, "calls": "".join(parts.values())}
    # A sign alone is among the runs already.
    known = [text for text in dict.fromkeys(literals) if len(text.strip()) > 1]
    units.update({f"`{text.strip()}`": text for text in known[:_MOST_LITERALS]})
    before = ""
    seen: set[tuple[str, str]] = set()
    for place, text in {"text": "", **parts}.items():
        before += text
        # Each part repeated after each beginning: closers after an opener, openers within a
        # value.
        for name, unit in units.items():
            if (before, unit) not in seen:
                seen.add((before, unit))
                yield Shape(place, name, before, unit)


def _closed_shapes(sample: Sample) -> Iterator[Shape]:
    """Yields shapes with a run inside of the call, which goes on behind it and closes."""
    parts = _parts(sample)
    before, whole = "", "".join(parts.values())
    for place, text in parts.items():
        before += text
        for name, unit in RUNS.items() if before != whole else ():
            # The letter tells that the run was no number, or no white space.
            behind = f"x{whole[len(before) :]}"
            yield Shape(f"{place}, and the rest", name, before, unit, behind)


def _parts(sample: Sample) -> dict[str, str]:
    """Returns what the text of an example is made of up to the end of its first call."""
    text, call = sample.text, sample.call
    start, end = call.span.start, call.span.end
    # The first place at which the name stands in the call; at its start where it is not written.
    name = max(text.find(call.name, start, end), start)
    value = next((v for v in call.arguments.values() if isinstance(v, str) and v), call.input) or ""
    # Half of the value is enough to find it: the other half may be escaped.
    inside = text.find(value[: len(value) // 2 + 1], name + len(call.name), end)
    # Where it is not found, the middle of the call will do.
    begun = inside + len(value) // 2 if inside >= 0 else (name + end) // 2
    marks = {
        "the opener": name,
        "the name": min(name + len(call.name), end),
        "the key": inside if inside >= 0 else begun,
        "the value": max(begun, name),
        "the end": end,
    }
    found, at = {}, 0
    # Never back: an example may have its parts in another order.
    for part, mark in marks.items():
        found[part] = text[at : max(mark, at)]
        at = max(mark, at)
    return found


def shapes_of(format_id: str, most: int | None = None) -> tuple[Sample | None, list[Shape]]:
    """Returns the hostile shapes of a format with the example they are made of.

    Args:
        format_id: an id; the format has a page beside its grammar.
        most: how many shapes, drawn alike on every run; None for all.
    """
    format_ = formats[format_id]
    page = format_.path.with_suffix(".md")
    sample = sample_of(cases_of_page(read_page(page), format_)) if page.is_file() else None
    # A format without a page, or whose examples have no whole call, has nothing to be grown from.
    if sample is None:
        return None, []
    literals = [each.text for each in format_.tables.terminals if each.text]
    found = [*shapes(sample, literals), *_closed_shapes(sample)]
    if most is not None and len(found) > most:
        found = random.Random(_SEED).sample(found, most)  # noqa: S311 - the same on every run
    return sample, found


def work_of(
    format: str | list[str], tools: tuple[ToolSpec, ...] | None, text: str, size: int
) -> int:
    """Returns the work for a text in chunks of a size: it needs no clock.

    That is steps, and what is not read yet at each chunk: what looks for more goes through it again.
    """
    parser = Parser(format, tools=tools)
    unread = 0
    for start in range(0, len(text), size):
        parser.feed(text[start : start + size])
        unread += parser.unread
    parser.close()
    return parser.steps + unread // _UNREAD
