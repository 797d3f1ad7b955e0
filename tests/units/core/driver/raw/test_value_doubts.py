"""A call is doubted for what one of its values holds, or ends with, whatever way the text is cut."""

import pytest

from tests.units.core.cuts import read

TOOLS: list[dict[str, object]] = [
    {"name": name, "parameters": {"properties": {"text": {"type": "string"}}}}
    for name in ("bash", "search")
]


@pytest.mark.parametrize(
    ("format_id", "text"),
    [
        ("simple_agent", "```\n🛠️ bash ls\n```"),
        ("simple_agent", "Here:\n~~~text\n🛠️ bash ls\n~~~\nDone."),
        ("simple_agent", "```\n🛠️ bash\n```"),
        ("react", "```\r\nAction: search\r\nAction Input: rain in May\r\n```\r\n"),
        ("codeact", "Here:\n\n```text\n<execute_bash>\nls -la\n```\nDone."),
        ("langchain_xml", "```\n<tool>search</tool><tool_input>rye stock\n```\nDone."),
    ],
)
def test_the_end_of_the_block_around_a_call_is_no_part_of_it(format_id: str, text: str) -> None:
    (call,) = read(format_id, text, TOOLS).calls
    assert "missing-close-tag" in call.doubts


@pytest.mark.parametrize(
    ("format_id", "text"),
    [
        ("simple_agent", "🛠️ bash cat\n```\nx\n```\ny"),
        ("simple_agent", "```\nx\n```\n🛠️ bash cat\n```\nx\n```\ny"),
        ("simple_agent", "```\n🛠️ bash ls\n🛠️🔚\n```"),
        ("simple_agent", "```\n🛠️ bash a ``` b\n🛠️🔚\n```"),
        ("react", '```\nAction: search\nAction Input: {"text": "rain"}\n```'),
    ],
)
def test_a_fence_in_a_call_or_behind_it_is_no_doubt(format_id: str, text: str) -> None:
    (call,) = read(format_id, text, TOOLS).calls
    assert call.executable


@pytest.mark.parametrize(
    ("format_id", "text", "doubts"),
    [
        ("react", 'Action: search\nAction Input: "tides in', ("bare-text",)),
        ("react", 'Action: search\nAction Input: "tides"', ()),
        ("simple_agent", '🛠️ bash "ls', ("bare-text",)),
        ("simple_agent", '🛠️ bash "ls" -l', ()),
        ("react", 'Action: search\nAction Input: "text": "rain", "days": 2}', ("bare-text",)),
        ("simple_agent", '🛠️ bash f {"a": [1]}', ()),
        ("simple_agent", '🛠️ bash "ls\n🛠️🔚', ()),
        ("reploid0", 'TOOL: search\ntext: "    a \\"b\\" c\nREPLOID/0\n', ("bare-text",)),
        ("reploid0", 'TOOL: search\ntext: 5" pipe', ()),
    ],
)
def test_a_value_that_a_line_ends_within_quotes_may_go_on(
    format_id: str, text: str, doubts: tuple[str, ...]
) -> None:
    (call,) = read(format_id, text, TOOLS).calls
    assert call.doubts == doubts


_QWEN = "<tool_call>\n<function=search>\n{}</function>\n</tool_call>"


@pytest.mark.parametrize(
    ("values", "doubts"),
    [
        (
            "<parameter=text>\nOslo</par<parameter=text>\nOslo\n</parameter>\n",
            ("inner-argument", "misspelt"),
        ),
        ("<parameter=text>\n<parameter=text>\nx\n</parameter>\n\n</parameter>\n", ()),
        ("<parameter=text>\nWrite parameter=text so.\n</parameter>\n", ()),
        # Of the closer its brackets are left.
        ("<parameter=text>\nOslo\n<>\n", ("stray-close-tag",)),
        ("<parameter=text>\nsee <b>\n", ()),
    ],
)
def test_an_argument_that_begins_anew_or_loses_its_closer_is_a_doubt(
    values: str, doubts: tuple[str, ...]
) -> None:
    (call,) = read("qwen3_xml", _QWEN.format(values)).calls
    assert call.doubts == doubts


def test_a_quote_with_a_backslash_too_many_is_a_doubt() -> None:
    text = '<|tool_call>call:search{text:<|\\"|>Oslo<|\\"|>}<tool_call|>'
    (call,) = read("gemma4", text).calls
    assert call.doubts == ("missing-quote",)


@pytest.mark.parametrize(
    "value",
    [
        "tides</para\n\nSorry, once more:",
        'tides</paramfunctools[{"name": "search"}]',
        "tides</parameter>\n<param of x eter=text>more",
    ],
)
def test_a_tag_that_is_broken_off_in_a_value_is_a_doubt(value: str) -> None:
    text = (
        f"<tool_call>\n<function=search>\n<parameter=text>\n{value}\n</parameter>\n"
        "</function>\n</tool_call>"
    )
    (call,) = read("qwen3_xml", text, TOOLS).calls
    assert (call.arguments, call.executable) == ({"text": value.strip()}, False)


def test_a_quote_that_is_broken_off_before_a_bare_word_is_a_doubt() -> None:
    for wrong in ("<escape># note", "<esca# note", "<<b>", "<b c>"):
        text = f"<start_function_call>call:search{{text:{wrong}}}<end_function_call>"
        (call,) = read("functiongemma", text, TOOLS).calls
        assert not call.executable


def test_an_undeclared_argument_that_holds_the_call_is_a_doubt() -> None:
    inner = '<tool_use><name>search</name><arguments>{"text": "a"}</arguments></tool_use>'
    text = f"<search>\n<text>a</text>{inner}\n</search>"
    (call,) = read("void_xml", text, TOOLS).calls
    assert call.doubts == ("inner-argument",)
    other = text.replace("<name>search", "<name>other")
    assert read("void_xml", other, TOOLS).calls[0].executable


@pytest.mark.parametrize("behind", ['limits:{"price": 1}', "limits 3"])
def test_a_line_behind_a_closed_list_may_be_another_argument(behind: str) -> None:
    text = f'```yaml\naction: plan\nstops: ["a", "b"]\n{behind}\n```'
    [call] = read("yaml_fence", text).calls
    assert "misspelt" in call.doubts
    assert read(
        "yaml_fence", text.replace('"]\n', '",\n  "c"]\nlimits: 2\n').replace(behind, "x: 1")
    ).ok


def test_a_closing_tag_without_its_opener_may_be_left_of_the_closer_that_is_missing() -> None:
    for line in ("</e>", '</",{e>'):
        [call] = read("smolagents_code", f"<code>\na = 1\n{line}\nThen.").calls
        assert call.doubts == ("stray-close-tag",)
    assert read("smolagents_code", '<code>\nprint("""<b>\n</b>""")\n').ok
