"""The step for Spark, on a real Spark on this machine: `make fleets`."""

import os
import shutil
import sys
from collections.abc import Iterator
from typing import Any

import pytest

import toolgrammar
from tests.units.bulk.rows_of_test import MESSAGES
from toolgrammar.bulk.rows.flat_result import parsed_of, parsed_type
from toolgrammar.bulk.spark import parse_udf

pytest.importorskip("pyspark", reason="PySpark is not installed; `make fleets` installs it")
if shutil.which("java") is None:
    pytest.skip(
        "Spark needs Java: apt-get install openjdk-17-jre-headless", allow_module_level=True
    )

from pyspark.sql import SparkSession
from pyspark.sql.pandas.types import to_arrow_type

TEXTS = list(MESSAGES * 50)


@pytest.fixture(scope="module")
def spark() -> Iterator[Any]:
    os.environ["PYSPARK_PYTHON"] = os.environ["PYSPARK_DRIVER_PYTHON"] = sys.executable
    session = (
        SparkSession.builder.master("local[2]")
        .appName("toolgrammar")
        .config("spark.ui.enabled", "false")
        .config("spark.driver.bindAddress", "127.0.0.1")
        .config("spark.driver.host", "127.0.0.1")
        .config("spark.sql.execution.arrow.maxRecordsPerBatch", "64")
        .getOrCreate()
    )
    yield session
    session.stop()


def test_a_column_is_read(spark: Any) -> None:
    frame = spark.createDataFrame(list(enumerate(TEXTS)), "id bigint, text string")
    parsed = frame.withColumn("parsed", parse_udf("hermes")(frame["text"]))
    rows = parsed.repartition(4).orderBy("id").collect()
    assert [row["parsed"].asDict(recursive=True) for row in rows] == [
        parsed_of(toolgrammar.parse(text, "hermes")) for text in TEXTS
    ]


def test_its_type_is_that_of_the_tables(spark: Any) -> None:
    frame = spark.createDataFrame([("a",)], "text string")
    made = to_arrow_type(frame.select(parse_udf("hermes")("text").alias("p")).schema["p"].dataType)
    assert {field.name for field in made} == {field.name for field in parsed_type()}
