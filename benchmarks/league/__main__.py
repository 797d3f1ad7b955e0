"""Which reader of tool calls reads what public acceptance suites ask for, and how fast?

`make league` runs toolgrammar, vLLM, SGLang, transformers and the other readers that install from
PyPI over the suite canitoolcall, and over files that `--data` names: cases, recorded messages, a
folder of Dynamo's parity fixtures (`files.py` says how they look). It writes one table for each, and
why toolgrammar does not pass a fixture (`reasons.toml`).

The others need `peers/set_up.py` (minutes, 7 GB); the run then takes place in their environment.
Without it they are listed as not installed.
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path
from typing import Any

BENCHMARKS = Path(__file__).resolve().parents[1]
sys.path[:0] = [str(BENCHMARKS), str(BENCHMARKS.parent)]

from peers.process import measured  # noqa: E402 - needs the path above


def options() -> argparse.Namespace:
    """Returns the options of the run."""
    parser = argparse.ArgumentParser(
        prog="league", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    add = parser.add_argument
    add("--data", action="append", type=Path, default=[], metavar="PATH", help="also this suite")
    add("--limit", type=int, help="at most so many fixtures of each --data, spread over it")
    add("--only-data", action="store_true", help="leave canitoolcall out")
    add("--reader", action="append", default=[], help="only this one; may repeat")
    add("--rounds", type=int, default=5, help="of the times; 0 measures none")
    add("--show", action="store_true", help="also print what each reader does not pass, and why")
    add("--into", type=Path, help="write the tables and figures there")
    add("--figures", type=Path, help=argparse.SUPPRESS)
    return parser.parse_args()


def figures(given: argparse.Namespace) -> dict[str, Any]:
    """Returns all that is counted and measured."""
    from peers import absent

    absent.enter()
    from league.files import fixtures_of
    from league.readers import ENTRANTS
    from league.run import tallies
    from league.speed import speeds, summary
    from toolgrammar.cli.bench.report import machine

    left: dict[str, dict[str, int]] = {}
    fixtures = []
    if not given.only_data:
        from league.canitoolcall_suite import fixtures as of_canitoolcall

        fixtures += of_canitoolcall()
    for path in given.data:
        found, apart = fixtures_of(path, given.limit)
        fixtures += found
        left[path.name] = dict(apart)
    entrants = [each for each in ENTRANTS if not given.reader or each.name in given.reader]
    versions = {each.name: each.version() for each in entrants}
    there = [each for each in entrants if versions[each.name] is not None]
    counted = tallies(fixtures, there)
    streams = {each.name: each.streams for each in entrants}
    suites = list(dict.fromkeys(fixture.suite for fixture in fixtures))
    rows = [
        {**each.row(), "streams": streams[each.reader], "is_part": bool(given.limit)}
        for each in counted
    ]
    rows += [
        {"reader": each.name, "suite": suite, "is_part": bool(given.limit)}
        for suite in suites
        for each in entrants
        if each not in there
    ]
    times = speeds(there, given.rounds) if given.rounds else []
    return {
        "machine": machine(),
        "versions": versions,
        "tallies": rows,
        "left": left,
        "missed": {each.suite: each.missed for each in counted if each.reader == "toolgrammar"},
        "missed_by_others": {
            f"{each.reader}: {each.suite}": each.missed
            for each in counted
            if each.reader != "toolgrammar"
        },
        "cut_dependent": {f"{each.reader}: {each.suite}": each.cut_dependent for each in counted},
        "speed": summary(times),
        "speed_of_formats": times,
    }


def main() -> None:
    """Counts in the environment of the readers where there is one; then shows the figures here."""
    given = options()
    here = Path(__file__).resolve().parent
    parts = measured(here, given.figures, lambda: figures(given), "only toolgrammar is there")
    show(parts, given)


def show(parts: dict[str, Any], given: argparse.Namespace) -> None:
    """Prints the tables, and writes them where a folder is given."""
    from league.pages import pages
    from toolgrammar.cli.bench.report import write_suite

    sections = pages(parts)
    print("\n\n".join(sections))
    if given.show:
        for name, missed in {**parts["missed"], **parts["missed_by_others"]}.items():
            for fixture, (verdict, why) in missed.items():
                print(f"{name}: {fixture}: {verdict}: {why}")
    if given.into is not None:
        measured = {key: value for key, value in parts.items() if key != "machine"}
        # Differences quote the fixtures, which are others' texts: the file has the verdicts alone.
        measured["missed_by_others"] = _verdicts(parts["missed_by_others"])
        measured["missed"] = _verdicts(parts["missed"])
        write_suite(given.into, "league", "League", parts["machine"], measured, sections)


def _verdicts(missed: dict[str, dict[str, Any]]) -> dict[str, dict[str, str]]:
    return {suite: {name: each[0] for name, each in of.items()} for suite, of in missed.items()}


if __name__ == "__main__":
    main()
