"""The examples of all pages are read as they were, to the last span, message, edit and event."""

from tests.laws.every_case import each_format, page_cases
from tests.laws.readings import described, digest, recorded


@each_format
def test_examples_are_read_as_recorded(format_id: str) -> None:
    assert format_id in recorded(), "a new format: `python -m tests.laws.readings` records it"
    known = recorded()[format_id]
    for case in page_cases(format_id):
        name = case.id.rpartition("::")[2]
        if name not in known:  # a new example: its page says what is expected
            continue
        assert digest(case) == known[name], (
            f"{name} of {format_id} is read otherwise than recorded. Compare with what the last "
            "commit reads; where the change is meant, `python -m tests.laws.readings` writes the "
            f"record anew and names what changed. Now:\n{described(case)[:4000]}"
        )


def test_the_record_knows_most_examples() -> None:
    found = [len(each) for each in recorded().values()]
    assert min(found) > 0
    assert sum(found) > 1900
