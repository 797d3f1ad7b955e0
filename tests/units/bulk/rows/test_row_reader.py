"""Rows with settings of their own: what one of them holds does not end the run."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest

import toolgrammar
from tests.units.bulk.rows_of_test import GOOD

if TYPE_CHECKING:
    from pathlib import Path

COLUMNS = {"format": "format", "tools": "tools", "why": "finish_reason"}
"""The columns of the rows below, each with the setting that it holds."""
DEEPEST = 3000
ODD = [
    "7",
    "true",
    '{"a": 1}',
    "[[]]",
    "[7]",
    '"["',
    '"[{"',
    *("[" * depth + "]" * depth for depth in (300, 990, DEEPEST)),
    *(json.dumps("[" * depth + "]" * depth) for depth in (300, 990, DEEPEST)),
]
"""No format, no list of tools and no finish reason, in JSON."""
# Any text is a finish reason, though not one that the APIs have.
CASES = [(name, value) for name in COLUMNS for value in ODD if name != "why" or value[0] != '"']


def _rows(folder: Path, column: str, value: str) -> Path:
    path = folder / "rows.jsonl"
    good = json.dumps({"text": GOOD})
    odd = f'{good[:-1]}, "{column}": {value}}}'
    path.write_text(f"{good}\n{odd}\n{good}", encoding="utf-8")
    return path


@pytest.mark.parametrize(("column", "value"), CASES, ids=range(len(CASES)))
@pytest.mark.parametrize("keep", [(), ("format", "tools", "why")])
def test_a_setting_that_is_none_is_a_bad_row(
    tmp_path: Path, column: str, value: str, keep: tuple[str, ...]
) -> None:
    setting: dict[str, Any] = {f"{COLUMNS[column]}_column": column}
    output = tmp_path / "out.jsonl"
    report = toolgrammar.batch(
        _rows(tmp_path, column, value), "hermes", output=output, keep=keep, **setting
    )
    assert (report.rows, [bad.number for bad in report.bad_rows]) == (3, [2])
    lines = [json.loads(line) for line in output.read_text(encoding="utf-8").splitlines()]
    assert [len(line["calls"]) for line in lines] == [1, 0, 1]


@pytest.mark.parametrize("depth", [990, DEEPEST])
def test_the_score_of_a_log_goes_on_behind_a_row_that_nests_too_deeply(
    tmp_path: Path, depth: int
) -> None:
    deep = "[" * depth + "]" * depth
    for value in (deep, json.dumps(deep)):
        rows = _rows(tmp_path, "tools", value)
        report = toolgrammar.score(rows, "hermes", tools_column="tools")
        assert (report.rows, [bad.number for bad in report.bad_rows]) == (3, [2])


def test_a_first_line_that_nests_too_deeply_is_a_bad_row(tmp_path: Path) -> None:
    path = tmp_path / "rows.jsonl"
    path.write_text(f'{{"tools": {"[" * DEEPEST}\n{json.dumps({"text": GOOD})}\n', encoding="utf-8")
    report = toolgrammar.batch(path, "hermes", output=tmp_path / "out.jsonl", tools_column="tools")
    assert (report.rows, [bad.number for bad in report.bad_rows]) == (2, [1])
