"""An answer that comes in pieces is the one that comes whole."""

from itertools import pairwise

import pytest

from tests.units.agents.cases_of_test import ASKED, CALL, SAY, TEXTS, TOOLS
from toolgrammar.agents.answers import Answer
from toolgrammar.agents.reading import NativeCall
from toolgrammar.agents.text_calls import TextCalls
from toolgrammar.values.events import ReasoningDelta, TextDelta

HERMES = TextCalls("hermes")


def _read(pieces: list[str]) -> tuple[str, str, Answer]:
    """The joined text and reasoning of the deltas, and the answer."""
    reading = HERMES.begin(TOOLS, ASKED)
    deltas = [delta for piece in pieces for delta in reading.feed(piece)]
    last, answer = reading.close()
    deltas += last
    text = "".join(delta.text for delta in deltas if isinstance(delta, TextDelta))
    reasoning = "".join(delta.text for delta in deltas if isinstance(delta, ReasoningDelta))
    return text, reasoning, answer


@pytest.mark.parametrize("name", TEXTS)
def test_every_cutting_gives_the_same(name: str) -> None:
    text = TEXTS[name]
    whole = HERMES.read(text, TOOLS, ASKED)
    cuttings = [[text], list(text), *([text[:at], text[at:]] for at in range(len(text)))]
    cuttings += [[text[a:b] for a, b in pairwise([*range(0, len(text), 5), len(text)])]]
    for pieces in cuttings:
        shown, reasoning, answer = _read(pieces)
        assert answer == whole
        assert (shown, reasoning) == (whole.text, whole.reasoning)


def test_text_goes_out_as_it_comes_and_calls_at_the_end() -> None:
    reading = HERMES.begin(TOOLS, ASKED)
    assert reading.feed(" Let me") == [TextDelta("Let me")]
    assert reading.feed(" \n") == []
    assert reading.feed("see.") == [TextDelta(" \nsee.")]
    assert reading.feed(f"\n{CALL}") == []
    deltas, answer = reading.close()
    assert deltas == []
    assert [call.name for call in answer.calls] == ["add"]


def test_a_call_of_the_api_keeps_those_of_the_text_from_running() -> None:
    reading = HERMES.begin(TOOLS, ASKED)
    reading.feed(CALL)
    _, answer = reading.close(native=True)
    assert answer.calls == ()
    assert [refused.code for refused in answer.refused] == ["beside-native"]


def test_what_the_server_cut_does_not_run() -> None:
    settings = TextCalls("simple_agent")
    assert settings.read("🛠️ say it all", [SAY], ASKED).calls
    cut = settings.read("🛠️ say it all", [SAY], ASKED, "length")
    assert cut.calls == ()
    assert "cut off" in cut.feedback


REPAIR = TextCalls("hermes", repair=True)
BROKEN = "{'a': 1, \"b\": 2,}"


def test_a_broken_native_call_is_repaired_and_keeps_its_id() -> None:
    [call] = REPAIR.read("", TOOLS, ASKED, native=[NativeCall("add", "n1", BROKEN)]).calls
    assert (call.id, call.name, call.arguments) == ("n1", "add", {"a": 1, "b": 2})
    assert call.json == '{"a": 1, "b": 2}'


def test_every_cutting_of_a_native_call_gives_the_same() -> None:
    whole = REPAIR.read("So.", TOOLS, ASKED, "stop", native=[NativeCall("add", "n1", BROKEN)])
    assert whole.calls
    for at in range(len(BROKEN) + 1):
        reading = REPAIR.begin(TOOLS, ASKED)
        reading.add_native(NativeCall("add", "n1", BROKEN[:at]), 0)
        reading.feed("So.")
        reading.add_native(NativeCall(None, None, BROKEN[at:]), 0)
        assert reading.close("stop")[1] == whole


def test_native_calls_that_the_library_has_read_stay_as_they_are() -> None:
    native = [NativeCall("add", f"n{n}", {"a": n, "b": 2}) for n in range(3)]
    found = REPAIR.read("", TOOLS, ASKED, native=native)
    assert [NativeCall(call.name, call.id, call.arguments) for call in found.calls] == native
    assert not found.feedback


def test_a_native_call_without_arguments_is_one() -> None:
    [call] = REPAIR.read("", TOOLS, ASKED, native=[NativeCall("add", "n1", None)]).calls
    assert (call.name, call.arguments) == ("add", {})


@pytest.mark.parametrize(("arguments", "reason"), [("[1, 2]", "stop"), ('{"a": 1, "b', "length")])
def test_a_native_call_that_may_not_run_is_refused(arguments: str, reason: str) -> None:
    native = [NativeCall("add", "n1", arguments)]
    answer = REPAIR.read("", TOOLS, ASKED, reason, native=native)
    assert answer.failed
    [refused] = answer.refused
    assert (refused.id, refused.code) == ("n1", "not-executable")
    assert refused.raw_arguments == arguments
    assert refused.message in answer.feedback


def test_pieces_of_a_native_call_without_a_name_are_told() -> None:
    answer = REPAIR.read("", TOOLS, ASKED, native=[NativeCall(None, None, BROKEN)])
    assert answer.failed
    assert "without a name" in answer.feedback


def test_a_call_of_the_text_beside_a_repaired_one_does_not_run() -> None:
    answer = REPAIR.read(CALL, TOOLS, ASKED, native=[NativeCall("add", "n1", BROKEN)])
    assert [call.id for call in answer.calls] == ["n1"]
    assert [refused.code for refused in answer.refused] == ["beside-native"]


def test_without_repair_native_calls_are_left_to_the_library() -> None:
    answer = HERMES.read("", TOOLS, ASKED, native=[NativeCall("add", "n1", BROKEN)])
    assert answer == Answer()
