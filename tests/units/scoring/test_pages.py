"""Reports as files."""

import json
from html.parser import HTMLParser
from pathlib import Path

import pyarrow.parquet as pq
import pytest

import toolgrammar
from tests.units.bulk.rows_of_test import CUT, GOOD
from toolgrammar.scoring.groups import Rate
from toolgrammar.scoring.pages import cell, table_of
from toolgrammar.scoring.reports import ScoreReport

ROWS = [
    {"text": GOOD, "model": "a|b", "truth": []},
    {"text": CUT, "model": "<script>$x$"},
    {"text": GOOD, "model": None},
]


def _report() -> ScoreReport:
    return toolgrammar.score(ROWS, "hermes", labels=["model"], truth="truth")


def test_cells() -> None:
    assert cell(Rate(1, 2, 0.1, 0.9)) == "50.0 [10.0 90.0]"
    assert cell(None) == "-"
    headings, *rows = table_of(_report(), _report().by("model"), "model")
    assert headings[:3] == ["model", "messages", "parsed"]
    assert [row[0] for row in rows] == ["(none)", "<script>$x$", "a|b"]


def test_json(tmp_path: Path) -> None:
    report = _report()
    report.write(tmp_path / "a.json")
    assert json.loads((tmp_path / "a.json").read_text(encoding="utf-8")) == report.to_dict()


def test_parquet(tmp_path: Path) -> None:
    report = _report()
    report.write(tmp_path / "a.parquet")
    assert pq.read_table(tmp_path / "a.parquet").to_pylist() == report.records()


def test_an_unknown_ending(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match=r"\.html"):
        _report().write(tmp_path / "a.txt")


class _Tags(HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.tags: list[str] = []

    def handle_starttag(self, tag: str, attrs: object) -> None:
        self.tags.append(tag)


def test_a_page_of_html_needs_no_other_file(tmp_path: Path) -> None:
    pytest.importorskip("matplotlib", reason="it is not installed")
    _report().write(tmp_path / "a.html")
    page = (tmp_path / "a.html").read_text(encoding="utf-8")
    reader = _Tags()
    reader.feed(page)
    assert "script" not in reader.tags
    assert reader.tags.count("svg") == 2  # formats and models
    assert [path.name for path in tmp_path.iterdir()] == ["a.html"]


def test_a_page_of_markdown_has_its_drawings_beside_it(tmp_path: Path) -> None:
    pytest.importorskip("matplotlib", reason="it is not installed")
    _report().write(tmp_path / "a.md")
    page = (tmp_path / "a.md").read_text(encoding="utf-8")
    assert r"| a\|b |" in page
    drawings = [path.name for path in tmp_path.glob("*.svg")]
    assert len(drawings) == 2
    assert all(f"]({name})" in page for name in drawings)


def test_the_legend_says_what_a_share_is_of(tmp_path: Path) -> None:
    tools = [{"name": "weather", "parameters": {"properties": {}}}]
    toolgrammar.score(ROWS, "hermes", tools=tools).write(tmp_path / "a.md")
    page = (tmp_path / "a.md").read_text(encoding="utf-8")
    assert "- schema: whole calls of known tools that break the schema of their tool\n" in page
    assert "- parsed: messages that were read without an error" in page
