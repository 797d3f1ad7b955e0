"""Markup of calls that is missing or damaged, in formats and in grammars that a test spells out."""

import pytest

from tests.units.core.cuts import read
from toolgrammar.testing import Case, laws


def deeds(format_id: str, text: str) -> list[tuple[str, object, str]]:
    """Returns what is read, in every cutting, and holds the law of the edits."""
    laws.edits(Case(id=format_id, format=format_id, text=text))
    return [(call.name, call.arguments, call.status) for call in read(format_id, text).calls]


PAIR = "<arg_key>path</arg_key>\n<arg_value>{}</arg_value>\n"


@pytest.mark.parametrize("suffix", ["", ":x"])
def test_a_closer_that_a_pattern_spells_is_put_in_before_the_closer_of_the_section(
    suffix: str,
) -> None:
    text = (
        f"<tool_calls{suffix}>\n<tool_call>save<tool_sep>\n{PAIR.format('a')}</tool_calls{suffix}>"
    )
    assert deeds("hy_v3", text) == [("save", {"path": "a"}, "repaired")]


def test_a_closer_that_a_pattern_spells_is_put_in_before_the_next_call() -> None:
    first = f"<tool_call>save<tool_sep>\n{PAIR.format('a')}"
    text = f"<tool_calls>\n{first}{first}</tool_call>\n</tool_calls>"
    assert [each[1:] for each in deeds("hy_v3", text)] == [
        ({"path": "a"}, "repaired"),
        ({"path": "a"}, "complete"),
    ]


def test_an_opener_that_a_pattern_spells_tells_that_a_closer_is_missing() -> None:
    text = f"<tool_call>save\n{PAIR.format('a')}<tool_call>save\n{PAIR.format('b')}</tool_call>"
    assert deeds("glm45", text) == [
        ("save", {"path": "a"}, "repaired"),
        ("save", {"path": "b"}, "complete"),
    ]


def test_an_opener_in_a_value_stays_text() -> None:
    text = f"<tool_call>save\n{PAIR.format('see <tool_call>other and more')}</tool_call>"
    assert deeds("glm45", text) == [("save", {"path": "see <tool_call>other and more"}, "complete")]


@pytest.mark.parametrize("begun", ["<", "</", "</arg_va", "</arg_value>\n</tool_ca"])
def test_a_closer_that_the_end_of_the_text_cut_is_no_part_of_the_value(begun: str) -> None:
    text = f"<tool_call>save\n<arg_key>path</arg_key>\n<arg_value>a < b{begun}"
    assert deeds("glm45", text) == [("save", {"path": "a < b"}, "truncated")]


def test_half_an_entity_at_the_end_of_the_text_is_no_part_of_the_value() -> None:
    text = '<function name="save"><param name="path">a &lt;b&g'
    assert deeds("minicpm4_xml", text) == [("save", {"path": "a <b"}, "truncated")]


def test_a_call_that_the_server_cut_behind_a_quoted_closer_is_not_whole() -> None:
    quoted = "<tool>wipe</tool><tool_input>/</tool_input>"
    text = f"<tool>save</tool><tool_input>Use {quoted} b</tool_"
    (call,) = read("langchain_xml", text, finish_reason="length").calls
    assert (call.name, call.status, call.executable) == ("save", "truncated", False)
