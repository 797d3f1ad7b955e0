"""The step for fleets, with each kind of batch that one is given."""

import json
import pickle
from typing import Any

import pyarrow as pa
import pytest

import toolgrammar
from tests.units.bulk.rows_of_test import MESSAGES
from toolgrammar.bulk import ray, spark
from toolgrammar.bulk.columns import ParseColumn
from toolgrammar.bulk.rows.flat_result import parsed_of, parsed_type
from toolgrammar.values import errors

LARGE = "it is not installed; `make fleets` installs it"
WANTED = [parsed_of(toolgrammar.parse(text, "hermes")) for text in MESSAGES]


def _step(**options: Any) -> ParseColumn:
    """A step as a worker gets it."""
    step: ParseColumn = pickle.loads(pickle.dumps(ParseColumn("hermes", **options)))
    return step


def test_a_result_is_one_flat_value() -> None:
    first = WANTED[0]
    [call] = first["calls"]
    assert json.loads(call["arguments"]) == {"city": "Tromsø", "days": [1, 2.5]}
    assert (call["name"], call["status"], call["executable"]) == ("weather", "complete", True)
    assert WANTED[2]["diagnostics"][0]["code"] == "truncated"
    assert pa.array(WANTED, parsed_type()).to_pylist() == WANTED


def test_a_table_gets_a_column() -> None:
    table = pa.table({"answer": list(MESSAGES)})
    found = _step(column="answer", into="read")(table)
    assert found.column_names == ["answer", "read"]
    assert found["read"].to_pylist() == WANTED
    assert found.schema.field("read").type == parsed_type()


def test_a_frame_gets_a_column() -> None:
    pd = pytest.importorskip("pandas", reason=LARGE)
    frame = pd.DataFrame({"text": list(MESSAGES)})
    found = _step()(frame)
    assert list(frame.columns) == ["text"]
    assert list(found["parsed"]) == WANTED


def test_columns_get_a_column() -> None:
    found = _step()({"text": list(MESSAGES), "id": [0] * 6})
    assert list(found) == ["text", "id", "parsed"]
    assert found["parsed"] == WANTED


def test_what_is_no_message_is_not_ok() -> None:
    [found] = _step().values([3])
    assert not found["ok"]
    assert found["diagnostics"][0]["message"] == (
        "Found no message in row 1: `text` is a number, not a string"
    )


def test_what_is_no_batch_is_a_mistake() -> None:
    with pytest.raises(TypeError, match="got list"):
        _step()(list(MESSAGES))
    for batch in ({"txt": ["a"]}, pa.table({"txt": ["a"]})):
        with pytest.raises(KeyError, match="no column 'text'; there are 'txt'"):
            _step()(batch)


def test_datasets_map_it() -> None:
    """Through Arrow, so that the first rows do not decide the types."""
    datasets = pytest.importorskip("datasets", reason=LARGE)
    dataset = datasets.Dataset.from_dict({"text": ["no call", *MESSAGES]})
    mapped = dataset.with_format("arrow").map(_step(), batched=True, batch_size=2)
    assert mapped.with_format(None)["parsed"][1:] == WANTED


@pytest.mark.parametrize(
    ("make", "extra"),
    [
        (lambda: ray.parse_dataset(None, "hermes"), "ray"),
        (lambda: spark.parse_udf("hermes"), "spark"),
    ],
)
def test_what_is_missing_is_named(make: Any, extra: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(errors, "find_spec", lambda name: None)
    with pytest.raises(ImportError, match=rf"pip install 'toolgrammar\[{extra}\]'"):
        make()
