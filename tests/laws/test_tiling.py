"""Each character is in at most one of text, reasoning and a call, in order.

The examples of the pages keep this law as tests of their own: see `toolgrammar.testing.plugin`.
"""

from tests.laws.every_case import each_format_with_rows, hold, row_cases
from toolgrammar.testing import laws


@each_format_with_rows
def test_tiling(format_id: str) -> None:
    hold(laws.tiling, row_cases(format_id))
