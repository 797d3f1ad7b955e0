"""`catalogue/features.py`: what a format can do."""

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from toolgrammar import Format
from toolgrammar.catalogue.features import Features, features_of

IMPORTS = "%import .common.text (TEXT, RAW)\n%import .common.json (JSON_OBJECT)\n"
PLAIN = Features(
    payload=("JSON",),
    parallel=True,
    ids="none",
    reasoning=False,
    text_between=True,
    nested=True,
    streaming="characters",
)
ALL = """\
start: (TEXT | reasoning | call)*
reasoning: "<think>" RAW "</think>"
call: "@" name [" #" id] ":" arguments
id: /\\w+/
arguments: JSON_OBJECT
"""
NEEDS_IDS = """\
start: (TEXT | call)*
call: "@" name " #" id ":" arguments
id: /\\w+/
arguments: JSON_OBJECT
"""
TO_THE_END = 'start: (TEXT | call)*\ncall: OPEN name ":" input\ninput: RAW\nOPEN: /^@/m\n'
WORDS = 'start: (TEXT | call)*\ncall: "@" name ":" input "."\ninput: /[^.]+/\n'
ONE = "start: (TEXT | call)*\ncall: OPEN name arguments\narguments: JSON_OBJECT\nOPEN: /\\A@/\n"
CASES = {
    ALL: {"ids": "optional", "reasoning": True},
    NEEDS_IDS: {"ids": "always"},
    TO_THE_END: {
        "payload": ("free text",), "parallel": False, "text_between": False, "nested": False
    },
    WORDS: {"payload": ("words",), "nested": False, "streaming": "values"},
    ONE: {"parallel": False, "text_between": False},
}  # fmt: skip


@pytest.mark.parametrize(
    ("rules", "other"), CASES.items(), ids=["all", "needs ids", "to the end", "words", "one call"]
)
def test_features(tmp_path: Path, rules: str, other: dict[str, Any]) -> None:
    path = tmp_path / "mine.lark"
    path.write_text(f"//@ id: mine\n{IMPORTS}{rules}name: /[a-z]+/\n", encoding="utf-8")
    assert features_of(Format(path)) == replace(PLAIN, **other)
