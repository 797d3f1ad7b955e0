"""Each case is read as it says; what is malformed asserts itself on its page."""

from tests.laws.every_case import cases, each_format, hold
from toolgrammar.testing import laws


@each_format
def test_expected(format_id: str) -> None:
    hold(laws.expected, cases(format_id, malformed=False))
