"""`core/trust/stray_reasoning_closer.py`: what closes reasoning is known from the grammar."""

import pytest

from toolgrammar import formats


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
    assert formats[format_id].tables.reasoning_tags == tags
