"""What a result says of its calls and of itself never contradicts itself."""

from tests.laws.damaged import damaged_cases
from tests.laws.every_case import cases, each_format, hold
from toolgrammar.testing import laws


@each_format
def test_trust(format_id: str) -> None:
    hold(laws.trust, cases(format_id))


@each_format
def test_trust_of_damaged_texts(format_id: str) -> None:
    hold(laws.trust, damaged_cases(format_id))
