"""Text around markup: whether an object is whole, and whether a brace closes what was open before."""

from collections.abc import Callable

import pytest

from toolgrammar.core.evidence.used import closes_more, holds_object


@pytest.mark.parametrize(
    ("asked", "text", "expected"),
    [
        (closes_more, 'save", "arguments": {}}', True),
        (closes_more, 'save", "arguments": {}', False),
        (closes_more, '{"name": "}"}', False),
        # Escaped quotes close no string, and neither does a quote that none follows: the braces
        # behind them count.
        (closes_more, '"\\"\\"\\" {}}', True),
        (closes_more, '"a" "b {}} \\" \\"', True),
        (closes_more, '"a" "b {} \\" \\"', False),
        (closes_more, '"\\\n}" {}', False),
        (holds_object, '{"a": ["}"]} rest', True),
        (holds_object, '<x> {"a": 1}', True),
        (holds_object, '{"a": "} ', True),
        (holds_object, '{"a": "\\"} ', True),
        (holds_object, 'word {"a": 1}', False),
    ],
)
def test_brackets_count_outside_of_the_strings_that_have_an_end(
    asked: Callable[[str, int], bool], text: str, *, expected: bool
) -> None:
    assert asked(text, 0) is expected
