"""The work for a text grows as its length does; counted in steps, never timed."""

import os

from tests.laws.every_case import cases, each_format, hold
from toolgrammar.testing import laws

CASES = 8 if os.environ.get("TOOLGRAMMAR_EVERY_SPLIT") else 3
"""Cases a format; the variable makes it the long run."""


@each_format
def test_linear(format_id: str) -> None:
    hold(laws.linear, cases(format_id)[:CASES])
