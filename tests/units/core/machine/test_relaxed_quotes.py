"""A key or a name in other quotes is read as JSON writes it, whatever quotes stand in it."""

import pytest

from tests.units.core.cuts import read
from toolgrammar.testing import Case, laws


@pytest.mark.parametrize(
    ("written", "name"),
    [
        ("'look'", "look"),
        ("'a\"b'", 'a"b'),
        ("'it\\'s'", "it's"),
        ("'a\\\\b'", "a\\b"),
    ],
)
def test_a_name_in_single_quotes(written: str, name: str) -> None:
    text = f"<tool_call>\n{{'name': {written}, 'arguments': {{}}}}\n</tool_call>"
    result = read("hermes", text)
    assert [call.name for call in result.calls] == [name]
    # No tool is called `a"b`: where its name is mended, it may be another.
    odd = set() if {'"', "\\"}.isdisjoint(name) else {"malformed-name"}
    assert {each.code for each in result.diagnostics} == {"quote-style", *odd}
    # The edits write the name as JSON, with its quotes escaped.
    laws.edits(Case(id="quotes", format="hermes", text=text))
