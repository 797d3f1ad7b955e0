"""`parsing/checks.py`: a caller's mistake is told by its name."""

from typing import Any

import pytest

import toolgrammar

MISTAKES: list[tuple[dict[str, Any], str]] = [
    ({"limits": 3}, "limits must be a Limits, got int"),
    ({"limits": None}, "limits must be a Limits, got NoneType"),
    ({"strict": "yes"}, "strict must be a bool, got str"),
    ({"strict": 0}, "strict must be a bool, got int"),
    ({"prefix": None}, "prefix must be a str, got NoneType"),
    ({"id_seed": 7}, "id_seed must be a str, got int"),
    ({"finish_reason": 3}, "finish_reason must be a str or None, got int"),
]


@pytest.mark.parametrize(("options", "said"), MISTAKES)
@pytest.mark.parametrize("form", ["hermes", "simple_agent", ["hermes", "pythonic"]])
def test_a_wrong_type_is_told(form: Any, options: dict[str, Any], said: str) -> None:
    for _ in range(6):  # also where the short ways have read messages before
        toolgrammar.parse("x", format=form)
        with pytest.raises(TypeError, match=said):
            toolgrammar.parse("x", format=form, **options)
    rest = dict(options)
    reason = rest.pop("finish_reason", None)
    with pytest.raises(TypeError, match=said):
        toolgrammar.Parser(form, **rest).close(reason)


def test_a_parser_survives_a_wrong_reason() -> None:
    parser = toolgrammar.Parser("hermes")
    parser.feed("x <")
    with pytest.raises(TypeError):
        parser.close(3)  # type: ignore[arg-type]
    parser.close()
    assert parser.result.text == "x <"


@pytest.mark.parametrize("text", [None, 5, b"{}"])
def test_recover_json_wants_a_text(text: Any) -> None:
    with pytest.raises(TypeError, match="text must be a str"):
        toolgrammar.recover_json(text)


CUT = [
    "length", "max_tokens", "MAX_TOKENS", "maxTokens", "max_output_tokens", "model_length",
    "error_limit", "incomplete", "model_context_window_exceeded", "content_filter",
    "content-filter", "content_filtered", "SAFETY", "SPII", "RECITATION", "BLOCKLIST",
    "PROHIBITED_CONTENT", "MODEL_ARMOR", "OTHER", "LANGUAGE", "guardrail_intervened", "refusal",
    "MALFORMED_FUNCTION_CALL", "abort", "cancelled", "USER_CANCEL", "client_cancelled",
    "timeout", "error", "failed", "insufficient_system_resource",
    "turn_detected", "not_finished", "time_limit", "sensitive",
]  # fmt: skip
ENDED = [
    "stop", "STOP", "stop_sequence", "tool_calls", "tool-calls", "tool_use", "function_call",
    "end_turn", "pause_turn", "eos", "eos_token", "COMPLETE", "completed", "done",
]  # fmt: skip


@pytest.mark.parametrize("reason", CUT)
def test_a_reason_of_any_api_tells_that_the_answer_was_cut(reason: str) -> None:
    [call] = toolgrammar.parse("🛠️ bash ls", "simple_agent", finish_reason=reason).calls
    assert call.status == "truncated"


@pytest.mark.parametrize("reason", ENDED)
def test_a_reason_of_any_api_tells_that_the_answer_ended(reason: str) -> None:
    [call] = toolgrammar.parse("🛠️ bash ls", "simple_agent", finish_reason=reason).calls
    assert call.executable
