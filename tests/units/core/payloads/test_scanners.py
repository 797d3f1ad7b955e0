"""What the scanners of payloads give the whole reader: nothing that the driver would report."""

import pytest

from toolgrammar import parse


@pytest.mark.parametrize(
    ("format_id", "text"),
    [
        ("ts_call", "functions.num({x:-1e999})"),
        ("gemma4", "<|tool_call>call:num{x:[-1e999]}<tool_call|>"),
        ("functiongemma", "<start_function_call>call:num{x:1e999}<end_function_call>"),
    ],
)
def test_a_number_that_no_float_holds_is_doubted_however_many_came_before(
    format_id: str, text: str
) -> None:
    doubts = [[call.doubts for call in parse(text, format=format_id).calls] for _ in range(5)]
    assert doubts == [[("nonfinite",)]] * 5
