"""Text that names a known tool as calls do, and could not be read, is told of in any format."""

import pytest

from tests.units.core.cuts import read

TOOLS: list[dict[str, object]] = [
    {"name": name, "parameters": {"type": "object", "properties": {"query": {"type": "string"}}}}
    for name in ("search", "list_notes")
]


@pytest.mark.parametrize(
    "text",
    [
        'Actio: search\nAction Input: {"query": "tides"}',
        "TOLO: search\nquery: tides",
        '[[ ## nex7t_tool_name ## ]]\nsearch\n\n[[ ## next_tool_args ## ]]\n{"query": "tides"}',
        "<f7unction=search>\n<parameter=query>tides</parameter>\n</function>",
        "<tool_ca)l>list_notes</tool_call>",
        "<tolo>search</tool><tool_input>tides</tool_input>",
        "Action: search\nAction In|t: tides",
        # The keys of an object of a call, in other quotes than JSON's, or in capitals.
        '{name: "list_notes", arguments: {}}',
        '{name\uff1a "list_notes"\uff0c arguments\uff1a {}}',
        '{NAME: list_notes, "Parameters": {}}',
        "[{`tool`: `list_notes`, `args`: {}}]",
        "{\u201cfunction\u201d: \u201clist_notes\u201d, \u201cparams\u201d: {}}",
        "name = list_notes\nargs = {}",
        # A list of Python calls, of which the first is damaged.
        "[search(], list_notes()]",
    ],
)
def test_it_is_an_error_with_the_tools_and_without_a_format(text: str) -> None:
    result = read("auto", text, TOOLS)
    assert ([each.code for each in result.diagnostics], result.ok) == (["unread-call"], False)
    assert read("auto", text).calls == ()


@pytest.mark.parametrize(
    "text",
    [
        "It takes `search`: \n query: the words that are looked for.",
        'The function "search" with the following parameters:\n\n- query: the words',
        "I would search: the query is hard to write, so tell me more.",
        "search <b>query</b>",
        "The steps: list_notes, then search.",
        "The name: list_notes takes no arguments: none.",
        "Its name is list_notes, arguments: none.",
        "In transaction: search the logs. Reaction: search again.",
    ],
)
def test_prose_about_tools_is_none(text: str) -> None:
    assert read("auto", text, TOOLS).diagnostics == ()


@pytest.mark.parametrize(
    "text",
    [
        "[searchquery='tides')]",
        'Now:\n[searchquery = "tides")]',
        '@searchcall_0): {"query": "tides"}',
        ">>>search",
        "Now:\n>>>list_notes\n",
    ],
)
def test_a_name_without_its_bracket_is_told_of(text: str) -> None:
    for each in ("pythonic", "gptme_tool", "functionary_v3_2", "auto"):
        result = read(each, text, TOOLS)
        assert [found.code for found in result.diagnostics] == ["unread-call"]
        assert not result.ok
        assert result.text == text.rstrip()


@pytest.mark.parametrize(
    "text",
    [
        "[searching) {",
        "@searching wrote: {}",
        "while (i<searches) {\n}",
        "[searchquery == 1]",
        "The searchquery='x' is text.",
        "[searchother='x')]",
        "Type >>>search",
        ">>>search finds it.",
        "> search",
    ],
)
def test_words_that_begin_with_a_name_are_none(text: str) -> None:
    assert read("pythonic", text, TOOLS).ok


@pytest.mark.parametrize("name", ["_", "-", "__"])
def test_a_name_has_a_letter_or_a_digit(name: str) -> None:
    text = f'<tool_call>{{"name": "{name}", "arguments": {{}}}}</tool_call>'
    [call] = read("hermes", text).calls
    assert call.doubts == ("malformed-name",)


@pytest.mark.parametrize("quotes", ["\u201c\u201d", "\u201e\u201c", "\u00ab\u00bb", "``"])
def test_the_quotes_of_an_attribute_are_no_part_of_a_name(quotes: str) -> None:
    text = f"<invoke name={quotes[0]}search{quotes[1]}>\n</invoke>"
    [call] = read("anthropic_invoke", text).calls
    assert call.doubts == ("malformed-name",)


def test_a_key_of_arguments_is_no_name_where_tools_are_known() -> None:
    text = '<tool_call>\n{"name": "arguments", "arguments": {"query": "tides"}}\n</tool_call>'
    assert read("hermes", text, TOOLS).calls[0].doubts == ("malformed-name",)
    named: dict[str, object] = {"name": "arguments"}
    assert read("hermes", text, [*TOOLS, named]).calls[0].executable
    assert read("hermes", text).calls[0].executable
