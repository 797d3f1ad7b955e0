"""Reads a text in a given cutting, and returns a form that can be compared in every detail."""

import json
import random
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, fields

from toolgrammar.parsing.parser import Parser
from toolgrammar.testing.cases import Case
from toolgrammar.testing.depth import at_depth, if_quick
from toolgrammar.values.calls import ParseResult, ToolCall
from toolgrammar.values.events import (
    ArgumentsDelta,
    CallEnd,
    CallStart,
    Event,
    InputDelta,
    Problem,
    ReasoningDelta,
    TextDelta,
)
from toolgrammar.values.spans import Span

SAMPLED = if_quick(4, at_depth(few=8, usual=24, every=60))
"""The number of places that are tried in a text that has too many."""

# Short texts are cut at every place, longer ones at some.
_ALL_SPLITS_UP_TO = if_quick(4, at_depth(few=8, usual=48, every=400))
"""Characters of a text that is cut at each of its places."""

_RANDOM_CUTS = if_quick(1, 4)
_SEED = 20_261_121
_SHOWN = 300


@dataclass(frozen=True, slots=True)
class Reading:
    """The events and the result of one text in one cutting."""

    result: ParseResult
    """The result from `close` on."""
    events: list[Event]
    """All events, in order."""
    fed: list[int]
    """For each event, how many characters had been fed; one more than all for those of the end."""


def read(case: Case, chunks: Iterable[str], finish_reason: str | None = None) -> Reading:
    """Feeds chunks to a new parser set up for the case, which may be told why the server stopped."""
    parser = Parser(format=case.format, tools=case.tools, prefix=case.prefix)
    events: list[Event] = []
    fed: list[int] = []
    done = 0
    for chunk in chunks:
        done += len(chunk)
        given = parser.feed(chunk)
        events += given
        fed += [done] * len(given)
    given = parser.close(finish_reason)
    events += given
    # One more than all: these events came only with the end.
    fed += [done + 1] * len(given)
    return Reading(parser.result, events, fed)


def seen(reading: Reading) -> tuple[str, list[str]]:
    """Returns the result and the joined events, written out so that `1`, `1.0` and `True` differ.

    Equality of the dataclasses won't do: it leaves spans, status and raw arguments out.
    """
    result = reading.result
    written = ", ".join(f"{field.name}={getattr(result, field.name)!r}" for field in fields(result))
    return written, joined(reading.events)


def joined(events: Iterable[Event]) -> list[str]:
    """Writes out events, neighbouring deltas of a kind as one."""
    lines: list[str] = []
    kind: tuple[str, int] | None = None
    pieces: list[str] = []
    for event in events:
        match event:
            case TextDelta(text):
                found, piece = ("TextDelta", -1), text
            case ReasoningDelta(text):
                found, piece = ("ReasoningDelta", -1), text
            case ArgumentsDelta(index, text):
                found, piece = ("ArgumentsDelta", index), text
            case InputDelta(index, text):
                found, piece = ("InputDelta", index), text
            case CallStart() | CallEnd() | Problem():
                found, piece = ("", -1), repr(event)
        # A call's own events never join, even if two alike follow each other.
        if kind is not None and (found != kind or not found[0]):
            lines.append(_line(kind, pieces))
            pieces = []
        kind = found
        pieces.append(piece)
    if kind is not None:
        lines.append(_line(kind, pieces))
    return lines


def _line(kind: tuple[str, int], pieces: list[str]) -> str:
    name, index = kind
    # An event by itself: a start, an end or a problem.
    if not name:
        return pieces[0]
    return f"{name}({index}, {''.join(pieces)!r})" if index >= 0 else f"{name}({''.join(pieces)!r})"


def cuttings(text: str) -> Iterator[tuple[str, list[str]]]:
    """Yields cuttings of a text, each with its description."""
    # The finest cutting of all: whatever waits for more text has to wait at each character. It
    # comes first, before other cuttings have left anything that a stream could use again.
    yield "char by char", list(text)
    most = _ALL_SPLITS_UP_TO if len(text) <= _ALL_SPLITS_UP_TO else SAMPLED
    for at in places(len(text), most):
        yield f"split at {at}", [text[:at], text[at:]]
    choose = random.Random(_SEED)  # noqa: S311 - the same cuts on every run, nothing secret
    for attempt in range(_RANDOM_CUTS):
        chunks: list[str] = []
        at = 0
        while at < len(text):
            size = choose.choice((1, 2, 3, 4, 7, 20))
            chunks.append(text[at : at + size])
            at += size
        yield f"random cut {attempt}: {[len(chunk) for chunk in chunks]}", chunks


def places(length: int, most: int) -> list[int]:
    """Returns the inner places of a text of this length, sampled where there are too many."""
    inner = range(1, length)
    # The same places on every run: a failure can be made again.
    if len(inner) <= most:
        return list(inner)
    return sorted(random.Random(_SEED).sample(inner, most))  # noqa: S311 - as above


def deed(call: ToolCall) -> str:
    """Writes out what a call would do."""
    return written([call.name, call.arguments, call.input])


def comparable(calls: Iterable[ToolCall]) -> str:
    """Writes out what takes part in the equality of calls."""
    return written(
        [[call.name, call.arguments, call.input, list(call.depends_on), call.id] for call in calls]
    )


def written(value: object) -> str:
    """Writes out a JSON value with its keys sorted, so that `1`, `1.0` and `true` differ."""
    return json.dumps(value, ensure_ascii=False, sort_keys=True)


def gaps_between(spans: Iterable[Span], length: int) -> list[tuple[int, int]]:
    """Returns the stretches of the source that lie in no call."""
    gaps: list[tuple[int, int]] = []
    start = 0
    for span in spans:
        gaps.append((start, span.start))
        start = span.end
    return [*gaps, (start, length)]


def located(source: str, piece: str, after: int, gaps: list[tuple[int, int]]) -> int | None:
    """Returns the first offset from `after` on where a piece lies in one gap, or None."""
    for start, end in gaps:
        # A gap that ends before the place has nothing left for this piece.
        if end > after:
            found = source.find(piece, max(start, after), end)
            if found >= 0:
                return found
    return None


def difference(wanted: object, found: object) -> str:
    """Shows two results one below the other, from a little before they part."""
    one, other = str(wanted), str(found)
    pairs = enumerate(zip(one, other, strict=False))
    # Where one is a part of the other, they part at the end of the shorter.
    parted = next((at for at, (left, right) in pairs if left != right), min(len(one), len(other)))
    start = max(0, parted - _SHOWN // 3)
    mark = "…" if start else ""
    return (
        f"  wanted: {mark}{one[start : start + _SHOWN]}\n"
        f"  found:  {mark}{other[start : start + _SHOWN]}"
    )
