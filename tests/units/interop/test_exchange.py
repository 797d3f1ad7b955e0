"""What the shapes of all APIs share."""

from __future__ import annotations

from typing import Any

from toolgrammar.interop.exchange import arguments_or_refusal, ids_in
from toolgrammar.salvage.refusals import Refusal
from toolgrammar.values.calls import ToolCall


def test_ids_in_a_conversation_are_those_of_calls_and_results() -> None:
    messages: list[Any] = [
        {"role": "user", "content": "?"},
        {"role": "assistant", "tool_calls": [{"id": "c1"}, {"id": "c2"}]},
        {"role": "tool", "tool_call_id": "c3"},
    ]
    assert ids_in(messages) == {"c1", "c2", "c3"}


def test_a_conversation_of_a_wrong_shape_has_the_ids_that_can_be_read() -> None:
    broken: list[Any] = [
        "x",
        None,
        {"tool_calls": 5},
        {"tool_calls": {"id": "c1"}},
        {"tool_calls": ["c1", {"id": 5}, {"id": ["c1"]}, {"id": "c2"}]},
        {"tool_call_id": {}},
    ]
    assert ids_in(broken) == {"c2"}


def test_arguments_that_no_api_can_carry_are_a_refusal() -> None:
    assert arguments_or_refusal(ToolCall("add", {"a": 1})) == '{"a": 1}'
    found = arguments_or_refusal(ToolCall("add`\n", {"a": float("nan")}))
    assert isinstance(found, Refusal)
    assert found.code == "not-executable"
    # A name is the model's text, and can't begin a new turn.
    assert found.message.startswith("Your call of `add\\u0060\\u000a` did not run: ")
