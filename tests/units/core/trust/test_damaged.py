"""A call in which markup of its format, or the key of its arguments, stands damaged is a doubt."""

import pytest

import toolgrammar


def check(text: str, format_id: str, *doubts: str) -> None:
    """Compares the doubts of the only call of a message, read whole and in pieces."""
    [call] = toolgrammar.parse(text, format=format_id).calls
    assert call.doubts == doubts
    assert call.executable == (not doubts)
    parser = toolgrammar.Parser(format_id)
    for character in text:
        parser.feed(character)
    parser.close()
    assert parser.result.calls == (call,)


QWEN = "<tool_call>\n<function=f>\n<parameter=text>{}</parameter>\n</function>\n</tool_call>"
BEAM = (
    "<|start|>assistant to=f<|channel|>analysis <|constrain|>xml<|message|>"
    '<rfl:parameter name="a">{}</rfl:parameter><|call|>'
)


@pytest.mark.parametrize(
    ("text", "format_id"),
    [
        (QWEN.format("Hello</prameter>\n<paarameeter=number>42"), "qwen3_xml"),
        ("🛠️ plant bed-3\nradish 40\n🛠🔚️", "simple_agent"),
        ("<code>\na = 1\n</cdoe>\n<code>\nprint(a)\n</code>", "smolagents_code"),
        ("<execute_bash>\nls\n</xecute_ba", "codeact"),
        (BEAM.format('x</rfl:parameter>r<fl:parameter name="b">y'), "beam"),
        ("🛠️ plant bed-3\nradish 40\n🛠", "simple_agent"),
        ("🛠️ plant bed-3\nradish 40\n🛠️ 🔚", "simple_agent"),
        ("<tool>search</tool><tool_input>rye</tool_i7 /t>", "langchain_xml"),
        # A line that is no part of a value of one line.
        ("^^^edit\npath: a\ntitle alpha\nbody: b\n^^^", "code_assistant_caret"),
        ("```yaml\naction: edit\npath: a\ntitle:b\n```", "yaml_fence"),
        ("```yaml\naction: find\nparameter:\n  query: tide\n```", "yaml_fence"),
    ],
)
def test_a_value_that_holds_damaged_markup_is_doubted(text: str, format_id: str) -> None:
    check(text, format_id, "misspelt")


@pytest.mark.parametrize(
    ("value", "doubts"),
    [
        ('x</rfl:parameter>><rfl:parameter name="b">y', ["inner-argument"]),
        # The closer lost a character: what opens behind it closes nothing that stands before.
        ('x</rfl:parameter<rfl:parameter name="b">y', ["inner-argument", "misspelt"]),
        # Closer and opener, of which the second is damaged: that its element is closed changes nothing.
        ('x</rfl:parameter><rfl:parameter nme="b">y</rfl:parameter> z', ["stray-close-tag"]),
    ],
)
def test_a_value_that_may_hold_another_argument_is_doubted(value: str, doubts: list[str]) -> None:
    check(BEAM.format(value), "beam", *doubts)


@pytest.mark.parametrize(
    ("text", "format_id"),
    [
        (QWEN.format("<param>x</param>"), "qwen3_xml"),
        (QWEN.format("<parameters>x</parameters>"), "qwen3_xml"),
        (BEAM.format('<rfl:parameter name="b">x</rfl:parameter> is quoted'), "beam"),
        ("<code>\nprint('</p>')\n</code>", "smolagents_code"),
        ("🛠️ note how:\n  the sign 🛠️ is one", "simple_agent"),
        ("```yaml\naction: edit\ntext: a\n  goes on\nbody: b\n```", "yaml_fence"),
        ("^^^edit\ntext ---\na\nb\n--- text\n^^^", "code_assistant_caret"),
    ],
)
def test_a_value_with_tags_of_its_own_runs(text: str, format_id: str) -> None:
    check(text, format_id)


@pytest.mark.parametrize(
    "member",
    [
        '"argumetns": "x"',
        '"rguments": [1]',
        '"argumen"ts: {"route": "north"}',
    ],
)
def test_a_call_without_arguments_and_with_a_key_like_theirs_is_doubted(member: str) -> None:
    check(f'<tool_call>\n{{"name": "f", {member}}}\n</tool_call>', "hermes", "misspelt")


def test_a_key_with_two_faults_is_doubted_for_both() -> None:
    members = '"name": "f", "argumnets"": {"route": "north", "days": 1}'
    check(f"<tool_call>\n{{{members}}}\n</tool_call>", "hermes", "stray-close-tag", "misspelt")


@pytest.mark.parametrize("member", ['"reason": "x"', '"argument": "x", "arguments": {"a": 1}'])
def test_another_key_is_no_doubt(member: str) -> None:
    check(f'<tool_call>\n{{"name": "f", {member}}}\n</tool_call>', "hermes")


@pytest.mark.parametrize("key", ["parmeters", "paraemters", "argumens"])
def test_a_key_like_one_that_wraps_the_arguments_is_doubted(key: str) -> None:
    check(f"```yaml\naction: find\n{key}:\n  query: tide\n```", "yaml_fence", "misspelt")
    check(f"```yaml\naction: find\nquery: tide\nplace: {key}\n```", "yaml_fence")


@pytest.mark.parametrize("behind", ["``\nrm a\n```", "Now:```\nrm a\n```", "```\nrm a"])
def test_the_last_call_before_what_may_be_another_is_doubted(behind: str) -> None:
    check(f"```\nls\n```\nor\n{behind}", "swe_agent", "quoted-call")


def test_the_doubts_of_a_call_that_a_later_one_replaces_are_forgotten() -> None:
    text = "<command>\nls <comm\nnd>\n</command>\n<command>\nls\n</command>"
    result = toolgrammar.parse(text, format="swe_agent_xml")
    assert (result.ok, len(result.calls)) == (True, 1)
    check(text, "swe_agent_xml")


_ZED = "<edits>\n<old_text>\na\n</old_text>{}<new_text>\nb\n</new_text>\n{}</edits>".format(
    "{}", "<old_text>\nc\n</old_text>\n<new_text>\nd\n</new_text>\n"
)
_GLM = "<tool_call>f<arg_key>a</arg_key>{}</tool_call>"
_DSML = (
    '<｜DSML｜tool_calls>\n<｜DSML｜invoke name="f">\n{}</｜DSML｜invoke>\n</｜DSML｜tool_calls>'  # noqa: RUF001
)
_QWEN = (
    "<tool_call>\n<function=f>\n<parameter=a>\nx{}{}\ny\n</parameter>\n</function>\n</tool_call>"
)
_CDATA = (
    '<function name="f"><param name="a"><![CDATA[x]]></param>{} name="b"><![CDATA[y]]></param>'
    "</function>"
)
_NUMBER = '<｜DSML｜parameter name="n" string="false">{}</｜DSML｜parameter>\n'  # noqa: RUF001


@pytest.mark.parametrize(
    ("format_id", "text"),
    [
        # What may open a value is left out, or lost a character.
        ("glm47", _GLM.format("arg_value>1</arg_value>")),
        # The first half of a closer that was written twice.
        ("glm47", _GLM.format("<arg_value>1<</arg_value>")),
        # The value's own closer, and behind it the opener of the next one.
        ("zed_edits", _ZED.format(":")),
        # The same in one line, where a sign stands for the first one of the opener.
        ("qwen3_xml", _QWEN.format("</parameter>", "&parameter=b>")),
        ("qwen3_xml", _QWEN.format("</parameter>", ">parameter=b>")),
        ("minicpm5", _CDATA.format("[param")),
        # Closer and opener, of which the second is damaged.
        (
            "glm47",
            _GLM.format("<arg_value>1</arg_value><arg(]ey>b</arg_key><arg_value>2</arg_value>"),
        ),
        # The wire says that it is JSON.
        ("deepseek_v4", _DSML.format(_NUMBER.format("abc"))),
        # Its shape says so.
        ("yaml_fence", '```yaml\naction: f\nparameters:\n  a: {"b": 1, "c"| 2}\n```'),
        ("yaml_fence", '```yaml\naction: f\nparameters:\n  a: /{"b": 1}\n```'),
        # The opener of CDATA is damaged, and its closer is not.
        ("minicpm5", '<function name="f"><param name="a"><![CTA[b]]></param></function>'),
        # A mark that may be left of a quote.
        ("gemma4", '<|tool_call>call:f{a:[<|"|>b<|"|>,>,<|"|>c<|"|>]}<tool_call|>'),
        # And what is left of the token that stands for a quote.
        ("gemma4", '<|tool_call>call:f{a:[<|"|>b<|"|>,<|,<|"|>c<|"|>]}<tool_call|>'),
        # What holds the object, which lacks its brace, is a block.
        ("react", 'Action: f\nAction Input: ```json\n"a": 2}\n```'),
        # An empty object that nobody wrote.
        ("hermes", '<tool_call>\n{"name": "f", "arguments": {"a": [1, { {"b": 2}]}}\n</tool_call>'),
    ],
)
def test_small_damage_to_the_markup_of_a_value_is_a_doubt(format_id: str, text: str) -> None:
    result = toolgrammar.parse(text, format_id)
    assert result.calls
    assert not result.ok
    assert not result.calls[0].executable


@pytest.mark.parametrize("behind", [". Then", ", which", "` ends", ' " ends', " ends", "|"])
def test_a_closer_that_a_sentence_names_is_no_doubt(behind: str) -> None:
    text = _QWEN.format("", f" ends with </parameter>{behind} it")
    assert toolgrammar.parse(text, "qwen3_xml").ok


@pytest.mark.parametrize(
    "value", ['see "a": [1] or [2]', "[draft] notes", "[1, 2]", "a < b", "print(x[0])", '{"a": 1}']
)
def test_what_only_looks_like_json_is_no_doubt(value: str) -> None:
    text = f"```yaml\naction: f\nparameters:\n  a: {value}\n```"
    assert toolgrammar.parse(text, "yaml_fence").ok


@pytest.mark.parametrize("name", ["no_functin", "o_function", "no_funcn"])
def test_what_may_stand_for_no_call_does_not_run(name: str) -> None:
    text = f'<function_call> {{"name": "{name}", "arguments": {{}}}}'
    (call,) = toolgrammar.parse(text, "granite_20b_fc").calls
    assert call.doubts == ("misspelt",)


@pytest.mark.parametrize("format_id", ["granite_20b_fc", "auto"])
def test_a_call_that_stands_for_none_is_markup(format_id: str) -> None:
    text = 'Hi <function_call> {"name": "no_function", "arguments": {}}'
    result = toolgrammar.parse(text, format_id)
    assert (result.calls, result.diagnostics, result.text.strip()) == ((), (), "Hi")
    tool = {"name": "no_function", "parameters": {"properties": {}}}
    assert toolgrammar.parse(text, format_id, tools=[tool]).calls[0].executable
    assert toolgrammar.parse(text.replace("no_", "my_"), format_id).calls[0].executable


@pytest.mark.parametrize("written", ["\u201cOslo\u201d", "<|\u201c|>Oslo<|\u201c|>", "\u201eOslo"])
def test_a_quote_of_another_kind_is_a_doubt(written: str) -> None:
    check(f"<|tool_call>call:f{{city:{written},n:3}}<tool_call|>", "gemma4", "missing-quote")


@pytest.mark.parametrize("written", ["dogs\u2019", "<b>x</b>", "it\u2019s", "a|b"])
def test_a_word_without_such_a_quote_is_none(written: str) -> None:
    check(f"<|tool_call>call:f{{city:{written},n:3}}<tool_call|>", "gemma4")


def test_a_misspelt_token_for_quotes_is_a_doubt() -> None:
    text = "<start_function_call>call:f{city:<escpe>Oslo<escpe>}<end_function_call>"
    check(text, "functiongemma", "missing-quote")


def test_a_closer_that_kept_its_bars_is_a_doubt() -> None:
    text = _DSML.format(_NUMBER.format("abc").replace("false", "true").replace("</", "1"))
    check(text, "deepseek_v4", "misspelt")


def test_half_a_closer_of_reasoning_is_no_silent_text() -> None:
    assert not toolgrammar.parse("Done.<|close|>think\nHi", "kimi_k3").ok
    assert toolgrammar.parse("Done. Write `<|close|>think`.", "kimi_k3").ok


def test_a_number_that_is_none_is_a_doubt_however_it_is_read() -> None:
    text = (
        '<|open|>tools<|sep|><|open|>call tool="f" index="1"<|sep|><|open|>argument key="x" '
        'type="number"<|sep|><|sep|>1<|close|>argument<|sep|><|close|>call<|sep|>'
        "<|close|>tools<|sep|>"
    )
    check(text, "kimi_k3", "bare-text")


@pytest.mark.parametrize(
    ("text", "format_id", "doubt"),
    [
        ("[wipe()(path='/')]", "pythonic", "skipped-markup"),
        ("<|tool_call_start|>[wipe()(path='/')]<|tool_call_end|>", "lfm2", "skipped-markup"),
        ("<function_calls>wipe()(path='/')</function_calls>", "olmo3", "skipped-markup"),
        ('functions.wipe({})({path: "/"})', "ts_call", "skipped-markup"),
        ("[f(x=['a']], n=1)]", "pythonic", "missing-close-tag"),
        ("[f(x=['a' 'b'])]", "pythonic", "comma"),
    ],
)
def test_a_call_in_python_that_may_go_on_is_doubted(text: str, format_id: str, doubt: str) -> None:
    check(text, format_id, doubt)


@pytest.mark.parametrize(
    ("text", "format_id"),
    [
        ("[f(x='a' 'b')]", "pythonic"),
        ("[f(x=('a' 'b'))]", "pythonic"),
        ("functions.wipe({}) (see above)", "ts_call"),
    ],
)
def test_a_call_in_python_that_ends_there_runs(text: str, format_id: str) -> None:
    check(text, format_id)


@pytest.mark.parametrize(
    "value",
    ["<escape>Oslo<<escape>", "<escape>A<escape[)'escape>B<escape>", "<esescape>It is <escape>"],
)
def test_a_token_for_quotes_that_is_damaged_in_a_string_is_a_doubt(value: str) -> None:
    text = f"<start_function_call>call:f{{city:{value}}}<end_function_call>"
    check(text, "functiongemma", "missing-quote")


@pytest.mark.parametrize("body", ["rye\n", "rye</tool>\n"])
def test_a_value_that_swallows_the_next_call_is_doubted(body: str) -> None:
    text = f"<tool>a</tool><tool_input>{body}<tool>b</tool><tool_input>oat</tool_input>"
    check(text, "langchain_xml", "missing-close-tag")


def test_what_stands_before_the_elements_of_a_call_is_not_taken_for_its_text() -> None:
    text = '<str_replace path="a">({}<old_str>x</old_str>\n<new_str>y</new_str>\n</str_replace>'
    for between in ("\n", " \n"):
        result = toolgrammar.parse(text.format(between), "devin_xml")
        assert (result.calls, result.ok) == ((), False)


@pytest.mark.parametrize("name", ["[,{ctions.find", "be(}h", "plan=it", "list`beds"])
def test_a_name_with_a_bracket_or_a_quote_is_doubted(name: str) -> None:
    text = f'<tool_call>\n{{"name": "{name}", "arguments": {{}}}}\n</tool_call>'
    check(text, "hermes", "malformed-name")
