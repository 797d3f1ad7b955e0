"""Each character is in at most one of text, reasoning and a call, in order."""

from tests.laws.every_case import cases, each_format, hold
from toolgrammar.testing import laws


@each_format
def test_tiling(format_id: str) -> None:
    hold(laws.tiling, cases(format_id))
