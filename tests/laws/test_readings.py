"""The examples of all pages are read as they were, to the last span, message, edit and event."""

from tests.laws.every_case import each_format
from tests.laws.readings import RECORD


@each_format
def test_examples_are_read_as_recorded(format_id: str) -> None:
    RECORD.hold(format_id)


def test_the_record_knows_most_examples() -> None:
    assert RECORD.is_of_most()
