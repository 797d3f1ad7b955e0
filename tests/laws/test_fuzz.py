"""The fuzzer's promises, on its corpus and on seeded mutations of it.

`make fuzz` looks for new inputs; what it finds goes into `fuzz/corpus`.
"""

import random
from pathlib import Path

import pytest

from fuzz.targets import TARGETS
from tests.laws.every_case import ROOT
from toolgrammar.testing.depth import at_depth

CORPUS = sorted((ROOT / "fuzz" / "corpus").iterdir())
EACH = at_depth(few=0, usual=1, every=40)
"""Mutations of each input."""


def mutated(data: bytes, draw: random.Random) -> bytes:
    found = bytearray(data)
    for _ in range(draw.randint(1, 4)):
        place = draw.randrange(2, len(found) + 1)
        piece = bytes(draw.choices(b"\"'{}[]<>,:\\/|`\n \xe2\x00a1", k=draw.randint(1, 3)))
        if draw.random() < 0.5:
            found[place:place] = piece
        else:
            del found[place : place + draw.randint(1, 6)]
    return bytes(found)


@pytest.mark.parametrize("target", [each for each in TARGETS if each != "attacks"])
@pytest.mark.parametrize("path", CORPUS, ids=lambda path: path.name)
def test_an_input_of_the_corpus(path: Path, target: str) -> None:
    data = path.read_bytes()
    TARGETS[target](data)
    for attempt in range(EACH):
        TARGETS[target](mutated(data, random.Random(f"{path.name} {attempt}")))
