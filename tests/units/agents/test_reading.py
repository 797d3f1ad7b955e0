"""An answer that comes in pieces is the one that comes whole."""

from itertools import pairwise

import pytest

from tests.units.agents.cases_of_test import ASKED, CALL, SAY, TEXTS, TOOLS
from toolgrammar.agents.answers import Answer
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
