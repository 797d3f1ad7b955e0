"""How a statement of the seed documents is held: expected result, every cutting, nothing lost."""

import re
from collections.abc import Sequence
from typing import Any

from toolgrammar.testing import laws
from toolgrammar.testing.cases import case_of_row
from toolgrammar.testing.readings import read
from toolgrammar.values.events import CallEnd, TextDelta


def check(
    format_id: str,
    text: str,
    calls: Sequence[dict[str, Any]] = (),
    content: str | None = None,
    tools: Sequence[dict[str, Any]] | None = None,
    status: Sequence[str] | None = None,
) -> None:
    """Holds what is read in a text, whole, char by char and in every two pieces.

    Args:
        format_id: the format the text is written in.
        text: what a model wrote.
        calls: the calls expected, as `call` makes them; all of them, in order.
        content: the text that is no call, stripped; None where it is not asserted.
        tools: the tools the model had, or None where the caller gives none.
        status: the status of each call; None where it is not asserted.
    """
    row = {
        "text": text,
        "calls": list(calls),
        "content": content,
        "tools": None if tools is None else list(tools),
        "status": None if status is None else list(status),
        "tier": "edge",
    }
    case = case_of_row(row, repr(text[:60]), format_id)
    laws.expected(case)
    laws.splits(case)
    laws.deltas(case)
    laws.tiling(case)


def check_kept(
    format_id: str,
    text: str,
    tools: Sequence[dict[str, Any]] | None = None,
    markup: str = r"",
    whole_calls: Sequence[dict[str, Any]] = (),
) -> None:
    """Holds what is true of any text: nothing raises, nothing is lost without a word.

    Each character lies in the text, in a call or in a diagnostic; what is in
    none of them is white space or markup of the format.

    Args:
        format_id: the format the text is read in.
        text: what a model wrote.
        tools: the tools the model had, or None where the caller gives none.
        markup: a regular expression for the format's own marks outside calls.
        whole_calls: calls that must be read whatever becomes of the rest, in order.
    """
    row = {"text": text, "calls": [], "tools": None if tools is None else list(tools)}
    case = case_of_row(row, repr(text[:60]), format_id)
    laws.no_raise(text, format_id, case.tools)
    laws.splits(case)
    laws.deltas(case)
    laws.tiling(case)
    reading = read(case, [text])
    result = reading.result
    taken = [range(found.span.start, found.span.end) for found in result.calls]
    for diagnostic in result.diagnostics:
        taken.append(range(diagnostic.span.start, diagnostic.span.end))
        taken += [range(edit.span.start, edit.span.end) for edit in diagnostic.edits]
    place = 0
    for event in reading.events:
        match event:
            case TextDelta(piece):
                place = text.index(piece, place)
                taken.append(range(place, place + len(piece)))
                place += len(piece)
            case CallEnd(index=index):
                place = result.calls[index].span.end
            case _:
                pass
    covered = {at for stretch in taken for at in stretch}
    for mark in re.finditer(markup, text):
        covered |= set(range(*mark.span()))
    lost = "".join(sign for at, sign in enumerate(text) if at not in covered)
    assert lost.strip() == "", f"lost without a diagnostic: {lost!r}"
    found_calls = [{"name": found.name, "arguments": found.arguments} for found in result.calls]
    remaining = iter(found_calls)
    for wanted in whole_calls:
        assert any(found == wanted for found in remaining), f"{wanted} is not in {found_calls}"


def call(
    name: str, arguments: dict[str, Any] | None = None, input: str | None = None, **asserted: Any
) -> dict[str, Any]:
    """Returns an expected call; `id` and `depends_on` are asserted where they are given."""
    wanted: dict[str, Any] = {"name": name, "arguments": arguments or {}}
    if input is not None:
        wanted["input"] = input
    return wanted | asserted


def tool(name: str, required: Sequence[str] = (), **types: str) -> dict[str, Any]:
    """Returns a tool whose parameters have the types given by name."""
    properties = {key: {"type": type_name} for key, type_name in types.items()}
    schema = {"type": "object", "properties": properties, "required": list(required)}
    return {"name": name, "parameters": schema}
