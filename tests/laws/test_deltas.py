"""The joined argument deltas of each call are its arguments."""

from tests.laws.every_case import cases, each_format, hold
from toolgrammar.testing import laws


@each_format
def test_deltas(format_id: str) -> None:
    hold(laws.deltas, cases(format_id))
