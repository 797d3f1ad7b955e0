"""Reasoning that nothing closes ends before calls of given tools that end the message."""

import pytest

from toolgrammar import Parser, RenderError, ToolCall, formats
from toolgrammar.core.driver.raw import thought_calls
from toolgrammar.core.state.driver import Driver

_TOOLS = [{"name": "tide", "parameters": {"properties": {"place": {"type": "string"}}}}]
_CALL = ToolCall("tide", {"place": "Narvik"})


def _read(names: str, text: str, prefix: str, size: int) -> Parser:
    ids = names.split()
    parser = Parser(ids if len(ids) > 1 else names, tools=_TOOLS, prefix=prefix)
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


@pytest.mark.interpreted
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


_WIRE = '<tool_call>\n{"name": "tide", "arguments": {"place": "Narvik"}}\n</tool_call>'
_LISTS = ["hermes qwen3_xml", "qwen3_xml hermes", "minimax_m2 glm45 hermes", "auto"]


@pytest.mark.parametrize("names", _LISTS)
@pytest.mark.parametrize("prefix", ["<think>\n", ""])
def test_reasoning_ends_before_a_call_of_any_format_of_a_list(names: str, prefix: str) -> None:
    text = ("" if prefix else "<think>\n") + "I look.\n" + _WIRE
    whole = _read(names, text, prefix, 10_000).result
    assert [(call.name, call.status) for call in whole.calls] == [("tide", "repaired")]
    assert (whole.reasoning, whole.text, whole.ok) == ("I look.", "", True)
    for size in (1, 2, 7, 30):
        assert _read(names, text, prefix, size).result.to_dict() == whole.to_dict()


@pytest.mark.parametrize("names", _LISTS)
@pytest.mark.parametrize(
    "text",
    [
        f"I would write\n{_WIRE}\nbut I don't know.",
        f"I would write {_WIRE}",
        f"I would write\n{_WIRE[:50]}",
    ],
)
def test_what_else_stands_in_reasoning_stays_there_and_is_told_of(names: str, text: str) -> None:
    whole = _read(names, text, "<think>\n", 10_000).result
    assert (whole.calls, whole.reasoning, whole.ok) == ((), text, False)
    for size in (1, 3, 8):
        assert _read(names, text, "<think>\n", size).result.to_dict() == whole.to_dict()


@pytest.mark.parametrize(
    ("text", "held"), [("A\nb c\n<too", 4), ("A\nb [TO", 0), ('A\nb {"n', 0), ("A\nb c\n[TO", 3)]
)
def test_reasoning_of_a_list_streams_but_for_lines_that_may_be_calls(text: str, held: int) -> None:
    parser = Parser("auto", tools=_TOOLS, prefix="<think>\n")
    given = [bool(parser.feed(each)) for each in text]
    assert given == [True] * (len(text) - held) + [False] * held


FLOUR = {
    "name": "order_flour",
    "parameters": {"type": "object", "properties": {"kind": {"type": "string"}}},
}


@pytest.mark.parametrize("size", [1, 5, 1000])
def test_of_two_openers_in_a_thought_the_first_is_held_back(size: int) -> None:
    text = (
        "<tool_calls>\n<tool_call>order_flour<tool_sep>\n<arg_key>kind</arg_key>\n"
        "<arg_value>rye</arg_value>\n</tool_call>\n</tool_calls>"
    )
    parser = Parser(format="hermes,hy_v3", tools=[FLOUR], prefix="<think>")
    for start in range(0, len(text), size):
        parser.feed(text[start : start + size])
    parser.close()
    assert [call.name for call in parser.result.calls] == ["order_flour"]
    assert parser.result.reasoning == ""
