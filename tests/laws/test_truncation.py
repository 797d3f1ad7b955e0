"""A cut text never runs what the whole text would not."""

import toolgrammar
from tests.laws.every_case import cases, each_format, hold, page_cases
from toolgrammar.testing import Case, laws
from toolgrammar.testing.depth import at_depth
from toolgrammar.testing.readings import deed, places

LONGEST = 1500
PLACES = at_depth(few=80, usual=LONGEST, every=LONGEST)
"""Characters of an example that is cut, and how many of its places are tried."""


@each_format
def test_truncation(format_id: str) -> None:
    hold(laws.truncation, cases(format_id, malformed=False))


def cut_by_server(case: Case) -> None:
    """Holds the same of a text that the server says it cut, wherever that is, without exceptions.

    But the last call may be one that the whole text goes on with: its closer was quoted. A call
    of no tool runs nothing.
    """
    whole = toolgrammar.parse(case.text, format=case.format, tools=case.tools, prefix=case.prefix)
    runnable = {deed(call) for call in whole.calls if laws.runs_without_answer(call)}
    ends = {call.span.start: call.span.end for call in whole.calls}
    for end in places(len(case.text), PLACES):
        text = case.text[:end]
        result = toolgrammar.parse(
            text,
            format=case.format,
            tools=case.tools,
            prefix=case.prefix,
            finish_reason="length",
        )
        for call in result.calls:
            if case.tools and call.name not in {tool.name for tool in case.tools}:
                continue
            quoted = ends.get(call.span.start, 0) > call.span.end
            assert not call.executable or quoted or deed(call) in runnable, (case.id, text, call)


@each_format
def test_what_the_server_cut_runs_nothing_else(format_id: str) -> None:
    sound = [case for case in page_cases(format_id) if case.tier != "malformed"]
    hold(cut_by_server, [case for case in sound if len(case.text) <= LONGEST])
