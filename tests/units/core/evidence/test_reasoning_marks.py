"""The marks of reasoning that count in any format are those that the shipped grammars declare."""

from toolgrammar import formats
from toolgrammar.core.evidence.reasoning_marks import REASONING_CLOSERS

_OF_ANY_CHANNEL = {"<channel|>"}


def test_the_marks_of_each_shipped_format_are_known() -> None:
    declared = {
        closer: opener
        for format_id in formats
        for closer, opener in formats[format_id].tables.reasoning_tags.items()
        if closer not in _OF_ANY_CHANNEL
    }
    assert declared
    assert declared.items() <= REASONING_CLOSERS.items()
