"""The value of one argument, written as JSON, is emitted as it comes."""

from pathlib import Path

import pytest

from tests.units.core.cuts import read, save
from toolgrammar import ArgumentsDelta, Parser

RULES = r"""
%import .common.text (TEXT)
%import .common.json (JSON_VALUE)
start: (TEXT | call)*
call: "CALL " name "\n" argument* "END"
name: /[\w-]+/
argument: key " = " value "\n"
key: /\w+/
value: JSON_VALUE
"""
_TEXT = "a text that is long enough to be seen"


@pytest.mark.parametrize("value", [f'"{_TEXT}"', f'{{"x": "{_TEXT}"}}', f'["{_TEXT}", 1]'])
def test_a_text_in_a_value_streams(tmp_path: Path, value: str) -> None:
    grammar = save(tmp_path, "", RULES)
    parser = Parser(grammar)
    begun = f"CALL put\nb = 1\na = {value[: value.index(_TEXT) + 30]}"
    events = [event for character in begun for event in parser.feed(character)]
    given = "".join(each.json for each in events if isinstance(each, ArgumentsDelta))
    assert _TEXT[:25] in given
    read(grammar, f"CALL put\nb = 1\na = {value}\nEND")
