"""The part of the command `parse` that reads files of rows: `--jobs`.

What it needs is imported when it runs: the other commands shall not wait for it.
"""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any

from toolgrammar.cli.input import STANDARD_INPUT, InputError
from toolgrammar.cli.output import complain

if TYPE_CHECKING:
    import argparse
    from collections.abc import Iterable, Mapping

_OK = 0
_NOT_OK = 1
_SHOWN = 20
"""Bad rows that are named; the others are counted."""


def add_options(parser: argparse.ArgumentParser) -> None:
    """Adds the options that read files of rows."""
    rows = parser.add_argument_group(
        "many messages",
        "With --jobs, files hold one JSON object a line, or are Parquet; the output has one "
        "result a row, in their order. A row without a message is reported and not fatal.",
    )
    rows.add_argument("--jobs", type=int, metavar="N", help="processes; 0 for one a processor")
    rows.add_argument("--column", metavar="NAME", help="where a row has its message (text)")
    rows.add_argument(
        "--keep",
        action="append",
        default=[],
        metavar="COLUMN",
        help="a column that goes into the output under `row`; may be repeated",
    )
    rows.add_argument("--no-source", action="store_true", help="do not repeat the messages")
    rows.add_argument(
        "--output",
        metavar="FILE",
        help="write JSON lines or .parquet there; called again after an interruption, it goes on",
    )
    rows.add_argument(
        "--no-resume", action="store_true", help="with --output, begin anew in any case"
    )


def refuse_without_jobs(arguments: argparse.Namespace) -> None:
    """Makes sure that no option of this group is given where a file is one message.

    Raises:
        InputError: one is; the message names it.
    """
    for name in ("output", "column", "keep", "no_source", "no_resume"):
        if getattr(arguments, name):
            option = name.replace("_", "-")
            raise InputError(f"--{option} is for files of rows, one message a row: add --jobs N")


def run(arguments: argparse.Namespace, options: Mapping[str, Any]) -> int:
    """Reads the files of rows and returns the exit status."""
    names: list[str] = arguments.files
    if not names or STANDARD_INPUT in names:
        raise InputError("--jobs reads files of rows; name one")
    if arguments.events:
        raise InputError("--jobs and --events exclude each other")
    if arguments.output is not None and len(names) > 1:
        raise InputError("--output takes the results of one file")
    if arguments.jobs < 0:
        raise InputError(f"--jobs must be 0 or more, got {arguments.jobs}")
    if arguments.no_resume and arguments.output is None:
        raise InputError("--no-resume says how --output goes on: name an output")
    failed = 0
    for name in names:
        if arguments.output is None:
            failed += _print(name, arguments, options)
        else:
            failed += _write(name, arguments, options)
    return _NOT_OK if failed else _OK


def _columns(arguments: argparse.Namespace) -> dict[str, Any]:
    return {
        "column": "text" if arguments.column is None else arguments.column,
        "keep": arguments.keep,
        "source": not arguments.no_source,
    }


def _write(name: str, arguments: argparse.Namespace, options: Mapping[str, Any]) -> int:
    """Writes the results to a file; gives how many rows are not ok."""
    from toolgrammar.bulk.batches import batch

    try:
        report = batch(
            name,
            output=arguments.output,
            jobs=arguments.jobs,
            resume=not arguments.no_resume,
            finish_reason=arguments.finish_reason,
            **_columns(arguments),
            **options,
        )
    except ValueError as error:
        raise InputError(str(error)) from error
    if report.resumed_rows:
        complain(f"went on behind {report.resumed_rows:,} rows of an earlier run", "note")
    _name_bad(name, ((row.number, row.reason) for row in report.bad_rows), report.bad, report.rows)
    return report.failed


def _print(name: str, arguments: argparse.Namespace, options: Mapping[str, Any]) -> int:
    """Prints the results; gives how many rows are not ok."""
    from toolgrammar.bulk.batches import jobs_of, pour_lines
    from toolgrammar.bulk.reading import reading_of

    settings: Any = {**options, "finish_reason": arguments.finish_reason}
    reading = reading_of(settings.pop("format"), settings, **_columns(arguments))
    bar = not sys.stdout.isatty()
    failed = bad = rows = 0
    named: list[tuple[int, str]] = []
    output, jobs = sys.stdout.buffer, jobs_of(arguments.jobs)
    for done in pour_lines(name, reading, jobs, output, progress=bar):
        failed += done.failed
        bad += len(done.bad)
        rows += done.rows
        named += done.bad[: _SHOWN - len(named)]
    sys.stdout.buffer.flush()
    _name_bad(name, named, bad, rows)
    return failed


def _name_bad(name: str, rows: Iterable[tuple[int, str]], count: int, of_all: int) -> None:
    shown = list(rows)[:_SHOWN]
    for number, reason in shown:
        complain(f"{name}:{number}: {reason}", "bad row")
    if count > len(shown):
        complain(f"{name}: {count - len(shown):,} more rows without a message", "bad row")
    if not shown or count != of_all:
        return
    if any(reason.startswith("it has no `") for _, reason in shown):
        complain(f"no row of {name} has a message; name its column: --column NAME", "note")
    else:
        complain(
            f"no line of {name} is a row; leave out --jobs where a file is one message", "note"
        )
