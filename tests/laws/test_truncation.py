"""A cut text never runs what the whole text would not."""

from tests.laws.every_case import cases, each_format, hold
from toolgrammar.testing import laws


@each_format
def test_truncation(format_id: str) -> None:
    hold(laws.truncation, cases(format_id, malformed=False))
