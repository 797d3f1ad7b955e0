"""A format whose calls carry one text is told from those with named arguments."""

import toolgrammar

FREE_TEXT = {
    "aider_whole",
    "apply_patch",
    "bash_fence",
    "codeact",
    "langchain_xml",
    "open_interpreter",
    "simple_agent",
    "simple_agent_bracket",
    "smolagents_code",
    "swe_agent",
    "swe_agent_xml",
}


def test_which_formats_carry_one_text() -> None:
    formats = toolgrammar.formats
    assert {each for each in formats if formats[each].tables.free_text} == FREE_TEXT
