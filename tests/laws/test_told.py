"""A result with a call that is not executable is not ok: an error says why."""

from tests.laws.damaged import damaged_cases
from tests.laws.every_case import cases, each_format, hold
from toolgrammar.testing import laws


@each_format
def test_told(format_id: str) -> None:
    hold(laws.told, cases(format_id))


@each_format
def test_told_of_damaged_texts(format_id: str) -> None:
    hold(laws.told, damaged_cases(format_id))
