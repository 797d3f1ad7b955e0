"""A page gives its title, its tools and its examples, or says where it is wrong."""

import pytest

from toolgrammar.catalogue.page import Page, PageError, read_page_text

EXAMPLE = '### One call\n~~~text example\n<f>\n~~~\n~~~json\n{"calls": []}\n~~~\n'


def check(text: str) -> Page:
    return read_page_text(text, "my.md")


def test_the_parts_of_a_page() -> None:
    page = check(f"# Mine\nprose\n```json tools\n[]\n```\n{EXAMPLE}")
    assert (page.title, page.tools, page.name) == ("Mine", [], "my.md")
    (example,) = page.examples
    assert (example.name, example.slug, example.text) == ("One call", "one-call", "<f>")
    assert (example.expected, example.line, example.golden) == ({"calls": []}, 7, (10, 12))


def test_prose_may_stand_between_the_fences_and_other_fences_before() -> None:
    text = "### A\n```python\n# no heading\n```\n~~~text example\na\n~~~\nso:\n~~~json\n{}\n~~~"
    assert [example.text for example in check(text).examples] == ["a"]


@pytest.mark.parametrize(
    ("fence", "text"),
    [
        ("~~~text example\na\n\n~~~", "a\n"),
        ("~~~text example\n~~~", ""),
        ("~~~~text example\n~~~\n~~~~~", "~~~"),
        ("````text example\n```\n````", "```"),
        ("~~~text example\n```\n~~~", "```"),
        ("~~~text example\na\u2028b\n~~~", "a\u2028b"),
        ("~~~text example\na\\nb\n~~~", "a\\nb"),
        ("~~~text example escapes\n\\n\\r\\t\\\\\\u00e9\\U0001F6E0\n~~~", "\n\r\t\\é🛠"),
        ("~~~text example escapes\n\\ud800\n~~~", "\ud800"),
    ],
)
def test_the_text_of_an_example(fence: str, text: str) -> None:
    (example,) = check(f"### A\n{fence}\n~~~json\n{{}}\n~~~").examples
    assert example.text == text


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("### A\n~~~text example\na\n~~~\n## Traps", "my.md:2: this example has no expectation"),
        (
            "### A\n~~~text example\na\n~~~\n~~~text\n~~~",
            "my.md:2: this example has no expectation",
        ),
        ("~~~text example\na\n~~~", "my.md:1: this example has no name"),
        ("## A\n~~~text example\na\n~~~", "my.md:2: this example has no name"),
        ("### A\n~~~text example", "my.md:2: this fence is never closed"),
        ("### A\n~~~text example wide\n~~~", "my.md:2: unknown words after `text example`: 'wide'"),
        ("### A\n~~~text example\n~~~\n~~~json\n[1,\n}\n~~~", "my.md:6: this is not JSON"),
        ("### A\n~~~text example\n~~~\n~~~json\n[]\n~~~", "my.md:4: an expectation is an object"),
        ('### A\n~~~text example\n~~~\n~~~json\n{"call": 1}\n~~~', "did you mean 'calls'"),
        ('### A\n~~~text example\n~~~\n~~~json\n{"zzz": 1}\n~~~', "unknown key 'zzz'"),
        (
            '### A\n~~~text example\n~~~\n~~~json\n{"content": ["Hi."]}\n~~~',
            "`content` in an expectation is a string or null",
        ),
        (
            '### A\n~~~text example\n~~~\n~~~json\n{"calls": "search"}\n~~~',
            '`calls` in an expectation is a list of objects, got "search"',
        ),
        (
            '### A\n~~~text example\n~~~\n~~~json\n{"codes": "truncated"}\n~~~',
            "`codes` in an expectation is a list of strings",
        ),
        (
            '### A\n~~~text example\n~~~\n~~~json\n{"tier": "malformd"}\n~~~',
            "`tier` in an expectation is `well_formed`",
        ),
        (EXAMPLE + EXAMPLE, "my.md:9: the name 'one-call' is taken by the example on line 2"),
        ("~~~json tools\n{}\n~~~", "my.md:1: `json tools` holds a list"),
        ("~~~json tools\n[]\n~~~\n~~~json tools\n[]\n~~~", "my.md:4: a second fence"),
        (
            "### A\n~~~text example escapes\na\n\\q\n~~~\n~~~json\n{}\n~~~",
            "my.md:4: unknown escape",
        ),
        ("### A\n~~~text example escapes\n\\UFFFFFFFF\n~~~\n~~~json\n{}\n~~~", "unknown escape"),
    ],
)
def test_what_is_wrong_with_a_page(text: str, message: str) -> None:
    with pytest.raises(PageError) as caught:
        check(text)
    assert message in str(caught.value)
