"""The joined argument deltas of each call are its arguments.

The examples of the pages keep this law as tests of their own: see `toolgrammar.testing.plugin`.
"""

from tests.laws.every_case import each_format_with_rows, hold, row_cases
from toolgrammar.testing import laws


@each_format_with_rows
def test_deltas(format_id: str) -> None:
    hold(laws.deltas, row_cases(format_id))
