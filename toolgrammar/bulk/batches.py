"""Reads many messages: `batch`."""

from __future__ import annotations

import hashlib
import json
import os
from functools import partial
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any, Unpack, overload

from toolgrammar.bulk.files.chunks import source_of
from toolgrammar.bulk.rows.chunk_work import read, written
from toolgrammar.bulk.rows.columns_of_rows import columns_of
from toolgrammar.bulk.rows.parse_options import reading_of
from toolgrammar.bulk.runs.journal import Journal, check_output
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


@overload
def batch(
    data: object,
    format: FormatsLike = "auto",
    *,
    output: None = None,
    column: str = "text",
    format_column: str | None = None,
    tools_column: str | None = None,
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
    tool_lists: Mapping[str, Any] | None = None,
    keep: Iterable[str] = (),
    source: bool = True,
    jobs: int = 1,
    resume: bool = True,
    progress: bool = True,
    **settings: Unpack[Settings],
) -> Iterator[ParseResult] | BatchReport:
    """Reads many messages, in several processes if wanted, and keeps their order.

    Without `output` it returns an iterator of results. With it, it writes them to a file and
    returns a report; a run that was interrupted goes on where it stopped when it is called again.
    A row without a message is no error: its result is not ok and says why.

    With more than one job a script calls this below `if __name__ == "__main__":`.

    Args:
        data: the path of a file with one JSON object a line, or of a `.parquet` file; a Hugging
            Face dataset; or an iterable of messages, or of mappings that have one.
        format: as in `parse`.
        output: where the results go: JSON, one line a result, or `.parquet`.
        column: where a row has its message.
        format_column: where a row has its own format; `a.b` is the column `b` in the object `a`.
        tools_column: where a row has its own tools: a list, its JSON text, or the id of a list.
        tool_lists: these lists by id; by default those in the first line of a file.
        keep: other columns of a row that go into the output, under `row`.
        source: whether the output repeats the message.
        jobs: how many processes read; 0 for one a processor.
        resume: whether to go on from an interrupted run of the same data and settings.
        progress: whether to draw a bar, where standard error is a terminal and rich is installed.
        settings: `tools`, `strict`, `prefix`, `id_seed`, `finish_reason` and `limits`, as in
            `parse`, for all messages.

    Raises:
        UnknownFormat: no format has this id or alias.
        GrammarError: the grammar of the format is broken.
        TypeError: an argument has the wrong type.
        ValueError: the output is the data itself, or what an interrupted run left is of other
            data or settings.
        IsADirectoryError: the output is a directory.
        ImportError: Parquet is read or written, and pyarrow is not installed.
    """
    # All settings are checked here, before the first row is read or a file is opened.
    columns = columns_of(data, format_column, tools_column, tool_lists)
    reading = reading_of(format, settings, column=column, keep=keep, source=source, columns=columns)
    # What can go wrong with the arguments goes wrong now, also where an iterator is returned.
    found, count = source_of(data), jobs_of(jobs)
    if output is None:
        return _results(found, reading, count, progress=progress)
    check_output(Path(output), data)
    return _written(found, reading, Path(output), count, resume=resume, progress=progress)


def jobs_of(jobs: int) -> int:
    """Returns how many processes are meant.

    Raises:
        TypeError: it is no number.
        ValueError: none can be.
    """
    check_type("jobs", jobs, int)
    if jobs < 0:
        raise ValueError(f"jobs must be a number of processes, or 0 for all; got {jobs!r}")
    if jobs:
        return jobs
    # In a container, this process may have fewer processors than the machine.
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
    """Writes the results as lines of JSON, and returns chunk by chunk what became of it."""
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
    # The same lines are written either way, so that a run can be resumed; Parquet, which can't be
    # gone on with in the middle, is made of them in the end.
    as_parquet = output.suffix.lower() == ".parquet"
    # Before hours of reading, not behind them.
    if as_parquet:
        from toolgrammar.bulk.files.parquet import require_extra

        require_extra()
    # None for rows of any iterable: nobody can tell whether they are the same, so nothing is
    # resumed.
    data = source.fingerprint()
    run = {"toolgrammar": __version__, "data": data, "settings": settings_digest(reading)}
    with Journal(output, run, resume=resume and data is not None) as journal:
        now = journal.progress
        resumed = now.rows
        with shown(source.total, now.place, wanted=progress) as tell:
            chunks = source.chunks(reading, now.place, now.before)
            for chunk, done in in_order(chunks, written, reading, jobs, journal.parts):
                # In the order of the chunks: what the journal says to be written is whole up to one
                # place.
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
        reading.columns.missing(now.seen) if reading.columns else (),
    )


def settings_digest(reading: Reading) -> str:
    """Returns what tells the settings of a run from others."""
    tools = reading.tools
    said: list[Any] = [
        reading.format.id,
        reading.format.digest,
        # A description of a tool changes nothing of what is read: names and schemas do.
        None if tools is None else [[spec.name, spec.parameters] for spec in tools.values()],
        reading.strict,
        reading.prefix,
        reading.id_seed,
        reading.finish_reason,
        # `Limits` is a dataclass: its text has all fields.
        repr(reading.limits),
        reading.column,
        reading.keep,
        reading.source,
    ]
    if reading.columns is not None:
        said.append(repr(reading.columns))
    return hashlib.sha256(json.dumps(said, default=repr).encode()).hexdigest()
