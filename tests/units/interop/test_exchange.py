"""What the shapes of all APIs share."""

from __future__ import annotations

from typing import Any

from toolgrammar.interop.exchange import ids_in


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
