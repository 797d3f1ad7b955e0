"""Draws mutants of the package at random, runs the tests that can notice them, and reports.

    python -m tests.mutation --sample 300 --seed 1 toolgrammar/core toolgrammar/engine

Everything happens in a copy of the tree under `build/mutation`: a run that is broken off leaves
no mutant in the sources, and the same command goes on where it ended.
"""

from __future__ import annotations

import argparse
import os
import random
import shutil
from collections import Counter
from difflib import ndiff
from typing import TYPE_CHECKING

from tests.mutation import copying, running
from tests.mutation.mutants import Mutant, Source
from tests.mutation.reach import Reach
from tests.mutation.report import Report, Verdict

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

FIRST_TESTS = 40
FIRST_FILES = 6
"""The quickest tests have a run of their own: most mutants die there."""
NEWER_SECONDS = 60.0
"""For the tests that are newer than what was traced."""
COMPILER = ("toolgrammar/grammar/", "toolgrammar/patterns/")
"""What compiled tables depend on: a mutant in it gets an empty cache."""


def main() -> None:
    """Judges one sample."""
    arguments = _arguments()
    newer = copying.prepare(keep=arguments.keep, tests=arguments.tests)
    reach = Reach(copying.TREE, copying.DATABASE, copying.SECONDS)
    report = Report(copying.REPORTS / f"{_name(arguments)}.json")
    running.prepare()
    sources: dict[str, Source] = {}
    for mutant in _drawn(arguments, report):
        if mutant.path not in sources:
            sources[mutant.path] = Source(copying.TREE, mutant.path)
        verdict = _judge(mutant, sources[mutant.path], reach, newer, arguments.budget)
        report.add(verdict)
        print(verdict.shown(), flush=True)
    print(report.summary())


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m tests.mutation")
    parser.add_argument("paths", nargs="+", help="packages or modules, from the root")
    parser.add_argument("--sample", type=int, default=300, help="how many mutants")
    parser.add_argument("--seed", type=int, default=0, help="of the draw")
    parser.add_argument("--budget", type=float, default=120, help="seconds of tests a mutant")
    parser.add_argument("--again", action="store_true", help="what survived in the report")
    parser.add_argument("--keep", action="store_true", help="the tree as it was traced")
    parser.add_argument("--tests", action="append", default=[], help="with --keep: a newer file")
    return parser.parse_args()


def _name(arguments: argparse.Namespace) -> str:
    """Returns the name of a report: the same command goes on with the same report."""
    paths = "-".join(path.strip("/").rpartition("/")[2] for path in arguments.paths)
    return f"{paths}-seed-{arguments.seed}"


def _drawn(arguments: argparse.Namespace, report: Report) -> Iterator[Mutant]:
    if arguments.again:
        yield from [Mutant(each.path, each.line, each.number) for each in report.survivors()]
        return
    mutants = [
        mutant for path in _files(arguments.paths) for mutant in Source(copying.TREE, path).mutants
    ]
    print(f"{len(mutants)} mutants, of which {arguments.sample} are tried", flush=True)
    # Not `sample`: a greater sample begins with the smaller one of the same seed.
    random.Random(arguments.seed).shuffle(mutants)
    yield from [each for each in mutants[: arguments.sample] if not report.has(each)]


def _files(paths: list[str]) -> list[str]:
    found: list[Path] = []
    for path in paths:
        place = copying.TREE / path
        found += sorted(place.rglob("*.py")) if place.is_dir() else [place]
    return [file.relative_to(copying.TREE).as_posix() for file in found]


def _judge(
    mutant: Mutant, source: Source, reach: Reach, newer: list[str], budget: float
) -> Verdict:
    text = (copying.TREE / mutant.path).read_text(encoding="utf-8")
    mutated = source.text(mutant)
    tests = _within(reach.tests(mutant), reach, budget)
    # What a process keeps is made in the first test that asks for it, and only that was traced to
    # run the lines. So what survives meets the other units of its package, too.
    beside = _within(
        [each for each in reach.of_package(mutant) if each not in tests], reach, budget
    )
    cache = "empty-cache" if mutant.path.startswith(COMPILER) else "cache"
    os.environ["TOOLGRAMMAR_CACHE"] = str(copying.BUILD / cache)
    with copying.mutated(mutant.path, mutated):
        outcome = _run(tests, beside, reach, newer)
    shutil.rmtree(copying.BUILD / "empty-cache", ignore_errors=True)
    before, after = _change(text, mutated)
    return Verdict(
        *(mutant.path, mutant.line, mutant.number, before, after),
        killed=outcome.killed,
        how=outcome.how,
        tests=len(tests),
        seconds=round(outcome.seconds, 1),
    )


def _run(tests: list[str], beside: list[str], reach: Reach, newer: list[str]) -> running.Outcome:
    outcome = running.Outcome(killed=False, how="no test", seconds=0)
    spent = 0.0
    first = _first(tests)
    rest = [test for test in tests if test not in set(first)]
    for some, files in (
        (first, _files_of(first)),
        ([], newer),
        (rest, _files_of(rest)),
        (beside, _files_of(beside)),
    ):
        if files:
            seconds = sum(reach.seconds[test] for test in some) or NEWER_SECONDS
            chosen = running.Chosen(some, reach.seconds)
            outcome = running.run(copying.TREE, chosen, files, seconds=seconds)
            spent += outcome.seconds
        if outcome.killed:
            break
    return running.Outcome(killed=outcome.killed, how=outcome.how, seconds=spent)


def _files_of(tests: list[str]) -> list[str]:
    return list(dict.fromkeys(test.split("::")[0] for test in tests))


def _first(tests: list[str]) -> list[str]:
    """Returns the quickest tests of a few files."""
    files = _files_of(tests[:FIRST_TESTS])[:FIRST_FILES]
    return [test for test in tests[:FIRST_TESTS] if test.split("::")[0] in files]


def _within(tests: list[str], reach: Reach, budget: float) -> list[str]:
    """Returns as many tests as the budget pays for: the quickest of each file, then the next."""
    ranks: dict[str, int] = {}
    files: Counter[str] = Counter()
    for test in tests:
        file = test.split("::")[0]
        ranks[test] = files[file]
        files[file] += 1
    kept = set()
    for test in sorted(tests, key=lambda each: (ranks[each], reach.seconds[each])):
        budget -= reach.seconds[test]
        if budget < 0:
            break
        kept.add(test)
    return [test for test in tests if test in kept]


def _change(before: str, after: str) -> tuple[str, str]:
    """Returns the lines that a mutant changes, as they were and as they are."""
    lines = list(ndiff(before.splitlines(), after.splitlines()))
    gone = [line[2:].strip() for line in lines if line.startswith("- ")]
    come = [line[2:].strip() for line in lines if line.startswith("+ ")]
    return " ".join(gone), " ".join(come)


if __name__ == "__main__":
    main()
