"""docs/schema.json says what `to_dict` gives: real outputs, whole and in parts, hold to it."""

import json
from pathlib import Path
from typing import Any

import pytest
from jsonschema import Draft202012Validator

import toolgrammar
from tests.laws.every_case import page_cases
from toolgrammar import Parser, ToolCall
from toolgrammar.engine import ToolError, ToolResult
from toolgrammar.testing import Case

SCHEMA = json.loads((Path(__file__).parents[3] / "docs" / "schema.json").read_text("utf-8"))
VALIDATOR = Draft202012Validator(SCHEMA)


def part(name: str) -> Draft202012Validator:
    """What holds one kind of value to the schema."""
    return Draft202012Validator({"$ref": f"#/$defs/{name}", "$defs": SCHEMA["$defs"]})


FORMATS = ("hermes", "simple_agent", "kimi_k2", "qwen3_xml", "cohere_command3")
CASES = [case for format_id in FORMATS for case in page_cases(format_id)]
"""Examples of all kinds: sound, damaged, cut, with text, reasoning and ids."""


def test_the_schema_is_one() -> None:
    Draft202012Validator.check_schema(SCHEMA)


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.id.rpartition("/")[2])
def test_what_is_read_holds_to_it(case: Case) -> None:
    result = toolgrammar.parse(case.text, case.format, tools=case.tools, prefix=case.prefix)
    found: list[tuple[str, dict[str, Any]]] = [("ParseResult", result.to_dict())]
    found += [("ToolCall", call.to_dict()) for call in result.calls]
    found += [("Diagnostic", each.to_dict()) for each in result.diagnostics]
    parser = Parser(case.format, tools=case.tools, prefix=case.prefix)
    events = [event for character in case.text for event in parser.feed(character)]
    found += [("Event", event.to_dict()) for event in (*events, *parser.close())]
    for name, value in found:
        plain = json.loads(json.dumps(value))
        VALIDATOR.validate(plain)
        part(name).validate(plain)


@pytest.mark.parametrize("text", ['{"a": 1}', "{a: 1}", '{"a": "x', "", '{"a": 1}{"b": 2}'])
def test_what_was_recovered_holds_to_it(text: str) -> None:
    VALIDATOR.validate(json.loads(json.dumps(toolgrammar.recover_json(text).to_dict())))


def test_what_was_run_holds_to_it() -> None:
    call = ToolCall("f", {"a": [1, None]}, id="x")
    done = ToolResult(call, value={"rain": True}, attempts=1, seconds=0.5)
    for result in (done, ToolResult(call, error=ToolError("refused", "truncated"))):
        VALIDATOR.validate(json.loads(json.dumps(result.to_dict())))


@pytest.mark.parametrize("change", [{"schema": 2}, {"extra": 1}, {"ok": 3}, {"calls": [{}]}])
def test_what_is_otherwise_does_not(change: dict[str, Any]) -> None:
    assert not VALIDATOR.is_valid({**toolgrammar.parse("x", "hermes").to_dict(), **change})


def test_every_field_is_described() -> None:
    """A field that comes to a dataclass has to come to the schema too: none may be left out."""
    value = toolgrammar.parse("x", "hermes").to_dict()
    assert list(SCHEMA["$defs"]["ParseResult"]["properties"]) == list(value)
    assert list(SCHEMA["$defs"]["ToolCall"]["properties"]) == list(ToolCall("f").to_dict())
