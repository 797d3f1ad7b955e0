"""A number that is too great for a float is read, and never runs."""

import math

import pytest

from toolgrammar import JsonParser, RecoveredJson, recover_json


def both(number: str) -> tuple[RecoveredJson, RecoveredJson]:
    """Reads a number in a list, whole and character by character."""
    text = f'{{"a": [1, {number}]}}'
    parser = JsonParser()
    for character in text:
        parser.feed(character)
    parser.close()
    return recover_json(text), parser.result


@pytest.mark.parametrize("number", ["1e999", "-1E+400", "1" * 310 + ".5"])
def test_what_no_float_holds(number: str) -> None:
    for found in both(number):
        assert isinstance(found.value, dict)
        assert math.isinf(found.value["a"][1])
        assert not found.executable


@pytest.mark.parametrize("number", ["1e308", "12", "-0.5e+10"])
def test_what_a_float_holds(number: str) -> None:
    assert all(found.executable for found in both(number))
