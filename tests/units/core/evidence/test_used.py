"""Text around markup: whether an object is whole, and whether a brace closes what was open before."""

import pytest

from toolgrammar.core.evidence.used import closes_more, holds_object


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ('save", "arguments": {}}', True),
        ('save", "arguments": {}', False),
        ('{"name": "}"', False),
        # Escaped quotes close no string, and neither does a quote that none follows: the braces
        # behind them count.
        ('"\\"\\"\\" {}}', True),
        ('"a" "b {}} \\" \\"', True),
        ('"a" "b {} \\" \\"', False),
        ('"\\\n}" {}', False),
    ],
)
def test_a_brace_outside_of_strings_closes_what_was_open(text: str, *, expected: bool) -> None:
    assert closes_more(text, 0) is expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ('{"a": ["}"]} rest', True),
        ('<x> {"a": 1}', True),
        ('{"a": "} ', True),
        ('{"a": "\\"} ', True),
        ('word {"a": 1}', False),
    ],
)
def test_an_object_is_whole(text: str, *, expected: bool) -> None:
    assert holds_object(text, 0) is expected
