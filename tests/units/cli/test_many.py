"""`toolgrammar parse --jobs`: files of rows."""

import gzip
import json
from pathlib import Path

import pytest

from tests.units.bulk.rows_of_test import CUT, GOOD, read_lines, wanted
from tests.units.cli.running import Run, json_lines

WORDS = ("parse", "--format", "hermes", "--jobs", "1")


def _rows(name: str, *rows: object) -> str:
    lines = (row if isinstance(row, str) else json.dumps(row) for row in rows)
    Path(name).write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")
    return name


def test_results_are_printed_one_a_line(run: Run) -> None:
    name = _rows("a.jsonl", {"text": GOOD, "id": 1}, {"text": "none", "id": 2})
    status, out, error = run(*WORDS, name, "--keep", "id")
    assert (status, error) == (0, "")
    assert json_lines(out) == [
        {**wanted(GOOD), "row": {"id": 1}},
        {**wanted("none"), "row": {"id": 2}},
    ]


def test_several_processes_print_the_same(run: Run) -> None:
    name = _rows("a.jsonl", *({"text": GOOD} for _ in range(50)))
    assert run("parse", "--format", "hermes", "--jobs", "2", name) == run(*WORDS, name)


def test_bad_rows_are_named_and_counted(run: Run) -> None:
    name = _rows("a.jsonl", {"text": GOOD}, *["{"] * 25, {"text": CUT})
    status, out, error = run(*WORDS, name, "--no-source")
    assert status == 1
    assert len(json_lines(out)) == 27
    assert all(result["source"] == "" for result in json_lines(out))
    complaints = error.splitlines()
    assert complaints[0].startswith("toolgrammar: bad row: a.jsonl:2: it is not JSON: ")
    assert complaints[20:] == ["toolgrammar: bad row: a.jsonl: 5 more"]


def test_results_are_written(run: Run) -> None:
    name = _rows("a.jsonl", {"answer": GOOD}, {"answer": CUT})
    status, out, error = run(*WORDS, name, "--column", "answer", "--output", "out.jsonl")
    assert (status, out, error) == (1, "", "")
    assert read_lines(Path("out.jsonl")) == [wanted(GOOD), wanted(CUT)]


def test_what_another_run_left_is_a_mistake(run: Run) -> None:
    name = _rows("a.jsonl", {"text": GOOD})
    # A head, and the note of a chunk that it finished.
    Path("out.jsonl.progress").write_text('{"version": 1}\n{}\n', encoding="utf-8")
    Path("out.jsonl.partial").write_text("", encoding="utf-8")
    status, _, error = run(*WORDS, name, "--output", "out.jsonl")
    assert status == 2
    assert "--no-resume" in error
    assert run(*WORDS, name, "--output", "out.jsonl", "--no-resume").status == 0


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ((), "--jobs reads files of rows; name one"),
        (("-",), "--jobs reads files of rows; name one"),
        (("a.jsonl", "--events"), "exclude each other"),
        (("a.jsonl", "b.jsonl", "--output", "o"), "the results of one file"),
        (("a.jsonl", "--jobs", "-1"), "0 or more"),
        (("none.jsonl",), "none.jsonl: No such file"),
        (("plain.parquet",), "plain.parquet can't be read as Parquet: "),
        (("plain.gz",), "plain.gz can't be unpacked: Not a gzipped file"),
        (("cut.gz",), "cut.gz can't be unpacked: Compressed file ended"),
        (("cut.gz", "--tools-column", "tools"), "cut.gz can't be unpacked: "),
        (("a.jsonl", "--output", "o.csv"), "o.csv: .csv is not written: name a file that ends in"),
        (("a.jsonl", "--output", "none/o.jsonl"), "none/o.jsonl: the folder of the output is not"),
    ],
)
def test_mistakes_are_named(run: Run, words: tuple[str, ...], said: str) -> None:
    _rows("a.jsonl", {"text": GOOD})
    data = Path("a.jsonl").read_bytes()
    for name, content in (
        ("plain.parquet", data),
        ("plain.gz", data),
        ("cut.gz", gzip.compress(data)[:-6]),
    ):
        Path(name).write_bytes(content)
    status, _, error = run(*WORDS, *words)
    assert status == 2
    assert said in error


@pytest.mark.parametrize(
    "words",
    [
        ("--output", "res.jsonl"),
        ("--column", "text"),
        ("--keep", "id"),
        ("--no-source",),
        ("--no-resume",),
    ],
)
def test_options_of_rows_want_jobs(run: Run, words: tuple[str, ...]) -> None:
    name = _rows("a.jsonl", {"text": GOOD})
    status, out, error = run("parse", "--format", "hermes", name, *words)
    assert (status, out) == (2, "")
    assert words[0] in error
    assert "--jobs" in error
    assert not Path("res.jsonl").exists()


def test_no_resume_wants_an_output(run: Run) -> None:
    status, _, error = run(*WORDS, _rows("a.jsonl", {"text": GOOD}), "--no-resume")
    assert status == 2
    assert "output" in error


def test_the_data_is_no_output(run: Run) -> None:
    name = _rows("in.jsonl", {"text": "precious"})
    status, _, error = run(*WORDS, name, "--output", name)
    assert status == 2
    assert "overwrite" in error
    assert Path(name).read_text(encoding="utf-8") == '{"text": "precious"}\n'
    Path("out").mkdir()
    assert run(*WORDS, name, "--output", "out").status == 2


def test_a_file_of_rows_is_not_one_message(run: Run) -> None:
    name = _rows("a.jsonl", {"id": 1, "answer": GOOD}, "", {"id": 2, "answer": "none"})
    said = "note: a.jsonl was read as one message, and its lines are JSON objects; add --jobs N"
    for words in ((), ("--json",), ("--events",)):
        status, _, error = run("parse", name, *words)
        assert status == 0
        assert said in error
    assert said in run("parse", _rows("a.jsonl", {"text": "none"})).error


@pytest.mark.parametrize(
    "lines",
    [
        # The calls of one message, a line each.
        [{"name": "f", "arguments": {}}, {"name": "g", "arguments": {}}],
        [{"answer": 42}],
        [{"text": "An object, and then prose."}, "So it is."],
        ["[1]", "[2]"],
        [],
    ],
)
def test_one_message_is_no_file_of_rows(run: Run, lines: list[object]) -> None:
    assert run("parse", _rows("a.txt", *lines)).error == ""


def test_a_file_that_is_one_message_is_no_file_of_rows(run: Run) -> None:
    Path("plain.txt").write_text("Hello\nworld\n", encoding="utf-8")
    error = run(*WORDS, "plain.txt").error
    assert "note: no line of plain.txt is a row; leave out --jobs" in error
    assert "note" not in run(*WORDS, _rows("a.jsonl", {"text": GOOD}, "{")).error


def test_a_column_that_no_row_has_is_asked_for(run: Run) -> None:
    error = run(*WORDS, _rows("a.jsonl", {"answer": GOOD}, {"answer": GOOD})).error
    assert "note: no row of a.jsonl has a message; name its column: --column NAME" in error


def test_rows_name_their_format_and_their_tools(run: Run) -> None:
    tools = [{"name": "f", "parameters": {"properties": {"n": {"type": "integer"}}}}]
    python, tagged = '[f(n="1")]', "<function=f>\n<parameter=n>\n1\n</parameter>\n</function>"
    name = _rows(
        "a.jsonl",
        {"tools": {"t": tools}},
        {"text": python, "about": {"format": "pythonic"}, "tools": "t"},
        {
            "text": f"<tool_call>\n{tagged}\n</tool_call>",
            "about": {"format": "qwen3_xml"},
            "tools": "t",
        },
        {"text": GOOD, "about": {}, "tools": None},
        {"text": GOOD, "about": {"format": "no"}},
    )
    words = (*WORDS, name, "--format-column", "about.format", "--tools-column", "tools")
    status, out, error = run(*words, "--keep", "tools")
    assert status == 1
    found = json_lines(out)
    assert [each["format"] for each in found] == ["pythonic", "qwen3_xml", "hermes", "hermes"]
    assert found[1]["calls"][0]["arguments"] == {"n": 1}
    assert [each.get("row") for each in found] == [
        {"tools": "t"},
        {"tools": "t"},
        {"tools": None},
        {},
    ]
    assert "a.jsonl:5: its format: unknown format 'no'" in error
    run(*words, "--keep", "tools", "--output", "out.jsonl")
    assert read_lines(Path("out.jsonl")) == found


def test_rows_have_finish_reasons_of_their_own(run: Run) -> None:
    text = "```bash\nls\n```"  # the fence may be one of the script, where the server cut it
    name = _rows(
        "a.jsonl",
        {"text": text, "end": {"reason": "length"}},
        {"text": text, "end": {"reason": "stop"}},
        {"text": text, "end": {"reason": ["stop"]}},
        {"text": text},
    )
    words = ("parse", "--format", "bash_fence", "--jobs", "1", name, "--finish-reason", "length")
    _, out, error = run(*words, "--finish-reason-column", "end.reason")
    found = [[call["status"] for call in each["calls"]] for each in json_lines(out)]
    assert found == [["truncated"], ["complete"], [], ["truncated"]]
    assert "a.jsonl:3: its finish reason is not a string: ['stop']" in error
    assert "no row has it" in run(*words, "--finish-reason-column", "reason").error


def test_lists_of_tools_need_a_column(run: Run) -> None:
    name = _rows("a.jsonl", {"text": GOOD})
    Path("lists.json").write_text("{}", encoding="utf-8")
    assert run(*WORDS, name, "--tool-lists", "lists.json").status == 2
    Path("lists.json").write_text("[]", encoding="utf-8")
    words = (*WORDS, name, "--tools-column", "tools", "--tool-lists", "lists.json")
    assert run(*words).status == 2
    assert run("parse", name, "--format-column", "format").status == 2


@pytest.mark.parametrize("output", [(), ("--output", "out.jsonl")])
def test_columns_of_settings_that_no_row_has_are_noted(run: Run, output: tuple[str, ...]) -> None:
    words = (*WORDS, _rows("a.jsonl", {"text": GOOD, "format": "hermes"}), *output)
    _, _, error = run(*words, "--format-column", "fromat", "--tools-column", "tols")
    assert "note: --format-column fromat: no row has it" in error
    assert "note: --tools-column tols: no row has it" in error
    assert "no row has it" not in run(*words, "--format-column", "format").error


def test_a_text_that_is_not_closed_is_named_with_its_column(run: Run) -> None:
    Path("a.jsonl").write_text('{"text": "x\n', encoding="utf-8")
    error = run(*WORDS, "a.jsonl").error
    assert "it is not JSON: Unterminated string starting at column 10" in error


@pytest.mark.parametrize("more", [(), ("--output", "out.jsonl"), ("--format-column", "format")])
def test_a_column_to_keep_that_no_row_has_is_noted(run: Run, more: tuple[str, ...]) -> None:
    name = _rows("a.jsonl", {"text": "a", "id": 1}, {"text": "b", "rare": None, "format": "hermes"})
    words = (*WORDS, name, *more, "--keep", "id", "--keep", "rare")
    assert "no row has it" not in run(*words).error
    if "--output" in more:
        Path("out.jsonl").unlink()
    error = run(*words, "--keep", "nope").error
    assert error.count("no row has it") == 1
    assert "note: --keep nope: no row has it" in error
