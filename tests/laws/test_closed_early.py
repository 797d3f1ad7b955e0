"""Arguments whose object is closed too early do not run as half of what was meant.

The rest may stand behind the call, as in `{"kind": "rye"}, "kilos": 25}`, or beside its arguments.
"""

import re

import pytest

import toolgrammar
from tests.laws.every_case import each_format
from toolgrammar import RenderError, ToolCall, formats
from toolgrammar.testing.depth import if_quick

ORDER = {
    "name": "order",
    "parameters": {
        "type": "object",
        "properties": {"kind": {"type": "string"}, "kilos": {"type": "integer"}},
        "required": ["kind"],
    },
}
MEANT = {"kind": "rye", "kilos": 25}
ANY = {
    "name": "order",
    "parameters": {
        "type": "object",
        "properties": {"kind": {"type": "string"}, "kilos": {"type": "integer"}},
    },
}
"""The tool, but that it may be called without arguments."""
_ARGUMENTS = re.compile(r',(\s*"(?:arguments|args|parameters|action_input)":)')
"""Where the name ends, in a format whose call is an object."""
_KEY = re.compile(r',(\s*)(?="kilos"|kilos:)')
"""Where the first member ends, in a format whose arguments are an object."""
_END = re.compile(r"25(\}+)")
"""The brackets behind the last member."""


def damaged(format_id: str) -> list[str]:
    """Returns calls of which the object of arguments ends behind its first member, or before it.

    The brace stands before the comma, in place of it, or in place of the first quote of a key.
    """
    try:
        text = formats[format_id].render([ToolCall("order", MEANT)], tools=[ORDER])
    except RenderError:
        return []
    found = _KEY.search(text)
    if found is None:
        return []
    before, behind = text[: found.start()], text[found.end() :]
    texts = [f"{before}}}{text[found.start() :]}", f"{before}}}{found[1]}{behind}"]
    if behind.startswith('"'):
        texts += [f"{before}}}{behind[1:]}", re.sub(r'\{(\s*)"(?=kind")', r"{\1}", text)]
    return texts


def without_arguments(format_id: str) -> list[str]:
    """Returns calls whose object ends behind the name, and whose arguments follow it."""
    try:
        text = formats[format_id].render([ToolCall("order", MEANT)], tools=[ANY])
    except RenderError:
        return []
    return [
        _ARGUMENTS.sub(rf"}}{between}\1", text)
        for between in (",", "", "7", " -")
        if _ARGUMENTS.search(text)
    ]


def quoting(format_id: str) -> list[str]:
    """Returns calls of which the first value quotes what ends the arguments, and what ends the call."""
    try:
        text = formats[format_id].render([ToolCall("order", MEANT)], tools=[ORDER])
    except RenderError:
        return []
    ends = _END.search(text)
    if ends is None or '"rye"' not in text:
        return []
    quoted = (ends[1], text[ends.start(1) :])
    return [text.replace('"rye"', f'"say "{each}" now"') for each in quoted]


def runs(text: str, format_id: str, *, tools: bool, streamed: bool) -> list[dict[str, object]]:
    """Returns the arguments of what may run."""
    given = [ORDER] if tools else None
    if not streamed:
        calls = toolgrammar.parse(text, format_id, tools=given).calls
    else:
        events = toolgrammar.stream(list(text), format_id, tools=given)
        calls = tuple(e.call for e in events if isinstance(e, toolgrammar.CallEnd))
    return [call.arguments for call in calls if call.executable]


@each_format
def test_the_rest_of_the_arguments_puts_a_call_into_doubt(format_id: str) -> None:
    for text in damaged(format_id):
        for tools in (True, False):
            for streamed in (True, False):
                for chosen in (format_id, "auto"):
                    ran = runs(text, chosen, tools=tools, streamed=streamed)
                    assert all(each == MEANT for each in ran), (text, chosen, tools, streamed)


@each_format
def test_the_beginning_of_that_rest_puts_a_call_into_doubt_where_the_server_cut_it(
    format_id: str,
) -> None:
    for text in (*damaged(format_id), *without_arguments(format_id)):
        # Behind brackets and white space alone nothing has begun.
        closed = [end for end in range(1, len(text) + 1) if text[:end].rstrip()[-1:] in "}])"]
        for end in sorted(set(range(1, len(text) + 1)) - set(closed))[:: if_quick(3, 1)]:
            for tools in ([ANY], None):
                found = toolgrammar.parse(
                    text[:end], format_id, tools=tools, finish_reason="length"
                )
                # Where a key may name the next call, that call is told of behind the first.
                cuts = [each.span.end for each in found.diagnostics if each.code == "truncated"]
                for call in found.calls:
                    told = any(place > call.span.end for place in cuts)
                    meant = call.arguments == MEANT or told
                    assert meant or not call.executable, (text[:end], tools)


@each_format
def test_arguments_behind_the_object_of_a_name_put_the_call_into_doubt(format_id: str) -> None:
    for text in without_arguments(format_id):
        for tools in ([ANY], None):
            whole = toolgrammar.parse(text, format_id, tools=tools)
            assert not any(call.executable for call in whole.calls), text
            events = toolgrammar.stream(list(text), format_id, tools=tools)
            ended = [each.call for each in events if isinstance(each, toolgrammar.CallEnd)]
            assert tuple(ended) == whole.calls, text


@each_format
def test_the_rest_of_a_string_puts_a_call_into_doubt_or_tells_of_a_loss(format_id: str) -> None:
    for text in quoting(format_id):
        for tools in (True, False):
            for chosen in (format_id, "auto"):
                is_told = not toolgrammar.parse(text, chosen, tools=[ORDER] if tools else None).ok
                for streamed in (True, False):
                    ran = runs(text, chosen, tools=tools, streamed=streamed)
                    assert {"kind": "say "} not in ran or is_told, (text, chosen, tools, streamed)


@pytest.mark.heavy
def test_formats_have_objects_that_can_be_damaged() -> None:
    assert sum(damaged(format_id) != [] for format_id in formats) >= 50
    assert sum(without_arguments(format_id) != [] for format_id in formats) >= 30
    assert sum(quoting(format_id) != [] for format_id in formats) >= 40
