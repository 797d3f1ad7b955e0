"""What the template of the chat wrote opens reasoning, whichever of several formats follows it."""

# ruff: noqa: RUF001 - some formats have full-width bars
import pytest

import toolgrammar
from toolgrammar import Parser, ReasoningDelta, TextDelta

DSML = '<｜DSML｜tool_calls>\n<｜DSML｜invoke name="now">\n</｜DSML｜invoke>\n</｜DSML｜tool_calls>'
HERMES = '<tool_call>\n{"name": "now", "arguments": {}}\n</tool_call>'
TOOLS = [{"name": "now", "parameters": {"type": "object", "properties": {}}}]


@pytest.mark.parametrize("tools", [None, TOOLS])
@pytest.mark.parametrize("prefix", ["<think>", "<think>\n", "Sure. <think>\n"])
@pytest.mark.parametrize(
    ("text", "names", "reasoning"),
    [
        (f"I think\n{DSML}", ["now"], "I think"),
        (f"I think</think>\n{DSML}", ["now"], "I think"),
        (f"I think of <tool_call></think>\n{HERMES}", ["now"], "I think of <tool_call>"),
        ("I think", [], "I think"),
        (
            '<｜DSML｜function_calls><｜DSML｜invoke name="n',
            [],
            '<｜DSML｜function_calls><｜DSML｜invoke name="n',
        ),
    ],
)
def test_an_opener_ends_reasoning_that_the_prefix_opened(
    prefix: str, text: str, names: list[str], reasoning: str, tools: list[dict[str, object]] | None
) -> None:
    whole = toolgrammar.parse(text, format="auto", prefix=prefix, tools=tools)
    assert [call.name for call in whole.calls] == names
    # A call that begins in the reasoning, and that the end of the text cuts, is lost.
    assert (whole.reasoning, whole.text, whole.ok) == (reasoning, "", "invoke" not in reasoning)
    for size in (1, 2, 3, 7, 50):
        parser = Parser(format="auto", prefix=prefix, tools=tools)
        pieces = [text[at : at + size] for at in range(0, len(text), size)]
        events = [event for piece in pieces for event in parser.feed(piece)] + parser.close()
        assert parser.result.to_dict() == whole.to_dict()
        thought = "".join(event.text for event in events if isinstance(event, ReasoningDelta))
        assert thought.strip() == reasoning
        said = "".join(event.text for event in events if isinstance(event, TextDelta))
        assert said.strip() == ""


@pytest.mark.parametrize("prefix", ["<tool_call>\n", '<tool_call>{"name": ', "Sure. <tool_call>\n"])
def test_a_call_that_the_prefix_opened(prefix: str) -> None:
    text = HERMES.removeprefix("<tool_call>\n")
    text = text.removeprefix('{"name": ') if prefix.endswith(": ") else text
    whole = toolgrammar.parse(text, format="auto", prefix=prefix)
    assert [(call.name, call.executable) for call in whole.calls] == [("now", True)]
    for size in (1, 3, 50):
        parser = Parser(format="auto", prefix=prefix)
        for at in range(0, len(text), size):
            parser.feed(text[at : at + size])
        parser.close()
        assert parser.result.to_dict() == whole.to_dict()
