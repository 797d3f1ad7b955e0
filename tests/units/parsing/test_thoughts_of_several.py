"""A thought without a closer of its own ends before calls, in whatever format these are written."""

import pytest

import toolgrammar
from toolgrammar import Parser, ParseResult, parse

TOOLS = [{"name": "search", "parameters": {"properties": {"q": {"type": "string"}}}}]
CALL = '<tool_call>\n{"name": "search", "arguments": {"q": "a"}}\n</tool_call>'
FENCE = '```json\n{"name": "search", "arguments": {"q": "a"}}\n```'


def read(text: str, format: str | list[str] = "auto") -> ParseResult:
    """Reads a text whole and, with the same result, in every cutting in two and by characters."""
    result = parse(text, format, tools=TOOLS)
    cuttings = [[text[:at], text[at:]] for at in range(len(text))]
    for pieces in [*cuttings, list(text)]:
        parser = Parser(format, tools=TOOLS)
        for piece in pieces:
            parser.feed(piece)
        parser.close()
        assert parser.result == result, pieces
    return result


@pytest.mark.parametrize("call", [CALL, FENCE, "<search>\n<q>a</q>\n</search>", 'search(q="a")'])
@pytest.mark.parametrize(
    "format", ["auto", ["react", "hermes", "fenced_json", "roo_xml", "pythonic"]]
)
def test_calls_at_the_end_of_a_thought(call: str, format: str | list[str]) -> None:
    result = read(f"Thought: I need it.\n{call}", format)
    assert [(each.name, each.arguments, each.executable) for each in result.calls] == [
        ("search", {"q": "a"}, True)
    ]
    assert (result.reasoning, result.text, result.ok) == ("I need it.", "", True)
    assert result.calls[0].status == "complete"  # no closer is missing


def test_each_thought_has_its_call() -> None:
    result = read(f"Thought: one\n{CALL}\nThought: two\n{FENCE}")
    assert [each.executable for each in result.calls] == [True, True]
    assert result.reasoning == "onetwo"


def test_a_cut_answer() -> None:
    """The last thought may go on; that the answer was cut comes too late for the first one."""
    text = f"Thought: one\n{CALL}\nThought: two\n{CALL}"
    whole = parse(text, tools=TOOLS, finish_reason="length")
    parser = Parser(tools=TOOLS)
    parser.feed(text)
    parser.close("length")
    assert parser.result == whole
    assert [each.executable for each in whole.calls] == [True]


def test_a_call_behind_which_the_label_of_another_stands() -> None:
    result = read(f'Thought: one\n{CALL}\nAction: search\nAction Input: {{"q": "b"}}')
    assert [each.arguments["q"] for each in result.calls] == ["a", "b"]


def test_a_result_that_the_model_made_up_behind_it() -> None:
    result = read(f"Thought: one\n{CALL}\nObservation: none\nThought: two\n{CALL}")
    assert [each.executable for each in result.calls] == [True, False]


def test_words_behind_the_call_keep_it_in_the_thought() -> None:
    """The thought may only weigh it: it does not run, and that is told."""
    result = read(f"Thought: I could write\n{CALL}\nbut I do not.")
    assert (result.calls, result.ok) == ((), False)


CLOSED = [
    (each, f"{opener}\n", closer)
    for each in sorted(toolgrammar.formats)
    for closer, opener in toolgrammar.formats[each].tables.reasoning_tags.items()
]
"""The formats with tags of reasoning, with the opener and the closer."""


@pytest.mark.parametrize("call", [CALL, FENCE])
@pytest.mark.parametrize(
    ("form", "opener", "closer"),
    [*CLOSED, ("harmony", "<|channel|>analysis<|message|>", "<|end|>")],
)
def test_calls_in_closed_reasoning_do_not_run(
    form: str, opener: str, closer: str, call: str
) -> None:
    """Also where the format may leave the closer out: here the model has written it."""
    text = f"{opener}I could do so:\n{call}\n{closer}\nDone."
    for several in ([form, "hermes", "fenced_json"], "auto"):
        result = parse(text, several, tools=TOOLS)
        assert not any(each.executable for each in result.calls), several


def test_code_in_a_thought() -> None:
    text = 'Thought: so\n```sh\nls\n```\nis it.\nAction: search\nAction Input: {"q": "b"}'
    result = read(text)
    assert [each.arguments for each in result.calls] == [{"q": "b"}]
    assert "ls" in result.reasoning
    assert result.ok


@pytest.mark.parametrize("word", ["Ok", "json", "Sure.", "assistant", "tool_call"])
def test_a_word_above_an_object_is_no_name(word: str) -> None:
    result = read(f'{word}\n{{"name": "search", "arguments": {{"q": "a"}}}}')
    assert [(each.name, each.executable) for each in result.calls] == [("search", True)]
    assert result.text == word


def test_a_word_above_text_is_no_name_of_a_language() -> None:
    result = read(f"python\n{CALL}")
    assert [each.name for each in result.calls] == ["search"]


def test_the_name_of_a_tool_above_an_object_is_one() -> None:
    assert [each.name for each in read('search\n{"q": "a"}').calls] == ["search"]
