"""A free text that may hold the arguments of its call, or be another call, is doubted."""

import pytest

from tests.units.core.cuts import read


def tool(name: str, *keys: str) -> dict[str, object]:
    properties = {key: {"type": "string"} for key in keys}
    return {"name": name, "parameters": {"type": "object", "properties": properties}}


TOOLS = [tool("read_file", "path"), tool("python", "code"), tool("write", "path", "content")]


@pytest.mark.parametrize("format_id", ["devin_xml", "auto"])
@pytest.mark.parametrize(
    "text",
    [
        "<read_file>:\n<path>a.md</path>\n</read_file>",
        '<read_file><par{ameter name="path">a.md</parameter></read_file>',
    ],
)
def test_a_text_with_the_tag_of_an_argument_is_doubted(format_id: str, text: str) -> None:
    [call] = read(format_id, text, TOOLS).calls
    assert call.doubts == ("bare-text",)


@pytest.mark.parametrize("body", ["a.md", "<b>path</b>", '<svg><path d="M0"/></svg>', "x < path"])
def test_a_text_with_other_tags_runs(body: str) -> None:
    [call] = read("devin_xml", f"<read_file>{body}</read_file>", TOOLS).calls
    assert (call.arguments, call.executable) == ({"path": body}, True)


@pytest.mark.parametrize(
    "body",
    ["'path': 'a.md'}", "path: a.md}", "\u201cpath\u201d\uff1a\u201ca.md\u201d", "'path': 'a'"],
)
def test_a_text_that_begins_as_an_object_without_its_brace_is_doubted(body: str) -> None:
    text = f"<|channel|>commentary to=functions.read_file<|message|>{body}<|call|>"
    [call] = read("harmony", text, TOOLS).calls
    assert call.doubts == ("bare-text",)


@pytest.mark.parametrize(
    "body", ["path: a.md", "path = a", "other: {}}", "a 'path': 'b'", "`path`"]
)
def test_a_text_that_begins_otherwise_runs(body: str) -> None:
    text = f"<|channel|>commentary to=functions.read_file<|message|>{body}<|call|>"
    [call] = read("harmony", text, TOOLS).calls
    assert (call.arguments, call.executable) == ({"path": body}, True)


def test_a_damaged_object_with_the_name_of_a_tool_and_arguments_is_no_code() -> None:
    for key, said in (("parameters", True), ("rest", False)):
        code = f'{{\n  "name"=\'"read_file",\n  "{key}": {{\n    "path": "a"\n  }}\n}}'
        result = read("functionary_v3_1", f"<|python_tag|>{code}", TOOLS)
        assert any("name of a tool" in each.message for each in result.diagnostics) is said


def test_an_object_with_the_name_of_a_tool_is_no_code() -> None:
    code = '{"nme": "read_file", "parameters": {"path": "a"}}'
    [call] = read("functionary_v3_1", f"<|python_tag|>{code}", TOOLS).calls
    assert call.doubts == ("bare-text",)
    [call] = read("functionary_v3_1", f"<|python_tag|>x = {code}", TOOLS).calls
    assert call.executable
    [call] = read("functionary_v3_1", f"<|python_tag|>{code}").calls
    assert call.executable


def test_a_file_that_is_written_whole_holds_no_edit() -> None:
    for head, end in (("<<<<<<< SEARHC", ">>>>>>> REPLACE"), ("<< SEARCH>", "=======")):
        block = f"{head}\nx\n=======\ny\n{end}"
        [call] = read("aider_whole", f"a.py\n```\n{block}\n```").calls
        assert call.doubts == ("bare-text",)
    for body in ("Title\n=======\ny\n", ">>>>>>> x\n", "a ======= b\n>>>>>>> x\n"):
        [call] = read("aider_whole", f"a.py\n```\n{body}```").calls
        assert call.executable


@pytest.mark.parametrize(
    ("name", "keys", "runs"),
    [
        ("patch", ["text"], True),
        ("apply", ["diff"], True),
        ("note", ["text"], False),
        ("credit", ["text"], False),
    ],
)
def test_a_tool_for_edits_takes_edits(name: str, keys: list[str], *, runs: bool) -> None:
    text = f"<{name}>\n<<<<<<< ORIGINAL\nx\n=======\ny\n>>>>>>> UPDATED\n</{name}>"
    [call] = read("devin_xml", text, [tool(name, *keys)]).calls
    assert call.doubts == (() if runs else ("bare-text",))
