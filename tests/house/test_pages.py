"""Pages of formats have one order of sections, and the examples on them have the names of the guide.

`docs/writing-a-format.md` lists the names, by section: `Cut in a value` stands under `What goes wrong`.
"""

import re
from pathlib import Path

import pytest

from toolgrammar.catalogue.page import read_page

ROOT = Path(__file__).parents[2]
PAGES = sorted(path for path in (ROOT / "grammars").glob("*.md") if path.stem != "README")
SECTIONS = (
    "Examples", "What goes wrong", "Prompt", "Servers and stop strings", "Traps", "Sources",
)  # fmt: skip
OPTIONAL = {"Prompt"}
_GUIDE = "docs/writing-a-format.md"


def _names() -> dict[str, list[str]]:
    """Returns the names of examples by section, as the guide lists them."""
    guide = (ROOT / _GUIDE).read_text(encoding="utf-8")
    part = guide.split("#### Names of examples\n", 1)[1].split("\n####", 1)[0]
    tables = re.split(r"^Under `## (.+?)`", part, flags=re.MULTILINE)[1:]
    rows = re.compile(r"^\| (?!name \|)([^|]+?) \|", re.MULTILINE)
    return {
        section: rows.findall(table)
        for section, table in zip(tables[::2], tables[1::2], strict=True)
    }


NAMES = _names()
each_page = pytest.mark.parametrize("path", PAGES, ids=lambda path: path.stem)


def _sections(path: Path) -> dict[str, int]:
    """Returns the headings of level two that stand in no fence, with their lines from 1."""
    found = {}
    fence = ""
    for number, line in enumerate(path.read_text(encoding="utf-8").split("\n"), start=1):
        marks = re.match(r"[`~]{3,}", line)
        if fence:
            fence = "" if line.rstrip() == fence else fence
        elif marks:
            fence = marks[0]
        elif line.startswith("## "):
            assert line[3:] not in found, f"{path.name}:{number}: a second section {line[3:]!r}"
            found[line[3:]] = number
    return found


def test_the_guide_lists_the_names() -> None:
    assert list(NAMES) == ["Examples", "What goes wrong"]
    every = [name for names in NAMES.values() for name in names]
    assert len(set(every)) == len(every) == 40, "the README of grammars/ says forty"
    assert "One call" in NAMES["Examples"]


@each_page
def test_sections_come_in_one_order(path: Path) -> None:
    found = list(_sections(path))
    assert found == [name for name in SECTIONS if name in found or name not in OPTIONAL], (
        f"{path.name}: sections in this order, and no others: {', '.join(SECTIONS)}"
    )


@each_page
def test_examples_have_names_of_the_guide(path: Path) -> None:
    starts = _sections(path)
    for example in read_page(path).examples:
        name = example.name.partition(": ")[0]
        place = f"{path.name}:{example.line}: {example.name!r}"
        section = max((start, title) for title, start in starts.items() if start < example.line)[1]
        wanted = next((title for title, names in NAMES.items() if name in names), None)
        assert wanted, f"{place}: begin the heading with one of the names of examples in {_GUIDE}"
        assert section == wanted, f"{place}: an example of this name stands under `## {wanted}`"
