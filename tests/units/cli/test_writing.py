"""The commands `formats`, `translate` and `prompt`, called as a user would."""

import json
from pathlib import Path

import pytest

from tests.units.cli.running import PAGE, Run, json_lines

CALL = '<tool_call>{"name": "weather", "arguments": {"city": "Oslo"}}</tool_call>'
TOOLS = [{"name": "weather", "description": "The weather.", "parameters": {"type": "object"}}]


def test_formats_looks_for_words(run: Run) -> None:
    rows = json_lines(run("formats", "PYTHON", "llama", "--json").out)
    assert {row["id"] for row in rows} >= {"pythonic", "llama4_pythonic"}
    assert all("python" in json.dumps(row).casefold() for row in rows)
    status, out, _ = run("formats", "python", "llama")
    assert status == 0
    assert len(out.splitlines()) == len(rows) + 1


def test_a_name_shows_the_page_and_a_search_never(run: Run) -> None:
    assert run("formats", "qwen25").out.startswith("# Hermes\n")
    assert run("formats", "--search", "hermes").out.splitlines()[0].split()[0] == "family"


def test_words_that_no_format_has(run: Run) -> None:
    status, out, error = run("formats", "herms")
    assert (status, out) == (2, "")
    assert "unknown format 'herms'; nearest: 'hermes'" in error


@pytest.mark.parametrize("words", [["call.txt"], []])
def test_translate(run: Run, tmp_path: Path, words: list[str]) -> None:
    (tmp_path / "call.txt").write_text(f"Søk.\n{CALL}", encoding="utf-8")
    given = f"Søk.\n{CALL}"
    outcome = run("translate", *words, "--from", "hermes", "--to", "mine.lark", given=given)
    assert outcome == (0, 'Søk.\n<call>weather:{"city": "Oslo"}</call>', "")


def test_translate_uses_tools_and_prefix(run: Run, tmp_path: Path) -> None:
    parameters = {"properties": {"command": {"type": "string"}}, "required": ["command"]}
    tools = [{"name": "bash", "parameters": parameters}]
    (tmp_path / "tools.json").write_text(json.dumps(tools), encoding="utf-8")
    words = ("--from", "simple_agent", "--to", "mine.lark", "--tools", "tools.json")
    outcome = run("translate", *words, given="🛠️ bash ls")
    assert outcome == (0, '<call>bash:{"command": "ls"}</call>', "")
    words = ("--from", "hermes", "--to", "hermes", "--prefix", "<think>")
    assert run("translate", *words, given=f"Hm.</think>{CALL}").out.startswith("<think>Hm.</think>")


@pytest.mark.parametrize(
    ("given", "source", "said"),
    [
        ('<tool_call>{"name": "weather", "arguments": {"city', "hermes", "truncated"),
        ("🛠️ bash ls", "simple_agent", "pass tools="),
    ],
)
def test_what_can_not_be_translated_ends_with_one(
    run: Run, given: str, source: str, said: str
) -> None:
    status, out, error = run("translate", "--from", source, "--to", "glm45", given=given)
    assert (status, out) == (1, "")
    assert said in error


def test_translate_needs_both_formats(run: Run) -> None:
    assert run("translate", "--from", "hermes", given=CALL).status == 2
    assert run("translate", "--from", "hermes", "--to", "herms", given=CALL).status == 2


def test_prompt(run: Run, tmp_path: Path) -> None:
    (tmp_path / "tools.json").write_text(json.dumps({"tools": TOOLS}), encoding="utf-8")
    status, out, _ = run("prompt", "react", "--tools", "tools.json")
    assert status == 0
    assert "\nAction: weather\nAction Input: {}\n" in out
    [row] = json_lines(run("prompt", "react", "--tools", "tools.json", "--json").out)
    assert row == {"schema": 1, "prompt": out, "stop": ["Observation:"]}
    assert run("prompt", "mine.lark").status == 0


def test_prompt_says_what_is_wrong_with_a_page(run: Run, tmp_path: Path) -> None:
    wrong = PAGE.replace('{"calls"', '{"call"') + PAGE.partition("\n\n")[2]
    (tmp_path / "mine.md").write_text(wrong, encoding="utf-8")
    status, out, error = run("prompt", "mine.lark")
    assert (status, out) == (2, "")
    for finding in run("check", "mine.lark").error.splitlines():
        assert finding.removeprefix("toolgrammar: error: ") in error
    assert "mine.md:9: " in error
