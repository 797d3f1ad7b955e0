"""`core/trust/missing_errors.py`: a call that is not executable has an error that says why."""

import json

import pytest

from tests.units.core.cuts import read

BOOK = json.loads(
    '{"name": "book_room", "parameters": {"type": "object", "required": ["guest"],'
    ' "properties": {"guest": {"type": "string"}, "nights": {"type": "integer"}}}}'
)


@pytest.mark.parametrize(
    ("grammar", "text", "status", "doubts", "errors"),
    [
        (
            "hermes",
            '<tool_call>\n{"name": "rm", "arguments": "x"}\n</tool_call>',
            "unreadable",
            (),
            ["malformed-arguments"],
        ),
        (
            "hermes",
            '<tool_call>\n{"name": "rm", "arguments": [1]}\n</tool_call>',
            "unreadable",
            (),
            ["malformed-arguments"],
        ),
        (
            "hermes",
            '<tool_call>\n{"name": "note", "foo": {"body": "hi"}}\n</tool_call>',
            "complete",
            ("skipped-markup",),
            ["skipped-markup"],
        ),
        (
            "apriel",
            '<tool_calls>[{"name": "note", "argnts": {"bouments": {"body": "end\\n"}}]</tool_calls>',
            "truncated",
            ("misspelt",),
            ["misspelt", "truncated"],
        ),
        (
            "jamba",
            '<tool_calls>[{"name": "book_room" "arguments" "5", "nights": 70}}]s>',
            "unreadable",
            ("skipped-markup",),
            ["skipped-markup", "skipped-markup", "malformed-arguments"],
        ),
    ],
)
def test_each_reason_not_to_run_a_call_is_an_error(
    grammar: str, text: str, status: str, doubts: tuple[str, ...], errors: list[str]
) -> None:
    result = read(grammar, text, [BOOK])
    [call] = result.calls
    assert (call.status, call.doubts) == (status, doubts)
    assert [each.code for each in result.diagnostics if each.severity == "error"] == errors
    assert not result.ok


def test_what_was_said_is_not_said_again() -> None:
    result = read("hermes", '<tool_call>\n{"name": "rm", "arguments": {"path": "/tmp/x')
    assert [each.code for each in result.diagnostics] == ["truncated"]
