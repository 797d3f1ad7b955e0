"""Defines `batch`, which parses many messages, in several processes if wanted."""

from __future__ import annotations

import hashlib
import json
import os
from functools import partial
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any, Final, Unpack, overload

from toolgrammar.bulk.files.chunks import source_of
from toolgrammar.bulk.rows.chunk_work import read, written
from toolgrammar.bulk.rows.columns_of_rows import columns_of
from toolgrammar.bulk.rows.parse_options import reading_of
from toolgrammar.bulk.runs.journal import LINES, Journal, check_output
from toolgrammar.bulk.runs.pool import in_order
from toolgrammar.bulk.runs.progress import shown
from toolgrammar.bulk.runs.reports import BadRow, BatchReport
from toolgrammar.bulk.runs.spill_files import pour
from toolgrammar.values.errors import check_type
from toolgrammar.version import __version__

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping

    from toolgrammar.bulk.files.chunks import Source
    from toolgrammar.bulk.rows.chunk_work import Done
    from toolgrammar.bulk.rows.parse_options import Reading, Settings
    from toolgrammar.catalogue.registry import FormatsLike
    from toolgrammar.values.calls import ParseResult

_PARQUET: Final = ".parquet"


@overload
def batch(
    data: object,
    format: FormatsLike = "auto",
    *,
    output: None = None,
    column: str = "text",
    format_column: str | None = None,
    tools_column: str | None = None,
    finish_reason_column: str | None = None,
    tool_lists: Mapping[str, Any] | None = None,
    jobs: int = 1,
    progress: bool = True,
    **settings: Unpack[Settings],
) -> Iterator[ParseResult]: ...
@overload
def batch(
    data: object,
    format: FormatsLike = "auto",
    *,
    output: str | os.PathLike[str],
    column: str = "text",
    format_column: str | None = None,
    tools_column: str | None = None,
    finish_reason_column: str | None = None,
    tool_lists: Mapping[str, Any] | None = None,
    keep: Iterable[str] = (),
    source: bool = True,
    jobs: int = 1,
    resume: bool = True,
    progress: bool = True,
    **settings: Unpack[Settings],
) -> BatchReport: ...
def batch(  # noqa: PLR0913 - each is a keyword of its own
    data: object,
    format: FormatsLike = "auto",
    *,
    output: str | os.PathLike[str] | None = None,
    column: str = "text",
    format_column: str | None = None,
    tools_column: str | None = None,
    finish_reason_column: str | None = None,
    tool_lists: Mapping[str, Any] | None = None,
    keep: Iterable[str] = (),
    source: bool = True,
    jobs: int = 1,
    resume: bool = True,
    progress: bool = True,
    **settings: Unpack[Settings],
) -> Iterator[ParseResult] | BatchReport:
    """Reads many messages, in several processes if wanted, and keeps their order.

    Without `output` it returns an iterator of results. With it, it writes the results to a file and
    returns a report; an interrupted run is resumed when `batch` is called again.
    A row without a message is not an error: its result is not ok and says why.

    With more than one job, a script has to call it below `if __name__ == "__main__":`.

    Args:
        data: the path of a file with one JSON object a line, or of a `.parquet` file; a Hugging
            Face dataset; or an iterable of messages, or of mappings that have one.
        format: as in `parse`.
        output: the file to write: one line of JSON per result (`.jsonl`, `.ndjson`), or `.parquet`.
        column: the column with a row's message; here and in the next three, `a.b` is `b` in `a`.
        format_column: the column with a row's own format.
        tools_column: the column with a row's own tools: a list, its JSON text, or the id of a list.
        finish_reason_column: the column with the reason why the server ended a row's message.
        tool_lists: the lists by their ids; by default those in the first line of a file.
        keep: other columns of a row to copy to the output, under `row`.
        source: whether the output repeats the message.
        jobs: the number of processes; 0: one per processor.
        resume: whether to resume an interrupted run with the same data and settings.
        progress: whether to draw a bar, if stderr is a terminal and rich is installed.
        settings: `tools`, `strict`, `prefix`, `id_seed`, `finish_reason` and `limits`, as in
            `parse`, for all messages.

    Raises:
        UnknownFormat: no format has this id or alias.
        GrammarError: the grammar of the format is broken.
        TypeError: an argument has the wrong type.
        ValueError: the output is the data, is of another format, or another run has begun it.
        IsADirectoryError: the output is a directory.
        ImportError: Parquet is read or written, and pyarrow is not installed.
    """
    check_flags(resume=resume, progress=progress)
    columns = columns_of(data, format_column, tools_column, finish_reason_column, tool_lists)
    reading = reading_of(format, settings, column=column, keep=keep, source=source, columns=columns)
    # All is checked now, before a file is opened, even if an iterator is returned.
    found, count = source_of(data), jobs_of(jobs)
    if output is None:
        return _results(found, reading, count, progress=progress)
    check_output(Path(output), data, (*LINES, _PARQUET))
    return _written(found, reading, Path(output), count, resume=resume, progress=progress)


def check_flags(**flags: bool) -> None:
    """Checks options that are true or false: `resume="no"` would resume.

    Raises:
        TypeError: one is something else.
    """
    for name, value in flags.items():
        check_type(name, value, bool)


def jobs_of(jobs: int) -> int:
    """Returns the number of processes.

    Raises:
        TypeError: `jobs` is not a number.
        ValueError: `jobs` is negative.
    """
    check_type("jobs", jobs, int)
    if jobs < 0:
        raise ValueError(f"jobs must be a number of processes, or 0 for all; got {jobs!r}")
    if jobs:
        return jobs
    # In a container, the process may use fewer processors than the machine has.
    affinity: Callable[[int], set[int]] | None = getattr(
        os, "sched_getaffinity", None
    )  # absent on macOS and Windows
    return (os.cpu_count() or 1) if affinity is None else len(affinity(0))


def _results(
    source: Source, reading: Reading, jobs: int, *, progress: bool
) -> Iterator[ParseResult]:
    with shown(source.total, 0, wanted=progress) as tell:
        for chunk, done in in_order(source.chunks(reading, 0, 0), read, reading, jobs):
            tell(chunk.end)
            yield from done.results


def pour_lines(
    data: object, reading: Reading, jobs: int, output: IO[bytes], *, progress: bool = True
) -> Iterator[Done]:
    """Writes the results as lines of JSON to a stream, and yields the counts of each chunk."""
    source = source_of(data)
    with shown(source.total, 0, wanted=progress) as tell:
        for chunk, done in in_order(source.chunks(reading, 0, 0), written, reading, jobs):
            pour(done, output)
            tell(chunk.end)
            yield done


def _written(
    source: Source,
    reading: Reading,
    output: Path,
    jobs: int,
    *,
    resume: bool,
    progress: bool,
) -> BatchReport:
    # Lines of JSON are always written first, so that the run can be resumed; a Parquet file can't
    # be continued, and is converted from the lines at the end.
    as_parquet = output.suffix.lower() == _PARQUET
    # Checked before hours of reading, not after them.
    if as_parquet:
        from toolgrammar.bulk.files.parquet import require_extra

        require_extra()
    # None for an iterable: it is not known whether its rows are the same, so it is not resumed.
    data = source.fingerprint()
    run = {"toolgrammar": __version__, "data": data, "settings": settings_digest(reading)}
    with Journal(output, run, resume=resume and data is not None) as journal:
        now = journal.progress
        resumed = now.rows
        with shown(source.total, now.place, wanted=progress) as tell:
            chunks = source.chunks(reading, now.place, now.before)
            for chunk, done in in_order(chunks, written, reading, jobs, journal.parts):
                # In the order of the chunks, so that the journal needs a single position.
                journal.add(done, chunk.end, chunk.last)
                tell(chunk.end)
        if as_parquet:
            from toolgrammar.bulk.files.parquet import to_parquet

            journal.convert(partial(to_parquet, keeps=bool(reading.keep)))
        journal.finish()
    return BatchReport(
        output,
        now.rows,
        now.calls,
        now.failed,
        now.bad,
        tuple(BadRow(number, reason) for number, reason in now.bad_rows),
        resumed,
        reading.missing(now.seen),
    )


def settings_digest(reading: Reading) -> str:
    """Returns a text that identifies the settings of a run."""
    tools = reading.tools
    said: list[Any] = [
        reading.format.id,
        reading.format.digest,
        # Descriptions of tools do not affect the results; names and schemas do.
        None if tools is None else [[spec.name, spec.parameters] for spec in tools.values()],
        reading.strict,
        reading.prefix,
        reading.id_seed,
        reading.finish_reason,
        # `Limits` is a dataclass, whose `repr` has all fields.
        repr(reading.limits),
        reading.column,
        reading.keep,
        reading.source,
    ]
    if reading.columns is not None:
        said.append(repr(reading.columns))
    return hashlib.sha256(json.dumps(said, default=repr).encode()).hexdigest()
