"""The tool detectors through SGLang's own classes: what its server calls for one answer."""

import json

import pytest

from tests.servers.examples import (
    CALL,
    CUT,
    GIVEN,
    LONGEST,
    SEVERAL,
    TOOLS,
    cases_with_tools,
    cuttings,
    is_given,
    is_sound,
    read,
)
from tests.servers.sglang_server import Answer, Server
from toolgrammar.servers.giving import VARIABLE

pytest.importorskip("sglang.srt.plugins", reason="SGLang is not there; `make servers` unpacks it")

from sglang.srt.entrypoints.openai.protocol import ToolChoice
from sglang.srt.environ import envs

UNKNOWN = CALL.replace("search", "fetch")


@pytest.mark.parametrize("format_id", SEVERAL)
def test_whole_messages_give_the_calls_that_may_run(format_id: str) -> None:
    for case in cases_with_tools(format_id):
        found = Server(f"toolgrammar_{format_id}", None, case.tools or ()).whole(case.text)
        wanted = [call for call in read(case).calls if is_given(call, case)]
        assert [(name, json.loads(text)) for name, text in found.calls] == [
            (call.name, call.arguments) for call in wanted
        ], case.id
        if is_sound(case) and not read(case).reasoning:
            assert found.content.strip().endswith(read(case).text), case.id


@pytest.mark.parametrize("format_id", SEVERAL)
def test_streams_give_the_same_for_every_cutting(format_id: str) -> None:
    for case in cases_with_tools(format_id):
        if len(case.text) > LONGEST:
            continue
        server = Server(f"toolgrammar_{format_id}", None, case.tools or ())
        wanted = server.stream([case.text]).said
        for pieces in cuttings(case.text, 3):
            assert server.stream(pieces).said == wanted, case.id
        if is_sound(case):
            assert server.whole(case.text).said == wanted, case.id


def test_all_formats_at_once() -> None:
    server = Server("toolgrammar", None, TOOLS)
    assert server.whole(f"On it.\n{CALL}").said == ("", "On it.", GIVEN)
    assert server.stream(list(f"On it.\n{CALL}")).said == ("", "On it.", GIVEN)


def test_the_end_that_was_held_back_is_not_lost() -> None:
    server = Server("toolgrammar_hermes", None, TOOLS)
    assert server.stream(["Tea is", " <tool_ca"]).said == ("", "Tea is <tool_ca", [])
    assert server.stream(list(CALL.removesuffix("\n</tool_call>"))).said == ("", "", GIVEN)


def test_a_call_that_was_cut_off_does_not_run(monkeypatch: pytest.MonkeyPatch) -> None:
    server = Server("toolgrammar_hermes", None, TOOLS)
    assert server.whole(CUT).said == ("", CUT, [])
    [(_, arguments)] = server.stream(list(CUT)).calls
    with pytest.raises(ValueError, match="delimiter"):
        json.loads(arguments)
    monkeypatch.setenv(VARIABLE, "hold")
    assert server.stream(list(CUT)).said == ("", CUT, [])


def test_tools_that_the_request_has_not_are_left_as_text_unless_sglang_forwards_them() -> None:
    server = Server("toolgrammar_hermes", None, TOOLS)
    text = f"See: {UNKNOWN}"
    assert server.whole(text).said == server.stream(list(text)).said == ("", text, [])
    with envs.SGLANG_FORWARD_UNKNOWN_TOOLS.override(True):  # noqa: FBT003 - SGLang's own method
        wanted = ("", "See:", [("fetch", '{"q": "tea"}')])
        assert server.whole(text).said == server.stream(list(text)).said == wanted


def test_without_structural_tags_sglang_constrains_required_calls_to_json() -> None:
    parser = Server("toolgrammar_hermes", None, TOOLS).parser()
    assert not parser.owns_tool_format()
    kind, schema = parser.get_structure_constraint("required")
    assert (kind, schema["type"]) == ("json_schema", "array")
    named = ToolChoice(type="function", function={"name": "search"})
    assert parser.get_structure_constraint(named)[0] == "json_schema"
    assert parser.get_structure_constraint("auto") is None
    with pytest.raises(NotImplementedError, match="no structural tags"):
        parser.detector.structure_info()


def test_requests_at_once_share_nothing() -> None:
    server = Server("toolgrammar_hermes", None, TOOLS)
    first, second = server.parser(), server.parser()
    messages = Answer(), Answer()
    for characters in zip(CALL, CALL.replace("tea", "yam"), strict=True):
        for parser, message, character in zip((first, second), messages, characters, strict=True):
            message.add(parser.parse_stream_chunk(character)[1])
    assert [message.calls for message in messages] == [GIVEN, [("search", '{"q": "yam"}')]]


def test_odd_texts_never_raise() -> None:
    odd = ["", "\0", "\ud800", "<tool_call>" * 50, '{"name": ' * 50, "</think>" * 9]
    for name in ("toolgrammar_hermes", "toolgrammar_qwen3_xml", "toolgrammar"):
        server = Server(name, None, TOOLS)
        for text in odd:
            assert server.whole(text).calls == server.stream(list(text)).calls == []


# SGLang's parsers of the same models.
SAME = {
    "hermes": "hermes",
    "qwen3_xml": "qwen3_coder",
    "kimi_k2": "kimi_k2",
    "deepseek_v3_1": "deepseekv31",
    "glm47": "glm47",
    "minimax_m2": "minimax-m2",
    "lfm2": "lfm2",
    "trinity": "trinity",
}


@pytest.mark.parametrize("format_id", SAME)
def test_sound_messages_give_what_the_parser_of_sglang_gives(format_id: str) -> None:
    """A second opinion: where they differ, the page of the format is right, so not all must be."""
    same = different = 0
    for case in cases_with_tools(format_id):
        if case.tier != "well_formed" or not is_sound(case) or read(case).diagnostics:
            continue
        ours = Server(f"toolgrammar_{format_id}", None, case.tools or ()).whole(case.text)
        theirs = Server(SAME[format_id], None, case.tools or ()).whole(case.text)
        agree = _decoded(ours) == _decoded(theirs)
        same, different = same + agree, different + (not agree)
    assert same > 2 * different, (same, different)


def _decoded(message: Answer) -> list[object]:
    return [(name, json.loads(text)) for name, text in message.calls]
