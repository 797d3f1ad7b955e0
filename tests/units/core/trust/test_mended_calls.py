"""A mended call whose name or values show that the mending may have guessed wrong is doubted."""

import pytest

import toolgrammar
from tests.units.core.cuts import read

TOOL: dict[str, object] = {
    "name": "edit",
    "parameters": {
        "type": "object",
        "properties": {
            "path": {"type": "string"},
            "tags": {"type": "array", "items": {"type": "string"}},
            "lines": {"type": "integer"},
        },
    },
}


def check(arguments: str, *doubts: str, name: str = '"edit"', tools: bool = True) -> None:
    text = f'<tool_call>\n{{"name": {name}, "arguments": {arguments}}}\n</tool_call>'
    given = [TOOL] if tools else None
    (call,) = toolgrammar.parse(text, "hermes", tools=given).calls
    assert call.doubts == doubts
    *_, end = (
        event
        for event in toolgrammar.stream(list(text), "hermes", tools=given)
        if isinstance(event, toolgrammar.CallEnd)
    )
    assert end.call == call
    assert end.call.doubts == doubts


@pytest.mark.parametrize(
    "arguments",
    [
        '{"path": "a.py" "mode": "w"}',
        '{"path": "a.py", “text": "x = 1"}',
        '{p"ath": "a.py"}',
        '{\\"path": "a.py"}',
        "{'path': 'a.py'. 'mode': 'w'}",
        '{"path": "q = fjord""}',
        '{"path": "a.py"py"}',
        '{"tags": ["a""b"]}',
        '{"path": "a {"x": 1, "path": "b"}',
        '{"path": "a.py", "line.py", "lines": 2}',
        # A key that the tool does not have, in other quotes than JSON's or none.
        '{"path": "a.py", via: "b"}',
        '{"path": "a.py", via = 5, x: "b"}',
        '{"path": "a.py"; via\uff1a true, x: "b"}',
        '{"path": "a.py"\n via: "b"}',
        """{"path": "a.py", 'via': "b"}""",
        "{\u201cpath\u201d: \u201ca.py\u201d, \u201cvia\u201d: \u201cb\u201d}",
    ],
)
def test_a_quote_inside_of_a_string_may_be_none(arguments: str) -> None:
    check(arguments, "inner-quote")


@pytest.mark.parametrize(
    "arguments",
    [
        '{"path": "he said "no" twice", "lines": 2}',
        '{"path": "{"name": "x", "v": "1"}", "lines": 2}',
        '{path: "a", lines: 2}',
        "{'path': 'a', 'tags': ['b', 'c',],}",
    ],
)
def test_what_is_sure_is_not_doubted(arguments: str) -> None:
    check(arguments)


def test_text_without_quotes_behind_a_missing_comma_may_be_no_item() -> None:
    check('{"tags": ["a"\n---\n]}', "bare-text")
    check('{"tags": ["a", b]}')


def test_a_key_with_an_entity_is_none() -> None:
    check("{&quot;path&quot;: 'a'}", "bare-key", tools=False)
    check("{R&D: 'a'}", tools=False)


@pytest.mark.parametrize("arguments", ['{path: ["a"]}', "{pathh: 'a'}", "{lines: 2, tags: [true]}"])
def test_mended_arguments_fit_the_schema(arguments: str) -> None:
    check(arguments, "schema-mismatch")
    check(arguments, tools=False)


def test_a_delimiter_may_have_slipped_into_a_string() -> None:
    check('{"path": "a," "lines": 2}', "slipped-quote")
    check('{"path": "a.py]", "tags": ["x"}', "slipped-quote")
    check('{"path": "f[1]", "tags": ["x"}')


def test_a_name_without_its_quote_is_that_of_a_tool() -> None:
    check("{}", name='"edit')
    check("{}", "missing-quote", name='"edi')
    check("{}", "missing-quote", name='"edit', tools=False)


@pytest.mark.parametrize("name", ['" edit"', '"edit,"', '"functoins.edit"', r'"ed\\it"'])
def test_a_name_has_no_mark_at_its_ends(name: str) -> None:
    check("{}", "malformed-name", name=name)


def test_a_number_that_no_float_holds_is_a_doubt() -> None:
    check('{"lines": 1e999}', "nonfinite", tools=False)


@pytest.mark.parametrize(
    ("body", "doubts"),
    [
        ("a</body>\n</conetnt>", ("misspelt",)),
        ("src/file.t<s/path", ("stray-close-tag",)),
        ("<p>a</p> and <br> <b>c</b>", ()),
    ],
)
def test_a_closer_in_a_value_that_lacks_its_own_may_be_that(
    body: str, doubts: tuple[str, ...]
) -> None:
    tool = {
        "name": "write_to_file",
        "parameters": {"type": "object", "properties": {"content": {"type": "string"}}},
    }
    text = f"<write_to_file>\n<content>{body}\n</write_to_file>"
    (call,) = toolgrammar.parse(text, "roo_xml", tools=[tool]).calls
    assert call.doubts == doubts


@pytest.mark.parametrize("arguments", ['{"tags"[: ["a"], "lines": 1}', '{"path": a{b}'])
def test_text_without_quotes_may_have_taken_the_bracket_that_is_missing(arguments: str) -> None:
    check(arguments, "bare-text")


def test_text_without_quotes_may_hold_a_pair_of_brackets() -> None:
    check('{"path": src/[id].py, "lines": 1}')


@pytest.mark.parametrize(
    ("format_id", "text"),
    [
        ("hermes", '<tool_call>{"name": "f", "arguments": {"arguments": {"a": 1}}</tool_call>'),
        ("llama3_json", '{"name": "f", "parameters": {"name": "g", "parameters": {}};'),
        (
            "jamba",
            '<tool_calls>[{"name": "f", "arguments": {"a": 1, "args": {"b": 2}}]</tool_calls>',
        ),
        (
            "hermes",
            '<tool_call>{"name": "f", "arguments": {"at": [{"x": {"at": [{"x": 1}]}}]}</tool_call>',
        ),
    ],
)
def test_a_call_that_begins_anew_in_its_arguments_is_doubted(format_id: str, text: str) -> None:
    assert [call.doubts for call in read(format_id, text).calls] == [("bracket",)]


def test_an_argument_with_the_key_of_all_arguments_runs() -> None:
    sound = '{"name": "f", "arguments": {"a": {"arguments": {"b": 1}}}}'
    assert read("hermes", f"<tool_call>{sound}</tool_call>").calls[0].executable
    wrapped = sound.replace('{"a": {"arguments": {"b": 1}}}', '{"arguments": {"b": 1}}')[:-1]
    schema = {"type": "object", "properties": {"arguments": {"type": "object"}}}
    tools: list[dict[str, object]] = [{"name": "f", "parameters": schema}]
    (call,) = read("hermes", f"<tool_call>{wrapped}</tool_call>", tools).calls
    assert (call.arguments, call.status, call.doubts) == ({"arguments": {"b": 1}}, "repaired", ())


def test_objects_that_are_nested_alike_run() -> None:
    inner = '{"kind": "a", "items": [{"kind": "b", "items": []}]}'
    for arguments in (f'{{"tree": {inner}}}', inner):
        text = f'<tool_call>{{"name": "f", "arguments": {arguments}</tool_call>'
        (call,) = read("hermes", text).calls
        assert (call.status, call.doubts) == ("repaired", ())


@pytest.mark.parametrize("arguments", ['{\\"a\\": 1}<|call|>"}', '{\\"a\\": \\"b\\"}<|call|>"}'])
def test_a_key_with_a_backslash_is_none(arguments: str) -> None:
    opener = "<|channel|>commentary to=functions.f <|constrain|>json<|message|>"
    (call,) = read("harmony", opener + arguments).calls
    assert (list(call.arguments), call.doubts) == (["\\"], ("bare-key",))


def test_a_brace_of_the_envelope_may_be_missing_in_the_arguments() -> None:
    text = '<tool_call>\n{"name": "edit", "arguments": {"paht": {"path": "a"}}\n</tool_call>'
    assert read("hermes", text, [TOOL]).calls[0].doubts == ("schema-mismatch",)


def test_a_key_whose_colon_was_put_in_may_be_the_rest_of_a_string() -> None:
    text = 'Action:\n{"name": "search", "ar", "arguments": "{\\"q\\": \\"x\\"}"}'
    assert read("smolagents_json", text).calls[0].doubts == ("skipped-markup",)


@pytest.mark.parametrize(
    ("format_id", "text", "doubt"),
    [
        ("functionary_v3_1", '<function=f>{"a": ["b", "c": 0}}</function>', "bracket"),
        (
            "granite",
            '<|tool_call|>[{"name": "f", "arguments": {"a": ["b", "c": 0, "d": 3}}}]',
            "skipped-markup",
        ),
        (
            "jamba",
            '<tool_calls>[{"name": "create_eveiew", "minutes": 60}}]</tool_calls>',
            "skipped-markup",
        ),
        (
            "glm45",
            "<tool_call>f\n<arg_key>a</arg_key><arg_value>Shalue></tool_call>",
            "stray-close-tag",
        ),
        (
            "mimo",
            "<tool_call>\n<function=f>\n<parameter=a>b\nter>\n</function>\n</tool_call>",
            "stray-close-tag",
        ),
    ],
)
def test_a_stretch_of_a_call_may_be_lost(format_id: str, text: str, doubt: str) -> None:
    assert [call.doubts for call in read(format_id, text).calls] == [(doubt,)]


@pytest.mark.parametrize("value", ["a ->", "List<int>", "x > 3", "1 >"])
def test_a_value_that_ends_like_a_tag_runs(value: str) -> None:
    text = f"<tool_call>\n<function=f>\n<parameter=a>{value}\n</function>\n</tool_call>"
    (call,) = read("mimo", text).calls
    assert (call.status, call.doubts) == ("repaired", ())


@pytest.mark.parametrize(
    ("format_id", "text"),
    [
        ("llama3_json", '{"name": "f", "parameters": {Ok. <|python_tag|>{"a": 1}"cmd": "ls"}}'),
        ("gptme_tool", '@f(c1): {"a```py\nx = 1\n```": "b"}'),
        ("hermes", '<tool_call>{"name": "f", "arguments": {"a<|end|>b": 4,}}</tool_call>'),
    ],
)
def test_a_key_with_markup_in_it_is_none_in_a_mended_call(format_id: str, text: str) -> None:
    (call,) = read(format_id, text).calls
    assert (call.status, call.doubts) == ("repaired", ("bare-key",))


def test_a_key_with_markup_in_it_is_one_in_a_sound_call() -> None:
    text = '<tool_call>{"name": "f", "arguments": {"<b>": 1}}</tool_call>'
    assert read("hermes", text).calls[0].executable


@pytest.mark.parametrize("name", ["get_depart<|endoftext|>ures", "a\\nb", "f</s>"])
def test_a_name_with_markup_in_it_is_none(name: str) -> None:
    text = f'<tool_call>{{"name": "{name}", "arguments": {{}}}}</tool_call>'
    assert read("hermes", text).calls[0].doubts == ("malformed-name",)


@pytest.mark.parametrize(
    "arguments",
    [
        '{"tags": [["a", "b"], "lines": 1}',
        '{"path": ("a"}',
        '{"path": 7 "lines": 2, "tags": []}}',
        '{"tags": ["a", ["b"], "lines": 1}',
        '{"path"[ "a", "lines": 1}',
    ],
)
def test_an_opener_or_a_closer_may_be_one_too_many(arguments: str) -> None:
    check(arguments, "bracket", tools=False)


@pytest.mark.parametrize(
    "arguments", ['{"tags": ["a"}', '{"tags": ["a", "lines": 1}', '{"lines": 1, "tags": "a"]}']
)
def test_a_lone_item_is_a_list_where_a_schema_says_so(arguments: str) -> None:
    check(arguments, "bracket", tools=False)
    check(arguments.replace('"a"]', '["a"]'))


def test_what_is_no_list_by_its_schema_lost_no_opener() -> None:
    check('{"lines": 1, "path": "a"]')
    check('{"tags"[ "a", "lines": 1}', "bracket")


def test_a_digit_that_touches_a_quote_may_be_left_of_something_else() -> None:
    check('{"tags": ["a",7"b"]}', "comma")
    check('{"tags": ["a" "b"], "lines": 7 "path": "c"}')


@pytest.mark.parametrize("mark", [")", "<", "=", ";", "{", "[`", "\\"])
def test_another_mark_may_stand_for_the_comma_between_two_strings(mark: str) -> None:
    check(f'{{"tags": ["a"{mark} "b"]}}', "inner-quote")


def test_a_bracket_before_a_quote_is_no_text() -> None:
    [call] = read("known_json", 'edit{"path":("a"}', [TOOL]).calls
    assert call.doubts == ("bare-text",)
    check('{"path": (a), "lines": 1}')


def test_a_value_that_ends_in_a_part_of_its_closer_is_doubted() -> None:
    text = "<|tool_call:start|>edit\n<|tool_arg:start|>path<|tool_arg:value|>a<|tool_arg:en\n{}{}"
    rest = "<|tool_arg:start|>lines<|tool_arg:value|>1<|tool_arg:end|>\n", "<|tool_call:end|>"
    assert not read("solar_open2", text.format(*rest)).calls[0].executable


def test_a_key_that_begins_with_a_quote_is_none() -> None:
    check('{"tags": []"\\"path": null}', "bare-key", tools=False)


def test_members_behind_a_mended_object_may_be_its_own() -> None:
    text = '<|tools_prefix|>[{"f": {"a": "b"], "c": {"d": 1}}}]<|tools_suffix|>'
    assert [call.doubts for call in read("apertus", text).calls] == [("bracket",), ("quoted-call",)]
    both = '<|tools_prefix|>[{"f": {"a": "b"}, "c": {"d": 1}}]<|tools_suffix|>'
    assert [call.doubts for call in read("apertus", both).calls] == [(), ()]


def test_arguments_that_a_colon_touches_may_go_on() -> None:
    text = '[TOOL_CALLS]f[ARGS]{"a": ["b"]}:"c", "d": 1}'
    assert [call.doubts for call in read("mistral_v11", text).calls] == [("skipped-markup",)]
    assert read("mistral_v11", text.replace("}:", "} :")).calls[0].executable


@pytest.mark.parametrize(
    "arguments",
    [
        '{"tags": ["a", "b", "lines": 1}',
        '{"tags": [["a"], ["b"], "lines": 1}',
        '{"path": "a" "lines": 2, "tags": []}',
    ],
)
def test_a_delimiter_that_is_missing_alone_is_put_in(arguments: str) -> None:
    check(arguments, tools=False)


def test_words_in_quotes_are_no_members() -> None:
    check('{"path": "say "yes", then "no" again"}')


def test_a_string_with_mended_quotes_may_hold_another_argument() -> None:
    check('{"path": "a, "tags: "b"}', "inner-quote")
    check('{"path": "a, "modes: "b"}')
    check('{"path": "a, "tags: "b", "tags": []}')


def test_an_empty_argument_without_its_closer_may_be_a_damaged_closer() -> None:
    text = (
        "<function_calls>\n<invoke>\n<tool_name>edit</tool_name>\n"
        "<parameters>\n<path>a</path>\n<parameters>\n</invoke>\n</function_calls>"
    )
    keys: dict[str, object] = {"path": {}, "parameters": {}}
    declared: dict[str, object] = {"name": "edit", "parameters": {"properties": keys}}
    for tool in (TOOL, declared):
        calls = read("anthropic_legacy", text, [tool]).calls
        assert [call.doubts for call in calls] == [("missing-close-tag",)]


def test_text_without_quotes_begins_with_no_tag() -> None:
    check("{path: <escape>a.py<escape>}", "bare-text")
    check("{path: a.py}")


def test_a_string_with_mended_quotes_may_hold_the_call_once_more() -> None:
    check('{"path": "a"\\nedit({path:"b"}', "inner-quote")


@pytest.mark.parametrize(
    "value",
    [
        "...",
        "\u2026",
        "???",
        "$PATH",
        "<path>",
        "--",
        "?",
        "nil",
        "null;",
        "a + b.c",
    ],
)
def test_text_without_quotes_may_stand_for_a_value(value: str) -> None:
    check(f'{{"path": {value}}}', "bare-text")
    check(f'{{"tags": ["a", {value}]}}', "bare-text")
    check(f'{{"path": "{value}"}}')
    check('{"path": ${path}}', "bare-text")


@pytest.mark.parametrize("value", ["$5", "*.txt", "~/x", "TODO", "/"])
def test_text_without_quotes_is_a_value_else(value: str) -> None:
    check(f'{{"path": {value}}}')


@pytest.mark.parametrize("dots", ["...", "\u2026", "   ... and so on"])
def test_a_comment_may_stand_for_values(dots: str) -> None:
    check(f'{{"tags": ["a", // {dots}\n"b"]}}', "comment")
    check(f'{{"tags": ["a" /*{dots}*/]}}', "comment")
    check(f'{{"tags": ["a", # x {dots}\n"b"]}}')
    many = ", ".join(f"'{number}'" for number in range(99))
    check(f'{{"tags": [{many}, /*{dots}*/ {many}]}}', "comment")


def test_dots_between_two_strings_stand_for_items() -> None:
    check('{"tags": ["a" ... "b"]}', "inner-quote")


@pytest.mark.parametrize("value", [r"C:\new", r"a\nb"])
def test_a_backslash_in_text_without_quotes_may_be_an_escape(value: str) -> None:
    text = f'<tool_call>\n{{"name": "edit", "arguments": {{"path": {value}}}}}\n</tool_call>'
    (call,) = read("hermes", text, tools=[TOOL]).calls
    assert "bare-text" in call.doubts
    assert "\\" in call.arguments["path"]


@pytest.mark.parametrize("closer", ["]", ")"])
def test_the_closer_of_a_list_in_place_of_all_arguments_is_a_doubt(closer: str) -> None:
    check(f"{{{closer}", "bracket")


@pytest.mark.parametrize("between", ["7)", "x ", "-"])
def test_quotes_between_letters_may_part_two_items(between: str) -> None:
    check(f'{{"tags": ["Lantern"{between}"Engine", "Amber"]}}', "inner-quote")


OPTIONS: dict[str, object] = {
    "name": "order",
    "parameters": {
        "type": "object",
        "properties": {
            "opts": {"type": "object"},
            "rows": {"type": "array", "items": {"type": "array"}},
            "kilos": {"type": "integer"},
        },
    },
}


@pytest.mark.parametrize(
    ("arguments", "doubts"),
    [
        # The brace that is missing at the end may be missing before `kilos`.
        ('{"opts": {"a": 1, "b": {"c": "d"}, "kilos": 3}', ("bracket",)),
        ('{"opts": {"a": 1}, "kilos": 3', ()),
        ('{"opts": {"a": 1, "kilos": 3}, "kilos": 4', ()),
        # Nothing says whether `a` is a list; `rows` is one of lists.
        ('{"opts": {"a": [1}, "kilos": 3}', ("bracket",)),
        ('{"opts": {"a": [1, 2}, "kilos": 3}', ()),
        ('{"rows": [[1, "kilos": 3}', ("bracket",)),
        ('{"rows": [[1], [2}', ()),
    ],
)
def test_a_bracket_that_was_put_in_may_belong_elsewhere(
    arguments: str, doubts: tuple[str, ...]
) -> None:
    text = f'<tool_call>\n{{"name": "order", "arguments": {arguments}}}\n</tool_call>'
    [call] = read("hermes", text, [OPTIONS]).calls
    assert call.doubts == doubts


@pytest.mark.parametrize(
    "arguments",
    [
        r'{"path": "say \"hi\"",  : "b"}',
        r'{"path": "say \"hi\""; "mode""tags": "b"}',
        r'{"path": "say \"hi\"", : mode "b"}',
        r"{“path”: “say \"hi\"”, “mode”, “b”}",
    ],
)
def test_a_quote_behind_an_escaped_one_opens_no_quotation(arguments: str) -> None:
    check(arguments, "inner-quote")


def test_a_key_that_holds_a_member_is_no_key() -> None:
    check('{"mode =  1, lines"= 2}', "bare-key", tools=False)
    check('{"lines =  2": "w", "a, b"= 2}', tools=False)


@pytest.mark.parametrize(
    ("arguments", "doubts"),
    [
        ("{“path”: a”, “lines”: 2}", ("missing-quote",)),
        ("{“tags”: [“a, “b”]}", ("missing-quote",)),
        ("{“tags”: [a”, “b”]}", ("missing-quote",)),
        ("{“path”: “a”, “lines”: 2}", ()),
        ("{'path': 'say “a”, then „b“', 'lines': 2}", ()),
    ],
)
def test_a_typographic_quote_has_its_partner(arguments: str, doubts: tuple[str, ...]) -> None:
    check(arguments, *doubts)


def test_a_member_behind_a_chinese_comma_may_be_swallowed() -> None:
    check('{path\uff1a "say \\"a\\""\uff0c mode\uff1a "b"}', "inner-quote")
