"""Defines the step for Ray Data, which adds a column of results to a dataset."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from toolgrammar.bulk.columns import ParseColumn
from toolgrammar.values.errors import check_extra

if TYPE_CHECKING:
    from toolgrammar.catalogue.registry import FormatsLike

__all__ = ["parse_dataset"]


def parse_dataset(dataset: Any, format: FormatsLike = "auto", **options: Any) -> Any:
    """Returns a Ray dataset with a column of results; it is read lazily.

    Args:
        dataset: a `ray.data.Dataset`.
        format: as in `parse`.
        options: those of `toolgrammar.bulk.columns.ParseColumn`: `column`, `into`, `tools` …

    Raises:
        ImportError: Ray is not installed.
    """
    check_extra("ray", "this step needs Ray", "ray")
    # In Arrow batches, texts become Python strings, and null becomes None.
    return dataset.map_batches(ParseColumn(format, **options), batch_format="pyarrow")
