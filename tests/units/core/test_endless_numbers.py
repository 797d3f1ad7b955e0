"""A number that no float holds never runs: read whole or streamed, the first time and later."""

import math
from typing import Final

import pytest

from toolgrammar import Parser, parse

TOOLS: Final = [{"name": "wait", "parameters": {"type": "object", "properties": {"days": {}}}}]
TEXTS: Final = {
    "hermes": '<tool_call>{"name": "wait", "arguments": {"days": @}}</tool_call>',
    "deepseek_v4": (
        '<|DSML|tool_calls>\n<|DSML|invoke name="wait">\n'
        '<|DSML|parameter name="days" string="false">@</|DSML|parameter>\n'
        "</|DSML|invoke>\n</|DSML|tool_calls>"
    ).replace("|", "\uff5c"),
    "gemma4": "<|tool_call>call:wait{days:@}<tool_call|>",
    "functiongemma": "<start_function_call>call:wait{days:@}<end_function_call>",
}
"""A call of each format, with a mark in place of its number."""


@pytest.mark.parametrize("number", ["1e999", "-1E+400", "1" * 310 + ".5"])
@pytest.mark.parametrize("format", TEXTS)
def test_a_number_that_no_float_holds(format: str, number: str) -> None:
    text = TEXTS[format].replace("@", number)
    # More than once: a shortcut learns from the first messages how to read those that come after.
    for chunks in (text, [text]) * 3:
        parser = Parser(format, tools=TOOLS)
        for chunk in chunks:
            parser.feed(chunk)
        parser.close()
        for result in (parse(text, format, tools=TOOLS), parser.result):
            [call] = result.calls
            assert math.isinf(call.arguments["days"])
            assert call.doubts == ("nonfinite",)
