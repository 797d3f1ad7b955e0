"""Payloads of one JSON type read any JSON and are written for their type; `COUNT` numbers calls."""

from pathlib import Path

import pytest

from tests.units.core.held import check, format_in
from toolgrammar import RenderError, ToolCall, parse
from toolgrammar.catalogue.format import Format

GRAMMAR = r"""//@ id: typed
%import .common.text (TEXT, RAW_STRING, COUNT)
%import .common.json (JSON_OBJECT, JSON_ARRAY, JSON_NUMBER, JSON_BOOLEAN, JSON_NULL)

start: (TEXT | calls)*

calls: "<calls>" call+ "</calls>"
call: "<do " name " " COUNT ">" argument* "</do>"
argument: "<arg " key value "</arg>"
value: " number>" JSON_NUMBER
     | " boolean>" JSON_BOOLEAN
     | " null>" JSON_NULL
     | " array>" JSON_ARRAY
     | " object>" JSON_OBJECT
     | " string>" RAW_STRING
name: /[a-z]+/
key: /[a-z]+/
"""


@pytest.fixture
def typed(tmp_path: Path) -> Format:
    return format_in(tmp_path, GRAMMAR)


@pytest.mark.parametrize(
    ("value", "written"),
    [
        (5, "number>5"),
        (-2.5, "number>-2.5"),
        (True, "boolean>true"),
        (False, "boolean>false"),
        (None, "null>null"),
        ([1, "x"], 'array>[1, "x"]'),
        ({"a": True}, 'object>{"a": true}'),
        ("5", "string>5"),
    ],
)
def test_a_value_is_written_as_its_type(typed: Format, value: object, written: str) -> None:
    text = f"<calls><do f 1><arg a {written}</arg></do></calls>"
    assert typed.render([ToolCall("f", {"a": value})]) == text
    calls = [{"name": "f", "arguments": {"a": value}}]
    check(typed, text, {"calls": calls, "status": ["complete"], "codes": []})


def test_any_json_is_read(typed: Format) -> None:
    text = '<calls><do f 1><arg a number>"x"</arg><arg b null>[1]</arg></do></calls>'
    calls = [{"name": "f", "arguments": {"a": "x", "b": [1]}}]
    check(typed, text, {"calls": calls, "status": ["complete"], "codes": []})


def test_calls_are_counted_from_one(typed: Format) -> None:
    calls = [ToolCall("f", {}), ToolCall("g", {"a": 1}), ToolCall("h", {})]
    written = typed.render(calls)
    assert written == (
        "<calls><do f 1></do><do g 2><arg a number>1</arg></do><do h 3></do></calls>"
    )
    other = parse(written.replace("2>", "207>"), format=typed).calls
    assert [call.name for call in other] == ["f", "g", "h"]


def test_a_type_without_a_way_is_an_error(tmp_path: Path) -> None:
    grammar = GRAMMAR.replace('     | " string>" RAW_STRING\n', "").replace(", RAW_STRING", "")
    with pytest.raises(RenderError):
        format_in(tmp_path, grammar).render([ToolCall("f", {"a": "x"})])
