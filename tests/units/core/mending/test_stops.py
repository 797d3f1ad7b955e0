"""A stop string stands in for the closer that it is the beginning of, at the end of the text."""

from pathlib import Path

import pytest

import toolgrammar
from tests.units.core.cuts import read, save

RULES = r"""
%import .common.text (TEXT, RAW, NAME)
start: (TEXT | call)*
call: "<do " name ">" input "</do>"
name: NAME
input: RAW
"""


@pytest.mark.parametrize(
    ("text", "body"),
    [
        ("<do f>a", "a"),
        ("<do f>a</d", "a"),
        ("<do f>a</", "a"),
        ("<do f>a<", "a<"),
        # The stop string would have ended the text at the closer in it.
        ("<do f>a <do g>b</do> c", "a <do g>b</do> c"),
    ],
)
@pytest.mark.parametrize("stop", ["</do>", "</do"])
def test_what_the_server_took_away_counts_as_read(
    tmp_path: Path, text: str, body: str, stop: str
) -> None:
    result = read(save(tmp_path, f'stop: "{stop}"', RULES), text)
    assert [(call.input, call.status) for call in result.calls] == [(body, "complete")]
    # A `<` at the end may be the value's last character, or the first one of a closer.
    doubts = ("misspelt",) if body == "a<" else ("missing-close-tag",) if "<do" in body else ()
    assert tuple(each.code for each in result.diagnostics) == result.calls[0].doubts == doubts


@pytest.mark.parametrize("stop", ["Observation:", "</done>"])
def test_another_stop_string_stands_in_for_nothing(tmp_path: Path, stop: str) -> None:
    (call,) = read(save(tmp_path, f'stop: "{stop}"', RULES), "<do f>a").calls
    assert call.status == "truncated"


def test_a_text_that_the_server_cut_is_truncated(tmp_path: Path) -> None:
    grammar = save(tmp_path, 'stop: "</do>"', RULES)
    (call,) = read(grammar, "<do f>a", finish_reason="length").calls
    assert call.status == "truncated"


def test_strict_reading_knows_the_stop_strings_too(tmp_path: Path) -> None:
    grammar = save(tmp_path, 'stop: "</do>"', RULES)
    (call,) = toolgrammar.parse("<do f>a", format=grammar, strict=True).calls
    assert (call.input, call.status) == ("a", "complete")
    assert toolgrammar.parse("<do f>a</", format=grammar, strict=True).calls == (call,)


@pytest.mark.parametrize("tail", ["", "\n", "\n</func"])
def test_the_closer_of_a_section(tail: str) -> None:
    text = (
        "<function_calls>\n<invoke>\n<tool_name>f</tool_name>\n<parameters>\n"
        f"<hours>6</hours>\n</parameters>\n</invoke>{tail}"
    )
    result = read("anthropic_legacy", text)
    assert [call.status for call in result.calls] == ["complete"]
    assert result.diagnostics == ()


def test_a_call_without_its_own_closer_is_cut_all_the_same() -> None:
    text = "<function_calls>\n<invoke>\n<tool_name>f</tool_name>\n<parameters>\n<hours>6</hours>\n"
    (call,) = read("anthropic_legacy", text).calls
    assert call.status == "truncated"


@pytest.mark.parametrize(
    ("form", "text", "payload"),
    [
        ("react", "Action: bash\nAction Input: rm -rf /tmp", "rm -rf /tmp"),
        ("functionary_v3_1", "<|python_tag|>print(1", "print(1"),
        ("simple_agent", "🛠️ bash ls\n", "ls"),
        ("simple_agent_bracket", "🛠️[bash rm -rf /tmp]", "rm -rf /tmp"),
        ("harmony", "<|channel|>analysis to=python code<|message|>print(1)", "print(1)"),
    ],
)
def test_a_call_that_only_the_end_of_the_text_closes_says_that_the_server_cut_it(
    form: str, text: str, payload: str
) -> None:
    cut = read(form, text, finish_reason="length")
    assert [(call.input, call.status) for call in cut.calls] == [(payload, "truncated")]
    assert [(each.code, each.severity) for each in cut.diagnostics] == [("truncated", "error")]
    assert not cut.ok
    whole = read(form, text)
    assert [(call.input, call.status) for call in whole.calls] == [(payload, "complete")]
    assert whole.ok


def test_a_cut_call_is_no_reason_to_look_for_another_format() -> None:
    text = "Action: bash\nAction Input: rm -rf /tmp"
    (call,) = toolgrammar.parse(text, format="auto", finish_reason="length").calls
    assert (call.name, call.input, call.status) == ("bash", "rm -rf /tmp", "truncated")


def test_a_payload_that_closes_itself_is_whole_where_the_server_cut_what_follows() -> None:
    text = 'Action: bash\nAction Input: {"command": "ls"}'
    (call,) = read("react", text, finish_reason="length").calls
    assert (call.arguments, call.status) == ({"command": "ls"}, "complete")


def test_a_number_that_the_server_may_have_cut_is_left_out() -> None:
    text = "TOOL: search\nquery: a\nlimit: 3"
    (cut,) = read("reploid0", text, finish_reason="length").calls
    assert (cut.arguments, cut.status) == ({"query": "a"}, "truncated")
    (whole,) = read("reploid0", text).calls
    assert (whole.arguments, whole.status) == ({"query": "a", "limit": 3}, "complete")


WEATHER: list[dict[str, object]] = [
    {
        "name": "shell",
        "parameters": {
            "type": "object",
            "properties": {"id": {"type": "string"}, "wait": {"type": "integer"}},
        },
    }
]


@pytest.mark.parametrize(
    ("text", "arguments"),
    [
        ('<shell id="main" wait="3', {"id": "main"}),
        ('<shell wait="3"', {"wait": 3}),
        ('<shell id="ma', {"id": "ma"}),
        ('<shell wait="3" id="ma', {"wait": 3, "id": "ma"}),
    ],
)
def test_half_a_number_in_an_attribute_is_left_out(text: str, arguments: object) -> None:
    result = read("devin_xml", text, WEATHER)
    assert [(call.arguments, call.status) for call in result.calls] == [(arguments, "truncated")]
    assert [each.code for each in result.diagnostics] == ["truncated"]


@pytest.mark.parametrize("mark", ["|", "|-", "|\n", "| "])
def test_a_mark_before_a_block_of_text_is_no_part_of_it(mark: str) -> None:
    (call,) = read("yaml_fence", f"```yaml\naction: bash\ncommand: {mark}").calls
    assert (call.arguments, call.status) == ({"command": ""}, "truncated")
