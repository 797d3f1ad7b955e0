"""`parsing/streams.py`: why the server stopped, and the message behind the events."""

from __future__ import annotations

import asyncio
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any, cast

import pytest

from toolgrammar import CallEnd, astream, parse, stream

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Callable, Iterable

    from toolgrammar import ParseResult

TEXT = "Action: rm\nAction Input: /home/ada/tm"
WHOLE = "complete"
CUT = "truncated"


def of_sync(chunks: Iterable[Any], **options: Any) -> ParseResult:
    events = stream(chunks, "react", **options)
    ended = [event.call for event in events if isinstance(event, CallEnd)]
    assert tuple(ended) == events.result.calls
    return events.result


def of_async(chunks: Iterable[Any], **options: Any) -> ParseResult:
    async def coming() -> AsyncIterator[Any]:
        for chunk in chunks:
            yield chunk

    async def read() -> ParseResult:
        events = astream(coming(), "react", **options)
        ended = [event.call async for event in events if isinstance(event, CallEnd)]
        assert tuple(ended) == events.result.calls
        return events.result

    return asyncio.run(read())


def asked(times: list[str], reason: str | None) -> Callable[[], str | None]:
    def ask() -> str | None:
        times.append("asked")
        return reason

    return ask


@pytest.mark.parametrize("read", [of_sync, of_async])
@pytest.mark.parametrize(
    ("end", "reason", "status"),
    [
        ([], None, WHOLE),
        ([], "stop", WHOLE),
        ([], "length", CUT),
        ([], "max_tokens", CUT),
        ([], "max_output_tokens", CUT),
        ([], lambda: "length", CUT),
        ([], lambda: None, WHOLE),
        ([{"finish_reason": "length"}], None, CUT),
        ([{"finish_reason": None}], "length", CUT),
        ([{"finish_reason": "stop"}], "length", WHOLE),
        ([SimpleNamespace(finish_reason="length", delta=None)], None, CUT),
        ([None, SimpleNamespace(finish_reason="length"), None], None, CUT),
    ],
)
def test_finish_reason(
    read: Callable[..., ParseResult], end: list[Any], reason: Any, status: str
) -> None:
    for chunks in ([TEXT], TEXT):
        result = read([*chunks, *end], finish_reason=reason)
        assert [call.status for call in result.calls] == [status]
        assert result.ok is (status == WHOLE)
        assert result.source == TEXT


def test_a_callable_is_asked_once_when_the_chunks_are_over() -> None:
    times: list[str] = []
    events = stream([*TEXT, {"finish_reason": None}], "react", finish_reason=asked(times, "length"))
    for event in events:
        assert times == (["asked"] if isinstance(event, CallEnd) else times)
    assert times == ["asked"]
    assert events.result == parse(TEXT, "react", finish_reason="length")
    of_sync([TEXT, {"finish_reason": "stop"}], finish_reason=asked(times, "length"))
    assert times == ["asked"]


def test_it_may_be_told_while_the_chunks_come() -> None:
    events = stream(list(TEXT), "react")
    next(events)
    events.finish_reason = "length"
    assert [event.call.status for event in events if isinstance(event, CallEnd)] == [CUT]


def test_no_result_before_the_end() -> None:
    events = stream([TEXT, "\n"], "react")
    next(events)
    with pytest.raises(RuntimeError, match="no result yet: take all of the stream first"):
        events.result  # noqa: B018
    events.close()
    assert list(events) == []
    # What was given up has none, and `close` is not the way to one.
    with pytest.raises(RuntimeError, match="no result yet: take all of the stream first"):
        events.result  # noqa: B018


@pytest.mark.parametrize("wrong", [3, b"length", ["length"]])
def test_caller_s_mistakes_are_told_at_the_call(wrong: Any) -> None:
    with pytest.raises(TypeError, match="finish_reason must be a str, None or a callable"):
        stream([TEXT], "react", finish_reason=wrong)
    with pytest.raises(TypeError, match="finish_reason must be a str or None, got int"):
        list(stream([TEXT, {"finish_reason": 3}], "react"))
    with pytest.raises(TypeError, match="takes a str"):
        list(stream([{"delta": TEXT}], "react"))
    with pytest.raises(TypeError, match="chunks must be an iterable of strings, got int"):
        stream(cast("Any", 5), "react")


# ------------------------------------------------------------------- calls that looked whole


@pytest.mark.parametrize(
    ("form", "text"),
    [
        ("reploid0", "TOOL: rm\npath:"),
        ("reploid0", "TOOL: rm\npat"),
        ("reploid0", "TOOL: rm\n\n"),
        ("reploid0", "TOOL: write\npath: /b.txt\nconte"),
        ("langchain_xml", "<tool>rm</tool><tool_input>/home/ada/tm"),
        ("simple_agent", "🛠️ rm /home/ada/tm"),
        ("harmony", "<|channel|>commentary to=functions.rm<|message|>"),
        ("openhands_fn", "<function=rm>"),
        ("swe_agent", "First this:\n```\nrm old\n```\nThen th"),
        ("swe_agent_xml", "First this:\n<command>\nrm old\n</command>\nThen th"),
    ],
)
def test_call_that_the_server_cut_is_not_executable(form: str, text: str) -> None:
    for result in (
        parse(text, form, finish_reason="length"),
        of_form(form, [text]),
        of_form(form, text),
    ):
        assert not any(call.executable for call in result.calls)
        assert not result.ok


def of_form(form: str, chunks: Iterable[str]) -> ParseResult:
    events = stream(chunks, form, finish_reason="length")
    list(events)
    return events.result
