"""Plain Lark reads each strict island of a case as the driver does."""

from tests.laws.every_case import cases, each_format, hold
from toolgrammar.testing import laws


@each_format
def test_strict_oracle(format_id: str) -> None:
    hold(laws.strict_oracle, cases(format_id, malformed=False))
