"""The reasoning detectors through SGLang's own classes, alone and with tool detectors."""

from typing import Any

import pytest

from tests.servers.examples import (
    BOTH,
    CALL,
    GIVEN,
    HERMES,
    TOOLS,
    cases_with_tools,
    cuttings,
    is_sound,
    read,
)
from tests.servers.sglang_server import Server
from tests.servers.tokenizers_of_test import tokenizer_with

pytest.importorskip("sglang.srt.plugins", reason="SGLang is not there; `make servers` unpacks it")

from sglang.srt.parser.reasoning_parser import ReasoningParser


def _all_ways(server: Server, text: str) -> set[str]:
    streamed = [server.stream(pieces) for pieces in cuttings(text)]
    return {repr(message.said) for message in (server.whole(text), *streamed)}


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        (f"<think>Hm.</think>So:\n{CALL}", ("Hm.", "So:", GIVEN)),
        (f"<think>Hm.</think>{CALL}", ("Hm.", "", GIVEN)),
        ("<think>Hm.</think>\n\nTea.", ("Hm.", "\n\nTea.", [])),
        (f"Tea. {CALL}", ("", "Tea.", GIVEN)),
        ("<think>Hm. a < b", ("Hm. a < b", "", [])),
        ("<thi", ("", "<thi", [])),
    ],
)
def test_with_a_tool_parser(text: str, wanted: tuple[str, str, list[Any]]) -> None:
    assert _all_ways(Server(HERMES, HERMES, TOOLS), text) == {repr(wanted)}


def test_where_the_prompt_may_have_opened_it() -> None:
    server = Server(HERMES, HERMES, TOOLS, forced=True)
    assert _all_ways(server, f"Hm.</think>{CALL}") == {repr(("Hm.", "", GIVEN))}
    assert _all_ways(server, f"<think>Hm.</think>{CALL}") == {repr(("Hm.", "", GIVEN))}


def test_alone_and_with_parsers_of_sglang() -> None:
    text = f"<think>Hm.</think>So:\n{CALL}"
    assert _all_ways(Server(None, HERMES, ()), text) == {repr(("Hm.", f"So:\n{CALL}", []))}
    assert Server("hermes", HERMES, TOOLS).whole(text).calls == GIVEN
    assert Server(HERMES, "qwen3", TOOLS).whole(text).said == ("Hm.", "So:", GIVEN)


def test_a_request_may_want_content_in_any_case() -> None:
    server = Server(None, HERMES, (), template={"force_nonempty_content": True})
    assert _all_ways(server, "<think>Hm.") == {repr(("", "Hm.", []))}
    assert _all_ways(server, "<think>Hm.</think>Tea") == {repr(("Hm.", "Tea", []))}


def test_a_request_may_want_the_reasoning_in_one_piece() -> None:
    Server(None, HERMES, ())  # loads the plugins
    parser = ReasoningParser(HERMES, stream_reasoning=False)
    pieces = [parser.parse_stream_chunk(piece) for piece in ("<think>Hm", "m.", "</think>", "Tea")]
    assert pieces == [("", ""), ("", ""), ("", ""), ("Hmm.", "Tea")]


def test_the_tokens_that_end_it() -> None:
    Server(None, HERMES, ())  # loads the plugins
    tokenizer = tokenizer_with(("</think>",))
    ends = ReasoningParser(HERMES).detector.get_think_end_token_ids(tokenizer)
    assert tokenizer.decode(ends) == "</think>"
    # No fixed text closes the reasoning of this one: SGLang then gates no grammar by it.
    assert ReasoningParser("toolgrammar_trinity").detector.get_think_end_token_ids(tokenizer) == []


@pytest.mark.parametrize("format_id", BOTH)
def test_the_examples_of_the_pages(format_id: str) -> None:
    name = f"toolgrammar_{format_id}"
    thoughts = 0
    for case in cases_with_tools(format_id):
        whole = read(case)
        # Reasoning behind a call is part of the content.
        if not is_sound(case) or case.tier != "well_formed":
            continue
        server = Server(name, name, case.tools or ())
        found = server.whole(case.text)
        assert found.reasoning.strip() == whole.reasoning, case.id
        assert [called for called, _ in found.calls] == [call.name for call in whole.calls]
        assert server.stream(list(case.text)).said == found.said, case.id
        thoughts += bool(whole.reasoning)
    assert thoughts
