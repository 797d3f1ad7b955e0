"""Errors damage markup and no value, as often as there is markup."""

import random

from toolgrammar import formats
from toolgrammar.comparison.carried import carried
from toolgrammar.comparison.messages import drawn
from toolgrammar.comparison.robustness import _errors, _with_error, of_random


def test_errors_leave_values_alone() -> None:
    form = formats["hermes"]
    for wire in carried(form, drawn(0, 2)).wires:
        for seed in range(20):
            text, draw = wire.text, random.Random(seed)
            for number in range(3):
                text = _with_error(text, wire, draw)
                assert abs(len(text) - len(wire.text)) <= number + 1
            for call in wire.message.calls:
                assert call.name in text
            assert text != wire.text or not wire.markup


def test_messages_have_as_many_errors_as_the_rate_says() -> None:
    """Of those that have one: Poisson's distribution without its 0, of rate 2 a mean of 2.31."""
    draw = random.Random(3)
    found = [_errors(2000, draw) for _ in range(4000)]
    assert min(found) == 1
    assert abs(sum(found) / len(found) - 2.313) < 0.07


def test_more_markup_is_more_errors() -> None:
    messages = drawn(0, 1)
    often = {}
    for name in ("pythonic", "hermes", "step3"):
        form = formats[name]
        found = of_random(form, carried(form, messages).wires, 20, 0)
        often[name] = (found["markup"], sum(each.value for each in found["of 1,000"].values()))
        assert abs(often[name][1] - 1000) < 1e-6
    assert often["pythonic"][0] < often["hermes"][0] < often["step3"][0]
