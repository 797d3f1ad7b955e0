"""Statements about broken payloads: nothing raises, nothing is lost, and neighbours stand."""
# ruff: noqa: N802 - a test bears the number of its statement

import pytest

import toolgrammar
from tests.seeds.checking import call, check_kept, tool

READ = tool("read_file", ["path"], path="string")
GOOD = 'TOOL_CALL: Good\nARGS: {"ok": true}\n'


def one(body: str) -> str:
    """Returns a call with a broken body."""
    return f"TOOL_CALL: A\nARGS: {body}"


@pytest.mark.parametrize(
    "body",
    [
        pytest.param("{ broken }", id="T28-words"),
        pytest.param("{ invalid json here }", id="T28-sentence"),
        pytest.param('{"x": 1\nTOOL_CALL: B\nARGS: {"y": 2}', id="T30"),
        pytest.param('{"x": 1, "l": [1, 2,],}', id="T32"),
        pytest.param('{path: "/a", n: 2}', id="T33"),
        pytest.param("{'p': 'a \"}\" b'}", id="T34"),
        pytest.param('{"c": "a\nb"}', id="T36-line-end"),
        pytest.param('{"c": "a\tb"}', id="T36-tab"),
        pytest.param('{"c": "x\nTOOL_CALL: B\nARGS: {}\ny"}', id="T39-T46"),
        pytest.param("{'it''s'}", id="T47-quotes"),
        pytest.param('{"a" 1 "b" 2}', id="T47-no-delimiters"),
        pytest.param('```json\n{"x": 1}\n```', id="T49"),
        pytest.param('{"x": True, "y": None, "z": False}', id="T52"),
    ],
)
def test_a_broken_object_loses_nothing(body: str) -> None:
    check_kept("reploid", one(body))
    check_kept("reploid", f"{GOOD}{one(body)}", whole_calls=[call("Good", {"ok": True})])


@pytest.mark.parametrize(
    "body",
    [
        pytest.param("{ broken }", id="T31"),
        pytest.param('{"x": 1,}', id="T32"),
        pytest.param('{path: "/a"}', id="T33"),
        pytest.param("{'p': 'a'}", id="T34"),
        pytest.param('{"c": "a\nb"}', id="T36"),
        pytest.param('{"x": True}', id="T52"),
    ],
)
def test_a_broken_object_does_not_hurt_its_neighbours(body: str) -> None:
    good = call("Good", {"ok": True})
    check_kept("reploid", f"{GOOD}{one(body)}\n{GOOD}", whole_calls=[good, good])


@pytest.mark.parametrize("body", ["{ broken }", '{"x": 1,}', "{a: 1}", "{'a': 1}", '{"x": True}'])
def test_T47_what_is_not_read_as_written_has_a_diagnostic(body: str) -> None:
    result = toolgrammar.parse(one(body), format="reploid")
    assert result.diagnostics
    for found in result.calls:
        assert found.status != "complete"
        assert found.arguments or not found.executable


@pytest.mark.parametrize(
    "text",
    [
        pytest.param("<read_file><path>a.ts</read_file>", id="R23"),
        pytest.param("<read_file><path>a.ts</path></read_files>", id="R23-other-tag"),
        pytest.param("<read_file><path>a.ts</read_file>\ntext after", id="R23-text"),
        pytest.param("<read_file>a.ts</read_file>", id="R10-bare-text"),
    ],
)
def test_a_missing_closing_tag_loses_nothing(text: str) -> None:
    good = "<read_file><path>ok</path></read_file>"
    check_kept("roo_xml", text, [READ])
    check_kept(
        "roo_xml", f"{good}\n{text}", [READ], whole_calls=[call("read_file", {"path": "ok"})]
    )


def test_R76_a_tool_without_closing_tag_in_a_block_is_not_silent() -> None:
    block = '<multi_tool_use mode="parallel">\n{}\n</multi_tool_use>'
    text = block.format("<read_file><path>a</path>\n<read_file><path>b</path></read_file>")
    check_kept("roo_multi", text, [READ], markup=r"</?multi_tool_use[^>]*>")
    assert toolgrammar.parse(text, format="roo_multi", tools=[READ]).diagnostics


def test_T46_a_call_in_a_string_with_real_line_ends_does_not_run() -> None:
    text = one('{"c": "x\nTOOL_CALL: B\nARGS: {}\ny"}')
    assert "B" not in {found.name for found in toolgrammar.parse(text, format="reploid").calls}
