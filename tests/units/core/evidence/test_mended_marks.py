"""With many formats, a damaged mark beside the name of a tool is told of if a call opens there."""

import pytest

from tests.units.core.cuts import read

TEXT = {"type": "object", "properties": {"command": {"type": "string"}}, "required": ["command"]}
TOOLS: list[dict[str, object]] = [
    {"name": name, "parameters": TEXT} for name in ("bash", "search", "tide_table")
]


def _named(name: str) -> list[dict[str, object]]:
    return [{"name": name, "parameters": TEXT}]


@pytest.mark.parametrize(
    ("text", "mark"),
    [
        ("Look:\n``bash\nls\n```", "``bash\n"),
        ("Acton: search\nAction Input: rain in Narvik", "Acton:"),
        ("=\U0001f6e0\ufe0f bash git log", "=\U0001f6e0\ufe0f "),
    ],
)
def test_a_damaged_mark_beside_a_name_is_a_lost_call(text: str, mark: str) -> None:
    [problem] = read("auto", text, tools=TOOLS).diagnostics
    assert (problem.code, problem.severity) == ("unread-call", "error")
    assert text[problem.span.start : problem.span.end].startswith(mark[:2])
    # The name is not that of a tool: it is text of anybody.
    assert read("auto", text, tools=_named("other")).ok


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("``\nls\n```", "command"),
        ("`python\nprint(1)\n```", "python_interpreter"),
        ("```diff\n--- a/x.py\n++ b/x.py\n@@ @@\n-a\n+b\n```", "edit"),
        ("```save notes.md\nsow\n``", "save"),
    ],
)
def test_a_format_that_does_not_write_the_name_of_its_tool_is_known_by_it(
    text: str, name: str
) -> None:
    result = read("auto", text, tools=_named(name))
    assert [(each.code, each.severity) for each in result.diagnostics] == [("unread-call", "error")]
    assert read("auto", text, tools=_named("other")).ok


def test_the_arguments_of_the_only_tool_in_a_damaged_fence_are_a_lost_call() -> None:
    text = '``json\n{"command": "ls"}\n```'
    assert not read("auto", text, tools=_named("run")).ok
    assert read("auto", text, tools=[*_named("run"), *_named("look")]).ok


@pytest.mark.parametrize(
    "text",
    [
        "I could use search for this. The `tide_table` tool (tide_table) may help, too.",
        "Tools:\n- **search**: finds pages\n- tide_table: tides, by `command`\n",
        "# bash\n\n   ```json\n   {}\n   ```\n\nRun bash, then search:\n```sh\nls\n```\n",
        'The "search" function goes to the pages.',
    ],
)
def test_prose_about_tools_is_no_lost_call(text: str) -> None:
    assert read("auto", text, tools=TOOLS).diagnostics == ()
