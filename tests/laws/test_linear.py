"""The work for a text grows as its length does; counted in steps, never timed."""

from tests.laws.every_case import cases, each_format, hold
from toolgrammar.testing import laws

CASES = 8


@each_format
def test_linear(format_id: str) -> None:
    hold(laws.linear, cases(format_id)[:CASES])
