import pytest

from toolgrammar.servers.reasoning_split import ReasoningSplit

CALL = '<tool_call>\n{"name": "search", "arguments": {}}\n</tool_call>'


def _split(*chunks: str, format_id: str = "hermes", prefix: str = "", perhaps_open: bool = False,
           ) -> tuple[str, str]:  # fmt: skip
    split = ReasoningSplit(format_id, prefix=prefix, perhaps_open=perhaps_open)
    found = [*map(split.feed, chunks), split.finish()]
    return "".join(first for first, _ in found), "".join(second for _, second in found)


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("<think>Hm.</think>\n\nHello", ("Hm.", "\n\nHello")),
        (f"<think>Hm.</think>{CALL}", ("Hm.", CALL)),
        (f"{CALL}<think>Hm.</think>", ("", f"{CALL}<think>Hm.</think>")),
        ("\n<think>Hm. a < b", ("Hm. a < b", "")),
        ("<think>Hm.</think>", ("Hm.", "")),
        ("<thi", ("", "<thi")),
        ("Hello </think>", ("", "Hello </think>")),
        ("  \n", ("", "  \n")),
        ("", ("", "")),
    ],
)
def test_the_reasoning_and_the_rest_for_every_cutting(text: str, wanted: tuple[str, str]) -> None:
    assert _split(text) == wanted
    assert _split(*text) == wanted
    assert all(_split(text[:at], text[at:]) == wanted for at in range(len(text)))


def test_a_prompt_may_have_opened_it() -> None:
    assert _split("Hm.</think>Hello", prefix="<think>\n") == ("Hm.", "Hello")
    assert _split("Hm.", prefix="<think>\n") == ("Hm.", "")


def test_a_server_may_not_know_whether_the_prompt_opened_it() -> None:
    assert _split("Hm.</think>Hello", perhaps_open=True) == ("Hm.", "Hello")
    assert _split("<think>Hm.</think>Hello", perhaps_open=True) == ("Hm.", "Hello")


def test_the_opener_of_calls_ends_the_reasoning_of_some_formats() -> None:
    calls = (
        "<|tool_calls_section_begin|><|tool_call_begin|>functions.f:0"
        "<|tool_call_argument_begin|>{}<|tool_call_end|><|tool_calls_section_end|>"
    )
    assert _split(f"<think>Hm.{calls}", format_id="kimi_k2") == ("Hm.", calls)


def test_a_call_in_reasoning_that_stays_text_begins_the_rest() -> None:
    begun = "<|tool_call:start|>tune_to\n<|tool_arg:st<|think:end|>\nHello"
    assert _split(f"<|think:start|>Hm. {begun}", format_id="solar_open2") == ("Hm. ", begun)


def test_the_end_is_known_with_the_character_behind_the_closer() -> None:
    split = ReasoningSplit("hermes")
    assert split.feed("<think>Hm.</think>") == ("Hm.", "")
    assert not split.ended
    assert split.feed("<tool") == ("", "<tool")
    assert split.ended


def test_a_message_without_reasoning_ends_it_at_once() -> None:
    split = ReasoningSplit("hermes")
    assert split.feed("<to") == ("", "<to")
    assert split.ended
