"""`toolgrammar score`."""

import json
from pathlib import Path

import pytest

from tests.units.bulk.rows_of_test import CUT, GOOD, read_lines
from tests.units.cli.running import Run


def _log(name: str = "log.jsonl") -> str:
    rows = [{"text": GOOD, "model": "a", "format": "hermes"}, {"text": CUT, "model": "b"}, {"x": 1}]
    Path(name).write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    return name


def test_a_table_for_each_label(run: Run) -> None:
    words = ("score", _log(), "--format", "hermes", "--format-column", "format", "--label", "model")
    status, out, error = run(*words)
    assert status == 0
    lines = out.splitlines()
    assert lines[1].split()[:3] == ["all", "2", "50.0"]
    assert [line.split()[0] for line in lines if line.startswith(("a ", "b ", "hermes"))] == [
        "hermes",
        "a",
        "b",
    ]
    assert "lost by: truncated 1" in out
    assert "bad row: log.jsonl:3: it has no `text`" in error
    assert "3 rows in" in error


def test_json_and_files(run: Run) -> None:
    words = (
        "score",
        _log(),
        "--format",
        "hermes",
        "--json",
        "--output",
        "a.json",
        "--rows",
        "r.jsonl",
    )
    status, out, _ = run(*words)
    assert status == 0
    assert json.loads(out) == json.loads(Path("a.json").read_text(encoding="utf-8"))
    assert [line["row"] for line in read_lines(Path("r.jsonl"))] == [1, 2, 3]


def test_lists_of_tools_in_a_file(run: Run) -> None:
    Path("lists.json").write_text('{"t": [{"name": "search"}]}', encoding="utf-8")
    Path("log.jsonl").write_text(json.dumps({"text": GOOD, "tools": "t"}) + "\n", encoding="utf-8")
    words = ("score", "log.jsonl", "--format", "hermes", "--json", "--tools-column", "tools")
    _, out, _ = run(*words, "--tool-lists", "lists.json")
    assert json.loads(out)["groups"][0]["rates"]["unknown_tool"]["of"] > 0
    _, out, _ = run(*words)
    assert json.loads(out)["bad_rows"] == [{"row": 1, "reason": "no list of tools is named `t`"}]


@pytest.mark.parametrize(
    "wrong",
    [
        ["--output", "a.txt"],
        ["--output", "none/a.json"],
        ["--jobs", "-1"],
        ["--no-resume"],
        ["--rows", "log.jsonl"],
        ["--rows", "rows.csv"],
        ["--rows", "rows.parquet"],
        ["--tool-lists", "log.jsonl"],
    ],
)
def test_mistakes(run: Run, wrong: list[str]) -> None:
    assert run("score", _log(), *wrong).status == 2


def test_an_output_is_checked_before_the_log_is_read(run: Run) -> None:
    said = "error: --output a: a name without a suffix is not written: name a file that ends in"
    assert said in run("score", _log(), "--output", "a").error
    Path("log.md").write_text("{}", encoding="utf-8")
    status, _, error = run("score", "log.md", "--output", "log.md")
    assert status == 2
    assert "error: --output log.md: the run reads log.md, which this output would over" in error


def test_misspelt_columns_are_noted(run: Run) -> None:
    words = ("score", _log(), "--format", "hermes", "--label", "modell", "--truth", "calls")
    status, _, error = run(*words)
    assert status == 0
    assert "--label modell: no row has it" in error
    assert "--truth calls: no row has it" in error


def test_a_format_that_there_is_not_is_told_in_words_of_the_command_line(run: Run) -> None:
    Path("log.jsonl").write_text(json.dumps({"text": GOOD, "format": "herms"}), encoding="utf-8")
    error = run("score", "log.jsonl", "--format-column", "format").error
    assert "nearest: 'hermes', 'harmony'. `toolgrammar formats` lists them all" in error


def test_a_column_of_bad_truths_is_there(run: Run) -> None:
    rows = [{"text": GOOD, "truth": "[x"}, {"text": GOOD}]
    Path("log.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    error = run("score", "log.jsonl", "--format", "hermes", "--truth", "truth").error
    assert "bad row: log.jsonl:1: its truth: not JSON: Expecting value at column 2" in error
    assert "no row has it" not in error


def test_a_log_of_which_no_row_could_be_scored_is_a_failure(run: Run) -> None:
    status, _, error = run("score", _log(), "--column", "txt")
    assert status == 1
    assert "it has no `txt`" in error


def test_every_column_may_be_in_an_object(run: Run) -> None:
    row = {"meta": {"text": GOOD, "model": "a"}}
    Path("log.jsonl").write_text(json.dumps(row) + "\n", encoding="utf-8")
    words = ("--format", "hermes", "--column", "meta.text", "--label", "meta.model")
    status, out, error = run("score", "log.jsonl", *words)
    assert status == 0
    assert "0 bad rows" in error
    assert out.splitlines()[-1].split()[:2] == ["a", "1"]


def test_columns_of_settings_that_no_row_has_are_noted(run: Run) -> None:
    words = ("score", _log(), "--format", "hermes", "--rows", "r.jsonl")
    _, _, error = run(*words, "--format-column", "fromat", "--tools-column", "tols")
    assert "--format-column fromat: no row has it" in error
    assert "--tools-column tols: no row has it" in error
    assert "no row has it" not in run(*words, "--format-column", "format").error


def test_a_truth_that_holds_lists_is_told_with_the_path_to_them(run: Run) -> None:
    row = {"text": GOOD, "truth": {"parser": [{"name": "search", "arguments": {}}], "n": 1}}
    Path("log.jsonl").write_text(json.dumps(row) + "\n", encoding="utf-8")
    status, _, error = run("score", "log.jsonl", "--truth", "truth")
    assert status == 1
    assert "its truth: expected a list of calls; there is one in `truth.parser`" in error
    assert "--jobs" not in error
    assert run("score", "log.jsonl", "--truth", "truth.parser").status == 0
