"""`cli/main.py` and its commands, called as a user would."""

import json
import sys
from pathlib import Path

import pytest

from tests.units.cli.running import GRAMMAR, MESSAGE, PAGE, Run, json_lines
from toolgrammar.cli.main import main


def test_parse_prints_a_table(run: Run) -> None:
    status, out, error = run("parse", "good.txt", "--format", "mine.lark")
    assert (status, error) == (0, "")
    assert out.splitlines() == [
        "#  call     arguments           status    id",
        '1  weather  {"city": "Tromsø"}  complete',
        "",
        "text:",
        "Søk:",
    ]


def test_parse_prints_json(run: Run) -> None:
    status, out, _ = run("parse", "--format", "mine.lark", "--json", given=MESSAGE)
    [result] = json_lines(out)
    assert status == 0
    assert result["schema"] == 1
    assert result["calls"][0]["arguments"] == {"city": "Tromsø"}


def test_parse_reads_many(run: Run) -> None:
    status, out, _ = run("parse", "good.txt", "cut.txt", "--format", "mine.lark", "--json")
    statuses = [result["calls"][0]["status"] for result in json_lines(out)]
    assert (status, statuses) == (1, ["complete", "truncated"])
    status, out, _ = run("parse", "good.txt", "-", "--format", "mine.lark", given="plain")
    assert status == 0
    assert "== good.txt" in out
    assert "no calls" in out


def test_parse_tells_what_is_wrong(run: Run) -> None:
    status, out, _ = run("parse", "cut.txt", "--format", "mine.lark")
    assert status == 1
    assert "error truncated at " in out


def test_parse_takes_bad_bytes(run: Run) -> None:
    status, out, _ = run("parse", "--format", "mine.lark", given=b"a\xffb")
    assert status == 0
    assert "invalid-utf8" in out


@pytest.mark.parametrize("encoding", ["utf-8-sig", "utf-16"])
def test_the_byte_order_mark_of_a_file_is_no_part_of_the_message(
    run: Run, tmp_path: Path, encoding: str
) -> None:
    """`[f(a=1)]` is a call at the start of a line, and text behind a character that is not seen."""
    (tmp_path / "marked.txt").write_text("[f(a=1)]", encoding=encoding)
    (tmp_path / "bare.txt").write_text("[f(a=1)]", encoding="utf-8")
    for words in (
        ("parse", "--json", "--format", "pythonic"),
        ("parse", "--events", "--format", "pythonic"),
        ("explain", "--format", "pythonic"),
        ("detect",),
        ("translate", "--from", "pythonic", "--to", "hermes"),
    ):
        bare = run(*words, "bare.txt")
        assert bare.status == 0
        assert run(*words, "marked.txt") == bare


@pytest.mark.parametrize("size", ["1", "100"])
def test_events_tell_bad_bytes_as_parse_does(run: Run, size: str) -> None:
    words = ("parse", "--format", "mine.lark", "--json")
    whole = json_lines(run(*words, given=b"a\xffb").out)[0]["diagnostics"]
    events = json_lines(run(*words, "--events", "--chunk", size, given=b"a\xffb").out)
    assert [event["diagnostic"] for event in events if event["type"] == "Problem"] == whole
    assert [problem["code"] for problem in whole] == ["invalid-utf8"]


def test_parse_uses_tools(run: Run, tmp_path: Path) -> None:
    schema = {"type": "object", "properties": {"city": {"type": "string"}}}
    tools = {"tools": [{"name": "weather", "parameters": schema}]}
    (tmp_path / "tools.json").write_text(json.dumps(tools), encoding="utf-8")
    words = ("parse", "good.txt", "--format", "mine.lark", "--tools", "tools.json", "--json")
    assert run(*words).status == 0


@pytest.mark.parametrize("size", ["1", "4", "1000"])
def test_events_are_the_same_for_every_chunk(run: Run, size: str) -> None:
    words = ("parse", "good.txt", "--format", "mine.lark", "--events", "--json", "--chunk", size)
    status, out, _ = run(*words)
    events = json_lines(out)
    assert status == 0
    joined = "".join(event["json"] for event in events if "json" in event)
    assert json.loads(joined) == {"city": "Tromsø"}


def test_events_as_text(run: Run) -> None:
    status, out, _ = run("parse", "good.txt", "--format", "mine.lark", "--events")
    names = [line.split()[0] for line in out.splitlines()]
    assert status == 0
    assert names[0] == "TextDelta"
    assert names[-1] == "CallEnd"


def test_formats_lists(run: Run) -> None:
    status, out, _ = run("formats")
    assert status == 0
    assert out.splitlines()[0].split() == ["family", "id", "title", "models"]
    rows = json_lines(run("formats", "--json").out)
    assert all(len(row["digest"]) == 64 for row in rows)
    families = [row["family"] for row in rows]
    assert families == sorted(families, key=str.casefold)


def test_formats_shows_one(run: Run) -> None:
    assert run("formats", "mine.lark").out == PAGE
    assert run("formats", "mine.lark", "--grammar").out == GRAMMAR
    [row] = json_lines(run("formats", "mine.lark", "--json").out)
    assert (row["id"], row["models"]) == ("mine", ["org/*"])


def test_check_passes(run: Run) -> None:
    status, out, error = run("check", "mine.lark")
    assert (status, error.count("\n")) == (0, 1)
    assert "note: mine: render does not write calls with a name with a dot" in error
    assert "1 of 1 examples keep every law" in out


@pytest.mark.parametrize(
    ("name", "old", "new", "said"),
    [
        ("mine.lark", "title", "titel", "mine.lark:2:5"),
        ("mine.lark", "name: NAME", "name NAME", "mine.lark:7:"),
        ("mine.md", '"Look:"', '"Loo:"', "mine.md:5: one-call breaks the law expected"),
        ("mine.md", "### One call", "", "mine.md:5: this example has no name"),
        ("mine.md", PAGE, "# Mine\n", "no example"),
        ("mine.md", PAGE, "", "no example"),
    ],
)
def test_check_tells_what_is_wrong(
    run: Run, tmp_path: Path, name: str, old: str, new: str, said: str
) -> None:
    path = tmp_path / name
    path.write_text(path.read_text(encoding="utf-8").replace(old, new), encoding="utf-8")
    status, _, error = run("check", "mine.lark")
    assert status == 1
    assert said in error


def test_check_tells_once_of_a_search_that_is_slow(run: Run, tmp_path: Path) -> None:
    rules = 'call: "<<" name " " argument* ">>"\nargument: key "=\\"" value "\\""\nvalue: RAW\n'
    head = "//@ id: slow\n%import .common.text (TEXT, RAW, NAME)\nstart: (TEXT | call)*\n"
    (tmp_path / "slow.lark").write_text(f"{head}{rules}name: NAME\nkey: /\\w+/\n")
    text, expected = '<<f a="b">>', '{"calls": [{"name": "f", "arguments": {"a": "b"}}]}'
    page = f"# Slow\n### One\n~~~text example\n{text}\n~~~\n~~~json\n{expected}\n~~~\n"
    (tmp_path / "slow.md").write_text(page)
    status, out, error = run("check", "slow.lark")
    assert (status, error.count("slow-search"), error.count("error")) == (1, 1, 1)
    assert "slow.lark:8:1" in error
    assert "1 of 1 examples keep every other law" in out
    (tmp_path / "slow.lark").write_text(f"{head}{rules}name: NAME\nkey: /\\b\\w+/\n")
    status, _, error = run("check", "slow.lark")
    assert (status, "slow-search" in error) == (0, False)


def test_check_refuses_an_expression_that_may_never_end(run: Run, tmp_path: Path) -> None:
    head = "//@ id: endless\n%import .common.text (TEXT)\n%import .common.json (JSON_OBJECT)\n"
    rules = 'call: "<" name ">" arguments "</>"\nname: WORD\narguments: JSON_OBJECT\n'
    grammar = f"{head}start: (TEXT | call)*\n{rules}WORD: /(a+)+b/\n"
    (tmp_path / "endless.lark").write_text(grammar)
    status, _, error = run("check", "endless.lark")
    assert status == 1
    assert "endless.lark:8:1: slow-pattern" in error


CALL = '{"name": "weather", "arguments": {"city": "Tromsø"}}'


@pytest.mark.parametrize(
    "given", [CALL, f"[{CALL}]", f'{{"calls": [{CALL}], "text": ""}}', f"\ufeff{CALL}"]
)
def test_render_writes_calls(run: Run, given: str) -> None:
    outcome = run("render", "--format", "mine.lark", given=given)
    assert outcome == (0, '<call>weather:{"city": "Tromsø"}</call>', "")


def test_render_takes_what_parse_prints(run: Run) -> None:
    parsed = run("parse", "good.txt", "--format", "mine.lark", "--json").out
    status, out, _ = run("render", "--format", "mine.lark", given=parsed)
    assert status == 0
    again = run("parse", "--format", "mine.lark", "--json", given=out).out
    assert json_lines(again)[0]["text"] == "Søk:"


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ("{", "standard input:1:2: not JSON"),
        (b"\xff", "byte 0 is not UTF-8"),
        ("[" * 100_000, "standard input: lists and objects nest too deeply"),
        ('{"name": "x", "arguments": {"n": %s}}' % ("1" * 6000), "more than 4300 digits"),
        ("[1]", "call 1: expected an object"),
        ('{"nam": "x"}', "unknown key 'nam'; nearest: 'name'"),
        ('{"name": "x", "zzz": 1}', "known: name, arguments"),
        ('{"name": 3}', "`name` must be a string"),
        ('{"name": "x", "arguments": []}', "`arguments` must be an object"),
        ('{"name": "x", "arguments": [1]}', "`arguments` must be an object"),
        ('{"name": "x", "id": 1}', "`id` must be a string"),
        ('{"name": "x", "depends_on": "a"}', "`depends_on` must be a list"),
        ('{"name": "x", "executable": false}', "call 1: it may not run"),
    ],
)
def test_render_tells_what_is_wrong(run: Run, given: str | bytes, said: str) -> None:
    status, out, error = run("render", "--format", "mine.lark", given=given)
    assert (status, out) == (2, "")
    assert said in error


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["parse", "none.txt", "--format", "mine.lark"], "none.txt: No such file"),
        (["parse", "good.txt", "--format", "none.lark"], "none.lark: No such file"),
        (["parse", "good.txt", "--format", "no_such_format"], "unknown format 'no_such_format'"),
        (["parse", "good.txt", "--chunk", "3"], "--chunk is for --events"),
        (["parse", "good.txt", "--format", "mine.lark", "--chunk", "0"], "at least one character"),
        (["parse", "good.txt", "--format", "mine.lark", "--chunk", "x"], "a number of characters"),
        (["parse", "good.txt", "--format", "mine.lark", "--tools", "deep.json"], "too deeply"),
        (["parse", "good.txt", "--format", "mine.lark", "--tools", "good.txt"], "not JSON"),
        (["parse", "good.txt", "--format", "mine.lark", "--tools", "number.json"], "list of tools"),
        (
            ["parse", "good.txt", "--format", "mine.lark", "--tools", "wrong.json"],
            "json: tool 2 is no",
        ),
        (["nonsense"], "nonsense"),
        ([], "command"),
    ],
)
def test_a_mistake_ends_with_two(run: Run, tmp_path: Path, words: list[str], said: str) -> None:
    (tmp_path / "number.json").write_text("3", encoding="utf-8")
    (tmp_path / "wrong.json").write_text('[{"name": "a"}, 3]', encoding="utf-8")
    (tmp_path / "deep.json").write_text("[" * 100_000, encoding="utf-8")
    status, _, error = run(*words)
    assert status == 2
    assert said in error


def test_a_doubtful_call_is_shown_as_one(run: Run) -> None:
    text = '<tool_call>\n{"name": "note", "foo": {"body": "hi"}}\n</tool_call>'
    status, out, _ = run("parse", "--format", "hermes", given=text)
    assert status == 1
    assert "complete, doubtful" in out


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("parse", "good.txt", "--format", "hermse"), "`toolgrammar formats` lists them all"),
        (("prompt",), "prompt writes for one format"),
        (("prompt", "hermes", "--format", "hermes"), "prompt writes for one format"),
        (("check", "good.txt"), "good.txt: not a .lark file"),
        (("check", "hermse"), "nearest: 'hermes'"),
        (("explain", "none.txt"), "none.txt: No such file"),
    ],
)
def test_a_mistake_is_told_in_words_of_the_command_line(
    run: Run, words: tuple[str, ...], said: str
) -> None:
    status, out, error = run(*words)
    assert (status, out) == (2, "")
    assert said in error
    assert "toolgrammar.formats" not in error


def test_explain_and_prompt_take_a_format_as_parse_does(run: Run) -> None:
    text = '<tool_call>\n{"name": "note", "arguments": {}}\n</tool_call>'
    assert run("explain", given=text).out.endswith("1 call\n")
    assert run("prompt", "--format", "hermes") == run("prompt", "hermes")


def test_formats_say_which_schema_they_have(run: Run) -> None:
    assert {row["schema"] for row in json_lines(run("formats", "--json").out)} == {1}


@pytest.mark.usefixtures("run")
@pytest.mark.parametrize("closed", ["stdin", "stdout", "stderr"])
def test_a_closed_stream_is_a_mistake(
    monkeypatch: pytest.MonkeyPatch, capsysbinary: pytest.CaptureFixture[bytes], closed: str
) -> None:
    """Python has None in its place, as after `>&-` in a shell."""
    monkeypatch.setattr(sys, closed, None)
    assert main(["parse", "none.txt" if closed == "stderr" else "-", "--format", "mine.lark"]) == 2
    error = capsysbinary.readouterr().err.decode()
    said = {"stdin": "standard input is closed", "stdout": "standard output is closed"}
    assert said.get(closed, "") in error
    assert "Traceback" not in error


@pytest.mark.parametrize("step", ["main._parser", "parse.parse"])
def test_an_interrupt_ends_a_command_without_a_word(
    monkeypatch: pytest.MonkeyPatch, run: Run, step: str
) -> None:
    """While the commands are imported, too, which takes a second on a slow machine."""

    def interrupted(*_: object, **__: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(f"toolgrammar.cli.{step}", interrupted)
    assert run("parse", given="plain") == (130, "", "")


def test_version_and_help(run: Run) -> None:
    assert run("--version").out.startswith("toolgrammar ")
    assert run("--help").status == 0
