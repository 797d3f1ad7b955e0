"""Scores one chunk of rows: what a process of the pool does.

A row becomes a line such as `{"row": 7, "labels": {"model": "a"}, "format": "…", "shares":
{"parsed": [1, 1]}, "codes": [], "lost": []}`; one without a message `{"row": 7, "bad": "…"}`.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any, NamedTuple

from toolgrammar.bulk.rows.chunk_work import Done, close
from toolgrammar.bulk.rows.columns_of_rows import value_at
from toolgrammar.bulk.rows.result_lines import plain_json
from toolgrammar.bulk.rows.row_reader import BadSettingError, RowReader, columns_in
from toolgrammar.scoring.message_scores import score_of
from toolgrammar.scoring.truths import truth_of

if TYPE_CHECKING:
    from toolgrammar.bulk.rows.chunk_work import Chunk
    from toolgrammar.bulk.rows.parse_options import Reading

FORMAT = "format"
"""The label of the format in which a message was read; a column of this name replaces it."""


class Scored(NamedTuple):
    """The columns that a score reads."""

    truth: str | None
    """The column with the correct calls of a row."""
    labels: tuple[str, ...]
    """The columns by whose values rows are grouped."""


class Scorer:
    """Scores chunks; it can be pickled."""

    def __init__(self, scored: Scored) -> None:
        self._scored = scored

    def __call__(self, chunk: Chunk, reading: Reading) -> Done:
        """Returns a line for each row of a chunk."""
        done, lines = Done(), []
        reader = RowReader(reading)
        assert reading.columns is not None
        for number, text, kept, problem in chunk.rows(reading):
            # The first line of a file may hold the lists of tools; it is not a message.
            if number == reading.columns.header_line:
                continue
            if text is None and not problem:
                # `parse` reads None as an empty message; in a log, null means no message.
                problem = f"`{reading.column}` is null, not a string"  # noqa: PLW2901 - as in rows
            try:
                row = columns_in(kept)
                reading.columns.note(row, done.seen)
                if problem:
                    raise BadSettingError(problem)  # noqa: TRY301 - one place for bad rows
                line = self._line(number, text, row, reader, done)
            except BadSettingError as error:
                done.bad.append((number, str(error)))
                line = {"row": number, "bad": str(error)}
            done.count_row()
            lines.append(plain_json(line) + b"\n")
        return close(done, lines)

    def _line(
        self,
        number: int,
        text: str | bytes | None,
        row: dict[str, Any],
        reader: RowReader,
        done: Done,
    ) -> dict[str, Any]:
        try:
            truth = truth_of(value_at(row, self._scored.truth), self._scored.truth or "")
        # A truth may nest too deeply to be shown, too; it spoils its own row, not the run.
        except (ValueError, RecursionError) as error:
            raise BadSettingError(f"its truth: {error}") from error
        result = reader.read(text, row)
        done.count_result(result)
        score = score_of(result, reader.tools(row), truth)
        labels = {FORMAT: result.format}
        # After the format, so that a column `format` of the user takes its place.
        for name in self._scored.labels:
            labels[name] = _word(value_at(row, name))
        return {
            "row": number,
            "labels": labels,
            "format": result.format,
            "shares": score.shares,
            "codes": score.codes,
            "lost": score.lost,
        }


def _word(value: object) -> str:
    """Returns the value of a label as a word; "" if a row has none."""
    if value is None:
        return ""
    # A label is a key of tallies and a cell of a table, so `7` and `["a"]` become texts.
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False, default=repr)
