"""docs/formats.md lists every format, and says what the grammars say now."""

import pytest

import toolgrammar
from tests.house.formats_page import PAGE, page
from toolgrammar import Parser, ToolCall
from toolgrammar.catalogue.features import features_of
from toolgrammar.grammar.files import read_text
from toolgrammar.values.events import ArgumentsDelta, InputDelta

TEXT = "a ferry leaves at noon"
WHOLE = 4
"""Deltas of a value that is emitted at once: what opens it, the value, and what closes it."""


def test_the_page_is_current() -> None:
    assert read_text(PAGE) == page(), "run `make docs`"


@pytest.mark.parametrize("format_id", sorted(toolgrammar.formats))
def test_strings_stream_as_the_page_says(format_id: str) -> None:
    """Fed character by character, a string comes in many pieces or in few."""
    fmt = toolgrammar.formats[format_id]
    features = features_of(fmt)
    calls = [ToolCall("note", {"body": TEXT}), ToolCall("note", input=TEXT)]
    parameters = {"type": "object", "properties": {"body": {"type": "string"}}}
    pieces = [0]
    for call in calls:
        try:
            text = fmt.render([call])
        except toolgrammar.RenderError:
            continue
        parser = Parser(fmt, tools=[{"name": "note", "parameters": parameters}])
        events = [event for character in text for event in parser.feed(character)]
        pieces.append(sum(isinstance(e, ArgumentsDelta | InputDelta) for e in events))
    if max(pieces):
        assert (max(pieces) > WHOLE) == (features.streaming == "characters")
