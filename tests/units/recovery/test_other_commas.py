"""Semicolons and Chinese commas between members stand for commas; elsewhere they are text."""

import pytest

import toolgrammar
from toolgrammar import recover_json
from toolgrammar.testing import Case, splits

MARKS = (";", "\uff0c")


@pytest.mark.parametrize("mark", MARKS)
@pytest.mark.parametrize(
    ("text", "value"),
    [
        ('{"a": 1; "b": 2}', {"a": 1, "b": 2}),
        ('{"a": "x"; "b": 2}', {"a": "x", "b": 2}),
        ('{"a": [1]; "b": 2}', {"a": [1], "b": 2}),
        ('{"a": [1]; b: 2}', {"a": [1], "b": 2}),
        ("{'a': 'x'; 'b': 'y'}", {"a": "x", "b": "y"}),
    ],
)
def test_is_the_comma_before_a_key(mark: str, text: str, value: object) -> None:
    text = text.replace(";", mark)
    found = recover_json(text)
    assert found.value == value
    assert found.executable
    assert "comma" in {each.code for each in found.diagnostics}
    wire = f'<tool_call>\n{{"name": "f", "arguments": {text}}}\n</tool_call>'
    splits(Case("one mark", "hermes", wire))
    assert toolgrammar.parse(wire, format="hermes").calls[0].arguments == value


@pytest.mark.parametrize("mark", MARKS)
@pytest.mark.parametrize(
    "text",
    [
        '<tool_call>\n{"name": "f"; "arguments": {"a": 1}}\n</tool_call>',
        '<tool_call>\n{"name": "f" ;"arguments": {"a": 1}}\n</tool_call>',
        "<tool_call>\n{'name': 'f'; 'arguments': {'a': 1}}\n</tool_call>",
    ],
)
def test_is_the_comma_behind_the_name(mark: str, text: str) -> None:
    text = text.replace(";", mark)
    result = toolgrammar.parse(text, format="hermes")
    [call] = result.calls
    assert (call.name, call.arguments, call.executable) == ("f", {"a": 1}, True)
    [edit] = [edit for each in result.diagnostics if each.code == "comma" for edit in each.edits]
    assert text[edit.span.start : edit.span.end] == mark
    assert edit.replacement == ","
    splits(Case("one mark", "hermes", text))


@pytest.mark.parametrize("mark", MARKS)
def test_is_the_comma_between_calls(mark: str) -> None:
    calls = [f'{{"name": "f", "arguments": {{"a": {each}}}}}' for each in (1, 2)]
    text = f"[TOOL_CALLS][{mark.join(calls)}]"
    result = toolgrammar.parse(text, format="mistral_json")
    assert [call.arguments for call in result.calls if call.executable] == [{"a": 1}, {"a": 2}]
    splits(Case("one mark", "mistral_json", text))


@pytest.mark.parametrize(
    "text",
    [
        '{"a": "x; y"}',
        '{"css": "a; b: 2"}',
        '{"a": ";", "b": 1}',
        '{"a": "x;", "b": null}',
        '{"a": "x\uff0cy"}',
    ],
)
def test_is_text_in_a_string(text: str) -> None:
    assert recover_json(text).status == "complete"


@pytest.mark.parametrize("mark", MARKS)
@pytest.mark.parametrize("text", ['{"a": 1;}', "[1; 2]", '{"a": 1; b: 2}', '{"a": x; "b": 2}'])
def test_is_in_doubt_where_no_key_follows(mark: str, text: str) -> None:
    assert not recover_json(text.replace(";", mark)).executable


@pytest.mark.parametrize("behind", ['\nNote: "a" is it.', "; x = 1"])
def test_words_behind_a_value_are_prose(behind: str) -> None:
    found = recover_json('{"a": 1}' + behind)
    assert found.executable
    assert [each.code for each in found.diagnostics] == ["around"]
