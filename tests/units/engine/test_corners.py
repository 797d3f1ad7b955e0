"""Corners of single parts that no whole call shows."""

from __future__ import annotations

import asyncio
import dataclasses
from email.message import Message
from types import SimpleNamespace
from typing import Any

import pytest
from pydantic import BaseModel, ConfigDict, RootModel

from tests.units.engine.driving import Driver, both, call, outcome
from toolgrammar import ToolCall
from toolgrammar.engine import Engine, Retry, RetryableError, Tool, ToolContext
from toolgrammar.engine.arguments.schema_values import Expected
from toolgrammar.engine.arguments.strict_types import masked
from toolgrammar.engine.running.plan import circles


@pytest.mark.parametrize(
    ("graph", "found"),
    [
        ({}, {}),
        ({1: {2}, 2: set()}, {}),
        ({1: {1}}, {1: {1}}),
        ({1: {2}, 2: {1}, 3: {1}}, {1: {1, 2}, 2: {1, 2}}),
        ({1: {2}, 2: {3}, 3: {2, 4}, 4: set()}, {2: {2, 3}, 3: {2, 3}}),
        ({1: {9}}, {}),
    ],
    ids=repr,
)
def test_circles(graph: dict[int, set[int]], found: dict[int, set[int]]) -> None:
    assert circles(graph) == found


LEVEL = {"type": "string", "enum": ["a", "c"]}
TEXT = "Input should be a valid string"
SWITCH = 'Input should be "a", true or false'
ENDLESS: dict[str, Any] = {}
ENDLESS["anyOf"] = [ENDLESS, {"enum": [2]}]


@pytest.mark.parametrize(
    ("value", "schema", "wanted"),
    [
        ("1", {"enum": [1, 2]}, (1, "")),
        (True, {"enum": [1, 2]}, (True, "Input should be a valid integer")),
        ("3", {"enum": [1, 2]}, (3, "Input should be 1 or 2")),
        ("b", {"const": "a"}, ("b", 'Input should be "a"')),
        ("b", {"anyOf": [LEVEL, {"type": "null"}]}, ("b", 'Input should be "a", "c" or null')),
        ("c", {"anyOf": [LEVEL, {"type": "null"}]}, ("c", "")),
        (None, {"oneOf": [LEVEL, {"type": "null"}]}, (None, "")),
        ("b", {"allOf": [LEVEL], "default": "a"}, ("b", 'Input should be "a" or "c"')),
        ("c", {"allOf": [LEVEL, {"enum": ["a", "d"]}]}, ("c", 'Input should be "a"')),
        ("2", {"anyOf": [{"enum": [1, 2]}, {"type": "null"}]}, (2, "")),
        ("b", {"anyOf": [LEVEL, {"const": "a"}]}, ("b", 'Input should be "a" or "c"')),
        ("b", {"anyOf": [LEVEL, {"type": "integer"}]}, ("b", "")),
        ("true", {"anyOf": [LEVEL, {"type": "boolean"}]}, (True, "")),
        ("yes", {"anyOf": [{"const": "a"}, {"type": "boolean"}]}, ("yes", SWITCH)),
        (None, {**LEVEL, "nullable": True}, (None, "")),
        ("b", {**LEVEL, "nullable": True}, ("b", 'Input should be "a", "c" or null')),
        (1, ENDLESS, (1, "")),
        # A union with a part that says nothing admits anything.
        ([1], {"anyOf": [{"type": "integer"}, {}]}, ([1], "")),
        (None, {"oneOf": [{"type": "string"}, {"description": "any"}]}, (None, "")),
        (5, {"type": "string", "anyOf": [{}, {"enum": ["a"]}]}, (5, TEXT)),
        ("1e3", {"type": "number"}, (1000.0, "")),
        ("12", {"type": "number"}, (12, "")),
        ("1" * 5000, {"type": "integer"}, ("1" * 5000, "Input should be a valid integer")),
        ("TRUE", {"type": "boolean"}, (True, "")),
        (1, {"type": "boolean"}, (1, "Input should be a valid boolean")),
        (5, {"type": "number"}, (5, "")),
        ("5", {"type": ["integer", "string"]}, ("5", "")),
        ("null", {"type": "null"}, ("null", "Input should be null")),
        ([1], {}, ([1], "")),
        (2.0, {"anyOf": [{"type": "integer"}, {"type": "null"}]}, (2, "")),
    ],
    ids=repr,
)
def test_value_by_its_schema(value: Any, schema: dict[str, Any], wanted: tuple[Any, str]) -> None:
    found = Expected.of(schema).fitted(value)
    assert found == wanted
    assert type(found[0]) is type(wanted[0])


def test_parts_of_a_schema_that_many_share_are_read_once() -> None:
    schema: dict[str, Any] = LEVEL
    for _ in range(60):
        schema = {"anyOf": [schema, schema]}
    assert Expected.of(schema).fitted("b") == ("b", 'Input should be "a" or "c"')


def test_masked_text() -> None:
    arguments = {"a": ["long text", "abc"], "n": 123456, "b": True, "key4": {"in": " padded "}}
    assert masked("long text abc 123456 padded True key4", arguments) == "*** abc ******True ***"
    assert masked("nothing of it", arguments) == "nothing of it"


@both
def test_waits_between_attempts_are_real(driver: Driver) -> None:
    attempts: list[int] = []

    def tool(context: ToolContext) -> int:
        attempts.append(context.attempt)
        if context.attempt < 3:
            raise RetryableError
        return context.attempt

    engine = Engine([tool], retries=Retry(2, initial=0.01, jitter=False), concurrency=2)
    assert driver.run(engine, call("tool")).seconds >= 0.03
    assert [each.value for each in driver.run_all(engine, [call("tool")] * 2)] == [3, 3]


def test_headers_of_other_libraries() -> None:
    retry = Retry(3, on=[RetryableError, OSError], initial=0)  # type: ignore[arg-type]
    message = Message()
    message["Retry-After"] = "4"
    error = OSError()
    error.response = SimpleNamespace(headers=message)  # type: ignore[attr-defined]
    assert retry.delay(1, error) == 4.0
    error.response = SimpleNamespace(headers={"Retry-After": "Wed, 21 Oct 2015 07:28:00 -0000"})  # type: ignore[attr-defined]
    assert retry.delay(1, error) == 0.0
    error.retry_after = True  # type: ignore[attr-defined]
    assert retry.delay(1, error) == 0.0


@both
def test_bare_schema_leaves_the_name_to_the_function(driver: Driver) -> None:
    def handler(**given: Any) -> Any:
        """Handles."""
        return given

    tool = Tool(handler, schema={"type": "object", "properties": {"n": {"type": "integer"}}})
    engine = Engine([tool])
    assert (tool.name, tool.description) == ("handler", "Handles.")
    assert driver.run(engine, call("handler", n="3")).value == {"n": 3}


@both
def test_model_may_take_more(driver: Driver) -> None:
    class Open(BaseModel):
        model_config = ConfigDict(extra="allow")
        n: int

    seen: list[Any] = []

    def guard(_: ToolCall, arguments: dict[str, Any]) -> None:
        seen.append(arguments)

    engine = Engine([Tool(lambda given: given, schema=Open)], input_guardrails=[guard])
    assert driver.run(engine, call("Open", n="1", more="x")).value == {"n": 1, "more": "x"}
    assert seen == [{"n": 1, "more": "x"}]
    engine = Engine([lambda: RootModel[list[int]]([1])])
    assert driver.run(engine, call("<lambda>")).value == [1]


@both
def test_arguments_that_are_no_object(driver: Driver) -> None:
    made = call("<lambda>")
    # A new call can't be made so; a pickled one of long ago may be.
    object.__setattr__(made, "arguments", ["a"])
    result = driver.run(Engine([lambda: 1]), made)
    assert outcome(result) == (None, "bad_args:Arguments should be an object", False, 0)


@both
def test_functions_without_a_signature_need_a_schema(driver: Driver) -> None:
    with pytest.raises(TypeError):
        Tool(max)
    tool = Tool(dict.fromkeys, schema={"name": "keys", "parameters": {"type": "object"}})
    assert driver.run(Engine([tool]), call("keys")).error is not None


def test_async_hooks_of_a_plan_are_asked_inside_a_running_loop() -> None:
    async def hook(*_: object) -> bool:
        await asyncio.sleep(0)
        return False

    async def main() -> None:
        for concurrency in (1, 2):
            engine = Engine([lambda: 1], input_guardrails=[hook], concurrency=concurrency)
            (result,) = engine.run_all_sync([call("<lambda>")])
            assert str(result.error) == "guardrail:hook"

    asyncio.run(main())


@both
def test_one_at_a_time_skips_and_goes_on(driver: Driver) -> None:
    calls = [
        ToolCall("fail", id="a"),
        ToolCall("fine", id="b", depends_on=("a",)),
        ToolCall("fine", id="c"),
    ]

    def fail() -> None:
        raise ValueError

    def fine() -> str:
        return "fine"

    results = driver.run_all(Engine([fail, fine], concurrency=1), calls)
    assert [str(each.error or each.value) for each in results] == [
        "tool_error:ValueError",
        "skipped:dependency a failed (tool_error)",
        "fine",
    ]


def test_settings_do_not_change_with_the_tool() -> None:
    """What an engine knows of a tool is settled when it is built."""
    tool = Tool(lambda: 1, name="tool", approval=False)
    engine = Engine([tool])
    tool.approval = True
    assert engine.run_sync(call("tool")).ok
    assert dataclasses.is_dataclass(ToolContext)
    assert repr(tool) == "Tool('tool')"


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"concurrency": 0}, "concurrency must be at least 1 or None, got 0"),
        ({"max_result_chars": -1}, "max_result_chars must be at least 0 or None, got -1"),
    ],
)
def test_a_number_out_of_bounds_names_the_option(options: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        Engine([], **options)


def nothing() -> None:
    """Does nothing."""


@pytest.mark.parametrize(
    ("make", "option", "value"),
    [
        (Engine, "allow_truncated", "no"),
        (Engine, "allow_doubtful", "no"),
        (Engine, "trace_values", 1),
        (Engine, "redact", True),
        (Tool, "cache", "no"),
        (Tool, "approval", "no"),
        (Tool, "cache_ttl", "60"),
        (Retry, "jitter", 0),
        (Retry, "timeouts", "no"),
    ],
)
def test_an_option_of_a_wrong_type_is_refused_and_named(
    make: Any, option: str, value: object
) -> None:
    given = {Engine: ([],), Tool: (nothing,), Retry: ()}[make]
    with pytest.raises(TypeError, match=f"{option} must be "):
        make(*given, **{option: value})
