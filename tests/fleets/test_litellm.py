"""The callback in a real LiteLLM, before a real server; `make litellm` installs it."""

from __future__ import annotations

import asyncio
import json
from typing import Any

import pytest

from tests.units.proxy.completions import CALL, EXPECTED, REQUEST, chunk, events
from tests.units.proxy.servers import Model, serving
from toolgrammar.proxy.models import ModelRule, ModelRules

litellm = pytest.importorskip("litellm", reason="make litellm installs it")

from toolgrammar.proxy.litellm import ToolCallsFromText  # noqa: E402 - it needs the package

pytestmark = pytest.mark.filterwarnings("ignore")


def callback(*, prompt: bool = False, repair: bool = False) -> ToolCallsFromText:
    rule = ModelRule("hermes", prompt=prompt, repair=repair)
    return ToolCallsFromText(ModelRules({}, rule))


def calls_of(message: Any) -> list[tuple[str, Any]]:
    return [
        (call.function.name, json.loads(call.function.arguments))
        for call in message.tool_calls or ()
    ]


async def ask(address: str, **more: Any) -> Any:
    options = {**REQUEST, "model": "openai/m", **more}
    return await litellm.acompletion(**options, api_base=f"{address}/v1", api_key="k")


def test_a_whole_answer_of_the_package_has_its_calls(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(litellm, "callbacks", [callback()])
    with serving(Model(f"On it.\n{CALL}").app()) as upstream:
        answer = asyncio.run(ask(upstream))
    assert calls_of(answer.choices[0].message) == EXPECTED
    assert answer.choices[0].message.content == "On it."
    assert answer.choices[0].finish_reason == "tool_calls"
    assert answer.usage.total_tokens == 3


def test_an_answer_of_the_gateway_has_its_calls() -> None:
    async def run(address: str) -> Any:
        return await callback().async_post_call_success_hook(REQUEST, None, await ask(address))

    with serving(Model(CALL).app()) as upstream:
        answer = asyncio.run(run(upstream))
    assert calls_of(answer.choices[0].message) == EXPECTED


def test_a_stream_of_the_gateway_has_its_calls() -> None:
    async def run(address: str) -> list[Any]:
        chunks = await ask(address, stream=True)
        hook = callback().async_post_call_streaming_iterator_hook(None, chunks, REQUEST)
        return [chunk async for chunk in hook]

    with serving(Model(f"On it.\n{CALL}", size=4).app()) as upstream:
        found = asyncio.run(run(upstream))
    whole = litellm.stream_chunk_builder(found)
    assert calls_of(whole.choices[0].message) == EXPECTED
    assert (whole.choices[0].message.content or "").strip() == "On it."
    assert whole.choices[0].finish_reason == "tool_calls"


def test_tools_go_into_the_prompt_and_the_answer_is_read_with_them() -> None:
    model = Model(CALL)

    async def run(address: str) -> Any:
        hooks = callback(prompt=True)
        data = await hooks.async_pre_call_hook(None, None, dict(REQUEST), "acompletion")
        sent = {key: data[key] for key in ("messages",)}
        options = {**sent, "model": "openai/m", "api_base": f"{address}/v1", "api_key": "k"}
        return await hooks.async_post_call_success_hook(
            data, None, await litellm.acompletion(**options)
        )

    with serving(model.app()) as upstream:
        answer = asyncio.run(run(upstream))
    assert calls_of(answer.choices[0].message) == EXPECTED
    assert "get_weather" in model.requests[0]["messages"][0]["content"]
    assert "tools" not in model.requests[0]


def test_an_answer_without_calls_is_the_same_object() -> None:
    async def run(address: str) -> bool:
        answer = await ask(address)
        return await callback().async_post_call_success_hook(REQUEST, None, answer) is answer

    with serving(Model("Hello.").app()) as upstream:
        assert asyncio.run(run(upstream))


def test_a_broken_call_of_the_server_is_repaired_where_a_rule_says_so() -> None:
    [(name, arguments)] = EXPECTED
    parts = [json.dumps(arguments)[:-1].replace('"', "'"), ",}"]
    calls = [
        {
            "index": 0,
            "id": "c1",
            "type": "function",
            "function": {"name": name, "arguments": parts[0]},
        },
        {"index": 0, "function": {"arguments": parts[1]}},
    ]
    body = events([*(chunk({"tool_calls": [each]}) for each in calls), chunk({}, "tool_calls")])

    async def run(address: str) -> list[Any]:
        chunks = await ask(address, stream=True)
        return [each async for each in callback(repair=True).stream(chunks, REQUEST)]

    with serving(Model(raw=body).app()) as upstream:
        found = asyncio.run(run(upstream))
    whole = litellm.stream_chunk_builder(found)
    assert calls_of(whole.choices[0].message) == EXPECTED
    assert whole.choices[0].finish_reason == "tool_calls"
