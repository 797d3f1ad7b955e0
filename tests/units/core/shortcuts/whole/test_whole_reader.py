"""A call that may have been cut is left to the driver, however often the format was read before."""

import pytest

from tests.units.core.cuts import read
from toolgrammar import Parser, parse

TOOLS: list[dict[str, object]] = [
    {
        "name": "find",
        "parameters": {"properties": {"q": {"type": "string"}, "n": {}}, "required": ["q"]},
    }
]


@pytest.mark.parametrize(
    ("format_id", "text"),
    [
        (
            "gigachat3",
            '<|message_sep|>\n\nfunction call<|role_sep|>\n{"name": "find", "arguments": {"n": 1}}',
        ),
        ("reploid0", "TOOL: find\nn: 1\n"),
    ],
)
def test_a_call_that_the_end_of_the_text_closes_lacks_no_argument(
    format_id: str, text: str
) -> None:
    whole = text.replace('{"n": 1}', '{"n": 1, "q": "tea"}').replace("n: 1\n", "n: 1\nq: tea\n")
    assert [call.executable for call in read(format_id, whole, TOOLS).calls] == [True]
    assert [call.status for call in read(format_id, text, TOOLS).calls] == ["truncated"]


def test_a_closer_that_repeats_another_name_is_left_to_the_driver() -> None:
    tools: list[dict[str, object]] = [{"name": "now"}, {"name": "later"}]
    (call,) = read("roo_xml", "<now></now>", tools).calls
    assert call.executable
    # The run of tokens was learned: only the name in its closer is another one.
    assert read("roo_xml", "<now></later>", tools).calls == ()


def test_an_opener_in_code_that_nothing_closes_ends_no_answer() -> None:
    text = (
        "<|open|>response<|sep|>I look.<|close|>`sponse<|sep|><|open|>tools<|sep|>"
        '<|open|>call tool="on_air" index="1"<|sep|><|close|>call<|sep|><|close|>tools<|sep|>'
    )
    for _ in range(4):  # the whole reader learns from what it sees
        assert parse(text, "kimi_k3") == Parser("kimi_k3").run_whole(text)
    assert not parse(text, "kimi_k3").calls


def test_what_may_hold_the_arguments_is_left_to_the_driver() -> None:
    text = '<tool_call>\n{"name": "later", "index": {"n": 1}}\n</tool_call>'
    for _ in range(4):  # the whole reader learns from what it sees
        assert parse(text, "ernie45") == Parser("ernie45").run_whole(text)
    assert [call.executable for call in parse(text, "ernie45").calls] == [False]
