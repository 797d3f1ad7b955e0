"""Of which messages the costs are measured."""

from collections.abc import Callable
from functools import cache

import pytest

from toolgrammar import formats
from toolgrammar.comparison.carried import Wire, carried
from toolgrammar.comparison.costs import AS_TEXT, earliness, prompts
from toolgrammar.comparison.figures import Figure
from toolgrammar.comparison.messages import drawn
from toolgrammar.comparison.tokens import CHARACTERS, Tokenizer

FORM = formats["qwen3_xml"]


@cache
def _of_shape(shape: str) -> list[Wire]:
    return carried(FORM, [each for each in drawn(7, 40) if each.shape == shape]).wires


def _value(figure: Figure | None) -> float:
    assert figure is not None
    return figure.value


def _waits(wires: list[Wire]) -> float:
    return _value(earliness(FORM, wires)[1])


def _prompt(wires: list[Wire]) -> float:
    tokenizers = {CHARACTERS: Tokenizer(CHARACTERS, len)}
    return _value(prompts(FORM, wires, tokenizers)[CHARACTERS][AS_TEXT])


@pytest.mark.parametrize("measured", [_waits, _prompt])
def test_messages_sorted_by_shape_count_all(measured: Callable[[list[Wire]], float]) -> None:
    plain, nested = _of_shape("one call"), _of_shape("nested")
    middle = (measured(plain) + measured(nested)) / 2
    apart = abs(measured(plain) - measured(nested))
    for wires in ([*plain, *nested], [*nested, *plain]):
        assert abs(measured(wires) - middle) < apart / 10
