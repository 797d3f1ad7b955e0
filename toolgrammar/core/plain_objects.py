"""Reads a call of a name and all its arguments at once, without asking what else it may be.

Most messages are one such call. It gives up where a lane does anything unusual; the loop of
`plain_calls` then reads from the opener.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from toolgrammar.core.draft import decoded_token
from toolgrammar.core.json_fast import read_up_to
from toolgrammar.core.lanes import end_of_section
from toolgrammar.core.machine import MAX_TOKEN
from toolgrammar.core.scanners import read_scanned
from toolgrammar.values.making import make_call, make_span

if TYPE_CHECKING:
    import re
    from collections.abc import Callable
    from typing import Any

    from toolgrammar.core.lanes import Lane
    from toolgrammar.core.machine import Node
    from toolgrammar.core.plain_calls import PlainReading, Read
    from toolgrammar.values.calls import ToolCall


def read_object_call(  # noqa: C901, PLR0912  (each call of a function costs a twentieth)
    reading: PlainReading,
    text: str,
    opening: Lane,
    opened: re.Match[str],
    calls: list[ToolCall],
    read: Read,
    jiter: Callable[..., Any] | None,
) -> tuple[Node, int] | None:
    """Reads a call as the loop does; `jiter` where that reads the text's objects faster."""
    payload = opening.payload
    closing = None if payload is None else payload.node.ends_call
    if payload is None or (closing is None and not payload.after):
        return None
    start, begin = opened.span()
    unit, group = opening.groups
    written = opened[group]
    name = reading.names.get(written) or reading.name_of(written)
    raw: str | None = None
    if opening.scans:
        scanned = read_scanned(payload, reading.tools.get(name), text, begin)
        if scanned is None or type(scanned[0]) is not dict:
            return None
        arguments, end = scanned[0], scanned[1]
    else:
        landmark = None if jiter is None or closing is None else closing.landmark
        fast = read_up_to(jiter, text, begin, landmark) if jiter and landmark else None
        if fast is not None:
            arguments, end, texts, raw = fast
        elif (whole := read(text, begin)) is not None:
            arguments, end, texts = whole
        else:
            return None
        if reading.tools:
            # The first question of `takes`, without its calls: most messages need no other.
            guide = reading.guides.get(name) if texts else None
            known = guide is not None and guide.texts.issuperset(arguments)
            if not known and not reading.takes(name, arguments, texts=texts):
                return None
    if closing is None:  # the call ends with its arguments
        node, last, behind = payload.node, end, end
    else:
        closed = closing.match(text, end)
        if closed is None:
            return None
        node, behind = closing.node, closed.end()
        last = closed.end(closing.groups[0]) if closing.groups[0] else behind
        if opening.begins_group != closing.ends_group:
            found = None if closing.ends_group else end_of_section(node, text, behind)
            if found is None:
                return None
            node, behind = found
    if begin - start + behind - end > MAX_TOKEN:
        return None  # for the loop, which judges each by itself
    id = decoded_token(opened[opening.id]).strip() or None if opening.id else None
    raw = text[begin:end] if raw is None else raw
    span, format_id = make_span(opened.start(unit), last), reading.format_id
    call = make_call(name, arguments, id, None, raw, span, "complete", (), format_id, None, ())
    calls.append(call)
    return node, behind
