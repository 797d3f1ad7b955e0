"""A cut text never runs what the whole text would not."""

import toolgrammar
from tests.laws.every_case import cases, each_format, hold, page_cases
from toolgrammar.testing import Case, laws
from toolgrammar.testing.depth import at_depth
from toolgrammar.testing.readings import deed, places

LONGEST = 1500
PLACES = at_depth(few=80, usual=LONGEST, every=LONGEST)
"""Characters of an example that is cut, and how many of its places are tried."""
STREAMED = at_depth(few=4, usual=24, every=400)
"""How many are tried in a stream."""


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


LAST = 4
"""Characters at the end of a cut text that come one by one."""


def cut_in_a_stream(case: Case) -> None:
    """Holds that a text that the server cut is read alike whole and streamed, wherever that is.

    A line end behind the last closer, too: what stands behind a call may tell whether it is whole.
    """
    ends = [*places(len(case.text), STREAMED), len(case.text)]
    for text in (*(case.text[:end] for end in ends), f"{case.text}\n", f"{case.text}\n\n"):
        whole = toolgrammar.parse(
            text, case.format, tools=case.tools, prefix=case.prefix, finish_reason="length"
        )
        parser = toolgrammar.Parser(case.format, tools=case.tools, prefix=case.prefix)
        for chunk in (text[:-LAST], *text[-LAST:]):
            parser.feed(chunk)
        parser.close("length")
        assert repr(parser.result) == repr(whole), (case.id, text)


@each_format
def test_what_the_server_cut_is_read_alike_in_a_stream(format_id: str) -> None:
    hold(cut_in_a_stream, [case for case in page_cases(format_id) if case.text])


@each_format
def test_what_the_server_cut_runs_nothing_else(format_id: str) -> None:
    sound = [case for case in page_cases(format_id) if case.tier != "malformed"]
    hold(cut_by_server, [case for case in sound if len(case.text) <= LONGEST])
