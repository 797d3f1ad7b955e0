"""`Format.prompt`: the text that teaches a model a format, of every format."""

import copy
import pickle
import re
from pathlib import Path

import pytest

import toolgrammar
from toolgrammar import Format, ToolCall
from toolgrammar.catalogue.page import PageError, read_page_text
from toolgrammar.tools.specs import to_specs
from toolgrammar.writing.prompts.examples import example_call
from toolgrammar.writing.prompts.prompt import PLACEHOLDERS

TIDES = {
    "name": "get_tides",
    "description": "High and low water. {example}",
    "parameters": {
        "type": "object",
        "properties": {"harbour": {"type": "string"}},
        "required": ["harbour"],
    },
}
NOTE = {
    "name": "write_note",
    "description": "Writes a note.",
    "parameters": {
        "type": "object",
        "properties": {"path": {"type": "string"}, "lines": {"type": "integer"}},
        "required": ["path", "lines"],
    },
}
TOOLS = [TIDES, NOTE]
ONE = ToolCall("get_tides", {"harbour": "some harbour"})
each_format = pytest.mark.parametrize("format_id", sorted(toolgrammar.formats))


@each_format
def test_it_names_the_tools_and_shows_a_call_as_the_format_writes_it(format_id: str) -> None:
    fmt = toolgrammar.formats[format_id]
    prompt = fmt.prompt(TOOLS)
    assert "get_tides" in prompt
    assert "write_note" in prompt
    assert prompt.stop == fmt.stop
    calls = [example_call(tool) for tool in to_specs(TOOLS).values()]
    examples = []
    for shown in ([calls[0]], [calls[1]], calls):
        try:
            examples.append(fmt.render(shown))
        except toolgrammar.RenderError:
            continue
    # Ids that count up may stand between what `render` writes without them.
    numbered = re.sub(r'"tool_call_id": "\d", ', "", prompt)
    assert not examples or any(example in numbered for example in examples)


@each_format
def test_it_tells_what_stands_inside_of_an_argument(format_id: str) -> None:
    leg = {"type": "object", "properties": {"pier": {"type": "string"}}, "required": ["pier"]}
    properties = {"name": {"type": "string"}, "legs": {"type": "array", "items": leg}}
    tool = {
        "name": "plan_trip",
        "description": "Plans.",
        "parameters": {"type": "object", "properties": properties, "required": ["name"]},
    }
    assert "pier" in toolgrammar.formats[format_id].prompt([tool])


@each_format
def test_nothing_is_left_to_fill_in(format_id: str) -> None:
    prompt = toolgrammar.formats[format_id].prompt([NOTE])
    assert not [name for name in PLACEHOLDERS if f"{{{name}}}" in prompt]
    assert toolgrammar.formats[format_id].prompt([])


def test_it_is_a_string_that_keeps_its_stop_strings() -> None:
    prompt = toolgrammar.formats["react"].prompt(TOOLS)
    assert isinstance(prompt, str)
    assert prompt.stop == ("Observation:",)
    for other in (copy.deepcopy(prompt), pickle.loads(pickle.dumps(prompt))):
        assert (other, other.stop) == (prompt, prompt.stop)


GRAMMAR = """\
//@ id: mine
//@ stop: "</call>"
%import .common.text (TEXT)
%import .common.json (JSON_OBJECT)
start: (TEXT | call)*
call: "<call>" name ":" arguments "</call>"
name: /\\w+/
arguments: JSON_OBJECT
"""


def _with_prompt(folder: Path, prompt: str) -> Format:
    (folder / "mine.lark").write_text(GRAMMAR, encoding="utf-8")
    page = f"# Mine\n\n## Prompt\n\n~~~prompt\n{prompt}\n~~~\n" if prompt else "# Mine\n"
    (folder / "mine.md").write_text(page, encoding="utf-8")
    return Format(folder / "mine.lark")


def test_the_prompt_of_a_page_is_filled_in(tmp_path: Path) -> None:
    mine = _with_prompt(tmp_path, 'Of {tool_names}:\n<t>{tool_function}</t>\n{"a": {b}}\n{example}')
    head, first, second, braces, example, end = mine.prompt(TOOLS).split("\n")
    assert head == "Of get_tides, write_note:"
    assert first.startswith(
        '<t>{"name": "get_tides", "description": "High and low water. {example}"'
    )
    assert second.startswith('<t>{"name": "write_note"')
    assert braces == '{"a": {b}}'
    assert example == mine.render([ONE])
    assert end == ""


def test_a_format_without_one_gets_one_of_its_kind(tmp_path: Path) -> None:
    prompt = _with_prompt(tmp_path, "").prompt(TOOLS)
    assert '<call>get_tides:{"harbour": "some harbour"}</call>\n<call>write_note:{' in prompt
    assert prompt.stop == ("</call>",)


@pytest.mark.parametrize(
    ("page", "said"),
    [
        ("~~~prompt\n{tools_jsom}\n~~~\n", "unknown placeholder 'tools_jsom'.*'tools_json'"),
        ("~~~prompt\nA\n~~~\n\n~~~prompt\nB\n~~~\n", "7?: a second fence `prompt`"),
    ],
)
def test_a_prompt_that_is_wrong(page: str, said: str) -> None:
    with pytest.raises(PageError, match=said):
        read_page_text(page, "mine.md")
