"""The model is told what the engine checks: the schema of a function is that of its arguments."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime  # noqa: TC003 - hints are read
from decimal import Decimal
from typing import Annotated, Any, Literal
from uuid import UUID  # noqa: TC003

import jsonschema
import pytest
from pydantic import BaseModel, Field

from tests.units.engine.driving import Driver, both
from toolgrammar import ToolCall, parse
from toolgrammar.engine import Engine, Tool, ToolContext
from toolgrammar.tools.specs import to_spec


@dataclass
class Place:
    """Somewhere."""

    city: str


class Range(BaseModel):
    """Some days."""

    days: int = Field(ge=1, description="How many")


class Odd:
    """Nothing that JSON knows."""


def plan(  # noqa: PLR0913, PLR0917 - one a kind of hint
    context: ToolContext,
    place: Place,
    days: Annotated[int, Field(description="How many", ge=1, le=7)],
    name: Annotated[str, Field(min_length=2, pattern="^[a-z]+$")] = "it",
    when: datetime | None = None,
    number: UUID | None = None,
    price: Decimal = Decimal(1),
    span: Range | None = None,
    tags: Annotated[list[str], Field(max_length=2)] | None = None,
    odd: Odd | None = None,
    kind: Literal["a", "b"] = "a",
    note: Annotated[str, "A word on it"] = "",
) -> str:
    """Plans a trip.

    Args:
        kind: Which way.
        price: In crowns.
    """
    return name


GOOD: dict[str, Any] = {"place": {"city": "Oslo"}, "days": 3}


def test_everything_that_is_checked_is_told() -> None:
    schema = Tool(plan).parameters
    properties = schema["properties"]
    assert properties["days"] == {
        "type": "integer",
        "description": "How many",
        "minimum": 1,
        "maximum": 7,
    }
    assert properties["name"] == {
        "type": "string",
        "minLength": 2,
        "pattern": "^[a-z]+$",
        "default": "it",
    }
    assert properties["when"]["anyOf"][0] == {"type": "string", "format": "date-time"}
    assert properties["number"]["anyOf"][0] == {"type": "string", "format": "uuid"}
    assert properties["tags"]["anyOf"][0]["maxItems"] == 2
    assert properties["kind"] == {
        "type": "string",
        "enum": ["a", "b"],
        "description": "Which way.",
        "default": "a",
    }
    assert properties["price"]["description"] == "In crowns."
    assert properties["note"]["description"] == "A word on it"
    assert properties["odd"]["anyOf"][0] == {}
    assert "context" not in properties
    assert schema["$defs"]["Range"]["properties"]["days"]["minimum"] == 1
    assert schema["required"] == ["place", "days"]
    assert "title" not in schema
    jsonschema.Draft202012Validator.check_schema(schema)


@both
@pytest.mark.parametrize(
    "wrong",
    [
        {"days": 0},
        {"days": 8},
        {"name": "A"},
        {"name": "a1"},
        {"span": {"days": 0}},
        {"span": {}},
        {"tags": ["a", "b", "c"]},
        {"place": {}},
        {"kind": "c"},
    ],
)
def test_what_is_refused_was_told(driver: Driver, wrong: dict[str, Any]) -> None:
    engine = Engine([plan])
    told = jsonschema.Draft202012Validator(engine.tools["plan"].parameters)
    assert told.is_valid(GOOD)
    assert driver.run(engine, ToolCall("plan", GOOD)).ok
    assert not told.is_valid({**GOOD, **wrong})
    assert str(driver.run(engine, ToolCall("plan", {**GOOD, **wrong})).error).startswith("bad_args")


def test_without_the_engine_bounds_and_descriptions_are_told_too() -> None:
    properties = to_spec(plan).properties
    engine = Tool(plan).parameters["properties"]
    for name in ("days", "name", "when", "number", "price", "kind", "note"):
        known = dict(properties[name])
        assert known.get("description") == engine[name].get("description")
        assert {key for key in engine[name] if key != "pattern"} <= {*known}
    assert properties["tags"]["anyOf"][0]["maxItems"] == 2
    assert properties["span"]["anyOf"][0]["properties"]["days"]["minimum"] == 1


# ------------------------------------------------------------------------------ names, and parsers


def test_tool_of_a_model_bears_the_name_of_its_function() -> None:
    def send_mail(mail: Range) -> int:
        return mail.days

    assert Tool(send_mail, schema=Range).name == "send_mail"
    assert Tool(send_mail, schema=Range, name="mail").name == "mail"
    assert Tool(lambda mail: mail, schema=Range).name == "Range"
    assert Tool(send_mail, schema={"name": "own", "parameters": {}}).name == "own"


def test_engine_tells_a_parser_of_its_tools() -> None:
    engine = Engine([plan])
    text = '<tool_call>\n{"name": "plan", "arguments": {"days": "3"}}\n</tool_call>'
    for tools in (engine, engine.tools, engine.tools.values(), [*engine]):
        (call,) = parse(text, "hermes", tools=tools).calls
        assert call.arguments == {"days": 3}
        assert parse(text, "hermes").unknown_tools(tools) == ()
