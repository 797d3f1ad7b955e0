"""Runs the examples of format pages as pytest tests.

Does nothing unless the option `toolgrammar_pages` names folders. Then each
page in them that has a grammar beside it is collected, one test an example.
Pytest loads this module before every run, so it imports only pytest and the
standard library; the rest comes when a page is collected.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Literal

import pytest

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from _pytest._code.code import TerminalRepr

    from toolgrammar.catalogue.page import Example, Page
    from toolgrammar.testing.cases import Case
    from toolgrammar.values.calls import ParseResult, ToolCall

    _Style = Literal["long", "short", "line", "no", "native", "value", "auto"]

_PAGES = "toolgrammar_pages"
_LINE_LENGTH = 100

# Rewritten expectations, by page and by the lines of their fences.
_goldens = pytest.StashKey[dict[Path, dict[tuple[int, int], str]]]()


def pytest_addoption(parser: pytest.Parser) -> None:
    """Declares the folders of pages and the rewriting of goldens."""
    parser.addini(_PAGES, "Folders of format pages whose examples are tests.", "paths", [])
    parser.getgroup("toolgrammar").addoption(
        "--update-goldens",
        action="store_true",
        help="Rewrite the expectations of format pages, where every other law holds.",
    )


def pytest_configure(config: pytest.Config) -> None:
    """Prepares the place where rewritten expectations wait for the end of the run."""
    config.stash[_goldens] = {}


def pytest_collect_file(file_path: Path, parent: pytest.Collector) -> pytest.Collector | None:
    """Collects a page that lies in one of the folders and has a grammar beside it."""
    # Every Markdown file of a run comes here: the cheapest question first.
    if file_path.suffix != ".md" or not file_path.with_suffix(".lark").is_file():
        return None
    folders: list[Path] = parent.config.getini(_PAGES)
    if not any(file_path.is_relative_to(folder) for folder in folders):
        return None
    return PageFile.from_parent(parent, path=file_path)


def pytest_sessionfinish(session: pytest.Session) -> None:
    """Writes the expectations that changed, from the end of each page to its start."""
    from toolgrammar.grammar.files import read_text

    for path, fences in session.config.stash[_goldens].items():
        lines = read_text(path).split("\n")
        # From the end, so that the numbers of lines above stay right.
        for (start, end), golden in sorted(fences.items(), reverse=True):
            # A fence opens on line `start`, from 1: the lines between have these indices.
            lines[start : end - 1] = golden.split("\n")
        path.write_text("\n".join(lines), encoding="utf-8", newline="\n")


class PageFile(pytest.File):
    """The page of a format."""

    def collect(self) -> Iterator[pytest.Item]:
        """Yields one test an example."""
        from toolgrammar.catalogue.format import load_format
        from toolgrammar.catalogue.page import read_page
        from toolgrammar.testing.cases import cases_of_page

        page: Page = read_page(self.path)
        cases = cases_of_page(page, load_format(self.path.with_suffix(".lark")))
        # The page knows the lines, the case how to read: each test has both.
        for example, case in zip(page.examples, cases, strict=True):
            yield ExampleItem.from_parent(self, name=example.slug, example=example, case=case)

    def repr_failure(
        self,
        excinfo: pytest.ExceptionInfo[BaseException],
        style: _Style | None = None,
    ) -> str | TerminalRepr:  # fmt: skip
        """Shows what is wrong with a page as its own message, without a traceback."""
        # A PageError names file and line itself: a traceback would hide that.
        if isinstance(excinfo.value, ValueError):
            return str(excinfo.value)
        return super().repr_failure(excinfo)


class ExampleItem(pytest.Item):
    """One example of a page, under the laws that every example keeps."""

    def __init__(
        self, name: str, parent: pytest.Collector, *, example: Example, case: Case
    ) -> None:
        super().__init__(name, parent)
        self._example = example
        self._case = case

    def runtest(self) -> None:
        """Runs the laws; `expected` comes last, since it alone may rewrite the page."""
        # Late: pytest loads this module before each run, whatever it tests.
        from toolgrammar.testing import laws

        # A golden may be rewritten only where the laws hold, so that it never records a bug of the
        # stream.
        laws.tiling(self._case)
        laws.deltas(self._case)
        laws.splits(self._case)
        try:
            laws.expected(self._case)
        except AssertionError:
            # The option is for an author who has looked at the difference.
            if not self.config.getoption("--update-goldens"):
                raise
            self._update()

    def repr_failure(
        self,
        excinfo: pytest.ExceptionInfo[BaseException],
        style: _Style | None = None,
    ) -> str | TerminalRepr:  # fmt: skip
        """Shows a broken law at the line of the example; any other failure with its traceback."""
        if isinstance(excinfo.value, AssertionError):
            return f"{self.path}:{self._example.line}: {self._example.name}\n{excinfo.value}"
        return super().repr_failure(excinfo)

    def reportinfo(self) -> tuple[Path, int, str]:
        """Names the page, the line of the example (from 0) and its name."""
        return self.path, self._example.line - 1, self.name

    def _update(self) -> None:
        from toolgrammar.parsing.whole import parse

        case = self._case
        result = parse(case.text, format=case.format, tools=case.tools, prefix=case.prefix)
        golden = _written(_golden(self._example.expected, result))
        self.config.stash[_goldens].setdefault(self.path, {})[self._example.golden] = golden


def _golden(expected: Mapping[str, object], result: ParseResult) -> dict[str, object]:
    """Returns an expectation with the values of a result, in the keys it asserted before."""
    old = expected.get("calls")
    old_calls = old if isinstance(old, list) else []
    found: dict[str, object] = {
        "calls": [
            _golden_call(call, old_calls[index] if index < len(old_calls) else {}, result.source)
            for index, call in enumerate(result.calls)
        ],
        "content": result.text,
        "reasoning": result.reasoning,
        "status": [call.status for call in result.calls],
        "codes": [diagnostic.code for diagnostic in result.diagnostics],
    }
    # Keys that the page did not assert stay out, but for the calls.
    kept = {key: found.get(key, value) for key, value in expected.items()}
    return {"calls": found["calls"]} | kept


def _golden_call(call: ToolCall, old: Mapping[str, object], source: str) -> dict[str, object]:
    golden: dict[str, object] = {"name": call.name, "arguments": call.arguments}
    if call.input is not None:
        golden["input"] = call.input
    # An id that the library made is not a golden value unless the page asserts it.
    if call.id is not None and ("id" in old or call.id in source):
        golden["id"] = call.id
    if call.depends_on or "depends_on" in old:
        golden["depends_on"] = list(call.depends_on)
    return golden


def _written(golden: dict[str, object]) -> str:
    """Writes an expectation on one line, or on several where it is long."""
    line = json.dumps(golden, ensure_ascii=False)
    return line if len(line) <= _LINE_LENGTH else json.dumps(golden, ensure_ascii=False, indent=2)
