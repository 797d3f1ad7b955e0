"""Defines the step for Ray and Spark: parses one column of a batch into a new column."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Unpack

from toolgrammar.bulk.rows.flat_result import parsed_of, parsed_type
from toolgrammar.bulk.rows.parse_options import reading_of
from toolgrammar.bulk.rows.row_fields import checked

if TYPE_CHECKING:
    from collections.abc import Iterable

    from toolgrammar.bulk.rows.parse_options import Settings
    from toolgrammar.catalogue.registry import FormatsLike

__all__ = ["ParseColumn"]


class ParseColumn:
    """Parses a column; it can be pickled, so that it can be sent to the workers of a cluster.

    Called with a batch it returns the same batch with one column more, of
    `toolgrammar.bulk.rows.flat_result.parsed_type`. A batch is a pyarrow table, a pandas data
    frame, or a mapping of columns, as Ray Data, `datasets.map(batched=True)` and Spark's
    `mapInPandas` give.
    """

    def __init__(
        self,
        format: FormatsLike = "auto",
        *,
        column: str = "text",
        into: str = "parsed",
        **settings: Unpack[Settings],
    ) -> None:
        """Stores the settings of the step.

        Args:
            format: as in `parse`.
            column: the column with the messages.
            into: the column to add.
            settings: `tools`, `strict`, `prefix`, `id_seed`, `finish_reason` and `limits`, as in
                `parse`, for all messages.

        Raises:
            UnknownFormat: no format has this id or alias.
            GrammarError: the grammar of the format is broken.
            TypeError: an argument has the wrong type.
        """
        self.into = into
        self.reading = reading_of(format, settings, column=column)

    def __call__(self, batch: Any) -> Any:
        """Returns the batch with the column added; a row without a message is not `ok`."""
        column = self.reading.column
        # Ray and `datasets` may give dicts of columns.
        if isinstance(batch, Mapping):
            _check_column(column, batch)
            return {**batch, self.into: self.values(batch[column])}
        # A table of pyarrow: with its own type, so that an empty batch has the same columns.
        if hasattr(batch, "append_column"):
            import pyarrow as pa

            _check_column(column, batch.column_names)
            values = self.values(batch.column(column).to_pylist())
            return batch.append_column(self.into, pa.array(values, parsed_type()))
        # A data frame of pandas.
        if hasattr(batch, "assign"):
            _check_column(column, batch.columns)
            return batch.assign(**{self.into: self.values(batch[column])})
        raise TypeError(
            "expected a pyarrow table, a pandas data frame or a mapping of columns, "
            f"got {type(batch).__name__}"
        )

    def values(self, messages: Iterable[object]) -> list[dict[str, Any]]:
        """Returns the values of the new column."""
        # One reader for the whole batch.
        reading, found = self.reading, []
        read = reading.reader()
        for number, message in enumerate(messages, 1):
            # Kept columns are not needed: the batch has all its columns.
            _, text, _, problem = checked(number, message, reading.column)
            found.append(parsed_of(reading.refused(number, problem) if problem else read(text)))
        return found


def _check_column(column: str, there: Iterable[Any]) -> None:
    names = list(there)
    if column not in names:
        raise KeyError(f"no column {column!r}; there are {', '.join(map(repr, names)) or 'none'}")
