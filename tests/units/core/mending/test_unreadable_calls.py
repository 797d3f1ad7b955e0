"""Text in place of the arguments of a call is skipped, with work that is linear in it."""

from typing import Any

import pytest

from toolgrammar import Parser, parse
from toolgrammar.core.mending import unreadable_calls


@pytest.mark.interpreted
def test_a_stream_searches_for_the_end_of_no_arguments_a_few_times(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Each search goes through all that has come: one a character would be quadratic work."""
    searches = []
    search = unreadable_calls._end_of_arguments

    def counted(*given: Any, **options: Any) -> int | None:
        searches.append(given)
        return search(*given, **options)

    monkeypatch.setattr(unreadable_calls, "_end_of_arguments", counted)
    parser = Parser("deepseek_v3_1")
    begun = "<\uff5ctool\u2581calls\u2581begin\uff5c><\uff5ctool\u2581call\u2581begin\uff5c>save<\uff5ctool\u2581"
    for character in begun + " " * 1000:
        parser.feed(character)
    parser.close()
    assert 1 < len(searches) < 16


@pytest.mark.parametrize("size", [1, 2, 3, 5, 20, 50, 1000])
def test_the_format_of_unreadable_arguments_does_not_depend_on_the_cuts(size: int) -> None:
    text = (
        "Action: search\nAction Input: beechAction: search\nAction Input: beech forest\n"
        "Action: sensors\nAction Input: {}Both."
    )
    parser = Parser(format="react_llamaindex,react")
    for start in range(0, len(text), size):
        parser.feed(text[start : start + size])
    parser.close()
    assert parser.result == parse(text, "react_llamaindex,react")
