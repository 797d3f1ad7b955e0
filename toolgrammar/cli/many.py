"""Implements `parse --jobs`, which reads files of rows in several processes.

Its dependencies are imported when it runs, so that other commands start faster.
"""

from __future__ import annotations

import sys
from codecs import BOM_UTF8
from itertools import islice
from typing import TYPE_CHECKING, Any

from toolgrammar.cli.input import STANDARD_INPUT, InputError, read_json
from toolgrammar.cli.output import complain
from toolgrammar.tools.json_texts import read_json as json_of

if TYPE_CHECKING:
    import argparse
    from collections.abc import Collection, Iterable, Mapping

_OK = 0
_NOT_OK = 1
_OF_ROWS = (
    "output",
    "column",
    "format_column",
    "tools_column",
    "finish_reason_column",
    "tool_lists",
)
_COLUMN = "text"
"""Where a row has its message if no column is named."""
_SHOWN = 20
"""Bad rows that are named; the others are counted."""
_LEAVE_OUT = "; leave out --jobs where a file is one message"


def add_options(parser: argparse.ArgumentParser) -> None:
    """Adds the options that read files of rows."""
    rows = parser.add_argument_group(
        "many messages",
        "With --jobs, files hold one JSON object a line, or are Parquet; the output has one "
        "result a row, in their order. A row without a message is reported and not fatal.",
    )
    rows.add_argument("--jobs", type=int, metavar="N", help="processes; 0 for one a processor")
    rows.add_argument(
        "--column", metavar="NAME", help="where a row has its message (text); `a.b` is b in a"
    )
    add_row_settings(rows)
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
        help="write JSON lines (.jsonl) or .parquet there; called again after an interruption, it goes on",
    )
    rows.add_argument(
        "--no-resume", action="store_true", help="with --output, begin anew in any case"
    )


def add_row_settings(rows: argparse._ActionsContainer) -> None:
    """Adds the options that say where rows have their own format, tools and finish reason."""
    rows.add_argument(
        "--format-column", metavar="NAME", help="where a row has its own format; `a.b` is b in a"
    )
    rows.add_argument(
        "--tools-column",
        metavar="NAME",
        help="where a row has its own tools: a list, its JSON text, or the id of a list",
    )
    rows.add_argument(
        "--finish-reason-column",
        metavar="NAME",
        help="where a row has the reason why the server ended its message",
    )
    rows.add_argument(
        "--tool-lists",
        metavar="FILE",
        help="a JSON object of lists of tools by their ids (default: that in the first line of the "
        "rows, where there is one)",
    )


def row_settings(arguments: argparse.Namespace) -> dict[str, Any]:
    """Returns where rows have their own format, tools and finish reason.

    Raises:
        InputError: the file of lists holds something else.
    """
    lists: object = None
    if arguments.tool_lists is not None:
        if arguments.tools_column is None:
            raise InputError("--tool-lists needs --tools-column: where a row has the id of a list")
        lists = read_json(arguments.tool_lists)
        if not isinstance(lists, dict) or not all(isinstance(x, list) for x in lists.values()):
            raise InputError(f'{arguments.tool_lists}: expected `{{"id": [tool, …], …}}`')
    return {
        "format_column": arguments.format_column,
        "tools_column": arguments.tools_column,
        "finish_reason_column": arguments.finish_reason_column,
        "tool_lists": lists,
    }


def refuse_without_jobs(arguments: argparse.Namespace) -> None:
    """Checks that no option of this group is given where a file is one message.

    Raises:
        InputError: one is; the message names it.
    """
    for name in (*_OF_ROWS, "keep", "no_source", "no_resume"):
        if getattr(arguments, name):
            option = name.replace("_", "-")
            raise InputError(f"--{option} is for files of rows, one message a row: add --jobs N")


def note_rows(name: str, data: bytes) -> None:
    """Prints a note if a file that was read as one message looks like rows.

    Args:
        name: the name of the file.
        data: its bytes.
    """
    # The first two rows are enough to tell. Blank lines are no rows.
    lines = (line for line in data.removeprefix(BOM_UTF8).splitlines() if not line.isspace())
    first = [_object(line) for line in islice(filter(None, lines), 2)]
    # A model may answer with one line of JSON: that is a row only if its message is where rows have
    # it by default.
    if first and all(first) and (len(first) > 1 or _COLUMN in first[0]):
        complain(
            f"{name} was read as one message, and its lines are JSON objects; add --jobs N where "
            "each is a row with a message",
            "note",
        )


def _object(line: bytes) -> dict[str, Any]:
    """Returns the JSON object in a line; an empty one if there is none."""
    try:
        value = json_of(line)
    except ValueError:
        return {}
    return value if isinstance(value, dict) else {}


def run(arguments: argparse.Namespace, options: Mapping[str, Any]) -> int:
    """Reads the files of rows and returns the exit status."""
    names: list[str] = arguments.files
    if not names or STANDARD_INPUT in names:
        raise InputError("--jobs reads files of rows; name one")
    if arguments.events:
        raise InputError("--jobs and --events exclude each other")
    # One file of results belongs to one file of rows.
    if arguments.output is not None and len(names) > 1:
        raise InputError("--output takes the results of one file")
    # 0 means one process per processor.
    if arguments.jobs < 0:
        raise InputError(f"--jobs must be 0 or more, got {arguments.jobs}")
    if arguments.no_resume and arguments.output is None:
        raise InputError("--no-resume says how --output goes on: name an output")
    failed = 0
    for name in names:
        work = _print if arguments.output is None else _write
        try:
            failed += work(name, arguments, options)
        # A file of rows that is damaged, an output that is the input, or the rest of another run:
        # the caller's, and told without a traceback.
        except ValueError as error:
            raise InputError(str(error)) from error
    return _NOT_OK if failed else _OK


def _columns(arguments: argparse.Namespace) -> dict[str, Any]:
    return {
        "column": _COLUMN if arguments.column is None else arguments.column,
        "keep": arguments.keep,
        "source": not arguments.no_source,
    }


def _write(name: str, arguments: argparse.Namespace, options: Mapping[str, Any]) -> int:
    """Writes the results to a file; gives how many rows are not ok."""
    from toolgrammar.bulk.batches import batch

    report = batch(
        name,
        output=arguments.output,
        jobs=arguments.jobs,
        resume=not arguments.no_resume,
        finish_reason=arguments.finish_reason,
        **_columns(arguments),
        **row_settings(arguments),
        **options,
    )
    if report.resumed_rows:
        complain(f"went on behind {report.resumed_rows:,} rows of an earlier run", "note")
    name_bad(name, ((row.number, row.reason) for row in report.bad_rows), report.bad, report.rows)
    # Where every row is bad nothing can be said of the columns.
    if report.bad < report.rows:
        note_missing(arguments, report.missing_columns)
    return report.failed


def _print(name: str, arguments: argparse.Namespace, options: Mapping[str, Any]) -> int:
    """Prints the results; gives how many rows are not ok."""
    from toolgrammar.bulk.batches import jobs_of, pour_lines
    from toolgrammar.bulk.rows.columns_of_rows import columns_of
    from toolgrammar.bulk.rows.parse_options import reading_of

    # A copy, from which the format is taken out: the next file needs it, too.
    settings: Any = {**options, "finish_reason": arguments.finish_reason}
    columns = columns_of(name, **row_settings(arguments))
    reading = reading_of(settings.pop("format"), settings, **_columns(arguments), columns=columns)
    # Results and a bar on one terminal would break each other's lines.
    bar = not sys.stdout.isatty()
    failed = bad = rows = 0
    named: list[tuple[int, str]] = []
    seen: set[str] = set()
    output, jobs = sys.stdout.buffer, jobs_of(arguments.jobs)
    for done in pour_lines(name, reading, jobs, output, progress=bar):
        failed += done.failed
        bad += len(done.bad)
        rows += done.rows
        seen |= done.seen
        # No more than are shown: a file may have millions of bad rows.
        named += done.bad[: _SHOWN - len(named)]
    sys.stdout.buffer.flush()
    name_bad(name, named, bad, rows)
    if bad < rows:
        note_missing(arguments, reading.missing(seen))
    return failed


def note_missing(arguments: argparse.Namespace, missing: Collection[str]) -> None:
    """Prints the columns that no row has: their names may be misspelt."""
    columns = ("format_column", "tools_column", "finish_reason_column", "keep", "truth", "label")
    for option in columns:
        # The last two are options of `score` alone; of them and of kept ones there may be several.
        given: str | list[str] | None = getattr(arguments, option, None)
        for name in [given] if isinstance(given, str) else given or ():
            if name in missing:
                complain(f"--{option.replace('_', '-')} {name}: no row has it", "note")


def name_bad(
    name: str, rows: Iterable[tuple[int, str]], count: int, of_all: int, advice: str = _LEAVE_OUT
) -> None:
    """Prints the first bad rows of a file, and a hint if all rows are bad."""
    shown = list(rows)[:_SHOWN]
    for number, reason in shown:
        complain(f"{name}:{number}: {reason}", "bad row")
    if count > len(shown):
        complain(f"{name}: {count - len(shown):,} more", "bad row")
    if not shown or count != of_all:
        return
    # No row is good: the options are more likely wrong than the file.
    if any(reason.startswith("it has no `") for _, reason in shown):
        complain(f"no row of {name} has a message; name its column: --column NAME", "note")
    # A row whose message, format, tools or truth can't be read is one: its reason says what to do.
    elif any(reason.startswith("it is ") for _, reason in shown):
        complain(f"no line of {name} is a row{advice}", "note")
