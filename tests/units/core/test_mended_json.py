"""Damage to the JSON of a call, in its envelope and in its arguments."""

import pytest

from tests.units.core.cuts import read
from toolgrammar import ParseResult
from toolgrammar.testing import Case, laws


def mended(format_id: str, text: str) -> ParseResult:
    """Returns what is read in every cutting, and holds the law of the edits."""
    laws.edits(Case(id=format_id, format=format_id, text=text))
    return read(format_id, text)


@pytest.mark.parametrize(
    ("format_id", "text", "code"),
    [
        pytest.param(
            "fenced_json",
            '```json\n{"name": "save", arguments: {"path": "a"}}\n```',
            "bare-key",
            id="a key of a pattern without quotes",
        ),
        pytest.param(
            "fenced_json",
            '```json\n{"name": "save",, "args": {"path": "a"}}\n```',
            "stray-comma",
            id="two commas before a key of a pattern",
        ),
        pytest.param(
            "fenced_json",
            '```json\n{"name": "save" "args": {"path": "a"}}\n```',
            "comma",
            id="no comma before a key of a pattern",
        ),
        pytest.param(
            "langchain_structured_chat",
            'Action:\n```json\n{"action": "save", "action_input" {"path": "a"}}\n```',
            "colon",
            id="no colon, which the grammar writes with its key",
        ),
        pytest.param(
            "langchain_structured_chat",
            'Action:\n```json\n{"action": "save", "action_input" => {"path": "a"}}\n```',
            "colon",
            id="another colon",
        ),
        pytest.param(
            "langchain_structured_chat",
            'Action:\n```json\n{\'action\': "save", "action_input": {"path": "a"}}\n```',
            "quote-style",
            id="other quotes round a key with its colon",
        ),
        pytest.param(
            "apertus",
            '<|tools_prefix|>[{save: {"path": "a"}}]<|tools_suffix|>',
            "bare-key",
            id="a name that is a key",
        ),
        pytest.param(
            "hermes",
            '<tool_call>\n{"name": "save", "arguments": {"path": "a"}, note: 1}\n</tool_call>',
            "bare-key",
            id="a key that is nothing of the format",
        ),
    ],
)
def test_a_damaged_key_of_the_envelope(format_id: str, text: str, code: str) -> None:
    result = mended(format_id, text)
    assert [(call.name, call.arguments, call.status) for call in result.calls] == [
        ("save", {"path": "a"}, "repaired")
    ]
    assert result.calls[0].executable
    assert [each.code for each in result.diagnostics] == [code]


def test_a_word_with_a_colon_behind_a_call_is_no_member_of_it() -> None:
    call = '{"name": "save", "arguments": {"path": "a"}'
    result = mended("smolagents_json", f"Action:\n{call}\nAction:\n{call}}}")
    assert [call.arguments for call in result.calls] == [{"path": "a"}] * 2
