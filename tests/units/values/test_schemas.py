"""Schemas are read as their authors mean them."""

import copy
import pickle
from typing import Any

import pytest

from toolgrammar.values.schemas import shape_of, types_of
from toolgrammar.values.tools import ToolSpec

STRING: dict[str, Any] = {"type": "string"}
INTEGER: dict[str, Any] = {"type": "integer"}
NULL: dict[str, Any] = {"type": "null"}


@pytest.mark.parametrize(
    ("schema", "types"),
    [
        (None, None),
        (True, None),
        ({}, None),
        ({"description": "words"}, None),
        ({"type": "any"}, None),
        (STRING, ("string",)),
        ({"type": ["string", "null"]}, ("string", "null")),
        ({"type": "STRING"}, ("string",)),
        ({"type": "int"}, ("integer",)),
        ({"type": "dict"}, ("object",)),
        ({"type": 3}, None),
        ({"anyOf": [STRING, NULL]}, ("string", "null")),
        ({"oneOf": [INTEGER, {"anyOf": [STRING, INTEGER]}]}, ("integer", "string")),
        ({"anyOf": [{}, NULL]}, ("string", "null")),
        ({"anyOf": [{}, {}]}, None),
        ({"anyOf": []}, None),
        ({"allOf": [{"type": "object"}, {"properties": {}}]}, ("object",)),
        ({"allOf": [{"type": ["number", "string"]}, INTEGER]}, ("integer",)),
        ({"allOf": [INTEGER, {"type": "number"}]}, ("integer",)),
        ({"allOf": [{"description": "x"}, STRING]}, ("string",)),
        ({"type": "object", "anyOf": [{"required": ["a"]}]}, ("object",)),
        ({"enum": ["a", "b"]}, ("string",)),
        ({"enum": [1, "b", None]}, ("integer", "string", "null")),
        ({"enum": [True, 1.5, [], {}]}, ("boolean", "number", "array", "object")),
        ({"type": "string", "enum": [1]}, ("string",)),
        ({"const": 3}, ("integer",)),
        ({"type": "string", "nullable": True}, ("string", "null")),
        ({"nullable": True}, None),
        ({"properties": {}}, ("object",)),
        ({"items": {}}, ("array",)),
    ],
)
def test_types_of(schema: Any, types: tuple[str, ...] | None) -> None:
    assert types_of(schema) == types


def test_types_of_a_schema_that_holds_itself() -> None:
    itself: dict[str, Any] = {}
    itself["anyOf"] = [itself, INTEGER, {"anyOf": [itself, NULL]}]
    assert types_of(itself) == ("integer", "null")


def check(parameters: Any, properties: Any, required: tuple[str, ...] = ()) -> None:
    spec = ToolSpec("t", "", parameters)
    assert spec.properties == properties
    assert spec.required == required


@pytest.mark.parametrize(
    "parameters",
    [
        None,
        {},
        {"type": "object"},
        {"properties": 3, "required": "a"},
        {"anyOf": 1},
        {"allOf": [3]},
    ],
)
def test_no_properties(parameters: Any) -> None:
    check(parameters, {})


def test_plain_properties() -> None:
    check(
        {"type": "object", "properties": {"a": STRING, "b": True}, "required": ["a"]},
        {"a": STRING, "b": {}},
        ("a",),
    )


def test_references_are_resolved_to_the_bottom() -> None:
    item = {"type": "object", "properties": {"id": INTEGER}}
    check(
        {
            "$defs": {"Item": item, "Alias": {"$ref": "#/$defs/Item"}, "a/b": STRING},
            "properties": {
                "direct": {"$ref": "#/$defs/Alias", "description": "annotations don't count"},
                "list": {"type": "array", "items": {"$ref": "#/$defs/Item"}},
                "maybe": {"anyOf": [{"$ref": "#/$defs/Item"}, NULL]},
                "more": {"$ref": "#/$defs/a~1b", "minLength": 1},
                "same": {"$ref": "#/properties/more"},
                "$ref": STRING,
            },
        },
        {
            "direct": item,
            "list": {"type": "array", "items": item},
            "maybe": {"anyOf": [item, NULL]},
            "more": {"minLength": 1, "allOf": [STRING]},
            "same": {"minLength": 1, "allOf": [STRING]},
            "$ref": STRING,
        },
    )


@pytest.mark.parametrize(
    "reference", ["#/$defs/Missing", "other.json#/a", "#/$defs/Loop", "#/$defs/list/9", "#/a/b/c"]
)
def test_a_reference_to_nowhere_is_untyped(reference: str) -> None:
    definitions = {"Loop": {"$ref": "#/$defs/Loop"}, "list": [STRING]}
    parameters = {"$defs": definitions, "properties": {"a": {"$ref": reference}}, "a": 1}
    assert types_of(ToolSpec("t", "", parameters).properties["a"]) is None


def test_data_is_no_schema() -> None:
    listed = {"enum": [{"$ref": "#/x"}], "default": {"$ref": "#/x"}, "const": {"$ref": "#/x"}}
    check({"properties": {"a": listed}}, {"a": listed})


def test_a_schema_that_refers_to_itself_is_a_cycle() -> None:
    tree = {"type": "object", "properties": {"next": {"$ref": "#/$defs/Tree"}}}
    spec = ToolSpec(
        "t", "", {"$defs": {"Tree": tree}, "properties": {"a": {"$ref": "#/$defs/Tree"}}}
    )
    found = spec.properties["a"]
    assert found["properties"]["next"] is found
    assert pickle.loads(pickle.dumps(spec)) == copy.deepcopy(spec) == spec
    assert repr(spec).startswith("ToolSpec(name='t'")


def test_tangled_references_end() -> None:
    """Each schema is read once: a naive reading of this one doubles with every step."""
    one = {
        "$ref": "#/$defs/B",
        "allOf": [{"$ref": "#/$defs/A", "minimum": each} for each in (1, 2)],
    }
    two = {"$ref": "#/$defs/A", "type": "integer", "anyOf": [{"$ref": "#/$defs/B", "title": "x"}]}
    spec = ToolSpec(
        "t", "", {"$defs": {"A": one, "B": two}, "properties": {"a": {"$ref": "#/$defs/A"}}}
    )
    assert types_of(spec.properties["a"]) == ("integer",)


def test_deep_schemas_end() -> None:
    deep: dict[str, Any] = {}
    for _ in range(5000):
        deep = {"items": deep}
    assert set(ToolSpec("t", "", {"properties": {"a": deep}}).properties) == {"a"}


def test_alternatives_at_the_top_are_laid_together() -> None:
    check(
        {
            "properties": {"kind": STRING},
            "required": ["kind"],
            "oneOf": [
                {"properties": {"a": STRING, "b": INTEGER, "kind": {}}, "required": ["b", "a"]},
                {"properties": {"b": STRING, "c": NULL}, "required": ["b"]},
            ],
        },
        {"kind": STRING, "a": STRING, "b": {"anyOf": [INTEGER, STRING]}, "c": NULL},
        ("kind", "b"),
    )


def test_all_of_at_the_top_adds_up() -> None:
    check(
        {
            "$defs": {"Named": {"properties": {"a": STRING}, "required": ["a"]}},
            "allOf": [
                {"$ref": "#/$defs/Named"},
                {"properties": {"a": {"minLength": 1}, "b": INTEGER}, "required": ["b", "a"]},
            ],
        },
        {"a": {"allOf": [STRING, {"minLength": 1}]}, "b": INTEGER},
        ("a", "b"),
    )


@pytest.mark.parametrize(
    ("properties", "required", "name"),
    [
        ({"a": STRING}, ["a"], "a"),
        ({"a": STRING, "b": INTEGER}, ["a"], "a"),
        ({"a": {}}, ["a"], "a"),
        ({"a": {"type": ["string", "null"]}}, ["a"], "a"),
        ({"a": {"anyOf": [STRING, NULL]}}, ["a"], "a"),
        ({"a": {"enum": ["x"]}}, ["a"], "a"),
        ({"a": INTEGER}, ["a"], None),
        ({"a": {"anyOf": [STRING, INTEGER]}}, ["a"], None),
        ({"a": STRING, "b": STRING}, ["a", "b"], None),
        ({"a": STRING}, [], "a"),
        ({"a": STRING, "b": INTEGER}, [], "a"),
        ({"a": STRING, "b": STRING}, [], None),
        ({"a": INTEGER}, [], None),
        ({"a": INTEGER, "b": STRING}, ["a"], None),
        ({}, [], None),
    ],
)
def test_lone_text_parameter(
    properties: dict[str, Any], required: list[str], name: str | None
) -> None:
    parameters = {"type": "object", "properties": properties, "required": required}
    assert ToolSpec("t", "", parameters).lone_text_parameter == name


@pytest.mark.parametrize(
    ("parameters", "given", "drops"),
    [
        ({"properties": {"a": INTEGER}}, (), True),
        ({"properties": {"a": STRING, "b": STRING}}, ("a",), True),
        ({"properties": {"a": STRING, "b": STRING}, "required": ["a"]}, ("a",), True),
        ({"properties": {"a": STRING, "b": STRING}, "required": ["b"]}, ("a",), False),
        ({"properties": {}}, (), True),
        ({"properties": {"a": INTEGER}, "additionalProperties": True}, (), False),
        ({"type": "object"}, (), False),
        (None, (), False),
    ],
)
def test_tool_that_would_run_without_a_text(
    parameters: dict[str, Any] | None, given: tuple[str, ...], *, drops: bool
) -> None:
    assert ToolSpec("t", "", parameters).drops_text(given) is drops


def test_no_lone_text_parameter_without_a_schema() -> None:
    assert ToolSpec("t").lone_text_parameter is None


def test_is_read_once() -> None:
    spec = ToolSpec("t", "", {"properties": {"a": {"$ref": "#/$defs/A"}}})
    assert spec.properties is spec.properties
    assert spec == ToolSpec("t", "", {"properties": {"a": {"$ref": "#/$defs/A"}}})


def test_a_property_that_is_false_admits_nothing() -> None:
    shape = shape_of({"properties": {"gone": False, "any": True, "text": {"type": "string"}}})
    assert shape.properties == {"gone": {"not": {}}, "any": {}, "text": {"type": "string"}}
    assert shape_of({"properties": {"gone": False, "text": {}}}).lone_text == "text"


def test_arguments_without_a_schema_of_their_own_have_that_of_all_others() -> None:
    more = {"type": "integer"}
    shape = shape_of({"properties": {"a": {"type": "string"}}, "additionalProperties": more})
    assert (shape.schema_of("a"), shape.schema_of("b")) == ({"type": "string"}, more)
    assert shape_of({"additionalProperties": True}).schema_of("b") is None
