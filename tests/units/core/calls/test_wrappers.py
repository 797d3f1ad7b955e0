"""A lone argument that holds all the arguments, by the header's key `unwrap`."""

from pathlib import Path
from typing import Any

import pytest

from tests.units.core.cuts import read, save
from toolgrammar import ArgumentsDelta, CallEnd, Parser

RULES = r"""
%import .common.text (TEXT, RAW, NAME)
%import .common.json (JSON_VALUE)
start: (TEXT | call)*
call: "<do " name ">" argument* "</do>"
argument: "<json " key ">" json "</json>" | "<raw " key ">" value "</raw>"
name: NAME
key: NAME
json: JSON_VALUE -> value
value: RAW
"""


def tool(*properties: str) -> list[dict[str, object]]:
    schema = {"type": "object", "properties": {name: {} for name in properties}}
    return [{"name": "f", "parameters": schema}]


WRAPPED = '<json arguments>{"city": "Oslo"}</json>'


@pytest.mark.parametrize(
    ("body", "properties", "arguments"),
    [
        (WRAPPED, ["city"], {"city": "Oslo"}),
        ('<raw input>{"city": "Oslo"}</raw>', ["city"], {"city": "Oslo"}),
        ("<json arguments>{}</json>", ["city"], {}),
        (WRAPPED, ["arguments"], {"arguments": {"city": "Oslo"}}),
        (WRAPPED, None, {"arguments": {"city": "Oslo"}}),
        (WRAPPED + "<json b>1</json>", ["city"], {"arguments": {"city": "Oslo"}, "b": 1}),
        ("<json b>1</json>" + WRAPPED, ["city"], {"b": 1, "arguments": {"city": "Oslo"}}),
        ("<json arguments>[1]</json>", ["city"], {"arguments": [1]}),
        ("<raw input>no object</raw>", ["city"], {"input": "no object"}),
        ("<raw input>{'city': None}</raw>", ["city"], {"city": None}),
        ('<json other>{"city": "Oslo"}</json>', ["city"], {"other": {"city": "Oslo"}}),
    ],
)
def test_what_the_arguments_are(
    tmp_path: Path, body: str, properties: list[str] | None, arguments: dict[str, Any]
) -> None:
    tools = None if properties is None else tool(*properties)
    grammar = save(tmp_path, "unwrap: arguments, input", RULES)
    result = read(grammar, f"<do f>{body}</do>", tools)
    (call,) = result.calls
    assert (call.arguments, call.status, result.diagnostics) == (arguments, "complete", ())


@pytest.mark.parametrize("text", ["{no object", "{city: Oslo}", '{"city": NaN}'])
def test_an_object_that_could_not_be_read_is_a_doubt(tmp_path: Path, text: str) -> None:
    grammar = save(tmp_path, "unwrap: arguments, input", RULES)
    (call,) = read(grammar, f"<do f><raw input>{text}</raw></do>", tool("city")).calls
    assert (call.arguments, call.doubts) == ({"input": text}, ("bare-text",))
    (call,) = read(grammar, f"<do f><raw input>{text}</raw></do>", tool("input")).calls
    assert (call.arguments, call.doubts) == ({"input": text}, ())


def test_only_what_may_wrap_is_held_back(tmp_path: Path) -> None:
    parser = Parser(save(tmp_path, "unwrap: arguments", RULES), tools=tool("city"))
    held = parser.feed('<do f><json arguments>{"city": "Os')
    assert not any(isinstance(event, ArgumentsDelta) for event in held)
    given = parser.feed('lo"}</json></do>')
    assert [event.json for event in given if isinstance(event, ArgumentsDelta)] == [
        '{"city": "Oslo"}'
    ]
    assert isinstance(given[-1], CallEnd)
    plain = parser.feed('<do f><json city>"Os')
    assert any(isinstance(event, ArgumentsDelta) for event in plain)
