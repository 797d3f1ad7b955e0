"""Semicolons between the members of an object stand for commas; elsewhere they are text."""

import pytest

import toolgrammar
from toolgrammar import recover_json


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ('{"a": 1; "b": 2}', {"a": 1, "b": 2}),
        ('{"a": "x"; "b": 2}', {"a": "x", "b": 2}),
        ('{"a": [1]; "b": 2}', {"a": [1], "b": 2}),
        ('{"a": "x;"; "b": null}', {"a": "x;", "b": None}),
        ("{'a': 'x'; 'b': 'y'}", {"a": "x", "b": "y"}),
    ],
)
def test_is_the_comma_before_a_key(text: str, value: object) -> None:
    found = recover_json(text)
    assert found.value == value
    assert found.executable
    assert "comma" in {each.code for each in found.diagnostics}
    wire = f'<tool_call>\n{{"name": "f", "arguments": {text}}}\n</tool_call>'
    stream = toolgrammar.stream(list(wire), format="hermes")
    list(stream)
    assert stream.result.calls == toolgrammar.parse(wire, format="hermes").calls
    assert stream.result.calls[0].arguments == value


@pytest.mark.parametrize("text", ['{"a": "x; y"}', '{"css": "a; b: 2"}', '{"a": ";", "b": 1}'])
def test_is_text_in_a_string(text: str) -> None:
    assert recover_json(text).status == "complete"


@pytest.mark.parametrize("text", ['{"a": 1;}', "[1; 2]", '{"a": 1; b: 2}'])
def test_is_in_doubt_where_no_key_follows(text: str) -> None:
    assert not recover_json(text).executable
