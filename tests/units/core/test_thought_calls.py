"""Reasoning that nothing closes ends before calls of given tools that end the message."""

import pytest

from toolgrammar import Parser, RenderError, ToolCall, formats
from toolgrammar.core import thought_calls
from toolgrammar.core.driver import Driver

_TOOLS = [{"name": "tide", "parameters": {"properties": {"place": {"type": "string"}}}}]
_CALL = ToolCall("tide", {"place": "Narvik"})


def _read(format_id: str, text: str, prefix: str, size: int) -> Parser:
    parser = Parser(format_id, tools=_TOOLS, prefix=prefix)
    for start in range(0, len(text), size):
        parser.feed(text[start : start + size])
    parser.close()
    return parser


@pytest.mark.parametrize("format_id", ["hermes", "qwen3_xml", "minimax_m2", "mimo", "seed_oss"])
@pytest.mark.parametrize("is_opened", [True, False])
def test_the_calls_are_read(format_id: str, *, is_opened: bool) -> None:
    wire, tags = formats[format_id].render([_CALL]), formats[format_id].tables.reasoning_tags
    opener = f"{next(iter(tags.values()))}\n"
    prefix, text = (opener, "I look.\n") if is_opened else ("", f"{opener}I look.\n")
    whole = _read(format_id, text + wire, prefix, 10_000).result
    assert [(call.name, call.arguments, call.status) for call in whole.calls] == [
        ("tide", {"place": "Narvik"}, "repaired")
    ]
    assert (whole.reasoning, whole.text, whole.ok) == ("I look.", "", True)
    assert _read(format_id, text + wire, prefix, 1).result.to_dict() == whole.to_dict()


def test_what_goes_on_behind_the_call_was_thought_and_is_told_of() -> None:
    wire = formats["hermes"].render([_CALL])
    result = _read("hermes", f"I say {wire} or so.", "<think>\n", 1).result
    assert (result.calls, result.ok) == ((), False)
    assert [each.code for each in result.diagnostics] == ["unread-call"]


@pytest.mark.parametrize("format_id", sorted(formats))
def test_no_format_loses_such_a_call_in_silence(format_id: str) -> None:
    tags = formats[format_id].tables.reasoning_tags
    try:
        wire = formats[format_id].render([_CALL])
    except RenderError:
        return
    if not tags or not formats[format_id].tables.signs:
        return  # nothing in the message shows that a call was written
    result = _read(format_id, f"I look.\n{wire}", f"{next(iter(tags.values()))}\n", 7).result
    assert result.calls or not result.ok


def test_openers_in_open_reasoning_are_tried_a_few_times_and_not_in_each_other(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    tried, judge = [], thought_calls._are_calls

    def count(driver: Driver, text: str) -> bool:
        tried.append(text)
        return judge(driver, text)

    monkeypatch.setattr(thought_calls, "_are_calls", count)
    text = "<tool_call>\n<think>\n" * 40
    assert _read("hermes", text, "<think>\n", 7).result.calls == ()
    assert 0 < len(tried) <= 8
