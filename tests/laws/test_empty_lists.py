"""A list of calls with no call in it calls nothing: its markup is left out, in each format that has lists."""

import re

import pytest

import toolgrammar
from toolgrammar import Parser, RenderError, ToolCall, formats

_TOOLS = [
    {"name": name, "parameters": {"type": "object", "properties": {"text": {"type": "string"}}}}
    for name in ("first_tool", "second_tool")
]
_CALLS = [ToolCall(str(tool["name"]), {"text": "held"}) for tool in _TOOLS]
_NO_MARKUP = re.compile(r"(?:```(?:json)?)?\s*\[\s*\]\s*(?:```)?")
"""A list alone, or in a fence of JSON: any answer may be that."""

_WORDS = {"firefunction_v2": "its opener is a word, which prose has; the page keeps it"}


def _emptied(text: str) -> str | None:
    """Returns a text without what stands between the brackets that hold both calls."""
    for opened in re.finditer(r"\[", text):
        depth = 0
        for at in range(opened.start(), len(text)):
            depth += (text[at] == "[") - (text[at] == "]")
            if depth == 0:
                if text[opened.start() : at].count("held") == len(_CALLS):
                    return text[: opened.end()] + text[at:]
                break
    return None


def _with_lists() -> dict[str, str]:
    """Returns an empty list of each format that writes several calls as a list."""
    found = {}
    for format_id in sorted(formats):
        try:
            emptied = _emptied(formats[format_id].render(_CALLS, tools=_TOOLS))
        except RenderError:  # it writes one call at most, or none of these
            continue
        if emptied is not None and format_id not in _WORDS:
            found[format_id] = emptied
    return found


_LISTS = _with_lists()


def test_most_families_have_lists() -> None:
    assert len(_LISTS) >= 18


@pytest.mark.parametrize("tools", [None, _TOOLS])
@pytest.mark.parametrize("format_id", _LISTS)
def test_an_empty_list_calls_nothing(format_id: str, tools: list[dict[str, object]] | None) -> None:
    text = _LISTS[format_id]
    left = text.strip() if _NO_MARKUP.fullmatch(text.strip()) else ""
    for chosen in (format_id, [format_id, "hermes"], "auto"):
        result = toolgrammar.parse(text, format=chosen, tools=tools)
        assert (result.calls, result.text, result.ok) == ((), left, True), chosen
        for size in (1, 2, 7):
            parser = Parser(chosen, tools=tools)
            for at in range(0, len(text), size):
                parser.feed(text[at : at + size])
            parser.close()
            assert parser.result.to_dict() == result.to_dict(), (chosen, size)
