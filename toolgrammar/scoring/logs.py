"""Scores logs: runs over the rows of a file, a data frame or any iterable, and adds up.

`score("log.jsonl", truth="calls", labels=["model"])` reads the message, the right calls and the
model of each line, and returns a `ScoreReport` with the shares of each model.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple, Unpack

from toolgrammar.bulk.batches import check_flags, jobs_of, settings_digest
from toolgrammar.bulk.files.chunks import source_of
from toolgrammar.bulk.rows.columns_of_rows import columns_of
from toolgrammar.bulk.rows.parse_options import reading_of
from toolgrammar.bulk.runs.journal import LINES, Journal, check_output
from toolgrammar.bulk.runs.pool import in_order
from toolgrammar.bulk.runs.progress import shown
from toolgrammar.bulk.runs.reports import MOST_BAD_ROWS, BadRow
from toolgrammar.scoring.reports import report_of
from toolgrammar.scoring.scored_rows import Scored, Scorer
from toolgrammar.scoring.tallies import Tallies
from toolgrammar.values.errors import check_several
from toolgrammar.version import __version__

if TYPE_CHECKING:
    import os
    from collections.abc import Iterable, Iterator, Mapping

    from toolgrammar.bulk.files.chunks import Source
    from toolgrammar.bulk.rows.chunk_work import Done
    from toolgrammar.bulk.rows.parse_options import Reading, Settings
    from toolgrammar.catalogue.registry import FormatsLike
    from toolgrammar.scoring.reports import ScoreReport


def score(  # noqa: PLR0913 - each is a keyword of its own
    rows: object,
    format: FormatsLike = "auto",
    *,
    column: str = "text",
    format_column: str | None = None,
    tools_column: str | None = None,
    finish_reason_column: str | None = None,
    tool_lists: Mapping[str, Any] | None = None,
    truth: str | None = None,
    labels: Iterable[str] = (),
    output: str | os.PathLike[str] | None = None,
    jobs: int = 1,
    resume: bool = True,
    progress: bool = True,
    **settings: Unpack[Settings],
) -> ScoreReport:
    """Returns what share of the messages was read, repaired, cut, and right, by label.

    With more than one job a script calls this below `if __name__ == "__main__":`.

    Args:
        rows: what `batch` reads: a path, a data frame, a dataset, an iterable of messages or rows.
        format: as in `parse`, for rows that name none.
        column: where a row has its message; in every column, `a.b` is `b` in the object `a`.
        format_column: where a row has its format.
        tools_column: where a row has its tools: a list, its JSON text, or the id of a list.
        finish_reason_column: where a row has the reason why the server ended its message.
        tool_lists: these lists by id; by default those in the first line of a file.
        truth: where a row has the calls that were right; one that has none is not compared.
        labels: columns by whose values rows are counted apart; the format always is.
        output: a file for the score of each row, as lines of JSON (`.jsonl`, `.ndjson`); called
            again, an interrupted run goes on.
        jobs: how many processes read; 0 for one a processor.
        resume: whether to go on from an interrupted run of the same rows and settings.
        progress: whether to draw a bar, where standard error is a terminal and rich is installed.
        settings: those of `parse`; its tools are for rows that have none.

    Raises:
        TypeError: an argument has the wrong type.
        ValueError: the output is the log, is of another format, or another run has begun it.
        ImportError: Parquet is read, and pyarrow is not installed.
    """
    # A string is an iterable of strings too: `labels="model"` would count by the columns `m`, `o`,
    # `d`, and so on, all empty, and nobody would see the mistake.
    check_several("labels", labels, "a list of columns")
    check_flags(resume=resume, progress=progress)
    scored = Scored(truth, tuple(labels))
    # Processes are handed only the columns that are looked at, so these are named beforehand.
    others = [name for name in (truth, *scored.labels) if name is not None]
    columns = columns_of(
        rows, format_column, tools_column, finish_reason_column, tool_lists, others=others
    )
    reading = reading_of(format, settings, column=column, columns=columns)
    run = _Run(source_of(rows), reading, Scorer(scored), jobs_of(jobs), progress)
    if output is None:
        return _in_memory(run)
    # Before the output is opened: one that is the log itself would overwrite it.
    check_output(Path(output), rows, LINES)
    return _with_journal(run, Path(output), resume=resume)


class _Run(NamedTuple):
    """The settings of a run."""

    source: Source
    reading: Reading
    work: Scorer
    jobs: int
    progress: bool


def _in_memory(run: _Run) -> ScoreReport:
    """Adds the lines up as they come."""
    tallies, total, bad, seen = Tallies(), 0, list[tuple[int, str]](), set[str]()
    with shown(run.source.total, 0, wanted=run.progress) as tell:
        chunks = run.source.chunks(run.reading, 0, 0)
        for chunk, done in in_order(chunks, run.work, run.reading, run.jobs):
            tallies.add(_lines(done))
            total += done.rows
            seen |= done.seen
            # The first bad rows show what is wrong; all of a spoilt log would fill the memory.
            bad += done.bad[: MOST_BAD_ROWS - len(bad)]
            tell(chunk.end)
    return _report(run, tallies, total, bad, seen)


def _with_journal(run: _Run, output: Path, *, resume: bool) -> ScoreReport:
    """Writes a line for each row, from where an interrupted run stopped, and adds all lines up."""
    # An interrupted run goes on only over the same rows. What has no fingerprint, such as a
    # generator, can't be known to be the same, and begins again.
    data = run.source.fingerprint()
    head = {"toolgrammar": __version__, "score": data, "settings": settings_digest(run.reading)}
    with Journal(output, head, resume=resume and data is not None) as journal:
        now = journal.progress
        with shown(run.source.total, now.place, wanted=run.progress) as tell:
            chunks = run.source.chunks(run.reading, now.place, now.before)
            for chunk, done in in_order(chunks, run.work, run.reading, run.jobs, journal.parts):
                journal.add(done, chunk.end, chunk.last)
                tell(chunk.end)
        journal.finish()
    tallies = Tallies()
    # The tallies come from the file, not from this run: lines of the interrupted run count too.
    with output.open("rb") as file:
        tallies.add(file)
    return _report(run, tallies, now.rows, now.bad_rows, now.seen)


def _report(
    run: _Run, tallies: Tallies, rows: int, bad: Iterable[tuple[int, str]], seen: Iterable[str]
) -> ScoreReport:
    columns = run.reading.columns
    missing = () if columns is None else columns.missing(seen)
    return report_of(tallies, rows, tuple(BadRow(*each) for each in bad), missing)


def _lines(done: Done) -> Iterator[bytes]:
    """Yields the lines of a chunk, wherever they are."""
    if done.part is None:
        yield from done.lines
        return
    with done.part.open("rb") as file:
        yield from file
    # The part is read once; left there, parts of a long run would fill the disk.
    done.part.unlink()
