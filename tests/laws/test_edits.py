"""A text with all edits of its diagnostics made is strict, and says the same."""

from tests.laws.damaged import damaged_cases
from tests.laws.every_case import cases, each_format, hold
from toolgrammar.testing import Case, laws


@each_format
def test_edits(format_id: str) -> None:
    hold(laws.edits, cases(format_id))


@each_format
def test_edits_of_damaged_texts(format_id: str) -> None:
    hold(laws.edits, damaged_cases(format_id))


def test_edits_of_more_than_is_listed() -> None:
    items = ",, ".join(map(str, range(300)))
    text = f'<tool_call>\n{{"name": "f", "arguments": {{"a": [{items}]}}}}\n</tool_call>'
    hold(laws.edits, [Case("many commas", "hermes", text)])
