import gzip
import json
import sys
from pathlib import Path
from typing import Any

import pytest

from tests.house.checkout import ROOT
from tests.units.cli.running import Run
from toolgrammar import ToolCall
from toolgrammar.cli.bench import command as bench
from toolgrammar.cli.bench.material import Material, read_material
from toolgrammar.cli.input import InputError

FAST = ("--rounds", "1", "--damages", "5", "--sample", "3", "--jobs", "1")
BARE = '{"name": "weather", "arguments": {"city": "Tromsø"}}'


@pytest.mark.heavy
def test_own_files_are_measured(run: Run, tmp_path: Path) -> None:
    """One option takes formats, tools and transcripts; the transcripts replace our messages."""
    folder = tmp_path / "own"
    folder.mkdir()
    (tmp_path / "mine.lark").rename(folder / "mine.lark")
    tool = {"name": "weather", "parameters": {"properties": {"city": {"type": "string"}}}}
    (folder / "tools.json").write_text(json.dumps([tool]), encoding="utf-8")
    lines = [
        {"calls": [{"name": "weather", "arguments": {"city": "Tromsø"}}]},
        {"text": '<call>weather:{"city": "Bodø"}</call>', "format": "mine"},
        {"tool_calls": [{"function": {"name": "weather", "arguments": '{"city": "Oslo"}'}}]},
    ]
    text = "\n".join(json.dumps(line) for line in lines)
    (folder / "seen.jsonl").write_text(text, encoding="utf-8")
    (folder / "prose.txt").write_text("No call at all.", encoding="utf-8")
    done = run("bench", "formats", "--with", "own", "--format", "hermes", *FAST, "--into", "report")
    assert done.status == 0
    assert "there is no call in it" in done.error
    found = json.loads((tmp_path / "report" / "formats.json").read_text(encoding="utf-8"))
    assert [row["format"] for row in found["rows"]] == ["mine", "hermes"]
    assert found["compared"] == {"one call": 3}
    bare = sum(len(BARE.replace("Tromsø", city)) for city in ("Tromsø", "Bodø", "Oslo"))
    wire = sum(
        len('<call>weather:{"city": "Tromsø"}</call>') - 6 + len(city)
        for city in ("Tromsø", "Bodø", "Oslo")
    )
    assert found["rows"][0]["sizes"]["characters"]["text"][0] == pytest.approx(wire / bare - 1)
    names = {path.name for path in (tmp_path / "report").iterdir()}
    assert {"formats.md", "formats-size.svg", "formats-speed.png"} <= names


@pytest.mark.parametrize(
    ("name", "text", "problem"),
    [
        ("a.jsonl", "{", "a.jsonl:1: not JSON"),
        ("a.jsonl", "[1]", "a.jsonl:1: expected a JSON object"),
        ("a.jsonl", '{"size": 1}', "a.jsonl:1: expected `calls`, `tool_calls` or `text`"),
        ("a.jsonl", '{"calls": [1]}', "a.jsonl:1: a call in `calls` is an object"),
        ("a.jsonl", '{"calls": [{"nme": "x"}]}', "a.jsonl:1: a call in `calls` is an object"),
        ("a.jsonl", '{"calls": [{"name": "x", "arguments": "{}"}]}', "got {'name': 'x'"),
        ("a.jsonl", '{"text": "x", "format": "no such"}', "unknown format"),
    ],
)
def test_a_wrong_file_is_named(
    run: Run, tmp_path: Path, name: str, text: str, problem: str
) -> None:
    (tmp_path / name).write_text(text, encoding="utf-8")
    done = run("bench", "formats", "--with", name, *FAST)
    assert done.status == 2
    assert problem in done.error


def _read(tmp_path: Path, *lines: str | dict[str, Any]) -> Material:
    texts = [line if isinstance(line, str) else json.dumps(line) for line in lines]
    (tmp_path / "a.jsonl").write_text("\n".join(texts), encoding="utf-8")
    return read_material([str(tmp_path)])


GOOD: dict[str, Any] = {"calls": [{"name": "f", "arguments": {"n": 1}}]}


@pytest.mark.parametrize(
    ("line", "note"),
    [
        ("{", "a.jsonl:2: not JSON: Expecting property name"),
        ("[" * 100_000, "a.jsonl:2: not JSON"),
        ("[1]", "a.jsonl:2: expected a JSON object"),
        ('{"calls": null}', "a.jsonl:2: expected `calls`, `tool_calls` or `text`"),
        ('{"calls": [{"name": 5}]}', "a.jsonl:2: a call in `calls` is an object"),
        (
            '{"tool_calls": [{"name": "f"}]}',
            "a call can't be read: a tool call has its name under function.name",
        ),
        ('{"text": "x", "format": "no such"}', "can't be read: unknown format 'no such'"),
        ('{"text": "x", "tools": "b"}', "the first line has no list of this id: b"),
        ('{"text": "x", "tools": 5}', "its tools: expected a list, or the id of one"),
        ('{"text": "x", "tools": [1]}', "its tools: "),
    ],
)
def test_one_bad_line_is_counted_and_spoils_no_other(tmp_path: Path, line: str, note: str) -> None:
    found = _read(tmp_path, GOOD, line, line)
    assert [message.name for message in found.messages] == ["a.jsonl:1"]
    [said] = found.notes()
    assert note in said
    assert said.endswith("; and 1 more of this kind")


@pytest.mark.parametrize("name", ["arguments", "input", "parameters", "args"])
def test_arguments_may_have_any_of_their_names(tmp_path: Path, name: str) -> None:
    found = _read(tmp_path, {"calls": [{"name": "w", name: {"city": "Oslo"}}]})
    assert found.messages[0].calls == (ToolCall("w", {"city": "Oslo"}),)


@pytest.mark.parametrize(
    "line",
    [
        {"tool_calls": [{"function": {"name": "f", "arguments": '{"n": '}}]},
        {"text": '<tool_call>\n{"name": "f", "arguments": {"n": 1', "format": "hermes"},
        {
            "text": '<tool_call>\n{"name": "f", "arguments": {"n": 1, "n": 2}}\n</tool_call>',
            "format": "hermes",
        },
    ],
)
def test_what_was_not_read_as_meant_is_left_out(tmp_path: Path, line: dict[str, Any]) -> None:
    found = _read(tmp_path, GOOD, line)
    assert [message.name for message in found.messages] == ["a.jsonl:1"]
    reason = "a call in it is cut, can't be read, or may have been meant otherwise"
    assert found.skipped == {reason: ["a.jsonl:2"]}


def test_calls_that_break_the_schema_of_their_tool_are_left_out(tmp_path: Path) -> None:
    tool = {"name": "wait", "parameters": {"properties": {"days": {"type": "integer"}}}}
    (tmp_path / "tools.json").write_text(json.dumps([tool]))
    lines = [{"calls": [{"name": "wait", "arguments": {"days": days}}]} for days in ("2", "soon")]
    (tmp_path / "seen.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines))
    found = read_material([str(tmp_path)])
    assert [message.calls[0].arguments for message in found.messages] == [{"days": 2}]
    assert found.skipped == {"a call breaks the schema of its tool": ["seen.jsonl:2"]}


def test_a_transcript_may_be_in_a_format_of_the_same_folder(tmp_path: Path) -> None:
    (tmp_path / "mine.lark").write_text(
        "//@ id: mine\n%import .common.text (TEXT)\n%import .common.json (JSON_OBJECT)\n"
        'start: (TEXT | call)*\ncall: "@@do " name arguments "@@"\nname: /\\w+/\n'
        "arguments: JSON_OBJECT\n"
    )
    (tmp_path / "a.txt").write_text('I do. @@do go {"to": "Bergen"}@@')
    (tmp_path / "b.jsonl").write_text('{"text": null}\n')
    found = read_material([str(tmp_path)])
    [message] = found.messages
    assert (message.name, message.calls) == ("a.txt", (ToolCall("go", {"to": "Bergen"}),))
    assert found.skipped == {"there is no call in it": ["b.jsonl:1"]}


def test_one_message_tells_nothing_of_others(run: Run, tmp_path: Path) -> None:
    (tmp_path / "one.jsonl").write_text(json.dumps({"calls": [{"name": "f", "arguments": {}}]}))
    done = run("bench", "formats", "--with", "one.jsonl", "--format", "hermes", *FAST)
    assert " [-∞ ∞] " in done.out


def test_calls_without_tools_are_compared_and_have_no_prompt(run: Run, tmp_path: Path) -> None:
    lines = [{"calls": [{"name": "w", "arguments": {"city": f"C{n}"}}]} for n in range(6)]
    (tmp_path / "calls.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines))
    chosen = ("--format", "hermes", "--format", "kimi_k2")
    done = run("bench", "formats", "--with", "calls.jsonl", *chosen, *FAST, "--into", "report")
    assert done.status == 0
    assert "so many of 2 formats" in done.out
    assert "Tokens of the prompt" not in done.out
    assert (tmp_path / "report" / "formats-size.svg").exists()


def test_files_without_a_call_are_refused(run: Run, tmp_path: Path) -> None:
    (tmp_path / "own").mkdir()
    (tmp_path / "own" / "prose.txt").write_text("No call at all.")
    (tmp_path / "own" / "more.txt").write_text("None here.")
    done = run("bench", "formats", "--with", "own", "--format", "hermes", "--limit", "5", *FAST)
    assert done.status == 2
    assert "prose.txt" not in done.error
    # A line for each reason, however many files it is of.
    assert "more.txt: there is no call in it; and 1 more of this kind" in done.error
    assert "no call was found in own: a .jsonl line has `calls`" in done.error
    (tmp_path / "empty").mkdir()
    assert run("bench", "formats", "--with", "empty", *FAST).status == 2


def test_it_is_told_that_drawn_calls_are_measured_in_own_formats(run: Run, tmp_path: Path) -> None:
    (tmp_path / "own").mkdir()
    (tmp_path / "mine.lark").rename(tmp_path / "own" / "mine.lark")
    (tmp_path / "own" / "prose.txt").write_text("No call at all.")
    done = run("bench", "formats", "--with", "own", "--format", "hermes", "--limit", "5", *FAST)
    assert done.status == 0
    assert "drawn ones are measured" in done.error


def test_limit_draws_from_own_messages(run: Run, tmp_path: Path) -> None:
    lines = [{"calls": [{"name": "f", "arguments": {"text": "word " * n}}]} for n in range(40)]
    text = "".join(json.dumps(line) + "\n" for line in lines)
    (tmp_path / "seen.jsonl").write_text(text, encoding="utf-8")

    def out(seed: str) -> str:
        given = ("--format", "hermes", "--limit", "6", "--seed", seed, *FAST)
        done = run("bench", "formats", "--with", "seen.jsonl", *given)
        assert done.status == 0
        return done.out

    drawn = out("3")
    assert "Over 6 of 6 messages (6 one call)" in drawn
    assert out("3") == drawn
    assert out("4").replace("seed 4", "seed 3") != drawn


def test_a_limit_draws_messages_whose_calls_can_be_used(tmp_path: Path) -> None:
    """Of many rows without a call it takes as many as there are, and looks at no more."""
    lines: list[dict[str, Any]] = [{"text": "None."}] * 30
    lines += [{"calls": [{"name": "f", "arguments": {"n": n}}]} for n in range(30)]
    path = tmp_path / "seen.jsonl"
    path.write_text("".join(json.dumps(line) + "\n" for line in lines))
    found = read_material([str(path)], 20, 1)
    assert len({message.name for message in found.messages}) == 20
    [(reason, names)] = found.skipped.items()
    assert (reason, 0 < len(names) < 30) == ("there is no call in it", True)
    # One that leaves nothing out leaves the order, too.
    everything = read_material([str(path)]).messages
    assert read_material([str(path)], 60, 1).messages == everything


def test_a_log_may_be_packed_and_name_no_format(tmp_path: Path) -> None:
    """An empty format is none, as in `score`."""
    text = '<tool_call>\n{"name": "f", "arguments": {"n": 1}}\n</tool_call>'
    path = tmp_path / "log.jsonl.gz"
    path.write_bytes(gzip.compress(json.dumps({"text": text, "format": ""}).encode()))
    # A folder has files of this ending, too.
    [message] = read_material([str(tmp_path)]).messages
    assert message.calls == (ToolCall("f", {"n": 1}),)
    path.write_text("{}")
    with pytest.raises(InputError, match=r"log\.jsonl\.gz can't be unpacked"):
        read_material([str(path)])


def test_tools_may_stand_in_the_rows_as_in_a_log(tmp_path: Path) -> None:
    tool = {"name": "weather", "parameters": {"properties": {"days": {"type": "integer"}}}}
    text = "<tool_call>\n<function=weather>\n<parameter=days>\n3\n</parameter>\n</function>\n</tool_call>"
    lines: list[dict[str, Any]] = [
        {"tools": {"a": [tool]}},
        {"text": text, "format": "qwen3_xml", "tools": "a"},
        {"text": text, "format": "qwen3_xml", "tools": [tool]},
    ]
    path = tmp_path / "log.jsonl"
    path.write_text("\n".join(json.dumps(line) for line in lines), encoding="utf-8")
    found = read_material([str(path)])
    assert [message.calls[0].arguments for message in found.messages] == [{"days": 3}] * 2
    path.write_text('{"calls": [{"name": "f"}], "tools": [1]}', encoding="utf-8")
    with pytest.raises(InputError, match="its tools"):
        read_material([str(path)])


def test_a_tokenizer_that_is_none_is_a_mistake(run: Run, tmp_path: Path) -> None:
    (tmp_path / "tokenizer.json").write_text("{}", encoding="utf-8")
    done = run("bench", "formats", "--tokenizer", "tokenizer.json", *FAST)
    assert done.status == 2
    assert "not a tokenizer.json" in done.error


def test_messages_that_no_format_carries_are_a_mistake(run: Run) -> None:
    done = run("bench", "formats", "--format", "bash_fence", "--limit", "5", *FAST)
    assert done.status == 2
    assert "no format carries nearly all of the messages: bash_fence: " in done.error


def test_matplotlib_is_asked_for_before_anything_is_measured(
    run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    # `None` there is a module that can't be imported.
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    monkeypatch.setattr(bench, "compare", lambda *_, **__: pytest.fail("it was measured"))
    done = run("bench", "formats", "--format", "hermes", *FAST, "--into", "report")
    assert done.status == 2
    assert "plots need matplotlib: pip install 'toolgrammar[bench]'" in done.error
    assert not (tmp_path / "report").exists()


@pytest.mark.parametrize("number", ["x", "0", "-1", ""])
def test_rounds_are_a_number(run: Run, number: str) -> None:
    done = run("bench", "formats", f"--rounds={number}")
    assert done.status == 2
    assert "expected a number from 1" in done.error


def test_an_unknown_suite_is_a_mistake(run: Run) -> None:
    done = run("bench", "speed")
    assert done.status == 2
    assert "formats, parsers, recovery" in done.error


def test_a_checkout_has_the_other_suites() -> None:
    assert bench._scripts() == ROOT / "benchmarks"


def test_other_suites_need_a_checkout(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(bench, "_scripts", lambda: None)
    done = run("bench", "parsers")
    assert done.status == 2
    assert "source checkout" in done.error


def test_a_suite_of_the_checkout_is_told_what_to_measure(
    run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    script = "import pathlib, sys\npathlib.Path('said').write_text(' '.join(sys.argv[1:]))\n"
    (tmp_path / "parsers.py").write_text(script, encoding="utf-8")
    monkeypatch.setattr(bench, "_scripts", lambda: tmp_path)
    done = run("bench", "parsers", "--format", "hermes", "--format", "glm45", "--rounds", "2")
    assert done.status == 0
    said = (tmp_path / "said").read_text(encoding="utf-8")
    assert said == "--rounds 2 --format hermes --format glm45"


def test_own_material_that_is_not_there_is_a_mistake(run: Run) -> None:
    status, out, error = run("bench", "formats", "--with", "nowhere")
    assert (status, out) == (2, "")
    assert error == "toolgrammar: error: nowhere: there is no such file or folder\n"
    assert run("bench", "recovery", "--with", "nowhere").status == 2
