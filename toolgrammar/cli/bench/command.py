"""The command `bench`: measures formats on the same calls, and runs the suites of a checkout."""

from __future__ import annotations

import argparse
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

from toolgrammar.catalogue.registry import formats
from toolgrammar.cli.bench import formats as bench_formats
from toolgrammar.cli.bench import material as bench_material
from toolgrammar.cli.bench import tokens as bench_tokens
from toolgrammar.cli.bench.drawings import draw
from toolgrammar.cli.bench.report import (
    machine,
    markdown_table,
    number,
    percent,
    write_suite,
)
from toolgrammar.cli.input import InputError
from toolgrammar.cli.output import complain, write_line, write_table

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from toolgrammar.catalogue.format import Format

_FORMATS = "formats"
_PARSERS = "parsers"
_SUITES = (_FORMATS, _PARSERS, "recovery")
_ROUNDS = 15
_DAMAGES = 300

Rows = "list[dict[str, Any]]"

_OUTCOMES = ("exact", "noticed", "lost", "wrong")


def add_to(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Adds the command to the command line."""
    parser = commands.add_parser(
        "bench",
        help="measure size, speed and robustness of formats on the same calls",
        description="Writes the same calls in every format and measures size, tokens, speed, "
        "robustness, and how early a call is known. In a source checkout it also runs the suites "
        "`parsers` (beside other parsers) and `recovery` (beside repairers of JSON).",
    )
    parser.add_argument(
        "suites", nargs="*", metavar="suite", help=f"{', '.join(_SUITES)} (default: all there are)"
    )
    parser.add_argument(
        "--with",
        dest="own",
        action="append",
        default=[],
        metavar="PATH",
        help="your own files, or folders of them: .lark formats, .json tools, .jsonl and .txt "
        "transcripts, whose calls then take the place of the built-in ones",
    )
    parser.add_argument(
        "--format",
        dest="formats",
        action="append",
        default=[],
        metavar="ID",
        help="only this format of the catalogue; may be given again",
    )
    parser.add_argument("--rounds", type=_positive, help=f"rounds (default: {_ROUNDS})")
    parser.add_argument("--damages", type=_positive, help=f"a format (default: {_DAMAGES})")
    parser.add_argument("--into", metavar="FOLDER", help="write JSON, tables and plots there")
    parser.add_argument("--long", action="store_true", help="also what takes tens of minutes")
    parser.set_defaults(run=run)


def run(arguments: argparse.Namespace) -> int:
    """Runs the suites and returns the exit status."""
    scripts = _scripts()
    chosen: list[str] = arguments.suites
    if not chosen:
        # Own material and chosen formats are for the one suite; else a checkout runs all.
        only_formats = scripts is None or arguments.own or arguments.formats
        chosen = [_FORMATS] if only_formats else list(_SUITES)
    for suite in chosen:
        if suite not in _SUITES:
            raise InputError(f"unknown suite {suite!r}; there are {', '.join(_SUITES)}")
    if arguments.own and _FORMATS not in chosen:
        raise InputError("--with is for the suite `formats`; name it too")
    for suite in chosen:
        if suite == _FORMATS:
            _run_formats(arguments)
            continue
        if scripts is None:
            raise InputError(f"the suite {suite!r} needs a source checkout of toolgrammar")
        status = _run_script(scripts, suite, arguments)
        # The first failure ends the run: later suites would hide it.
        if status:
            return status
    return 0


def _scripts() -> Path | None:
    """Returns the folder of the other suites, where this is a source checkout."""
    folder = Path(__file__).resolve().parents[3] / "benchmarks"
    return folder if (folder / "parsers.py").exists() else None


def _run_script(scripts: Path, suite: str, arguments: argparse.Namespace) -> int:
    words = [sys.executable, str(scripts / f"{suite}.py")]
    if arguments.into:
        words += ["--into", str(Path(arguments.into).resolve())]
    if arguments.rounds:
        words += ["--rounds", str(arguments.rounds)]
    if arguments.long:
        words.append("--long")
    # Of the scripts only this one takes formats.
    if suite == _PARSERS:
        for name in arguments.formats:
            words += ["--format", formats.resolve(name).id]
    write_line(f"== {suite}")
    # The script writes by itself, so this line must be out before it begins.
    sys.stdout.flush()
    return subprocess.run(words, check=False).returncode  # noqa: S603 - a script of the checkout


def _run_formats(arguments: argparse.Namespace) -> None:
    own = arguments.own
    material = (
        bench_material.read_material(own)
        if own
        else bench_material.Material(bench_material.built_in())
    )
    chosen: list[Format] = [formats.resolve(name) for name in arguments.formats] or list(
        formats.values()
    )
    tokenizers, missing = bench_tokens.tokenizers()
    # The caller's own formats come first in the table.
    cases, skipped = bench_formats.cases((*material.formats, *chosen), material.messages)
    for words in (*missing, *material.skipped, *skipped):
        complain(words, "note")
    rows = bench_formats.measure(
        cases,
        tokenizers,
        rounds=arguments.rounds or _ROUNDS,
        damaged=arguments.damages or _DAMAGES,
    )
    names = list(tokenizers)
    headings, cells = _table(rows, names)
    write_table(headings, cells)
    write_line(_legend(len(material.messages)))
    if arguments.into:
        _write(Path(arguments.into), rows, names, _legend(len(material.messages)))


def _table(
    rows: list[dict[str, Any]], tokenizers: Sequence[str]
) -> tuple[list[str], list[list[str]]]:
    columns: list[tuple[str, str, Callable[[Any], str]]] = [
        ("format", "format", str),
        ("messages", "messages", str),
        *((f"{name} +", f"{name}_overhead", percent) for name in ("characters", *tokenizers)),
        ("parse µs", "parse_us", number),
        ("delta µs", "delta_us", number),
        ("4 KB µs", "parse_long_us", number),
        ("4 KB delta µs", "delta_long_us", number),
        ("name at", "name_known", percent),
        ("call at", "call_known", percent),
        *((name, name, percent) for name in _OUTCOMES),
    ]
    # Some figures are missing: those of a long message that a format can't carry, say.
    cells = [[shown(row.get(key)) for _, key, shown in columns] for row in rows]
    for row, line in zip(rows, cells, strict=True):
        # Calls of its own: such sizes do not compare with those of the others.
        line[1] = f"{row['messages']} own" if row["own_calls"] else str(row["messages"])
    return [heading for heading, _, _ in columns], cells


def _legend(messages: int) -> str:
    return (
        f"messages: carried of {messages}; `own`: calls of the format's own page instead. "
        "+: more than the bare JSON of the calls. µs: least of all rounds, a message or a delta of "
        f"{bench_formats.DELTA} characters. at: share of the characters that must be there. "
        "exact … wrong: what one damaged character of the syntax comes to."
    )


def _write(folder: Path, rows: list[dict[str, Any]], tokenizers: list[str], legend: str) -> None:
    sections = [legend, markdown_table(*_table(rows, tokenizers))]
    write_suite(folder, "formats", "Formats", machine(), {"rows": rows}, sections)
    # Figures compare formats on the same calls; those on calls of their own are left out.
    draw(folder, [row for row in rows if not row["own_calls"]] or rows, tokenizers)


def _positive(text: str) -> int:
    # Not `int` alone, which takes `-1` and `1_0`.
    value = int(text) if text.strip().isdecimal() else 0
    if value < 1:
        raise argparse.ArgumentTypeError("expected a number from 1")
    return value
