"""Parquet files and Hugging Face datasets, read and written."""

import json
from datetime import UTC, datetime
from decimal import Decimal
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import toolgrammar
from tests.units.bulk.rows_of_test import MESSAGES, read_lines, wanted, write_rows
from toolgrammar.bulk.files import datasets as tables
from toolgrammar.bulk.files import parquet
from toolgrammar.values import errors

LARGE = "it is not installed; `make fleets` installs it"
TEXTS = list(MESSAGES * 10)


@pytest.fixture(autouse=True)
def small_chunks(monkeypatch: pytest.MonkeyPatch) -> None:
    """Several chunks in a small table."""
    monkeypatch.setattr(parquet, "_CHUNK_ROWS", 7)
    monkeypatch.setattr(tables, "_CHUNK_ROWS", 7)


def _table() -> pa.Table:
    return pa.table({"id": range(len(TEXTS)), "text": TEXTS, "other": [0] * len(TEXTS)})


@pytest.mark.parametrize("jobs", [1, 2])
def test_parquet_is_read(tmp_path: Path, jobs: int) -> None:
    pq.write_table(_table(), tmp_path / "rows.parquet", row_group_size=25)
    output = tmp_path / "out.jsonl"
    report = toolgrammar.batch(
        tmp_path / "rows.parquet", "hermes", output=output, keep=["id"], jobs=jobs
    )
    assert read_lines(output) == [{**wanted(t), "row": {"id": n}} for n, t in enumerate(TEXTS)]
    assert (report.rows, report.bad) == (len(TEXTS), 0)


def test_parquet_is_gone_on_from(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    pq.write_table(_table(), tmp_path / "rows.parquet", row_group_size=25)
    given: dict[str, Any] = {"output": tmp_path / "out.jsonl"}

    def stop(seconds: object) -> None:
        raise KeyboardInterrupt

    rows = parquet.GroupRows.rows
    monkeypatch.setattr(
        parquet.GroupRows,
        "rows",
        lambda self, reading: stop(0) if self.first > 30 else rows(self, reading),
    )
    with pytest.raises(KeyboardInterrupt):
        toolgrammar.batch(tmp_path / "rows.parquet", "hermes", **given)
    monkeypatch.setattr(parquet.GroupRows, "rows", rows)
    report = toolgrammar.batch(tmp_path / "rows.parquet", "hermes", **given)
    assert report.resumed_rows == 32  # 25 of the first group, 7 of the second
    assert read_lines(tmp_path / "out.jsonl") == [wanted(text) for text in TEXTS]


def test_parquet_without_the_column(tmp_path: Path) -> None:
    pq.write_table(pa.table({"id": [1, 2]}), tmp_path / "rows.parquet")
    report = toolgrammar.batch(tmp_path / "rows.parquet", "hermes", output=tmp_path / "out.jsonl")
    assert (report.rows, report.bad) == (2, 2)


def test_a_message_in_an_object_is_read(tmp_path: Path) -> None:
    rows = [{"meta": {"text": text}, "other": 0} for text in TEXTS]
    pq.write_table(pa.Table.from_pylist(rows), tmp_path / "rows.parquet")
    output = tmp_path / "out.jsonl"
    toolgrammar.batch(tmp_path / "rows.parquet", "hermes", output=output, column="meta.text")
    assert read_lines(output) == [wanted(text) for text in TEXTS]


def test_parquet_is_written(tmp_path: Path) -> None:
    write_rows(tmp_path / "rows.jsonl", 12)
    with (tmp_path / "rows.jsonl").open("ab") as file:
        file.write(b'no row\n{"text": "half \\ud83d"}\n')
    output = tmp_path / "out.parquet"
    toolgrammar.batch(tmp_path / "rows.jsonl", "hermes", output=output, keep=["id"])
    table = pq.read_table(output)
    toolgrammar.batch(tmp_path / "rows.jsonl", "hermes", output=tmp_path / "l.jsonl", keep=["id"])
    lines = read_lines(tmp_path / "l.jsonl")
    assert table.column_names == list(lines[0])
    assert table["digest"].to_pylist() == [line["digest"] for line in lines]
    rows = table.to_pylist()
    assert len(rows) == 14
    for number, text in enumerate(MESSAGES * 2):
        expected = toolgrammar.parse(text, "hermes")
        row = rows[number]
        assert (row["ok"], row["text"], row["source"]) == (expected.ok, expected.text, text or "")
        assert json.loads(row["row"]) == {"id": number}
        assert [json.loads(call["arguments"]) for call in row["calls"]] == [
            call.arguments for call in expected.calls
        ]
        assert [call["executable"] for call in row["calls"]] == [
            call.executable for call in expected.calls
        ]
        for name, nested in (("calls", row["calls"]), ("diagnostics", row["diagnostics"])):
            for flat, line in zip(nested, lines[number][name], strict=True):
                # A span is two fields, and `executable` says in a word what several fields say.
                spelled = {"span": {"start": flat.pop("start"), "end": flat.pop("end")}, **flat}
                assert spelled.keys() - {"executable"} == line.keys()
    assert [rows[12]["ok"], rows[12]["row"], rows[13]["text"]] == [False, None, "half \ufffd"]
    files = ["l.jsonl", "out.parquet", "rows.jsonl"]
    assert sorted(path.name for path in tmp_path.iterdir()) == files


def test_nothing_kept_is_no_column(tmp_path: Path) -> None:
    toolgrammar.batch(list(MESSAGES), "hermes", output=tmp_path / "out.parquet")
    toolgrammar.batch(list(MESSAGES), "hermes", output=tmp_path / "out.jsonl")
    assert pq.read_table(tmp_path / "out.parquet").column_names == list(
        read_lines(tmp_path / "out.jsonl")[0]
    )


@pytest.mark.parametrize("jobs", [1, 2])
def test_datasets_are_read(tmp_path: Path, jobs: int) -> None:
    datasets = pytest.importorskip("datasets", reason=LARGE)
    dataset = datasets.Dataset(_table())
    results = list(toolgrammar.batch(dataset, "hermes", jobs=jobs))
    assert [each.to_dict() for each in results] == [
        toolgrammar.parse(text, "hermes").to_dict() for text in TEXTS
    ]
    backwards = dataset.select(range(len(TEXTS) - 1, -1, -1))
    output = tmp_path / "out.jsonl"
    toolgrammar.batch(backwards, "hermes", output=output, keep=["id"], jobs=jobs)
    expected = [{**wanted(text), "row": {"id": n}} for n, text in enumerate(TEXTS)]
    assert read_lines(output) == expected[::-1]


def test_streaming_datasets_are_read() -> None:
    datasets = pytest.importorskip("datasets", reason=LARGE)
    stream = datasets.Dataset(_table()).to_iterable_dataset()
    results = toolgrammar.batch(stream, "hermes")
    assert [each.to_dict() for each in results] == [
        toolgrammar.parse(text, "hermes").to_dict() for text in TEXTS
    ]


def test_what_is_missing_is_named(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(errors, "find_spec", lambda name: None)
    with pytest.raises(ImportError, match=r"pip install 'toolgrammar\[bulk\]'"):
        toolgrammar.batch([], "hermes", output=tmp_path / "out.parquet")
    with pytest.raises(ImportError, match=r"pip install 'toolgrammar\[bulk\]'"):
        toolgrammar.batch(tmp_path / "rows.parquet", "hermes")


def test_a_file_that_was_written_anew_is_read_anew(tmp_path: Path) -> None:
    log, output = tmp_path / "s.parquet", tmp_path / "out.jsonl"
    for text in ("first", "other"):
        pq.write_table(pa.table({"text": [text]}), log)
        assert toolgrammar.score(log, "hermes").rows == 1
        toolgrammar.batch(log, "hermes", output=output, resume=False)
        assert [line["text"] for line in read_lines(output)] == [text]


def test_members_that_other_rows_have_are_no_arguments(tmp_path: Path) -> None:
    """Arrow gives all objects of a column the same members, null where a row lacks one."""
    rows = []
    for name, arguments in (("get_weather", {"city": "Oslo"}), ("search", {"q": "tide"})):
        call = {"name": name, "arguments": arguments}
        text = f"<tool_call>\n{json.dumps(call)}\n</tool_call>"
        rows.append({"text": text, "truth": [call], "tools": [{"name": name}]})
    pq.write_table(pa.Table.from_pylist(rows), tmp_path / "s.parquet")
    found = toolgrammar.score(
        tmp_path / "s.parquet", "hermes", truth="truth", tools_column="tools"
    ).all
    assert (found["same_call"].hits, found["same_call"].of) == (2, 2)
    assert (found["same_argument"].hits, found["same_argument"].of) == (2, 2)


def test_values_that_json_lacks_are_kept_as_text(tmp_path: Path) -> None:
    moment = datetime(2026, 1, 2, 3, 4, 5, tzinfo=UTC)
    row = {"at": moment, "day": moment.date(), "cost": Decimal("1.50"), "raw": b"\xffa"}
    pq.write_table(pa.Table.from_pylist([{"text": "a", **row}]), tmp_path / "s.parquet")
    output = tmp_path / "out.jsonl"
    toolgrammar.batch(tmp_path / "s.parquet", "hermes", output=output, keep=list(row))
    wanted_row = {
        "at": "2026-01-02T03:04:05+00:00",
        "day": "2026-01-02",
        "cost": "1.50",
        "raw": "\\xffa",
    }
    assert [line["row"] for line in read_lines(output)] == [wanted_row]
    report = toolgrammar.score(tmp_path / "s.parquet", "hermes", labels=["day"])
    assert report.of("day", "2026-01-02").messages == 1


def test_maps_are_objects(tmp_path: Path) -> None:
    """In tools, whose wire names them, and in what is kept; empty, missing and nested ones too."""
    texts = pa.map_(pa.string(), pa.string())
    numbers = pa.map_(pa.int64(), pa.list_(pa.struct([("m", texts)])))
    tool = [("name", "add"), ("description", "Adds.")]
    table = pa.table(
        {
            "text": TEXTS[:1] * 3,
            "tools": pa.array([[tool]] * 3, pa.list_(texts)),
            "labels": pa.array([[("lang", "en")], [], None], texts),
            "nested": pa.array([[(1, [{"m": [("a", "b")]}])], [(2, [])], []], numbers),
        }
    )
    pq.write_table(table, tmp_path / "rows.parquet")
    output = tmp_path / "out.jsonl"
    report = toolgrammar.batch(
        tmp_path / "rows.parquet",
        "hermes",
        output=output,
        tools_column="tools",
        keep=["labels", "nested"],
    )
    assert report.failed == report.bad == 0
    kept = [line["row"] for line in read_lines(output)]
    assert [each["labels"] for each in kept] == [{"lang": "en"}, {}, None]
    assert [each["nested"] for each in kept] == [{"1": [{"m": {"a": "b"}}]}, {"2": []}, {}]
