"""`core/mending/section_words.py`: words before the first call of a section cost no call."""

from pathlib import Path

import pytest

from tests.units.core.held import check, format_in
from toolgrammar import parse

GRAMMAR = """//@ id: skipping
%import .common.text (TEXT, SKIPPED)
%import .common.json (JSON_OBJECT)

start: (TEXT | calls)*

calls: "<calls>" (SKIPPED | call)* "</calls>"
call: "<call " name ">" arguments "</call>"
name: /\\w+/
arguments: JSON_OBJECT
"""
CALL = {"name": "f", "arguments": {"a": 1}}
WIRE = '<call f>{"a": 1}</call>'


@pytest.mark.parametrize(
    ("text", "content", "codes"),
    [
        (f"<calls>First: {WIRE}</calls>", "", ["skipped-markup"]),
        (f"Ok.\n<calls>\nI call\n{WIRE}\n</calls>\nDone.", "Ok.\n\nDone.", ["skipped-markup"]),
        (f"<calls>as in {WIRE}", "", ["skipped-markup", "missing-close-tag"]),
    ],
)
def test_a_call_behind_words_is_read(
    tmp_path: Path, text: str, content: str, codes: list[str]
) -> None:
    expected = {"calls": [CALL], "content": content, "codes": codes, "tier": "malformed"}
    check(format_in(tmp_path, GRAMMAR), text, expected)


@pytest.mark.parametrize(
    "text", ["<calls> and words </calls>", f"In a <calls> section {WIRE} stands."]
)
def test_words_about_a_section_stay_text(tmp_path: Path, text: str) -> None:
    result = parse(text, format_in(tmp_path, GRAMMAR))
    assert (result.calls, result.text) == ((), text)
