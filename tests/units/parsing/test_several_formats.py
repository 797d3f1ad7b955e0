"""Several formats at once: who reads an island, and what becomes of a wrong guess."""

import json
from pathlib import Path
from typing import Any

import pytest

import toolgrammar
from toolgrammar import ArgumentsDelta, CallStart, Event, Format, Parser, ParseResult
from toolgrammar.catalogue.several import AUTO, AnyOf
from toolgrammar.values.errors import UnknownFormat
from toolgrammar.values.limits import Limits

HERMES = '<tool_call>\n{"name": "tide", "arguments": {"port": "Emden"}}\n</tool_call>'
FENCED = '```json\n{"name": "moon", "arguments": {"phase": "new"}}\n```'
BOTH = f"First:\n{HERMES}\nThen:\n{FENCED}\nDone."

JSON_IN_TAGS = """\
%import .common.text (TEXT, RAW, reasoning)
%import .common.json (_call_object)

start: (TEXT | reasoning | call)*
call: "<do>\\n" _call_object "\\n</{closer}>"
"""
TEXT_IN_TAGS = """\
%import .common.text (TEXT, RAW)

start: (TEXT | call)*
call: "<do>" name ":" input "</do>"
name: /[a-z]+/
input: RAW
"""


def grammar(folder: Path, name: str, text: str) -> Path:
    path = folder / f"{name}.lark"
    path.write_text(f"//@ id: {name}\n{text}", encoding="utf-8", newline="\n")
    return path


def read(text: str, format: object, **options: object) -> tuple[ParseResult, list[Event]]:
    """Reads whole and character by character, and holds the two equal."""
    parser = Parser(format, **options)  # type: ignore[arg-type]
    events: list[Event] = []
    for character in text:
        events += parser.feed(character)
    events += parser.close()
    whole = toolgrammar.parse(text, format, **options)  # type: ignore[arg-type]
    assert whole == parser.result
    assert [call.to_dict() for call in whole.calls] == [
        call.to_dict() for call in parser.result.calls
    ]
    return whole, events


@pytest.mark.parametrize(
    "format",
    [
        ["hermes", "fenced_json"],
        ("fenced_json", "hermes"),
        toolgrammar.any_of("hermes", "fenced_json"),
        "hermes, fenced_json",
        "auto",
    ],
)
def test_a_message_in_two_formats(format: object) -> None:
    result, _ = read(BOTH, format)
    assert [(call.name, call.format, call.status) for call in result.calls] == [
        ("tide", "hermes", "complete"),
        ("moon", "fenced_json", "complete"),
    ]
    assert result.text.split() == ["First:", "Then:", "Done."]
    assert result.ok


def test_the_format_of_a_result() -> None:
    pair = toolgrammar.any_of("fenced_json", "hermes")
    assert read(HERMES, pair)[0].format == "hermes"
    assert read(HERMES, pair)[0].digest == toolgrammar.formats["hermes"].digest
    assert read(BOTH, pair)[0].format == "fenced_json,hermes"
    assert read("Nothing.", pair)[0].digest == pair.digest
    assert toolgrammar.parse("Nothing.").format == "auto"


def test_what_opens_and_is_no_call_stays_text() -> None:
    for text in ("<tool_call> is a tag", "```json\n[1, 2]\n```", "<tool_call>\n{"):
        result, _ = read(text, ["hermes", "fenced_json", "llama3_json"])
        assert (result.calls, result.text) == ((), text)


def test_the_format_that_reads_on_where_another_stumbles(tmp_path: Path) -> None:
    one = grammar(tmp_path, "one", JSON_IN_TAGS.format(closer="one"))
    two = grammar(tmp_path, "two", JSON_IN_TAGS.format(closer="two"))
    text = '<do>\n{"name": "tide", "arguments": {"port": "Emden"}}\n</two> Done.'
    result, events = read(text, [one, two])
    assert [(call.format, call.status) for call in result.calls] == [("two", "complete")]
    assert (result.ok, result.text) == (True, "Done.")
    # Nothing waited for the closer, and nothing was emitted twice.
    assert sum(isinstance(event, CallStart) for event in events) == 1
    given = "".join(event.json for event in events if isinstance(event, ArgumentsDelta))
    assert given == '{"port": "Emden"}'


def test_arguments_come_before_the_closer_that_decides(tmp_path: Path) -> None:
    one = grammar(tmp_path, "one", JSON_IN_TAGS.format(closer="one"))
    two = grammar(tmp_path, "two", JSON_IN_TAGS.format(closer="two"))
    parser = Parser([one, two])
    events = parser.feed('<do>\n{"name": "tide", "arguments": {"port": "Em')
    assert any(isinstance(event, ArgumentsDelta) for event in events)


def test_the_first_repairs_where_none_reads_on(tmp_path: Path) -> None:
    one = grammar(tmp_path, "one", JSON_IN_TAGS.format(closer="one"))
    two = grammar(tmp_path, "two", JSON_IN_TAGS.format(closer="two"))
    result, _ = read('<do>\n{"name": "tide", "arguments": {}}\n', [two, one])
    assert [(call.format, call.status) for call in result.calls] == [("two", "repaired")]


def test_the_next_is_tried_where_the_first_does_not_go_on(tmp_path: Path) -> None:
    one = grammar(tmp_path, "one", JSON_IN_TAGS.format(closer="one"))
    free = grammar(tmp_path, "free", TEXT_IN_TAGS)
    result, _ = read("<do>shell: ls -l</do>", [one, free])
    assert [(call.name, call.input, call.format) for call in result.calls] == [
        ("shell", " ls -l", "free")
    ]


def test_the_format_of_the_calls_before_comes_first(tmp_path: Path) -> None:
    one = grammar(tmp_path, "one", JSON_IN_TAGS.format(closer="same"))
    two = grammar(
        tmp_path, "two", JSON_IN_TAGS.format(closer="same") + '    | "[[" name "]]"\nname: /\\w+/\n'
    )
    call = '<do>\n{"name": "tide", "arguments": {}}\n</same>'
    assert [call.format for call in read(call, [one, two])[0].calls] == ["one"]
    mixed = read(f"[[moon]]\n{call}", [one, two])[0]
    assert [call.format for call in mixed.calls] == ["two", "two"]


def test_a_known_tool_is_evidence(tmp_path: Path) -> None:
    tool = {"name": "tide", "parameters": {"type": "object", "properties": {}}}
    shape = 'start: (TEXT | call)*\ncall: "<do>" {name} "</do>"\n'
    text = "%import .common.text (TEXT)\n"
    last = grammar(
        tmp_path, "last", text + shape.format(name="WORD name") + "WORD: /\\w+ /\nname: /\\w+/\n"
    )
    first = grammar(
        tmp_path, "first", text + shape.format(name="name REST") + "name: /\\w+/\nREST: / \\w+/\n"
    )
    message = "<do>moon tide</do>"
    assert [call.name for call in read(message, [first, last])[0].calls] == ["moon"]
    assert [call.name for call in read(message, [first, last], tools=[tool])[0].calls] == ["tide"]


def test_auto_takes_a_quoted_opener_for_a_word() -> None:
    text = 'The model writes `<tool_call>` and then `{"name": …}`; close with `</tool_call>`.'
    assert toolgrammar.parse(text).calls == ()


def test_auto_takes_a_call_in_a_fence_for_an_example_unless_its_tool_is_known() -> None:
    text = f"Write it so:\n```\n{HERMES}\n```\nThen it runs."
    tool = {"name": "tide", "parameters": {"type": "object", "properties": {}}}
    assert read(text, "auto")[0].calls == ()
    assert [call.name for call in read(text, "auto", tools=[tool])[0].calls] == ["tide"]
    assert [call.name for call in read(f"{text}\n{HERMES}", "auto")[0].calls] == ["tide"]
    assert len(read(f"{text}\n{HERMES}", "auto", tools=[tool])[0].calls) == 2
    assert len(read(text, ["hermes", "glm45"])[0].calls) == 1


def test_a_format_that_would_skip_the_arguments_gives_way() -> None:
    fence = '```\n{{"tool": "tide", "{key}": {{"port": "Emden"}}}}\n```'
    for key in ("arguments", "parameters", "args"):
        (call,) = read(fence.format(key=key), "auto")[0].calls
        assert (call.name, call.arguments) == ("tide", {"port": "Emden"})
    # What no format takes for arguments is skipped, and whoever came first reads on.
    first = '<tool_call>\n{"name": "tide", "meta": {"a": 1}, "arguments": {"port": "Emden"}}'
    (call,) = read(first, "auto")[0].calls
    assert (call.name, call.arguments) == ("tide", {"port": "Emden"})


def test_a_format_that_skips_an_object_gives_way_only_to_one_that_reads_the_same_tool(
    tmp_path: Path,
) -> None:
    rules = (
        "%import .common.json (JSON_VALUE, JSON_STRING, name, arguments)\n"
        "%import .common.text (TEXT)\n"
        'start: (TEXT | call)*\ncall: "<do>\\n{{" _member (", " _member)* "}}\\n</do>"\n'
        '_member: "\\"{input}\\": " arguments | "\\"{name}\\": " name | KEY ": " JSON_VALUE\n'
        "KEY: JSON_STRING\n"
    )
    skips = grammar(tmp_path, "skips", rules.format(name="name", input="with"))
    same = grammar(tmp_path, "same", rules.format(name="name", input="input"))
    other = grammar(tmp_path, "other", rules.format(name="title", input="input"))
    text = '<do>\n{"name": "tide", "title": "moon", "input": {"port": "Emden"}}\n</do>'
    (call,) = read(text, [skips, same])[0].calls
    assert (call.name, call.arguments, call.format) == ("tide", {"port": "Emden"}, "same")
    (call,) = read(text, [skips, other])[0].calls
    assert (call.name, call.arguments, call.format) == ("tide", {}, "skips")


def test_auto_takes_a_block_of_code_for_a_call_behind_a_thought_of_its_format() -> None:
    code = "```py\nprint(1)\n```"
    assert read(f"I compute.\n{code}", "auto")[0].calls == ()
    (call,) = read(f"Thought: I compute.\n{code}", "auto")[0].calls
    assert (call.name, call.input) == ("python_interpreter", "print(1)")
    assert read(f"Thought: I compute.\n{code}\nSo:\n{code}", "auto")[0].text.startswith("So:")
    assert read("Thought: I look.\n```bash\nls\n```", "auto")[0].calls == ()


def test_auto_takes_a_tag_of_one_word_for_a_call_only_where_a_message_begins() -> None:
    tag = "<code>\nprint(1)\n</code>"
    assert len(read(tag, "auto")[0].calls) == 1
    assert read(f"So:\n{tag}", "auto")[0].calls == ()
    assert read("<code>print(1)</code>", "auto")[0].calls == ()


def test_a_name_on_the_wire_goes_before_one_that_the_format_puts_in() -> None:
    tool = {"name": "shell", "parameters": {"type": "object", "properties": {}}}
    (call,) = read("```shell\nls\n```", "auto", tools=[tool])[0].calls
    assert (call.format, call.input) == ("gptme_markdown", "ls")


def test_reasoning_ends_where_the_format_of_the_call_ends_it() -> None:
    text = "Thought: I look.\nAction: search\nAction Input: rain"
    result, _ = read(text, "auto")
    assert result.reasoning == "I look."
    assert [(call.name, call.input) for call in result.calls] == [("search", "rain")]


def test_what_a_format_quotes_is_quoted_to_it_alone() -> None:
    quoted = '```\n@shell(a): {"cmd": "ls"}\n```\n'
    assert read(quoted, ["gptme_tool", "hermes"])[0].calls == ()
    assert len(read(f"```\n{HERMES}\n```\n", ["gptme_tool", "hermes"])[0].calls) == 1


def test_mistakes_of_the_caller() -> None:
    with pytest.raises(UnknownFormat):
        toolgrammar.any_of("hermes", "hermess")
    with pytest.raises(UnknownFormat):
        toolgrammar.parse("", ["nothing"])
    with pytest.raises(ValueError, match="at least one"):
        toolgrammar.parse("", [])
    with pytest.raises(TypeError):
        toolgrammar.parse("", [3])  # type: ignore[list-item]


@pytest.mark.parametrize(
    ("written", "arguments"),
    [
        ('{"query": "fjord"}', {"query": "fjord"}),
        ('{\n  "limit": 2,\n  "query": "fjord"\n}', {"limit": 2, "query": "fjord"}),
        ('{query: "fjord"}', {"query": "fjord"}),
        ("{}", {}),
        ('{"temperature": 3}', None),
        ('{"action": "Final Answer", "action_input": "42"}', None),
        ('{"items": [{"query": "x"}]}', None),
    ],
)
def test_a_fenced_object_is_the_arguments_of_the_only_tool_if_its_keys_are(
    written: str, arguments: dict[str, object] | None
) -> None:
    properties = {"query": {"type": "string"}, "limit": {"type": "integer"}}
    tools = [{"name": "search", "parameters": {"type": "object", "properties": properties}}]
    text = f"Here it is:\n```json\n{written}\n```\nSet it so."
    whole = toolgrammar.parse(text, format="auto", tools=tools)
    assert [call.arguments for call in whole.calls] == ([] if arguments is None else [arguments])
    parser = toolgrammar.Parser(format="auto", tools=tools)
    for character in text:
        parser.feed(character)
    parser.close()
    assert parser.result.to_dict() == whole.to_dict()


KEYS = ("user.name", "@type", "a/b", "first name", "größe", "k" * 70)


@pytest.mark.parametrize("key", KEYS)
@pytest.mark.parametrize("format_id", ["auto", "instructor_md_json"])
def test_any_key_of_the_only_tool_may_be_the_first_of_a_fenced_object(
    key: str, format_id: str
) -> None:
    schema = {"type": "object", "properties": {name: {"type": "integer"} for name in KEYS}}
    tools = [{"name": "save", "parameters": schema}]
    for escapes in (True, False):
        text = f"```json\n{json.dumps({key: 1}, ensure_ascii=escapes)}\n```\nDone."
        whole = toolgrammar.parse(text, format=format_id, tools=tools)
        assert [call.arguments for call in whole.calls] == [{key: 1}]
        parser = toolgrammar.Parser(format=format_id, tools=tools)
        for character in text:
            parser.feed(character)
        parser.close()
        assert parser.result.to_dict() == whole.to_dict()


@pytest.mark.parametrize("order", ["hermes,{}", "{}, hermes"])
def test_paths_stand_among_ids(tmp_path: Path, order: str) -> None:
    path = tmp_path / "mine.lark"
    path.write_text(
        "//@ id: mine\n%import .common.text (TEXT)\n%import .common.json (JSON_OBJECT)\n"
        'start: (TEXT | call)*\ncall: "@@" name " " arguments "@@"\nname: /\\w+/\n'
        "arguments: JSON_OBJECT\n",
        encoding="utf-8",
    )
    text = '@@f {"a": 1}@@\n<tool_call>\n{"name": "g", "arguments": {}}\n</tool_call>'
    found = toolgrammar.parse(text, format=order.format(path))
    assert [(call.name, call.format) for call in found.calls] == [("f", "mine"), ("g", "hermes")]
    # A comma in the name of a file is none between formats.
    comma = tmp_path / "a,b.lark"
    comma.write_text(path.read_text(encoding="utf-8").replace("//@ id: mine", "//@ id: a"))
    with pytest.raises(toolgrammar.GrammarError, match="must equal the file's name `a,b`"):
        toolgrammar.parse(text, format=str(comma))


def _tie(tmp_path: Path) -> tuple[str, list[Format]]:
    """Returns a text, and two formats that read it equally well."""
    wire = JSON_IN_TAGS.format(closer="do")
    two = [toolgrammar.load_format(grammar(tmp_path, name, wire)) for name in ("tie_aa", "tie_b")]
    return '<do>\n{"name": "tide", "arguments": {}}\n</do>', two


def test_of_equal_formats_the_id_decides_in_auto(tmp_path: Path) -> None:
    text, two = _tie(tmp_path)
    for order in (two, two[::-1]):
        assert read(text, AnyOf(order, AUTO))[0].format == "tie_aa"


def test_of_equal_formats_the_first_in_the_callers_list_reads(tmp_path: Path) -> None:
    text, two = _tie(tmp_path)
    for order in (two, two[::-1], [*two, two[0]]):
        assert read(text, AnyOf(order))[0].format == order[0].id


def test_a_format_named_behind_auto_is_not_preferred(tmp_path: Path) -> None:
    text, (first, second) = _tie(tmp_path)
    every = AnyOf([first, second], AUTO)
    assert read(text, toolgrammar.any_of(every, second))[0].format == "tie_aa"
    assert read(text, toolgrammar.any_of(second, every))[0].format == "tie_b"


@pytest.mark.parametrize("formats", ["auto", ["auto"], ["hermes", "auto"], "hermes,auto"])
def test_auto_is_cautious_in_a_list_too(formats: Any) -> None:
    tools = [{"name": "search", "parameters": {"properties": {"query": {"type": "string"}}}}]
    text = "To clean up:\n```bash\nrm -rf build\n```\nDone."
    assert toolgrammar.parse(text, formats, tools=tools).calls == ()


def test_formats_named_before_auto_are_preferred() -> None:
    both = toolgrammar.any_of("ernie45", "auto")
    assert toolgrammar.parse(HERMES, "auto").calls[0].format == "hermes"
    assert toolgrammar.parse(HERMES, both).calls[0].format == "ernie45"
    # Joined once more, it still prefers that one.
    assert (
        toolgrammar.parse(HERMES, toolgrammar.any_of(both, "kimi_k2")).calls[0].format == "ernie45"
    )
    assert both.id == "auto"
    assert toolgrammar.any_of("auto") == toolgrammar.formats.resolve_any("auto") != both


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("Sure.\n\na.py\n```python\nprint(1)\n```", "write"),
        ("So:\n```diff\n--- a/x\n+++ b/x\n@@ @@\n-a\n+b\n```\nDone.", "edit"),
    ],
)
def test_a_file_or_a_diff_in_a_fence_is_an_answer_if_no_tool_writes_it(
    text: str, name: str
) -> None:
    for own, found in (("search", []), (name, [name])):
        tools = [{"name": own, "parameters": {"type": "object"}}]
        result, _ = read(text, AUTO, tools=tools)
        assert [call.name for call in result.calls] == found
        assert result.ok
    assert [call.name for call in read(text, AUTO)[0].calls] == [name]


@pytest.mark.parametrize("size", [1, 5, 100])
def test_a_limit_of_characters_ends_an_island_that_several_formats_open(size: int) -> None:
    """What is read up to the limit is judged no more, so that the limit can be reported."""
    text = "Thought: I need a map.\nAction: find[Emden]"
    for most in range(1, len(text)):
        limits = Limits(max_chars=most)
        parser = Parser(AUTO, limits=limits)
        for start in range(0, len(text), size):
            parser.feed(text[start : start + size])
        parser.close()
        assert parser.result.source == text
        assert "limit-chars" in [each.code for each in parser.result.diagnostics]
        assert parser.result.to_dict() == toolgrammar.parse(text, AUTO, limits=limits).to_dict()


QUOTED = '<tool_call>{"name": "tide", "arguments": {}}</tool_call>'


@pytest.mark.parametrize("text", [f"```\n{QUOTED}n", f"\u201c{QUOTED}\u201d "])
@pytest.mark.parametrize("size", [1, 5, 100])
def test_a_call_that_only_the_end_doubts_is_told_where_formats_are_tried_there(
    text: str, size: int
) -> None:
    """What opens at the end is read by each format in turn, up to the end of the message."""
    tools = [{"name": "tide", "parameters": {"type": "object", "properties": {}}}]
    parser = Parser(["hermes", "qwen3_xml"], tools=tools)
    text += "<think>"
    for start in range(0, len(text), size):
        parser.feed(text[start : start + size])
    parser.close()
    assert parser.result.calls[0].doubts == ("quoted-call",)
    assert [each.code for each in parser.result.diagnostics] == ["quoted-call"]
    assert not parser.result.ok


@pytest.mark.parametrize("size", [1, 5, 100])
def test_a_call_before_one_in_another_format_is_not_the_last_of_a_cut_answer(size: int) -> None:
    text, formats = f"<command>\nls\n</command>\n{QUOTED}", ["swe_agent_xml", "hermes"]
    parser = Parser(formats)
    for start in range(0, len(text), size):
        parser.feed(text[start : start + size])
    parser.close("length")
    assert [call.status for call in parser.result.calls] == ["complete", "complete"]
    whole = toolgrammar.parse(text, formats, finish_reason="length")
    assert repr(whole) == repr(parser.result)


@pytest.mark.parametrize("size", [1, 5, 100])
def test_a_call_without_its_opener_waits_for_its_name_where_other_formats_begin_alike(
    size: int,
) -> None:
    call = '{"action": "depart", "action_variables": {"station": "Bever"}}'
    text = f"[ACTION]\n{call}\nOnce more:\n{call}"
    tools = [{"name": "depart", "parameters": {"type": "object", "properties": {"station": {}}}}]
    parser = Parser(AUTO, tools=tools)
    for start in range(0, len(text), size):
        parser.feed(text[start : start + size])
    parser.close()
    assert [call.status for call in parser.result.calls] == ["complete", "repaired"]
    assert repr(parser.result) == repr(toolgrammar.parse(text, AUTO, tools=tools))


@pytest.mark.parametrize("size", [1, 5, 100])
@pytest.mark.parametrize("format_id", ["auto", "langchain_xml,roo_xml,hermes"])
@pytest.mark.parametrize(
    ("text", "arguments"),
    [
        ("<think>\n<thought>deep</thought>\n</think>", {"thought": "deep"}),
        ("<final_answer>\n<answer>42</answer>\n</final_answer>", {"answer": "42"}),
        # No argument follows: it is what it is for the other formats.
        ("<think>\ndeep\n</think>", None),
        ("<final_answer>42</final_answer>", None),
    ],
)
def test_a_tag_of_prose_is_a_call_where_a_tool_has_its_name_and_an_argument_follows(
    text: str, arguments: dict[str, str] | None, format_id: str, size: int
) -> None:
    tools = [
        {"name": name, "parameters": {"type": "object", "properties": {key: {"type": "string"}}}}
        for name, key in (("think", "thought"), ("final_answer", "answer"))
    ]
    formats = format_id.split(",") if "," in format_id else format_id
    parser = Parser(formats, tools=tools)
    for start in range(0, len(text), size):
        parser.feed(text[start : start + size])
    parser.close()
    assert [call.arguments for call in parser.result.calls] == ([arguments] if arguments else [])
    assert parser.result.ok
    assert repr(parser.result) == repr(toolgrammar.parse(text, formats, tools=tools))
