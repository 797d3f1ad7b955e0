"""`toolgrammar.batch`: the same results as `parse`, in order, whatever the number of processes."""

import json
from collections.abc import Generator
from pathlib import Path
from typing import Any, cast

import pytest

import toolgrammar
from tests.units.bulk.rows_of_test import CUT, GOOD, MESSAGES, read_lines, wanted, write_rows
from toolgrammar.bulk import BadRow, BatchReport
from toolgrammar.bulk.batches import jobs_of
from toolgrammar.bulk.files import chunks as sources

TOOLS = [
    {
        "name": "weather",
        "parameters": {"type": "object", "properties": {"city": {"type": "string"}}},
    }
]


@pytest.fixture(autouse=True)
def small_chunks(monkeypatch: pytest.MonkeyPatch) -> None:
    """Several chunks in a small file."""
    monkeypatch.setattr(sources, "CHUNK_BYTES", 1000)


@pytest.mark.parametrize("jobs", [1, 2])
def test_a_file_gives_what_parse_gives(tmp_path: Path, jobs: int) -> None:
    expected = write_rows(tmp_path / "rows.jsonl", 60)
    output = tmp_path / "out.jsonl"
    report = toolgrammar.batch(
        tmp_path / "rows.jsonl", "hermes", output=output, jobs=jobs, keep=["id"]
    )
    assert read_lines(output) == expected
    failed = sum(not each["ok"] for each in expected)
    calls = sum(len(each["calls"]) for each in expected)
    assert report == BatchReport(output, 60, calls, failed, 0, (), 0)
    assert not report.ok
    assert sorted(path.name for path in tmp_path.iterdir()) == ["out.jsonl", "rows.jsonl"]


@pytest.mark.parametrize("jobs", [1, 2])
def test_values_give_results(jobs: int) -> None:
    values = [*MESSAGES * 300, {"text": GOOD}]
    results = list(toolgrammar.batch(values, "hermes", jobs=jobs))
    assert [each.to_dict() for each in results] == [
        toolgrammar.parse(value["text"] if isinstance(value, dict) else value, "hermes").to_dict()
        for value in values
    ]


@pytest.mark.parametrize("jobs", [1, 2])
def test_results_come_before_all_is_read(jobs: int) -> None:
    """Memory is bounded: an endless source is read as far as needed."""
    endless = iter(lambda: GOOD, None)
    results = toolgrammar.batch(endless, "hermes", jobs=jobs)
    assert next(results).ok
    assert isinstance(results, Generator)
    results.close()


def test_a_row_without_a_message_is_no_error(tmp_path: Path) -> None:
    lines = [
        json.dumps({"text": GOOD}).encode(),
        b'{"text": ',
        b"",
        b'{"other": 1}',
        b'{"text": 7}',
        b"[1]",
        b'{"text": "a\xffb"}',
        b'{"text": NaN}',
        b'{"text": "a", "x": "\xff"}',
        json.dumps({"text": CUT}).encode(),
    ]
    (tmp_path / "rows.jsonl").write_bytes(b"\n".join(lines))
    report = toolgrammar.batch(tmp_path / "rows.jsonl", "hermes", output=tmp_path / "out.jsonl")
    assert report.bad_rows == (
        BadRow(2, "it is not JSON: Expecting value at column 10"),
        BadRow(4, "it has no `text`; it has `other`"),
        BadRow(5, "`text` is a number, not a string"),
        BadRow(6, "it is an array, not an object"),
        BadRow(7, "it has bytes that are not UTF-8"),
        BadRow(8, "it is not JSON: `NaN` is no JSON"),
    )
    assert (report.rows, report.bad, report.failed, report.calls) == (9, 6, 7, 2)
    results = [
        toolgrammar.ParseResult.from_dict(line) for line in read_lines(tmp_path / "out.jsonl")
    ]
    assert [each.ok for each in results] == [True, *[False] * 6, True, False]
    assert "row 2" in results[1].diagnostics[0].message


def test_values_without_a_message_are_no_error() -> None:
    results = list(toolgrammar.batch([GOOD, 7, {"other": 1}, float("nan"), b"a\xffb"], "hermes"))
    assert [each.ok for each in results] == [True, False, False, True, True]
    assert [each.diagnostics[0].code for each in results if each.diagnostics] == [
        "unreadable",
        "unreadable",
        "invalid-utf8",
    ]


def test_a_result_that_nests_too_deeply_is_a_bad_row(tmp_path: Path) -> None:
    deep = GOOD.replace("[1, 2.5]", "[" * 900 + "]" * 900)
    rows = "".join(json.dumps({"text": text}) + "\n" for text in (GOOD, deep, GOOD))
    (tmp_path / "rows.jsonl").write_text(rows, encoding="utf-8")
    report = toolgrammar.batch(
        tmp_path / "rows.jsonl",
        "hermes",
        output=tmp_path / "out.jsonl",
        limits=toolgrammar.Limits(max_depth=None),
    )
    lines = read_lines(tmp_path / "out.jsonl")
    assert len(lines) == report.rows == 3
    assert [line["ok"] for line in lines] == [True, False, True]


def test_only_so_many_bad_rows_are_named(tmp_path: Path) -> None:
    (tmp_path / "rows.jsonl").write_bytes(b"no\n" * 150)
    report = toolgrammar.batch(tmp_path / "rows.jsonl", "hermes", output=tmp_path / "out.jsonl")
    assert (report.bad, len(report.bad_rows), report.bad_rows[-1].number) == (150, 100, 100)


def test_what_parse_is_told_is_told_for_each_message(tmp_path: Path) -> None:
    (tmp_path / "rows.jsonl").write_text(json.dumps({"answer": CUT}) + "\n", encoding="utf-8")
    toolgrammar.batch(
        tmp_path / "rows.jsonl",
        "hermes",
        output=tmp_path / "out.jsonl",
        column="answer",
        tools=TOOLS,
        strict=True,
        source=False,
    )
    [line] = read_lines(tmp_path / "out.jsonl")
    assert line == {**wanted(CUT, tools=TOOLS, strict=True), "source": ""}


def test_a_callers_mistakes_raise_at_once(tmp_path: Path) -> None:
    with pytest.raises(toolgrammar.UnknownFormat):
        toolgrammar.batch([], "no-such-format")
    with pytest.raises(FileNotFoundError):
        toolgrammar.batch(tmp_path / "none.jsonl", "hermes")
    with pytest.raises(TypeError, match="got dict"):
        toolgrammar.batch({"text": GOOD}, "hermes")
    with pytest.raises(TypeError, match="list of columns"):
        toolgrammar.batch([], "hermes", output=tmp_path / "out", keep="id")
    with pytest.raises(ValueError, match="got -1"):
        toolgrammar.batch([], "hermes", jobs=-1)
    wrong: Any = 5
    with pytest.raises(TypeError, match="column must be a str, got int 5"):
        toolgrammar.batch([], "hermes", column=wrong)
    with pytest.raises(TypeError, match="a column to keep must be a str, got int 5"):
        toolgrammar.batch([], "hermes", output=tmp_path / "out", keep=[wrong])
    with pytest.raises(TypeError, match="keep must be a list of columns, got int 5"):
        toolgrammar.batch([], "hermes", output=tmp_path / "out", keep=wrong)
    for name in ("source", "resume", "progress"):
        options: dict[str, Any] = {name: "no"}
        with pytest.raises(TypeError, match=f"{name} must be a bool, got str 'no'"):
            toolgrammar.batch([], "hermes", output=tmp_path / "out", **options)
    with pytest.raises(TypeError, match="jobs must be an int, got str"):
        toolgrammar.batch([], "hermes", jobs=cast("Any", "2"))
    with pytest.raises(FileNotFoundError, match="the folder of the output is not there"):
        toolgrammar.batch(iter("a"), "hermes", output=tmp_path / "none" / "out")


def test_no_jobs_means_one_a_processor() -> None:
    assert jobs_of(0) >= 1


def test_a_process_that_dies_is_reported(monkeypatch: pytest.MonkeyPatch) -> None:
    """As the system kills one for want of memory: it must not hang, and must say so."""
    with pytest.raises(RuntimeError, match="a process of the batch died"):
        list(toolgrammar.batch(_Deadly(), "hermes", jobs=2))


class _Deadly:
    """An iterable whose first value kills who unpickles it."""

    def __iter__(self):  # type: ignore[no-untyped-def]
        yield _Exit()


class _Exit:
    def __reduce__(self) -> tuple[object, tuple[int]]:
        import os

        return os._exit, (3,)


@pytest.mark.parametrize("jobs", [1, 2])
@pytest.mark.parametrize("name", ["rows.jsonl", "link.jsonl", "sub/../rows.jsonl", "rows"])
def test_a_run_does_not_write_over_its_data(tmp_path: Path, name: str, jobs: int) -> None:
    rows = tmp_path / "rows.jsonl"
    rows.write_text('{"text": "precious"}\n', encoding="utf-8")
    (tmp_path / "link.jsonl").symlink_to(rows)
    (tmp_path / "rows.partial").symlink_to(rows)
    (tmp_path / "sub").mkdir()
    before = sorted(tmp_path.iterdir())
    for data in (rows, str(tmp_path / "link.jsonl")):
        with pytest.raises(ValueError, match="overwrite"):
            toolgrammar.batch(data, "hermes", output=tmp_path / name, jobs=jobs)
    assert rows.read_text(encoding="utf-8") == '{"text": "precious"}\n'
    assert sorted(tmp_path.iterdir()) == before


@pytest.mark.parametrize("name", ["calls.csv", "calls.json", "calls.jsonl.gz"])
def test_an_output_of_another_format_is_refused_at_once(tmp_path: Path, name: str) -> None:
    said = r"is not written: name a file that ends in \.jsonl, \.ndjson or \.parquet"
    with pytest.raises(ValueError, match=said):
        toolgrammar.batch([GOOD], "hermes", output=tmp_path / name)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("name", ["calls.JSONL", "calls.ndjson", "calls"])
def test_an_output_of_lines_has_a_suffix_of_lines_or_none(tmp_path: Path, name: str) -> None:
    toolgrammar.batch([GOOD], "hermes", output=tmp_path / name)
    assert read_lines(tmp_path / name) == [wanted(GOOD)]


def test_an_output_that_is_a_directory_is_refused_at_once(tmp_path: Path) -> None:
    (tmp_path / "out").mkdir()
    rows = iter(["a", "b"])
    with pytest.raises(IsADirectoryError, match="directory"):
        toolgrammar.batch(rows, "hermes", output=tmp_path / "out")
    assert next(rows) == "a"
    assert [path.name for path in tmp_path.iterdir()] == ["out"]
