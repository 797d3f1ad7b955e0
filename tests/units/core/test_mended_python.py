"""Damage to calls that are written in Python."""

import pytest

from tests.units.core.cuts import read
from toolgrammar.testing import Case, laws


@pytest.mark.parametrize(
    ("text", "arguments"),
    [
        ('[search(q="x"]', {"q": "x"}),
        ('[search(q="x",]', {"q": "x"}),
        ("[search(n=3]", {"n": 3}),
        ('[search(q=["a", "b"], n=3]', {"q": ["a", "b"], "n": 3}),
        ('[save(a=1), search(q="x"]', {"q": "x"}),
    ],
)
def test_the_closer_of_the_list_ends_arguments_without_their_own(
    text: str, arguments: dict[str, object]
) -> None:
    laws.edits(Case(id="pythonic", format="pythonic", text=text))
    result = read("pythonic", text)
    call = result.calls[-1]
    assert (call.name, call.arguments, call.status) == ("search", arguments, "repaired")
    assert [each.code for each in result.diagnostics] == ["missing-close-tag"]
    assert result.text == ""


@pytest.mark.parametrize("text", ['[search(q="x" < 3)]', '[search(q="x" + y)]', "[search(q=y]"])
def test_what_is_no_literal_is_not_cut_to_one(text: str) -> None:
    for call in read("pythonic", text).calls:
        assert not call.executable


@pytest.mark.parametrize("arguments", ["path=='x'", "Truex", "None", "path=", "Truex=1"])
def test_what_begins_arguments_may_turn_out_to_begin_none(arguments: str) -> None:
    read("pythonic", f"[search({arguments})]")
    read("pythonic", f"[search({arguments}")
