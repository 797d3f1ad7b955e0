"""Calls that broke off before all of them came: what is missing may be more than a closer."""

import pytest

from tests.units.core.cuts import read

WRITE: dict[str, object] = {
    "name": "write_file",
    "parameters": {
        "properties": {"path": {"type": "string"}, "content": {"type": "string"}},
        "required": ["path", "content"],
    },
}
TEXTS = {
    "qwen3_xml": "<tool_call>\n<function=write_file>\n<parameter=path>\n/etc/hos\n</function>\n</tool_call>",
    "glm45": "<tool_call>write_file\n<arg_key>path</arg_key>\n<arg_value>/etc/hos</tool_call>",
    "minimax_m2": (
        '<minimax:tool_call>\n<invoke name="write_file">\n<parameter name="path">/a</parameter>\n'
        "</minimax:tool_call>"
    ),
    "hermes": '<tool_call>\n{"name": "write_file", "arguments": {"path": "/a"}\n</tool_call>',
}


@pytest.mark.parametrize("format_id", sorted(TEXTS))
def test_a_closer_is_missing_before_a_required_argument(format_id: str) -> None:
    result = read(format_id, TEXTS[format_id], tools=[WRITE])
    assert [call.doubts for call in result.calls] == [("missing-close-tag",)]
    assert not result.ok
    # Without the tool nobody knows that an argument is missing.
    assert [call.executable for call in read(format_id, TEXTS[format_id]).calls] == [True]


def test_a_value_that_has_neither_text_nor_a_closer() -> None:
    for format_id, text in (
        ("qwen3_xml", "<tool_call>\n<function=f>\n<parameter=a>\n</function>\n</tool_call>"),
        ("glm45", "<tool_call>f\n<arg_key>a</arg_key>\n<arg_value></tool_call>"),
    ):
        result = read(format_id, text)
        assert [call.doubts for call in result.calls] == [("missing-close-tag",)]


@pytest.mark.parametrize("arguments", ['{"to": ["a",', '{"to": [', '{"opts": {'])
def test_a_list_or_object_that_broke_off_before_an_item(arguments: str) -> None:
    text = f'<tool_call>\n{{"name": "f", "arguments": {arguments}\n</tool_call>'
    assert [call.doubts for call in read("hermes", text).calls] == [("bracket",)]


@pytest.mark.parametrize("name", ["null", "None", "true", "NaN"])
def test_a_word_of_json_is_no_name_but_of_a_given_tool(name: str) -> None:
    text = f'<tool_call>\n{{"name": {name}, "arguments": {{}}}}\n</tool_call>'
    assert [call.doubts for call in read("hermes", text).calls] == [("bare-text",)]
    tool: dict[str, object] = {"name": name, "parameters": {}}
    assert [call.executable for call in read("hermes", text, tools=[tool]).calls] == [True]
