"""Reading whole messages of several formats without a driver, where nothing has to be judged."""

import pytest

from toolgrammar import ParseResult, formats, parse
from toolgrammar.catalogue.several import AnyOf
from toolgrammar.core.several.known_beginnings import WholeMessage
from toolgrammar.parsing.parser import DrivenParser
from toolgrammar.parsing.readers import SeveralReaders, readers_of
from toolgrammar.tools.specs import to_specs

TOOLS: list[dict[str, object]] = [
    {"name": name, "parameters": {"type": "object"}} for name in ("search", "now")
]
SEARCH = '<tool_call>\n{"name": "search", "arguments": {"query": "x"}}\n</tool_call>'
NOW = '<tool_call>\n{"name": "now", "arguments": {}}\n</tool_call>'
XML = (
    "<tool_call>\n<function=search>\n<parameter=query>\nx\n</parameter>\n</function>\n</tool_call>"
)


@pytest.fixture
def several() -> SeveralReaders:
    """All formats, with nothing learned."""
    auto = formats.resolve_any("auto")
    assert isinstance(auto, AnyOf)
    auto.readers.clear()
    return readers_of(auto, to_specs(TOOLS))


def is_plain(several: SeveralReaders, text: str, tools: list[dict[str, object]] = TOOLS) -> bool:
    """Whether the driver is not asked; what was read is what it gives."""
    found = several.reading.run(WholeMessage(text, to_specs(tools)))
    driven = DrivenParser("auto", tools=tools).run_whole(text)
    assert parse(text, tools=tools).to_dict() == driven.to_dict()
    return found


def taught(*texts: str, tools: list[dict[str, object]] = TOOLS) -> list[ParseResult]:
    results = [parse(text, tools=tools) for text in texts for _ in range(3)]
    assert not any(result.diagnostics for result in results), (
        "nothing is learned of a message with a diagnostic"
    )
    return results


def test_what_was_read_before_needs_no_driver(several: SeveralReaders) -> None:
    assert not is_plain(several, SEARCH)
    taught(SEARCH)
    assert is_plain(several, SEARCH)
    assert (
        is_plain(several, f"Let me look.\n\n{SEARCH}") is False
    )  # behind a line end: not seen yet
    taught(f"Let me look.\n\n{SEARCH}")
    assert is_plain(several, f"I look again.\n{NOW}")


def test_calls_of_two_formats_that_open_alike(several: SeveralReaders) -> None:
    taught(SEARCH, XML)
    assert is_plain(several, SEARCH)
    assert is_plain(several, XML)
    assert [parse(text, tools=TOOLS).format for text in (SEARCH, XML)] == ["hermes", "qwen3_xml"]


def test_calls_one_after_the_other(several: SeveralReaders) -> None:
    text = f"{SEARCH}\n{NOW}\n{NOW}"
    taught(text)
    taught(text)
    assert is_plain(several, text)
    assert [call.name for call in parse(text, tools=TOOLS).calls] == ["search", "now", "now"]


def test_reasoning_before_a_call(several: SeveralReaders) -> None:
    thought = "<think>\nWhich one?\n</think>\n\n"
    for text in (SEARCH, XML):
        taught(thought + text, thought + text)
        assert is_plain(several, thought + text)
        assert parse(thought + text, tools=TOOLS).reasoning == "Which one?"
    # Some formats end their reasoning where a call opens.
    call = SEARCH.replace("\n", "")
    assert not is_plain(several, f"<think>\nI call {call}\n</think>\n\n{SEARCH}")
    assert not is_plain(several, f"<think>\nWhich one?\n{SEARCH}")


def test_text_alone(several: SeveralReaders) -> None:
    assert is_plain(several, "No call in here.")
    assert is_plain(several, "")


@pytest.mark.parametrize(
    "text",
    [
        f"In `<tool_call>` stands what is called: {SEARCH}",
        f"```\n{SEARCH}\n```",
        SEARCH.replace("search", "unknown"),
        SEARCH.replace("</tool_call>", ""),
        SEARCH.replace('{"query"', '{query"'),
        f"{SEARCH}\n{XML}",
        f"{SEARCH}</tool_call>",
        "I thought of it.</think> Done.",
    ],
)
def test_what_has_to_be_judged_is_left_to_the_driver(several: SeveralReaders, text: str) -> None:
    taught(SEARCH, XML, f"x\n{SEARCH}", f"{SEARCH}\n{SEARCH}")
    assert not is_plain(several, text)


def test_without_tools_a_tag_of_one_word_may_be_prose(several: SeveralReaders) -> None:
    text = '<tool>\n{"name": "search", "arguments": {}}\n</tool>'
    taught(SEARCH, tools=[])
    for _ in range(3):
        assert parse(text, tools=[]).diagnostics
    none = readers_of(several_entry(), to_specs([]))
    assert is_plain(none, SEARCH, tools=[])
    assert not is_plain(none, text, tools=[])


def several_entry() -> AnyOf:
    auto = formats.resolve_any("auto")
    assert isinstance(auto, AnyOf)
    return auto


def test_a_list_of_formats(several: SeveralReaders) -> None:
    chosen = ["lfm2", "minimax_m2", "glm45", "qwen3_xml", "hermes"]
    for _ in range(4):
        found = [parse(text, chosen, tools=TOOLS) for text in (SEARCH, XML)]
    assert [each.calls[0].arguments for each in found] == [{"query": "x"}] * 2
    assert [each.format for each in found] == ["hermes", "qwen3_xml"]
