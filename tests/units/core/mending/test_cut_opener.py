"""A call that the text cuts before it is certain is text, and told of."""

import pytest

from tests.units.core.cuts import read
from toolgrammar import Parser, parse
from toolgrammar.testing.depth import if_quick


@pytest.mark.parametrize(
    ("format_id", "text"),
    [
        ("hermes", "<tool_call>\n{"),
        ("hermes", 'I look.\n<tool_call>\n{"name": "sea'),
        ("glm45", "<tool_call>get_wea"),
        ("kimi_k2", "<|tool_calls_section_begin|><|tool_call_begin|>functions.a:"),
        ("harmony", "<|channel|>commentary to=functions.get_wea"),
        ("anthropic_invoke", '<invoke name="get_wea'),
        ("mistral_v11", "[TOOL_CALLS]get_wea"),
        ("lfm2", "<|tool_call_start|>[get_weather(ci"),
        ("phi4_mini", 'functools[{"name": "get'),
        ("minimax_m3", ']<]minimax[>[<tool_call>\n]<]minimax[>[<invoke name="se'),
        ("reploid", "TOOL_CALL: ReadFile\nARGS"),
        ("qwen3_xml", "<tool_call>\n<function=get_wea"),
        ("gemma4", "<|tool_call>call:get_wea"),
        ("xlam", "[{'name': 'get_wea"),
        ("granite", "[{\u201cname\u201d: \u201cget_wea"),
        ("smolagents_json", "Action:\n{'name': 'get_wea"),
    ],
)
def test_a_beginning_is_told_of(format_id: str, text: str) -> None:
    result = read(format_id, text)
    assert (result.calls, result.text, result.ok) == ((), text, False)
    assert "truncated" in [each.code for each in result.diagnostics]


@pytest.mark.parametrize(
    ("format_id", "text"),
    [
        ("hermes", "Wrap it in <tool_call>"),
        ("hermes", "Wrap it in <tool_call>\n"),
        ("hermes", "Wrap it in <tool_call> tags"),
        ("hermes", "Wrap it in <tool_call>."),
        ("glm45", "Wrap it in <tool_call> tags"),
        ("glm45", "Wrap it in <tool_call>."),
        ("glm45", "Wrap it in `<tool_call>`"),
        ("glm45", 'Wrap it in "<tool_call>"'),
        ("glm45", "Wrap it in <tool_call>, then"),
        ("glm45", "A second `<tool_call>` starts the next call."),
        ("glm45", "It takes (`<tool_call>(.*)` to the end);"),
        ("mistral_v11", "The token is [TOOL_CALLS]"),
        ("mistral_v11", "The token is [TOOL_CALLS], I think"),
        ("mistral_v11", "The token is [TOOL_CALLS] and"),
        ("react", "Action: none"),
        ("hunyuan_a13b", "<tool_calls>[]"),
        ("yaml_fence", "```yaml\nname: build\nsteps:\n  action: none\n```"),
        ("pythonic", "See [note"),
        ("langchain_xml", "Press the <tool>"),
        ("xlam", "It's named so: [{'title': 'get_wea"),
        ("smolagents_json", "Action:\nThe name 'get_wea"),
        ("qwen3_xml", "Write <function=NAME> and <tool_call>"),
    ],
)
def test_prose_that_names_an_opener_is_not(format_id: str, text: str) -> None:
    result = read(format_id, text)
    assert (result.calls, result.ok) == ((), True)


@pytest.mark.parametrize(
    ("format_id", "text"),
    [
        ("kimi_k2", "<|tool_call_begin|>functions.b:"),
        ("kimi_k2", "<|tool_call_begin|>"),
        ("granite", ', {"name": "ge'),
        ("nemotron_deci", ', {"na'),
    ],
)
def test_of_a_section_too(format_id: str, text: str) -> None:
    first = {
        "kimi_k2": "<|tool_calls_section_begin|><|tool_call_begin|>functions.a:0"
        "<|tool_call_argument_begin|>{}<|tool_call_end|>",
        "granite": '<|tool_call|>[{"name": "a", "arguments": {}}',
        "nemotron_deci": '<TOOLCALL>[{"name": "a", "arguments": {}}',
    }[format_id]
    result = read(format_id, first + text)
    assert ([call.name for call in result.calls], result.ok) == (["a"], False)
    assert read(format_id, first).ok
    assert read(format_id, first + "\n").ok
    assert read(format_id, first + ("," if text.startswith(",") else "")).ok


@pytest.mark.parametrize("text", ["TOOL: wri", "TOOL: write_file\n", "TOOL: now\nTOOL: wri"])
def test_a_name_that_ends_a_cut_text_is_not_complete(text: str) -> None:
    assert read("reploid0", text).calls[-1].executable
    *before, last = read("reploid0", text, finish_reason="length").calls
    assert (last.status, last.executable) == ("truncated", False)
    assert all(call.executable for call in before)


@pytest.mark.parametrize(
    ("format_id", "text"),
    [
        ("llama3_json", '{"name": "plan_tou'),
        ("fenced_json", '```json\n{"name": "plan_tou'),
        ("mcp_json", '{"tool": "plan_tou'),
        ("continue_tool", "```tool\nTOOL_NAME: plan_tou"),
        ("yaml_fence", "```yaml\naction: plan_tou"),
    ],
)
def test_what_data_may_begin_with_too_is_cut_all_the_same(format_id: str, text: str) -> None:
    result = read(format_id, text)
    [problem] = result.diagnostics
    assert (result.calls, result.text) == ((), text)
    assert (problem.code, problem.severity) == ("truncated", "error")
    assert read("auto", text).diagnostics == ()


@pytest.mark.parametrize(
    ("format_id", "opener"),
    [("hermes", "<tool_call>\n"), ("glm45", "<tool_call>"), ("reploid0", "TOOL: ")],
)
@pytest.mark.parametrize("blanks", ["\n", " \n", "\t\r\n"])
def test_white_space_behind_an_opener_is_read_once(
    format_id: str, opener: str, blanks: str
) -> None:
    """A search that tried each part of it would not end."""
    text = opener + blanks * if_quick(2_000, 10_000)
    result = read(format_id, text)
    assert (result.calls, result.ok) == ((), False)


def test_with_strict_reading_what_does_not_fit_is_text_in_a_stream_and_a_whole_text() -> None:
    text = "[TOOL_CALLS]<"  # `<` may begin a token that only a repair would leave out
    parser = Parser("mistral_v11", strict=True)
    for character in text:
        parser.feed(character)
    parser.close()
    assert parser.result.to_dict() == parse(text, "mistral_v11", strict=True).to_dict()


@pytest.mark.parametrize("behind", ["<|too", "<|", "<|tool_call|>"])
def test_a_damaged_opener_at_the_end_is_told_alike_whole_and_streamed(behind: str) -> None:
    text = f"<tool_call>\n{behind}"
    parser = Parser(format="granite")
    parser.feed(text)
    parser.close()
    assert parser.result == parse(text, "granite")


@pytest.mark.parametrize(
    "second",
    [
        '{"id": "a',
        '{"id": {"b": 1',
        '{"id": 1',
        '{"id"',
        "{'water': {'bed': 'north'}}]",
        '{"id": [1, ',
    ],
)
@pytest.mark.parametrize("format_id", ["mistral_json", "granite", "phi4_mini", "hunyuan_a13b"])
def test_a_second_call_that_the_text_cuts_before_its_name_is_told_of(
    format_id: str, second: str
) -> None:
    first = '[{"name": "find", "arguments": {}}, '
    opener = {
        "phi4_mini": "functools",
        "hunyuan_a13b": "<tool_calls>",
        "mistral_json": "[TOOL_CALLS]",
    }.get(format_id, "")
    result = read(format_id, f"{opener}{first}{second}")
    assert [(call.name, call.executable) for call in result.calls] == [("find", True)]
    assert not result.ok


@pytest.mark.parametrize("second", ['{"when": "now"}', '{"when": {"a": 1}}', "{'when': []}"])
def test_an_object_that_names_no_tool_is_told_of(second: str) -> None:
    first = '{"name": "find", "arguments": {}}'
    result = read("phi4_mini", f"functools[{first}, {second}, {first}]")
    assert [call.name for call in result.calls] == ["find", "find"]
    assert [each.code for each in result.diagnostics if each.severity == "error"] == [
        "malformed-call"
    ]
