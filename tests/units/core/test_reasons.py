"""The reason why a payload can't be read has its code by what it is, not by its words."""

import pytest

import toolgrammar


def codes(text: str, format_id: str) -> set[str]:
    result = toolgrammar.parse(text, format=format_id, limits=toolgrammar.Limits(max_depth=4))
    return {each.code for each in result.diagnostics}


@pytest.mark.parametrize(
    ("text", "format_id"),
    [
        ("[f(a=deep)]", "pythonic"),
        ("[f(a=[1 deep])]", "pythonic"),
        ("[f(deep=(] ", "pythonic"),
    ],
)
def test_a_word_of_the_text_is_no_depth(text: str, format_id: str) -> None:
    assert "limit-depth" not in codes(text, format_id)


@pytest.mark.parametrize(
    ("text", "format_id"),
    [
        (f"[f(a={'[' * 9}{']' * 9})]", "pythonic"),
        (
            f'<tool_call>{{"name": "f", "arguments": {{"a": {"[" * 9}{"]" * 9}}}}}</tool_call>',
            "hermes",
        ),
    ],
)
def test_depth_is_said(text: str, format_id: str) -> None:
    assert "limit-depth" in codes(text, format_id)
