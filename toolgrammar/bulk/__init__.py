"""Reads many messages: files and datasets in several processes, and steps for Ray and Spark.

In: rows with a message each. Out: results as lines of JSON, as Parquet, or as values. Begin with
`batches` (`toolgrammar.batch`), then `rows.chunk_work`; `columns` is the step for Ray and Spark.
May import `interop` and everything below it.
"""

from __future__ import annotations

from toolgrammar.bulk.runs.reports import BadRow, BatchReport

__all__ = ["BadRow", "BatchReport"]
