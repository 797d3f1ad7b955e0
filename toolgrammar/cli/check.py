"""The command `check`: holds a grammar and its page against the laws."""

from __future__ import annotations

from typing import TYPE_CHECKING

from toolgrammar.catalogue.format import Format, load_format
from toolgrammar.catalogue.page import PageError, read_page
from toolgrammar.catalogue.registry import formats
from toolgrammar.cli.output import complain, printable, write_line
from toolgrammar.values.errors import GrammarError

if TYPE_CHECKING:
    import argparse
    from collections.abc import Callable

    from toolgrammar.testing.cases import Case

_OK = 0
_BROKEN = 1


def add_to(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Adds the command to the command line."""
    parser = commands.add_parser(
        "check",
        help="check a grammar and its page",
        description="Checks header, grammar, page and laws of formats, in this order. "
        "Exits with 1 when something is wrong.",
    )
    parser.add_argument("grammars", nargs="+", help="paths of .lark files, or ids")
    parser.set_defaults(run=run)


def run(arguments: argparse.Namespace) -> int:
    """Checks every grammar and returns the exit status."""
    results = [_check(name) for name in arguments.grammars]
    return _OK if all(results) else _BROKEN


def _check(name: str) -> bool:
    """Checks one format, tells each step and says whether all is well."""
    try:
        chosen = load_format(name) if name.endswith(".lark") else formats[name]
        chosen.tables  # noqa: B018 - compiles the grammar
    except GrammarError as error:
        complain(str(error))
        return False
    write_line(f"{chosen.id}: header and grammar are well")
    page_path = chosen.path.with_suffix(".md")
    if not chosen.page:
        complain(f"{page_path}: there is no page; examples on it are the tests of the format")
        return False
    try:
        page = read_page(page_path)
    except PageError as error:
        complain(str(error))
        return False
    from toolgrammar.testing.cases import cases_of_page

    cases = cases_of_page(page, chosen)
    if not cases:
        complain(f"{page_path}: no example; put a heading and a fence `text example` on it")
        return False
    places = {example.slug: example.line for example in page.examples}
    broken = sum(not _keeps_laws(case, chosen, places) for case in cases)
    kept = len(cases) - broken
    write_line(f"{chosen.id}: {kept} of {len(cases)} examples keep every law")
    return broken == 0


def _keeps_laws(case: Case, chosen: Format, places: dict[str, int]) -> bool:
    """Runs every law on an example and reports the first that it breaks."""
    for name, law in _laws():
        try:
            law(case)
        except AssertionError as error:
            slug = case.id.rpartition("::")[2]
            where = f"{chosen.path.with_suffix('.md')}:{places.get(slug, 1)}"
            complain(printable(f"{where}: {slug} breaks the law {name}\n{error}"))
            return False
    return True


def _laws() -> list[tuple[str, Callable[[Case], None]]]:
    """Returns the laws by name; imported late, since only this command needs them."""
    from toolgrammar.testing import laws

    return [
        ("expected", laws.expected),
        ("splits", laws.splits),
        ("tiling", laws.tiling),
        ("deltas", laws.deltas),
        ("truncation", laws.truncation),
    ]
