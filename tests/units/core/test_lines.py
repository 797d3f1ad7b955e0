"""Calls that are written as lines: what a line leaves out, and what stands behind its value."""

import pytest

import toolgrammar
from tests.units.core.cuts import read


@pytest.mark.parametrize("behind", ["", "\n", " # a remark\n", " extra words", " extra words\n"])
@pytest.mark.parametrize("key", ["path", "target", "source", "destination"])
def test_of_a_path_the_first_word_counts(key: str, behind: str) -> None:
    (call,) = read("reploid0", f"TOOL: copy\n{key}: a.txt{behind}").calls
    assert (call.arguments, call.status) == ({key: "a.txt"}, "complete")


@pytest.mark.parametrize("value", ['"a b.txt"', "'a b.txt'", "`a b.txt`"])
def test_a_path_between_quotes_may_hold_blanks(value: str) -> None:
    (call,) = read("reploid0", f"TOOL: copy\npath: {value}\nlines: 3").calls
    assert call.arguments == {"path": "a b.txt", "lines": 3}


def test_other_values_keep_all_their_words() -> None:
    (call,) = read("reploid0", "TOOL: say\npath: a.txt b\ntext: two words\n").calls
    assert call.arguments == {"path": "a.txt", "text": "two words"}


def test_a_path_without_its_colon_makes_the_call_unreadable() -> None:
    result = read("reploid0", "TOOL: read_file\npath /x\n\nTOOL: now")
    assert [(call.name, call.status) for call in result.calls] == [
        ("read_file", "unreadable"),
        ("now", "complete"),
    ]
    assert [each.code for each in result.diagnostics] == ["malformed-call"]
    assert result.text == "/x"


@pytest.mark.parametrize("prose", ["I wait.", "file a ticket.", "path"])
def test_prose_behind_a_tool_without_arguments_is_text(prose: str) -> None:
    result = read("reploid0", f"TOOL: now\n{prose}")
    assert [call.executable for call in result.calls] == [True]
    assert result.text == prose


@pytest.mark.parametrize(
    "steps",
    [
        '{"id": "a", "args": {}}, {"id": "b", "tool": "now", "args": {}}',
        '{"id": "b", "name": "now"}, {"id": "a", "args": {"x": {"y": 1}}}',
        '{"id": "a", "args": {"text": "no }", "list": ["{"]}}, {"id": "b", "tool": "now"}',
    ],
)
def test_a_step_without_a_tool_costs_no_other_step(steps: str) -> None:
    result = read("reploid0", f"PLAN: [{steps}]")
    found = {call.id: (call.name, call.doubts) for call in result.calls}
    assert found == {"a": ("", ("empty-name",)), "b": ("now", ())}


def test_a_plan_is_written_as_it_is_read() -> None:
    text = (
        'PLAN:\n[{"id": "a", "tool": "f", "args": {"p": "x"}}, '
        '{"id": "b", "tool": "g", "args": {}, "after": ["a"]}, '
        '{"id": "c", "tool": "h", "args": {}, "after": ["a", "b"]}]'
    )
    calls = read("reploid0", text).calls
    assert [call.depends_on for call in calls] == [(), ("a",), ("a", "b")]
    written = toolgrammar.formats["reploid0"].render(calls)
    assert list(toolgrammar.parse(written, format="reploid0").calls) == list(calls)
