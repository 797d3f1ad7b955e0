"""Strict reading, and what happens past a limit."""

import copy
import json
import pickle

import pytest

import toolgrammar
from toolgrammar import CallEnd, CallStart, Event, Limits, Parser, ParseResult, Problem
from toolgrammar.values.limits import DEEPEST

CALL = '<tool_call>\n{"name": "tide", "arguments": {"port": "Emden"}}\n</tool_call>'


def read(
    text: str, *, size: int, strict: bool = False, limits: Limits | None = None
) -> ParseResult:
    parser = Parser("hermes", strict=strict, limits=limits or Limits())
    for start in range(0, len(text), size):
        parser.feed(text[start : start + size])
    parser.close()
    return parser.result


@pytest.mark.parametrize("size", [1, 7, 1000])
def test_strict_keeps_a_sound_call(size: int) -> None:
    result = read(CALL, size=size, strict=True)
    assert [call.name for call in result.calls] == ["tide"]
    assert result.ok


@pytest.mark.parametrize("size", [1, 7, 1000])
@pytest.mark.parametrize(
    "text",
    [CALL.removesuffix("</tool_call>"), CALL.replace("Emden", "Em\nden"), CALL[:60]],
    ids=["no-closer", "raw-line-end", "cut"],
)
def test_strict_gives_a_mended_or_cut_call_back_as_text(text: str, size: int) -> None:
    result = read(text, size=size, strict=True)
    assert result.calls == ()
    assert result.text == text.strip()
    assert not result.ok


@pytest.mark.parametrize("size", [1, 7, 1000])
def test_past_the_limit_on_calls_the_rest_is_text(size: int) -> None:
    result = read(f"{CALL}\n{CALL}", size=size, limits=Limits(max_calls=1))
    assert len(result.calls) == 1
    assert result.text == CALL
    assert [problem.code for problem in result.diagnostics] == ["limit-calls"]


@pytest.mark.parametrize("size", [1, 7, 1000])
@pytest.mark.parametrize(
    ("format", "call"),
    [
        ("hermes", CALL),
        ("pythonic", "[tide(port='Emden')]"),
        ("qwen3_coder", "<function=tide>\n<parameter=port>\nEmden\n</parameter>\n</function>"),
    ],
)
def test_past_the_limit_on_calls_a_stream_begins_none(format: str, call: str, size: int) -> None:
    text = f"{call}\n{call}"
    tools = [{"name": "tide", "parameters": {"type": "object", "properties": {"port": {}}}}]
    parser = Parser(format, tools=tools, limits=Limits(max_calls=1))
    events: list[Event] = []
    for start in range(0, len(text), size):
        events += parser.feed(text[start : start + size])
    events += parser.close()
    assert sum(isinstance(event, CallStart) for event in events) == 1
    assert sum(isinstance(event, CallEnd) for event in events) == 1


@pytest.mark.parametrize("size", [1, 7, 1000])
def test_past_the_limit_on_characters_the_rest_is_text(size: int) -> None:
    limit = len(CALL) + 3
    result = read(f"{CALL}\nmore {CALL}", size=size, limits=Limits(max_chars=limit))
    assert len(result.calls) == 1
    assert result.text == f"more {CALL}"
    assert [problem.code for problem in result.diagnostics] == ["limit-chars"]


COMMAND = "<command>\nls\n</command>"


@pytest.mark.parametrize("size", [1, 7, 1000])
@pytest.mark.parametrize("reason", [None, "stop", "length"])
def test_a_call_that_may_go_on_past_the_limit_on_characters_is_cut(
    reason: str | None, size: int
) -> None:
    text, limits = f"{COMMAND}\n{COMMAND}", Limits(max_chars=len(COMMAND) + 4)
    parser = Parser("swe_agent_xml", limits=limits)
    for start in range(0, len(text), size):
        parser.feed(text[start : start + size])
    parser.close(reason)
    [call] = parser.result.calls
    assert (call.input, call.status, call.executable) == ("ls", "truncated", False)
    whole = toolgrammar.parse(text, "swe_agent_xml", limits=limits, finish_reason=reason)
    assert repr(whole) == repr(parser.result)


@pytest.mark.parametrize("size", [1, 7, 1000])
def test_past_the_limit_on_depth_the_arguments_end(size: int) -> None:
    text = CALL.replace('"Emden"', "[[[1]]]")
    result = read(text, size=size, limits=Limits(max_depth=3))
    assert "limit-depth" in [problem.code for problem in result.diagnostics]
    assert not result.calls[0].executable


def test_no_limit() -> None:
    limits = Limits(max_chars=None, max_depth=None, max_calls=None)
    assert toolgrammar.parse(CALL, format="hermes", limits=limits).ok


def _nested(levels: int) -> str:
    payload = '{"a":' * levels + "1" + "}" * levels
    return f'<tool_call>\n{{"name": "x", "arguments": {payload}}}\n</tool_call>'


@pytest.mark.parametrize("size", [1, 1000, 100_000])
@pytest.mark.parametrize("limit", [DEEPEST, 5000, None])
def test_no_limit_on_depth_is_the_deepest_that_can_be_kept(size: int, limit: int | None) -> None:
    limits = Limits(max_depth=limit)
    kept = read(_nested(DEEPEST), size=size, limits=limits)
    assert kept == toolgrammar.parse(_nested(DEEPEST), format="hermes", limits=limits)
    assert [call.executable for call in kept.calls] == [True]
    assert ParseResult.from_dict(json.loads(json.dumps(kept.to_dict()))) == kept
    assert pickle.loads(pickle.dumps(kept)) == kept
    assert copy.deepcopy(kept) == kept
    for levels in (DEEPEST + 1, 5000):
        result = read(_nested(levels), size=size, limits=limits)
        assert [call.executable for call in result.calls] == [False]
        assert "limit-depth" in [problem.code for problem in result.diagnostics]
        assert result.to_dict()


@pytest.mark.parametrize("size", [1, 1000])
@pytest.mark.parametrize(("levels", "limit", "runs"), [(1, 0, False), (1, 1, True), (2, 1, False)])
def test_a_small_limit_on_depth_is_kept(size: int, levels: int, limit: int, *, runs: bool) -> None:
    result = read(_nested(levels), size=size, limits=Limits(max_depth=limit))
    assert [call.executable for call in result.calls] == [runs]
    assert result.ok is runs


def test_the_limit_on_depth_has_one_name_in_every_payload() -> None:
    text = "[x(a=[[[1]]])]"
    result = toolgrammar.parse(text, format="pythonic", limits=Limits(max_depth=3))
    assert "limit-depth" in [problem.code for problem in result.diagnostics]


@pytest.mark.parametrize("size", [1, 7, 1000])
@pytest.mark.parametrize(
    "text",
    [
        CALL.replace('{"port": "Emden"}', '"{\\"port\\": \\"Emden\\"}"'),
        CALL.replace("Emden", "Em\nden"),
        CALL.replace('"arguments"', "arguments"),
        CALL[:60],
    ],
)
def test_strict_mends_nothing_and_says_so(text: str, size: int) -> None:
    parser = Parser("hermes", strict=True)
    events = [
        event for at in range(0, len(text), size) for event in parser.feed(text[at : at + size])
    ]
    events += parser.close()
    result = parser.result
    assert result == toolgrammar.parse(text, format="hermes", strict=True)
    assert result.calls == ()
    assert [each.diagnostic for each in events if isinstance(each, Problem)] == [
        *result.diagnostics
    ]
    assert {each.severity for each in result.diagnostics} == {"error"}
    assert not any(each.edits for each in result.diagnostics)
    assert not any("decoded" in each.message for each in result.diagnostics)
