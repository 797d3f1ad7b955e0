"""Broken calls that a server made itself come out of the proxy as `repair_stream` gives them."""

from __future__ import annotations

import json
from typing import Any

import pytest
from openai.types.chat import ChatCompletionChunk

from tests.units.interop.native.broken_streams import CASES, TOOLS, Case, deltas
from tests.units.proxy.completions import chunk, events, parsed
from tests.units.proxy.servers import Model, get, post, proxied
from toolgrammar.interop import openai
from toolgrammar.proxy import rewrite_response, rewrite_stream
from toolgrammar.proxy.models import ModelRule

REQUEST: dict[str, Any] = {
    "model": "m",
    "messages": [{"role": "user", "content": "Weather?"}],
    "tools": [{"type": "function", "function": tool} for tool in TOOLS],
    "stream": True,
}
OWN = [case for case in CASES if case.pieces and not case.content]
by_name = pytest.mark.parametrize("case", OWN, ids=lambda case: case.name)


def read(found: list[Any]) -> Any:
    """Returns what a client reads of chunks: its calls, and why they ended."""
    stream = openai.from_stream(found)
    list(stream)
    calls = [(call.name, call.arguments, call.executable) for call in stream.result.calls]
    return calls, stream.finish_reason


def rewritten(given: list[dict[str, Any]]) -> tuple[list[Any], list[Any]]:
    """Returns the chunks of a stream with its calls put right, and what was told of them."""
    told: list[Any] = []

    def report(*each: object) -> None:
        told.append(each)

    stream = rewrite_stream(given, REQUEST, format="hermes", repair=True, report=report)
    return list(stream), told


@by_name
def test_a_stream_has_the_calls_of_repair_stream(case: Case) -> None:
    for size in (1, 3, 1000):
        given = deltas(case, size)
        found, told = rewritten(given)
        for each in found:
            if "error" not in each:
                ChatCompletionChunk.model_validate(each)
        wanted = openai.repair_stream(given, None, TOOLS)
        other, other_reason = read(list(wanted))
        calls, reason = read(found)
        assert calls == other
        # A stream without an end is ended by an error of the proxy's own.
        assert case.finish is None or reason == other_reason
        # The refused ones are told, with what was wrong, and so are those that are lost.
        named = [(call, refusal) for call, refusal in told if call.name]
        assert len(named) == len(calls)
        lost = [each for each in wanted.result.diagnostics if each.code == "malformed-call"]
        assert [call.error for call, _ in told if not call.name] == [each.message for each in lost]
        refused = [call.name for call, refusal in named if refusal is not None]
        assert refused == [call.name for call in wanted.result.calls if not call.executable]


@by_name
def test_a_whole_answer_has_the_calls_of_repair_message(case: Case) -> None:
    calls = [
        {
            "id": piece.id,
            "type": "function",
            "function": {"name": piece.name, "arguments": piece.arguments or ""},
        }
        for piece in case.pieces
    ]
    message = {"role": "assistant", "content": None, "tool_calls": calls}
    choice = {"index": 0, "message": message, "finish_reason": case.finish}
    found = rewrite_response(
        {"id": "x", "choices": [choice]}, REQUEST, format="hermes", repair=True
    )
    wanted = openai.repair_message(message, None, TOOLS, finish_reason=case.finish)
    shown = found["choices"][0]["message"].get("tool_calls") or []
    assert shown == (wanted.get("tool_calls") or [])


@pytest.mark.parametrize("reason", ["stop", "tool_calls", "length", "eos"])
@pytest.mark.parametrize(
    "arguments", ['{"city": "Oslo"}', "{'city': 'Oslo'}", '{"city": "Os', None]
)
def test_a_whole_answer_ends_for_the_reason_of_a_stream(arguments: str | None, reason: str) -> None:
    function = {"name": "weather", "arguments": arguments}
    call = {"id": "c1", "type": "function", "function": function}
    own = {} if arguments is None else {"tool_calls": [call]}
    choice = {"index": 0, "message": {"content": "Hm.", **own}, "finish_reason": reason}
    whole = rewrite_response(
        {"id": "x", "choices": [choice]}, REQUEST, format="hermes", repair=True
    )
    pieces = {} if arguments is None else {"tool_calls": [{"index": 0, **call}]}
    found, _ = rewritten([chunk({"content": "Hm.", **pieces}), chunk({}, reason)])
    assert found[-1]["choices"][0]["finish_reason"] == whole["choices"][0]["finish_reason"]


def test_without_repair_they_stay_as_they_are() -> None:
    for case in OWN:
        given = deltas(case, 3)
        found = list(rewrite_stream(given, REQUEST, format="hermes"))
        # An end that the server did not make is told in any case.
        assert found[: len(given)] == given


def test_sound_calls_of_a_whole_answer_stay_the_same_object() -> None:
    function = {"name": "weather", "arguments": '{"city": "Oslo"}'}
    calls = [{"id": "c1", "type": "function", "function": function}]
    choice = {"index": 0, "message": {"tool_calls": calls}, "finish_reason": "tool_calls"}
    response = {"id": "x", "choices": [choice]}
    assert rewrite_response(response, REQUEST, format="hermes", repair=True) is response


def test_calls_of_custom_tools_and_of_several_choices_keep_theirs() -> None:
    text = {"index": 0, "id": "c1", "type": "custom", "custom": {"name": "run", "input": "a'"}}
    broken = {"name": "weather", "arguments": "{'city': 'Oslo'}"}
    given = [
        chunk({"tool_calls": [text]}),
        chunk({"tool_calls": [{"index": 1, "id": "c2", "function": broken}]}),
        chunk({"tool_calls": [{"index": 0, "id": "c3", "function": broken}]}, index=1),
        chunk({}, "stop"),
        chunk({}, "stop", index=1),
    ]
    found = list(rewrite_stream(given, REQUEST, format="hermes", repair=True))
    shown: dict[tuple[int, int], Any] = {}
    for each in found:
        [choice] = each["choices"]
        for call in choice["delta"].get("tool_calls", ()):
            place = choice["index"], call["index"]
            before = shown.get(place, "")
            shown[place] = before + (call.get("custom") or call["function"]).get(
                "input" if "custom" in call else "arguments"
            )
    assert shown == {(0, 0): "a'", (0, 1): '{"city": "Oslo"}', (1, 0): '{"city": "Oslo"}'}


def test_the_proxy_repairs_where_a_rule_says_so() -> None:
    case = next(case for case in CASES if case.name == "trailing-comma")
    model = Model(raw=events(deltas(case, 4)))
    with proxied(model, ModelRule("hermes", repair=True)) as address:
        answer = post(f"{address}/v1/chat/completions", json=REQUEST)
        counted = get(f"{address}/metrics").text
    found = [each for each in parsed(answer.content) if each != "[DONE]"]
    assert read(found)[0] == [("weather", {"city": "Oslo"}, True)]
    assert 'toolgrammar_proxy_calls_total{format="hermes"} 1.0' in counted
    assert json.loads(model.bodies[0])["tools"] == REQUEST["tools"]


def test_a_call_that_is_lost_is_told_and_none_of_the_text_runs_beside_it() -> None:
    text = '<tool_call>\n{"name": "weather", "arguments": {"city": "Rome"}}\n</tool_call>'
    lost = {"id": "c0", "type": "function", "function": {"name": "", "arguments": "{}"}}
    message = {"role": "assistant", "content": text, "tool_calls": [lost]}
    choice = {"index": 0, "message": message, "finish_reason": "stop"}
    seen: list[Any] = []
    whole = rewrite_response(
        {"id": "x", "choices": [choice]},
        REQUEST,
        format="hermes",
        repair=True,
        report=lambda call, refusal: seen.append((call, refusal)),
    )
    found, told = rewritten(
        [chunk({"tool_calls": [{"index": 0, **lost}]}), chunk({"content": text}), chunk({}, "stop")]
    )
    assert whole["choices"][0]["message"] == {"role": "assistant", "content": text}
    assert read(found) == ([], "stop")
    for each in (seen, told):
        codes = {call.name: refusal.code for call, refusal in each}
        assert codes == {"": "not-executable", "weather": "beside-native"}
