"""A call in a text that shows it to people is doubted, wherever the text around it came from."""

import pytest

from tests.units.core.cuts import read
from toolgrammar import ToolCall, formats
from toolgrammar.core.evidence.reasoning_marks import REASONING_CLOSERS

_TOOLS: list[dict[str, object]] = [
    {"name": name, "parameters": {"properties": {}}}
    for name in ("tide", "calc", "look", "edit", "command", "shell", "python_interpreter")
]
_DIFF = "a.py\n```python\n<<<<<<< SEARCH\na\n=======\nb\n>>>>>>> REPLACE\n```"
_TIDE = '<tool_call>\n{"name": "tide", "arguments": {}}\n</tool_call>'
_CHANNELS = '<|open|>tools<|sep|><|open|>call tool="calc" index="1"<|sep|><|close|>call<|sep|><|close|>tools<|sep|>'
_PARALLEL = '<multi_tool_use mode="parallel">\n<tide></tide>\n<look></look>\n</multi_tool_use>'
_ANSWER = "<|open|>response<|sep|>So:<|close|>response<|sep|>"


@pytest.mark.parametrize(
    ("format_id", "block"),
    [
        ("gptme_markdown", "```shell\nls\n```"),
        ("continue_tool", "```tool\nTOOL_NAME: look\n```"),
        ("bash_fence", "```bash\nls\n```"),
        ("swe_agent", "I look.\n```\nls\n```\nThen I read."),
        # The first island is no block of code: the outer fence stands before it.
        ("smolagents_code", 'Thought: look\n```py\nlook("quay")\n```'),
        ("gptme_markdown", "<think>\nMaybe.\n</think>\n```shell\nls\n```"),
        ("aider_diff", f"{_DIFF}\n\n{_DIFF.partition(chr(10))[2]}"),
    ],
)
@pytest.mark.parametrize("fence", ["~~~", "~~~~"])
def test_blocks_of_code_in_a_block_of_tildes_do_not_run(
    format_id: str, block: str, fence: str
) -> None:
    shown = read(format_id, f"So:\n\n{fence}\n{block}\n{fence}\n\nIt is read.\n", tools=_TOOLS)
    assert shown.calls
    assert not any(call.executable for call in shown.calls)
    alone = read(format_id, f"{fence}\nx\n{fence}\n\n{block}", tools=_TOOLS)
    assert all(call.executable for call in alone.calls)


def test_a_call_behind_a_block_in_a_longer_block_does_not_run() -> None:
    text = f"````\n```py\nx = 1\n```\n{_TIDE}\n````\nSo it is."
    (call,) = read("hermes", text, tools=_TOOLS).calls
    assert call.doubts == ("quoted-call",)


@pytest.mark.parametrize(
    ("format_id", "section"),
    [
        ("minimax_m1", '<tool_calls>\n{"name": "tide"}\n{"name": "look"}\n</tool_calls>'),
        (
            "roo_multi",
            _PARALLEL,
        ),
    ],
)
@pytest.mark.parametrize("fence", ["```", "~~~~"])
def test_all_calls_of_a_section_stand_in_its_block(
    format_id: str, section: str, fence: str
) -> None:
    # A tool `command` would make the block a call of another format.
    tools = [tool for tool in _TOOLS if tool["name"] in ("tide", "look")]
    for given in (format_id, [format_id, "hermes"], "auto"):
        shown = read(given, f"So:\n\n{fence}\n{section}\n{fence}\n\nThat is how.\n", tools=tools)
        assert [call.doubts for call in shown.calls] == [("quoted-call",)] * 2
        meant = read(given, f"{fence}\n{section}\n{fence}\n", tools=tools)
        assert [call.executable for call in meant.calls] == [True] * 2


def test_text_behind_the_block_of_a_section_that_nothing_closes_is_not_lost() -> None:
    text = '```\n<tool_calls>\n{"name": "tide", "arguments": {}}\n```\n\nThat is how.'
    (call,) = read("minimax_m1", text, tools=_TOOLS).calls
    assert call.doubts == ("quoted-call",)


@pytest.mark.parametrize(
    ("format_id", "text"),
    [
        ("kimi_k3", f"<!-- {_ANSWER}{_CHANNELS} -->\nDone."),
        ("kimi_k3", f"They wrote:\n> {_ANSWER}{_CHANNELS}\n\nHm."),
        (
            "hunyuan_a13b",
            '<!-- <answer>\nSo.\n<tool_calls>[{"name": "tide"}]</tool_calls></answer>',
        ),
        ("swe_agent", "<!-- I look.\n```\nls\n```\nSo. -->\nDone."),
    ],
)
def test_what_stands_before_the_text_of_an_envelope_counts(format_id: str, text: str) -> None:
    calls = read(format_id, text, tools=_TOOLS).calls
    assert [call.doubts for call in calls] == [("quoted-call",)]


@pytest.mark.parametrize("format_id", ["hermes", "auto"])
def test_calls_in_preformatted_text_of_html_do_not_run(format_id: str) -> None:
    text = f"<p>So:</p>\n<pre>\nLook.\n{_TIDE}\n{_TIDE}</pre>\n{_TIDE}"
    found = [call.doubts for call in read(format_id, text, tools=_TOOLS).calls]
    assert found == [("quoted-call",), ("quoted-call",), ()]
    # In a sentence it is a word about HTML.
    assert read(format_id, f"The page has a <pre> tag.\n{_TIDE}", tools=_TOOLS).ok


def test_a_string_that_ends_in_the_payload_of_its_last_call_is_a_string() -> None:
    text = '"Look:\\n<tool>search</tool><tool_input>rye\\n"'
    (call,) = read("langchain_xml", text).calls
    assert "quoted-call" in call.doubts


@pytest.mark.parametrize("format_id", ["hermes", "auto", "hermes,qwen3_xml"])
@pytest.mark.parametrize(
    ("before", "behind"),
    [
        ("<example>\nSo:\n", "\n</example>"),
        ('<details class="x">\nSo:\n', "\nAnd so on.\n</details>"),
        ("<scratchpad>\nI could write\n", "\n</scratchpad>"),
        ("They wrote:\n[quote=Ada]\nSo:\n", "[/quote]"),
        ("[code]", "[/code]"),
        ("\\begin{verbatim}\nSo:\n", "\n\\end{verbatim}"),
        ("/*\n * So:\n", "\n */"),
        ("#+begin_src xml\n", "\n#+end_src"),
        ("  #+BEGIN_QUOTE\nSo:\n", "\n  #+END_QUOTE"),
        ("#+BEGIN_SRC\n", "\n#+END_SRC"),
        ("<PRE>\nSo:\n", "\n</PRE>"),
        ("<Thought>\nPerhaps:\n", "\n</thought>"),
        ("<web_page>\nIt says:\n", "\n</web_page>"),
        ("[QUOTE]So:\n", "[/QUOTE]"),
        ("\\begin{Verbatim}\nSo:\n", "\n\\end{Verbatim}"),
        ("{code:xml}\nSo:\n", "\n{code}"),
        ("=begin\nSo:\n", "\n=end"),
        (":::example\nSo:\n", "\n:::"),
        ("[source,xml]\n----\n", "\n----"),
        ("{% comment %}\nSo:\n", "\n{% endcomment %}"),
        ("{{!-- So:\n", " --}}"),
        ("<%-- So:\n", "\n--%>"),
    ],
)
def test_calls_in_markup_that_shows_text_do_not_run(
    format_id: str, before: str, behind: str
) -> None:
    text = f"{before}{_TIDE}\n{_TIDE}{behind}\n\n{_TIDE}"
    found = [call.doubts for call in read(format_id, text, tools=_TOOLS).calls]
    assert found == [("quoted-call",), ("quoted-call",), ()]
    # What is closed before the call shows nothing.
    assert read(format_id, f"{before}x{behind}\n{_TIDE}", tools=_TOOLS).ok


@pytest.mark.parametrize("format_id", ["hermes", "mistral_json", "react", "hermes,qwen3_xml"])
@pytest.mark.parametrize(("closer", "opener"), REASONING_CLOSERS.items())
def test_calls_in_reasoning_of_any_model_do_not_run(
    format_id: str, closer: str, opener: str
) -> None:
    first = format_id.partition(",")[0]
    call = formats[first].render([ToolCall("tide", {})])
    text = f"{opener}\nPerhaps:\n{call}\nor not.\n{closer}\nDone."
    assert not any(each.executable for each in read(format_id, text, tools=_TOOLS).calls)
    # Without the opener, the call was emitted before the closer came.
    late = read(format_id, text.removeprefix(opener), tools=_TOOLS)
    assert [each.code for each in late.diagnostics] == ["unopened-reasoning"]
    assert not late.ok
    # A mark in a sentence is a word.
    assert read(format_id, f"The mark {opener} is read.\n{call}", tools=_TOOLS).ok


@pytest.mark.parametrize("format_id", ["hermes", "auto"])
@pytest.mark.parametrize("options", ["", "   :linenos:\n"])
def test_calls_in_a_block_of_code_of_restructured_text_do_not_run(
    format_id: str, options: str
) -> None:
    indented = "\n".join(f"    {line}" for line in _TIDE.split("\n"))
    text = f"So:\n\n.. code-block:: xml\n{options}\n{indented}\n\nThat is how.\n{_TIDE}"
    found = [call.doubts for call in read(format_id, text, tools=_TOOLS).calls]
    assert found == [("quoted-call",), ()]


def test_a_separator_shows_nothing() -> None:
    assert read("hermes", f"I look:\n----\n{_TIDE}\n----\nThen I read.", tools=_TOOLS).ok


def test_calls_in_here_documents_do_not_run() -> None:
    (call,) = read("hermes", f"cat > calls.md <<'END'\n{_TIDE}\nEND\n", tools=_TOOLS).calls
    assert call.doubts == ("quoted-call",)
    assert read("hermes", f"cat > calls.md <<'END'\nx\nEND\n{_TIDE}\n", tools=_TOOLS).ok


def test_calls_in_cdata_do_not_run() -> None:
    text = f"See <![CDATA[\nSo:\n{_TIDE}]]>\n\n{_TIDE}"
    found = [call.doubts for call in read("hermes", text, tools=_TOOLS).calls]
    assert found == [("quoted-call",), ()]


@pytest.mark.parametrize("format_id", ["hermes", "auto"])
@pytest.mark.parametrize(
    ("before", "behind"),
    [
        ("A call (", ") is read."),
        ("[", "](https://example.org/calls) says how."),
        ("| markup | what it is |\n|---|---|\n| ", " | a call |\n"),
        ("{{ ", " }}"),
        ("$$", "$$"),
        ("Look: /* ", " */"),
        ('x = """\n', '\n"""\n'),
        ("x = '''\n", "\n'''\n"),
        ("{{\n", "\n}} is replaced."),
        ("(* ", " *)"),
        ("{- ", " -}"),
        ("{#\n", "\n#} is left out."),
        ("<# ", " #>"),
        ("<%# ", " %>"),
        ("--[[ ", " ]]"),
        ("\uff08", "\uff09\u3002"),
        ("\uff08\n", "\n\uff09"),
        ("\u4f8b\u5982\u3010", "\u3011"),
        ("\u300a", "\u300b"),
        ("\u3014", "\u3015"),
        ("\uff3b", "\uff3d"),
    ],
)
def test_calls_between_marks_that_set_text_apart_do_not_run(
    format_id: str, before: str, behind: str
) -> None:
    (call,) = read(format_id, f"{before}{_TIDE}{behind}", tools=_TOOLS).calls
    assert call.doubts == ("quoted-call",)
    # The mark alone is a word, or a slip of the model.
    assert read(format_id, f"{before}{_TIDE}\nSo it is.", tools=_TOOLS).ok


@pytest.mark.parametrize(
    "line", ["// ", "# ", "-- ", "; ", "% ", "+", "-", "+  ", "-    ", "$ ", ">", " >>"]
)
def test_calls_in_lines_that_comment_or_show_do_not_run(line: str) -> None:
    (call,) = read("hermes", f"So:\n{line}{_TIDE}\n", tools=_TOOLS).calls
    assert call.doubts == ("quoted-call",)
    assert read("hermes", f"{line}a line before\n{_TIDE}\n", tools=_TOOLS).ok


@pytest.mark.parametrize(
    "line",
    ["- ", "-   ", "1. ", "* ", "**Call:** ", "Look in src/*, then ", "[Code](a.html) is here. "],
)
def test_items_of_lists_and_words_show_nothing(line: str) -> None:
    assert read("hermes", f"So:\n{line}{_TIDE}\n", tools=_TOOLS).ok


@pytest.mark.parametrize("format_id", ["hermes", "auto"])
@pytest.mark.parametrize("fence", ["```", "~~~"])
def test_blocks_in_languages_of_texts_show_what_they_hold(format_id: str, fence: str) -> None:
    # With a tool `command` any block would be one of swe_agent.
    tools = _TOOLS[:1]
    for language in ("markdown", "md", "Markdown", "HTML", "diff", 'rst title="x"', "log"):
        (call,) = read(format_id, f"So:\n{fence}{language}\n{_TIDE}\n{fence}", tools=tools).calls
        assert call.doubts == ("quoted-call",)
    for language in ("", "json", "xml", "text", "mdl"):
        assert read(format_id, f"So:\n{fence}{language}\n{_TIDE}\n{fence}", tools=tools).ok


def test_blocks_in_languages_of_texts_show_lists_of_calls() -> None:
    for language in ("markdown", "Markdown", "HTML"):
        (call,) = read("pythonic", f"So:\n```{language}\n[tide()]\n```", tools=_TOOLS[:1]).calls
        assert call.doubts == ("quoted-call",)
    assert read("pythonic", "So:\n```python\n[tide()]\n```", tools=_TOOLS[:1]).ok


@pytest.mark.parametrize(
    ("format_id", "text"),
    [
        ("xlam", '[{"name": "tide", "arguments": {}}]'),
        (
            "langchain_structured_chat",
            'Action:\n```json\n{"action": "tide", "action_input": {}}\n```',
        ),
        ("fenced_tool_call", '```tool_call\n{"name": "tide", "arguments": {}}\n```'),
    ],
)
def test_the_end_of_a_longer_fence_opens_no_block_of_calls(format_id: str, text: str) -> None:
    calls = read(format_id, f"So:\n````\n{text}\n````\nThat is how.", tools=_TOOLS[:1]).calls
    assert [call.doubts for call in calls] == [("quoted-call",)]


def test_where_only_the_last_call_counts_one_in_a_value_does_not_run() -> None:
    text = '{"answer": "So: <command>\\nls\\n</command>"}'
    assert [call.doubts for call in read("swe_agent_xml", text).calls] == [("quoted-call",)]
    assert read("swe_agent_xml", "I look.\n<command>\nls\n</command>").ok


@pytest.mark.parametrize("format_id", ["pythonic", "llama4_pythonic", "auto"])
@pytest.mark.parametrize(
    ("head", "end"),
    [
        ("def f():", ""),
        ("async def f(a: int) -> None:", ""),
        ("for each in (1, 2):\n    x = each\n", ""),
        ("if ok:", "\nelse:\n    pass"),
        ("    try:", "\n    except ValueError:\n        raise"),
        ("function f() {", "\n}"),
    ],
)
def test_calls_in_blocks_of_unfenced_code_do_not_run(format_id: str, head: str, end: str) -> None:
    calls = read(
        format_id, f"{head}\n        tide()\n        tide(){end}\n", tools=_TOOLS[:1]
    ).calls
    assert [call.doubts for call in calls] == [("quoted-call",)] * 2
    # What stands behind the block runs.
    *_, last = read(format_id, f"{head}\n        x = 1{end}\ntide()\n", tools=_TOOLS[:1]).calls
    assert last.executable


@pytest.mark.parametrize("before", ["I look:\n    ", "If need be:\n  ", "- one:\n    ", "{\n}\n  "])
def test_an_indented_call_below_prose_runs(before: str) -> None:
    assert read("pythonic", f"{before}tide()\n", tools=_TOOLS[:1]).ok


@pytest.mark.parametrize(
    "head", ["if ok:\n", "def f():\r\n", "else: \n", "if (ok) {\n", "So::\n\n"]
)
def test_a_call_in_tags_in_a_block_of_code_does_not_run(head: str) -> None:
    (call,) = read("hermes", f"{head}    {_TIDE}\n", tools=_TOOLS).calls
    assert call.doubts == ("quoted-call",)
    assert read("hermes", f"{head}{_TIDE}\n", tools=_TOOLS).ok


def test_a_call_right_below_a_block_of_code_runs() -> None:
    calls = read("pythonic", "def f():\n    tide()\ntide()\n", tools=_TOOLS[:1]).calls
    assert [call.executable for call in calls] == [False, True]


def test_a_straight_quotation_mark_counts_right_behind_a_call_alone() -> None:
    assert read("hermes", f'I say "{_TIDE}\n"high" it is.', tools=_TOOLS).ok
    assert not read("hermes", f'I say "{_TIDE}" to it.', tools=_TOOLS).ok


def test_a_string_of_an_object_goes_on_over_closers_of_calls() -> None:
    """The first call in it can't be read, and its closer does not end the string."""
    inner = '<tool-use>\\n<save args=\\"a\\">\\nx\\n</save>\\n<shell>ls</shell>\\n</tool-use>'
    tools: list[dict[str, object]] = [
        {"name": name, "parameters": {"properties": {}}} for name in ("save", "shell")
    ]
    [call] = read("devin_xml", f'{{"answer": "{inner}", "done": true}}', tools).calls
    assert call.doubts == ("quoted-call",)
    assert read("devin_xml", '{"answer": "ok"}\n<shell>ls</shell>', tools).calls[0].executable


@pytest.mark.parametrize(
    ("opening", "closing"),
    [("~~", "~~"), ("(", ")"), ('"', '"'), ("\u201c", "\u201d"), ("[", "](url)"), ("See ~~", "~~")],
)
def test_a_label_may_stand_between_a_mark_and_the_call(opening: str, closing: str) -> None:
    block = 'Action:\n```json\n{"action": "tide", "action_input": {}}\n```'
    shown = read("langchain_structured_chat", f"{opening}{block}{closing}", _TOOLS)
    assert [call.doubts for call in shown.calls] == [("quoted-call",)]
    assert read("langchain_structured_chat", block, _TOOLS).ok
    shown = read("hermes", f"{opening}Example:\r\n{_TIDE}{closing}", _TOOLS)
    assert [each.doubts for each in shown.calls] == [("quoted-call",)]


@pytest.mark.parametrize("before", ["It's this:\n", '"Yes" so:\n', "(a) Call:\n"])
def test_a_mark_that_a_label_does_not_follow_opens_no_quotation(before: str) -> None:
    assert read("hermes", f"{before}{_TIDE}' or \" or )", _TOOLS).calls[0].executable


@pytest.mark.parametrize("before", ["text: |\n    ", "cat <<EOF\n", "body ---\n", "def f():\n    "])
def test_what_shows_a_call_may_have_line_ends_of_windows(before: str) -> None:
    tools: list[dict[str, object]] = [
        {"name": "tide", "parameters": {"properties": {"body": {"type": "string"}}}}
    ]
    for text in (before, before.replace("\n", "\r\n")):
        shown = read("hermes", f"{text}{_TIDE}", tools)
        assert [call.executable for call in shown.calls] == [False]
