"""A stream that ends without its reason broke off: a call that only its end would close is cut."""

from typing import Any

import pytest

from toolgrammar.interop import anthropic, langchain, openai

TEXT = "🛠️ bash ls"


def completion(reason: str | None) -> Any:
    deltas: list[dict[str, Any]] = [{"choices": [{"delta": {"content": each}}]} for each in TEXT]
    ends = [] if reason is None else [{"choices": [{"delta": {}, "finish_reason": reason}]}]
    return openai.repair_stream([*deltas, *ends], "simple_agent")


def blocks(reason: str | None) -> Any:
    events: list[dict[str, Any]] = [
        {"type": "message_start", "message": {"role": "assistant"}},
        {
            "type": "content_block_start",
            "index": 0,
            "content_block": {"type": "text", "text": TEXT},
        },
        {"type": "content_block_stop", "index": 0},
    ]
    if reason is not None:
        events.append({"type": "message_delta", "delta": {"stop_reason": reason}})
    return anthropic.repair_stream(events, "simple_agent")


def langchain_chunks(reason: str | None) -> Any:
    """Not every provider of LangChain says why it stopped."""
    chunks: list[dict[str, Any]] = [{"content": TEXT}]
    if reason is not None:
        chunks.append({"content": "", "response_metadata": {"finish_reason": reason}})
    return langchain.from_stream(chunks, repair=True, format="simple_agent")


@pytest.mark.parametrize(
    ("streamed", "without"), [(completion, False), (blocks, False), (langchain_chunks, True)]
)
def test_a_call_that_only_the_end_closes_needs_the_reason(streamed: Any, *, without: bool) -> None:
    for reason, runs in (("stop", True), ("length", False), (None, without)):
        stream = streamed(reason)
        with pytest.raises(RuntimeError, match=r"^no result yet: take all of the stream first$"):
            _ = stream.result
        list(stream)
        [call] = stream.result.calls
        assert call.executable is runs
        assert stream.finish_reason == reason
