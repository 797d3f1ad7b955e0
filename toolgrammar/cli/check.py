"""The command `check`: runs the laws on a grammar and its page.

`toolgrammar check grammars/mine.lark` prints `mine: 12 of 12 examples keep every law`, or what is
wrong and where.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from toolgrammar.catalogue.format import Format
from toolgrammar.catalogue.page import PageError, read_page
from toolgrammar.catalogue.registry import formats
from toolgrammar.cli.input import InputError
from toolgrammar.cli.output import complain, write_line
from toolgrammar.values.errors import GrammarError

if TYPE_CHECKING:
    import argparse
    from collections.abc import Iterator

    from toolgrammar.testing.cases import Case

_OK = 0
_BROKEN = 1
_PAGE = "page "
_OWN = "own "


def add_to(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Adds the command to the command line."""
    parser = commands.add_parser(
        "check",
        help="check a grammar and its page",
        description="Checks header, grammar, page and laws of formats, in this order. "
        "Exits with 1 when something is wrong; a note is no mistake.",
    )
    parser.add_argument("grammars", nargs="+", help="paths of .lark files, or ids")
    parser.set_defaults(run=run)


def run(arguments: argparse.Namespace) -> int:
    """Checks every grammar and returns the exit status."""
    # A list, so that all are checked also after one that is not well.
    results = [_check(name) for name in arguments.grammars]
    return _OK if all(results) else _BROKEN


def _check(name: str) -> bool:
    """Checks one format, prints each step, and returns whether all laws hold."""
    from toolgrammar.grammar.compiling.compile import (
        advice_on,  # imports lark: only for this command
    )

    # A page or a folder that was named by mistake: it would be told as an unknown format.
    if not name.endswith(".lark") and name not in formats and Path(name).exists():
        raise InputError(f"{name}: not a .lark file; name a grammar, or the id of a format")
    try:
        chosen = Format(name) if name.endswith(".lark") else formats[name]
        # Compiled again, not from the cache: only the compiler has advice.
        advice = advice_on(chosen.path)
    except GrammarError as error:
        return _print_findings(error)
    # Imported here: the laws are for this command only.
    from toolgrammar.testing.searches import exponential_patterns, slow_searches

    endless = exponential_patterns(chosen)
    for finding in endless:
        complain(str(finding))
    if endless:
        return False  # to read the examples may take for ever
    for note in (*map(str, advice), *_taken_names(chosen)):
        complain(note, "note")
    slow = slow_searches(chosen)
    for finding in slow:
        complain(str(finding))
    if not slow:
        write_line(f"{chosen.id}: header and grammar are well")
    # The page lies beside its grammar, under the same name.
    page_path = chosen.path.with_suffix(".md")
    if not page_path.is_file():
        complain(f"{page_path}: there is no page; examples on it are the tests of the format")
        return False
    try:
        page = read_page(page_path)
    except PageError as error:
        return _print_findings(error)
    from toolgrammar.testing.cases import cases_of_page

    cases = cases_of_page(page, chosen)
    if not cases:
        complain(f"{page_path}: no example; put a heading `### …` and a fence `text example` on it")
        return False
    # Where findings are told to be: the page, and the line of the example.
    places = {example.slug: f"{page_path}:{example.line}" for example in page.examples}
    # Told once, and not again by the law of each example.
    untold = {"linear"} if slow else set()
    broken = sum(not _keeps_laws(case, places, untold) for case in cases)
    kept = len(cases) - broken
    write_line(
        f"{chosen.id}: {kept} of {len(cases)} examples keep every {'other ' * bool(slow)}law"
    )
    written = [_writes(chosen, cases, places), _answers(chosen, cases)]
    return all(written) and not (broken or slow)


def _print_findings(error: Exception) -> bool:
    """Prints a finding and those that came with it; returns that something is wrong."""
    for finding in (str(error), *getattr(error, "__notes__", ())):
        complain(finding)
    return False


def _taken_names(chosen: Format) -> Iterator[str]:
    """Yields the names of a format that another one has."""
    for name in (chosen.id, *chosen.aliases):
        other = formats.get(name)
        if other is not None and other.path.resolve() != chosen.path.resolve():
            said = f"the name {name!r} is taken by the format {other.id!r}; choose another one"
            yield f"{chosen.path}: {said}: `formats.register` refuses it"


def _answers(chosen: Format, cases: list[Case]) -> bool:
    """Prints what is not written of tool results and of a conversation; returns whether they are."""
    from toolgrammar.testing.carried import CONVERSATION, RESULTS, refused_results

    found = refused_results(chosen, cases)
    # One that writes no result at all is broken; one that can't write some is limited.
    broken = found.keys() >= RESULTS.keys()
    for name, reason in list(found.items())[: 1 if broken else None]:
        what = name if name == CONVERSATION else f"a result with {name}"
        said = f"{chosen.id}: {what} is not written: {reason}"
        complain(said, "error" if broken else "note")
    return not broken


def _writes(chosen: Format, cases: list[Case], places: dict[str, str]) -> bool:
    """Prints what `render` refuses to write; returns whether it writes any of the examples."""
    from toolgrammar.testing.carried import own_samples, refused

    found = refused(chosen, cases)
    pages = [name for name in own_samples(cases) if name.startswith(_PAGE)]
    unwritten = [name for name in pages if name in found]
    # A format that writes none of its own examples is broken; one that can't write some is limited.
    if pages and unwritten == pages:
        complain(f"{chosen.id}: render writes the calls of no example: {found[pages[0]]}")
        return False
    for name in unwritten:
        slug = name.removeprefix(_PAGE)
        complain(f"{places[slug]}: {slug}: render does not write it: {found[name]}", "note")
    # Not told one by one: these calls are ours, and stand on no page.
    others = {name.removeprefix(_OWN): each for name, each in found.items() if name not in pages}
    if others:
        said = f"render does not write calls with {', '.join(others)}"
        complain(f"{chosen.id}: {said}; the first: {next(iter(others.values()))}", "note")
    return True


def _keeps_laws(case: Case, places: dict[str, str], untold: set[str]) -> bool:
    """Runs the laws on an example, prints those that it breaks, and returns whether it kept all.

    Args:
        case: the example.
        places: the lines of the examples, by their slugs.
        untold: laws that are not run.
    """
    from toolgrammar.testing.laws import laws_of

    slug = case.id.rpartition("::")[2]
    kept = True
    for name, law in laws_of(case):
        if name in untold:
            continue
        try:
            law(case)
        except AssertionError as error:
            complain(f"{places[slug]}: {slug} breaks the law {name}\n{error}")
            kept = False
    return kept
