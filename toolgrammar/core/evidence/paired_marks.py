"""Finds calls between the marks of quotations that come in pairs, with other words between.

Example: in `It says: “Please run <tool_call>…</tool_call> now.”` the call is a part of what is quoted.
"""

from __future__ import annotations

from bisect import bisect
from itertools import chain
from typing import TYPE_CHECKING, Final

from toolgrammar.values.patterns import late

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from toolgrammar.values.spans import Span

_FARTHEST: Final = 4096
"""The maximal number of characters between a call and either mark of the quotation around it."""
PAIRED_MARKS: Final = {
    "\u201c": ("\u201d",), "\u201e": ("\u201c", "\u201d"), "\u00ab": ("\u00bb",),
    "\u300c": ("\u300d",), "\u300e": ("\u300f",), "\u300a": ("\u300b",), "~~": ("~~",),
}  # fmt: skip
"""The marks of quotations that differ from apostrophes, and those that strike out, with what closes each."""
# Each alternative begins with a letter of its own: `re` skips what begins none of them. Three tildes
# are a fence.
_MARK = late("|".join(sorted({*PAIRED_MARKS, *chain(*PAIRED_MARKS.values())} - {"~~"})) + "|~~+")
"""A mark that opens or closes such a quotation, or a run of tildes."""
_DEEPEST: Final = 8
"""The maximal number of quotations in each other that one mark may close."""


def _follow(opened: list[tuple[str, int]], mark: str, at: int) -> int:
    """Opens or closes a quotation; returns where the closed one began, or -1 if none is closed.

    Args:
        opened: the quotations that are open, each with its place; changed.
        mark: the next mark in the text.
        at: its place.
    """
    # A run of tildes that is no mark.
    if len(mark) > len("~~"):
        return -1
    for depth in range(len(opened) - 1, max(-1, len(opened) - 1 - _DEEPEST), -1):
        opener, start = opened[depth]
        if mark in PAIRED_MARKS[opener]:
            # What was left open inside is closed, too.
            del opened[depth:]
            return start
    if mark in PAIRED_MARKS:
        opened.append((mark, at))
    return -1


def open_quotations(text: str, opened: tuple[str, ...]) -> tuple[str, ...]:
    """Returns the marks of the innermost quotations that are open behind a text.

    Args:
        text: the text since the last call.
        opened: the result for that call, since quotations go on over calls.
    """
    # Only which marks are open counts here, not where.
    marks = [(mark, 0) for mark in opened]
    for found in _MARK.finditer(text[-_FARTHEST:]):
        _follow(marks, found[0], 0)
    return tuple([mark for mark, _ in marks[-_DEEPEST:]])


def calls_between_marks(
    stretches: Sequence[tuple[int, str]], calls: Mapping[int, Span], *, is_cut: bool
) -> Iterator[int]:
    """Yields which calls are between the marks of a quotation.

    A quotation that is the whole message is a habit of models, as straight marks around it are.

    Args:
        stretches: the text of the message in stretches, each with its offset.
        calls: the spans of calls behind opening marks, by number, in their order.
        is_cut: whether the server cut the message, so that closing marks may be missing.
    """
    # Calls that no mark has passed yet, the first one last, and those whose closing mark may come.
    coming = [*calls][::-1]
    waiting: list[int] = []
    opened: list[tuple[str, int]] = []
    first, last = _ends(stretches)
    for start, text in stretches:
        while coming and calls[coming[-1]].start < start:
            waiting.append(coming.pop())
        for found in _MARK.finditer(text):
            begun = _follow(opened, found[0], start + found.start())
            is_whole = begun == first and start + found.end() == last
            # Each call leaves the list once, with the innermost quotation around it.
            while waiting and 0 <= begun < calls[waiting[-1]].start:
                number = waiting.pop()
                if not is_whole and _are_near(begun, calls[number], start + found.start()):
                    yield number
    # Of a message that was cut the closing mark may be in the part that is missing.
    if is_cut and opened:
        places = [at for _, at in opened]
        for number in (*waiting, *coming):
            begun = places[bisect(places, calls[number].start) - 1]
            if _are_near(begun, calls[number], last):
                yield number


def _ends(stretches: Sequence[tuple[int, str]]) -> tuple[int, int]:
    """Returns where the visible text begins and ends; -1 for both if there is none."""
    visible = [(start, text) for start, text in stretches if text and not text.isspace()]
    if not visible:
        return -1, -1
    (first, before), (last, behind) = visible[0], visible[-1]
    return first + len(before) - len(before.lstrip()), last + len(behind.rstrip())


def _are_near(begun: int, span: Span, ended: int) -> bool:
    """Whether the marks at two places are around a call, and not too far from it."""
    return 0 <= span.start - begun <= _FARTHEST and ended - span.end <= _FARTHEST
