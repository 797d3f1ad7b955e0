"""Measures what can be read of messages cut at each tenth of their text, without a finish reason.

Of `{"name": "f", "arguments": {"a": "text"}}` cut at the sixth tenth, the name and no argument.
"""

from __future__ import annotations

import json
from collections import Counter
from typing import TYPE_CHECKING, Any, Final

from toolgrammar.comparison.carried import deeds
from toolgrammar.comparison.figures import quotient, share
from toolgrammar.parsing.whole import parse

if TYPE_CHECKING:
    from collections.abc import Sequence

    from toolgrammar.catalogue.format import Format
    from toolgrammar.comparison.carried import Wire
    from toolgrammar.comparison.figures import Figure
    from toolgrammar.values.calls import ParseResult, ToolCall

TENTHS: Final = tuple(range(1, 10))


def cuts(form: Format, wires: Sequence[Wire]) -> dict[str, Any]:
    """Returns for each tenth, and for all: what is `kept` of the arguments, `lost` and `ran` wrong.

    Lost is a call whose name is there, when nothing says that it is missing.
    """
    kept: dict[int, list[tuple[float, float]]] = {tenth: [] for tenth in TENTHS}
    ran: dict[int, list[int]] = {tenth: [] for tenth in TENTHS}
    lost: dict[int, list[int]] = {tenth: [] for tenth in TENTHS}
    for wire in wires:
        for tenth in TENTHS:
            # Without a `finish_reason`: the cut has to be recognised from the text alone.
            text = wire.text[: len(wire.text) * tenth // 10]
            result = parse(text, format=form, tools=wire.message.specs)
            kept[tenth].append((_kept(result.calls, wire), _length(wire.message.calls)))
            ran[tenth].append(_ran_wrong(result, wire))
            lost[tenth].append(_lost(result, wire, text))
    shapes = [wire.message.shape for wire in wires]
    tenths = {
        str(tenth): {
            "kept": _share_kept(kept[tenth], shapes),
            "lost": share((each, 1) for each in lost[tenth]),
            "ran": share((each, 1) for each in ran[tenth]),
        }
        for tenth in TENTHS
    }
    messages = range(len(wires))
    whole = [
        (sum(kept[t][i][0] for t in TENTHS), sum(kept[t][i][1] for t in TENTHS)) for i in messages
    ]
    return {
        "tenths": tenths,
        "kept": _share_kept(whole, shapes),
        "lost": share((sum(lost[t][i] for t in TENTHS), len(TENTHS)) for i in messages),
        "ran": share((sum(ran[t][i] for t in TENTHS), len(TENTHS)) for i in messages),
    }


def _share_kept(pairs: Sequence[tuple[float, float]], shapes: Sequence[str]) -> Figure | None:
    """Returns the share of the arguments that is kept; None if there are no arguments."""
    # Messages whose calls have none lose nothing, and keep nothing.
    chosen = [place for place, (_, length) in enumerate(pairs) if length]
    return quotient([pairs[place] for place in chosen], [shapes[place] for place in chosen])


def _length(calls: Sequence[ToolCall]) -> int:
    return sum(_size(call) for call in calls)


def _size(call: ToolCall) -> int:
    # As JSON, whatever the format: else one with escapes would keep more of the same text.
    written = call.arguments or call.input
    return len(json.dumps(written, ensure_ascii=False)) if written else 0


def _kept(calls: Sequence[ToolCall], wire: Wire) -> int:
    """Returns the characters of arguments that are there, whatever the status of their calls."""
    return sum(
        # Mending may make a value longer than it was; more than all can't be kept.
        min(_size(found), _size(wanted))
        for found, wanted in zip(calls, wire.message.calls, strict=False)
        if found.name == wanted.name and (found.arguments or found.input)
    )


def _ran_wrong(result: ParseResult, wire: Wire) -> int:
    ran = Counter(deeds(call for call in result.calls if call.executable))
    # A counter, as the same call may be meant twice; run three times, it is wrong.
    return int(bool(ran - Counter(deeds(wire.message.calls))))


def _lost(result: ParseResult, wire: Wire, text: str) -> int:
    # An error was reported, so a caller can see that something is missing.
    if not result.ok:
        return 0
    begun = 0
    for call in wire.calls:
        place = wire.text.find(call.name, call.span.start)
        # Before its name is whole, no reader can know that a call was begun.
        begun += place >= 0 and place + len(call.name) < len(text)
    return int(len(result.calls) < begun)
