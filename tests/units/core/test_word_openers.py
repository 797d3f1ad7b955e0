"""Calls that begin with any word: a number or a word of JSON in their payload begins none."""

from pathlib import Path

import pytest

from tests.units.core.cuts import read, save

_RULES = """%import .common.text (TEXT)
%import .common.json (JSON_OBJECT)

start: (TEXT | call)*
call: name "(" arguments ")"
name: /\\w+/
arguments: JSON_OBJECT
"""


@pytest.mark.parametrize(
    ("text", "arguments"),
    [
        ('ok get({"a": 1}) fine', {"a": 1}),
        ('get({"a": true, "b": [1, -2.5e3, null]})', {"a": True, "b": [1, -2500.0, None]}),
        ('get({"a": "say get(1) now", "b": 3})', {"a": "say get(1) now", "b": 3}),
        ('get({"a": 1, get', {"a": 1}),
    ],
)
def test_a_scalar_of_json_is_no_opener(
    tmp_path: Path, text: str, arguments: dict[str, object]
) -> None:
    grammar = save(tmp_path, "", _RULES)
    for cut in range(len(text)):
        read(grammar, text[:cut])
    assert read(grammar, text).calls[0].arguments == arguments
