"""What a tool returns becomes plain JSON data."""

from __future__ import annotations

import collections
import dataclasses
import datetime
import decimal
import enum
import json
import math
import pathlib
import types
import uuid
from typing import Any, NamedTuple

import pytest
from pydantic import BaseModel, Field, SecretStr

from tests.units.engine.driving import Driver, both, call, without_addresses
from toolgrammar.engine import Engine


class Model(BaseModel):
    """A model."""

    name: str
    secret: SecretStr = SecretStr("hunter2")


class Holder(BaseModel):
    """A model that may hold itself."""

    held: Any = None
    hidden: str = Field(default="x", exclude=True)


@dataclasses.dataclass
class Data:
    """A dataclass."""

    a: int
    b: Any = None


class Text(str):
    """More than a str."""

    __slots__ = ()


class Number(int):
    """More than an int."""


class Word(enum.StrEnum):
    """An enum of strings."""

    ONE = "one"


class Strange:
    """Nothing that JSON knows."""

    def __str__(self) -> str:
        return "strange"


class Broken:
    """Can't even be a str."""

    def __str__(self) -> str:
        raise RuntimeError


class Pair(NamedTuple):
    """A tuple with names."""

    x: Any
    y: Any


SAME: list[Any] = [None, True, 0, 10**40, 1.5, "", "ø", [], {}, [None], {"a": {}}]


def through(value: Any, driver: Driver | None = None, **settings: Any) -> Any:
    """What becomes of a value."""
    engine = Engine([lambda: value], **settings)
    asked = call("<lambda>")
    result = engine.run_sync(asked) if driver is None else driver.run(engine, asked)
    return result.value if result.ok else str(result.error)


@pytest.mark.parametrize(
    ("value", "plain"),
    [
        *((each, each) for each in SAME),
        (Text("t"), "t"),
        (Number(3), 3),
        ((1, (2,)), [1, [2]]),
        ({3, 1, 2}, [1, 2, 3]),
        (frozenset({"b", "a"}), ["a", "b"]),
        ({1, "a", None}, ["a", 1, None]),
        ({1: "a", None: 2, (1, 2): 3, Word.ONE: 4}, {"1": "a", "None": 2, "(1, 2)": 3, "one": 4}),
        (Data(1, Data(2)), {"a": 1, "b": {"a": 2, "b": None}}),
        (Model(name="n"), {"name": "n", "secret": "**********"}),
        ([Model(name="n")], [{"name": "n", "secret": "**********"}]),
        (Pair(1, (2,)), {"x": 1, "y": [2]}),
        (Word.ONE, "one"),
        (datetime.date(2026, 1, 2), "2026-01-02"),
        (datetime.datetime(2026, 1, 2, 3, tzinfo=datetime.UTC), "2026-01-02T03:00:00+00:00"),
        (datetime.time(3, 4), "03:04:00"),
        (uuid.UUID(int=1), "00000000-0000-0000-0000-000000000001"),
        (pathlib.PurePosixPath("/a/b"), "/a/b"),
        (decimal.Decimal("1.50"), "1.50"),
        (math.nan, "NaN"),
        ([math.inf, -math.inf], ["Infinity", "-Infinity"]),
        (b"ab", {"type": "bytes", "len": 2, "base64": "YWI="}),
        (bytearray(b"ab"), {"type": "bytes", "len": 2, "base64": "YWI="}),
        (memoryview(b"ab"), {"type": "bytes", "len": 2, "base64": "YWI="}),
        (ValueError("v"), {"type": "error", "error": "ValueError", "message": "v"}),
        ([KeyError()], [{"type": "error", "error": "KeyError", "message": "KeyError"}]),
        (types.MappingProxyType({"a": (1,)}), {"a": [1]}),
        (collections.OrderedDict(b=1, a=2), {"b": 1, "a": 2}),
        (Strange(), "strange"),
        ([Strange()], ["strange"]),
        (1j, "1j"),
    ],
    ids=without_addresses,
)
def test_normal_form(value: Any, plain: Any) -> None:
    found = through(value)
    assert found == plain
    assert type(found) is type(plain)
    json.dumps(found, allow_nan=False)


def test_cycles_and_depth() -> None:
    cycle: list[Any] = [1]
    cycle.append(cycle)
    assert through(cycle) == [1, "<cycle>"]
    data = Data(1)
    data.b = {"again": data}
    assert through(data) == {"a": 1, "b": {"again": "<cycle>"}}
    model = Holder()
    model.held = [model]
    assert through(model) == {"held": [{"held": ["<cycle>"]}]}
    shared = [1]
    assert through([shared, shared]) == [[1], [1]]

    def nested(levels: int) -> Any:
        value: Any = "inside"
        for _ in range(levels):
            value = [value]
        return value

    assert through(nested(64)) == nested(64)
    found = through(nested(65))
    for _ in range(64):
        (found,) = found
    assert found == "<depth>"
    assert "<depth>" in json.dumps(through(nested(100_000)))


@both
def test_what_cannot_be_turned(driver: Driver) -> None:
    assert through(Broken(), driver) == "tool_error:unserialisable result: Broken"
    assert through([{"a": Broken()}], driver) == "tool_error:unserialisable result: Broken"
    assert through(10**5000, driver) == "tool_error:unserialisable result: int"


def test_lists_that_hold_each_other_many_times_end() -> None:
    value: Any = []
    for _ in range(60):
        value = [value, value]
    assert through(value).startswith("tool_error:unserialisable result:")


@both
def test_value_is_detached_from_the_tool(driver: Driver) -> None:
    state = {"items": [1]}

    def tool() -> dict[str, list[int]]:
        return state

    result = driver.run(Engine([tool]), call("tool"))
    state["items"].append(2)
    assert result.value == {"items": [1]}
    result.value["items"].append(3)
    assert state == {"items": [1, 2]}


def test_output_guardrails_cannot_change_the_value() -> None:
    def spoil(_: object, value: Any) -> None:
        value["items"].append("guard")

    engine = Engine([lambda: {"items": []}], output_guardrails=[spoil, spoil])
    assert engine.run_sync(call("<lambda>")).value == {"items": []}


@pytest.mark.parametrize(
    ("value", "limit", "wanted"),
    [
        ("a" * 8, 8, "a" * 8),
        ("abcdefghi", 8, "abcdef\n[toolgrammar: 1 of 9 characters cut]\nhi"),
        ([11, 22], 7, [11, 22]),
        ([11, 22, 3], 8, "[11,22\n[toolgrammar: 1 of 9 characters cut]\n3]"),
        (["ø" * 10], 14, ["ø" * 10]),
        (12345, 4, "123\n[toolgrammar: 1 of 5 characters cut]\n5"),
        ("abc", 0, "\n[toolgrammar: 3 of 3 characters cut]\n"),
        ("a" * 200_000, None, "a" * 200_000),
        (Strange(), 3, "st\n[toolgrammar: 4 of 7 characters cut]\ne"),
    ],
)
def test_long_results_are_cut_in_the_middle(value: Any, limit: int | None, wanted: Any) -> None:
    assert through(value, max_result_chars=limit) == wanted


def test_base64_alone_over_the_limit_is_left_out() -> None:
    assert through(b"a" * 75, max_result_chars=100).startswith('{"type":"bytes"')
    assert through(b"a" * 76, max_result_chars=100) == {"type": "bytes", "len": 76}
    assert len(through(b"a" * 75, max_result_chars=200)["base64"]) == 100


def test_default_limit() -> None:
    assert len(through("a" * 100_000)) == 100_000
    assert "[toolgrammar: 1 of 100001 characters cut]" in through("a" * 100_001)
