"""Grammars that an author may write, put together from parts: the laws hold for texts of each.

`python -m fuzz.grammars` draws many more.
"""

import random
from contextlib import suppress
from pathlib import Path

import pytest

from fuzz.grammars import draw_grammar, faults
from tests.laws.every_case import SHOWN_FAILURES
from toolgrammar import GrammarError, load_format
from toolgrammar.testing.depth import at_depth, if_quick

EACH = if_quick(3, at_depth(few=6, usual=36, every=1000))
_LOOKED_AT = 24


@pytest.mark.parametrize("seed", range(EACH))
def test_a_drawn_grammar_keeps_the_laws(seed: int, tmp_path: Path) -> None:
    draw = random.Random(f"laws {seed}")
    source = draw_grammar(draw)
    # Some of what is drawn an author would have to mend: it is told, and nothing is read.
    broken: list[str] = []
    with suppress(GrammarError):
        broken = list(faults(source, tmp_path, draw))
    assert not broken, (source, broken[:SHOWN_FAILURES])


def test_most_of_the_grammars_load(tmp_path: Path) -> None:
    loaded = 0
    for seed in range(_LOOKED_AT):
        path = tmp_path / "drawn.lark"
        path.write_text(draw_grammar(random.Random(f"laws {seed}")), encoding="utf-8")
        with suppress(GrammarError):
            loaded += len(load_format(path).tables.terminals) > 0
    assert loaded > _LOOKED_AT * 2 / 3
