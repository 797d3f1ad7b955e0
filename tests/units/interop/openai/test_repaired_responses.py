"""Responses whose calls are broken: events and items of the Responses API."""

from __future__ import annotations

import asyncio
import json
from typing import TYPE_CHECKING, Any

import pytest
from openai.types.responses import Response, ResponseStreamEvent
from pydantic import TypeAdapter

from toolgrammar.interop import openai

if TYPE_CHECKING:
    from collections.abc import AsyncIterator

ANY_EVENT: TypeAdapter[Any] = TypeAdapter(ResponseStreamEvent)
TOOLS = [
    {
        "name": "weather",
        "parameters": {"properties": {"city": {"type": "string"}}, "required": ["city"]},
    }
]
LEFT = 'On it.\n<tool_call>\n{"name": "weather", "arguments": {"city": "Bern"}}\n</tool_call>'


def response(*output: dict[str, Any], status: str = "completed", **fields: Any) -> dict[str, Any]:
    return {
        "id": "r1",
        "created_at": 0,
        "model": "m",
        "object": "response",
        "output": list(output),
        "parallel_tool_calls": True,
        "tool_choice": "auto",
        "tools": [],
        "status": status,
        **fields,
    }


def call_item(arguments: str, number: int = 1, status: str = "completed") -> dict[str, Any]:
    return {
        "type": "function_call",
        "id": f"fc_{number}",
        "call_id": f"call_{number}",
        "name": "weather",
        "arguments": arguments,
        "status": status,
    }


def text_item(text: str) -> dict[str, Any]:
    part = {"type": "output_text", "text": text, "annotations": []}
    return {
        "type": "message",
        "id": "m1",
        "role": "assistant",
        "status": "completed",
        "content": [part],
    }


def events_of(whole: dict[str, Any], size: int) -> list[dict[str, Any]]:
    """The events by which the API streams a response, in deltas of `size`."""
    begun = {**whole, "output": [], "status": "in_progress"}
    out: list[dict[str, Any]] = [{"type": "response.created", "response": begun}]
    for place, item in enumerate(whole["output"]):
        at = {"output_index": place, "item_id": item["id"]}
        if item["type"] == "message":
            text, key = item["content"][0]["text"], {"content_index": 0}
            empty = {**item["content"][0], "text": ""}
            out.append(
                {"type": "response.output_item.added", **at, "item": {**item, "content": []}}
            )
            out.append({"type": "response.content_part.added", **at, **key, "part": empty})
            kind = "response.output_text"
            logs: dict[str, Any] = {"logprobs": []}
            out += [
                {"type": f"{kind}.delta", **at, **key, **logs, "delta": text[i : i + size]}
                for i in range(0, len(text), size)
            ]
            out.append({"type": f"{kind}.done", **at, **key, **logs, "text": text})
            part = item["content"][0]
            out.append({"type": "response.content_part.done", **at, **key, "part": part})
        else:
            text, kind = item["arguments"], "response.function_call_arguments"
            started = {**item, "arguments": "", "status": "in_progress"}
            out.append({"type": "response.output_item.added", **at, "item": started})
            out += [
                {"type": f"{kind}.delta", **at, "delta": text[i : i + size]}
                for i in range(0, len(text), size)
            ]
            out.append({"type": f"{kind}.done", **at, "arguments": text, "name": item["name"]})
        out.append({"type": "response.output_item.done", **at, "item": item})
    out.append({"type": f"response.{whole['status']}", "response": whole})
    return [{**each, "sequence_number": index} for index, each in enumerate(out)]


def calls_in(whole: dict[str, Any]) -> list[tuple[str, str]]:
    items = [item for item in whole["output"] if item["type"] == "function_call"]
    return [(item["call_id"], item["arguments"]) for item in items]


CASES: list[tuple[dict[str, Any], list[tuple[str, str]], set[str]]] = [
    (response(call_item("{'city': 'Oslo',}")), [("call_1", '{"city": "Oslo"}')], {"quote-style", "stray-comma"}),
    (
        response(call_item('{"city": "Oslo"}{"city": "Rome"}'), call_item('{"city": "Bern"}', 2)),
        [("call_1", '{"city": "Oslo"}'), ("call_2", '{"city": "Bern"}'), ("call_1_1", '{"city": "Rome"}')],
        {"joined-calls"},
    ),
    (response(text_item(LEFT), call_item("{'city': 'Oslo'}")),
     [("call_1", '{"city": "Oslo"}'), ("", '{"city": "Bern"}')], {"quote-style"}),
    (response(call_item('{"city": "Os', status="incomplete"), status="incomplete",
              incomplete_details={"reason": "max_output_tokens"}),
     [("call_1", '{"city": "Os"')], {"truncated"}),
    (response(text_item("Well."), call_item('{"city": "Oslo"}')), [("call_1", '{"city": "Oslo"}')], set()),
]  # fmt: skip


@pytest.mark.parametrize(("whole", "wanted", "codes"), CASES)
def test_a_response_is_repaired(
    whole: dict[str, Any], wanted: list[tuple[str, str]], codes: set[str]
) -> None:
    def check(found: dict[str, Any], diagnostics: Any) -> None:
        Response.model_validate(found)
        calls = calls_in(found)
        assert [arguments for _, arguments in calls] == [arguments for _, arguments in wanted]
        assert all(
            not name or name == got for (name, _), (got, _) in zip(wanted, calls, strict=True)
        )
        assert len({name for name, _ in calls}) == len(calls)
        assert {each.code for each in diagnostics} == codes
        texts = [
            item["content"][0]["text"] for item in found["output"] if item["type"] == "message"
        ]
        assert all("tool_call" not in text for text in texts)

    message = openai.repair_response(whole, "hermes", TOOLS)
    check(message, message.result.diagnostics)
    for size in (1, 4, 1000):
        stream = openai.repair_stream(events_of(whole, size), "hermes", TOOLS)
        out = list(stream)
        for each in out:
            ANY_EVENT.validate_python(each)
        assert [each["sequence_number"] for each in out] == list(range(len(out)))
        check(out[-1]["response"], stream.result.diagnostics)
        begun = [each["item"]["id"] for each in out if each["type"].endswith("item.added")]
        assert len(begun) == len(set(begun)) == len(out[-1]["response"]["output"])
        parts = [each["part"]["text"] for each in out if each["type"].endswith("part.done")]
        assert parts == [
            item["content"][0]["text"]
            for item in out[-1]["response"]["output"]
            if item["type"] == "message"
        ]
        ended = [each["item"] for each in out if each["type"].endswith("item.done")]
        assert [item["content"][0]["text"] for item in ended if item["type"] == "message"] == parts
        whole_calls = [(each["name"], each["arguments"]) for each in out if "name" in each]
        items = [each for each in out[-1]["response"]["output"] if "arguments" in each]
        assert sorted(whole_calls) == sorted((each["name"], each["arguments"]) for each in items)
        # The deltas of each item add up to it.
        for place, item in enumerate(out[-1]["response"]["output"]):
            own = [each for each in out if each.get("output_index") == place]
            joined = "".join(each["delta"] for each in own if each["type"].endswith(".delta"))
            whole_text = item.get("arguments") or item.get("content", [{}])[0].get("text")
            assert joined == whole_text
        again = openai.from_stream(out)
        list(again)
        runs = [call.arguments["city"] for call in again.result.calls if call.executable]
        assert len(runs) == (0 if "truncated" in codes else len(wanted))


def test_an_object_in_place_of_its_text_is_written_as_text() -> None:
    item = {**call_item(""), "arguments": {"city": "Oslo"}}
    repaired = openai.repair_response(response(text_item("Well."), item), "hermes", TOOLS)
    assert [each["type"] for each in repaired["output"]] == ["message", "function_call"]
    assert repaired["output"][1]["arguments"] == '{"city": "Oslo"}'
    assert repaired.result.ok


def test_a_sound_response_stays() -> None:
    whole = response(text_item("Well."), call_item('{"city":"Oslo"}'))
    assert openai.repair_response(whole, "hermes", TOOLS) == whole


@pytest.mark.parametrize(
    ("status", "runs"), [("completed", True), ("incomplete", False), ("odd", True), (None, True)]
)
def test_a_call_in_the_text_that_only_its_end_closes_runs_in_a_whole_response(
    status: Any, *, runs: bool
) -> None:
    text = "Action: weather\nAction Input: city: Oslo"
    given = response(text_item(text), status=status)
    [call] = openai.repair_response(given, "react", TOOLS).result.calls
    assert (call.name, call.executable) == ("weather", runs)


def test_calls_in_the_text_follow_each_other_behind_all_items() -> None:
    text = LEFT + LEFT.replace("Bern", "Rome") + LEFT.replace("Bern", "Oslo")
    out = list(openai.repair_stream(events_of(response(text_item(text)), 9), "hermes", TOOLS))
    kinds = ("response.output_item.added", "response.output_item.done")
    places = [
        [each["output_index"] for each in out if each["type"] == kind and "name" in each["item"]]
        for kind in kinds
    ]
    assert places == [[1, 2, 3], [1, 2, 3]]
    cities = [json.loads(arguments)["city"] for _, arguments in calls_in(out[-1]["response"])]
    assert cities == ["Bern", "Rome", "Oslo"]


def test_an_error_of_the_server_goes_through() -> None:
    error = {"type": "error", "code": "x", "message": "overloaded", "param": None}
    events = [*events_of(response(call_item('{"city": "Os')), 3)[:4], error]
    stream = openai.repair_stream(events, "hermes", TOOLS)
    out = list(stream)
    assert any(each["type"] == "error" for each in out)
    assert not any(call.executable for call in stream.result.calls)
    assert any("overloaded" in each.message for each in stream.result.diagnostics)


def test_an_error_in_a_whole_response_is_told() -> None:
    error = {"code": "server_error", "message": "overloaded"}
    given = response(text_item("Well."), status="failed", error=error)
    message = openai.repair_response(given, "hermes", TOOLS)
    assert message == given
    said = [each.message for each in message.result.diagnostics]
    assert said == ["Found an error of the server: overloaded"]


def test_an_async_response_gives_an_async_one() -> None:
    events = events_of(CASES[0][0], 3)

    async def coming() -> AsyncIterator[Any]:
        for each in events:
            yield each

    async def main() -> list[Any]:
        return [each async for each in openai.repair_stream(coming(), "hermes", TOOLS)]

    assert asyncio.run(main()) == list(openai.repair_stream(events, "hermes", TOOLS))


@pytest.mark.parametrize("place", [-1, True, None])
def test_a_place_that_is_none_is_the_next_one(place: object) -> None:
    item = {"type": "function_call", "call_id": "c1", "name": "weather", "arguments": ""}
    at = {"output_index": place}
    given = [
        {"type": "response.output_item.added", **at, "item": item},
        {"type": "response.function_call_arguments.delta", **at, "delta": "{'a': 1}"},
        {"type": "response.output_item.done", **at, "item": {**item, "arguments": "{'a': 1}"}},
        {"type": "response.completed", "response": {"output": []}},
    ]
    out = list(openai.repair_stream(given))
    [call] = out[-1]["response"]["output"]
    assert call["arguments"] == '{"a": 1}'
    assert {each["output_index"] for each in out[:-1]} == {0}
