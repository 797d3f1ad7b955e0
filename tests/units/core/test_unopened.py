"""`core/unopened.py`: what closes reasoning is known from the grammar."""

import pytest

from toolgrammar import formats
from toolgrammar.core.unopened import reasoning_tags


@pytest.mark.parametrize(
    ("format_id", "tags"),
    [
        ("hermes", {"</think>": "<think>"}),
        ("kimi_k2", {"</think>": "<think>"}),
        ("mistral_v11", {"[/THINK]": "[THINK]", "</think>": "<think>"}),
        ("roo_xml", {}),
        ("react", {}),
    ],
)
def test_tags(format_id: str, tags: dict[str, str]) -> None:
    assert reasoning_tags(formats[format_id].tables) == tags
