"""JSON of callers, files and servers: one exception for all that is not JSON."""

from __future__ import annotations

import json

import pytest

from toolgrammar.tools.json_texts import read_json


def test_the_value_of_a_text() -> None:
    text = '{"a": [1, 2.5, null]}'
    assert read_json(text) == read_json(text.encode()) == {"a": [1, 2.5, None]}


@pytest.mark.parametrize("constant", ["NaN", "Infinity", "-Infinity"])
def test_a_constant_of_javascript_is_refused_by_its_name(constant: str) -> None:
    with pytest.raises(ValueError, match=f"^`{constant}` is no JSON$"):
        read_json(f"[{constant}]")


def test_the_place_of_an_error_is_told() -> None:
    with pytest.raises(json.JSONDecodeError) as caught:
        read_json('{"a": 1,\n}')
    assert (caught.value.lineno, caught.value.colno) == (2, 1)


@pytest.mark.parametrize(
    "text", ["[" * 100_000, "[" * 100_000 + "]" * 100_000, '{"a":' * 100_000], ids=range(3)
)
def test_a_text_that_nests_too_deeply_is_a_wrong_value(text: str) -> None:
    with pytest.raises(ValueError, match=r"^lists and objects nest too deeply in it$"):
        read_json(text)


def test_a_number_with_too_many_digits_is_a_wrong_value() -> None:
    with pytest.raises(ValueError, match="digits"):
        read_json("9" * 5000)
