"""A closer behind a call is told with what it may mean: a value that ended early, or a lost opener."""

import pytest

from toolgrammar import parse

EARLY = "a value may have ended too early"
LOST = "its opener may be missing"


@pytest.mark.parametrize(
    ("format_id", "text", "severity", "hint"),
    [
        (
            "qwen3_xml",
            "<function=f>\n<parameter=a>\nx\n</parameter>\n</function>\n</parameter>",
            *("error", EARLY),
        ),
        (
            "hermes",
            '<tool_call>\n{"name": "f", "arguments": {}}\n</tool_call>\n</tool_call>',
            *("warning", LOST),
        ),
    ],
)
def test_the_hint_says_what_it_may_mean(
    format_id: str, text: str, severity: str, hint: str
) -> None:
    (told,) = parse(text, format_id).diagnostics
    assert (told.code, told.severity, told.hint) == ("stray-close-tag", severity, hint)
