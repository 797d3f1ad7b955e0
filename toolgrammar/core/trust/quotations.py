"""Doubts calls between quotation marks with other words between, once the quotation is closed.

Example: in `It says: “Please run <tool_call>…</tool_call> now.”` the call is a part of what is quoted.
"""

from __future__ import annotations

from bisect import bisect
from dataclasses import replace
from typing import TYPE_CHECKING

from toolgrammar.core.trust.quoted_calls import CODE, stretches_of
from toolgrammar.core.trust.surroundings import FARTHEST, PAIRED, follow

if TYPE_CHECKING:
    from toolgrammar.core.message.build import Builder


def doubt_spoken(builder: Builder) -> None:
    """Doubts calls in quotations of several words; called at the end of the message.

    A quotation that is the whole message is a habit of models, as straight marks around it are.
    """
    if not builder.turns.spoken:
        return
    coming = builder.turns.spoken[::-1]
    waiting: list[int] = []
    opened: list[tuple[str, int]] = []
    stretches = stretches_of(builder)
    first, last = _ends(stretches)
    for start, text in stretches:
        while coming and builder.calls[coming[-1]].span.start < start:
            waiting.append(coming.pop())
        for found in PAIRED.finditer(text):
            at = start + found.start()
            begun = follow(opened, found[0], at)
            is_whole = begun == first and start + found.end() == last
            # Each call leaves the list once, with the innermost quotation around it.
            while waiting and 0 <= begun < builder.calls[waiting[-1]].span.start:
                index = waiting.pop()
                if not is_whole:
                    _doubt_near(builder, index, begun, at, "between marks that quote")
    # If the server cut the message, the closing mark may be missing.
    if builder.end.is_cut and opened:
        places = [at for _, at in opened]
        for index in (*waiting, *coming):
            begun = places[bisect(places, builder.calls[index].span.start) - 1]
            _doubt_near(builder, index, begun, last, "behind a mark that quotes")


def _ends(stretches: list[tuple[int, str]]) -> tuple[int, int]:
    """Returns where the first and the last visible character of a text is, the latter's end."""
    visible = [(start, text) for start, text in stretches if not text.isspace()]
    if not visible:
        return -1, -1
    (first, before), (last, behind) = visible[0], visible[-1]
    return first + len(before) - len(before.lstrip()), last + len(behind.rstrip())


def _doubt_near(builder: Builder, index: int, begun: int, ended: int, where: str) -> None:
    """Doubts a call in a quotation whose marks are not too far from it."""
    call = builder.calls[index]
    is_near = 0 <= call.span.start - begun <= FARTHEST and ended - call.span.end <= FARTHEST
    if is_near and CODE not in call.doubts:
        builder.calls[index] = replace(call, doubts=(*call.doubts, CODE))
        message = f"Found a call {where}; it may be quoted there"
        builder.report(CODE, "error", message, call.span)
