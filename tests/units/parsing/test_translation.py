"""`toolgrammar.translate`: a message of one format becomes one of another."""

from collections.abc import Iterable

import pytest

import toolgrammar
from tests.laws.every_case import page_cases
from toolgrammar import ParseError, ParseResult, RenderError, ToolSpec, UnknownFormat, translate
from toolgrammar.testing import Case
from toolgrammar.values.events import CallEnd, ReasoningDelta, TextDelta
from toolgrammar.values.schemas import type_of

MESSAGE = """\
<think>Two of them.</think>
First the ferry.
<tool_call>
{"name": "ferry", "arguments": {"line": "Bergen \\"A\\"", "seats": 2}}
</tool_call>
<tool_call>
{"name": "tide", "arguments": {}}
</tool_call>
Then the note.
<tool_call>
{"name": "note", "arguments": {"body": "a\\nb"}}
</tool_call>
Done."""
TOOLS = [
    {
        "name": "ferry",
        "parameters": {"properties": {"line": {"type": "string"}, "seats": {"type": "integer"}}},
    },
    {"name": "tide"},
    {"name": "note", "parameters": {"properties": {"body": {"type": "string"}}}},
]


def test_text_reasoning_and_calls_keep_their_order() -> None:
    assert translate(MESSAGE, "hermes", "mistral_v11") == (
        "[THINK]Two of them.[/THINK]\n"
        "First the ferry.\n"
        '[TOOL_CALLS]ferry[ARGS]{"line": "Bergen \\"A\\"", "seats": 2}\n'
        "[TOOL_CALLS]tide[ARGS]{}\n"
        "Then the note.\n"
        '[TOOL_CALLS]note[ARGS]{"body": "a\\nb"}\n'
        "Done."
    )


def test_reasoning_is_left_out_where_the_format_has_none() -> None:
    written = translate(MESSAGE, "hermes", "void_xml", tools=TOOLS)
    assert written.startswith("First the ferry.\n<ferry>\n<line>Bergen")
    assert written.endswith("</note>\nDone.")


def test_calls_side_by_side_share_a_section() -> None:
    written = translate(MESSAGE, "hermes", "kimi_k2")
    assert written.count("<|tool_calls_section_begin|>") == 2
    assert [f":{number}<" in written for number in range(4)] == [True, True, True, False]


def test_the_prefix_is_read_and_written() -> None:
    text = 'Look.</think>\n<tool_call>{"name": "tide", "arguments": {}}</tool_call>'
    written = translate(text, "hermes", "hermes", prefix="<think>\n")
    assert written.startswith("<think>Look.</think>\n<tool_call>\n")


def test_a_message_without_calls() -> None:
    for empty in ("", None, b"", "  \n"):
        assert translate(empty, "hermes", "qwen3_xml") == ""
    assert translate("plain <b>text</b>\n", "hermes", "qwen3_xml") == "plain <b>text</b>\n"


def test_types_come_from_the_tools() -> None:
    text = translate(MESSAGE, "hermes", "qwen3_xml")
    typed = translate(text, "qwen3_xml", "hermes", tools=TOOLS)
    assert '"seats": 2}' in typed
    assert '"seats": "2"}' in translate(text, "qwen3_xml", "hermes")


# Calls of free text

BASH = [
    {
        "name": "bash",
        "parameters": {"properties": {"command": {"type": "string"}}, "required": ["command"]},
    }
]


def test_free_text_becomes_the_argument_that_the_tools_name() -> None:
    written = translate("🛠️ bash ls -l", "simple_agent", "hermes", tools=BASH)
    assert '{"name": "bash", "arguments": {"command": "ls -l"}}' in written
    with pytest.raises(RenderError, match="pass tools="):
        translate("🛠️ bash ls -l", "simple_agent", "hermes")
    assert '"arguments": {}' in translate("🛠️ list", "simple_agent", "hermes")


@pytest.mark.parametrize(
    ("target", "written"),
    [("simple_agent", "🛠️ bash ls -l\n🛠️🔚"), ("bash_fence", "```bash\nls -l\n```")],
)
def test_one_string_becomes_free_text(target: str, written: str) -> None:
    text = '<tool_call>{"name": "bash", "arguments": {"command": "ls -l"}}</tool_call>'
    assert translate(text, "hermes", target) == written


# Ids and dependencies

PLAN = """\
<list_files><path>.</path><toolId>one</toolId></list_files>
<read_file><path>a</path><toolId>two</toolId><dependsOn>one</dependsOn></read_file>"""


def test_ids_are_kept_where_the_format_has_them() -> None:
    assert '"id": "one"' in translate(PLAN.partition("\n")[0], "roo_multi", "hermes")
    again = translate(PLAN, "roo_multi", "roo_multi")
    assert toolgrammar.parse(again, format="roo_multi").calls[1].depends_on == ("one",)


def test_dependencies_go_where_the_format_has_none_and_the_order_stays() -> None:
    result = toolgrammar.parse(translate(PLAN, "roo_multi", "glm45"), format="glm45")
    assert [(call.name, call.arguments) for call in result.calls] == [
        ("list_files", {"path": "."}),
        ("read_file", {"path": "a"}),
    ]


def test_a_generated_id_is_not_written() -> None:
    text = "<parallel><list_files><path>.</path></list_files></parallel>"
    assert toolgrammar.parse(text, format="roo_multi").calls[0].id
    assert '"id"' not in translate(text, "roo_multi", "hermes")


def test_ids_are_made_where_the_format_needs_them() -> None:
    assert translate(MESSAGE, "hermes", "gptme_tool").count("(call_") == 3


# What can't be translated


def test_a_message_that_is_not_sound() -> None:
    with pytest.raises(ParseError) as caught:
        translate('<tool_call>{"name": "tide", "arguments": {"a": "b', "hermes", "glm45")
    assert caught.value.result.calls[0].status == "truncated"


def test_text_that_is_markup_of_the_other_format() -> None:
    text = 'Write <tool_call>{"name": "tide"}</tool_call>!\n[TOOL_CALLS]tide[ARGS]{}'
    with pytest.raises(RenderError):
        translate(text, "mistral_v11", "hermes")


def test_a_format_that_nobody_knows() -> None:
    with pytest.raises(UnknownFormat):
        translate("", "hermes", "herms")
    with pytest.raises(UnknownFormat):
        translate("", "herms", "hermes")


# Every format


def _outline(case: Case) -> list[str]:
    parser = toolgrammar.Parser(case.format, tools=case.tools, prefix=case.prefix)
    events = [*parser.feed(case.text), *parser.close()]
    result: ParseResult = parser.result
    pieces: list[tuple[str, str]] = []
    for event in events:
        match event:
            case TextDelta(text):
                pieces.append(("text", text))
            case CallEnd(index=index):
                call = result.calls[index]
                pieces.append(("call", f"{call.name} {call.arguments or call.input or ''}"))
            case ReasoningDelta():
                pieces.append(("", ""))
            case _:
                pass
    out: list[str] = []
    for kind, text in pieces:
        squeezed = "".join(text.split()) if kind == "text" else text
        if kind == "text" and out and not out[-1].startswith("call "):
            out[-1] += squeezed
        elif squeezed:
            out.append(f"{kind} {squeezed}")
    return out


def _tools_of(result: ParseResult) -> tuple[ToolSpec, ...]:
    """Tools whose schemas say what the arguments of the calls are."""
    types: dict[str, dict[str, object]] = {}
    for call in result.calls:
        known = types.setdefault(call.name, {})
        known |= {key: {"type": type_of(value)} for key, value in call.arguments.items()}
    return tuple(
        ToolSpec(name, "", {"properties": known, "required": _in_all(result, name, known)})
        for name, known in types.items()
    )


def _in_all(result: ParseResult, name: str, keys: Iterable[str]) -> list[str]:
    """The arguments that every call of a tool has."""
    calls = [call for call in result.calls if call.name == name]
    return [key for key in keys if all(key in call.arguments for call in calls)]


@pytest.mark.parametrize("format_id", sorted(toolgrammar.formats))
@pytest.mark.parametrize("direction", ["from it", "to it"])
def test_every_format_translates(format_id: str, direction: str) -> None:
    """What a translation says is what the message said: calls, text, order."""
    source, target = ("hermes", format_id) if direction == "to it" else (format_id, "hermes")
    done = refused = 0
    if "words" in toolgrammar.formats[target].tables.leaf_roles:
        return  # arguments by position are read back as words and text
    for case in page_cases(source):
        read = toolgrammar.parse(case.text, format=source, tools=case.tools, prefix=case.prefix)
        if not read.ok:
            continue
        try:
            text = translate(case.text, source, target, tools=case.tools, prefix=case.prefix)
        except RenderError:
            refused += 1
            continue
        done += bool(read.calls)
        same = Case(case.id, target, text, tools=_tools_of(read))
        assert _outline(same) == _outline(case), case.id
    # Calls that are one text have no argument that JSON could name.
    assert done or refused or direction == "to it"
