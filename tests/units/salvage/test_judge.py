"""The work of a judge grows with the text, not with its square."""

import sys
from types import FrameType
from typing import Any

import toolgrammar
from toolgrammar import SalvagePolicy

CALL = '<tool_call>\n{"name": "search", "arguments": {"q": "fjords"}}\n</tool_call>'


def lines_run(count: int) -> int:
    """Returns how many lines of the package run to judge so many calls, on one line of text."""
    result = toolgrammar.parse(" `x` ".join([CALL] * count), "hermes")
    assert len(result.calls) == count
    ran = 0

    def trace(frame: FrameType, event: str, _: Any) -> Any:
        nonlocal ran
        if "salvage" not in frame.f_code.co_filename:
            return None
        ran += event == "line"
        return trace

    before = sys.gettrace()
    sys.settrace(trace)
    try:
        SalvagePolicy(echoes=True).judge(result, tools=["search"])
    finally:
        sys.settrace(before)
    return ran


def test_the_lines_that_run_grow_with_the_calls() -> None:
    once, often = lines_run(20), lines_run(320)
    assert often < 17 * once


def test_a_judge_keeps_nothing_of_what_was_judged() -> None:
    """A piece with one more call drops the text of those before it."""
    result = toolgrammar.parse("\n".join([CALL] * 50), "hermes")
    judge = SalvagePolicy().judge_stream(tools=["search"])
    fed, longest = 0, 0
    for call in result.calls:
        judge.feed(result.source[fed : call.span.end])
        fed = call.span.end
        assert judge.judge(call) is None
        longest = max(longest, len(judge._text))
    assert judge.fed == fed
    assert longest < 3 * len(CALL)
