"""The settings, and conversations for models that know no tools."""

import json
import re
from typing import Any

import pytest

from tests.house.checkout import ROOT
from tests.units.agents.cases_of_test import CALL, TOOLS
from toolgrammar.agents.text_calls import TextCalls
from toolgrammar.values.errors import UnknownFormat

HERMES = TextCalls("hermes", prompt=True)
CALLED: dict[str, Any] = {
    "id": "c1",
    "type": "function",
    "function": {"name": "add", "arguments": '{"a": 1, "b": 2}'},
}
HISTORY: list[dict[str, Any]] = [
    {"role": "system", "content": "Be brief."},
    {"role": "user", "content": "1+2?"},
    {"role": "assistant", "content": "On it.", "tool_calls": [CALLED]},
    {"role": "tool", "tool_call_id": "c1", "content": "3"},
]


def test_a_prompt_and_earlier_calls_are_written() -> None:
    system, user, assistant, result = HERMES.written(HISTORY, TOOLS)
    assert system["content"].startswith("Be brief.\n\nYou can call tools.")
    assert user == HISTORY[1]
    assert assistant["content"].startswith("On it.\n<tool_call>")
    assert result == {"role": "user", "content": "<tool_response>\n3\n</tool_response>"}


def test_a_prompt_without_a_system_message_is_one() -> None:
    system, user = HERMES.written(HISTORY[1:2], TOOLS)
    assert system["role"] == "system"
    assert user == HISTORY[1]


def test_without_tools_there_is_no_prompt() -> None:
    assert HERMES.written(HISTORY[:2], []) == HISTORY[:2]


def test_a_format_without_results_tells_them_as_json() -> None:
    written = TextCalls("llama3_json", prompt=True).written(HISTORY, TOOLS)
    assert json.loads(written[-1]["content"]) == {"name": "add", "content": "3"}
    assert '"name": "add"' in written[2]["content"]


def test_what_a_format_can_not_write_is_kept() -> None:
    """An earlier answer may hold a call that was broken, in its own words."""
    broken = f"See {CALL[:40]}"
    history = [*HISTORY, {"role": "assistant", "content": broken}, {"role": "user", "content": "?"}]
    written = HERMES.written(history, TOOLS)
    assert [each["role"] for each in written[-2:]] == ["assistant", "user"]
    assert written[-2]["content"] == broken


def test_messages_of_others_are_handed_on_as_they_are() -> None:
    image = {"role": "user", "content": [{"type": "image_url", "image_url": {"url": "x"}}]}
    assert HERMES.written([*HISTORY, image], TOOLS)[-1] == image


def test_a_prompt_needs_one_format() -> None:
    assert TextCalls(["hermes", "react"]).stop == ()
    with pytest.raises(ValueError, match="prompt=True needs one format"):
        TextCalls(["hermes", "react"], prompt=True)
    with pytest.raises(UnknownFormat):
        TextCalls("herms")


def test_a_server_stops_where_the_format_says_if_the_prompt_is_ours() -> None:
    assert TextCalls("react").stop == ()
    assert TextCalls("react", prompt=True).stop == ("Observation:",)


def test_the_program_of_the_page_runs() -> None:
    text = (ROOT / "docs" / "agents.md").read_text(encoding="utf-8")
    [block] = re.findall(r"^```python\n(.*?)^```$", text, re.MULTILINE | re.DOTALL)
    exec(compile(block, "docs/agents.md", "exec"), {})
