"""`cli/check.py`: every finding and every broken law is told, with its place."""

from pathlib import Path

import pytest

from tests.units.cli.running import GRAMMAR, PAGE, Run

TWO = """\

### Cut

~~~text example
<call>weather:{"city": "Os
~~~

~~~json
{"calls": [{"name": "weather", "arguments": {"city": "Os"}}], "tier": "malformed"}
~~~
"""


def write(path: Path, text: str) -> None:
    path.write_text(text, encoding="utf-8")


def test_each_example_that_breaks_a_law_is_told(run: Run, tmp_path: Path) -> None:
    write(
        tmp_path / "mine.md",
        PAGE.replace('"Look:"', '"L"') + TWO + TWO.replace("Cut", "Third").replace('"Os"}', '"O"}'),
    )
    status, out, error = run("check", "mine.lark")
    assert status == 1
    assert "mine.md:5: one-call breaks the law expected" in error
    assert "one-call (mine), content\n  wanted: L\n  found:  Look:\n" in error
    assert "third breaks the law expected" in error
    assert "cut breaks" not in error
    assert "1 of 3 examples keep every law" in out


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ("start:", "start: (TEXT | call)*\nstart:", "mine.lark:6:1: defined-twice"),
        ("name: NAME", "name: NAME\n%ignore /x/", "mine.lark:8:1: ignore"),
    ],
)
def test_findings_have_their_place_and_a_hint(
    run: Run, tmp_path: Path, old: str, new: str, said: str
) -> None:
    write(tmp_path / "mine.lark", GRAMMAR.replace(old, new))
    outcome = run("check", "mine.lark")
    assert outcome.status == 1
    assert said in outcome.error
    assert "hint: " in outcome.error


def test_all_findings_are_told_at_once(run: Run, tmp_path: Path) -> None:
    write(tmp_path / "mine.lark", GRAMMAR.replace(" name ", " ") + "%ignore /x/\n")
    status, _, error = run("check", "mine.lark")
    assert status == 1
    assert "mine.lark:10:1: ignore" in error
    assert "mine.lark:6:1: call-without-name" in error


def test_a_slow_search_is_told_before_there_is_a_page(run: Run, tmp_path: Path) -> None:
    slow = (
        "//@ id: slow\n%import .common.text (TEXT, RAW)\nstart: (TEXT | call)*\n"
        'call: "<do " name ">\\n" argument* "</do>"\n'
        'argument: key "=" value "</>"\nname: /\\w+/\nkey: KEY\nKEY: /\\w+/\nvalue: RAW\n'
    )
    write(tmp_path / "slow.lark", slow)
    status, out, error = run("check", "slow.lark")
    assert status == 1
    assert "slow.lark:8:1: slow-search" in error
    assert "well" not in out
    write(tmp_path / "slow.lark", slow.replace("KEY: /", "KEY: /\\b"))
    assert "header and grammar are well" in run("check", "slow.lark").out


def test_advice_is_no_mistake(run: Run, tmp_path: Path) -> None:
    grammar = GRAMMAR.replace("| call)*", "| call | sequential)*")
    write(tmp_path / "mine.lark", grammar + 'sequential: "<list>" call+ "</list>"\n')
    status, _, error = run("check", "mine.lark")
    assert status == 0
    assert error.startswith("toolgrammar: note: ")
    assert "mine.lark:5:23: calls-without-ids" in error


def test_a_page_that_is_not_there_or_not_utf8(run: Run, tmp_path: Path) -> None:
    page = tmp_path / "mine.md"
    page.write_bytes(b"# Mine \xff\n")
    assert "mine.md:1: byte 7 is not UTF-8" in run("check", "mine.lark").error
    page.unlink()
    assert "there is no page" in run("check", "mine.lark").error


def test_a_format_that_render_can_not_write_is_told(run: Run, tmp_path: Path) -> None:
    grammar = (
        "//@ id: mine\n%import .common.text (TEXT)\n%import .common.json (JSON_OBJECT)\n"
        'start: (TEXT | call)*\ncall: "<" name /[^x\\s]/ arguments ">"\nname: /\\w+/\n'
        "arguments: JSON_OBJECT\n"
    )
    write(tmp_path / "mine.lark", grammar)
    expected = '{"calls": [{"name": "f", "arguments": {"a": 1}}]}'
    write(
        tmp_path / "mine.md",
        f'# Mine\n\n### One\n\n~~~text example\n<f!{{"a": 1}}>\n~~~\n~~~json\n{expected}\n~~~\n',
    )
    status, out, error = run("check", "mine.lark")
    assert status == 1
    assert "1 of 1 examples keep every law" in out
    assert "mine: render writes the calls of no example: the format has no way to write" in error


def test_what_render_does_not_write_is_a_note(run: Run, tmp_path: Path) -> None:
    grammar = (
        "//@ id: mine\n%import .common.text (TEXT, RAW, MARK, SAME_MARK)\n"
        'start: (TEXT | call)*\ncall: "@@" name " <<" MARK LINE_END input SAME_MARK\nname: /\\w+/\n'
        "input: RAW\nLINE_END: /\\n/\n"
    )
    write(tmp_path / "mine.lark", grammar)
    expected = '{"calls": [{"name": "f", "arguments": {}, "input": "a\\n"}]}'
    write(
        tmp_path / "mine.md",
        f"# Mine\n\n### One\n\n~~~text example\n@@f <<EOF\na\nEOF\n~~~\n~~~json\n{expected}\n~~~\n",
    )
    status, _, error = run("check", "mine.lark")
    assert status == 0
    assert "note: mine: render does not write calls with an input, an input of lines" in error
    assert "its input, 'ls -l', would come back as 'ls -lEOF'; tried '@@f <<EOF" in error


RESULTS = """\
results: result+
result: "<said " name ">" result__content "</said>\\n"
result__content: RAW
"""


@pytest.mark.parametrize(
    ("rules", "status", "said"),
    [
        (RESULTS, 0, ""),
        (
            RESULTS.replace('" result__content "', ""),
            1,
            "error: mine: a result with a text is not written: ",
        ),
        (
            RESULTS.replace('"<said', '/[^x]/ "<said'),
            1,
            "error: mine: a result with a text is not written: ",
        ),
        (RESULTS.replace("result+", "result"), 0, "note: mine: a result with another behind it is"),
    ],
)
def test_results_that_are_not_written_are_told(
    run: Run, tmp_path: Path, rules: str, status: int, said: str
) -> None:
    write(tmp_path / "mine.lark", GRAMMAR.replace("TEXT", "TEXT RAW", 1) + rules)
    outcome = run("check", "mine.lark")
    assert outcome.status == status
    assert (said in outcome.error) if said else "result" not in outcome.error


def test_a_conversation_that_is_not_written_is_a_note(run: Run, tmp_path: Path) -> None:
    write(tmp_path / "mine.lark", GRAMMAR.replace("(TEXT | call)*", "call*"))
    write(tmp_path / "mine.md", PAGE.replace("Look: ", "").replace(', "content": "Look:"', ""))
    status, _, error = run("check", "mine.lark")
    assert status == 0
    assert "note: mine: a conversation is not written: message 4: the format has no way" in error


def test_a_name_that_another_format_has_is_a_note(run: Run, tmp_path: Path) -> None:
    write(
        tmp_path / "mine.lark",
        GRAMMAR.replace("//@ models", "//@ aliases: Qwen25, other\n//@ models"),
    )
    status, _, error = run("check", "mine.lark")
    assert status == 0
    assert "note: " in error
    assert "the name 'Qwen25' is taken by the format 'hermes'" in error
    assert "'other'" not in error


def test_all_findings_of_a_page_are_told_at_once(run: Run, tmp_path: Path) -> None:
    wrong = PAGE.replace('"content"', '"contents"') + "\n### Two\n\n~~~text example\nHi\n~~~\n"
    write(tmp_path / "mine.md", wrong + TWO.replace('{"calls"', '{"calls'))
    status, _, error = run("check", "mine.lark")
    assert status == 1
    for said in (
        "mine.md:9: unknown key 'contents'",
        "mine.md:15: this example has no expectation",
        "mine.md:26: this is not JSON",
    ):
        assert said in error
