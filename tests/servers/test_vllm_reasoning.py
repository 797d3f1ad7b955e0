"""The reasoning parsers through vLLM's own classes, alone and with tool parsers."""

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
from tests.servers.vllm_server import Server

pytest.importorskip("vllm", reason="vLLM is not there; `make servers` unpacks it")

from vllm.reasoning import ReasoningParserManager


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        (f"<think>Hm.</think>So:\n{CALL}", ("Hm.", "So:", GIVEN)),
        (f"<think>Hm.</think>{CALL}", ("Hm.", "", GIVEN)),
        ("<think>Hm.</think>\n\nTea.", ("Hm.", "\n\nTea.", [])),
        (f"Tea. {CALL}", ("", "Tea.", GIVEN)),
        (CALL, ("", "", GIVEN)),
        ("<think>Hm. a < b", ("Hm. a < b", "", [])),
    ],
)
def test_with_a_tool_parser(text: str, wanted: tuple[str, str, list[tuple[str, str]]]) -> None:
    server = Server(HERMES, HERMES, TOOLS)
    assert server.whole(text).said == wanted
    assert {repr(server.stream(pieces).said) for pieces in cuttings(text)} == {repr(wanted)}


def test_alone() -> None:
    server = Server(None, HERMES, ())
    text = f"<think>Hm.</think>\n\nTea. {CALL}"
    assert server.whole(text).said == ("Hm.", f"\n\nTea. {CALL}", [])
    assert {repr(server.stream(pieces).said) for pieces in cuttings(text)} == {
        repr(("Hm.", f"\n\nTea. {CALL}", []))
    }


def test_with_a_tool_parser_of_vllm() -> None:
    server = Server("hermes", HERMES, TOOLS, special=("<tool_call>", "</tool_call>"))
    text = f"<think>Hm.</think>So:\n{CALL}"
    assert server.whole(text).reasoning == server.stream(list(text)).reasoning == "Hm."
    assert [name for name, _ in server.stream(list(text)).calls] == ["search"]


def test_a_reasoning_parser_of_vllm_with_a_tool_parser_of_ours() -> None:
    server = Server(HERMES, "deepseek_r1", TOOLS, special=("<think>", "</think>"))
    text = f"<think>Hm.</think>So:\n{CALL}"
    assert server.whole(text).said == ("Hm.", "So:", GIVEN)
    pieces = ["<think>", "Hm", ".", "</think>", "So", ":\n", *CALL]
    assert server.stream(pieces).said == ("Hm.", "So:", GIVEN)


def test_the_prompt_may_have_opened_the_reasoning() -> None:
    server = Server(HERMES, HERMES, TOOLS, prompt="<|im_start|>assistant\n<think>\n")
    text = f"Hm.</think>So:\n{CALL}"
    assert server.whole(text).said == ("Hm.", "So:", GIVEN)
    assert {repr(server.stream(pieces).said) for pieces in cuttings(text)} == {
        repr(("Hm.", "So:", GIVEN))
    }


def test_the_prompt_may_have_closed_it() -> None:
    server = Server(HERMES, HERMES, TOOLS, prompt="assistant\n<think>\n\n</think>\n\n")
    assert server.whole(f"So: {CALL}").said == ("", "So:", GIVEN)
    assert server.stream(list(f"So: {CALL}")).said == ("", "So:", GIVEN)


@pytest.mark.parametrize("format_id", BOTH)
def test_the_examples_of_the_pages(format_id: str) -> None:
    name = f"toolgrammar_{format_id}"
    thoughts = 0
    for case in cases_with_tools(format_id):
        whole = read(case)
        # Reasoning behind a call is part of the content.
        if not whole.calls or not is_sound(case) or case.tier != "well_formed":
            continue
        server = Server(name, name, case.tools or ())
        found = server.whole(case.text)
        assert found.reasoning.strip() == whole.reasoning, case.id
        assert [called for called, _ in found.calls] == [call.name for call in whole.calls]
        assert server.stream(list(case.text)).said == found.said, case.id
        thoughts += bool(whole.reasoning)
    assert thoughts


def test_the_ids_of_tokens_say_where_the_reasoning_ends() -> None:
    server = Server(None, HERMES, ())
    parser = ReasoningParserManager.get_reasoning_parser(HERMES)(server.tokenizer)
    ids = server.tokenizer.encode("<think>Hm.</think>Tea", add_special_tokens=False)
    end = len("<think>Hm.</think>")
    assert not parser.is_reasoning_end(ids)
    assert parser.is_reasoning_end(ids[:end])
    assert parser.is_reasoning_end_streaming(ids[:end], ids[end - 1 : end])
    assert not parser.is_reasoning_end_streaming(ids[: end + 1], ids[end : end + 1])
    assert not parser.is_reasoning_end_streaming(ids[: end - 1], ids[end - 2 : end - 1])
    assert parser.extract_content_ids(ids) == ids[end:]
    assert parser.count_reasoning_tokens(ids) == end
    assert parser.count_reasoning_tokens(ids[end:]) == 0
    assert (parser.reasoning_start_str, parser.reasoning_end_str) == ("<think>", "</think>")
