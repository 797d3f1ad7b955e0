"""A message whose beginning is the prefix has the calls that it has without one.

An answer may be begun for the model, up to the midst of a call: `<tool_call>{"name": "f", `. The
calls are those of the whole text, with the values that stand in the prefix; what is told has its
place in the message.
"""

from typing import Any

import pytest

import toolgrammar
from tests.laws.damaged import damaged_cases
from tests.laws.every_case import cases, each_format, hold
from toolgrammar import Limits
from toolgrammar.core.message.source import Source
from toolgrammar.parsing.driven import DrivenReading, Options
from toolgrammar.testing import Case
from toolgrammar.testing.cases import format_of
from toolgrammar.testing.depth import at_depth
from toolgrammar.testing.readings import deed, places
from toolgrammar.tools.specs import to_specs

LONGEST = 1500
PLACES = at_depth(few=6, usual=24, every=400)
"""Characters of an example that is cut, and how many of its places are tried."""


def hidden(case: Case, prefix: str) -> bool:
    """Whether some of a prefix is not looked at."""
    options = Options(
        format_of(case), to_specs(case.tools or ()), strict=False, id_seed="", limits=Limits()
    )
    return DrivenReading(options, Source(), prefix=prefix).builder.source.visible_from > 0


def begun_for_the_model(case: Case) -> None:
    """Holds that the beginning of a text as prefix changes no call, up to the end of the last one."""
    options: dict[str, Any] = {"format": case.format, "tools": case.tools}
    whole = toolgrammar.parse(case.text, prefix=case.prefix, **options)
    wanted = [(deed(call), call.executable) for call in whole.calls]
    last = whole.calls[-1].span.end if whole.calls else len(case.text)
    for place in places(last, PLACES):
        prefix, text = case.prefix + case.text[:place], case.text[place:]
        result = toolgrammar.parse(text, prefix=prefix, **options)
        found = [(deed(call), call.executable) for call in result.calls]
        # Up to its last tag a prefix in which nothing opens is hidden: it quotes nothing.
        if not hidden(case, prefix):
            assert found == wanted, (case.id, prefix, text, found, wanted)
        assert [each for each, _ in found] == [each for each, _ in wanted], (case.id, prefix)
        assert result.source == text
        spans = [call.span for call in result.calls]
        spans += [each.span for each in result.diagnostics]
        spans += [edit.span for each in result.diagnostics for edit in each.edits]
        assert all(0 <= span.start <= span.end <= len(text) for span in spans), (case.id, spans)
        ends = [call.span.end + place for call in result.calls if call.span.end]
        known = {call.span.end for call in whole.calls}
        assert not whole.ok or known.issuperset(ends), (case.id, prefix, text, ends, known)


@each_format
def test_a_prefix_begins_the_message(format_id: str) -> None:
    short = [case for case in cases(format_id) if 1 < len(case.text) <= LONGEST]
    hold(begun_for_the_model, short)


@each_format
def test_a_prefix_begins_a_damaged_message(format_id: str) -> None:
    damaged = [case for case in damaged_cases(format_id) if 1 < len(case.text) <= LONGEST]
    hold(begun_for_the_model, damaged)


def streamed(case: Case) -> None:
    """Holds that a message behind a prefix is read alike whole and streamed."""
    for place in places(len(case.text), PLACES // 3):
        prefix, text = case.prefix + case.text[:place], case.text[place:]
        whole = toolgrammar.parse(text, case.format, tools=case.tools, prefix=prefix)
        for size in (1, 5):
            parser = toolgrammar.Parser(case.format, tools=case.tools, prefix=prefix)
            pieces = [text[start : start + size] for start in range(0, len(text), size)]
            events = [event for piece in pieces for event in parser.feed(piece)]
            events += parser.close()
            assert parser.result.to_dict() == whole.to_dict(), (case.id, prefix, text)
            ended = [event.call for event in events if isinstance(event, toolgrammar.CallEnd)]
            assert ended == list(whole.calls), (case.id, prefix, text)


@each_format
def test_a_message_behind_a_prefix_streams(format_id: str) -> None:
    hold(streamed, [case for case in cases(format_id) if 1 < len(case.text) <= LONGEST])


TOOLS = [{"name": "search", "parameters": {"properties": {"query": {"type": "string"}}}}]


@pytest.mark.parametrize(
    ("prefix", "text"),
    [
        ('Write "', '<tool>search</tool>\n<tool_input>rye</tool_input>" to search.'),
        ('Write "', '<tool>search</tool>\n<tool_input>rye</tool_input>"'),
        ("```\nnote\n<tool>sea", "rch</tool>\n<tool_input>rye</tool_input>\n```"),
    ],
)
def test_a_call_is_quoted_by_what_stands_in_a_prefix(prefix: str, text: str) -> None:
    whole = toolgrammar.parse(prefix + text, "langchain_xml", tools=TOOLS)
    found = toolgrammar.parse(text, "langchain_xml", prefix=prefix, tools=TOOLS)
    for result in (whole, found):
        assert [call.executable for call in result.calls] == [False]


def test_a_call_behind_a_damaged_one_that_a_prefix_begins_does_not_run() -> None:
    text = (
        '{"tool_calls": [{"name": "search", "para(eters": {"query": "rye"}}, '
        '{"name": "search", "parameters": {"query": "oats"}}]}'
    )
    for place in (0, 1, 20, 40, 60):
        found = toolgrammar.parse(text[place:], "openwebui_json", prefix=text[:place])
        assert [call.doubts for call in found.calls] == [("quoted-call",)]


@pytest.mark.parametrize(
    ("prefix", "runs"),
    [
        ("<think>\n", False),
        ("<|im_start|>assistant\n<think>\n", False),
        ("<think>\n\n</think>\n", True),
        ("<|im_start|>assistant\n", True),
        ("Assistant: <bot>\n", True),
        ("The manual says:\n> ", False),
        ("<think>\nThe manual says:\n> ", False),
    ],
)
def test_words_and_open_elements_of_a_prefix_quote_a_call_and_its_other_tags_do_not(
    prefix: str, *, runs: bool
) -> None:
    text = "<tool>search</tool>\n<tool_input>rye</tool_input>"
    (call,) = toolgrammar.parse(text, "langchain_xml", prefix=prefix, tools=TOOLS).calls
    assert call.executable is runs
