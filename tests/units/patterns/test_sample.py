"""The plainest text that an expression matches."""

import re

import pytest

from toolgrammar.patterns.sample import sample


@pytest.mark.parametrize(
    ("pattern", "text"),
    [
        (r'<call id="(?P<id>\d+)"\s*/?>', '<call id="7"/>'),
        (r"<(?:call:\d+|end)>", "<call:7>"),
        (r"(?:<(?P<name>\w+)>|x)\d+", "<f>7"),
        (r"^a(?=b)b$", "ab"),
    ],
)
def test_what_is_written(pattern: str, text: str) -> None:
    assert sample(pattern, {"name": "f"}, 7) == text
    assert re.fullmatch(pattern, text)
