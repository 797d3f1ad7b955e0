"""Grammar files are written in one way: lines, sources, and what two formats have in common.

A source is a place and what it holds: `//@ source: zai-org/GLM-4.7: chat template`.
"""

import re
from pathlib import Path

import pytest

from toolgrammar.grammar.header import read_header

ROOT = Path(__file__).parents[2]
FILES = sorted((ROOT / "grammars").rglob("*.lark"))
LONGEST_LINE = 140
"""Characters, for a look-ahead, which can't be put together from named parts; aim at 100."""
SHARED = {
    r'^result: "<tool_response>': "common/tool_response",
    r'^result: "Observation: "': "common/react_lines",
    r"^THOUGHT: /\^Thought:/m": "common/react_lines",
    r"^ACTION: /\^Action:/m": "common/react_lines",
}
"""What is written once, and imported."""
each_file = pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)


@each_file
def test_lines_can_be_read(path: Path) -> None:
    for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), start=1):
        assert len(line) <= LONGEST_LINE or line.startswith("//@ "), (
            f"{path.name}:{number}: {len(line)} characters; give parts of the pattern names"
        )


@each_file
def test_a_source_is_a_place_and_what_it_holds(path: Path) -> None:
    source = read_header(path).source
    if path.parent.name != "common":
        assert re.fullmatch(r"[^:;]+: [^:;]+(; [^:;]+: [^:;]+)*", source), (
            f"{path.name}: {source!r}; write `place: what it holds`, several with `;` between"
        )


@each_file
def test_what_formats_share_is_imported(path: Path) -> None:
    text = path.read_text(encoding="utf-8")
    for pattern, library in SHARED.items():
        if path.stem != Path(library).stem:
            assert not re.search(pattern, text, re.MULTILINE), f"{path.name}: import it: {library}"
    assert 'JSON_STRING ":" JSON_VALUE' not in text, f'{path.name}: write `JSON_STRING ": "`'
    if path.parent.name != "common" and "\nresult: " in text:
        assert "\nresult__content: " in text, f"{path.name}: name the content `result__content`"
