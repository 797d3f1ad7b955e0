"""What an answer says of its calls: arguments, ids, refusals."""

import json
from typing import Any

import pytest

from tests.units.agents.cases_of_test import ASKED, CALL, OTHER, SAY, TEXTS, TOOLS, tool_named
from toolgrammar.agents.text_calls import TextCalls
from toolgrammar.salvage.policy import SalvagePolicy

HERMES = TextCalls("hermes")


def _history(identity: str, result: str = "3") -> list[dict[str, Any]]:
    call = {"id": identity, "type": "function", "function": {"name": "add", "arguments": "{}"}}
    return [
        *ASKED,
        {"role": "assistant", "content": "", "tool_calls": [call]},
        {"role": "tool", "tool_call_id": identity, "content": result},
    ]


def test_arguments_are_json_too() -> None:
    [call] = HERMES.read(CALL, TOOLS, ASKED).calls
    assert json.loads(call.json) == call.arguments == {"a": 1, "b": 2}


def test_the_text_of_a_free_text_call_is_an_argument() -> None:
    [call] = TextCalls("simple_agent").read("🛠️ say 1 2", [SAY], ASKED).calls
    assert call.arguments == {"text": "1 2"}


def test_a_number_that_json_lacks_is_refused() -> None:
    answer = TextCalls("pythonic").read("[add(a=1e999)]", TOOLS, ASKED)
    assert answer.calls == ()
    assert "add" in answer.feedback


def test_ids_are_the_same_each_time_and_new_in_each_turn() -> None:
    first = HERMES.read(f"{CALL}{CALL}", TOOLS, ASKED).calls
    assert first == HERMES.read(f"{CALL}{CALL}", TOOLS, ASKED).calls
    second = HERMES.read(f"{CALL}{CALL}", TOOLS, _history("c1")).calls
    third = HERMES.read(f"{CALL}{CALL}", TOOLS, _history("c1", "4")).calls
    assert len({call.id for call in (*first, *second, *third)}) == 6


def test_an_id_of_the_model_stays_while_it_is_new() -> None:
    text = CALL.replace('{"name"', '{"id": "c1", "name"')
    assert HERMES.read(text, TOOLS, ASKED).calls[0].id == "c1"
    assert HERMES.read(text, TOOLS, _history("c1")).calls[0].id != "c1"
    once, again = HERMES.read(f"{text}{text}", TOOLS, ASKED).calls
    assert once.id == "c1" != again.id


def test_a_refused_call_says_why() -> None:
    answer = HERMES.read(f"{CALL}\n{OTHER}", TOOLS, ASKED)
    [refused] = answer.refused
    assert (refused.name, refused.code) == ("remove", "unknown-tool")
    assert json.loads(refused.raw_arguments) == {"a": 1, "b": 2}
    assert answer.feedback == refused.message
    assert not answer.failed
    assert HERMES.read(OTHER, TOOLS, ASKED).failed


@pytest.mark.parametrize("key", ["duplicate", "quoted", "bare"])
def test_a_doubtful_call_is_told_once(key: str) -> None:
    texts = {
        "duplicate": CALL.replace('"a": 1', '"a": 1, "a": 7'),
        "quoted": f"```\n{CALL}\n```\nis how.",
        "bare": CALL.replace('"a": 1', '"a": it"s'),
    }
    answer = HERMES.read(texts[key], TOOLS, ASKED)
    [refused] = answer.refused
    assert answer.feedback == refused.message
    lost = HERMES.read(f'{texts[key]}\n<tool_call>\n{{"nme": "add"', TOOLS, ASKED).feedback
    assert lost.startswith(f"{refused.message}\nSomething in your message was not read at `<tool_c")
    assert len(lost.splitlines()) == 2


def test_a_lost_call_is_told_as_well() -> None:
    answer = HERMES.read(TEXTS["unread"], TOOLS, ASKED)
    assert answer.calls == ()
    assert answer.failed
    assert answer.feedback


def test_a_sound_answer_has_nothing_to_tell() -> None:
    for text in (CALL, TEXTS["text alone"], TEXTS["mended"], TEXTS["reasoning"], ""):
        answer = HERMES.read(text, TOOLS, ASKED)
        assert (answer.feedback, answer.failed) == ("", False)


def test_the_policy_decides() -> None:
    text = TEXTS["in code"]
    assert HERMES.read(text, TOOLS, ASKED).calls == ()
    # The parser has doubts of its own about calls in code, which no policy takes away.
    quoted = [{"role": "user", "content": CALL}]
    assert [each.code for each in HERMES.read(CALL, TOOLS, quoted).refused] == ["echo"]
    settings = TextCalls("hermes", policy=SalvagePolicy(echoes=True))
    assert len(settings.read(CALL, TOOLS, quoted).calls) == 1


def test_tools_are_those_of_the_request() -> None:
    assert HERMES.read(OTHER, [*TOOLS, tool_named("remove")], ASKED).calls
