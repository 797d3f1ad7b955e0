"""Results as lines: what `to_dict` says, by msgspec or without it."""

import json
import math
from typing import Any

import pytest

import toolgrammar
from tests.laws.every_case import cases, each_format
from toolgrammar.bulk.lines import plain_json, write_plain, writer
from toolgrammar.values.calls import ParseResult, ToolCall


def _written(result: ParseResult, kept: bytes = b"") -> bytes:
    buffer = bytearray(b"before\n")
    writer()(buffer, result, kept, result.source)
    assert buffer.startswith(b"before\n")
    return bytes(buffer[7:])


def _plainly(result: ParseResult, kept: bytes = b"") -> bytes:
    buffer = bytearray()
    write_plain(buffer, result, kept, result.source)
    return bytes(buffer)


@each_format
def test_every_case_is_written_as_to_dict_says(format_id: str) -> None:
    for case in cases(format_id):
        result = toolgrammar.parse(case.text, format_id, tools=case.tools)
        line = json.loads(_written(result))
        assert line == json.loads(_plainly(result))
        assert list(line) == list(result.to_dict())


@pytest.mark.parametrize(
    "arguments",
    [
        {"a": math.inf, "b": [-math.inf, None, 'Infinity \\" NaN']},
        {"a": None, "b": "null"},
        {"a": "half \ud83d"},
        {"a": 10**40},
        {"a": 1.5e300, "b": -0.0},
    ],
)
def test_odd_values_are_kept(arguments: dict[str, Any]) -> None:
    result = ParseResult((ToolCall("f", arguments),))
    for line in (_written(result), _plainly(result)):
        line.decode()
        assert ParseResult.from_dict(json.loads(line, parse_constant=_refuse)) == result


def _refuse(name: str) -> None:
    raise AssertionError(f"{name} is no JSON")


def test_what_is_no_number_is_null() -> None:
    line = json.loads(_written(ParseResult((ToolCall("f", {"a": math.nan}),))))
    assert line["calls"][0]["arguments"] == {"a": None}


def test_what_is_kept_stands_under_row() -> None:
    assert json.loads(_written(ParseResult(), b'{"id":7}'))["row"] == {"id": 7}
    assert json.loads(_plainly(ParseResult(), b'{"id":7}'))["row"] == {"id": 7}


def test_plain_json_is_compact() -> None:
    assert plain_json({"a": [1, "é"]}) == '{"a":[1,"é"]}'.encode()
