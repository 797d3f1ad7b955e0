"""`CallEnd` comes with the character that completes the call."""

from tests.laws.every_case import cases, each_format, hold
from toolgrammar.testing import laws


@each_format
def test_early(format_id: str) -> None:
    hold(laws.early, cases(format_id, malformed=False))
