"""Every case of every format that is built: pages, and rows of JSON lines."""

import re
from collections.abc import Callable, Iterable
from functools import cache
from pathlib import Path

import pytest

import toolgrammar
from toolgrammar.catalogue.page import read_page
from toolgrammar.testing import Case, cases_of_jsonl, cases_of_page
from toolgrammar.testing.depth import some_of

ROOT = Path(__file__).parents[2]
SHARED = ROOT.parent / "shared" / "cases"
SHOWN_FAILURES = 5
LONGEST_SCRAP = 40

FORMAT_IDS = sorted(toolgrammar.formats)
each_format = pytest.mark.parametrize("format_id", FORMAT_IDS)


@cache
def every_page_case(format_id: str) -> tuple[Case, ...]:
    """The examples of a format's page, whatever the depth of the run."""
    page = read_page(ROOT / "grammars" / f"{format_id}.md")
    return tuple(cases_of_page(page, toolgrammar.formats[format_id]))


def page_cases(format_id: str) -> list[Case]:
    """The examples of a format's page, as many as the depth of the run wants."""
    return some_of(every_page_case(format_id))


@cache
def _rows() -> dict[str, list[Case]]:
    own = cases_of_jsonl(ROOT / "tests" / "cases" / "own.jsonl")
    known = {case.id for case in own}
    files = sorted(SHARED.glob("*.jsonl")) if SHARED.is_dir() else []
    beside = [case for path in files if path.name != "json.jsonl" for case in cases_of_jsonl(path)]
    by_format: dict[str, list[Case]] = {}
    for case in own + [case for case in beside if case.id not in known]:
        # A row may bear an alias; a row of a format that is not built is left out.
        if case.format in toolgrammar.formats:
            by_format.setdefault(toolgrammar.formats[str(case.format)].id, []).append(case)
    return by_format


def row_cases(format_id: str, *, malformed: bool = True) -> list[Case]:
    """The rows of JSON lines that are written in a format, as many as the depth wants."""
    found = _rows().get(format_id, [])
    return some_of([case for case in found if malformed or case.tier != "malformed"])


each_format_with_rows = pytest.mark.parametrize(
    "format_id", [each for each in FORMAT_IDS if row_cases(each)]
)
"""For the laws that each example keeps as a test of its page: see `toolgrammar.testing.plugin`."""


def cases(format_id: str, *, malformed: bool = True) -> list[Case]:
    """All cases of a format; without the malformed ones where a law asks for sound texts."""
    found = (*every_page_case(format_id), *_rows().get(format_id, ()))
    return some_of([case for case in found if malformed or case.tier != "malformed"])


def hold(law: Callable[[Case], object], over: Iterable[Case]) -> None:
    """Holds a law over cases, at least one, and names all that break it, not only the first."""
    failures: list[str] = []
    count = 0
    for case in over:
        count += 1
        try:
            law(case)
        except AssertionError as error:
            failures.append(str(error))
    assert count, "there is no case to hold the law over"
    if failures:
        shown = "\n\n".join(failures[:SHOWN_FAILURES])
        raise AssertionError(f"{len(failures)} of {count} cases break the law\n\n{shown}")


@cache
def scraps(format_id: str) -> tuple[str, ...]:
    """Pieces of a format's wire, to make hostile texts of: its literals, and cuts of its page."""
    found = {found.text for found in toolgrammar.formats[format_id].tables.terminals if found.text}
    for case in every_page_case(format_id):
        found.update(re.findall(r"<[^<>]*>|\[[^\[\]]*\]|[^\s<>\[\]]+|\s+", case.text))
    return tuple(sorted(scrap for scrap in found if len(scrap) <= LONGEST_SCRAP))
