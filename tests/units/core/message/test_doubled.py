"""Names that the wire writes twice, by the header's key `doubled`."""

from pathlib import Path

import pytest

import toolgrammar
from tests.units.core.cuts import read, save
from toolgrammar.core.message.doubled import undoubled

RULES = r"""
%import .common.text (TEXT, RAW, SAME_NAME)
start: (TEXT | call)*
call: "<do " name ">" argument* "</" SAME_NAME ">"
argument: "<" key ">" value "</v>"
name: /[\w.]+/
key: /[a-z]+/
value: RAW
"""


@pytest.mark.parametrize(
    ("name", "between", "found"),
    [
        ("tide.tide", ".", "tide"),
        ("tide.moon", ".", "tide.moon"),
        ("tide", ".", "tide"),
        ("tide.tide", "", "tide.tide"),
        ("a.b.a.b", ".", "a.b"),
        (".", ".", "."),
        ("tidetide", ".", "tidetide"),
    ],
)
def test_a_name_that_stands_twice(name: str, between: str, found: str) -> None:
    assert undoubled(name, between) == found
    assert undoubled(name, between, {name}) == name


@pytest.mark.parametrize("closer", ["tide", "tide.tide"])
@pytest.mark.parametrize("opener", ["tide", "tide.tide"])
def test_the_closer_repeats_either_form(tmp_path: Path, opener: str, closer: str) -> None:
    path = save(tmp_path, "doubled: .", RULES)
    text = f"<do {opener}><port>Emden</v></{closer}>"
    (call,) = read(path, text).calls
    assert (call.name, call.arguments, call.status) == ("tide", {"port": "Emden"}, "complete")
    assert toolgrammar.parse(text, path, strict=True).calls == (call,)
    assert toolgrammar.load_format(path).tree(text).data == "call"
