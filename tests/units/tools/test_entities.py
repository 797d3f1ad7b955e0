"""Entities of HTML, however many digits they have."""

import html

import pytest

from toolgrammar.tools.entities import without_entities


@pytest.mark.parametrize(
    "text",
    [
        "",
        "a & b",
        "&lt;b&gt; &#60;&#x3C;&#0060",
        "&#1114111;&#1114112;",
        "&#9999999;",
        "&#;",
        "&#x;",
    ],
)
def test_entities_are_read_as_html_reads_them(text: str) -> None:
    assert without_entities(text) == html.unescape(text)


@pytest.mark.parametrize("count", [1, 8, 4300, 5000])
def test_a_number_of_no_character_is_one_replacement(count: int) -> None:
    digits = "9" * (7 + count)
    assert without_entities(f"a&#{digits};b&#{digits}c") == "a\ufffdb\ufffdc"


def test_any_number_of_zeros_changes_nothing() -> None:
    assert without_entities(f"&#{'0' * 5000}60;&#{'0' * 5000};") == "<\ufffd"
