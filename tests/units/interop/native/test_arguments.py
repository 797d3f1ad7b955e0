"""Mended arguments of a native call have the doubts that those of a call in a text have."""

from typing import Any

import pytest

from toolgrammar import parse
from toolgrammar.interop import openai

TOOLS: list[dict[str, Any]] = [
    {
        "name": "save",
        "parameters": {
            "type": "object",
            "properties": {
                "path": {"type": "string"},
                "tags": {"type": "array", "items": {"type": "string"}},
            },
            "required": ["path"],
        },
    }
]


def _calls(arguments: str, tools: list[dict[str, Any]] | None = TOOLS) -> Any:
    function = {"name": "save", "arguments": arguments}
    message = {"role": "assistant", "tool_calls": [{"id": "c", "function": function}]}
    whole = openai.repair_message(message, tools=tools).result
    pieces = [{"index": 0, "id": "c", "function": {"name": "save", "arguments": ""}}]
    pieces += [{"index": 0, "function": {"arguments": each}} for each in arguments]
    chunks = [{"choices": [{"index": 0, "delta": {"tool_calls": [each]}}]} for each in pieces]
    end = {"choices": [{"index": 0, "delta": {}, "finish_reason": "tool_calls"}]}
    stream = openai.repair_stream([*chunks, end], tools=tools)
    list(stream)
    assert stream.result.calls == whole.calls
    return whole.calls


@pytest.mark.parametrize(
    ("arguments", "doubt"),
    [
        ('"{path": "a", "tags": []}', "schema-mismatch"),
        (' "tags": ["a"]}', "schema-mismatch"),
        ('{"path": "a," "tags": []}', "slipped-quote"),
        ('{"path" 3}', "schema-mismatch"),
        ('{"path": "say \\"hi\\".\\n", "n", "tags": ["a"]}', "inner-quote"),
        ('{"path": "a" "a", "tags": []}', "inner-quote"),
        ('{"path": "/"}"/"}', "inner-quote"),
    ],
)
def test_what_may_be_mended_wrong_does_not_run(arguments: str, doubt: str) -> None:
    (call,) = _calls(arguments)
    assert doubt in call.doubts
    assert not call.executable


def test_a_key_that_is_none_is_doubted_without_tools() -> None:
    (call,) = _calls('"{path": "a", "tags": []}', None)
    assert (call.arguments, call.doubts) == ({"{path": "a", "tags": []}, ("bare-key",))


@pytest.mark.parametrize(
    "arguments",
    [
        "{'path': 'a', 'tags': ['b',],}",
        '{path: "a"}',
        '{"path": "a", "tags": ["b"}',
        '```json\n{"path": "a"}\n```',
        '{"path": "he said "no" twice"}',
    ],
)
def test_what_is_sure_runs(arguments: str) -> None:
    (call,) = _calls(arguments)
    assert call.executable


@pytest.mark.parametrize(("count", "told_apart"), [(64, True), (65, False)])
def test_so_many_objects_in_a_row_are_those_of_calls(count: int, *, told_apart: bool) -> None:
    calls = _calls("".join(f'{{"path": "{place}"}}' for place in range(count)))
    assert [call.executable for call in calls] == ([True] * count if told_apart else [False])


MEMBERS_BEHIND = [
    '\ntags: "x"',
    " tags='x'",
    "; tags = x",
    "}} tags: 3",
    "\n\n  tags: 3\n",
    ', "tags": ["x"]',
    ', tags: ["x"]}',
    ' "tags": []}',
]
"""What stands behind `{"path": "a"}`, and may be an argument that the tool has and the call lacks."""
NOTHING_BEHIND = [
    "\nI save it now.",
    "\nNote: it is safe.",
    "\npath: a",
    " tags",
    "\nThe tags: none.",
    ",",
    "]}",
    "\n```",
]


@pytest.mark.parametrize("object_", ['{"path": "a"}', "{'path': 'a',}", 'So: {"path": "a"}'])
@pytest.mark.parametrize("behind", MEMBERS_BEHIND)
def test_an_argument_behind_the_object_is_not_lost_unsaid(object_: str, behind: str) -> None:
    (call,) = _calls(object_ + behind)
    assert call.doubts
    assert not call.executable


@pytest.mark.parametrize("behind", MEMBERS_BEHIND[:5])
def test_an_argument_without_quotes_is_told_as_in_a_text(behind: str) -> None:
    (call,) = _calls('{"path": "a"}' + behind)
    assert (call.arguments, call.doubts) == ({"path": "a"}, ("skipped-markup",))
    (read,) = parse(
        '[TOOL_CALLS]save[ARGS]{"path": "a"}' + behind, "mistral_v11", tools=TOOLS
    ).calls
    assert read.doubts == call.doubts


@pytest.mark.parametrize("behind", NOTHING_BEHIND)
def test_other_text_behind_the_object_is_dropped(behind: str) -> None:
    (call,) = _calls('{"path": "a"}' + behind)
    assert (call.arguments, call.status, call.doubts) == ({"path": "a"}, "repaired", ())


def test_without_tools_no_name_behind_the_object_is_an_argument() -> None:
    (call,) = _calls('{"path": "a"}\ntags: 3', None)
    assert call.executable


def test_what_the_call_has_already_is_not_lost_behind_it() -> None:
    (call,) = _calls('{"path": "a", "tags": []}\ntags: 3')
    assert call.executable
