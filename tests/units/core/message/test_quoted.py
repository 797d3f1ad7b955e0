"""Blocks of code are seen wherever in them a place was asked for."""

from __future__ import annotations

import pytest

from tests.units.core.cuts import read
from toolgrammar import parse, stream
from toolgrammar.core.message.quoted import FENCES, Quoted
from toolgrammar.core.message.source import Source

WIPE = {
    "name": "wipe",
    "parameters": {"type": "object", "properties": {"path": {"type": "string"}}},
}
CALL = '<tool_call>{"name": "wipe", "arguments": {"path": "/"}}</tool_call>'
LISTED = f"1. Example:\n   ```\n   {CALL}\n   ```\n   Do not run it."


@pytest.mark.parametrize("format_ids", ["hermes", "auto", ["hermes", "llama3_json", "xlam"]])
@pytest.mark.parametrize("mark", ["```", "~~~", "```xml"])
def test_a_call_in_an_indented_block_is_doubted(format_ids: str | list[str], mark: str) -> None:
    text = LISTED.replace("```", mark, 1).replace("   ```\n   Do", f"   {mark[:3]}\n   Do")
    result = parse(text, format_ids, tools=[WIPE])
    assert [call.doubts for call in result.calls] == [("quoted-call",)]


@pytest.mark.parametrize("cut", [1, 2, 5, 13])
def test_it_is_doubted_in_a_stream_as_well(cut: int) -> None:
    chunks = [LISTED[at : at + cut] for at in range(0, len(LISTED), cut)]
    reader = stream(chunks, "auto", tools=[WIPE])
    for _ in reader:
        pass
    assert [call.doubts for call in reader.result.calls] == [("quoted-call",)]


def test_an_indented_end_of_a_block_ends_it() -> None:
    text = f"   ```\n   ls\n   ```\n{CALL}"
    assert parse(text, "auto", tools=[WIPE]).calls[0].executable


def test_a_place_in_the_line_of_a_fence_hides_no_fence() -> None:
    text = "A:\n  ```xml\n  x\n  ```\n  y"
    for asked in range(len(text)):
        quoted, source = Quoted(FENCES), Source()
        source.append(text)
        quoted.holds(source, asked, 0)
        assert quoted.holds(source, text.index("x\n  ```"), 0)
        assert not quoted.holds(source, text.index("y"), 0)


@pytest.mark.parametrize("format_ids", ["hermes", "auto"])
@pytest.mark.parametrize("mark", ["```", "~~~"])
@pytest.mark.parametrize(
    ("text", "executable"),
    [
        ("- {0}\n  {1}\n  {0}\n- b", False),
        ("10. {0}xml\n    {1}\n    {0}\n", True),
        ("10. {0}xml\n    {1}\n    {0}\nThat is all.", False),
        ("* - {0}\n    {1}\n    {0}\n* c", False),
        ("- a\n  - b\n    {0}\n    {1}\n    {0}\n- c", False),
        ("- {0}\n  x\n  {0}\n{1}", True),
        ("{0}\nx = '''\n    {0}\n'''\n{0}\n{1}", True),
    ],
)
def test_a_block_in_an_item_of_a_list_is_one(
    format_ids: str, mark: str, text: str, *, executable: bool
) -> None:
    call = parse(text.format(mark, CALL), format_ids, tools=[WIPE]).calls[0]
    assert call.executable is executable


def test_a_quoted_opener_that_comes_in_pieces_is_read_whole() -> None:
    call = (
        " to=commentary<|message|><atem:function_calls>\n"
        '<atem:invoke name="f">\n</atem:invoke>\n</atem:function_calls><|eom|>'
    )
    result = read("muse", f"Use `{call}` for it.")
    # ` to=` alone opens no call: what follows it shows which opener is quoted.
    assert [(each.code, each.severity) for each in result.diagnostics] == [
        ("quoted-call", "warning")
    ]
    assert result.calls == ()
