"""A tool of any shape becomes a ToolSpec."""

import functools
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from enum import Enum
from types import SimpleNamespace
from typing import TYPE_CHECKING, Annotated, Any, Literal, NotRequired, Optional, TypedDict

import pytest
from pydantic import BaseModel

from toolgrammar.tools.specs import to_specs
from toolgrammar.values.tools import ToolSpec

if TYPE_CHECKING:
    from decimal import Decimal

SCHEMA: dict[str, Any] = {"type": "object", "properties": {"city": {"type": "string"}}}


class Place(BaseModel):
    city: str


class Weather(BaseModel):
    """Tells the weather.

    In more words.
    """

    place: Place
    days: int = 1


@pytest.mark.parametrize(
    "tool",
    [
        {"type": "function", "function": {"name": "t", "description": "d", "parameters": SCHEMA}},
        {"name": "t", "description": "d", "parameters": SCHEMA},
        {"type": "function", "name": "t", "description": "d", "parameters": SCHEMA, "strict": True},
        {"name": "t", "description": "d", "input_schema": SCHEMA},
        {"name": "t", "description": "d", "inputSchema": SCHEMA},
        SimpleNamespace(name="t", description="d", inputSchema=SCHEMA),
        ToolSpec("t", "d", SCHEMA),
    ],
)
def test_shapes(tool: object) -> None:
    assert to_specs([tool]) == {"t": ToolSpec("t", "d", SCHEMA)}


def test_a_tool_without_a_schema() -> None:
    assert to_specs([{"name": "t"}, {"name": "u", "description": None, "parameters": None}]) == {
        "t": ToolSpec("t"),
        "u": ToolSpec("u"),
    }


def test_none_none_and_what_was_given_before() -> None:
    assert to_specs(None) == to_specs([]) == to_specs({}) == {}
    specs = to_specs(iter([{"name": "b"}, {"name": "a"}]))
    assert list(to_specs(specs)) == ["b", "a"]


def test_the_last_of_a_name_counts() -> None:
    assert to_specs([{"name": "t"}, ToolSpec("t", "new")]) == {"t": ToolSpec("t", "new")}


def test_model() -> None:
    spec = to_specs([Weather])["Weather"]
    assert spec.description.startswith("Tells the weather.")
    assert spec.required == ("place",)
    assert spec.properties["place"]["properties"] == {"city": {"title": "City", "type": "string"}}


@pytest.mark.parametrize(
    ("tools", "said"),
    [
        ("bash", "tools must be a list of tools, got str 'bash'"),
        (3, "tools must be a list of tools, got int 3"),
        ({"name": "t"}, "got one dict; write \\[tool\\]"),
        ([3], "expected a tool: .* got int 3"),
        ([None], "expected a tool: .* got NoneType None"),
        (["bash"], "expected a tool: .* got str 'bash'"),
        ([{"type": "function"}], "expected a tool: .* got dict .* without a name"),
        ([{"function": {"name": ""}}], "without a name"),
        ([dict], "which is no pydantic model"),
        ([{"name": "t", "parameters": "{}"}], "the schema of the tool 't' must be a dict, got str"),
        ([iter], "the callable iter has no signature to read"),
    ],
)
def test_what_is_no_tool(tools: Any, said: str) -> None:
    with pytest.raises(TypeError, match=said):
        to_specs(tools)


class Colour(Enum):
    RED = "red"
    BLUE = "blue"


class Mixed(Enum):
    ONE = 1
    TWO = "two"


class Options(TypedDict):
    size: int
    note: NotRequired[str]


@dataclass
class Point:
    x: float
    y: float = 0.0
    tags: list[str] = field(default_factory=list)


@pytest.mark.parametrize(
    ("hint", "schema"),
    [
        (str, {"type": "string"}),
        (int, {"type": "integer"}),
        (float, {"type": "number"}),
        (bool, {"type": "boolean"}),
        (None, {"type": "null"}),
        (list, {"type": "array"}),
        (dict, {"type": "object"}),
        (Any, {}),
        (object, {}),
        (complex, {}),
        (Callable[[], int], {}),
        (bytes, {}),
        (list[int], {"type": "array", "items": {"type": "integer"}}),
        (Sequence[str], {"type": "array", "items": {"type": "string"}}),
        (set[str], {"type": "array", "items": {"type": "string"}}),
        (tuple[int, ...], {"type": "array", "items": {"type": "integer"}}),
        (
            tuple[int, str],
            {"type": "array", "prefixItems": [{"type": "integer"}, {"type": "string"}]},
        ),
        (dict[str, int], {"type": "object", "additionalProperties": {"type": "integer"}}),
        (Mapping[str, Any], {"type": "object"}),
        (Optional[int], {"anyOf": [{"type": "integer"}, {"type": "null"}]}),  # noqa: UP045
        (int | str, {"anyOf": [{"type": "integer"}, {"type": "string"}]}),
        (Literal["a", "b"], {"enum": ["a", "b"], "type": "string"}),
        (Literal[1, "b"], {"enum": [1, "b"]}),
        (Colour, {"enum": ["red", "blue"], "type": "string"}),
        (Mixed, {"enum": [1, "two"]}),
        (Literal[Colour.RED], {"enum": ["red"], "type": "string"}),
        (Annotated[int, "how many"], {"type": "integer", "description": "how many"}),
        (Annotated[int, 3], {"type": "integer"}),
        (
            Options,
            {
                "type": "object",
                "properties": {"size": {"type": "integer"}, "note": {"type": "string"}},
                "required": ["size"],
            },
        ),
        (
            Point,
            {
                "type": "object",
                "properties": {
                    "x": {"type": "number"},
                    "y": {"type": "number"},
                    "tags": {"type": "array", "items": {"type": "string"}},
                },
                "required": ["x"],
            },
        ),
    ],
)
def test_hints(hint: Any, schema: dict[str, Any]) -> None:
    def tool(value):  # type: ignore[no-untyped-def]
        raise NotImplementedError

    tool.__annotations__["value"] = hint
    assert to_specs([tool])["tool"].parameters == {
        "type": "object",
        "properties": {"value": schema},
        "required": ["value"],
    }


def lookup(  # type: ignore[no-untyped-def]
    city: str, untyped, days: int = 3, *rest: int, unit: Colour = Colour.RED, **more: str
) -> str:
    """Looks a city up.

    Slowly.
    """
    raise NotImplementedError


LOOKUP = ToolSpec(
    "lookup",
    "Looks a city up.",
    {
        "type": "object",
        "properties": {
            "city": {"type": "string"},
            "untyped": {},
            "days": {"type": "integer", "default": 3},
            "unit": {"enum": ["red", "blue"], "type": "string"},
        },
        "additionalProperties": True,
        "required": ["city", "untyped"],
    },
)


def test_function() -> None:
    assert to_specs([lookup]) == {"lookup": LOOKUP}


class Caller:
    """Calls out."""

    anything: "Decimal"

    def __call__(self, text: str) -> str:
        raise NotImplementedError

    def method(self, text: str) -> str:
        """Does it."""
        raise NotImplementedError


def test_methods_partials_and_callable_objects() -> None:
    text = {"type": "object", "properties": {"text": {"type": "string"}}, "required": ["text"]}
    specs = to_specs([Caller(), Caller().method, functools.partial(lookup, "Oslo")])
    assert specs["Caller"] == ToolSpec("Caller", "Calls out.", text)
    assert specs["method"] == ToolSpec("method", "Does it.", text)
    assert specs["lookup"].required == ("untyped",)
    assert to_specs([functools.lru_cache(lookup)]) == {"lookup": LOOKUP}


def test_a_hint_that_cannot_be_resolved_costs_no_other() -> None:
    def pay(amount: "Decimal", times: "int", to: str) -> None:
        raise NotImplementedError

    assert to_specs([pay])["pay"].properties == {
        "amount": {},
        "times": {"type": "integer"},
        "to": {"type": "string"},
    }


def test_a_model_as_parameter_keeps_its_references() -> None:
    def plan(weather: Weather) -> None:
        raise NotImplementedError

    weather = to_specs([plan])["plan"].properties["weather"]
    assert weather["properties"]["place"]["properties"]["city"]["type"] == "string"


@dataclass
class Node:
    next: "Node | None"


def test_a_type_that_holds_itself_ends() -> None:
    def walk(node: Node) -> None:
        raise NotImplementedError

    assert to_specs([walk])["walk"].properties["node"]["type"] == "object"
