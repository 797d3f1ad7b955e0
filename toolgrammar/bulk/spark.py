"""Defines the step for Spark: a pandas UDF that parses a column of messages."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from toolgrammar.bulk.columns import ParseColumn
from toolgrammar.bulk.rows.flat_result import PARSED, SPARK_TYPE
from toolgrammar.values.errors import check_extra

if TYPE_CHECKING:
    from toolgrammar.catalogue.registry import FormatsLike

__all__ = ["parse_udf"]


def parse_udf(format: FormatsLike = "auto", **options: Any) -> Any:
    """Returns a pandas UDF that turns a column of messages into a column of results.

    `frame.withColumn("parsed", parse_udf("…")(frame.text))` adds a struct whose fields are those
    of `toolgrammar.bulk.rows.flat_result.PARSED`.

    Args:
        format: as in `parse`.
        options: those of `toolgrammar.bulk.columns.ParseColumn`, but for `column` and `into`.

    Raises:
        ImportError: PySpark is not installed.
    """
    check_extra("pyspark", "this step needs PySpark", "spark")
    # Imported here, so that importing this module needs neither pandas nor PySpark.
    import pandas as pd
    from pyspark.sql.functions import pandas_udf

    step = ParseColumn(format, **options)

    def parse_messages(messages: Any) -> Any:
        # All columns are named, so that an empty batch has them too.
        return pd.DataFrame(step.values(messages), columns=list(PARSED))

    # Spark infers the kind of function from its annotations, which must be types, not strings.
    parse_messages.__annotations__ = {"messages": pd.Series, "return": pd.DataFrame}
    return pandas_udf(parse_messages, SPARK_TYPE)
