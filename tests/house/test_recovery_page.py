"""docs/recovery.md has every code with a real example, and says what is so."""

import pytest

from tests.house.recovery_page import NO_EXAMPLE, PAGE, Example, examples, page
from toolgrammar.grammar.files import read_text
from toolgrammar.values.codes import CODES


def test_every_code_has_one_example_in_the_order_of_the_table() -> None:
    assert [example.code for example in examples()] == list(CODES), NO_EXAMPLE


@pytest.mark.parametrize("example", examples(), ids=lambda example: example.code)
def test_an_example_gives_its_code(example: Example) -> None:
    assert example.given, [str(found) for found in example.result().diagnostics]
    entry = CODES[example.code]
    calls = example.result().calls
    if entry.doubt:
        assert any(example.code in call.doubts and not call.executable for call in calls)


def test_the_page_is_current() -> None:
    assert read_text(PAGE) == page(), "run `make docs`"
