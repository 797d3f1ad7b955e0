"""Each kind of damage does what its words say, where there is a place for it."""

import json
import random
from pathlib import Path

import pytest

import toolgrammar
from toolgrammar import ToolCall
from toolgrammar.comparison.carried import Wire, carried
from toolgrammar.comparison.damages import KINDS, RECORDED, damaged, recorded
from toolgrammar.comparison.messages import Message, drawn
from toolgrammar.testing.small_damage import content_of

CALL = ToolCall("save_note", {"text": 'a "b"\nc', "done": True})
TOOL = {"properties": {"text": {"type": "string"}, "done": {"type": "boolean"}}}
MESSAGE = Message("one", (CALL,), [{"name": "save_note", "parameters": TOOL}])


def _wire(format_id: str) -> Wire:
    (wire,) = carried(toolgrammar.formats[format_id], [MESSAGE]).wires
    return wire


@pytest.mark.parametrize(
    ("kind", "part"),
    [
        ("quote-style", "'"),
        ("quoted-call", "```\n<tool_call>"),
        ("backslash", '"save\\_note"'),
        ("stray-close-tag", "</tool_call>\n</tool_call>"),
        ("literal", "True"),
        ("inner-quote", 'a "b'),
        ("control", '\\"\nc'),
    ],
)
def test_a_kind_is_done(kind: str, part: str) -> None:
    wire = _wire("hermes")
    found = {damaged(wire, kind, random.Random(seed)) for seed in range(9)}
    assert None not in found
    assert any(part in (text or "") for text in found)


@pytest.mark.parametrize(
    ("format_id", "kind"),
    [("pythonic", "missing-close-tag"), ("qwen3_xml", "inner-quote"), ("qwen3_xml", "control")],
)
def test_a_format_may_have_no_place_for_it(format_id: str, kind: str) -> None:
    assert damaged(_wire(format_id), kind, random.Random(1)) is None


def test_every_kind_is_drawn_with_a_weight() -> None:
    assert set(KINDS) == set(RECORDED)


def test_words_of_the_markup_are_misspelt_and_no_value() -> None:
    wire = _wire("hermes")
    for seed in range(40):
        text = damaged(wire, "misspelt", random.Random(seed)) or ""
        assert "save_note" in text
        assert 'a \\"b\\"\\nc' in text
        assert abs(len(text) - len(wire.text)) == 1


def test_a_log_says_how_often_models_do_it(tmp_path: Path) -> None:
    text = '<tool_call>\n{\'name\': "f", "arguments": {}}\n</tool_call>'
    call = '<tool_call>\n{"name": "f", "arguments": {}}\n</tool_call>'
    fenced, listed = f"Ok:\n```\n{call}\n```", f"* x\n  ```xml\n{call}\n  ```"
    # Shown in other ways, and in a fence of its own before.
    others = [f"So: ({call})", f"```\nls\n```\n<pre>{call}</pre>"]
    log = tmp_path / "log.jsonl"
    rows = [json.dumps({"text": each}) for each in (text, fenced, listed, *others)]
    log.write_text("\n".join(rows), encoding="utf-8")
    assert recorded(str(log)) == {"quote-style": 1, "quoted-call": 2}


def test_values_are_found_in_drawn_messages_of_code() -> None:
    """What is indented or escaped is looked for in a time that does not double with each quote."""
    form = toolgrammar.formats["hermes"]
    for wire in carried(form, drawn(0, 4)).wires:
        assert any(content_of(wire.text, wire.calls))
        assert wire.markup
