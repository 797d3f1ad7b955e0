"""A damaged quote in a string is found wherever the string is cut."""

import pytest

from toolgrammar.core.payloads.literals.bare_values import DamagedQuotes

QUOTE = '<|"|>'


def found(*pieces: str) -> str:
    """Returns the window with the damaged quote in a string that comes in pieces."""
    quotes = DamagedQuotes(QUOTE)
    for piece in pieces:
        quotes.look(piece)
    return quotes.end()


@pytest.mark.parametrize(
    ("text", "window"),
    [
        ('Oslo<|"|,days:3', '<|"|,d'),
        ("Oslo<", "<"),
        ('a < b, then <"|> and <|"|', '<|"|'),
        ("if a < b: <p>x</p>", ""),
        ("Oslo", ""),
    ],
)
def test_it_is_the_same_window_for_every_cutting(text: str, window: str) -> None:
    assert found(text) == window
    assert found(*text) == window
    for at in range(len(text)):
        assert found(text[:at], text[at:]) == window


def test_only_what_may_go_on_waits() -> None:
    quotes = DamagedQuotes(QUOTE)
    quotes.look("a <")
    assert quotes.waits
    quotes.look(" b and then")
    assert not quotes.waits
