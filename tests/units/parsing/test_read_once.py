"""A call is read once, also in a section whose short opener is not certain yet."""

import pytest

from toolgrammar import parse


@pytest.mark.parametrize("strict", [False, True])
def test_a_call_without_arguments_in_an_open_section(*, strict: bool) -> None:
    text = "<tool_call>\n<function=tide>\n</function>\n"
    result = parse(text, format="qwen3_xml", strict=strict)
    assert [call.name for call in result.calls] == ["tide"]
    assert result.text == ""
    assert result.ok is not strict  # the section's closer is missing: a repair, or an error
