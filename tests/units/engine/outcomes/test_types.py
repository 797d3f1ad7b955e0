"""Messages go into requests of the APIs' own libraries; mypy checks this file with their types."""

from __future__ import annotations

from typing import TYPE_CHECKING

from toolgrammar import parse
from toolgrammar.engine import Engine, to_messages
from toolgrammar.interop import anthropic, openai

if TYPE_CHECKING:
    from anthropic.types import MessageParam
    from openai.types.chat import ChatCompletionMessageParam

TEXT = '<tool_call>\n{"name": "now", "arguments": {}}\n</tool_call>'


def now() -> str:
    """The time."""
    return "noon"


def test_a_conversation_has_the_types_of_openai() -> None:
    result = parse(TEXT, "hermes")
    results = Engine([now]).run_all_sync(result)
    messages: list[ChatCompletionMessageParam] = [
        {"role": "user", "content": "What time is it?"},
        openai.to_message(result),
        *to_messages(results),
    ]
    more: list[ChatCompletionMessageParam] = to_messages(results, "openai")
    messages.extend(to_messages(results))
    assert [message["role"] for message in messages[:3]] == ["user", "assistant", "tool"]
    assert messages[2] == messages[3] == more[0]


def test_a_conversation_has_the_types_of_anthropic() -> None:
    result = parse(TEXT, "hermes")
    messages: list[MessageParam] = [
        {"role": "user", "content": "What time is it?"},
        anthropic.to_message(result),
        *to_messages(Engine([now]).run_all_sync(result), "anthropic"),
    ]
    assert [message["role"] for message in messages] == ["user", "assistant", "user"]
