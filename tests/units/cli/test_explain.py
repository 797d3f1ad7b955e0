"""`cli/explain.py`: what each part of a message is, and what was found at which place."""

import itertools
import sys

import pytest

from tests.units.cli.running import Run, json_lines
from toolgrammar import Parser, parse
from toolgrammar.cli.explain import parts_of
from toolgrammar.cli.marked_text import Finding, Part, write_marked

MESSAGE = """\
<think>hm</think>Look.
<tool_call>
{"name": "weather", "arguments": {"city": "Os\tlo"}}
</tool_call>
Then <tool_call>
{"name": "weather", "arguments": {"city": "Os"""
PLAIN = """\
markup+reasoning+text | <think>hm</think>Look.
call 1                | <tool_call>
call 1                | {"name": "weather", "arguments": {"city": "Os    lo"}}
                      |                                              ^~~~ warning control: """
WORDS = ("explain", "--format", "hermes")


def test_the_parts_stand_in_the_margin_and_findings_under_their_place(run: Run) -> None:
    status, out, error = run(*WORDS, given=MESSAGE)
    assert (status, error) == (1, "")
    assert out.startswith(PLAIN)
    lines = out.splitlines()
    assert lines[5:7] == [
        "text+call 2           | Then <tool_call>",
        'call 2                | {"name": "weather", "arguments": {"city": "Os',
    ]
    assert lines[7].index("^ error truncated: ") == len(lines[6])
    assert lines[-1] == "2 calls, 1 error, 1 warning"


def test_json_gives_diagnostics_and_parts(run: Run) -> None:
    status, out, _ = run(*WORDS, "--json", given=MESSAGE)
    [value] = json_lines(out)
    assert status == 1
    wanted = parse(MESSAGE, format="hermes").diagnostics
    assert value["diagnostics"] == [diagnostic.body() for diagnostic in wanted]
    kinds = [(MESSAGE[part["start"] : part["end"]], part["kind"]) for part in value["parts"]]
    assert [kind for _, kind in kinds] == ["reasoning", "text", "call", "text", "call"]
    assert kinds[0] == ("hm", "reasoning")
    assert kinds[1] == ("Look.\n", "text")


def test_colours_are_a_choice(run: Run) -> None:
    assert "\x1b[" not in run(*WORDS, given=MESSAGE).out
    coloured = run(*WORDS, "--color", "always", given=MESSAGE).out
    assert "\x1b[36m<tool_call>" in coloured
    assert "\x1b[33m" in coloured


def test_without_rich_it_is_plain(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "rich.console", None)
    out = run(*WORDS, "--color", "always", given=MESSAGE).out
    assert out.startswith(PLAIN)


def test_bad_bytes_and_terminal_commands_are_shown(run: Run) -> None:
    status, out, _ = run(*WORDS, given=b"a\xff\x1b[2Jb")
    assert status == 0
    assert "\x1b" not in out
    assert "^ warning invalid-utf8: " in out.splitlines()[1]


def test_a_code_is_explained(run: Run) -> None:
    status, out, _ = run("explain", "--code", "bare-text")
    assert status == 0
    assert out.startswith("bare-text (error)\nA value without quotes")
    assert "not executable" in out


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["explain", "--code", "stray-coma"], "nearest: stray-comma"),
        (["explain", "none.txt"], "none.txt"),
        (["explain", "none.txt", "--format", "hermes"], "none.txt"),
    ],
)
def test_mistakes(run: Run, words: list[str], said: str) -> None:
    status, _, error = run(*words)
    assert status == 2
    assert said in error


@pytest.mark.parametrize(
    ("source", "findings", "wanted"),
    [
        ("", [Finding(0, 0, "error", "x")], ["", "^ x"]),
        ("ab\n", [Finding(3, 3, "error", "x")], ["ab", "  ^ x"]),
        ("日本x", [Finding(2, 3, "error", "x")], ["日本x", "    ^ x"]),
        ("ab", [Finding(0, 1, "info", "put 'x\n\ty'")], ["ab", "^ put 'x\\n\\ty'"]),
        ("a\nbcd\ne", [Finding(3, 5, "info", "x")], ["a", "bcd", " ^~ x", "e"]),
        ("abc", [Finding(2, 3, "info", "2"), Finding(0, 2, "info", "1")], ["abc", "^~ 1", "  ^ 2"]),
    ],
)
def test_marks_stand_under_their_characters(
    capsysbinary: pytest.CaptureFixture[bytes],
    source: str,
    findings: list[Finding],
    wanted: list[str],
) -> None:
    write_marked(source, [Part("text", 0, len(source))], findings)
    lines = capsysbinary.readouterr().out.decode().splitlines()
    assert [line[len("markup | ") :] for line in lines] == wanted


def test_the_parts_of_a_long_message_are_found_in_order() -> None:
    call = '<tool_call>\n{"name": "a", "arguments": {}}\n</tool_call>'
    text = f"x {call} x " * 300
    parser = Parser("hermes")
    events = [*parser.feed(text), *parser.close()]
    parts = parts_of(parser.result, events)
    assert sum(part.kind == "call" for part in parts) == 300
    assert all(one.end <= other.start for one, other in itertools.pairwise(parts))
    assert "".join(text[p.start : p.end] for p in parts if p.kind == "text") == "x  x " * 300
