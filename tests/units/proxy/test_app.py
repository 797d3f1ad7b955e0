"""The proxy before a real server, asked by real clients."""

from __future__ import annotations

import asyncio
import gzip
import json
import logging
import math
import socket
from typing import Any

import httpx
import openai
import pytest

from tests.units.proxy.completions import (
    CALL,
    EXPECTED,
    REQUEST,
    TOOL,
    chunk,
    completion,
    joined,
    parsed,
    read,
)
from tests.units.proxy.servers import PATIENCE, Model, delete, get, post, proxied, serving, wait_for
from toolgrammar.proxy.app import create_app
from toolgrammar.proxy.models import ModelRule, ModelRules

CHAT = "/v1/chat/completions"
LEFT = "toolgrammar_proxy_client_disconnects_total"
USAGE = {"id": "chatcmpl-1", "object": "chat.completion.chunk", "created": 5, "model": "m"}


def client(address: str) -> openai.OpenAI:
    return openai.OpenAI(base_url=f"{address}/v1", api_key="sk-secret", max_retries=0)


def counters(address: str) -> list[str]:
    return get(f"{address}/metrics").text.splitlines()


def ask(address: str, **more: Any) -> Any:
    with client(address) as api:
        return api.chat.completions.create(**{**REQUEST, **more})


def streamed(address: str, **more: Any) -> list[dict[str, Any]]:
    with client(address) as api:
        found = api.chat.completions.create(**{**REQUEST, **more}, stream=True)
        return [each.model_dump(exclude_unset=True) for each in found]


def test_openais_client_gets_calls_of_a_whole_answer() -> None:
    with proxied(Model(f"<think>Rain?</think>On it.\n{CALL}")) as address:
        [choice] = ask(address).choices
    assert choice.finish_reason == "tool_calls"
    assert choice.message.content == "On it."
    assert choice.message.reasoning_content == "Rain?"
    [call] = choice.message.tool_calls
    assert (call.function.name, json.loads(call.function.arguments)) == EXPECTED[0]


def test_openais_client_gets_calls_of_a_stream() -> None:
    usage = {**USAGE, "choices": [], "usage": {"total_tokens": 3}}
    with proxied(Model(f"On it.\n{CALL}", extra=[usage])) as address:
        found = streamed(address, stream_options={"include_usage": True})
    message = joined(found)
    assert message["calls"] == EXPECTED
    assert message["reason"] == "tool_calls"
    assert message["content"] == "On it."
    assert found[-1]["usage"]["total_tokens"] == 3


def test_the_async_client_gets_the_same() -> None:
    async def run(address: str) -> Any:
        async with openai.AsyncOpenAI(base_url=f"{address}/v1", api_key="k") as api:
            options: Any = {**REQUEST, "stream": True}
            return [
                each.model_dump() async for each in await api.chat.completions.create(**options)
            ]

    with proxied(Model(CALL)) as address:
        assert joined(asyncio.run(run(address)))["calls"] == EXPECTED


@pytest.mark.parametrize("path", ["/v1/models", "/v1/files/a%2Fb?x=1&y=%20", "/tokenize"])
def test_other_requests_go_through(path: str) -> None:
    model = Model()
    with proxied(model) as address:
        answer = get(address + path)
        gone = delete(address + path)
    assert answer.headers["x-own"] == "1"
    assert gone.status_code == 200
    assert model.paths == [path[1:], path[1:]]


@pytest.mark.parametrize("base", ["", "/v1", "/v1/", "/base"])
def test_the_upstream_is_written_with_or_without_its_version(base: str) -> None:
    model = Model("Hello.")
    with (
        serving(model.app()) as upstream,
        serving(create_app(upstream + base, ModelRules({}))) as address,
    ):
        post(address + CHAT, json=REQUEST).raise_for_status()
    assert model.paths == ["base/v1/chat/completions" if base == "/base" else CHAT[1:]]


def test_requests_and_answers_without_calls_are_the_same_bytes() -> None:
    body = b'{ "messages":[],  "tools": ' + json.dumps([TOOL]).encode() + b', "x": 1.50, "x": 2 }'
    raw = b'{"choices": [ {"message": {"content":"Hi \\u2603."}} ], "n": 1.0}\n'
    model = Model(raw=raw)
    with proxied(model) as address:
        answer = post(address + CHAT, content=body)
    assert model.bodies == [body]
    assert answer.content == raw


def test_a_stream_without_calls_is_the_same_bytes() -> None:
    model = Model("Hello there, and bye.", size=3)
    with proxied(model) as address:
        answer = post(address + CHAT, json={**REQUEST, "stream": True})
    assert answer.content == model.sent
    assert answer.headers["content-type"].startswith("text/event-stream")


def test_a_packed_answer_goes_through_unread() -> None:
    raw = gzip.compress(b'{"choices": []}')
    with proxied(Model(raw=raw), None) as address:
        answer = post(address + CHAT, json={"messages": []})
    assert answer.content == raw


def test_keys_reach_the_upstream_and_no_log(caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.DEBUG)
    model = Model(CALL.replace("get_weather", "erase\n"))
    with proxied(model) as address:
        post(
            f"{address}{CHAT}?api_key=sk-query",
            json={**REQUEST, "stream": False},
            headers={"authorization": "Bearer sk-secret", "x-api-key": "sk-other"},
        )
    assert model.headers[0]["authorization"] == "Bearer sk-secret"
    assert model.headers[0]["x-api-key"] == "sk-other"
    assert model.paths == [f"{CHAT[1:]}?api_key=sk-query"]

    def own() -> list[str]:
        return [record.getMessage() for record in caplog.records if "toolgrammar" in record.name]

    # The line is written once the answer is sent, so the client may have it earlier.
    wait_for(lambda: any(CHAT in line for line in own()))
    assert not any("sk-" in line or "\n" in line for line in own())


@pytest.mark.parametrize("stream", [False, True])
def test_an_error_of_the_upstream_is_the_clients(*, stream: bool) -> None:
    with (
        proxied(Model(status=429)) as address,
        pytest.raises(openai.RateLimitError) as found,
    ):
        streamed(address) if stream else ask(address)
    assert found.value.code == "x"


@pytest.mark.parametrize("stream", [False, True])
def test_an_upstream_that_is_not_there_is_an_error_of_the_api(*, stream: bool) -> None:
    rules = ModelRules({}, ModelRule("hermes"))
    with socket.socket() as taken:
        # Bound, so that no other program gets the port, and not listening: it refuses.
        taken.bind(("127.0.0.1", 0))
        port = taken.getsockname()[1]
        with (
            serving(create_app(f"http://user:pass@127.0.0.1:{port}", rules)) as address,
            pytest.raises(openai.InternalServerError) as found,
        ):
            streamed(address) if stream else ask(address)
    assert found.value.status_code == 502
    assert found.value.code == "upstream_unreachable"
    assert "pass" not in str(found.value)


def test_an_upstream_that_dies_in_the_middle_ends_the_stream_with_an_error() -> None:
    text = f"{CALL}\n{CALL}"
    model = Model(text, breaks_at=len(text) // 5 - 4)
    with proxied(model) as address:
        found = post(address + CHAT, json={**REQUEST, "stream": True})
        given: list[dict[str, Any]] = []
        options: Any = {**REQUEST, "stream": True}
        with client(address) as api, pytest.raises(openai.APIError) as problem:
            given.extend(
                each.model_dump(exclude_unset=True)
                for each in api.chat.completions.create(**options)
            )
    assert problem.value.code == "upstream_ended"
    assert joined(given)["calls"] == EXPECTED
    chunks = parsed(found.content)
    assert chunks[-1] == "[DONE]"
    assert chunks[-2]["error"]["code"] == "upstream_ended"
    message = joined(chunks[:-2])
    assert message["calls"] == EXPECTED
    assert message["content"].startswith("<tool_call>")


def test_an_upstream_that_falls_silent_is_given_up() -> None:
    model = Model(f"On it.\n{CALL} and more", stops_at=19)
    calls: list[Any] = []
    for timeout in (0.5, 2, 8, 32):
        with proxied(model, timeout=timeout) as address:
            answer = post(address + CHAT, json={**REQUEST, "stream": True})
            wait_for(lambda: model.open == 0)
        if answer.status_code == 200:
            found = parsed(answer.content)
            assert found[-2]["error"]["code"] == "upstream_timeout"
            calls = joined(found[:-2])["calls"]
        # On a slow machine the model falls silent before it has begun: then it gets more time.
        if calls:
            break
    assert calls == EXPECTED


def test_a_client_that_leaves_frees_the_connection_to_the_upstream() -> None:
    """Also while nothing comes, and before there is an answer."""
    model = Model("Hello there.", stops_at=3)
    with proxied(model, ModelRule("hermes")) as address:
        request: Any = {"json": {**REQUEST, "stream": True}, "timeout": PATIENCE}
        with httpx.stream("POST", address + CHAT, **request) as answer:
            # Kept: an iterator that is dropped closes the connection.
            parts = answer.iter_bytes()
            next(parts)
            wait_for(lambda: model.open == 1)
        wait_for(lambda: model.open == 0)

        wait_for(lambda: f"{LEFT} 1.0" in counters(address))


def test_a_request_that_is_too_long_is_refused() -> None:
    with proxied(Model("Hi."), max_body=2000) as address:
        long = post(address + CHAT, json={**REQUEST, "x": "y" * 3000})
        short = post(address + CHAT, json=REQUEST)
    assert long.status_code == 413
    assert long.json()["error"]["code"] == "request_too_large"
    assert short.status_code == 200


def test_a_compressed_request_is_refused_and_not_asked_unread() -> None:
    model = Model(CALL)
    headers = {"content-encoding": "gzip"}
    with proxied(model) as address:
        body = gzip.compress(json.dumps(REQUEST).encode())
        answer = post(address + CHAT, content=body, headers=headers)
        other = post(address + "/v1/embeddings", content=b"", headers=headers)
    assert answer.status_code == 415
    assert answer.json()["error"]["code"] == "unsupported_encoding"
    assert len(model.bodies) == 1
    assert other.status_code == 200


def test_a_path_with_a_slash_at_its_end_is_the_same() -> None:
    model = Model(CALL)
    with proxied(model) as address:
        answer = post(f"{address}{CHAT}/", json=REQUEST)
    assert read(answer.json())["calls"] == EXPECTED
    assert model.paths == [f"{CHAT}/"[1:]]


@pytest.mark.parametrize("stream", [False, True])
def test_numbers_that_python_does_not_know_stay_json(*, stream: bool) -> None:
    def strict(word: str) -> None:
        raise AssertionError(word)

    given = chunk({"content": CALL}, "stop") if stream else completion(CALL)
    given["choices"][0]["logprobs"] = {"a": [1.5, -4242, 4242], "b": 'Infinity "0'}
    raw = json.dumps(given).replace("4242", "1e999").encode()
    raw = b"data: " + raw + b"\n\ndata: [DONE]\n\n" if stream else raw
    with proxied(Model(raw=raw)) as address:
        answer = post(address + CHAT, json={**REQUEST, "stream": stream})
    events_ = [line.removeprefix("data: ") for line in answer.text.splitlines() if line]
    [whole, *_] = [each for each in events_ if "logprobs" in each and "Infinity" in each]
    found = json.loads(whole, parse_constant=strict)["choices"][0]
    assert found["logprobs"] == {"a": [1.5, -math.inf, math.inf], "b": 'Infinity "0'}
    assert '"tool_calls":[' in answer.text


@pytest.mark.parametrize("stream", [False, True])
def test_an_answer_that_is_too_long_is_an_error(*, stream: bool) -> None:
    raw = b'data: {"choices": [' + b" " * 9000 if stream else b'{"x": "' + b"y" * 9000 + b'"}'
    with proxied(Model(raw=raw + b"\n\n"), max_body=2000) as address:
        answer = post(address + CHAT, json={**REQUEST, "stream": stream})
    error = parsed(answer.content)[-2]["error"] if stream else answer.json()["error"]
    assert error["code"] == "upstream_too_long"


def test_a_stream_whose_text_is_too_long_is_an_error() -> None:
    """Its text stays in memory, however short its events are."""
    with proxied(Model(f"{CALL}\n{'word ' * 800}", size=100), max_body=2000) as address:
        answer = post(address + CHAT, json={**REQUEST, "stream": True})
    *found, error, done = parsed(answer.content)
    assert joined(found)["calls"] == EXPECTED
    assert error["error"]["code"] == "upstream_too_long"
    assert error["error"]["message"] == "the answer of the upstream has more than 2000 bytes"
    assert done == "[DONE]"


def test_tools_of_a_wrong_shape_are_the_clients_mistake() -> None:
    with proxied(Model("Hi.")) as address:
        answer = post(address + CHAT, json={**REQUEST, "tools": [{"type": "function"}]})
    assert answer.status_code == 400
    assert answer.json()["error"]["type"] == "invalid_request_error"


def test_a_server_without_tools_gets_them_in_the_prompt() -> None:
    model = Model(CALL)
    rule = ModelRule("hermes", prompt=True, body={"skip_special_tokens": False})
    with proxied(model, rule) as address:
        [choice] = ask(address, tool_choice="auto").choices
    assert choice.finish_reason == "tool_calls"
    [request] = model.requests
    assert not {"tools", "tool_choice"} & request.keys()
    assert request["skip_special_tokens"] is False
    assert request["messages"][0]["role"] == "system"
    assert "get_weather" in request["messages"][0]["content"]
    assert request["messages"][1:] == REQUEST["messages"]


def test_models_without_a_rule_are_left_alone() -> None:
    rules = ModelRules({"qwen*": ModelRule("hermes")})
    model = Model(CALL)
    with serving(model.app()) as upstream, serving(create_app(upstream, rules)) as address:
        assert ask(address, model="other").choices[0].message.content == CALL
        assert ask(address, model="qwen3").choices[0].message.tool_calls


def test_health_and_metrics_tell_of_the_proxy() -> None:
    model = Model(f"{CALL}\n{CALL.replace('get_weather', 'erase')}")
    with proxied(model, ModelRule("hermes")) as address:
        ask(address)
        streamed(address)
        assert get(f"{address}/health").json() == {"status": "ok"}
        # An answer is counted once it is sent, so the client may have it earlier.
        counted = 'toolgrammar_proxy_requests_total{kind="rewritten",status="200"} 2.0'
        wait_for(lambda: counted in counters(address))
        answer = get(f"{address}/metrics")
    assert answer.headers["content-type"].startswith("text/plain; version=0.0.4")
    lines = answer.text.splitlines()
    assert 'toolgrammar_proxy_calls_total{format="hermes"} 2.0' in lines
    refused = 'toolgrammar_proxy_refused_calls_total{code="unknown-tool",format="hermes"} 2.0'
    assert refused in lines
    assert "erase" not in answer.text


@pytest.mark.parametrize(
    ("address", "options"),
    [("ftp://x", {}), ("127.0.0.1:8000", {}), ("http://x", {"timeout": 0})],
)
def test_a_mistake_of_the_caller_raises(address: str, options: dict[str, Any]) -> None:
    with pytest.raises(ValueError, match=r"upstream must be|^timeout must be above 0, got 0"):
        create_app(address, ModelRules({}), **options)
