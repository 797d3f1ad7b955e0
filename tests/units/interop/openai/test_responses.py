"""The events of the Responses API, and what servers do to streams of completions."""

from __future__ import annotations

from typing import Any

import pytest
from openai.types.responses import ResponseStreamEvent
from pydantic import TypeAdapter

from toolgrammar import (
    ArgumentsDelta,
    CallEnd,
    CallStart,
    Event,
    InputDelta,
    Problem,
    ReasoningDelta,
    TextDelta,
    ToolCall,
    recover_json,
)
from toolgrammar.interop import anthropic, langchain
from toolgrammar.interop.openai import from_stream, to_stream

ANY_EVENT: TypeAdapter[Any] = TypeAdapter(ResponseStreamEvent)
CALL = {"type": "function_call", "id": "fc_1", "call_id": "call_a", "name": "weather"}
CUSTOM = {"type": "custom_tool_call", "id": "ct_1", "call_id": "call_b", "name": "bash"}


def event(kind: str, **fields: Any) -> Any:
    """An event as the openai package makes it."""
    body = {"type": kind, "sequence_number": 1, "item_id": "x", "content_index": 0, **fields}
    return ANY_EVENT.validate_python({"output_index": 0, "logprobs": [], **body})


def response(status: str, **fields: Any) -> dict[str, Any]:
    return {
        "id": "r",
        "created_at": 0,
        "model": "m",
        "object": "response",
        "output": [],
        "parallel_tool_calls": True,
        "tool_choice": "auto",
        "tools": [],
        "status": status,
        **fields,
    }


def added(item: dict[str, Any], index: int = 0) -> Any:
    empty = {"arguments": ""} if item["type"] == "function_call" else {"input": ""}
    return event("response.output_item.added", output_index=index, item={**item, **empty})


def arguments(delta: str, index: int = 0) -> Any:
    return event("response.function_call_arguments.delta", output_index=index, delta=delta)


def calls(events: list[Event]) -> list[ToolCall]:
    return [each.call for each in events if isinstance(each, CallEnd)]


def test_a_response_becomes_events() -> None:
    text = '{"city": "Oslo"}'
    chunks = [
        event("response.created", response=response("in_progress")),
        event("response.reasoning_summary_text.delta", delta="Hm", summary_index=0),
        event("response.reasoning_text.delta", delta="m"),
        event("response.output_text.delta", delta="On "),
        event("response.output_text.delta", delta="it."),
        added(CALL, 1),
        arguments(text[:5], 1),
        arguments(text[5:], 1),
        event(
            "response.function_call_arguments.done", output_index=1, arguments=text, name="weather"
        ),
        event(
            "response.output_item.done",
            output_index=1,
            item={**CALL, "arguments": text, "status": "completed"},
        ),
        added(CUSTOM, 2),
        event("response.custom_tool_call_input.delta", output_index=2, delta="ls"),
        event("response.output_item.done", output_index=2, item={**CUSTOM, "input": "ls"}),
        event("response.completed", response=response("completed")),
    ]
    assert list(from_stream(chunks)) == [
        ReasoningDelta("Hm"),
        ReasoningDelta("m"),
        TextDelta("On "),
        TextDelta("it."),
        CallStart(0, "weather", "call_a"),
        ArgumentsDelta(0, text[:5]),
        ArgumentsDelta(0, text[5:]),
        CallEnd(0, ToolCall("weather", {"city": "Oslo"}, id="call_a")),
        CallStart(1, "bash", "call_b"),
        InputDelta(1, "ls"),
        ArgumentsDelta(1, "{}"),
        CallEnd(1, ToolCall("bash", id="call_b", input="ls")),
    ]


def test_arguments_that_come_whole_with_the_end_are_read() -> None:
    done = event(
        "response.output_item.done", item={**CALL, "arguments": '{"n": 1}', "status": "completed"}
    )
    (call,) = calls(list(from_stream([added(CALL), done])))
    assert call == ToolCall("weather", {"n": 1}, id="call_a")


@pytest.mark.parametrize(
    "end",
    [
        [event("response.incomplete", response=response("incomplete"))],
        [
            event(
                "response.output_item.done",
                item={**CALL, "arguments": "", "status": "incomplete"},
            )
        ],
        [event("response.failed", response=response("failed"))],
        [event("error", message="overloaded", code=None, param=None)],
    ],
)
@pytest.mark.parametrize("given", ["", '{"city": "Os', '{"city": "Oslo"'])
def test_a_call_that_is_cut_is_not_executable(end: list[Any], given: str) -> None:
    (call,) = calls(list(from_stream([added(CALL), arguments(given), *end])))
    assert (call.status, call.executable) == ("truncated", False)
    chunks = [added(CUSTOM), event("response.custom_tool_call_input.delta", delta="rm -rf /h")]
    for over in (end[:1] if end[0].type != "response.output_item.done" else [], []):
        (call,) = calls(list(from_stream([*chunks, *over])))
        assert (call.input, call.executable) == ("rm -rf /h", False)


@pytest.mark.parametrize(
    "chunk",
    [
        {"error": {"message": "overloaded", "type": "server_error"}},
        {"error": "overloaded"},
        event("error", message="overloaded", code=None, param=None),
        event(
            "response.failed",
            response=response("failed", error={"code": "server_error", "message": "overloaded"}),
        ),
    ],
)
def test_an_error_of_the_server_is_told(chunk: Any) -> None:
    events = list(from_stream([{"choices": [{"delta": {"content": "Well"}}]}, chunk]))
    assert events[0] == TextDelta("Well")
    (problem,) = events[1:]
    assert isinstance(problem, Problem)
    assert problem.diagnostic.severity == "error"
    assert problem.diagnostic.message == "Found an error of the server: overloaded"
    theirs = {"type": "error", "error": {"type": "overloaded_error", "message": "overloaded"}}
    assert list(anthropic.from_stream([theirs])) == [problem]


# ------------------------------------------------------------------------------- completions


def completion(text: str, finish: str | None) -> list[dict[str, Any]]:
    function = {"name": "weather", "arguments": ""}
    pieces = [{"index": 0, "id": "1", "function": function}]
    pieces += [{"index": 0, "function": {"arguments": character}} for character in text]
    chunks: list[dict[str, Any]] = [
        {"choices": [{"index": 0, "delta": {"tool_calls": [piece]}}]} for piece in pieces
    ]
    return [*chunks, {"choices": [{"index": 0, "delta": {}, "finish_reason": finish}]}]


@pytest.mark.parametrize(
    ("text", "finish", "status", "found"),
    [
        ("{'city': 'Oslo'}", "tool_calls", "repaired", {"city": "Oslo"}),
        ("{'city': 'Oslo'}", "stop", "repaired", {"city": "Oslo"}),
        ('{"city": "Oslo",}', "tool_calls", "repaired", {"city": "Oslo"}),
        ("{'city': 'Oslo'}", "length", "truncated", {}),
        ("{'city': 'Oslo'}", None, "truncated", {}),
        ('{"city": "Oslo"', "tool_calls", "truncated", {}),
        ('{"a": {"b": 1}', "tool_calls", "truncated", {}),
        ('{"city": "Oslo"]', "tool_calls", "truncated", {}),
        ("{'city': 'Oslo'} {", "tool_calls", "truncated", {}),
        ('{"city": "it"s"}', "tool_calls", "truncated", {}),
        ('{"city": "Oslo"}', "length", "complete", {"city": "Oslo"}),
        ("", "length", "truncated", {}),
        ("", "tool_calls", "complete", {}),
    ],
)
def test_arguments_are_judged_by_why_the_server_stopped(
    text: str, finish: str | None, status: str, found: dict[str, Any]
) -> None:
    (call,) = calls(list(from_stream(completion(text, finish))))
    assert (call.status, call.arguments, call.raw_arguments) == (status, found, text)
    assert call.executable is (status != "truncated")


def test_what_was_not_executable_is_not_mended_on_the_way() -> None:
    """Text that a repair would take for whole goes out without its last bracket."""
    raw = "{'a': 1}"
    assert recover_json(raw).executable
    call = ToolCall("f", {}, raw_arguments=raw, status="unreadable", error="no")
    for doubted in (call, ToolCall("f", {"a": 1}, raw_arguments=raw, doubts=("inner-quote",))):
        events: list[Event] = [
            CallStart(0, "f"),
            ArgumentsDelta(0, "{}"),
            CallEnd(0, doubted),
        ]
        (back,) = calls(list(from_stream(to_stream(events))))
        assert not back.executable


def test_other_apis_say_it_too() -> None:
    """Before the arguments came, only the reason tells that they are missing."""
    block = {"type": "tool_use", "id": "1", "name": "f", "input": {}}
    for reason, status in (("max_tokens", "truncated"), ("tool_use", "complete")):
        theirs = [
            {"type": "content_block_start", "index": 0, "content_block": block},
            {"type": "content_block_stop", "index": 0},
            {"type": "message_delta", "delta": {"stop_reason": reason}},
            {"type": "message_stop"},
        ]
        assert [each.status for each in calls(list(anthropic.from_stream(theirs)))] == [status]
        piece = {"name": "f", "args": "", "id": "1", "index": 0}
        chunks = [
            {"content": "", "tool_call_chunks": [piece]},
            {"content": "", "response_metadata": {"finish_reason": reason}},
        ]
        assert [each.status for each in calls(list(langchain.from_stream(chunks)))] == [status]


def test_the_text_of_a_call_that_comes_whole_with_the_end_is_read() -> None:
    done = event("response.output_item.done", item={**CUSTOM, "input": "ls -l"})
    events = list(from_stream([added(CUSTOM), done]))
    assert [each.text for each in events if isinstance(each, InputDelta)] == ["ls -l"]
    [call] = [each.call for each in events if isinstance(each, CallEnd)]
    assert (call.name, call.input, call.status) == ("bash", "ls -l", "complete")
