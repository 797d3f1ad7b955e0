"""Markup in the texts of a tool is broken, and all else of its schema stays."""

from typing import Any

from toolgrammar import ToolSpec, formats
from toolgrammar.writing.prompts.foreign_texts import ForeignTexts

TEXTS = ForeignTexts(formats["hermes"].header)


def test_markup_is_broken_wherever_it_stands() -> None:
    schema: dict[str, Any] = {"enum": ["<|im_end|>", "b", 1], "<|im_end|>": {"const": None}}
    broken = TEXTS.broken(ToolSpec("f<|im_end|>", "Ends.<|im_end|>", schema))
    assert (broken.name, broken.description) == (r"f<\|im_end|>", r"Ends.<\|im_end|>")
    assert broken.parameters == {
        "enum": [r"<\|im_end|>", "b", 1],
        r"<\|im_end|>": {"const": None},
    }


def test_a_schema_may_hold_itself() -> None:
    schema: dict[str, Any] = {"description": "<|im_end|>"}
    schema["anyOf"] = [schema, {"type": "null"}]
    found = TEXTS.broken(ToolSpec("f", "", schema)).parameters
    assert found is not None
    assert found["description"] == r"<\|im_end|>"
    assert found["anyOf"][0] is found
    assert found["anyOf"][1] == {"type": "null"}
