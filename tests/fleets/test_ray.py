"""The step for Ray Data, on a real Ray on this machine: `make fleets`."""

from collections.abc import Iterator

import pytest

import toolgrammar
from tests.units.bulk.rows_of_test import MESSAGES
from toolgrammar.bulk.columns import ParseColumn
from toolgrammar.bulk.ray import parse_dataset
from toolgrammar.bulk.rows.flat_result import parsed_of

pytest.importorskip("ray.data", reason="Ray is not installed; `make fleets` installs it")

import ray
import ray.data

TEXTS = list(MESSAGES * 50)


@pytest.fixture(scope="module", autouse=True)
def local_ray() -> Iterator[None]:
    ray.init(num_cpus=2, include_dashboard=False, log_to_driver=False)
    yield
    ray.shutdown()


def _wanted() -> dict[int, object]:
    return {n: parsed_of(toolgrammar.parse(text, "hermes")) for n, text in enumerate(TEXTS)}


def _dataset() -> "ray.data.Dataset":
    rows = [{"id": number, "text": text} for number, text in enumerate(TEXTS)]
    return ray.data.from_items(rows).repartition(4)


def test_a_dataset_gets_a_column() -> None:
    found = parse_dataset(_dataset(), "hermes").take_all()
    assert {row["id"]: row["parsed"] for row in found} == _wanted()


def test_the_step_takes_pandas_batches() -> None:
    found = _dataset().map_batches(ParseColumn("hermes", into="read"), batch_format="pandas")
    rows = found.take_all()
    wanted = _wanted()
    assert len(rows) == len(TEXTS)
    assert all(row["read"]["text"] == wanted[row["id"]]["text"] for row in rows)  # type: ignore[index]
