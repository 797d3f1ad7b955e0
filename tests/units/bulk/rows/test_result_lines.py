"""Results as lines: what `to_dict` says, by msgspec or without it."""

import json
import math
from typing import Any

import pytest

import toolgrammar
from tests.laws.every_case import cases, each_format
from toolgrammar.bulk.rows.result_lines import FastLines, PlainLines, new_lines, plain_json
from toolgrammar.values.calls import ParseResult, ToolCall


def _written(result: ParseResult, kept: bytes = b"", lines: PlainLines | None = None) -> bytes:
    chosen = new_lines() if lines is None else lines
    assert chosen.add(result, kept, result.source)
    return b"".join(chosen.taken())


def _plainly(result: ParseResult, kept: bytes = b"") -> bytes:
    return _written(result, kept, PlainLines())


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


def test_results_are_gathered_in_order() -> None:
    """Odd ones among them, which are written another way."""
    odd: list[dict[str, Any]] = [{"a": math.inf}, {"a": "half \ud83d"}]
    results = [ParseResult((ToolCall("f", {"n": n}),)) for n in range(60)]
    results[30] = ParseResult((ToolCall("f", odd[0]),))
    results[40] = ParseResult((ToolCall("f", odd[1]),))
    lines = new_lines()
    assert isinstance(lines, FastLines)
    for number, result in enumerate(results):
        assert lines.add(result, b'{"id":%d}' % number, "source")
    written = [json.loads(line) for line in b"".join(lines.taken()).splitlines()]
    assert [ParseResult.from_dict(line).calls for line in written] == [r.calls for r in results]
    assert [line["row"]["id"] for line in written] == list(range(60))
    assert {line["source"] for line in written} == {"source"}


@pytest.mark.parametrize("lines", [PlainLines, FastLines])
def test_what_nests_too_deeply_is_not_written(lines: type[PlainLines]) -> None:
    value: Any = 1
    for _ in range(5000):
        value = [value]
    chosen = lines()
    assert not chosen.add(ParseResult((ToolCall("f", {"a": value}),)), b"", "")
    assert b"".join(chosen.taken()) == b""
