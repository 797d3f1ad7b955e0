"""A terminal that stands for the one known tool is looked for only where one tool is known."""

import pytest

from toolgrammar import Parser, TextDelta, ToolSpec

BEGUN = "See:\n```j"


@pytest.mark.parametrize(("tools", "given"), [("", BEGUN), ("f", "See:\n"), ("fg", BEGUN)])
def test_its_beginning_waits_only_where_one_tool_is_known(tools: str, given: str) -> None:
    parser = Parser("instructor_md_json", tools=[ToolSpec(name) for name in tools])
    assert parser.feed(BEGUN) == [TextDelta(given)]
