"""Words and text without quotes in damaged JSON: where they end, and what is left of them at its end."""

import pytest

import toolgrammar
from tests.units.core.cuts import read
from toolgrammar import recover_json
from toolgrammar.testing.depth import if_quick


@pytest.mark.parametrize(
    ("text", "value", "codes"),
    [
        pytest.param('{"a": Hello', {"a": "Hello"}, "bare-text truncated", id="a cut text"),
        pytest.param('{"a": tr', {}, "truncated", id="what may be a literal"),
        pytest.param('{"a": true', {"a": True}, "truncated", id="a literal"),
        pytest.param('{"a": 12', {}, "truncated", id="a number may go on"),
        pytest.param('{"a": 1/* y */}', {"a": 1}, "comment", id="a comment behind a number"),
        pytest.param('{"a": x /* y */}', {"a": "x"}, "bare-text comment", id="behind a text"),
        pytest.param('{"a": x/y}', {"a": "x/y"}, "bare-text", id="a slash in a text"),
        pytest.param('{"a": x\ty}', {"a": "x\ty"}, "bare-text", id="a tab in a text"),
        pytest.param('{"a": x\xa0}', {"a": "x"}, "bare-text space", id="an odd blank behind it"),
        pytest.param('{"a": f(x,\n y)}', {"a": "f(x,\n y)"}, "bare-text", id="a pair of its own"),
        pytest.param("{a\ud800: 1}", {"a\ufffd": 1}, "bare-key", id="half a pair in a key"),
    ],
)
def test_words(text: str, value: object, codes: str) -> None:
    result = recover_json(text)
    assert result.value == value
    assert " ".join(each.code for each in result.diagnostics) == codes


def test_a_number_that_is_too_long_is_refused_where_the_text_ends() -> None:
    assert [each.code for each in recover_json("[" + "1" * 5000).diagnostics] == ["unreadable"]


@pytest.mark.parametrize(
    ("items", "is_doubted"),
    [
        ("1,009", True),
        ("1 000, 7", True),
        ("7, 50", False),
        ("7, 0050", False),
        ("090, 7", False),
    ],
)
def test_an_item_may_be_the_thousands_of_the_one_before(items: str, *, is_doubted: bool) -> None:
    schema = {"properties": {"a": {"type": "array", "items": {"type": "number"}}}}
    text = f'<tool_call>{{"name": "f", "arguments": {{"a": [{items}]}}}}</tool_call>'
    (call,) = read("hermes", text, [{"name": "f", "parameters": schema}]).calls
    assert call.doubts == (("number",) if is_doubted else ())


@pytest.mark.parametrize("items", ["1 000", "1 000, 7", '7"a"', "7 true"])
def test_a_missing_comma_is_judged_alike_wherever_the_text_is_cut(items: str) -> None:
    text = f'<tool_call>{{"name": "f", "arguments": {{"a": [{items}]}}}}</tool_call>'
    whole = toolgrammar.parse(text, "hermes")
    # What stands around the items is held by the law of splits.
    start = if_quick(text.index(items) - 1, 0)
    end = if_quick(text.index("]") + 2, len(text))
    for first in range(start, end):
        for second in range(first, end):
            parser = toolgrammar.Parser("hermes")
            for piece in (text[:first], text[first:second], text[second:]):
                parser.feed(piece)
            parser.close()
            assert parser.result == whole
