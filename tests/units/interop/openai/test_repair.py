"""Broken messages are repaired, whatever stands in them, and what is no message is refused."""

from __future__ import annotations

from typing import Any

import pytest
from openai.types.chat import ChatCompletion

from toolgrammar.interop import anthropic, openai

COMPLETION: dict[str, Any] = {
    "id": "c",
    "object": "chat.completion",
    "created": 1,
    "model": "m",
    "choices": [
        {"index": 0, "finish_reason": "stop", "message": {"role": "assistant", "content": "Hi."}}
    ],
}
ODD: list[Any] = [-1, 0, True, "x", ["x"], [["x"]], [None], {"a": 1}, [{"type": []}], [{"text": 1}]]


@pytest.mark.parametrize("odd", ODD)
@pytest.mark.parametrize("key", ["content", "tool_calls", "function_call", "role", "refusal"])
def test_nothing_in_a_message_raises(key: str, odd: object) -> None:
    message = {"role": "assistant", key: odd}
    assert openai.repair_message(message)["role"] == message["role"]
    assert anthropic.repair_message(message)["role"] == message["role"]


def test_what_is_no_call_among_the_calls_is_told() -> None:
    assert not openai.repair_message({"role": "assistant", "tool_calls": -1}).result.ok
    assert not openai.repair_message({"role": "assistant", "tool_calls": ["x"]}).result.ok


@pytest.mark.parametrize("completion", [COMPLETION, ChatCompletion.model_validate(COMPLETION)])
def test_a_whole_completion_is_refused(completion: object) -> None:
    with pytest.raises(TypeError, match=r"give response\.choices\[0\]\.message"):
        openai.repair_message(completion)
    with pytest.raises(TypeError, match=r"give response\.choices\[0\]\.message"):
        openai.repair_response(completion)


def test_the_message_of_a_completion_is_taken() -> None:
    message = ChatCompletion.model_validate(COMPLETION).choices[0].message
    assert openai.repair_message(message)["content"] == "Hi."
