"""Detects the formats that a text may be written in.

A text that only one format reads, and without repairs, gives one `Detection` with the score 1.0.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from toolgrammar.catalogue.registry import formats
from toolgrammar.catalogue.several import AUTO, AnyOf
from toolgrammar.core.several.open_search import OpenSearch
from toolgrammar.parsing.bad_bytes import as_text
from toolgrammar.parsing.detections import Detection
from toolgrammar.parsing.readers import readers_of
from toolgrammar.parsing.whole import parse
from toolgrammar.tools.specs import to_specs

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from toolgrammar.core.several.openers import AnyOpeners
    from toolgrammar.values.calls import ParseResult, ToolCall
    from toolgrammar.values.tools import ToolSpec

_WORTH = {"complete": 1.0, "repaired": 0.8, "truncated": 0.5, "unreadable": 0.2}
"""The weight of a call as evidence for its format, by its status."""
_DOUBTED = 0.8
_UNKNOWN_TOOL = 0.5


def detect(text: str | bytes | None, tools: Iterable[object] | None = None) -> list[Detection]:
    """Returns the formats that a text may be written in, the best first; [] if it has no call.

    The text is read once with all formats, as `parse` reads it. Each format that has an opener in
    it then reads it alone. Half of a score is the share of the calls that the first reading found
    in the format; the other half is how much the format reads alone, and how well.

    Args:
        text: the text of a model.
        tools: the tools that the model had, of any shape: calls of unknown tools count half.

    Raises:
        TypeError: an argument has the wrong type.
    """
    content, _ = as_text(text)
    specs = to_specs(tools) if tools is not None else {}
    known = None if tools is None else list(specs.values())
    chosen = parse(content, AUTO, tools=known)
    # Without a call there is no evidence: an opener alone does not show how well a format fits.
    if not chosen.calls:
        return []
    every = formats.resolve_any(AUTO)
    assert isinstance(every, AnyOf)
    several = readers_of(every, specs)
    # Only formats with an opener in the text read it alone: all of them would take too long.
    alone = {
        several.formats[number].id: parse(content, several.formats[number], tools=known)
        for number in sorted(_opening(several.openers, content))
    }
    # Relative to the longest reading: one call of three of the same length counts a third.
    most = max((_covered(result) for result in alone.values()), default=0)
    found = [
        Detection(name, round((_share(name, chosen) + _fit(result, most, specs)) / 2, 3))
        for name, result in alone.items()
        if result.calls
    ]
    return sorted(found, key=lambda each: -each.score)


def _opening(openers: AnyOpeners, text: str) -> set[int]:
    """Returns the indexes of the formats that have an opener in a text."""
    found: set[int] = set()
    search = OpenSearch(openers)
    place = search.find(text, 0)
    while place >= 0:
        found.update(openers.at(text, place))
        # Openers may overlap, so the search goes on one character behind.
        place = search.find(text, place + 1)
    return found


def _covered(result: ParseResult) -> int:
    return sum(call.span.end - call.span.start for call in result.calls)


def _share(name: str, chosen: ParseResult) -> float:
    """Returns the share of the calls that are written in a format."""
    return sum(call.format == name for call in chosen.calls) / len(chosen.calls)


def _fit(result: ParseResult, most: int, specs: Mapping[str, ToolSpec]) -> float:
    """Returns the share of the longest reading that a format reads, times its calls' worth."""
    worth = sum(_worth(call, specs) for call in result.calls) / len(result.calls)
    return worth * _covered(result) / max(1, most)


def _worth(call: ToolCall, specs: Mapping[str, ToolSpec]) -> float:
    # If no tools were given, any name may be that of a tool.
    known = not specs or call.name in specs
    return _WORTH[call.status] * (_DOUBTED if call.doubts else 1) * (1 if known else _UNKNOWN_TOOL)
