"""The table of codes is well formed."""

import re

import pytest

from toolgrammar.core.payloads.json.other_scalars import WORDS
from toolgrammar.core.payloads.mended.repairs import MESSAGES
from toolgrammar.values.codes import CODES, DOUBTS, CodeEntry


@pytest.mark.parametrize("entry", CODES.values(), ids=lambda entry: entry.code)
def test_entry(entry: CodeEntry) -> None:
    assert CODES[entry.code] is entry
    assert re.fullmatch(r"[a-z0-9]+(-[a-z0-9]+)*", entry.code)
    assert entry.meaning.endswith(".")
    assert not entry.doubt or entry.severity == "error"


def test_every_repair_of_json_has_a_code_and_a_sentence() -> None:
    """One without a row would raise where a text has the repair."""
    assert not MESSAGES.keys() - CODES.keys(), "give each a row in values/codes.py"
    used = {each.code for each in WORDS.values()}
    assert not used - MESSAGES.keys(), "give each a sentence in core/payloads/mended/repairs.py"


def test_doubts_are_those_of_the_policy() -> None:
    assert {
        "inner-quote", "missing-quote", "bare-text", "missing-value", "extra-value",
        "duplicate-key", "nonfinite", "undefined", "lone-surrogate", "template", "mixed-escape",
        "doubled-quotes", "schema-mismatch", "unplaced-input", "quoted-call", "lone-object", "final-answer",
        "inner-argument", "invented-result", "overlong-name", "malformed-name", "slipped-quote",
        "missing-argument", "open-string",
    } == DOUBTS  # fmt: skip
