"""`writing/render.py` and the walk below it: what is written, and what is refused."""

from pathlib import Path
from typing import Any

import pytest

from toolgrammar import Format, RenderError, ToolCall, formats, load_format, parse
from toolgrammar.writing.render import has_place_for, render_message
from toolgrammar.writing.stretches import Kind, Stretch

TEXTS = "%import .common.text (TEXT, RAW, SAME_KEY)\n%import .common.json (JSON_VALUE)\n"


def _format(folder: Path, rules: str, header: str = "") -> Format:
    path = folder / "mine.lark"
    path.write_text(f"//@ id: mine\n{header}{TEXTS}\n{rules}", encoding="utf-8")
    return load_format(path)


def _elements(value: str, argument: str = '"<a " key ">" value "</a>"') -> str:
    return (
        'start: (TEXT | call)*\ncall: "<call " name ">" argument* "</call>"\n'
        f"argument: {argument}\nvalue: {value}\nname: /\\w+/\nkey: /\\w+/\n"
    )


WAYS = [
    ("raw text carries all", "RAW", {"n": 1, "s": "x"}, "<a n>1</a><a s>x</a>"),
    (
        "raw text is for strings where JSON is a way",
        'RAW | "=" JSON_VALUE',
        {"n": 1, "s": "1"},
        "<a n>=1</a><a s>1</a>",
    ),
    (
        "the literal names the type",
        '"str:" RAW | "number:" JSON_VALUE | "boolean:" JSON_VALUE',
        {"n": 1.5, "b": True, "s": "x"},
        "<a n>number:1.5</a><a b>boolean:true</a><a s>str:x</a>",
    ),
    (
        "the next way where the first is not read back",
        '"text:" RAW | "json:" JSON_VALUE',
        {"s": "</a><a t>text:"},
        '<a s>json:"</a><a t>text:"</a>',
    ),
]


@pytest.mark.parametrize(
    ("value", "arguments", "written"), [w[1:] for w in WAYS], ids=[w[0] for w in WAYS]
)
def test_ways_to_write_a_value(
    tmp_path: Path, value: str, arguments: dict[str, Any], written: str
) -> None:
    mine = _format(tmp_path, _elements(value))
    assert mine.render([ToolCall("f", arguments)]) == f"<call f>{written}</call>"


def test_a_marker_says_the_type(tmp_path: Path) -> None:
    argument = '"<a " key ">" value "</a>" | "<a " key " " TYPE ">" json "</a>"'
    rules = _elements("RAW", argument) + "json: JSON_VALUE -> value\nTYPE: /integer|boolean/\n"
    written = _format(tmp_path, rules).render([ToolCall("f", {"n": 1, "b": False})])
    assert written == "<call f><a n integer>1</a><a b boolean>false</a></call>"


def test_line_ends_at_the_edges_are_kept_where_one_is_taken_off(tmp_path: Path) -> None:
    mine = _format(tmp_path, _elements("RAW"), "//@ trim: value=one-newline\n")
    assert mine.render([ToolCall("f", {"a": "x"})]) == "<call f><a a>x</a></call>"
    assert mine.render([ToolCall("f", {"a": "\nx"})]) == "<call f><a a>\n\nx\n</a></call>"


def test_a_form_without_a_value_carries_no_argument(tmp_path: Path) -> None:
    mine = _format(tmp_path, _elements("/[^<>]+/", '"<a " key "/>" | "<a " key ">" value "</a>"'))
    assert mine.render([ToolCall("f", {"a": "x"})]) == "<call f><a a>x</a></call>"
    for value in ("", "<"):
        with pytest.raises(RenderError, match="no way to write the call of 'f'"):
            mine.render([ToolCall("f", {"a": value})])


LOOKING = """\
start: (TEXT | call)*
call: OPEN name argument* CLOSE
argument: key "=" value ";"
name: /[a-z]+?(?=[ ;])/
key: / [a-z]+(?==)/
value: RAW
OPEN: /^@(?=[a-z])/m
CLOSE: /;/
"""


def test_a_look_ahead_is_no_part_of_what_is_written(tmp_path: Path) -> None:
    mine = _format(tmp_path, LOOKING.replace(' key "="', ' " " key "="').replace("/ [", "/["))
    assert mine.render([ToolCall("note", {"a": "x"})]) == "@note a=x;;"


def test_a_name_in_a_group_of_a_marker(tmp_path: Path) -> None:
    rules = 'start: (TEXT | call)*\ncall: OPEN input "\\n$$"\ninput: RAW\n'
    mine = _format(tmp_path, rules + "OPEN: /^\\$\\$(?P<name>bash|zsh)[ \\t]*\\n/m\n")
    assert mine.render([ToolCall("zsh", input="ls")]) == "$$zsh\nls\n$$"
    with pytest.raises(RenderError):
        mine.render([ToolCall("fish", input="ls")])


def test_a_key_for_a_text_or_for_arguments_is_written_once(tmp_path: Path) -> None:
    """Where one key holds either, an empty object behind the text would hide it."""
    imports = "%import .common.json (JSON_OBJECT, JSON_TEXT, JSON_STRING, JSON_VALUE)\n"
    rules = (
        f'{imports}start: (TEXT | call)*\ncall: "<call {{" _member (", " _member)* "}}>"\n'
        '_member: KEY ": " name | INPUT ": " (arguments | input)\n'
        'KEY: "\\"tool\\""\nINPUT: "\\"input\\""\n'
        "name: JSON_STRING\narguments: JSON_OBJECT\ninput: JSON_TEXT\n"
    )
    mine = _format(tmp_path, rules)
    assert mine.render([ToolCall("f", input="x")]) == '<call {"tool": "f", "input": "x"}>'
    assert mine.render([ToolCall("f")]) == '<call {"tool": "f", "input": {}}>'


def test_attributes_beside_a_text(tmp_path: Path) -> None:
    rules = (
        'start: (TEXT | call)*\ncall: "<" name argument* ">" input "</end>"\n'
        'argument: " " key "=\'" value "\'"\nname: /[a-z]+/\nkey: /[a-z]+/\nvalue: RAW\ninput: RAW\n'
    )
    mine = _format(tmp_path, rules)
    call = ToolCall("save", {"path": "a.py", "content": "x = 1"}, input="x = 1")
    assert mine.render([call]) == "<save path='a.py'>x = 1</end>"
    with pytest.raises(RenderError):
        mine.render([ToolCall("save", {"path": "a.py"})])


def test_an_id_is_made_up_where_the_format_needs_one(tmp_path: Path) -> None:
    rules = (
        'start: (TEXT | call)*\ncall: "@" name{opt} arguments\n'
        "name: /[a-z]+/\nid: /[a-z_0-9]+/\narguments: JSON_VALUE\n"
    )
    calls = [ToolCall("f"), ToolCall("g", id="mine")]
    always = _format(tmp_path, rules.replace("{opt}", ' "#" id ":"'))
    assert always.render(calls) == "@f#call_0:{}\n@g#mine:{}"
    perhaps = _format(tmp_path, rules.replace("{opt}", ' ["#" id] ":"'))
    assert perhaps.render(calls) == "@f:{}\n@g#mine:{}"


def test_an_id_that_is_made_up_is_a_number_where_ids_are_numbers(tmp_path: Path) -> None:
    mine = _format(
        tmp_path,
        'start: (TEXT | call)*\ncall: "@" id ". " name " " arguments\n'
        "name: /[a-z]+/\nid: /\\d+/\narguments: JSON_VALUE\n",
    )
    calls = [ToolCall("f"), ToolCall("g", id="7"), ToolCall("h")]
    assert mine.render(calls) == "@1. f {}\n@7. g {}\n@3. h {}"


@pytest.mark.parametrize("value", [["a", 1], {"b": 'say "x" & <y>'}])
def test_json_in_a_text_with_entities_is_written_with_them(tmp_path: Path, value: Any) -> None:
    attributes = _elements("RAW", '" " key "=\\"" value "\\""').replace('"</call>"', '"/>"')
    mine = _format(tmp_path, attributes.replace('name ">"', "name"), "//@ entities: value\n")
    written = mine.render([ToolCall("f", {"a": value})])
    assert written.count('"') == 2
    schema = {"properties": {"a": {"type": ["array", "object"]}}}
    (call,) = parse(written, format=mine.path, tools=[{"name": "f", "parameters": schema}]).calls
    assert call.arguments == {"a": value}


PROSE = """\
start: ({order})*
call: "@" name ":" arguments
reasoning: ["(brief)"] "<think>" RAW ["</think>"]
content: "<say>" RAW "</say>"
name: /[a-z]+/
arguments: JSON_VALUE
"""
MESSAGE = (
    Stretch("reasoning", "Which one?"),
    Stretch("text", "This one."),
    Stretch("calls", calls=(ToolCall("f"), ToolCall("g"))),
    Stretch("text", "And then."),
    Stretch("calls", calls=(ToolCall("h"),)),
)


@pytest.mark.parametrize(
    ("order", "first", "second"),
    [
        ("TEXT | reasoning | content | call", "This one.", "And then."),
        ("content | reasoning | TEXT | call", "<say>This one.</say>", "<say>And then.</say>"),
    ],
)
def test_a_message_keeps_its_order(tmp_path: Path, order: str, first: str, second: str) -> None:
    mine = _format(tmp_path, PROSE.format(order=order))
    assert render_message(mine, MESSAGE) == (
        f"<think>Which one?</think>\n{first}\n@f:{{}}\n@g:{{}}\n{second}\n@h:{{}}"
    )


@pytest.mark.parametrize(("kind", "found"), [("text", True), ("reasoning", False)])
def test_a_place_for_prose(tmp_path: Path, kind: Kind, *, found: bool) -> None:
    mine = _format(tmp_path, _elements("RAW"))
    assert has_place_for(mine, kind) is found


def test_text_that_would_be_read_otherwise_is_refused(tmp_path: Path) -> None:
    mine = _format(tmp_path, PROSE.format(order="TEXT | reasoning | content | call"))
    assert mine.render([ToolCall("f")], text="Look.") == "Look.\n@f:{}"
    with pytest.raises(RenderError, match="this text"):
        mine.render([ToolCall("f")], text="Look <think>twice</think>.")
    with pytest.raises(RenderError, match="1 calls went in, 2 came back; tried "):
        mine.render([ToolCall("f")], text="Write @g:{} or")


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ('<tool_call>\n{"name": "write", "arguments": {"path": "a", "text": "impor', "truncated"),
        ('<tool_call>\n{"name": "delete", "arguments": [}\n</tool_call>', "unreadable"),
        (
            '<tool_call>\n{"name": "f", "arguments": {"a": 1, "a": 2}}\n</tool_call>',
            "duplicate-key",
        ),
    ],
)
def test_a_call_that_may_not_run_is_not_written_as_one_that_may(text: str, why: str) -> None:
    (call,) = parse(text, "hermes").calls
    with pytest.raises(RenderError, match=why):
        formats["granite"].render([call])
    taken = call.with_arguments(call.arguments)
    (read,) = parse(formats["granite"].render([taken]), "granite").calls
    assert (read.name, read.arguments) == (taken.name, taken.arguments)


def test_what_is_no_json_is_refused(tmp_path: Path) -> None:
    mine = _format(tmp_path, _elements("JSON_VALUE"))
    for value in ({1, 2}, float("nan")):
        with pytest.raises(RenderError, match="no JSON"):
            mine.render([ToolCall("f", {"a": value})])


DEEP: dict[str, Any] = {}
for _ in range(500):
    DEEP = {"a": DEEP}


@pytest.mark.parametrize(
    ("form", "call", "error", "said"),
    [
        ("hermes", ToolCall("x", {1: 2}), RenderError, "the key 1 in the arguments of 'x'"),  # type: ignore[dict-item]
        ("hermes", ToolCall("x", {"a": [{None: 2}]}), RenderError, "the key None"),
        ("qwen3_xml", ToolCall("x", {"a": ({2: 2},)}), RenderError, "the key 2"),
        ("hermes", ToolCall("x", DEEP), RenderError, "nest deeper than 400"),
        ("kimi_k2", ToolCall("s", {"a": "x"}, id="abc"), RenderError, "without the `id`, 'abc'"),
        ("hermes", ToolCall("s", depends_on=("a",)), RenderError, "without the `depends_on`"),
        ("hermes", ToolCall("s", input="x"), RenderError, "without the `input`, 'x'"),
        ("simple_agent", ToolCall("note", {"body": ""}), RenderError, "would come back as {}"),
        ("simple_agent", ToolCall("note", {"body": " "}), RenderError, "can't carry the call"),
    ],
)
def test_what_is_refused_says_why(
    form: str, call: ToolCall, error: type[Exception], said: str
) -> None:
    with pytest.raises(error) as found:
        formats[form].render([call])
    assert said in str(found.value)


@pytest.mark.parametrize(
    ("form", "written"), [("bash_fence", "```bash\nls\n```"), ("simple_agent", "🛠️ bash ls\n🛠️🔚")]
)
def test_the_one_argument_of_a_call_is_its_text(form: str, written: str) -> None:
    assert formats[form].render([ToolCall("bash", {"command": "ls"})]) == written
    assert formats[form].render([ToolCall("bash", input="ls")]) == written


@pytest.mark.parametrize("value", ["<b>x</b>\n", " padded ", "a\n\nb\n"])
def test_a_value_in_cdata_stands_in_the_tag_of_its_model(value: str) -> None:
    written = formats["minicpm5"].render([ToolCall("note", {"body": value})])
    opened = '<function name="note"><param name="body"><![CDATA['
    assert written == f"{opened}{value}]]></param></function>"


WIPE = {
    "roo_xml": "<wipe>\n<path>/</path>\n</wipe>",
    "void_xml": "<wipe>\n<path>/</path>\n</wipe>",
    "roo_multi": "<wipe>\n<path>/</path>\n</wipe>",
    "devin_xml": '<wipe path="/"/>',
    "gptme_xml": "<tool-use>\n<wipe>\n/\n</wipe>\n</tool-use>",
    "gptme_markdown": "```wipe\n/\n```",
}


@pytest.mark.parametrize("form", sorted(WIPE))
def test_a_text_that_is_a_call_of_another_tool_is_refused(form: str) -> None:
    body = {"input": "a.md"} if "gptme" in form else {"arguments": {"path": "a.md"}}
    call = ToolCall("read_file", **body)
    properties = {"properties": {"path": {"type": "string"}}}
    tools = [{"name": name, "parameters": properties} for name in ("read_file", "wipe")]
    with pytest.raises(RenderError, match="a reader with a tool 'wipe' would read a call there"):
        formats[form].render([call], WIPE[form])
    with pytest.raises(RenderError, match="1 calls went in, 2 came back"):
        formats[form].render([call], WIPE[form], tools=tools)
    written = formats[form].render([call], WIPE[form], tools=tools[:1])
    assert [each.name for each in parse(written, format=form, tools=tools[:1]).calls] == [
        "read_file"
    ]


def test_a_value_is_read_back_with_the_schema_of_its_tool() -> None:
    tools = [{"name": "f", "parameters": {"properties": {"n": {"type": "integer"}}}}]
    call = ToolCall("f", {"n": "42"})
    assert "42" in formats["qwen3_xml"].render([call])
    with pytest.raises(RenderError, match=r"would come back as \{'n': 42\}"):
        formats["qwen3_xml"].render([call], tools=tools)


def test_items_without_a_type_are_read_back_with_that_of_their_values() -> None:
    calls = [ToolCall("lift", {"floors": [1, 2]})]
    minimax = formats["minimax_m3"]
    tool = {
        "name": "lift",
        "parameters": {"properties": {"floors": {"items": {"type": "integer"}}}},
    }
    assert minimax.render(calls) == minimax.render(calls, tools=[tool])


@pytest.mark.parametrize("turned", [False, True])
def test_the_call_that_can_not_be_written_is_named(*, turned: bool) -> None:
    good, bad = ToolCall("good", {"a": "x"}), ToolCall("not good", {"a": "x"})
    calls = [bad, good] if turned else [good, bad]
    with pytest.raises(RenderError, match="no way to write the call of 'not good'"):
        formats["qwen3_xml"].render(calls)
    with pytest.raises(RenderError, match="a value of the call of 'bad' is no JSON"):
        formats["hermes"].render([good, ToolCall("bad", {"a": float("nan")})])


ELEMENT = '"<a " key ">" value "</a>"'


@pytest.mark.parametrize(
    ("call", "wanted", "why"),
    [
        ('"<c " name ">" argument* "</c>"', ToolCall("f", {"a": "x", "a b": "x"}), "; its `key` does not read 'a b'; "),
        ('"<c " name ">" argument* "</c>"', ToolCall("f", {"{é-}": "x"}), "; its `key` does not read '{é-}'; "),
        ('"<c " name ">" argument* "</c>"', ToolCall("g h", {"a": "x"}), "; its `name` does not read 'g h'; "),
        ('"<c " id name ">" argument* "</c>"', ToolCall("f", {"a": "x"}, id="c_1"), "; its `id` does not read 'c_1'; "),
        ('"<c " name ["#" id] ">" argument* "</c>"', ToolCall("f", {"a": "x"}, id="c_1"), "; its `id` does not read 'c_1'; "),
        ('"<c " name ">" argument* "</c>"', ToolCall("f", {"a": "x"}, id="c_1"), "; it has one without the `id`, 'c_1'; "),
        ('"<c " name ">" pair* "</c>"', ToolCall("f", {"a": "x"}), "{'a': 'x'}; `PAIR` holds the key in a longer token, which is not written; "),
    ],
)  # fmt: skip
def test_the_part_that_can_not_be_written_is_named(
    tmp_path: Path, call: str, wanted: ToolCall, why: str
) -> None:
    rules = (
        f"start: (TEXT | call)*\ncall: {call}\nname: /\\w+/\nid: /\\d+(?= )/\nkey: /\\w+/\nvalue: RAW\n"
        f'argument: {ELEMENT}\npair: PAIR value "</a>" -> argument\nPAIR: /<a (?P<key>\\w+)>/\n'
    )
    with pytest.raises(RenderError) as caught:
        _format(tmp_path, rules).render([wanted])
    assert why in f"{caught.value}; "


def test_a_call_with_one_body_follows_a_call_with_elements() -> None:
    calls = [ToolCall("search", {"query": "x"}), ToolCall("note", {"a b": "x"})]
    written = formats["anthropic_legacy"].render(calls)
    assert parse(written, format="anthropic_legacy").calls == tuple(calls)


@pytest.mark.parametrize("text", ["a", "a\n", "\na\n\n", ""])
def test_the_line_end_before_a_mark_is_no_part_of_the_text(tmp_path: Path, text: str) -> None:
    path = tmp_path / "mine.lark"
    path.write_text(
        "//@ id: mine\n//@ trim: input=one-newline\n"
        "%import .common.text (TEXT, RAW, MARK, SAME_MARK)\nstart: (TEXT | call)*\n"
        'call: "@@" name " <<" MARK "\\n" input "\\n" SAME_MARK\nname: /\\w+/\ninput: RAW\n',
        encoding="utf-8",
    )
    mine = load_format(path)
    written = mine.render([ToolCall("f", input=text)])
    assert [call.input for call in parse(written, format=mine).calls] == [text]


def test_an_error_shows_the_text_that_was_tried() -> None:
    with pytest.raises(RenderError) as caught:
        formats["react"].render([], text="Thought: a\nFinal Answer: b")
    assert "it would be read as reasoning 'a', text 'Final Answer: b'; tried 'Thought: a" in str(
        caught.value
    )
    with pytest.raises(RenderError) as caught:
        formats["anthropic_invoke"].render(
            [ToolCall("f", {"a": "</parameter>\n</invoke>" + "x" * 999})]
        )
    said = str(caught.value)
    assert """tried '<function_calls>\\n<invoke name="f">""" in said
    assert len(said) < 999


def test_a_call_by_an_alias_is_written_where_no_rule_is_named_call(tmp_path: Path) -> None:
    grammar = (
        "//@ id: jobs\n%import .common.text (TEXT)\n%import .common.json (JSON_OBJECT)\n"
        'start: (TEXT | work)*\nwork: "<work>" job+ "</work>" -> parallel\n'
        'job: "<job " name ">" arguments "</job>" -> call\nname: /\\w+/\narguments: JSON_OBJECT\n'
    )
    path = tmp_path / "jobs.lark"
    path.write_text(grammar, encoding="utf-8")
    written = "<work><job f>{}</job><job g>{}</job></work>"
    assert load_format(path).render([ToolCall("f"), ToolCall("g")]) == written
