"""The work for a text grows as its length does; counted in steps, never timed."""

from tests.laws.every_case import FORMAT_IDS, cases, each_format, hold
from toolgrammar.testing import laws
from toolgrammar.testing.depth import IS_SHORT, at_depth
from toolgrammar.testing.growing import shapes_of, work_of

CASES = at_depth(few=1, usual=3, every=8)
"""Cases a format."""
SHAPES = at_depth(few=1, usual=8, every=None)
"""Hostile texts a format; None for all of them."""
SIZE, TIMES, GROWTH = at_depth(few=1024, usual=2048, every=2048), 4, 6
"""Characters of a hostile text, how often as many, and how much more work that may be."""
CHUNK = 16


@each_format
def test_linear(format_id: str) -> None:
    hold(laws.linear, cases(format_id)[:CASES])


@each_format
def test_hostile_texts_are_linear(format_id: str) -> None:
    sample, shapes = shapes_of(format_id, SHAPES)
    found = {}
    for number, shape in enumerate(shapes):
        assert sample is not None
        wanted = [format_id] if number % 2 else format_id
        short, long = (
            work_of(wanted, sample.tools, text, CHUNK) for text in shape.pair(SIZE, TIMES)
        )
        # A chunk is a step at least; what takes fewer has passed most of the text at once.
        if long > max(short, SIZE // CHUNK) * GROWTH:
            found[shape.place, shape.repeated, str(wanted)] = (short, long)
    assert found == {}


@each_format
def test_nested_openers_are_linear(format_id: str) -> None:
    """What opens inside what opened may be tried in itself: the work would double with each."""
    sample, _ = shapes_of(format_id, 0)
    assert sample is not None
    begun = sample.text[sample.call.span.start : sample.call.span.end // 2 + 1]
    found = {}
    for around, wanted in ways(format_id):
        unit = f"{around}{begun}\n"
        text = unit * (SIZE * TIMES // len(unit) + 1)
        short, long = (
            work_of(wanted, sample.tools, text[:size], CHUNK) for size in (SIZE, SIZE * TIMES)
        )
        if long > short * GROWTH:
            found[around, str(wanted)] = (short, long)
    assert found == {}


def ways(format_id: str) -> list[tuple[str, str | list[str]]]:
    """Returns what the calls stand in, each with the formats that they are read in.

    Where few are wanted, each format is read in one of the six ways, neighbours in another one.
    """
    found: list[tuple[str, str | list[str]]] = [
        (around, wanted)
        for around in ("<think>\n", "```\n")
        for wanted in (format_id, [format_id, "hermes"], "auto")
    ]
    return found[FORMAT_IDS.index(format_id) % 6 :: 6] if IS_SHORT else found
