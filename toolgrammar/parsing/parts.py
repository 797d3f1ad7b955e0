"""Reads a message again to find its parts: what each stretch of its source is.

`On it. <tool_call>{"name": "f", "arguments": {"a": 1}}</tool_call>` has the text `On it. `, the markup
`<tool_call>{"name": "`, the name `f`, markup, the key `a`, markup, the value `1`, and markup.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right, insort
from dataclasses import replace
from typing import TYPE_CHECKING, NamedTuple

from toolgrammar.core.calls.places import Place, members_of, note_places
from toolgrammar.core.message.source import Source
from toolgrammar.parsing.driven import DrivenReading, Options
from toolgrammar.tools.specs import to_specs
from toolgrammar.values.spans import Part, Span

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from toolgrammar.catalogue.format import Format
    from toolgrammar.catalogue.several import AnyOf
    from toolgrammar.core.calls.places import Places
    from toolgrammar.core.message.build import Builder
    from toolgrammar.values.calls import ParseResult
    from toolgrammar.values.limits import Limits
    from toolgrammar.values.spans import PartKind

_NOWHERE = -1
"""The offset of a character that is not in the source."""
_WHOLE = frozenset({"complete", "repaired"})


class Reread(NamedTuple):
    """The options with which a message was read, so that it can be read again."""

    format: Format | AnyOf
    tools: Iterable[object] | None
    limits: Limits
    id_seed: str
    strict: bool = False
    prefix: str = ""
    cut: bool = False

    def parts(self, result: ParseResult) -> tuple[Part, ...]:
        """Returns the parts of the message."""
        specs = to_specs(self.tools)
        options = Options(self.format, specs, self.strict, self.id_seed, self.limits)
        reading = DrivenReading(options, Source(), prefix=self.prefix)
        places = note_places(reading.builder)
        reading.read_whole(result.source, cut=self.cut)
        return tuple(_tiled(result, _claims(result, reading.builder, places)))


def _claims(result: ParseResult, builder: Builder, places: Places) -> list[Part]:
    """Returns the parts that were reported, in the order of the source, without overlaps."""
    # Text is certain: what the driver gave up as text is not part of a call any more.
    origin = builder.source.origin
    parts = [
        Part("text", Span(start - origin, start - origin + len(text)))
        for start, text in builder.text_parts.stretches()
        if text
    ]
    number = {id(draft): index for index, draft in places.ended.items()}
    for place in places.found_from(origin):
        index = number.get(id(place.draft)) if place.draft is not None else None
        if place.draft is None:
            parts.append(Part(place.kind, Span(place.start, place.end)))
        elif index is not None and index < len(result.calls):
            parts += _of_call(place, index, result)
    return _disjoint(parts)


def _of_call(place: Place, index: int, result: ParseResult) -> Iterator[Part]:
    """Yields the parts of one stretch that was noted in a call."""
    call, written = result.calls[index], result.source[place.start : place.end]
    if place.kind == "arguments":
        yield from _of_arguments(place, index, result)
        return
    start, end = place.start, place.end
    if place.kind in ("name", "id", "key"):
        # The name as it was read: the text may have it doubled, or with backslashes.
        read = {"name": call.name, "id": call.id or "", "key": place.key}[place.kind]
        start, end = _word(written, read, start)
    key = place.key or None
    # The value of a duplicate key may have been dropped; it is still shown as a value.
    if place.kind == "value" and key not in call.arguments:
        key = None
    yield Part(place.kind, Span(start, end), index, key)


def _word(written: str, read: str, start: int) -> tuple[int, int]:
    """Returns the start and end of a word that was read, without blanks and quotes around it."""
    inner = written.find(read) if read else -1
    if inner >= 0:
        return start + inner, start + inner + len(read)
    # Text with escapes or entities does not contain the word as it was read: all of it counts.
    bare = written.strip().strip("\"'")
    at = written.find(bare)
    return start + at, start + at + len(bare)


def _of_arguments(place: Place, index: int, result: ParseResult) -> Iterator[Part]:
    """Yields the members of an arguments payload; the whole payload if they can't be located."""
    call = result.calls[index]
    text, offsets = _mended(place, result)
    found = members_of(text, call.arguments, whole=call.status in _WHOLE)
    if not found:
        yield Part("arguments", Span(place.start, place.end), index)
        return
    for each in found:
        yield from _part("key", offsets[each.key_start : each.key_end], index, each.key)
        yield from _part("value", offsets[each.start : each.end], index, each.key)


def _part(kind: PartKind, offsets: list[int], index: int, key: str) -> Iterator[Part]:
    """Yields the part whose characters have these offsets; nothing if none is in the source."""
    there = [offset for offset in offsets if offset != _NOWHERE]
    if there:
        yield Part(kind, Span(there[0], there[-1] + 1), index, key)


def _mended(place: Place, result: ParseResult) -> tuple[str, list[int]]:
    """Returns a payload with its edits applied, and the offset of each character in the source.

    Inserted characters have the offset -1.
    """
    edits = sorted(
        {
            (edit.span.start, edit.span.end, edit.replacement)
            for each in result.diagnostics
            for edit in each.edits
            if place.start <= edit.span.start and edit.span.end <= place.end
        }
    )
    pieces: list[str] = []
    offsets: list[int] = []
    here = place.start
    for start, end, replacement in edits:
        if start < here:
            continue  # two edits of one place: the first counts
        pieces += (result.source[here:start], replacement)
        offsets += range(here, start)
        # The characters of a replacement get the offsets of the stretch that they replace.
        offsets += [start + at if start + at < end else _NOWHERE for at in range(len(replacement))]
        here = end
    pieces.append(result.source[here : place.end])
    offsets += range(here, place.end)
    return "".join(pieces), offsets


def _disjoint(parts: list[Part]) -> list[Part]:
    """Returns the parts in order; of parts that overlap, the most certain one is kept.

    Text is the most certain. After it, later readings are: a call that was given up was read before
    them. A name may be inside an id: the id then keeps what is around the name.
    """
    ranked = [part for part in parts if part.kind == "text"]
    ranked += [part for part in reversed(parts) if part.kind not in ("text", "id")]
    ranked += [part for part in reversed(parts) if part.kind == "id"]
    kept: list[tuple[int, int, Part]] = []
    for part in ranked:
        here, end = part.span.start, part.span.end
        at = bisect_right(kept, here, key=lambda each: each[1])
        over = kept[at : bisect_left(kept, end, key=lambda each: each[0])]
        # The parts there already are more certain, so this one is dropped as a whole.
        if over and part.kind != "id":
            continue
        for start, stop, _ in [*over, (end, end, part)]:
            if here < start:
                insort(kept, (here, start, replace(part, span=Span(here, start))), key=_start)
            here = max(here, stop)
    return [part for _, _, part in kept]


def _start(placed: tuple[int, int, Part]) -> int:
    return placed[0]


def _tiled(result: ParseResult, parts: list[Part]) -> Iterator[Part]:
    """Yields the parts and the markup between them, which is split where a call begins or ends."""
    borders = [
        (place, index if place == call.span.start else None)
        for index, call in enumerate(result.calls)
        for place in (call.span.start, call.span.end)
    ]
    here, at = 0, 0
    inside: int | None = None
    for part in (*parts, None):
        start = len(result.source) if part is None else part.span.start
        while here < start:
            # Where a call begins right where another ends, the end is first in the list.
            while at < len(borders) and borders[at][0] <= here:
                inside = borders[at][1]
                at += 1
            # Markup between two adjacent calls, `</call><call>`, is split into a part for each.
            end = min(start, borders[at][0]) if at < len(borders) else start
            yield Part("markup", Span(here, end), inside)
            here = end
        if part is not None:
            yield part
            here = part.span.end
