"""Whole answers: calls become tool calls, and everything else stays as it was."""

from __future__ import annotations

import copy
from typing import TYPE_CHECKING, Any

import pytest

from tests.units.proxy.completions import (
    CALL,
    EXPECTED,
    RENDERED,
    REQUEST,
    TOOL,
    completion,
    read,
)
from toolgrammar import SalvagePolicy, ToolCall, UnknownFormat
from toolgrammar.proxy import rewrite_response

if TYPE_CHECKING:
    from toolgrammar.salvage.refusals import Refusal


def rewritten(text: str, **options: Any) -> dict[str, Any]:
    reason = options.pop("reason", "stop")
    request = {**REQUEST, **options.pop("request", {})}
    return rewrite_response(completion(text, reason), request, format="hermes", **options)


@pytest.mark.parametrize("name", sorted(RENDERED))
def test_a_call_of_every_format_becomes_a_tool_call(name: str) -> None:
    given = completion(RENDERED[name], system_fingerprint="x")
    before = copy.deepcopy(given)
    found = rewrite_response(given, REQUEST, format=name)
    assert given == before
    message = read(found)
    assert message["calls"] == [("get_weather", {"city": "Oslo", "days": 2})]
    assert message["reason"] == "tool_calls"
    assert message["content"] in {"On it.", ""}
    assert {key: found[key] for key in found if key != "choices"} == {
        key: given[key] for key in given if key != "choices"
    }
    [call] = found["choices"][0]["message"]["tool_calls"]
    assert call["type"] == "function"
    assert call["id"]
    assert found["choices"][0]["message"]["refusal"] is None


@pytest.mark.parametrize(
    "text", ["", "Hello there.\n", "Write <tool_call> before it.", "  spaces stay  "]
)
def test_an_answer_without_calls_is_the_same_object(text: str) -> None:
    given = completion(text)
    assert rewrite_response(given, REQUEST, format="hermes") is given


@pytest.mark.parametrize("more", [{"tools": []}, {"tools": None}, {"tool_choice": "none"}])
def test_where_no_tools_are_offered_nothing_is_a_call(more: dict[str, Any]) -> None:
    given = completion(CALL)
    assert rewrite_response(given, {**REQUEST, **more}, format="hermes") is given


def test_reasoning_goes_where_clients_look_for_it() -> None:
    message = read(rewritten(f"<think>Rain?</think>On it.\n{CALL}"))
    assert (message["reasoning"], message["content"]) == ("Rain?", "On it.")
    assert message["calls"] == EXPECTED
    given = completion(CALL)
    given["choices"][0]["message"]["reasoning_content"] = "The server's."
    found = rewrite_response(given, REQUEST, format="hermes")
    assert read(found)["reasoning"] == "The server's."


def test_reasoning_that_the_prompt_opened_is_known_by_its_prefix() -> None:
    message = read(rewritten(f"Rain?</think>{CALL}", prefix="<think>"))
    assert message["reasoning"] == "Rain?"
    assert message["calls"] == EXPECTED


def test_a_cut_call_stays_text_and_so_does_the_reason() -> None:
    message = read(rewritten(f"{CALL}\n{CALL[:60]}", reason="length"))
    assert message["calls"] == EXPECTED
    assert message["reason"] == "length"
    assert message["content"] == CALL[:60]


def test_a_refused_call_stays_text_and_is_reported() -> None:
    told: list[tuple[ToolCall, Refusal | None]] = []
    other = CALL.replace("get_weather", "erase")
    found = rewritten(f"{CALL}\nand\n{other}", report=lambda call, why: told.append((call, why)))
    message = read(found)
    assert message["calls"] == EXPECTED
    assert message["content"] == f"and\n{other}"
    assert message["reason"] == "tool_calls"
    assert [(call.name, why and why.code) for call, why in told] == [
        ("get_weather", None),
        ("erase", "unknown-tool"),
    ]


def test_what_a_tool_said_is_not_handed_out() -> None:
    messages = [*REQUEST["messages"], {"role": "tool", "tool_call_id": "1", "content": CALL}]
    message = read(rewritten(CALL, request={"messages": messages}))
    assert message["calls"] == []
    assert message["content"] == CALL
    assert message["reason"] == "stop"


def test_calls_of_the_server_stay_and_those_of_the_text_are_text() -> None:
    own = {"id": "c", "type": "function", "function": {"name": "get_weather", "arguments": "{}"}}
    given = completion(CALL)
    given["choices"][0]["message"]["tool_calls"] = [own]
    assert rewrite_response(given, REQUEST, format="hermes") is given
    policy = SalvagePolicy(beside_native=True)
    found = rewrite_response(given, REQUEST, format="hermes", policy=policy)
    assert read(found)["calls"] == [("get_weather", {}), *EXPECTED]


def test_each_choice_is_read_by_itself() -> None:
    given = completion(CALL)
    given["choices"] += [{**completion("No.")["choices"][0], "index": 1}]
    found = rewrite_response(given, REQUEST, format="hermes")
    assert read(found)["calls"] == EXPECTED
    assert found["choices"][1] is given["choices"][1]


def test_the_choices_of_a_text_completion_get_the_same_keys() -> None:
    choice = {"index": 0, "text": f"On it. {CALL}", "logprobs": None, "finish_reason": "stop"}
    given = {"id": "cmpl-1", "object": "text_completion", "choices": [choice]}
    request = {"model": "m", "prompt": "Weather?", "tools": [TOOL]}
    [found] = rewrite_response(given, request, format="hermes")["choices"]
    assert found["text"] == "On it."
    assert found["tool_calls"][0]["function"]["name"] == "get_weather"
    assert found["finish_reason"] == "tool_calls"


PROMPT = f" Example: {CALL}\nWeather?\n"


def completed(text: str, prompt: object, **more: Any) -> Any:
    """Returns the choice of a text completion that repeats its prompt."""
    choice = {"index": 0, "text": text, "logprobs": None, "finish_reason": "stop"}
    request = {"model": "m", "prompt": prompt, "echo": True, "tools": [TOOL], **more}
    given = {"id": "cmpl-1", "object": "text_completion", "choices": [choice] * 4}
    return rewrite_response(given, request, format="hermes")["choices"]


def test_the_calls_of_a_prompt_that_the_server_repeats_are_no_calls() -> None:
    assert "tool_calls" not in completed(f"{PROMPT}Hm.", PROMPT)[0]
    found = completed(f"{PROMPT} On it. {CALL}", PROMPT)[0]
    assert found["text"] == f"{PROMPT}On it."
    assert len(found["tool_calls"]) == 1


def test_each_answer_begins_with_its_own_prompt() -> None:
    found = completed(f"{PROMPT}{CALL}", ["Weather?", PROMPT], n=2)
    assert ["tool_calls" in choice for choice in found] == [False, False, True, True]
    found = completed(f"{PROMPT}{CALL}", [PROMPT])
    assert all("tool_calls" in choice for choice in found)


@pytest.mark.parametrize("prompt", [[1, 2], [[1], [2]], None, "Another?", f"{PROMPT}{CALL} More"])
def test_where_the_prompt_ends_unknown_nothing_is_a_call(prompt: object) -> None:
    assert "tool_calls" not in completed(f"{PROMPT}{CALL}", prompt)[0]


def test_an_answer_goes_on_with_a_message_that_the_client_began() -> None:
    """A call in a block of code that the message opened is in that block."""
    for content in ("Like so:\n```\n", [{"type": "text", "text": "Like so:\n```\n"}]):
        begun = {"role": "assistant", "content": content}
        request = {
            "messages": [*REQUEST["messages"], begun],
            "continue_final_message": True,
        }
        assert read(rewritten(f"{CALL}\n```", request=request))["calls"] == []
        del request["continue_final_message"]
        assert read(rewritten(f"{CALL}\n", request=request))["calls"] == EXPECTED


@pytest.mark.parametrize("echo", [False, True])
def test_the_calls_of_a_message_that_the_client_began_are_its_own(echo: bool) -> None:  # noqa: FBT001
    begun = f"{CALL.replace('Oslo', 'Bergen')}\n"
    messages = [*REQUEST["messages"], {"role": "assistant", "content": begun}]
    request = {"messages": messages, "continue_final_message": True, "echo": echo}
    shown = begun if echo else ""
    assert read(rewritten(f"{shown}{CALL}", request=request))["calls"] == EXPECTED
    assert read(rewritten(f"{shown}Done.", request=request))["calls"] == []
    messages[-1] = {"role": "assistant", "content": CALL[:40]}
    shown = CALL[:40] if echo else ""
    assert read(rewritten(f"{shown}{CALL[40:]}", request=request))["calls"] == EXPECTED


def test_ids_differ_between_turns_and_calls() -> None:
    first = rewritten(f"{CALL}\n{CALL}")["choices"][0]["message"]["tool_calls"]
    longer = [*REQUEST["messages"], {"role": "assistant", "content": "x"}]
    later = rewritten(CALL, request={"messages": longer})["choices"][0]["message"]["tool_calls"]
    assert len({call["id"] for call in [*first, *later]}) == 3
    again = rewritten(f"{CALL}\n{CALL}")["choices"][0]["message"]["tool_calls"]
    assert again == first


def test_a_number_that_json_has_not_stays_text() -> None:
    told = []
    given = completion("[get_weather(city='Oslo', days=1e999)]")
    found = rewrite_response(
        given, REQUEST, format="pythonic", report=lambda _, why: told.append(why)
    )
    message = read(found)
    assert message["calls"] == []
    assert message["content"].startswith("[get_weather") or "get_weather" in message["content"]


@pytest.mark.parametrize(
    "response",
    [{}, {"choices": None}, {"choices": [None, {"message": {"content": None}}]}, {"error": {}}],
)
def test_other_answers_go_through(response: dict[str, Any]) -> None:
    assert rewrite_response(response, REQUEST, format="hermes") is response


def test_a_mistake_of_the_caller_raises() -> None:
    with pytest.raises(UnknownFormat):
        rewrite_response(completion(CALL), REQUEST, format="no_such_format")
    with pytest.raises(TypeError):
        rewrite_response(completion(CALL), {**REQUEST, "tools": [3]}, format="hermes")
