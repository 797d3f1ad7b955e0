"""A text with all edits of its diagnostics made is strict, and says the same."""

from tests.laws.damaged import damaged_cases
from tests.laws.every_case import cases, each_format, hold
from toolgrammar.testing import laws


@each_format
def test_edits(format_id: str) -> None:
    hold(laws.edits, cases(format_id))


@each_format
def test_edits_of_damaged_texts(format_id: str) -> None:
    hold(laws.edits, damaged_cases(format_id))
