"""Plain Lark reads each strict island of a case as the driver does."""

from tests.laws.every_case import cases, each_format, hold
from toolgrammar.testing import laws


@each_format
def test_strict_oracle(format_id: str) -> None:
    hold(laws.strict_oracle, [case for case in cases(format_id) if case.tier == "well_formed"])
