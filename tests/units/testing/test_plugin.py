"""The plugin runs pages, points at their lines, and rewrites expectations only on demand."""

from pathlib import Path

import pytest

from tests.laws.every_case import ROOT

pytest_plugins = ["pytester"]

GRAMMAR = min((ROOT / "grammars").glob("*.lark")) if (ROOT / "grammars").is_dir() else None
PAGE = '# T\n\n### Plain text\n\n~~~text example\nhello\n~~~\n\n~~~json\n{{"calls": [], "content": {}}}\n~~~\n'
SETTINGS = "[pytest]\ntoolgrammar_pages = grammars\n"


@pytest.fixture
def page(pytester: pytest.Pytester) -> Path:
    """A page beside a copy of a grammar, in a project that asks for pages."""
    pytester.makeini(SETTINGS)
    folder = pytester.mkdir("grammars")
    for source in (ROOT / "grammars").rglob("*.lark"):
        target = folder / source.relative_to(ROOT / "grammars")
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_bytes(source.read_bytes())
    assert GRAMMAR is not None
    return folder / f"{GRAMMAR.stem}.md"


def check(pytester: pytest.Pytester, *options: str) -> tuple[int, str]:
    result = pytester.runpytest_inprocess("-v", "--no-header", *options)
    return int(result.ret), result.stdout.str()


def test_an_example_is_a_test(pytester: pytest.Pytester, page: Path) -> None:
    page.write_text(PAGE.format('"hello"'), encoding="utf-8")
    code, output = check(pytester)
    assert code == 0, output
    assert f"grammars/{page.name}::plain-text PASSED" in output


def test_a_failure_points_at_the_example(pytester: pytest.Pytester, page: Path) -> None:
    page.write_text(PAGE.format('"bye"'), encoding="utf-8")
    code, output = check(pytester)
    assert code == 1
    assert f"{page.name}:5: Plain text" in output
    assert "Traceback" not in output


def test_goldens_are_rewritten_on_demand(pytester: pytest.Pytester, page: Path) -> None:
    page.write_text(PAGE.format('"bye"'), encoding="utf-8")
    assert check(pytester, "--update-goldens")[0] == 0
    assert page.read_text(encoding="utf-8") == PAGE.format('"hello"')


def test_a_broken_page_is_shown_without_a_traceback(pytester: pytest.Pytester, page: Path) -> None:
    page.write_text("### A\n~~~text example\n~~~\n", encoding="utf-8")
    code, output = check(pytester)
    assert code == 2
    assert f"{page.name}:2: this example has no expectation" in output
    assert "Traceback" not in output


def test_nothing_is_collected_without_the_option(pytester: pytest.Pytester, page: Path) -> None:
    page.write_text(PAGE.format('"hello"'), encoding="utf-8")
    pytester.makeini("[pytest]\n")
    assert check(pytester)[0] == 5
