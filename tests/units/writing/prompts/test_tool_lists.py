"""`writing/prompts/tool_lists.py` and `writing/prompts/examples.py`: tools as prompts show them."""

import ast
import json
from typing import Any

import pytest

from toolgrammar import ToolSpec
from toolgrammar.tools.specs import to_specs
from toolgrammar.writing.prompts.examples import example_call
from toolgrammar.writing.prompts.tool_lists import WRITERS

FERRY = {
    "name": "find_ferry",
    "description": "Finds a ferry.\nOnly today's.",
    "parameters": {
        "type": "object",
        "properties": {
            "line": {"type": "string", "description": "the name of  the line"},
            "class": {"enum": ["car", "foot"], "default": "foot"},
            "seats": {"type": ["integer", "null"]},
            "stops": {"type": "array", "items": {"anyOf": [{"type": "string"}, {"type": "null"}]}},
            "at": {
                "type": "object",
                "properties": {"hour": {"type": "integer"}, "odd-key": {"const": 1}},
                "required": ["hour"],
            },
        },
        "required": ["line", "at"],
    },
}
TOOLS = list(to_specs([FERRY, {"name": "now"}]).values())


def test_json_is_the_tools_again() -> None:
    whole = json.loads(WRITERS["tools_json"](TOOLS))
    lines = [json.loads(line) for line in WRITERS["tools_json_lines"](TOOLS).splitlines()]
    bare = [json.loads(line) for line in WRITERS["tools_functions"](TOOLS).splitlines()]
    assert whole == lines == [{"type": "function", "function": each} for each in bare]
    assert bare == [FERRY, {"name": "now", "parameters": {"type": "object", "properties": {}}}]


def test_typescript() -> None:
    assert WRITERS["tools_typescript"](TOOLS) == (
        "namespace functions {\n\n"
        "// Finds a ferry.\n// Only today's.\n"
        "type find_ferry = (_: {\n"
        "// the name of  the line\nline: string,\n"
        'class?: "car" | "foot", // default: "foot"\n'
        "seats?: number | null,\n"
        "stops?: (string | null)[],\n"
        'at: {\nhour: number,\n"odd-key"?: 1,\n},\n'
        "}) => any;\n\n"
        "type now = () => any;\n\n"
        "} // namespace functions"
    )


@pytest.mark.parametrize("keyword", ["anyOf", "oneOf"])
def test_a_choice_is_a_union_in_typescript(keyword: str) -> None:
    seats = {keyword: [{"type": "string"}, {"type": "integer"}, {"type": "string"}]}
    tool = {"name": "f", "parameters": {"type": "object", "properties": {"seats": seats}}}
    written = WRITERS["tools_typescript"](list(to_specs([tool]).values()))
    assert "seats?: string | number,\n" in written


@pytest.mark.parametrize(
    ("kind", "typescript", "python"),
    [
        ("string", "string", "str"),
        ("integer", "number", "int"),
        ("number", "number", "float"),
        ("boolean", "boolean", "bool"),
        ("null", "null", "None"),
        ("object", "object", "dict"),
        ("array", "any[]", "list"),
    ],
)
def test_each_type_has_its_name(kind: str, typescript: str, python: str) -> None:
    schema = {"type": "object", "properties": {"x": {"type": kind}}, "required": ["x"]}
    tools = [ToolSpec("f", "", schema)]
    assert f"\nx: {typescript},\n" in WRITERS["tools_typescript"](tools)
    assert WRITERS["tools_python"](tools).startswith(f"def f(x: {python}):")


def test_python_is_python() -> None:
    found = ast.parse(WRITERS["tools_python"](TOOLS)).body
    assert [each.name for each in found if isinstance(each, ast.FunctionDef)] == [
        "find_ferry",
        "now",
    ]
    usable = to_specs(
        [
            {
                "name": "f",
                "parameters": {
                    "properties": {
                        "n": {"type": "integer", "default": 3},
                        "words": {"type": "array", "items": {"type": "string"}},
                        "mode": {"enum": ["a", "b"]},
                    },
                    "required": ["words"],
                },
            }
        ]
    )
    signature = "def f(words: list[str], n: int = 3, mode: Literal['a', 'b'] | None = None):"
    assert WRITERS["tools_python"](usable.values()).splitlines()[0] == signature


def test_a_key_that_python_has_no_name_for() -> None:
    assert WRITERS["tools_python"](TOOLS).startswith("def find_ferry(**arguments):\n")


def test_xml_has_name_type_and_description() -> None:
    text = WRITERS["tools_xml"](TOOLS)
    parameter = (
        "<parameter>\n<name>line</name>\n<type>string</type>\n"
        "<description>the name of the line</description>\n</parameter>"
    )
    assert parameter in text
    assert '<enum>["car", "foot"]</enum>\n<default>"foot"</default>' in text
    assert '<required>["line", "at"]</required>\n</parameters>\n</function>' in text


def test_words_and_lines() -> None:
    assert WRITERS["tools_words"](TOOLS).splitlines()[:5] == [
        "## find_ferry",
        "Description: Finds a ferry. Only today's.",
        "Parameters:",
        "- line (string, required): the name of the line",
        '- class (any type, one of ["car", "foot"], optional)',
    ]
    assert WRITERS["tools_words"](TOOLS).splitlines()[5:10] == [
        "- seats (integer or null, optional)",
        "- stops (array of string or null, optional)",
        "- at (object, required)",
        "  - hour (integer, required)",
        "  - odd-key (any type, always 1, optional)",
    ]
    assert WRITERS["tools_words"](TOOLS).endswith("## now\nParameters: none")
    assert WRITERS["tools_lines"](TOOLS).splitlines()[1] == "now: Arguments: {}"
    assert "### now\nDescription: \n\nParameters: {" in WRITERS["tools_headed"](TOOLS)
    assert WRITERS["tool_names"](TOOLS) == "find_ferry, now"


LEG = {
    "type": "object",
    "properties": {"port": {"type": "string", "description": "where it stops"}},
    "required": ["port"],
}
TRIP = ToolSpec(
    "plan_trip",
    "",
    {
        "type": "object",
        "properties": {
            "legs": {"type": "array", "items": {"$ref": "#/$defs/leg"}},
            "home": {"anyOf": [{"$ref": "#/$defs/leg"}, {"type": "null"}]},
            "fares": {"type": "object", "additionalProperties": {"$ref": "#/$defs/leg"}},
        },
        "required": ["legs"],
        "$defs": {"leg": LEG},
    },
)


@pytest.mark.parametrize("name", [name for name in WRITERS if name != "tool_names"])
def test_what_stands_inside_of_an_argument_is_told(name: str) -> None:
    text = WRITERS[name]([TRIP])
    assert "port" in text
    assert "where it stops" in text


def test_objects_in_lists_and_unions_in_words() -> None:
    port = "  - port (string, required): where it stops"
    assert WRITERS["tools_words"]([TRIP]).splitlines()[2:] == [
        "- legs (array of object, required)",
        port,
        "- home (object or null, optional)",
        port,
        "- fares (object of any keys, each object, optional)",
        port,
    ]
    assert "\n        legs:\n            - port (string, required)" in WRITERS["tools_python"](
        [TRIP]
    )


def test_an_argument_that_python_has_no_name_for_is_told() -> None:
    text = WRITERS["tools_python"](TOOLS)
    assert '\n        class (any type, one of ["car", "foot"], optional)\n' in text
    assert "\n        at (object, required)\n            - hour (integer, required)\n" in text


@pytest.mark.parametrize("name", WRITERS)
def test_a_schema_that_holds_itself_has_an_end(name: str) -> None:
    node: dict[str, Any] = {
        "type": "object",
        "properties": {"next": {"$ref": "#/$defs/node"}},
        "required": ["next"],
    }
    schema = {
        "type": "object",
        "properties": {
            "first": {"$ref": "#/$defs/node"},
            "all": {"type": "array", "items": {"$ref": "#/$defs/node"}},
        },
        "$defs": {"node": node},
    }
    tool = ToolSpec("walk", "", schema)
    assert "walk" in WRITERS[name]([tool])
    assert example_call(tool).arguments["first"]["next"]["next"]


@pytest.mark.parametrize(
    ("schema", "value"),
    [
        ({"type": "string"}, "some x"),
        ({"type": "integer"}, 1),
        ({"type": "number"}, 1.5),
        ({"type": "boolean"}, True),
        ({"type": "null"}, None),
        ({"type": "array"}, []),
        ({"type": "array", "items": {"type": "integer"}}, [1]),
        ({"type": ["null", "string"]}, None),
        ({"anyOf": [{"type": "integer"}, {"type": "null"}]}, 1),
        ({"const": 7}, 7),
        ({"type": "string", "enum": ["b", "a"]}, "b"),
        ({"type": "string", "examples": ["Bergen"]}, "Bergen"),
        ({"type": "integer", "default": 5}, 5),
        ({"properties": {"a": {"type": "integer"}}, "type": "object"}, {"a": 1}),
        ({"properties": {"a": {}, "b": {}}, "type": "object", "required": ["b"]}, {"b": "some b"}),
        ({}, "some x"),
        (True, "some x"),
    ],
)
def test_the_value_of_an_example(schema: Any, value: object) -> None:
    tool = ToolSpec("f", "", {"type": "object", "properties": {"x": schema}, "required": ["x"]})
    assert example_call(tool).arguments == {"x": value}


def test_an_example_has_what_is_required_or_the_first() -> None:
    assert list(example_call(TOOLS[0]).arguments) == ["line", "at"]
    loose = ToolSpec("f", "", {"properties": {"a": {"type": "string"}, "b": {}}})
    assert example_call(loose).arguments == {"a": "some a"}
    assert example_call(TOOLS[1]).arguments == {}
