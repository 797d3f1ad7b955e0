"""A token that only begins a text (`\\A`) is taken there alone, however the text is read."""

from __future__ import annotations

import pytest

import toolgrammar as tg
from toolgrammar.parsing.parser import DrivenParser

CALL = '{"tool": "tune_to", "arguments": {"station": "Radio Tromsø"}}'


def test_white_space_before_a_call_does_not_depend_on_what_was_read_before() -> None:
    text = f" {CALL}"
    driven = DrivenParser(tg.formats["mcp_json"]).run_whole(text, None)
    for before in (CALL, text, f"Now:\n{CALL}"):
        for _ in range(4):
            tg.parse(before, "mcp_json")
    assert tg.parse(text, "mcp_json").to_dict() == driven.to_dict()
    assert driven.calls[0].span.start == 1


@pytest.mark.parametrize("size", [1, 2, 3, 7])
def test_text_behind_arguments_that_are_mended_is_not_the_beginning(size: int) -> None:
    text = '```json\n{"tool": "write", "arguments": {"slot": 90{"tool": "say", "a": {"b": "c}}\n```'
    parser = tg.Parser("mcp_json")
    for start in range(0, len(text), size):
        parser.feed(text[start : start + size])
    parser.close()
    assert parser.result.to_dict() == tg.parse(text, "mcp_json").to_dict()
    assert parser.result.calls[0].status == "repaired"
