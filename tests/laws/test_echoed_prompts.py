"""A model that says its instructions once more calls no tool: it repeats the examples in them.

In hermes these end with `<tool_call>\\n{"name": "send", "arguments": {"to": "some to"}}\\n</tool_call>`,
a sound call of a given tool.
"""

import pytest

import toolgrammar
from tests.units.core.cuts import read
from toolgrammar.testing.depth import if_quick

_TOOLS: list[dict[str, object]] = [
    {
        "name": "send",
        "description": "Sends a note.",
        "parameters": {
            "type": "object",
            "properties": {"to": {"type": "string", "description": "Who gets it."}},
            "required": ["to"],
        },
    },
    {"name": "tide", "parameters": {"type": "object", "properties": {}}},
]


@pytest.mark.parametrize("format_id", sorted(toolgrammar.formats))
def test_a_prompt_that_is_said_again_runs_nothing(format_id: str) -> None:
    prompt = toolgrammar.formats[format_id].prompt(_TOOLS)
    assert "send" in prompt
    said = (f"My instructions are:\n\n{prompt}\nThat is all.", prompt)
    for text in said[: if_quick(1, 2)]:
        for chosen in (format_id, "auto"):
            calls = read(chosen, text, tools=_TOOLS).calls
            assert not any(each.executable for each in calls)


@pytest.mark.heavy
def test_most_prompts_hold_calls_that_would_run() -> None:
    held = 0
    for chosen in toolgrammar.formats.values():
        prompt = chosen.prompt(_TOOLS)
        # From the examples on, without the list of tools before them.
        last = prompt[prompt.rfind("To call a tool") :]
        held += any(each.executable for each in toolgrammar.parse(last, format=chosen.id).calls)
    assert held > len(toolgrammar.formats) / 4
