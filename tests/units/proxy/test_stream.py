"""Streams: for every cutting the client gets what it gets of the whole answer."""

from __future__ import annotations

import asyncio
import json
from typing import TYPE_CHECKING, Any

import pytest

from tests.units.proxy.completions import (
    CALL,
    EXPECTED,
    RENDERED,
    REQUEST,
    TOOL,
    chunk,
    chunks,
    completion,
    events,
    joined,
    parsed,
    read,
)
from toolgrammar import SalvagePolicy
from toolgrammar.proxy import rewrite_response, rewrite_stream
from toolgrammar.testing.depth import if_quick

if TYPE_CHECKING:
    from collections.abc import AsyncIterator

MESSAGES = {
    "plain": "Hello there.\n\nWrite <tool_call> before it.",
    "call": f"On it.\n{CALL}",
    "calls": f"{CALL}\n{CALL.replace('Oslo', 'Bergen')}",
    "reasoning": f"<think>Rain? Maybe.</think>On it.\n{CALL}",
    "refused": f"{CALL}\nand\n{CALL.replace('get_weather', 'erase')}",
    "cut": f"On it.\n{CALL}\n{CALL[:60]}",
    "in code": f"1. Like so:\n   ```\n   {CALL}\n   ```\n",
}


def rewritten(found: list[Any], request: dict[str, Any] = REQUEST, **options: Any) -> list[Any]:
    return list(rewrite_stream(found, request, format="hermes", **options))


@pytest.mark.parametrize("reason", ["stop", "length"])
@pytest.mark.parametrize("name", MESSAGES)
def test_every_cutting_gives_what_the_whole_answer_gives(name: str, reason: str) -> None:
    text = MESSAGES[name]
    whole = read(rewrite_response(completion(text, reason), REQUEST, format="hermes"))
    for size in (1, 2, 3, 5, 8, 13, 40):
        assert joined(rewritten(chunks(text, size, reason))) == whole
    for at in range(0, len(text), if_quick(4, 1)):
        pieces = [chunk({"content": text[:at]}), chunk({"content": text[at:]}, reason)]
        assert joined(rewritten(pieces)) == whole


@pytest.mark.parametrize("name", sorted(RENDERED))
def test_a_call_of_every_format_comes_as_a_delta(name: str) -> None:
    text = RENDERED[name]
    for size in (1, 5, len(text)):
        found = list(rewrite_stream(chunks(text, size), REQUEST, format=name))
        message = joined(found)
        assert message["calls"] == [("get_weather", {"city": "Oslo", "days": 2})]
        assert message["reason"] == "tool_calls"
        assert message["content"] in {"On it.", ""}


def test_what_needs_no_change_is_the_same_object() -> None:
    given = [
        chunk({"role": "assistant", "content": ""}),
        chunk({"reasoning_content": "Hm."}),
        chunk({"content": "Hello."}),
        chunk({"content": " Bye."}),
        chunk({}, "stop"),
        {"id": "chatcmpl-1", "choices": [], "usage": {"total_tokens": 3}},
    ]
    found = rewritten(given)
    assert len(found) == len(given)
    assert all(new is old for new, old in zip(found, given, strict=True))


def test_a_call_goes_out_when_it_has_ended() -> None:
    """Not with the end of the message."""
    given = [*chunks(f"{CALL} Done, I think.", 10)]
    found = rewritten(given)
    at = next(at for at, each in enumerate(found) if each["choices"][0]["delta"].get("tool_calls"))
    assert len(found) - at > 2


def test_unknown_fields_survive() -> None:
    given = chunks(f"On it. {CALL}", 7)
    for number, each in enumerate(given):
        each["x_server"] = number
        each["choices"][0]["x_choice"] = number
    given[-1]["choices"][0]["stop_reason"] = 128
    found = rewritten(given)
    assert {each["x_server"] for each in found if "x_server" in each} == set(range(len(given)))
    seen = {each["choices"][0].get("x_choice") for each in found if each["choices"]}
    assert seen >= set(range(len(given)))
    assert found[-1]["choices"][0]["stop_reason"] == 128


def test_counts_of_tokens_in_every_chunk_survive_where_text_is_held() -> None:
    given = [{**each, "usage": {"total_tokens": at}} for at, each in enumerate(chunks(CALL, 9))]
    found = rewritten(given)
    counts = [each["usage"]["total_tokens"] for each in found if each.get("usage")]
    assert counts == list(range(len(given)))
    # Clients look at the first choice unasked.
    assert all(each["choices"] for each in found)


def test_choices_are_read_apart() -> None:
    given: list[Any] = []
    for one, two in zip(chunks(CALL, 4), chunks("No " * 30, 4), strict=False):
        # Both in one chunk, as some servers send them.
        second = {**two["choices"][0], "index": 1}
        given.append({**one, "choices": [*one["choices"], second]})
    given[-1]["choices"][0]["finish_reason"] = "stop"
    given[-1]["choices"][1]["finish_reason"] = "stop"
    found = rewritten(given)
    assert joined(found, 0)["calls"] == EXPECTED
    assert joined(found, 0)["reason"] == "tool_calls"
    assert joined(found, 1)["calls"] == []
    assert joined(found, 1)["content"].startswith("No No")
    assert joined(found, 1)["reason"] == "stop"


def test_calls_of_the_server_go_through_and_those_behind_them_are_text() -> None:
    own = [{"index": 0, "id": "c", "type": "function", "function": {"name": "a", "arguments": ""}}]
    rest = [{"index": 0, "function": {"arguments": "{}"}}]
    given = [
        chunk({"tool_calls": own}),
        chunk({"tool_calls": rest}),
        *chunks(CALL, 8, "tool_calls"),
    ]
    found = rewritten(given)
    assert found[:2] == given[:2]
    assert joined(found)["calls"] == [("a", {})]
    assert joined(found)["content"] == CALL
    both = rewritten(given, policy=SalvagePolicy(beside_native=True))
    assert joined(both)["calls"] == [("a", {}), *EXPECTED]


def test_calls_of_the_server_behind_one_of_the_text_get_places_of_their_own() -> None:
    own = [{"index": 0, "id": "c", "type": "function", "function": {"name": "a", "arguments": ""}}]
    rest = [{"index": 0, "function": {"arguments": "{}"}}]
    given = [
        *chunks(CALL, 8)[:-1],
        chunk({"tool_calls": own}),
        chunk({"tool_calls": rest}),
        chunk({}, "tool_calls"),
    ]
    assert joined(rewritten(given))["calls"] == [*EXPECTED, ("a", {})]


@pytest.mark.parametrize("repair", [False, True])
def test_calls_of_the_server_and_of_the_text_have_ids_of_their_own(*, repair: bool) -> None:
    text = (
        "<|tool_calls_section_begin|><|tool_call_begin|>functions.get_weather:0"
        '<|tool_call_argument_begin|>{"city": "Oslo"}<|tool_call_end|><|tool_calls_section_end|>'
    )
    function = {"name": "get_weather", "arguments": '{"city": "Rome"}'}
    own = {"id": "functions.get_weather:0", "type": "function", "function": function}
    piece = chunk({"tool_calls": [{"index": 0, **own}]})
    policy = SalvagePolicy(beside_native=True)
    for given in ([chunk({"content": text}), piece], [piece, chunk({"content": text})]):
        stream = [*given, chunk({}, "stop")]
        options: Any = {"format": "kimi_k2", "policy": policy, "repair": repair}
        found = list(rewrite_stream(stream, REQUEST, **options))
        deltas = [each["choices"][0]["delta"] for each in found]
        ids = [
            call["id"] for delta in deltas for call in delta.get("tool_calls", ()) if "id" in call
        ]
        assert len(set(ids)) == len(ids) == 2
        assert ids[0] == own["id"]
    whole = completion(text)
    whole["choices"][0]["message"]["tool_calls"] = [own]
    calls = rewrite_response(whole, REQUEST, format="kimi_k2", policy=policy)["choices"][0][
        "message"
    ]
    first, second = (call["id"] for call in calls["tool_calls"])
    assert first == own["id"] != second


def test_text_completions_get_the_same_keys() -> None:
    text = f"On it. {CALL}"
    given = [
        {
            "id": "cmpl-1",
            "choices": [{"index": 0, "text": text[at : at + 6], "finish_reason": None}],
        }
        for at in range(0, len(text), 6)
    ]
    last: Any = given[-1]["choices"]
    last[0]["finish_reason"] = "stop"
    request = {"prompt": "Weather?", "tools": [TOOL]}
    found = [choice for each in rewritten(given, request) for choice in each["choices"]]
    assert "".join(choice["text"] for choice in found).strip() == "On it."
    [call] = [call for choice in found for call in choice.get("tool_calls", ())]
    assert call["function"]["name"] == "get_weather"
    assert found[-1]["finish_reason"] == "tool_calls"


@pytest.mark.parametrize("size", [1, 7, 1000])
def test_a_prompt_that_the_server_repeats_is_no_text_of_the_model(size: int) -> None:
    prompt = f"Example: {CALL}\nWeather?\n"
    text = f"{prompt}On it.{CALL}"
    given: list[Any] = [
        {"id": "c", "choices": [{"index": 0, "text": text[at : at + size], "finish_reason": None}]}
        for at in range(0, len(text), size)
    ]
    given.append({"id": "c", "choices": [{"index": 0, "text": "", "finish_reason": "stop"}]})
    request = {"prompt": prompt, "echo": True, "tools": [TOOL]}
    found = [choice for each in rewritten(given, request) for choice in each["choices"]]
    assert "".join(choice["text"] for choice in found) == f"{prompt}On it."
    assert sum(len(choice.get("tool_calls", ())) for choice in found) == 1
    assert rewritten(given, {**request, "prompt": [1, 2]}) == given


# ------------------------------------------------------------------------------------ events


@pytest.mark.parametrize("size", [1, 3, 50, 100_000])
def test_events_cut_anywhere_give_the_same_bytes(size: int) -> None:
    body = events(chunks(MESSAGES["refused"], 5))
    whole = b"".join(rewritten([body]))
    cut = [body[at : at + size] for at in range(0, len(body), size)]
    assert b"".join(rewritten(cut)) == whole
    found = parsed(whole)
    assert found[-1] == "[DONE]"
    assert joined(found[:-1]) == joined(rewritten(chunks(MESSAGES["refused"], 5)))


def test_events_without_calls_are_the_same_bytes() -> None:
    """Comments, odd white space, other line ends and what is no JSON, too."""
    first = json.dumps(chunk({"role": "assistant", "content": "Hi"}), indent=1).replace("\n", " ")
    body = (
        f": ping\n\nevent: x\r\nid: 7\r\ndata:{first}\r\n\r\ndata: no JSON\n\ndata: 3\n\n"
        f"data: {json.dumps(chunk({'content': ' ☃'}, 'stop'), ensure_ascii=False)}\n\n"
        "data: [DONE]\n\n"
    ).encode()
    for size in (1, 20, len(body)):
        cut = [body[at : at + size] for at in range(0, len(body), size)]
        assert b"".join(rewritten(cut)) == body


def test_a_stream_that_breaks_off_ends_with_an_error() -> None:
    """Calls that have ended are there, what had begun is text, and clients see the end."""
    text = f"{CALL}\n{CALL}"
    body = events(chunks(text, 5))
    body = body[: body.rindex(b"data: ", 0, len(body) - 400)]
    found = parsed(b"".join(rewritten([body])))
    assert found[-1] == "[DONE]"
    error = found[-2]["error"]
    assert error["code"] == "upstream_ended"
    assert set(error) == {"message", "type", "param", "code"}
    message = joined(found[:-2])
    assert message["calls"] == EXPECTED
    assert message["content"].startswith("<tool_call>")
    assert message["reason"] is None


@pytest.mark.parametrize("body", [b"", b": ping\n\n"])
def test_a_stream_without_an_answer_is_no_answer(body: bytes) -> None:
    found = parsed(b"".join(rewritten([body])))
    assert found[0]["error"]["code"] == "upstream_ended"


def test_an_error_of_the_server_comes_behind_the_text_that_was_held() -> None:
    error = {"error": {"message": "out of memory", "type": "server_error"}}
    found = rewritten([*chunks(CALL, 9)[:-3], error])
    assert found[-1] == error
    assert joined(found[:-1])["content"] == CALL[: len(joined(found[:-1])["content"])] != ""


def test_a_server_that_gives_no_reason_ends_with_its_last_event() -> None:
    body = events(chunks(CALL, 9)[:-1])
    found = parsed(b"".join(rewritten([body])))
    assert joined(found[:-1])["calls"] == EXPECTED
    assert not any("error" in each for each in found[:-1])


REACT = "Thought: x\nAction: get_weather\nAction Input: "


@pytest.mark.parametrize("error", [[], [{"object": "error", "message": "out of memory"}]])
def test_a_call_that_only_the_end_closed_needs_a_reason(error: list[dict[str, Any]]) -> None:
    """As `repair_stream` has it: an answer that ends without the server's reason broke off."""
    text = f"{REACT}Os"
    body = events([*chunks(text, 4)[:-1], *error])
    found = parsed(b"".join(rewrite_stream([body], REQUEST, format="react")))
    message = joined(found[:-1])
    assert message["calls"] == []
    assert text.endswith(message["content"])
    whole = rewrite_response(completion(text, None), REQUEST, format="react")
    assert read(whole)["calls"] == []
    ended = rewrite_response(completion(text, "stop"), REQUEST, format="react")
    assert read(ended)["calls"] == [("get_weather", {"city": "Os"})]


@pytest.mark.parametrize("first", ["stop", "length"])
def test_a_second_reason_does_not_undo_the_first(first: str) -> None:
    usage = {**chunk({"content": ""}, "stop"), "usage": {"total_tokens": 3}}
    found = rewritten([chunk({"content": CALL}), chunk({}, first), usage])
    said = "length" if first == "length" else "tool_calls"
    assert [each["choices"][0]["finish_reason"] for each in found] == [None, said, said]
    assert found[-1]["usage"] == usage["usage"]
    assert rewritten([chunk({"content": "Hi."}), chunk({}, first), usage])[-1] is usage


def test_half_a_surrogate_pair_goes_through() -> None:
    text = f"\ud83d {CALL}"
    body = events(chunks(text, 4))
    found = parsed(b"".join(rewritten([body])))
    assert joined(found[:-1])["calls"] == EXPECTED
    assert joined(found[:-1])["content"] == "\ud83d"


def test_an_async_stream_gives_an_async_one() -> None:
    async def later() -> AsyncIterator[dict[str, Any]]:
        for each in chunks(CALL, 6):
            yield each

    async def run() -> list[Any]:
        found: Any = rewrite_stream(later(), REQUEST, format="hermes")
        return [each async for each in found]

    assert joined(asyncio.run(run()))["calls"] == EXPECTED


def test_without_tools_a_stream_is_the_same_bytes() -> None:
    body = events(chunks(CALL, 6))
    cut = [body[at : at + 11] for at in range(0, len(body), 11)]
    assert b"".join(rewritten(cut, {**REQUEST, "tools": []})) == body
