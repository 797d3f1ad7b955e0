"""The shortest ways through whole messages give what the driver gives, also where they give up."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.units.core.cuts import read, save

if TYPE_CHECKING:
    from pathlib import Path

VALUES = r"""
%import .common.text (TEXT, SKIPPED, RAW)
start: (TEXT | calls | call)*
calls: "<calls>" call (call | SKIPPED)* "</calls>"
call: "<call " name ">" argument* "</call>"
argument: "<arg " key ">" value "</arg>"
name: /\w+/
key: /\w+/
value: RAW
"""
OBJECTS = r"""
%import .common.text (TEXT, SKIPPED, RAW)
%import .common.json (JSON_OBJECT)
start: (TEXT | calls | call)*
calls: "<calls>" call (call | SKIPPED)* "</calls>"
call: "<call " name ":" id ">" arguments "</call>"
name: /\w+/
id: /\d+/
arguments: JSON_OBJECT
"""
TOOLS: list[dict[str, object]] = [
    {
        "name": "add",
        "parameters": {
            "type": "object",
            "properties": {"count": {"type": "integer"}, "note": {"type": "string"}},
        },
    }
]
ADD = "<call add><arg count>3</arg><arg note>3</arg></call>"
THREE = {"count": 3, "note": "3"}


def taught(folder: Path, rules: str, *texts: str) -> str:
    """Saves a grammar and reads usual messages first: what they look like is learned from them."""
    grammar = save(folder, "", rules)
    for text in texts:
        assert read(grammar, text, TOOLS).ok
    return grammar


# What is seen first is what is taken for usual.
@pytest.fixture(params=["alone", "in a section", "two in a section"])
def values(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    """A grammar of calls with one value after the other."""
    one = "<call add><arg count>3</arg></call>"
    return taught(tmp_path, VALUES, *usual(request.param, ADD, ADD), one, f"<calls>{one}</calls>")


@pytest.fixture(params=["alone", "in a section", "two in a section"])
def objects(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    """A grammar of calls with an id and an object."""
    one, two = (f'<call add:{number}>{{"count": 3, "note": "3"}}</call>' for number in (1, 2))
    return taught(tmp_path, OBJECTS, *usual(request.param, one, two))


def usual(first: str, one: str, two: str) -> list[str]:
    """Gives usual messages in an order."""
    texts = {
        "alone": one,
        "in a section": f"<calls>{one}</calls>",
        "two in a section": f"<calls>{one}{two}</calls>",
    }
    return [texts[first], *(text for text in texts.values() if text != texts[first])]


@pytest.mark.parametrize(
    ("text", "arguments"),
    [
        (ADD, [THREE]),
        (f"So: {ADD} and\n{ADD}", [THREE] * 2),
        (f"<calls>{ADD}</calls> done", [THREE]),
        (f"<calls>{ADD}{ADD}{ADD}</calls>", [THREE] * 3),
        (f"<calls>{ADD}<call add></call></calls>", [THREE, {}]),
        ("<calls><call add></call></calls>", [{}]),
        ("<call other><arg count>3</arg></call>", [{"count": "3"}]),
        ("<call add><arg note>b</arg><arg note>b</arg></call>", [{"note": "b"}]),
    ],
)
def test_values_one_after_the_other(
    values: str, text: str, arguments: list[dict[str, object]]
) -> None:
    result = read(values, text, TOOLS)
    assert [call.arguments for call in result.calls] == arguments
    assert result.ok


@pytest.mark.parametrize(
    ("text", "arguments"),
    [
        (f"<calls>{ADD}{ADD} so much", [THREE] * 2),
        (f"<calls>{ADD}", [THREE]),
        (f"{ADD}</calls>", [THREE]),
        (f"<calls>{ADD} and {ADD}", [THREE] * 2),
        ("<call add><arg count>three</arg></call>", [{"count": "three"}]),
        ("<call add><arg count>3</arg><arg note>3</call>", [THREE]),
    ],
)
def test_values_that_are_given_up(
    values: str, text: str, arguments: list[dict[str, object]]
) -> None:
    # What was read before the way was given up is not in the result twice.
    result = read(values, text, TOOLS)
    assert [call.arguments for call in result.calls] == arguments
    assert result.diagnostics


@pytest.mark.parametrize(
    ("text", "ids"),
    [
        ('<call add:7>{"count": 3}</call>', ["7"]),
        ('<calls><call add:7>{"count": 3}</call></calls>', ["7"]),
        ('<calls><call add:7>{}</call><call add:8>{"note": ""}</call></calls> so', ["7", "8"]),
        ('<call add:7>{"count": "3"}</call>', ["7"]),
        ('<call add:7>{"count": 3}</call></calls>', ["7"]),
        ('<calls><call add:7>{"count": 3}</call> so', ["7"]),
        ('<calls><call add:7>{"count": 3}</call>', ["7"]),
    ],
)
def test_objects_with_an_id(objects: str, text: str, ids: list[str]) -> None:
    result = read(objects, text, TOOLS)
    assert [call.id for call in result.calls] == ids
    assert {call.name for call in result.calls} == {"add"}
    assert result.calls[0].arguments.get("count", 3) == 3


@pytest.mark.parametrize("key", ["\\ud800", "\ud800"])
@pytest.mark.parametrize("value", ['"x"', '{"\\udc00": 1}', "[1]"])
def test_half_a_surrogate_pair_in_a_key_is_no_character(objects: str, key: str, value: str) -> None:
    result = read(objects, f'<call add:7>{{"{key}": {value}}}</call>')
    assert list(result.calls[0].arguments) == ["\ufffd"]
    assert "lone-surrogate" in {each.code for each in result.diagnostics}
