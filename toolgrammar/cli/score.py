"""The command `score`: prints the shares of a log's messages that were read, repaired, cut, correct.

For a log with the messages of two models it prints a line for each, with shares such as
`94.2 [92.8 95.4]`: per cent, and the interval.
"""

from __future__ import annotations

import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING

from toolgrammar.catalogue.registry import formats
from toolgrammar.cli.input import InputError, read_tools
from toolgrammar.cli.many import add_row_settings, name_bad, note_missing, row_settings
from toolgrammar.cli.output import complain, one_line, write_json, write_line, write_table

if TYPE_CHECKING:
    import argparse

    from toolgrammar.scoring.reports import ScoreReport

_OK = 0
_NOTHING = 1
_ENDINGS = (".json", ".parquet", ".md", ".html", ".htm")
_MOST_ROWS = 40
"""Values of a label that are printed; files have all."""


def add_to(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Adds the command to the command line."""
    parser = commands.add_parser(
        "score",
        help="say what share of a log's messages was read, repaired, cut, and right",
        description="Reads a log, one JSON object a line (.gz too) or Parquet, and prints a table "
        "for each label: per cent of the messages or calls, with 95 % intervals. Exits with 0, "
        "whatever the score; 1 when every row is bad; 2 when it was called wrongly.",
    )
    parser.add_argument("log", help="the file of rows")
    parser.add_argument(
        "--format", default="auto", help="of rows that name none: ids, aliases (default: auto)"
    )
    parser.add_argument("--tools", metavar="FILE", help="JSON list of tools, for rows without any")
    parser.add_argument(
        "--column", default="text", metavar="NAME", help="the message (text); `a.b` is b in a"
    )
    add_row_settings(parser)
    parser.add_argument(
        "--truth", metavar="COLUMN", help="where a row has the calls that were right"
    )
    parser.add_argument(
        "--label",
        action="append",
        default=[],
        metavar="COLUMN",
        help="count the rows apart by its values, as `model` or `meta.model`; may be repeated",
    )
    parser.add_argument(
        "--output",
        action="append",
        default=[],
        metavar="FILE",
        help="write the report as .json, .parquet, .md or .html; may be repeated",
    )
    parser.add_argument("--json", action="store_true", help="print the report as JSON")
    parser.add_argument(
        "--rows",
        metavar="FILE",
        help="write the score of each row there as lines of JSON (.jsonl); called again after an "
        "interruption, it goes on",
    )
    parser.add_argument("--no-resume", action="store_true", help="with --rows, begin anew")
    parser.add_argument("--jobs", type=int, default=1, metavar="N", help="processes; 0 for all")
    parser.add_argument("--finish-reason", help="why the server stopped, as in `length`")
    parser.add_argument("--strict", action="store_true", help="repair nothing")
    parser.set_defaults(run=run)


def run(arguments: argparse.Namespace) -> int:
    """Scores the log, prints or writes the report, and returns the exit status."""
    from toolgrammar.bulk.runs.journal import check_output
    from toolgrammar.scoring.logs import score

    # Before hours of reading, not after them.
    for name in arguments.output:
        try:
            check_output(Path(name), arguments.log, _ENDINGS)
        except ValueError as error:
            raise InputError(f"--output {error}") from error
        _require_extras(name)
    if arguments.jobs < 0:
        raise InputError(f"--jobs must be 0 or more, got {arguments.jobs}")
    if arguments.no_resume and arguments.rows is None:
        raise InputError("--no-resume says how --rows goes on: name a file")
    began = time.monotonic()
    try:
        report = score(
            arguments.log,
            formats.resolve_any(arguments.format),
            column=arguments.column,
            truth=arguments.truth,
            labels=arguments.label,
            output=arguments.rows,
            jobs=arguments.jobs,
            resume=not arguments.no_resume,
            tools=read_tools(arguments.tools),
            finish_reason=arguments.finish_reason,
            strict=arguments.strict,
            **row_settings(arguments),
        )
    except ValueError as error:
        raise InputError(str(error)) from error
    for name in arguments.output:
        report.write(name)
    if arguments.json:
        write_json(report.to_dict())
    else:
        _print(report)
    name_bad(
        arguments.log,
        [(x.number, x.reason) for x in report.bad_rows],
        report.bad,
        report.rows,
        advice="",
    )
    # Where every row is bad nothing can be said of the columns.
    if report.all.messages:
        note_missing(arguments, report.missing_columns)
    _summary(report, time.monotonic() - began)
    # If none of a thousand rows has a message, the column is wrong.
    return _OK if report.all.messages or not report.rows else _NOTHING


def _require_extras(name: str) -> None:
    """Checks that a report can be written.

    Raises:
        ImportError: what it needs is not installed.
    """
    if name.lower().endswith(".parquet"):
        from toolgrammar.bulk.files.parquet import require_extra
    elif name.lower().endswith(".json"):
        return
    else:
        from toolgrammar.scoring.plots import require_extra
    require_extra()


def _print(report: ScoreReport) -> None:
    from toolgrammar.scoring.pages import table_of

    for place, label in enumerate(("", *report.labels)):
        groups = report.by(label) if label else (report.all,)
        headings, *rows = table_of(report, groups[:_MOST_ROWS], label)
        if place:
            write_line()
        write_table(headings, [[one_line(each) for each in row] for row in rows])
        if len(groups) > _MOST_ROWS:
            write_line(f"… and {len(groups) - _MOST_ROWS:,} more: --output has them all")
    if report.all.lost:
        counts = ", ".join(f"{code} {number:,}" for code, number in report.all.lost.items())
        write_line(f"\nlost by: {counts}")


def _summary(report: ScoreReport, seconds: float) -> None:
    """Prints a summary at the end, unless it would mix with the output."""
    if sys.stderr.isatty() or not sys.stdout.isatty():
        parsed = f"{100 * report.all['parsed'].share:.1f} % parsed, " if report.all.messages else ""
        complain(
            f"{report.rows:,} rows in {seconds:.1f} s: {parsed}{report.bad:,} bad rows",
            "note",
        )
