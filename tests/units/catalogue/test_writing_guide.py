"""docs/writing-a-format.md: its whole grammars compile, and its lists are those of the code."""

import json
import os
import re
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

from toolgrammar import Format, ToolCall, load_format, parse
from toolgrammar.grammar.header_values import KEYS
from toolgrammar.grammar.roles import DECLARED_TERMINALS
from toolgrammar.values.errors import GrammarError
from toolgrammar.writing.prompts.prompt import PLACEHOLDERS

ROOT = Path(__file__).parents[3]
GUIDE = (ROOT / "docs" / "writing-a-format.md").read_text(encoding="utf-8")
GRAMMARS = {
    match[2]: match[1]
    for match in re.finditer(
        r"^```lark\n(//@ id: (\w+)\n.*?)^```$", GUIDE, re.DOTALL | re.MULTILINE
    )
}


def _section(heading: str) -> str:
    return GUIDE.split(f"### {heading}\n", 1)[1].split("\n### ", 1)[0]


@pytest.mark.parametrize("name", GRAMMARS)
def test_a_whole_grammar_writes_and_reads_calls(name: str, tmp_path: Path) -> None:
    path = tmp_path / f"{name}.lark"
    path.write_text(GRAMMARS[name], encoding="utf-8")
    assert load_format(path).render([ToolCall("get_time", {"zone": "CET"})])


def test_the_template_reads_what_the_text_says(tmp_path: Path) -> None:
    path = tmp_path / "actions.lark"
    path.write_text(GRAMMARS["actions"], encoding="utf-8")
    assert (
        load_format(path).render([ToolCall("get_time")])
        == 'Actions: [{"tool": "get_time", "args": {}}]'
    )


def test_a_package_brings_a_format_to_the_command_line(tmp_path: Path) -> None:
    section = _section("In a package")
    [project] = re.findall(r"```toml\n(.*?)```", section, re.DOTALL)
    [code] = re.findall(r"```python\n(.*?)```", section, re.DOTALL)
    points = tomllib.loads(project)["project"]["entry-points"]["toolgrammar.formats"]
    folder = tmp_path / "fjord_formats" / "formats"
    folder.mkdir(parents=True)
    (folder / "fjord.lark").write_text(GRAMMARS["fjord"], encoding="utf-8")
    (folder.parent / "__init__.py").write_text(code, encoding="utf-8")
    installed = tmp_path / "fjord_formats-1.0.dist-info"
    installed.mkdir()
    (installed / "METADATA").write_text(
        "Metadata-Version: 2.1\nName: fjord-formats\nVersion: 1.0\n"
    )
    lines = "".join(f"{name} = {value}\n" for name, value in points.items())
    (installed / "entry_points.txt").write_text(f"[toolgrammar.formats]\n{lines}")
    done = subprocess.run(
        [sys.executable, "-m", "toolgrammar", "parse", "--format", "fjord,hermes", "--json"],
        input='<fjord_call>\n{"name": "get_time", "arguments": {}}\n</fjord_call>',
        env={**os.environ, "PYTHONPATH": f"{tmp_path}{os.pathsep}{ROOT}"},
        capture_output=True,
        check=True,
        encoding="utf-8",
    )
    assert json.loads(done.stdout)["calls"][0]["format"] == "fjord"


def test_a_program_loads_the_grammar_beside_its_module(tmp_path: Path) -> None:
    code = re.findall(r"```python\n(.*?)```", _section("7. Use"), re.DOTALL)[-1]
    (tmp_path / "relay.lark").write_text(GRAMMARS["relay"], encoding="utf-8")
    module = {"__file__": str(tmp_path / "program.py")}
    exec(code, module)
    relay = module["RELAY"]
    assert isinstance(relay, Format)
    assert parse("@@call ping\n{}\n@@end", format=relay).calls == (ToolCall("ping"),)


_TOP = """//@ id: mine
{trim}
%import .common.text (TEXT, RAW)
%import .common.json (_call_object)
%declare PYTHON_ARGUMENTS
start: (TEXT | {unit})*
{rules}
"""


def _families() -> list[str]:
    """Gives the rules of each family, its title in front."""
    block = GUIDE.split("```lark\n// Tags and JSON", 1)[1]
    return [
        f"// Tags and JSON{part}" if not n else f"// {part}"
        for n, part in enumerate(block.split("\n```\n\nValues of raw", 1)[0].split("\n// "))
    ]


@pytest.mark.parametrize("rules", _families(), ids=["json", "elements", "python", "text"])
def test_a_family_writes_and_reads_calls(rules: str, tmp_path: Path) -> None:
    trim = re.search(r"`(//@ trim: [^`]+)`", rules)
    for name in ("name", "key"):
        if re.search(rf" {name} ", rules) and "_call_object" not in rules:
            rules += f"\n{name}: /[\\w-]+/"
    unit = "calls" if "\ncalls:" in rules else "call"
    path = tmp_path / "mine.lark"
    path.write_text(_TOP.format(trim=trim[1] if trim else "//", unit=unit, rules=rules))
    free = "input" in rules
    call = ToolCall("note", input="a\nb") if free else ToolCall("note", {"text": "a"})
    written = load_format(path).render([call, call])
    assert list(parse(written, format=load_format(path)).calls) == [call, call]


def test_every_key_of_the_header_is_explained() -> None:
    explained = re.findall(r"^\| `([\w-]+)` \|", _section("Header"), re.MULTILINE)
    assert sorted(explained) == sorted(KEYS)


def test_every_declared_terminal_is_explained() -> None:
    rows = re.findall(r"^\| ((?:`[A-Z_]+` ?)+)\|", _section("Declared terminals"), re.MULTILINE)
    explained = re.findall(r"`(\w+)`", " ".join(rows))
    assert sorted(explained) == sorted(DECLARED_TERMINALS), (
        "the table `Declared terminals` of docs/writing-a-format.md has one row for each"
    )


def test_every_placeholder_is_explained() -> None:
    assert set(re.findall(r"`\{(\w+)\}`", _section("The prompt"))) == set(PLACEHOLDERS)


def test_every_common_file_is_listed() -> None:
    listed = re.findall(r"^\| `common/(\w+)` \|", _section("Common files"), re.MULTILINE)
    assert sorted(listed) == sorted(path.stem for path in (ROOT / "grammars/common").glob("*.lark"))


@pytest.mark.parametrize(
    ("old", "new"),
    [
        (
            'call: OPEN name "\\n" arguments "\\n@@end"',
            'call: "<t>\\n" name "\\n" arguments "</t>" | "<t>" name ":" arguments "</t>"',
        ),
        (
            'start: (TEXT | call)*\n\ncall: OPEN name "\\n" arguments "\\n@@end"',
            'start: (TEXT | _one)*\n_one: OPEN name "\\n" arguments "\\n@@end" -> call',
        ),
    ],
    ids=["one tag, with a line end and without", "an alias on a part"],
)
def test_a_trap_is_reported_in_the_words_of_the_guide(tmp_path: Path, old: str, new: str) -> None:
    relay = GRAMMARS["relay"]
    assert old in relay
    path = tmp_path / "relay.lark"
    path.write_text(relay.replace(old, new), encoding="utf-8")
    with pytest.raises(GrammarError) as caught:
        load_format(path)
    said = f"{caught.value.code} {caught.value.message}"
    assert said in GUIDE
