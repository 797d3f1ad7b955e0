import json
import random
from pathlib import Path

import pytest

from tests.house.checkout import ROOT
from tests.units.cli.running import Run
from toolgrammar import ToolCall, formats
from toolgrammar.cli.bench import command as bench
from toolgrammar.cli.bench import material as bench_material
from toolgrammar.cli.bench.damage import damages, outcome
from toolgrammar.cli.bench.formats import bare_json, cases, measure
from toolgrammar.cli.bench.material import built_in, of_page, read_material

FAST = ("--rounds", "1", "--damages", "20")
BARE = '{"name": "weather", "arguments": {"city": "Tromsø"}}'


def test_own_files_are_measured(run: Run, tmp_path: Path) -> None:
    """One option takes formats, tools and transcripts; the transcripts replace our messages."""
    for needed in ("bpe_openai", "matplotlib"):
        pytest.importorskip(needed, reason=f"{needed} is not installed; `make bench` installs it")
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
    rows = json.loads((tmp_path / "report" / "formats.json").read_text(encoding="utf-8"))["rows"]
    assert [(row["format"], row["messages"]) for row in rows] == [("mine", 3), ("hermes", 3)]
    bare = sum(len(BARE.replace("Tromsø", city)) for city in ("Tromsø", "Bodø", "Oslo"))
    assert rows[0]["characters_bare"] == bare
    wire = sum(
        len('<call>weather:{"city": "Tromsø"}</call>') - 6 + len(city)
        for city in ("Tromsø", "Bodø", "Oslo")
    )
    assert rows[0]["characters"] == wire
    assert rows[0]["o200k"] > 0
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
    assert found.skipped == ["b.jsonl:1: there is no call in it"]


def test_it_is_told_that_the_built_in_calls_are_measured(tmp_path: Path) -> None:
    assert "the built-in ones are measured" in read_material([str(tmp_path)]).skipped[-1]
    path = tmp_path / "prose.txt"
    path.write_text("No call at all.")
    found = read_material([str(path)])
    assert found.messages == built_in()
    assert "the built-in ones are measured" in found.skipped[-1]


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


def test_name_and_call_are_known_at_the_character_that_says_so() -> None:
    message = bench_material.Message("one", (ToolCall("list_notes"),))
    found, skipped = cases([formats["hermes"]], [message])
    (row,) = measure(found, {}, rounds=1, damaged=10)
    text = found[0].messages[0][1]
    assert skipped == []
    assert row["call_known"] == 1.0
    commit = text.index('"arguments"') + len('"arguments"')
    assert row["name_known"] == pytest.approx(commit / len(text))
    assert row["characters_overhead"] == pytest.approx(len(text) / len(bare_json(message)) - 1)


def test_a_format_with_tools_of_its_own_is_measured_on_its_page() -> None:
    found, _ = cases([formats["apply_patch"]], built_in())
    assert found[0].is_own
    assert found[0].messages


def test_damages_change_one_place_of_the_syntax_and_no_value() -> None:
    (message,) = [each for each in built_in() if each.name == "nested"]
    text = formats["hermes"].render(message.calls)
    found = list(damages(text, message, 200, "seed"))
    assert len(found) == 200
    assert found == list(damages(text, message, 200, "seed"))
    for damaged in found:
        for word in ("find_trips", "Hamar", "Lillehammer", "249.5"):
            assert word in damaged
    assert all(abs(len(damaged) - len(text)) <= 1 for damaged in found)


def test_outcomes_tell_noticed_from_silent() -> None:
    (message,) = [each for each in built_in() if each.name == "one call"]
    form = formats["hermes"]
    text = form.render(message.calls)
    assert outcome(text, form, message) == "exact"
    assert outcome(text[:-40], form, message) == "noticed"
    assert outcome("nothing here", form, message) == "lost"
    assert outcome(text.replace("Tromsø", "Bodø"), form, message) == "wrong"


def test_pages_give_sound_calls_only() -> None:
    for name in random.Random(1).sample(sorted(formats), 10):
        for message in of_page(formats[name]):
            assert message.calls


def test_material_without_messages_takes_ours(tmp_path: Path) -> None:
    (tmp_path / "tools.json").write_text('[{"name": "x", "parameters": {}}]', encoding="utf-8")
    found = read_material([str(tmp_path)])
    assert [message.name for message in found.messages] == [each.name for each in built_in()]


def test_own_material_that_is_not_there_is_a_mistake(run: Run) -> None:
    status, out, error = run("bench", "formats", "--with", "nowhere")
    assert (status, out) == (2, "")
    assert error == "toolgrammar: error: nowhere: there is no such file or folder\n"
    assert run("bench", "recovery", "--with", "nowhere").status == 2
