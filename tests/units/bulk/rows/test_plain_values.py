"""Values of tables that JSON has no form for."""

from datetime import date, time, timedelta
from typing import Any

import numpy as np
import pytest

from toolgrammar.bulk.rows.plain_values import plain_value, without_nulls
from toolgrammar.bulk.rows.result_lines import plain_json


@pytest.mark.parametrize(
    ("value", "written"),
    [
        (date(2026, 1, 2), '"2026-01-02"'),
        (time(3, 4), '"03:04:00"'),
        (timedelta(hours=1), '"1:00:00"'),
        (b"a\xc3\xa9\xff", '"aé\\\\xff"'),
        (np.float32(0.5), "0.5"),
        (np.int64(7), "7"),
        (np.datetime64("2026-01-02T03:04:05.000000006"), '"2026-01-02T03:04:05.000000006"'),
        (np.datetime64("NaT"), "null"),
        (np.array(["2026-01-02", "NaT"], "datetime64[D]"), '["2026-01-02",null]'),
        (np.array([[1, 2], [3, 4]]), "[[1,2],[3,4]]"),
        (np.array([{"a": None, "b": np.array([1])}, None], object), '[{"b":[1]},null]'),
    ],
)
def test_they_are_written_as_text_and_lists(value: Any, written: str) -> None:
    assert plain_json(value, plain_value).decode() == written


def test_values_of_pandas_that_are_missing_are_null() -> None:
    pandas = pytest.importorskip("pandas", reason="`make fleets` installs it")
    assert plain_json([pandas.NaT, pandas.NA], plain_value) == b"[null,null]"
    assert plain_json(pandas.Timestamp("2026-01-02"), plain_value) == b'"2026-01-02T00:00:00"'


def test_other_types_are_named() -> None:
    with pytest.raises(TypeError, match="a value of type set has no form in JSON"):
        plain_json({"a": {1}}, plain_value)


def test_nulls_stay_in_lists() -> None:
    assert without_nulls({"a": None, "b": [None, {"c": None, "d": 0}]}) == {"b": [None, {"d": 0}]}
