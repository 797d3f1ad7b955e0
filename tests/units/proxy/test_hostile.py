"""Answers of wrong types: they pass as they are, and nothing raises."""

from __future__ import annotations

import json
from typing import Any

import pytest

from tests.units.proxy.completions import (
    CALL,
    EXPECTED,
    REQUEST,
    chunk,
    chunks,
    completion,
    events,
    joined,
    parsed,
    read,
)
from toolgrammar.proxy import rewrite_response, rewrite_stream
from toolgrammar.proxy.sse import Events, data_of


def streamed(found: list[Any]) -> list[Any]:
    return list(rewrite_stream(found, REQUEST, format="hermes"))


@pytest.mark.parametrize(
    "delta",
    [
        ["x"],
        5,
        True,
        {"tool_calls": 5},
        {"tool_calls": True},
        {"tool_calls": [{"index": []}]},
        {"tool_calls": [5]},
        {"content": [{"type": "text", "text": "Hi."}]},
        {"content": 5},
        {"content": {"text": "x"}},
    ],
)
@pytest.mark.parametrize("reason", [None, "stop"])
def test_a_delta_of_a_wrong_type_passes(delta: Any, reason: str | None) -> None:
    given = chunk(delta, reason)
    assert streamed([given, chunk({}, "stop")])[0] is given


@pytest.mark.parametrize("index", [[], {}, None, "0", 0.5])
def test_a_choice_with_a_wrong_index_is_the_first(index: Any) -> None:
    given = [chunk({"content": CALL[:30]}), chunk({"content": CALL[30:]}), chunk({}, "stop")]
    given[1]["choices"][0]["index"] = index
    found = streamed(given)
    assert joined([each for each in found if each["choices"][0]["index"] == 0])["calls"] == EXPECTED


@pytest.mark.parametrize("item", [[1], None, "data: x", 5])
def test_what_is_no_chunk_passes(item: Any) -> None:
    assert streamed([item, *chunks("Hi.", 9)])[0] is item


def test_code_that_a_list_of_parts_opens_counts() -> None:
    part = chunk({"content": [{"type": "text", "text": "So:\n```\n"}]})
    found = streamed([part, *chunks(CALL, 7)])
    assert found[0] is part
    assert joined(found[1:])["calls"] == []
    before = streamed([chunk({"content": [{"type": "text", "text": "So:\n"}]}), *chunks(CALL, 7)])
    assert joined(before[1:])["calls"] == EXPECTED


@pytest.mark.parametrize("own", [5, True, {"a": 1}])
def test_a_whole_answer_with_calls_of_a_wrong_type_passes(own: Any) -> None:
    given = completion(CALL)
    given["choices"][0]["message"]["tool_calls"] = own
    assert rewrite_response(given, REQUEST, format="hermes") is given


def test_reasoning_of_a_wrong_type_stays_and_no_text_is_lost() -> None:
    given = completion(f"<think>Rain?</think>On it.\n{CALL}")
    given["choices"][0]["message"]["reasoning_content"] = [1]
    found = rewrite_response(given, REQUEST, format="hermes")
    message = found["choices"][0]["message"]
    assert message["reasoning_content"] == [1]
    assert "Rain?" in message["content"]
    assert (
        read(
            {"choices": [{**found["choices"][0], "message": {**message, "reasoning_content": ""}}]}
        )["calls"]
        == EXPECTED
    )


def test_a_role_of_a_wrong_type_is_none() -> None:
    request = {**REQUEST, "messages": [{"role": ["x"], "content": "x"}]}
    found = rewrite_response(completion(CALL), request, format="hermes")
    assert read(found)["calls"] == EXPECTED


def test_a_function_call_of_the_server_is_native() -> None:
    given = completion(CALL)
    legacy = {"name": "f", "arguments": "{}"}
    given["choices"][0]["message"]["function_call"] = legacy
    assert rewrite_response(given, REQUEST, format="hermes") is given
    assert joined(streamed([chunk({"function_call": legacy}), *chunks(CALL, 7)]))["calls"] == []


@pytest.mark.parametrize("end", ["\n\r\n", "\r\n\r", "\r\n\n", "\n\r", "\r\r", "\r\n\r\n", "\n\n"])
@pytest.mark.parametrize("bom", [b"", b"\xef\xbb\xbf"])
def test_events_end_with_lines_of_any_kind(end: str, bom: bytes) -> None:
    event = b'data: {"a": 1}' + end.encode()
    body = bom + event * 3
    for size in range(1, len(body)):
        kept = Events(1000)
        pieces = [body[at : at + size] for at in range(0, len(body), size)]
        found = [each for piece in pieces for each in kept.feed(piece)]
        rest = kept.end()
        assert b"".join(found) + rest == body
        read_ = [data_of(each) for each in [*found, rest] if data_of(each)]
        assert [json.loads(each) for each in read_] == [{"a": 1}] * 3


def test_a_last_event_without_a_blank_line_is_read() -> None:
    body = events(chunks(CALL, 7)).removesuffix(b"\n\n")
    for size in (3, len(body)):
        given = [body[at : at + size] for at in range(0, len(body), size)]
        found = parsed(b"".join(streamed(given)))
        assert found[-1] == "[DONE]"
        assert joined(found[:-1])["calls"] == EXPECTED
        assert not any("error" in each for each in found[:-1])


def test_many_calls_with_one_id_get_ids_of_their_own() -> None:
    found = rewrite_response(completion("\n".join([CALL] * 50)), REQUEST, format="hermes")
    calls = found["choices"][0]["message"]["tool_calls"]
    assert len({call["id"] for call in calls}) == len(calls) == 50
