"""Detection: which formats a text may be written in."""

import pytest

import toolgrammar
from toolgrammar import Detection, detect

HERMES = '<tool_call>\n{"name": "tide", "arguments": {"port": "Emden"}}\n</tool_call>'
TIDE = {"name": "tide", "parameters": {"type": "object", "properties": {"port": {}}}}


@pytest.mark.parametrize(
    ("text", "best"),
    [
        (HERMES, "hermes"),
        ('```json\n{"name": "tide", "arguments": {}}\n```', "fenced_json"),
        ("Action: search\nAction Input: rain", "react"),
        ('[TOOL_CALLS]tide[ARGS]{"port": "Emden"}', "mistral_v11"),
        ("[tide(port='Emden')]", "pythonic"),
        ("<tool_call>\n<function=tide>\n<parameter=port>\nEmden\n</parameter>\n</function>\n</tool_call>",
         "qwen3_xml"),
        ("No call here, and no <b>markup</b> of one.", None),
        ("", None),
        (None, None),
    ],
)  # fmt: skip
def test_the_best_format(text: str | None, best: str | None) -> None:
    found = detect(text)
    assert (found[0].format if found else None) == best
    assert [each.score for each in found] == sorted((e.score for e in found), reverse=True)
    assert all(0 <= each.score <= 1 for each in found)


def test_a_clean_reading_scores_one() -> None:
    assert detect(HERMES)[0] == Detection("hermes", 1.0)


def test_a_repair_costs() -> None:
    assert detect(HERMES.removesuffix("</tool_call>"))[0].score < 1


def test_calls_of_unknown_tools_count_half() -> None:
    assert detect(HERMES, [TIDE])[0].score == 1
    assert detect(HERMES.replace("tide", "moon"), [TIDE])[0].score == 0.75


def test_the_best_is_what_auto_reads() -> None:
    for text in (HERMES, "<think>so</think>\n" + HERMES):
        assert detect(text)[0].format == toolgrammar.parse(text).calls[0].format


def test_a_detection_is_plain_json_and_back() -> None:
    found = Detection("hermes", 0.5)
    assert found.to_dict() == {"schema": 1, "format": "hermes", "score": 0.5}
    assert Detection.from_dict(found.to_dict()) == found


def test_bytes_are_read_and_other_things_are_refused() -> None:
    assert detect(HERMES.encode())[0].format == "hermes"
    with pytest.raises(TypeError):
        detect(3)  # type: ignore[arg-type]
