"""The tool parsers through vLLM's own classes: what its server calls for one answer."""

import json
import re
from typing import Any

import pytest

import toolgrammar
from tests.servers.examples import (
    CALL,
    CUT,
    LONGEST,
    SEVERAL,
    TOOLS,
    cases_with_tools,
    cuttings,
    is_given,
    is_sound,
    read,
)
from tests.servers.vllm_server import Answer, Server
from toolgrammar.servers.giving import VARIABLE

pytest.importorskip("vllm", reason="vLLM is not there; `make servers` unpacks it")

from vllm.tool_parsers import ToolParserManager


@pytest.mark.parametrize("format_id", SEVERAL)
def test_whole_messages_give_the_calls_that_may_run(format_id: str) -> None:
    for case in cases_with_tools(format_id):
        found = Server(f"toolgrammar_{format_id}", None, case.tools or ()).whole(case.text)
        wanted = [call for call in read(case).calls if is_given(call, case)]
        assert [(name, json.loads(text)) for name, text in found.calls] == [
            (call.name, call.arguments) for call in wanted
        ], case.id
        # Without calls, vLLM gives the text of the message as it was.
        if wanted and is_sound(case) and not read(case).reasoning:
            assert found.content.strip() == read(case).text, case.id


@pytest.mark.parametrize("format_id", SEVERAL)
def test_streams_give_the_same_for_every_cutting(format_id: str) -> None:
    for case in cases_with_tools(format_id):
        if len(case.text) > LONGEST:
            continue
        server = Server(f"toolgrammar_{format_id}", None, case.tools or ())
        wanted = server.stream([case.text]).said
        for pieces in cuttings(case.text, 3):
            assert server.stream(pieces).said == wanted, case.id
        if wanted[2] and is_sound(case):
            assert server.whole(case.text).said == wanted, case.id


def test_all_formats_at_once() -> None:
    server = Server("toolgrammar", None, TOOLS)
    assert server.whole(f"On it.\n{CALL}").calls == [("search", '{"q": "tea"}')]
    message = server.stream(list(f"On it.\n{CALL}"))
    assert (message.content, message.calls) == ("On it.", [("search", '{"q": "tea"}')])


def test_deltas_come_early() -> None:
    pieces = ["<tool_call>\n", '{"name": "search", "arguments": {"q": "a cup', " of te", 'a"}}']
    begun, more, *_ = Server("toolgrammar_hermes", None, TOOLS).deltas([*pieces, "\n</tool_call>"])[
        1:
    ]
    [first] = begun.tool_calls
    assert (first.function.name, first.function.arguments) == ("search", '{"q": "a cu')
    assert first.id
    [second] = more.tool_calls
    assert (second.id, second.function.name, second.function.arguments) == (None, None, "p of t")


@pytest.mark.parametrize("end", ["<", "<tool_ca", " \n<tool_call>"])
def test_the_end_that_was_held_back_is_not_lost(end: str) -> None:
    server = Server("toolgrammar_hermes", None, TOOLS)
    assert server.stream(["Tea ", "is", end]).content in (f"Tea is{end}", f"Tea is{end}".rstrip())
    assert server.stream(list(f"{CALL} Tea{end}")).content.strip().startswith("Tea")


def test_the_end_of_the_text_may_complete_a_call() -> None:
    text = CALL.removesuffix("\n</tool_call>")
    server = Server("toolgrammar_hermes", None, TOOLS)
    assert server.stream(list(text)).calls == [("search", '{"q": "tea"}')]


def test_a_call_that_was_cut_off_does_not_run(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    server = Server("toolgrammar_hermes", None, TOOLS)
    assert server.whole(CUT).said == ("", CUT, [])
    [(_, arguments)] = server.stream(list(CUT)).calls
    with pytest.raises(ValueError, match="delimiter"):
        json.loads(arguments)
    assert "a call of 'search' is refused: not-executable, truncated" in caplog.text
    monkeypatch.setenv(VARIABLE, "hold")
    assert server.stream(list(CUT)).said == ("", CUT, [])
    monkeypatch.setenv(VARIABLE, "all")
    assert server.stream(list(CUT)).calls == [("search", '{"q": "te"}')]


def test_requests_at_once_share_nothing() -> None:
    server = Server("toolgrammar_hermes", None, TOOLS)
    texts = [CALL, CALL.replace("tea", "cake"), "No call."]
    parsers, messages = [server.parser() for _ in texts], [Answer() for _ in texts]
    for at in range(max(map(len, texts))):
        for parser, message, text in zip(parsers, messages, texts, strict=True):
            if at < len(text):
                message.add(
                    parser.parse_delta(
                        text[at], [at], server.request, [], finished=at == len(text) - 1
                    )
                )
    assert [message.calls for message in messages] == [
        [("search", '{"q": "tea"}')],
        [("search", '{"q": "cake"}')],
        [],
    ]
    assert messages[2].content == "No call."


def test_no_tool_is_called_where_the_request_forbids_it() -> None:
    server = Server("toolgrammar_hermes", None, TOOLS, tool_choice="none")
    assert server.whole(CALL).said == ("", CALL, [])
    assert server.stream(list(CALL)).said == ("", CALL, [])


def test_required_calls_are_json_that_vllm_constrains_and_reads() -> None:
    server = Server("toolgrammar_hermes", None, TOOLS, tool_choice="required")
    assert server.request.structured_outputs.json["type"] == "array"
    text = '[{"name": "search", "parameters": {"q": "tea"}}]'
    assert server.whole(text).calls == [("search", '{"q": "tea"}')]
    [(name, arguments)] = server.stream(list(text)).calls
    assert (name, json.loads(arguments)) == ("search", {"q": "tea"})


def test_a_named_tool_is_json_that_vllm_constrains_and_reads() -> None:
    named = {"type": "function", "function": {"name": "search"}}
    server = Server("toolgrammar_hermes", None, TOOLS, tool_choice=named)
    assert server.request.structured_outputs.json["type"] == "object"
    assert server.whole('{"q": "tea"}').calls == [("search", '{"q": "tea"}')]
    assert server.stream(list('{"q": "tea"}')).calls == [("search", '{"q": "tea"}')]


@pytest.mark.parametrize(
    ("format_id", "special", "skipped"),
    [
        ("hermes", ("<tool_call>", "</tool_call>"), False),
        ("hermes", ("<|eot|>",), True),
        ("kimi_k2", ("<|tool_call_begin|>",), False),
        ("pythonic", ("<|tool_call_begin|>",), True),
    ],
)
def test_special_tokens_stay_in_the_text_where_the_format_has_them(
    format_id: str, special: tuple[str, ...], *, skipped: bool
) -> None:
    server = Server(f"toolgrammar_{format_id}", None, TOOLS, special=special)
    # Where nothing is asked for, vLLM skips them.
    assert (server.request.skip_special_tokens is not False) is skipped


def test_ids_are_those_of_the_model_where_the_format_has_some() -> None:
    text = (
        "<|tool_calls_section_begin|><|tool_call_begin|>functions.search:3"
        '<|tool_call_argument_begin|>{"q": "tea"}<|tool_call_end|><|tool_calls_section_end|>'
    )
    server = Server("toolgrammar_kimi_k2", None, TOOLS)
    assert server.whole(text).ids == server.stream(list(text)).ids == ["functions.search:3"]
    [made] = Server("toolgrammar_hermes", None, TOOLS).whole(CALL).ids
    assert made.startswith("chatcmpl-tool-")


def test_a_server_of_older_releases_finds_its_state() -> None:
    server = Server("toolgrammar_hermes", None, TOOLS)
    parser = ToolParserManager.get_tool_parser("toolgrammar_hermes")(
        server.tokenizer, server.request.tools
    )
    before = ""
    for character in CALL:
        parser.extract_tool_calls_streaming(
            before, before + character, character, [], [], [], server.request
        )
        before += character
    assert parser.prev_tool_call_arr == [{"name": "search", "arguments": '{"q": "tea"}'}]
    assert parser.streamed_args_for_tool == ['{"q": "tea"}']
    assert (parser.current_tool_id, parser.current_tool_name_sent) == (0, True)
    assert parser.get_remaining_unstreamed_args() == ""


def test_odd_texts_never_raise() -> None:
    odd: list[Any] = ["", "\0", "\ud800", "<tool_call>" * 50, '{"name": ' * 50, "</think>" * 9]
    for name in ("toolgrammar_hermes", "toolgrammar_qwen3_xml", "toolgrammar"):
        server = Server(name, None, TOOLS)
        for text in odd:
            parser, message = server.parser(), Answer()
            for at, character in enumerate(text):
                finished = at == len(text) - 1
                message.add(
                    parser.parse_delta(character, [1], server.request, [], finished=finished)
                )
            assert message.calls == []


# vLLM's parsers of the same models, where they read text alone.
SAME = {
    "hermes": "hermes",
    "qwen3_xml": "qwen3_coder",
    "glm47": "glm47",
    "deepseek_v3_1": "deepseek_v31",
    "llama4_pythonic": "llama4_pythonic",
    "minimax_m2": "minimax_m2",
    "xlam": "xlam",
    "jamba": "jamba",
    "granite_20b_fc": "granite-20b-fc",
    "longcat": "longcat",
}


MARKS = re.compile(r"<[^<>\s]+>")


def _decoded(message: Answer) -> list[tuple[str, Any]]:
    """Returns the calls with their arguments; the text of those that are no JSON."""
    found: list[tuple[str, Any]] = []
    for name, text in message.calls:
        try:
            found.append((name, json.loads(text)))
        except ValueError:
            found.append((name, text))
    return found


@pytest.mark.parametrize("format_id", SAME)
def test_sound_messages_give_what_the_parser_of_vllm_gives(format_id: str) -> None:
    """A second opinion: where they differ, the page of the format is right, so not all must be."""
    same = different = 0
    for case in cases_with_tools(format_id):
        if case.tier != "well_formed" or not is_sound(case) or read(case).diagnostics:
            continue
        # What stands in angle brackets may be a token that vLLM's parser asks the tokenizer for.
        literals = (each.text for each in toolgrammar.formats[format_id].tables.terminals)
        special = tuple(sorted({mark for text in literals for mark in MARKS.findall(text)}))
        tools = case.tools or ()
        ours = Server(f"toolgrammar_{format_id}", None, tools, special=special)
        theirs = Server(SAME[format_id], None, tools, special=special)
        agree = _decoded(ours.whole(case.text)) == _decoded(theirs.whole(case.text))
        same, different = same + agree, different + (not agree)
    assert same > 2 * different, (same, different)
