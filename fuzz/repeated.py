r"""Times texts that repeat a piece behind the beginning of an example: the time grows as the text does.

`python -m fuzz.repeated [--attempts N] [--formats a,b] [--seed S]`: so many texts, whole or in pieces.
The law `linear` counts steps of Python; what one search by an expression costs only a clock tells, so
these times are no test. A text is printed whose time grows by far more than its length, or that takes
too long for a character; one that is printed on a busy machine is to be timed again.

Example: behind `{"action":` the piece `\"`: each quote began a search for its end in all that follows.
"""

from __future__ import annotations

import argparse
import random
import sys
import time
from typing import TYPE_CHECKING, Final

import toolgrammar
from fuzz.attacks import literals
from fuzz.mixed import examples
from toolgrammar.testing.growing import RUNS, Shape

if TYPE_CHECKING:
    from toolgrammar.testing import Case

_PIECES: Final = (
    *RUNS.values(), '\\"', "\\'", 'x\\"', "\\\\", "\\n", "\\", "\t", "\r", "\u2028", "\x00", "\ud800", "é",
    "```", "~~~", '"""', "'''", 'r"', '"x', "'x", '"}', '"]', '":', '"a": ', '{"a":', "[1,", '(\\"', "f(x=",
    "${", "{{", "</", "<a ", "<x>", "</x>", "<!--", "&lt;", "<|", "\uff5c", "#", "//", "/*", "//x\n", "**x",
    "\u201c", "> ", "- x\n", "x: y\n", "1.", "NaN", "+",
)  # fmt: skip
_SIZE, _TIMES = 4_000, 4
"""Characters of the first text, and how often as many each further one has."""
_GROWTH: Final = 2
"""How much more the time may grow than the text, each time that the text does."""
_MOST: Final = 250
"""Microseconds for a character: with `auto`, where several formats open at each of them, some 200."""
_CHEAP: Final = 2
"""Microseconds for a character of a text that is not timed at a greater length."""
_CHUNKS: Final = (0, 4, 97)


def draw_shape(format_id: str, sample: Case, draw: random.Random) -> Shape:
    """Draws a beginning of an example, a piece to repeat, and an end of it or none."""
    pieces = (*_PIECES, *literals(format_id))
    piece = "".join(draw.choices(pieces, k=draw.choice((1, 1, 1, 2, 3))))
    begun, rest = (draw.randrange(len(sample.text) + 1) for _ in range(2))
    behind = sample.text[rest:] if draw.random() < 0.4 else ""
    return Shape("", "", sample.text[:begun], piece, behind)


def microseconds(text: str, wanted: str, sample: Case, size: int) -> float:
    """Returns the time for a character of a text, whole or in chunks of a size other than zero."""
    start = time.thread_time()
    if size:
        parser = toolgrammar.Parser(wanted, tools=sample.tools, prefix=sample.prefix)
        for at in range(0, len(text), size):
            parser.feed(text[at : at + size])
        parser.close()
    else:
        toolgrammar.parse(text, wanted, tools=sample.tools, prefix=sample.prefix)
    return (time.thread_time() - start) / len(text) * 1e6


def growth(wanted: str, sample: Case, shape: Shape, size: int) -> list[float]:
    """Returns the times for a character of longer and longer texts, while they seem to grow."""
    microseconds(shape.text(_SIZE // 8), wanted, sample, size)
    found = [microseconds(shape.text(_SIZE), wanted, sample, size)]
    # Two lengths must look slow: one may have met a busy moment.
    for length in (_SIZE * _TIMES, _SIZE * _TIMES**2):
        if found[-1] < _CHEAP or (len(found) > 1 and not is_slow(found)):
            break
        found.append(microseconds(shape.text(length), wanted, sample, size))
    return found


def is_slow(times: list[float]) -> bool:
    """Whether the last of the times for a character is too long."""
    grows = len(times) > 1 and times[-1] > max(times[-2] * _GROWTH, _CHEAP)
    return grows or times[-1] > _MOST


def main() -> int:
    """Times the texts, prints those that are too slow, and returns the exit status."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--attempts", type=int, default=2_000)
    parser.add_argument("--formats", default=",".join(sorted(toolgrammar.formats)))
    parser.add_argument("--seed", default="")
    given = parser.parse_args()
    formats = [toolgrammar.formats[each].id for each in given.formats.split(",")]
    slow = 0
    for attempt in range(given.attempts):
        draw = random.Random(f"{given.seed} {attempt}")
        format_id = draw.choice(formats)
        sample = draw.choice(examples(format_id))
        shape = draw_shape(format_id, sample, draw)
        wanted = draw.choice((*[format_id] * 8, "auto"))
        size = draw.choice(_CHUNKS)
        times = growth(wanted, sample, shape, size)
        if is_slow(times):
            slow += 1
            told = ", ".join(f"{each:.1f}" for each in times)
            print(f"{wanted}, in pieces of {size or 'any size'}: {told} microseconds a character")
            print(f"    {shape.before!r} + {shape.unit!r} * n + {shape.behind!r}", flush=True)
    print(f"{given.attempts} texts, {slow} are slow")
    return int(bool(slow))


if __name__ == "__main__":
    sys.exit(main())
