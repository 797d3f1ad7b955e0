"""The README says what is so: its commands, its Python, its table, its links."""

import re
import tomllib
from pathlib import Path

import pytest

import toolgrammar
from tests.house.checkout import PACKAGE, ROOT
from tests.house.format_table import README, with_table

TEXT = README.read_text(encoding="utf-8")
PAGES = sorted(
    path.relative_to(ROOT).as_posix()
    for path in [*ROOT.glob("*.md"), *ROOT.glob("docs/**/*.md"), *ROOT.glob("*/README.md")]
)


def _blocks(language: str) -> list[str]:
    return re.findall(rf"^```{language}\n(.*?)^```$", TEXT, re.MULTILINE | re.DOTALL)


def test_first_shell_block_is_two_commands() -> None:
    assert _blocks("bash")[0].splitlines() == ["make demo", "make test"]


def test_python_blocks_run_one_after_the_other() -> None:
    """In one namespace, as a reader would type them."""
    namespace: dict[str, object] = {"__name__": "readme"}
    for block in re.finditer(r"^```python\n(.*?)^```$", TEXT, re.MULTILINE | re.DOTALL):
        line = TEXT.count("\n", 0, block.start(1))
        exec(compile("\n" * line + block[1], README, "exec"), namespace)


def test_grammar_is_a_format(tmp_path: Path) -> None:
    """The grammar that the README shows reads and writes the wire it describes."""
    grammar = tmp_path / "my_format.lark"
    grammar.write_text(_blocks("lark")[0], encoding="utf-8")
    calls = (toolgrammar.ToolCall("edit", {"path": "a.py", "text": 'if a < b:\n    print("")'}),)
    wire = toolgrammar.load_format(grammar).render(calls, text="Done soon.")
    result = toolgrammar.parse(wire, format=str(grammar), strict=True)
    assert result.calls == calls
    assert result.text == "Done soon."


def test_table_of_formats_is_current() -> None:
    assert with_table(TEXT) == TEXT, "run `make readme`"


@pytest.mark.parametrize("page", PAGES)
def test_links_inside_the_repository_lead_somewhere(page: str) -> None:
    text = (ROOT / page).read_text(encoding="utf-8")
    targets = re.findall(r"\]\((?!\w+:|#)([^)#\s]+)", text)
    assert [t for t in targets if not (ROOT / page).parent.joinpath(t).exists()] == []


@pytest.mark.parametrize("page", PAGES)
def test_links_to_a_heading_find_it(page: str) -> None:
    text = (ROOT / page).read_text(encoding="utf-8")
    lost = [
        f"{target}#{anchor}"
        for target, anchor in re.findall(r"\]\((?!\w+:)([^)#\s]*\.md|)#([^)\s]+)\)", text)
        if anchor not in _anchors((ROOT / page).parent / target if target else ROOT / page)
    ]
    assert lost == []


def _anchors(path: Path) -> set[str]:
    """Returns the anchors that a page has on GitHub: its headings in small letters, and its own."""
    text = path.read_text(encoding="utf-8")
    # A line with `#` in a block of code is a comment.
    prose = re.sub(r"^(`{3,}|~{3,}).*?^\1$", "", text, flags=re.MULTILINE | re.DOTALL)
    found = set(re.findall(r"<a (?:id|name)=\"([^\"]+)\"", prose))
    for heading in re.findall(r"^#+ (.+)$", prose, re.MULTILINE):
        words = re.sub(r"[^\w\- ]", "", re.sub(r"\]\([^)]*\)", "", heading).strip().lower())
        anchor = unique = words.replace(" ", "-")
        count = 0
        # The second heading of a name has `-1` behind it.
        while unique in found:
            count += 1
            unique = f"{anchor}-{count}"
        found.add(unique)
    return found


@pytest.mark.parametrize("page", PAGES)
def test_commands_and_extras_of_pages_are_there(page: str) -> None:
    """`make league` is a target of the Makefile, `toolgrammar[score]` an extra of the package."""
    text = (ROOT / page).read_text(encoding="utf-8")
    targets = re.findall(
        r"^([a-z]+):", (ROOT / "Makefile").read_text(encoding="utf-8"), re.MULTILINE
    )
    named = re.findall(r"(?:`|^)make ([a-z]+)", text, re.MULTILINE)
    assert set(named) - set(targets) == set()
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    lists = re.findall(r"toolgrammar\[([\w,-]+)\]", text)
    extras = {name for names in lists for name in names.split(",")}
    assert extras - set(project["optional-dependencies"]) == set()


@pytest.mark.parametrize("page", [page for page in PAGES if "decisions" in page])
def test_modules_that_decisions_name_are_there(page: str) -> None:
    text = (ROOT / page).read_text(encoding="utf-8")
    named = re.findall(r"`([\w/]+/\w+\.py)`", text)
    assert [
        n for n in named if not any((at / n).exists() for at in (ROOT, PACKAGE, PACKAGE / "core"))
    ] == []
