"""What the engine tells its sinks; the sinks themselves have their own tests."""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING, Any

import pytest

from tests.units.engine.driving import Driver, both, call, names
from toolgrammar import ToolCall
from toolgrammar.engine import (
    Engine,
    MemorySink,
    Redactor,
    Retry,
    RetryableError,
    Tool,
    UserError,
)

if TYPE_CHECKING:
    from collections.abc import Mapping


def tool(text: str = "", items: list[int] | None = None) -> Any:
    """Returns what it was given."""
    return {"text": text, "items": items}


def payload(sink: MemorySink, name: str) -> dict[str, Any]:
    """The payload of the only event of a name."""
    (found,) = [event.payload for event in sink.events if event.name == name]
    return dict(found)


@both
def test_guard_events_come_without_guardrails_too(driver: Driver) -> None:
    sink = MemorySink()
    driver.run(Engine([tool], trace=sink), call("tool"))
    assert names(sink) == [
        "call.start",
        "tool.resolve.start",
        "tool.resolve.ok",
        "args.parse.start",
        "args.parse.ok",
        "guard.input.start",
        "guard.input.ok",
        "tool.invoke.start",
        "tool.invoke.ok",
        "guard.output.start",
        "guard.output.ok",
        "call.end",
    ]


@both
def test_payloads(driver: Driver) -> None:
    sink = MemorySink()
    engine = Engine([tool], trace=sink)
    driver.run(engine, call("tool", id="7", text="a", items=[1]))
    driver.run(engine, call("tool", id="8"))
    for event in sink.events:
        assert event.payload["tool_name"] == "tool"
    runs = [event.payload["run"] for event in sink.events]
    assert len(set(runs)) == 2
    assert len(set(runs[:12])) == 1
    assert [event.payload["call_id"] for event in sink.events] == ["7"] * 12 + ["8"] * 12
    first = [event for event in sink.events if event.payload["call_id"] == "7"]
    end = first[-1].payload
    assert (end["ok"], end["cached"], end["attempts"]) == (True, False, 1)
    assert end["seconds"] >= 0
    parsed = next(event.payload for event in first if event.name == "args.parse.ok")
    assert parsed["keys"] == ["items", "text"]
    invoked = next(event.payload for event in first if event.name == "tool.invoke.ok")
    assert invoked["attempt"] == 1
    assert invoked["attempts"] == 1


@both
@pytest.mark.parametrize(
    ("asked", "event", "code"),
    [
        (ToolCall("nobody"), "tool.resolve.fail", "unknown_tool"),
        (ToolCall("tool", {"text": 5}), "args.parse.fail", "bad_args"),
        (ToolCall("tool", status="unreadable"), "args.parse.fail", "bad_args"),
        (ToolCall("tool", status="truncated"), "call.refuse", "refused"),
        (ToolCall("tool", doubts=("inner-quote",)), "call.refuse", "refused"),
        (ToolCall("guarded"), "guard.input.block", "guardrail"),
        (ToolCall("wrong"), "tool.invoke.user_error", "user_error"),
        (ToolCall("broken"), "tool.invoke.fail", "tool_error"),
        (ToolCall("asks"), "approval.deny", "denied"),
    ],
    ids=lambda each: each if isinstance(each, str) else f"{each.name}-{each.status}",
)
def test_failures_have_an_event(driver: Driver, asked: ToolCall, event: str, code: str) -> None:
    def guard(seen: ToolCall, _: object) -> bool:
        return seen.name != "guarded"

    def wrong() -> None:
        raise UserError("w")

    def broken() -> None:
        raise OSError("b")

    tools: list[Any] = [
        tool,
        wrong,
        broken,
        Tool(tool, name="guarded"),
        Tool(tool, name="asks", approval=True),
    ]
    sink = MemorySink()
    result = driver.run(Engine(tools, input_guardrails=[guard], trace=sink), asked)
    assert names(sink)[-2:] == [event, "call.end"]
    for found in (payload(sink, event), payload(sink, "call.end")):
        assert result.error is not None
        assert (found["code"], found["message"]) == (code, result.error.message)
    assert payload(sink, "call.end")["ok"] is False


@both
def test_no_values_unless_asked_for(driver: Driver) -> None:
    def failing(text: str) -> None:
        raise RetryableError

    asked = call("tool", text="hunter2", items=[42])
    sink = MemorySink()
    engine = Engine([tool, failing], trace=sink, cache=True, retries=Retry(1, initial=0))
    driver.run(engine, asked)
    driver.run(engine, call("failing", text="hunter2"))
    assert "hunter2" not in repr(sink.events)
    sink = MemorySink()
    driver.run(Engine([tool], trace=sink, trace_values=True), asked)
    values = {"text": "hunter2", "items": [42]}
    assert payload(sink, "args.parse.ok")["arguments"] == values
    assert payload(sink, "tool.invoke.ok")["value"] == values


@both
def test_secrets_are_hidden_in_payloads_and_not_in_values(driver: Driver) -> None:
    def login(password: str, max_tokens: int, note: str) -> dict[str, Any]:
        return {"token": password, "note": note}

    sink = MemorySink()
    redact = Redactor(values=["plain secret"], keys=["tool_name"])
    engine = Engine([login], trace=sink, trace_values=True, redact=redact)
    asked = call("login", password="hunter2", max_tokens=5, note="a plain secret")
    assert driver.run(engine, asked).value == {"token": "hunter2", "note": "a plain secret"}
    assert payload(sink, "args.parse.ok")["arguments"] == {
        "password": "***",
        "max_tokens": 5,
        "note": "a ***",
    }
    assert payload(sink, "tool.invoke.ok")["value"] == {"token": "***", "note": "a ***"}
    assert {event.payload["tool_name"] for event in sink.events} == {"***"}
    sink = MemorySink()
    driver.run(Engine([login], trace=sink, trace_values=True, redact=None), asked)
    assert payload(sink, "args.parse.ok")["arguments"]["password"] == "hunter2"


class Spoiler:
    """A sink that changes what it is given, and fails."""

    def __init__(self, error: Exception | None = None) -> None:
        self.error = error
        self.seen = 0

    def emit(self, name: str, payload: Mapping[str, Any]) -> None:
        assert isinstance(payload, dict)
        self.seen += 1
        for value in payload.values():
            if isinstance(value, dict):
                value.clear()
        payload.clear()
        if self.error is not None:
            raise self.error


@both
def test_sinks_do_not_share_payloads(driver: Driver) -> None:
    first, last = MemorySink(), MemorySink()
    engine = Engine([tool], trace=[first, Spoiler(), last], trace_values=True)
    result = driver.run(engine, call("tool", text="a"))
    result.value["text"] = "changed"
    assert first.events == last.events
    assert payload(last, "tool.invoke.ok")["value"] == {"text": "a", "items": None}
    assert result.value == {"text": "changed", "items": None}


@both
def test_failing_sink_is_logged_once(driver: Driver, caplog: pytest.LogCaptureFixture) -> None:
    spoiler, memory = Spoiler(ValueError("sink")), MemorySink()
    engine = Engine([tool], trace=[spoiler, memory])
    with caplog.at_level(logging.DEBUG):
        for _ in range(2):
            assert driver.run(engine, call("tool")).ok
    assert len(memory.events) == spoiler.seen == 24
    told = [record for record in caplog.records if record.name == "toolgrammar.engine"]
    assert [each.levelno for each in told] == [logging.ERROR]
    assert told[0].getMessage() == "the trace sink Spoiler failed"


@both
def test_plans_say_which_call_is_which(driver: Driver) -> None:
    sink = MemorySink()
    driver.run_all(Engine([tool], trace=sink), [call("tool"), call("tool")])
    assert names(sink)[0] == "plan.start"
    assert names(sink)[-1] == "plan.end"
    assert (payload(sink, "plan.end")["ok"], payload(sink, "plan.end")["calls"]) == (True, 2)
    plans = {event.payload["plan"] for event in sink.events}
    assert len(plans) == 1
    places = {event.payload["run"]: event.payload["index"] for event in sink.events[1:-1]}
    assert sorted(places.values()) == [0, 1]
