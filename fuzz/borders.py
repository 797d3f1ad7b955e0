"""Examples with a few odd characters where one of their parts ends and the next one begins.

Example: behind the brace of `{"name": "f", "arguments": {}}` comes `_id": 1`. What may follow a call,
its arguments or reasoning is decided there, by the driver and by each shortcut.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from fuzz.mixed import short_example
from toolgrammar.parsing.whole import parse
from toolgrammar.testing import Case

if TYPE_CHECKING:
    import random

_PIECES = (
    "_", "a", "b", "1", "\u00b2", "é", "\u4e2d", '"', "'", "\u201c", "\u201d", "`", "```", "```json",
    ":", ",", ".", "!", "=", "|", "#", "*", "-", "@", "$", "/", "\\", "\\n", "{", "}", "[", "]", "(",
    ")", "<", ">", "</", ">>", "&lt;", " ", "\n", "\t", "\r\n", "\u00a0", "\u200b", "\u2028", "\x0b",
    "_id", "name", '"a":', "a=1", "null", "true", "Observation:",
)  # fmt: skip


def border_case(format_id: str, draw: random.Random) -> Case:
    """Returns an example with characters put in at a border, and how to read it."""
    sample = short_example(format_id, draw)
    tools = draw.choice((sample.tools, sample.tools, None))
    text = sample.text
    read = parse(text, sample.format, tools=tools, prefix=sample.prefix)
    spans = [part.span for part in read.parts] + [call.span for call in read.calls]
    places = sorted({0, len(text), *(end for span in spans for end in (span.start, span.end))})
    # Right beside the border as well, so that a bracket or a quote is cut off from it.
    place = min(len(text), max(0, draw.choice(places) + draw.choice((0, 0, 0, -2, -1, 1, 2))))
    odd = "".join(draw.choices(_PIECES, k=draw.randint(1, 5)))
    rest = "" if draw.random() < 0.2 else text[place + draw.choice((0, 0, 0, 1, 2)) :]
    return Case("borders", format_id, text[:place] + odd + rest, sample.prefix, tools)
