"""What is written of the examples of all pages is what it was, in their format and for other APIs."""

from tests.laws.every_case import each_format
from tests.laws.written import RECORD


@each_format
def test_examples_are_written_as_recorded(format_id: str) -> None:
    RECORD.hold(format_id)


def test_the_record_knows_most_examples() -> None:
    assert RECORD.is_of_most()
