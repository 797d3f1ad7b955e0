"""`toolgrammar.score`: from rows to a report."""

import gzip
import json
from pathlib import Path
from typing import Any

import pytest

import toolgrammar
from tests.units.bulk.rows_of_test import CUT, GOOD
from toolgrammar.scoring.message_scores import MEASURES

TOOLS = [
    {"name": "search", "parameters": {"type": "object", "properties": {"q": {"type": "string"}}}}
]
WIRE = '<tool_call>\n{"name": "search", "arguments": {"q": "tea"}}\n</tool_call>'
BROKEN = '<tool_call>\n{"name": "search", "arguments": {"q": ["tea"]}}\n</tool_call>'
OTHER = "<function=find>\n<parameter=q>\ntea\n</parameter>\n</function>"
ROWS: list[dict[str, Any]] = [
    {"text": WIRE, "format": "hermes", "tools": "t", "meta": {"model": "a"}, "truth": [
        {"name": "search", "arguments": {"q": "tea"}}]},
    {"text": BROKEN, "format": "hermes", "tools": TOOLS, "meta": {"model": "a"}},
    {"text": f"<tool_call>\n{OTHER}\n</tool_call>", "format": "qwen3_xml", "tools": json.dumps(TOOLS),
     "meta": {"model": "b"}, "truth": []},
    {"text": WIRE[:50], "format": "hermes", "meta": {}},
]  # fmt: skip
HOW: dict[str, Any] = {
    "format_column": "format",
    "tools_column": "tools",
    "truth": "truth",
    "labels": ["meta.model"],
}


def _shares(group: Any) -> dict[str, tuple[int, int]]:
    return {name: (rate.hits, rate.of) for name, rate in group.rates.items() if rate.of}


def test_rows_with_finish_reasons_of_their_own() -> None:
    text = "```bash\nls\n```"  # the fence may be one of the script, where the server cut it
    rows = [{"text": text, "why": why} for why in ("length", "stop", None)]
    report = toolgrammar.score(rows, "bash_fence", finish_reason_column="why")
    assert (report.all["truncated"].hits, report.all["truncated"].of) == (1, 3)


def test_rows_with_settings_of_their_own() -> None:
    report = toolgrammar.score(ROWS, tool_lists={"t": TOOLS}, **HOW)
    assert (report.rows, report.bad) == (4, 0)
    assert _shares(report.of("meta.model", "a")) == {
        "with_calls": (2, 2), "parsed": (2, 2), "repaired": (0, 2), "doubted": (0, 2),
        "truncated": (0, 2), "unreadable": (0, 2), "lost": (0, 2),
        "retyped": (0, 2), "executable": (2, 2),
        "unknown_tool": (0, 2), "schema": (1, 2), "schema_missing": (0, 2),
        "schema_undeclared": (0, 2), "schema_type": (1, 2), "schema_enum": (0, 2),
        "schema_value": (0, 2), "same_message": (1, 1), "same_call": (1, 1), "same_name": (1, 1),
        "same_argument": (1, 1), "extra_call": (0, 1),
    }  # fmt: skip
    b = report.of("meta.model", "b")
    assert (b["unknown_tool"].hits, b["same_message"].hits, b["extra_call"].hits) == (1, 0, 1)
    nobody = report.of("meta.model", "")
    assert (nobody["truncated"].hits, nobody["parsed"].hits) == (1, 0)
    assert nobody.lost == {"truncated": 1}
    assert report.labels == ("format", "meta.model")
    assert [group.value for group in report.by("format")] == ["hermes", "qwen3_xml"]
    assert set(report.all.rates) == set(MEASURES)


def test_what_a_row_names_and_there_is_not() -> None:
    rows = [
        *ROWS[:1],
        {"text": WIRE, "format": "herms"},
        {"text": WIRE, "tools": "u"},
        {"text": WIRE, "tools": [{"no": "name"}]},
        {"text": WIRE, "truth": "f()"},
        {"words": WIRE},
    ]
    report = toolgrammar.score(rows, "hermes", tool_lists={"t": TOOLS}, **HOW)
    assert (report.rows, report.bad, report.all.messages) == (6, 5, 1)
    reasons = [each.reason for each in report.bad_rows]
    assert [each.number for each in report.bad_rows] == [2, 3, 4, 5, 6]
    assert reasons[0].startswith("its format: unknown format 'herms'")
    assert reasons[1] == "no list of tools is named `u`"
    assert reasons[2].startswith("its tools: ")
    assert reasons[3].startswith("its truth: ")
    assert reasons[4].startswith("it has no `text`")


def _file(path: Path, *, packed: bool) -> Path:
    lines = [{"tools": {"t": TOOLS}}, *ROWS * 30]
    data = "".join(json.dumps(line) + "\n" for line in lines).encode()
    path.write_bytes(gzip.compress(data) if packed else data)
    return path


@pytest.mark.parametrize("packed", [False, True])
def test_a_file_with_its_lists_in_its_first_line(tmp_path: Path, *, packed: bool) -> None:
    path = _file(tmp_path / ("log.jsonl.gz" if packed else "log.jsonl"), packed=packed)
    report = toolgrammar.score(path, **HOW)
    alike = toolgrammar.score(ROWS * 30, tool_lists={"t": TOOLS}, **HOW)
    assert (report.groups, report.rows, report.bad) == (alike.groups, 120, 0)


def test_several_processes_and_an_output_score_the_same(tmp_path: Path) -> None:
    path = _file(tmp_path / "log.jsonl", packed=False)
    alone = toolgrammar.score(path, **HOW)
    assert toolgrammar.score(path, jobs=2, **HOW) == alone
    output = tmp_path / "rows.jsonl"
    assert toolgrammar.score(path, output=output, **HOW) == alone
    lines = [json.loads(line) for line in output.read_text(encoding="utf-8").splitlines()]
    assert [line["row"] for line in lines] == list(range(2, 122))
    assert lines[0]["shares"]["same_call"] == [1, 1]


def test_an_interrupted_run_goes_on(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("toolgrammar.bulk.files.chunks.CHUNK_BYTES", 2000)
    path, output = _file(tmp_path / "log.jsonl", packed=False), tmp_path / "rows.jsonl"
    whole = toolgrammar.score(path, output=tmp_path / "other.jsonl", **HOW)
    from toolgrammar.scoring.scored_rows import Scorer

    work, done = Scorer.__call__, []

    def stop_at_third(self: Scorer, chunk: Any, reading: Any) -> Any:
        done.append(chunk)
        if len(done) == 3:
            raise KeyboardInterrupt
        return work(self, chunk, reading)

    monkeypatch.setattr(Scorer, "__call__", stop_at_third)
    with pytest.raises(KeyboardInterrupt):
        toolgrammar.score(path, output=output, **HOW)
    assert not output.exists()
    # Other labels are another run.
    with pytest.raises(ValueError, match="interrupted"):
        toolgrammar.score(path, output=output, **{**HOW, "labels": ["format"]})
    assert toolgrammar.score(path, output=output, **HOW) == whole
    assert done[3].first == done[2].first  # what was written is not read again
    assert output.read_bytes() == (tmp_path / "other.jsonl").read_bytes()


def test_messages_alone() -> None:
    report = toolgrammar.score([GOOD, CUT, None], "hermes")
    assert _shares(report.all)["parsed"] == (1, 2)
    assert report.bad == 1
    assert report.all.codes["truncated"] == 1


def test_no_rows() -> None:
    report = toolgrammar.score([])
    assert (report.rows, dict(report.all.rates)) == (0, {})


@pytest.mark.parametrize(
    "wrong",
    [
        {"labels": "model"},
        {"labels": [5]},
        {"truth": 5},
        {"column": 5},
        {"jobs": "x"},
        {"format_column": 5},
        {"tool_lists": [1]},
        {"labels": 5},
        {"resume": "no"},
        {"progress": "no"},
    ],
)
def test_a_wrong_type(wrong: dict[str, Any]) -> None:
    # The message names the argument, or that it is a column or a list.
    with pytest.raises(TypeError, match=rf"{next(iter(wrong))} must be|a column must be"):
        toolgrammar.score([GOOD], **wrong)


def test_a_group_that_there_is_not_is_told_with_the_nearest() -> None:
    report = toolgrammar.score([{"text": GOOD, "model": "small"}], "hermes", labels=["model"])
    with pytest.raises(KeyError, match="no row has 'smal' as its model; nearest: 'small'"):
        report.of("model", "smal")


def test_a_data_frame_in_and_out() -> None:
    pandas = pytest.importorskip("pandas", reason="it is not installed; `make fleets` installs it")
    frame = pandas.DataFrame(ROWS)
    report = toolgrammar.score(frame, tool_lists={"t": TOOLS}, **HOW)
    assert report.groups == toolgrammar.score(ROWS, tool_lists={"t": TOOLS}, **HOW).groups
    table = report.to_pandas()
    found = table[(table.value == "a") & (table.measure == "schema_type")].iloc[0]
    assert (found.hits, found.of, found.counted) == (1, 2, "calls")
    assert found.low < found.share < found.high


def test_null_is_no_message() -> None:
    report = toolgrammar.score([{"text": GOOD}, {"text": None}], "hermes")
    assert (report.rows, report.all.messages, report.bad) == (2, 1, 1)
    assert report.bad_rows[0].reason == "`text` is null, not a string"
