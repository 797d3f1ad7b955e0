"""How the arguments of a call become those of a tool."""

from __future__ import annotations

import dataclasses
import datetime
import enum
import threading
from collections.abc import Iterable, Mapping, Sequence
from decimal import Decimal
from functools import partial
from typing import (
    TYPE_CHECKING,
    Annotated,
    Any,
    Literal,
    NamedTuple,
    NotRequired,
    TypedDict,
    cast,
)

import pytest
from pydantic import BaseModel, BeforeValidator, ByteSize, Field, ImportString, field_validator

from tests.units.engine.driving import Driver, both, call, outcome
from toolgrammar import ToolCall, ToolSpec
from toolgrammar.engine import Engine, Tool, ToolContext

if TYPE_CHECKING:
    from collections.abc import Callable
    from decimal import Decimal as Imported


class Place(BaseModel):
    """A nested model."""

    lat: float
    stops: list[int] = []


@dataclasses.dataclass
class Point:
    """A nested dataclass."""

    x: int


class Colour(enum.Enum):
    """Names."""

    RED = "red"


class Switch(enum.Enum):
    """Booleans."""

    ON = True
    OFF = False


class Level(enum.IntEnum):
    """Numbers."""

    LOW = 1


class Named(NamedTuple):
    """A tuple with names."""

    x: int


class Typed(TypedDict):
    """A dict with types, of the standard library."""

    a: int
    b: NotRequired[list[int]]


class Tree(TypedDict, total=False):
    """A dict that holds its like."""

    left: Tree


def kept(hint: Any) -> tuple[Callable[..., str], list[Any]]:
    """A tool with one parameter `x` of a type, and the list of what it was called with."""
    seen: list[Any] = []

    def tool(x: Any) -> str:
        seen.append(x)
        return "done"

    tool.__annotations__["x"] = hint
    return tool, seen


@pytest.mark.parametrize(
    ("hint", "given", "wanted"),
    [
        (int, 2, 2),
        (int, "2", 2),
        (int, "-17", -17),
        (int, 2.0, 2),
        (int, 1e20, 10**20),
        (int, -(2.0**63), -(2**63)),
        (list[int], [1e20], [10**20]),
        (float, 2, 2.0),
        (float, "2.5", 2.5),
        (float, "1e3", 1000.0),
        (bool, True, True),
        (bool, "true", True),
        (bool, "FALSE", False),
        (str, "12", "12"),
        (int | None, None, None),
        (int | str, "5", "5"),
        (int | str, 5, 5),
        (bool | int, 1, 1),
        (list[int], ["1", 2], [1, 2]),
        (dict[str, bool], {"a": "true"}, {"a": True}),
        (datetime.datetime, "2026-01-02T03:04:05", datetime.datetime(2026, 1, 2, 3, 4, 5)),
        (Place, {"lat": "1.5", "stops": ["3"]}, Place(lat=1.5, stops=[3])),
        (Point, {"x": "3"}, Point(3)),
        (Colour, "red", Colour.RED),
        (Level, 1, Level.LOW),
        (Literal["a", 1], 1, 1),
        (Annotated[int, Field(ge=3)], "3", 3),
        (Any, {"deep": [1]}, {"deep": [1]}),
        (Mapping[str, int], {"a": "1"}, {"a": 1}),
        (Iterable[int], ["1", 2], [1, 2]),
        (Sequence[int], ["1"], [1]),
        (set[str], ["a", "a"], {"a"}),
        (Named, {"x": "1"}, Named(1)),
        (Typed, {"a": "1"}, {"a": 1}),
        (list[Typed | None], [{"a": "1", "b": ["2"]}, None], [{"a": 1, "b": [2]}, None]),
        (Annotated[Typed, "a note"], {"a": "1"}, {"a": 1}),
        (Tree, {"left": {"left": {}}}, {"left": {"left": {}}}),
        ("NoSuchType", "as it is", "as it is"),
        ("list[NoSuchType]", 3, 3),
        (3, "a hint that is no type", "a hint that is no type"),
    ],
    ids=repr,
)
def test_lax_conversions(hint: Any, given: Any, wanted: Any) -> None:
    tool, seen = kept(hint)
    assert Engine([tool]).run_sync(call("tool", x=given)).error is None
    assert seen == [wanted]
    assert type(seen[0]) is type(wanted)


@pytest.mark.parametrize(
    ("hint", "given"),
    [
        *((int, value) for value in (1.5, "5.0", "05", " 5", "+5", "1_0", "", "five", True, None)),
        *((float, value) for value in ("inf", "nan", " 1", ".5", "1.", "1e999", True, None)),
        *((bool, value) for value in (1, 0, 1.0, "1", "yes", "on", "t", None)),
        *((str, value) for value in (12345, 1.5, True, None)),
        *((Level, value) for value in (True, "01", 2)),
        (Literal[1], True),
        (Literal[True], 1),
        (Literal[False, "all"], 0.0),
        (Switch, 1),
        (list[int], [True]),
        (dict[str, int], {"a": "05"}),
        (Place, {"lat": True}),
        (Typed, {"b": []}),
        (Typed, {"a": 1, "b": [True]}),
        (Iterable[int], ["x"]),
        (Named, {"x": True}),
        *((hint, True) for hint in (datetime.date, datetime.datetime, datetime.time)),
        *((hint, False) for hint in (datetime.timedelta, Decimal, complex)),
        (Place, {"lat": 1, "stops": ["07"]}),
        (Point, {"x": True}),
        (int | str, True),
        (Annotated[int, Field(ge=3)], 2),
    ],
    ids=repr,
)
def test_lossy_or_surprising_conversions_are_bad_args(hint: Any, given: Any) -> None:
    tool, seen = kept(hint)
    error = Engine([tool]).run_sync(call("tool", x=given)).error
    assert error is not None
    assert error.code == "bad_args"
    assert seen == []


def test_choices_are_named_where_none_is_a_number() -> None:
    tool, _ = kept(Literal[True] | None)
    error = Engine([tool]).run_sync(call("tool", x="yes")).error
    assert str(error) == "bad_args:x: Input should be True"


@both
def test_absent_arguments_are_left_to_the_defaults(driver: Driver) -> None:
    """Whether one was given is told by its presence in the call."""
    marker = object()

    def tool(a: int = 5, b: Any = marker, **more: Any) -> list[Any]:
        return [a, b is marker, more]

    engine = Engine([tool])
    assert driver.run(engine, call("tool")).value == [5, True, {}]
    # The model's field of `a` is generated; an unknown argument of any name does not enter it.
    assert driver.run(engine, call("tool", p0=9, p1=8)).value == [5, True, {"p0": 9, "p1": 8}]
    assert driver.run(engine, call("tool", b=None)).value == [5, False, {}]


@both
def test_unknown_arguments(driver: Driver) -> None:
    def closed(a: int = 0) -> int:
        return a

    def open_(**more: Any) -> Any:
        return [more, type(more["n"]).__name__]

    engine = Engine([closed, open_])
    assert outcome(driver.run(engine, call("closed", a=1, z=2))) == (
        None,
        "bad_args:z: unexpected argument",
        False,
        0,
    )
    assert driver.run(engine, call("open_", n="05")).value == [{"n": "05"}, "str"]


@both
def test_any_legal_name_is_a_name(driver: Driver) -> None:
    def tool(_x: int, schema: int, model_dump: int, self: int, p0: int) -> list[int]:
        return [_x, schema, model_dump, self, p0]

    arguments = {"_x": "1", "schema": "2", "model_dump": "3", "self": "4", "p0": "5"}
    assert driver.run(Engine([tool]), ToolCall("tool", arguments)).value == [1, 2, 3, 4, 5]


def _positional(a: int, b: int = 2, /, *rest: int, c: int = 3) -> list[Any]:
    return [a, b, rest, c]


class _Adder:
    """Has a method, and can be called itself."""

    def __init__(self, base: int) -> None:
        self.base = base

    def method(self, n: int) -> int:
        return self.base + n

    def __call__(self, n: int) -> int:
        return self.base * n


class _Later:
    async def __call__(self, n: int) -> int:
        return n


@both
def test_anything_that_can_be_called_is_a_tool(driver: Driver) -> None:
    async def later(n: int) -> int:
        return n

    def soon(n: int) -> Any:
        return later(n)

    tools: list[Any] = [
        Tool(_positional, name="positional"),
        _Adder(1).method,
        Tool(_Adder(2), name="instance"),
        Tool(_Later(), name="later_instance"),
        Tool(partial(_positional, 7), name="partial"),
        later,
        soon,
    ]
    engine = Engine(tools)
    assert driver.run(engine, call("positional", a="1", c=5)).value == [1, 2, [], 5]
    assert driver.run(engine, call("method", n="3")).value == 4
    assert driver.run(engine, call("instance", n="3")).value == 6
    assert driver.run(engine, call("later_instance", n="3")).value == 3
    assert driver.run(engine, call("partial", b="3")).value == [7, 3, [], 3]
    assert driver.run(engine, call("later", n="3")).value == 3
    assert driver.run(engine, call("soon", n="3")).value == 3


class _Guarded(BaseModel):
    key: str
    n: int = 0

    @field_validator("key")
    @classmethod
    def look(cls, key: str) -> str:
        if key == "raise":
            raise KeyError("the key was raise")
        raise ValueError(f"{key!r} is no good, nor is abc")


def test_messages_leak_no_value() -> None:
    def tool(
        one: _Guarded | None = None,
        two: dict[str, int] | None = None,
        three: list[Place] | None = None,
    ) -> None:
        pass

    engine = Engine([tool])

    def said(**arguments: Any) -> str:
        return str(engine.run_sync(call("tool", **arguments)).error)

    assert (
        said(one={"key": "hunter2"})
        == "bad_args:one.key: Value error, '***' is no good, nor is abc"
    )
    assert said(one={"key": "abc"}) == "bad_args:one.key: Value error, 'abc' is no good, nor is abc"
    assert said(one={"key": "it's\nhidden"}).count("***") == 1
    assert said(one={"key": "raise"}) == "bad_args:KeyError"
    secret = said(two={"hunter2": "hunter3"})
    assert "hunter" not in secret
    assert secret.startswith("bad_args:two.*: Input should be a valid integer")
    assert said(three=[{"lat": 1}, {"lat": 1, "stops": [1, "x"]}]) == (
        "bad_args:three.1.stops.1: Input should be a valid integer,"
        " unable to parse string as an integer"
    )


@pytest.mark.parametrize(
    ("hint", "given", "said"),
    [
        (ByteSize, "12hunter2", "could not interpret byte unit"),
        (ImportString, "math.hunter2", "Invalid python path"),
    ],
)
def test_types_of_pydantic_leak_no_part_of_a_value(hint: Any, given: str, said: str) -> None:
    tool, _ = kept(hint)
    assert str(Engine([tool]).run_sync(call("tool", x=given)).error) == f"bad_args:x: {said}"


class _Cat(BaseModel):
    kind: Literal["cat"]
    age: int


class _Dog(BaseModel):
    kind: Literal["dog"]
    age: int


def test_places_name_fields_not_ways_to_read_them() -> None:
    def tool(
        pet: Annotated[_Cat | _Dog, Field(discriminator="kind")], n: int | list[int] = 0
    ) -> None:
        pass

    engine = Engine([tool])

    def said(**arguments: Any) -> str:
        return str(engine.run_sync(call("tool", **arguments)).error)

    assert said(pet={"kind": "dog", "age": "old"}).startswith("bad_args:pet.age: Input should be")
    assert "hunter2" not in said(pet={"kind": "hunter2"})
    assert said(pet={"kind": "cat", "age": 1}, n=["x"]).startswith("bad_args:n: Input should be")


@both
def test_free_text_goes_to_the_one_required_parameter(driver: Driver) -> None:
    def text(command: str, loud: int = 0) -> str:
        return f"{command} {loud}"

    def untyped(command: Any, loud: Any = None) -> Any:
        return command

    del untyped.__annotations__["command"]

    def number(n: int) -> int:
        return n

    engine = Engine([text, untyped, number])
    assert driver.run(engine, ToolCall("text", input="ls -l")).value == "ls -l 0"
    assert driver.run(engine, ToolCall("untyped", input="")).value == ""
    assert str(driver.run(engine, ToolCall("number", input="3")).error) == (
        "bad_args:n: Field required"
    )


@both
def test_free_text_is_never_dropped(driver: Driver) -> None:
    """A tool must not run on its defaults where the model said something."""

    def rm(path: str = "everything") -> str:
        return path

    def now() -> str:
        return "noon"

    def move(source: str = "", target: str = "") -> str:
        return source + target

    def write(path: str, text: str = "") -> str:
        return path + text

    def more(**arguments: Any) -> Any:
        return arguments

    def sees(context: ToolContext, depth: int = 1) -> str | None:
        return context.call.input

    engine = Engine([rm, now, move, write, more, sees])
    assert driver.run(engine, ToolCall("rm", input="/tmp")).value == "/tmp"
    assert driver.run(engine, ToolCall("rm", input=" \n")).value == "everything"
    assert driver.run(engine, ToolCall("rm", {"path": "/a"}, input="/a")).value == "/a"
    for asked in (
        ToolCall("rm", {"path": "/a"}, input="/b"),
        ToolCall("now", input="please"),
        ToolCall("move", input="a b"),
        ToolCall("write", {"path": "a"}, input="text"),
    ):
        assert str(driver.run(engine, asked).error) == (
            "bad_args:input: the tool has no argument that this text can only be"
        )
    assert driver.run(engine, ToolCall("now", input="")).ok
    assert driver.run(engine, ToolCall("more", input="text")).ok
    assert driver.run(engine, ToolCall("sees", input="text")).value == "text"


@both
def test_every_attempt_gets_its_own_copy(driver: Driver) -> None:
    """No tool and no hook can change what the tool is called with, nor the call."""
    seen: list[Any] = []

    def spoil(asked: ToolCall, arguments: dict[str, Any]) -> None:
        asked.arguments["items"].append("guard")
        arguments["items"].append("guard")

    def approve(request: Any) -> bool:
        request.arguments["items"].append("approval")
        request.call.arguments["items"].append("approval")
        return True

    def tool(items: list[str], anything: Any, context: ToolContext) -> int:
        seen.append((list(items), list(anything)))
        items.append("tool")
        anything.append("tool")
        if context.attempt < 3:
            raise ConnectionError
        return len(items)

    from toolgrammar.engine import Retry

    engine = Engine(
        [tool],
        input_guardrails=[spoil, spoil],
        approval=approve,
        retries=Retry(2, on=(ConnectionError,), initial=0),
    )
    asked = call("tool", items=["a"], anything=["b"])
    assert driver.run(engine, asked).value == 2
    assert seen == [(["a"], ["b"])] * 3
    assert asked.arguments == {"items": ["a"], "anything": ["b"]}


def test_what_cannot_be_copied_is_shared() -> None:
    def tool(x: Any, items: list[int]) -> int:
        items.append(1)
        return len(items)

    lock = threading.Lock()
    tool.__annotations__["x"] = Annotated[Any, BeforeValidator(lambda _: lock)]
    engine = Engine([tool], input_guardrails=[lambda _, given: given["items"].append(1)])
    assert engine.run_sync(call("tool", x=1, items=[])).value == 1


@both
def test_context_is_no_part_of_the_schema(driver: Driver) -> None:
    def tool(x: int, context: ToolContext) -> list[Any]:
        return [x, context.attempt, context.deadline, context.call.name]

    def by_name(x: int, context: ToolContext | None = None) -> bool:
        return context is not None

    engine = Engine([tool, by_name])
    assert list(engine.tools["tool"].parameters["properties"]) == ["x"]
    assert engine.tools["tool"].parameters["required"] == ["x"]
    assert driver.run(engine, call("tool", x=1)).value == [1, 1, None, "tool"]
    assert driver.run(engine, call("by_name", x=1)).value is True
    assert str(driver.run(engine, call("tool", x=1, context="mine")).error) == (
        "bad_args:context: unexpected argument"
    )


@both
def test_idempotency_key_is_of_the_call(driver: Driver) -> None:
    keys: list[str] = []

    def pay(amount: int, context: ToolContext) -> None:
        keys.append(context.idempotency_key)
        if context.attempt == 1:
            raise ConnectionError

    from toolgrammar.engine import Retry, digest

    engine = Engine([pay], retries=Retry(1, on=(ConnectionError,), initial=0))
    asked = call("pay", id="a", amount=1)
    driver.run(engine, asked)
    driver.run(engine, asked)
    assert keys == [digest(asked)] * 4
    driver.run(engine, call("pay", id="b", amount=1))
    assert keys[-1] != keys[0]


SCHEMA = {
    "type": "object",
    "properties": {
        "city": {"type": "string"},
        "days": {"type": "integer"},
        "unit": {"enum": ["C", "F"]},
        "wind": {"type": ["number", "null"]},
        "more": {"type": "object"},
    },
    "required": ["city"],
}


def described(style: str, **more: Any) -> dict[str, Any]:
    """A tool description in the shape of somebody's API."""
    schema = {**SCHEMA, **more}
    match style:
        case "wrapped":
            return {"type": "function", "function": {"name": "w", "parameters": schema}}
        case "bare":
            return {"name": "w", "description": "Weather", "parameters": schema}
        case "anthropic":
            return {"name": "w", "input_schema": schema}
        case _:
            return {"name": "w", "inputSchema": schema}


@both
@pytest.mark.parametrize("style", ["wrapped", "bare", "anthropic", "mcp"])
def test_schema_with_a_handler_is_a_tool(driver: Driver, style: str) -> None:
    def handler(**arguments: Any) -> Any:
        return arguments

    engine = Engine([Tool(handler, schema=described(style))])
    given = {"city": "Oslo", "days": "2", "wind": "2.5", "more": {"n": "5"}, "extra": "1"}
    assert driver.run(engine, ToolCall("w", given)).value == {
        **given,
        "days": 2,
        "wind": 2.5,
    }


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ({}, "city: Field required"),
        ({"city": 5}, "city: Input should be a valid string"),
        ({"city": "a", "days": 1.5}, "days: Input should be a valid integer"),
        ({"city": "a", "days": "05"}, "days: Input should be a valid integer"),
        ({"city": "a", "days": True}, "days: Input should be a valid integer"),
        ({"city": "a", "unit": "K"}, 'unit: Input should be "C" or "F"'),
        ({"city": "a", "wind": "x"}, "wind: Input should be a valid number or null"),
        ({"city": "a", "more": []}, "more: Input should be a valid object"),
        ({"days": "x"}, "city: Field required; days: Input should be a valid integer"),
    ],
)
def test_top_of_a_schema_is_checked(arguments: dict[str, Any], said: str) -> None:
    engine = Engine([Tool(lambda **_: None, schema=described("bare"))])
    assert str(engine.run_sync(ToolCall("w", arguments)).error) == f"bad_args:{said}"


def test_closed_schema_takes_no_other_arguments() -> None:
    schema = described("bare", additionalProperties=False, patternProperties={"^x-": {}})
    engine = Engine([Tool(lambda **given: sorted(given), schema=schema)])
    good = ToolCall("w", {"city": "Oslo", "x-trace": 1})
    assert engine.run_sync(good).value == ["city", "x-trace"]
    bad = ToolCall("w", {"city": "Oslo", "extra": 1})
    assert str(engine.run_sync(bad).error) == "bad_args:extra: unexpected argument"


@pytest.mark.parametrize(
    ("more", "arguments", "said"),
    [
        ({"additionalProperties": {"type": "integer"}}, {"city": "a", "n": "5"}, ""),
        (
            {"additionalProperties": {"type": "integer"}},
            {"city": "a", "n": "x"},
            "n: Input should be a valid integer",
        ),
        (
            {"additionalProperties": {"type": "integer", "maximum": 3}},
            {"city": "a", "n": 5},
            "n: Input should satisfy its schema",
        ),
        ({"patternProperties": {"^x-": {"type": "string"}}}, {"city": "a", "x-n": "5"}, ""),
        (
            {"dependentRequired": {"days": ["unit"]}},
            {"city": "a", "days": 3},
            "The arguments together should satisfy the schema of the tool",
        ),
        ({"dependentRequired": {"days": ["unit"]}}, {"city": "a", "days": 3, "unit": "C"}, ""),
        (
            {"oneOf": [{"required": ["days"]}, {"required": ["unit"]}]},
            {"city": "a"},
            "The arguments together should satisfy the schema of the tool",
        ),
    ],
)
def test_schema_holds_for_all_arguments_together(
    more: dict[str, Any], arguments: dict[str, Any], said: str
) -> None:
    engine = Engine([Tool(lambda **given: given, schema=described("bare", **more))])
    result = engine.run_sync(ToolCall("w", arguments))
    assert str(result.error or "") == (f"bad_args:{said}" if said else "")


NODE = {
    "type": "object",
    "properties": {"city": {"type": "string"}, "next": {"$ref": "#/$defs/Node"}},
    "additionalProperties": False,
}


def test_optional_choice_of_a_model_is_checked() -> None:
    """Pydantic writes it as a union of a reference and null; other servers' tools come like that."""

    class Task(BaseModel):
        level: Level | None = None
        mode: Literal["fast", "slow"] | None = None

    schema = {"name": "task", "inputSchema": Task.model_json_schema()}
    engine = Engine([Tool(lambda **given: given, schema=schema)])
    good = {"level": "1", "mode": "fast"}
    assert engine.run_sync(ToolCall("task", good)).value == {"level": 1, "mode": "fast"}
    assert engine.run_sync(call("task", mode=None)).ok
    assert str(engine.run_sync(call("task", level=7, mode="soon")).error) == (
        'bad_args:level: Input should be 1 or null; mode: Input should be "fast", "slow" or null'
    )


@pytest.mark.parametrize(
    "schema",
    [
        {"$ref": "#/$defs/Node", "$defs": {"Node": NODE}},  # what pydantic writes of a Node
        {"allOf": [NODE, {"patternProperties": {"^x-": {}}}], "$defs": {"Node": NODE}},
        {"anyOf": [NODE, {**NODE, "required": ["city"]}], "$defs": {"Node": NODE}},
    ],
)
def test_schema_is_closed_wherever_it_says_so(schema: dict[str, Any]) -> None:
    tool = Tool(lambda **given: sorted(given), schema={"name": "w", "inputSchema": schema})
    engine = Engine([tool])
    assert engine.run_sync(call("w", city="Oslo", next={"city": "Bergen"})).value == [
        "city",
        "next",
    ]
    bad = engine.run_sync(call("w", city="Oslo", extra=1))
    assert str(bad.error) == "bad_args:extra: unexpected argument"
    bad = engine.run_sync(call("w", city="Oslo", next={"any": 1}))
    assert str(bad.error) == "bad_args:next: Input should satisfy its schema"


@pytest.mark.parametrize("pattern", [r"^\p{Lu}+$", "(?<name>a)", "["])
def test_schema_with_a_pattern_of_another_language_is_one(pattern: str) -> None:
    schema = described("mcp", additionalProperties=False, patternProperties={pattern: {}})
    engine = Engine([Tool(lambda **given: sorted(given), schema=schema)])
    assert engine.run_sync(call("w", city="Oslo", extra=1)).value == ["city", "extra"]


@both
def test_model_as_schema_gives_the_handler_an_instance(driver: Driver) -> None:
    seen: list[Any] = []

    def handler(place: Place, context: ToolContext) -> float:
        seen.append(context.call.name)
        place.stops.append(9)
        return place.lat

    def swapped(context: ToolContext, place: Place) -> Place:
        return place

    engine = Engine([Tool(handler, schema=Place), Tool(swapped, schema=Place, name="swapped")])
    assert driver.run(engine, ToolCall("handler", {"lat": "1.5"})).value == 1.5
    assert seen == ["handler"]
    assert driver.run(engine, call("swapped", lat=1)).value == {"lat": 1.0, "stops": []}
    starred = Tool(lambda *given: [each.lat for each in given], schema=Place, name="starred")
    assert driver.run(Engine([starred]), call("starred", lat=1)).value == [1.0]
    assert str(driver.run(engine, call("handler")).error) == "bad_args:lat: Field required"
    assert str(driver.run(engine, call("handler", lat=True)).error) == (
        "bad_args:lat: Input should be a valid number"
    )


def test_a_tool_with_a_model_has_the_name_of_its_function_if_there_is_one() -> None:
    class Handler:
        def __call__(self, place: Place) -> float:
            return place.lat

    def handler(more: int, place: Place) -> float:
        return more + place.lat

    tools: list[Any] = [partial(handler, 1), Handler(), lambda place: place.lat]
    assert [Tool(each, schema=Place).name for each in tools] == ["handler", "Place", "Place"]


@both
def test_each_driver_calls_its_own_function(driver: Driver) -> None:
    def plain(n: int) -> str:
        return f"sync {n}"

    async def later(n: int) -> str:
        return f"async {n}"

    engine = Engine([Tool(plain, async_fn=later, name="two"), Tool(async_fn=later, name="one")])
    assert driver.run(engine, call("two", n="1")).value == f"{driver.name} 1"
    assert driver.run(engine, call("one", n="1")).value == "async 1"


@pytest.mark.parametrize(
    "thing",
    [
        described("bare"),
        ToolSpec("w"),
        Place,
        Point,
        dict,
        "a string",
        None,
        3,
    ],
    ids=repr,
)
def test_what_cannot_be_run_is_no_tool(thing: Any) -> None:
    with pytest.raises(TypeError, match=r"^expected a callable with type hints or a Tool, got "):
        Engine([thing])


def test_validator_that_pydantic_refuses_is_a_mistake() -> None:
    def tool(x: Any) -> None:
        pass

    tool.__annotations__["x"] = Annotated[int, BeforeValidator(cast("Any", lambda: 3))]
    with pytest.raises(TypeError, match="'x'"):
        Tool(tool)


def test_a_tool_needs_a_function() -> None:
    wrongs: list[Any] = [
        Tool,
        lambda: Tool(schema=described("bare")),
        lambda: Tool(Place),
        lambda: Tool(cast("Any", 3)),
        lambda: Tool(print, name=""),
        lambda: Tool(print, schema=3),
    ]
    for wrong in wrongs:
        with pytest.raises(TypeError):
            wrong()


def test_parser_takes_the_tools_of_an_engine() -> None:
    import toolgrammar

    def look(place: str, days: int) -> str:
        """Looks."""
        return f"{place} {days}"

    engine = Engine([look, Tool(lambda **_: None, schema=described("mcp"))])
    text = '<tool_call>\n{"name": "look", "arguments": {"place": "Oslo", "days": 2}}\n</tool_call>'
    result = toolgrammar.parse(text, format="hermes", tools=engine.tools.values())
    assert [each.value for each in engine.run_all_sync(result)] == ["Oslo 2"]
    assert engine.tools["look"].description == "Looks."


def test_annotation_that_is_imported_for_types_only_counts_as_any() -> None:
    def tool(x: Imported) -> str:
        return str(x)

    assert Engine([tool]).run_sync(call("tool", x="free")).value == "free"


@both
@pytest.mark.parametrize(("given", "read"), [("true", True), ("auto", "auto"), ("false", None)])
def test_a_text_becomes_a_listed_value_alone(driver: Driver, given: str, read: object) -> None:
    """`false` is a boolean, and not one of the list."""
    properties = {"mode": {"type": ["string", "boolean"], "enum": ["auto", True]}}
    schema = {"name": "w", "parameters": {"type": "object", "properties": properties}}
    result = driver.run(
        Engine([Tool(lambda **given: given, schema=schema)]), ToolCall("w", {"mode": given})
    )
    if read is None:
        assert result.error is not None
        assert result.error.code == "bad_args"
    else:
        assert result.value == {"mode": read}
