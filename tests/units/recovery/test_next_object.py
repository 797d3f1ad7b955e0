"""Behind a whole object another may follow, where its first key is one of the schema."""

import pytest

from toolgrammar import recover_json

SCHEMA = {"type": "object", "properties": {"a": {"type": "string"}}}


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ('{"a": "x"}, {"a": "y"}', {"a": "x"}),
        ('{"a": "say "hi"}, {"a": "y"}', {"a": 'say "hi'}),
        # The schema has no `b`: it stands in the string.
        ('{"a": "x"}, {"b": "y"}', {"a": 'x"}, {"b": "y'}),
    ],
)
def test_the_key_decides(text: str, value: dict[str, str]) -> None:
    assert recover_json(text, SCHEMA).value == value
