"""What holds for every format and every text, as plain functions that raise AssertionError.

Each law takes a `Case`. Only `expected` looks at what the case expects; the
others compare a reading with another reading, or with itself. A failure names
the case, the place and both results.
"""

import json
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from typing import Any, NoReturn

from toolgrammar.catalogue.format import Format
from toolgrammar.catalogue.registry import formats
from toolgrammar.parsing.parser import Parser
from toolgrammar.parsing.whole import parse
from toolgrammar.testing.cases import Case
from toolgrammar.testing.open_ends import ends_with_text
from toolgrammar.testing.readings import (
    SAMPLED,
    Reading,
    cuttings,
    difference,
    joined,
    places,
    read,
    seen,
)
from toolgrammar.values.calls import ParseResult, ToolCall
from toolgrammar.values.errors import RenderError
from toolgrammar.values.events import (
    ArgumentsDelta,
    CallEnd,
    CallStart,
    InputDelta,
    Problem,
    ReasoningDelta,
    TextDelta,
)
from toolgrammar.values.spans import Span
from toolgrammar.values.tools import ToolSpec

__all__ = [
    "deltas",
    "early",
    "expected",
    "linear",
    "no_raise",
    "round_trip",
    "splits",
    "strict_oracle",
    "tiling",
    "truncation",
]

_LINEAR_FROM = 600
_LINEAR_TIMES = 16
_LINEAR_SLACK = 1.10


def expected(case: Case) -> None:
    """Holds the reading of the whole text against what the case expects."""
    result = _parsed(case, case.text)
    found = [_asserted(call, wanted) for call, wanted in _paired(case, result)]
    wanted_calls = list(case.calls)
    if _written(found) != _written(wanted_calls):
        _broken("expected", case, "calls", _written(wanted_calls), _written(found))
    if case.content is not None:
        _same("expected", case, "content", case.content.strip(), result.text)
    if case.reasoning is not None:
        _same("expected", case, "reasoning", case.reasoning.strip(), result.reasoning)
    if case.status is not None:
        _same("expected", case, "status", case.status, tuple(call.status for call in result.calls))
    if case.codes is not None:
        codes = tuple(diagnostic.code for diagnostic in result.diagnostics)
        _same("expected", case, "codes", case.codes, codes)
    if case.tier == "well_formed" and case.status is None and case.codes is None:
        _same("expected", case, "diagnostics of severity error", [], _errors(result))


def splits(case: Case) -> None:
    """Holds every cutting of the text against the text in one piece.

    Result and joined events are the same to the last detail, and the events
    agree with the result: what was given out stands.
    """
    text = case.text
    whole = read(case, [text])
    _agreement(case, whole)
    wanted = seen(whole)
    for place, chunks in cuttings(text):
        found = seen(read(case, chunks))
        if found != wanted:
            _same("splits", case, f"result, {place}", wanted[0], found[0])
            _same("splits", case, f"events, {place}", wanted[1], found[1])


def tiling(case: Case) -> None:
    """Holds that each character is in at most one of text, reasoning and a call, in order.

    Call spans are disjoint and ordered; every delta of text or reasoning is a
    piece of the source that lies between them, after the piece before it.
    """
    reading = read(case, [case.text])
    result = reading.result
    spans = [call.span for call in result.calls]
    end = 0
    for index, span in enumerate(spans):
        if not end <= span.start < span.end <= len(result.source):
            _broken("tiling", case, f"span of call {index}", f"after {end}, not empty", span)
        end = span.end
    gaps = _gaps(spans, len(result.source))
    place = 0
    for event in reading.events:
        match event:
            case TextDelta(text) | ReasoningDelta(text):
                found = _located(result.source, text, place, gaps)
                if found is None:
                    _broken("tiling", case, f"{event!r}", f"in the source, after {place}", None)
                place = found + len(text)
            case CallStart(index=index):
                if index >= len(spans) or place > spans[index].start:
                    _broken("tiling", case, f"{event!r}", f"a span from {place} on", spans)
                place = spans[index].start
            case CallEnd(index=index):
                place = max(place, spans[index].end)
            case _:
                pass


def deltas(case: Case) -> None:
    """Holds the joined argument deltas of each call against its arguments."""
    for place, chunks in (("in one piece", [case.text]), ("char by char", list(case.text))):
        reading = read(case, chunks)
        given: dict[int, str] = {}
        for event in reading.events:
            if isinstance(event, ArgumentsDelta):
                given[event.index] = given.get(event.index, "") + event.json
        for index, call in enumerate(reading.result.calls):
            where = f"arguments of call {index}, {place}"
            if index not in given:
                _broken("deltas", case, where, "at least one ArgumentsDelta", "none")
            try:
                value = json.loads(given[index])
            except ValueError as error:
                _broken("deltas", case, where, "JSON", f"{given[index]!r}: {error}")
            wanted: object = {} if call.status == "unreadable" else call.arguments
            _same("deltas", case, where, _written(wanted), _written(value))


def early(case: Case) -> None:
    """Holds that `CallEnd` comes with the character that completes the call.

    Where the grammar lets a call end with the text or with what follows it, it may come later.
    """
    later = ends_with_text(_format_of(case))
    reading = read(case, list(case.text))
    calls = reading.result.calls
    for event, fed in zip(reading.events, reading.fed, strict=True):
        if not isinstance(event, CallEnd) or event.call.status != "complete":
            continue
        end = calls[event.index].span.end
        if fed < end or (fed > end and not later):
            _broken("early", case, f"CallEnd({event.index})", f"at {end}", f"at {fed}")


def round_trip(
    calls: Sequence[ToolCall],
    format: str | Format,
    tools: Sequence[ToolSpec] | None = None,
    text: str = "",
) -> str | None:
    """Holds that calls written in a format are read back equal.

    Returns the wire text, or None where the format can't carry the calls.
    """
    chosen = formats[format] if isinstance(format, str) else format
    try:
        wire = chosen.render(calls, text=text)
    except RenderError:
        return None
    found = parse(wire, format=chosen, tools=tools)
    case = Case(f"render({chosen.id})", chosen, wire, calls=())
    # An id that the library or the format makes up is no part of the promise.
    back = tuple(
        replace(call, id=None) if wanted.id is None else call
        for call, wanted in zip(found.calls, calls, strict=False)
    )
    if len(found.calls) != len(calls) or _comparable(back) != _comparable(calls):
        _broken("round trip", case, "calls", _comparable(calls), _comparable(found.calls))
    return wire


def truncation(case: Case) -> None:
    """Holds that a cut text never runs what the whole text would not.

    Where the grammar lets a call end with the text, the last call of a cut text is excepted.
    """
    last_is_open = ends_with_text(_format_of(case))
    runnable = _executable(_parsed(case, case.text).calls)
    for end in places(len(case.text), SAMPLED * 2):
        calls = _parsed(case, case.text[:end]).calls
        for call in _executable(calls[:-1] if last_is_open else calls):
            if call not in runnable:
                _broken("truncation", case, f"cut at {end}", f"one of {runnable}", call)


def no_raise(
    text: str, format: str | Format, tools: Sequence[ToolSpec] | None = None, prefix: str = ""
) -> None:
    """Holds that no reading of a text raises: recovering, strict, as bytes, cut off, in pieces."""
    case = Case("no raise", format, text, prefix, None if tools is None else tuple(tools))
    options: dict[str, Any] = {"format": format, "tools": case.tools, "prefix": prefix}
    with _quiet("no raise", case, "parse"):
        result = parse(text, **options)
        result.to_dict()
    with _quiet("no raise", case, "parse, strict"):
        parse(text, strict=True, **options)
    with _quiet("no raise", case, "parse, cut off"):
        parse(text, finish_reason="length", **options)
    with _quiet("no raise", case, "parse, bytes"):
        parse(text.encode(errors="surrogatepass"), **options)
    with _quiet("no raise", case, "Parser, char by char"):
        read(case, list(text))


def linear(case: Case) -> None:
    """Holds the counted steps a character at 16 times the length to within ten per cent."""
    unit = case.text + "\n"
    short = unit * (1 + _LINEAR_FROM // len(unit))
    for place, size in (("in one piece", None), ("in chunks of 4", 4)):
        before = _steps(case, short, size) / len(short)
        long = short * _LINEAR_TIMES
        after = _steps(case, long, size) / len(long)
        if after > before * _LINEAR_SLACK:
            _broken("linear", case, f"steps a character, {place}", before, after)


def strict_oracle(case: Case) -> None:
    """Holds plain Lark's reading of each island against the driver's strict one."""
    chosen = _format_of(case)
    result = parse(case.text, format=chosen, tools=case.tools, prefix=case.prefix, strict=True)
    for call in result.calls:
        if call.status != "complete":
            continue
        island = result.source[call.span.start : call.span.end]
        with _quiet("oracle", case, f"tree of {island!r}"):
            tree = chosen.tree(island)
        if "call" not in {node.data for node in tree.iter_subtrees()}:
            _broken("oracle", case, f"tree of {island!r}", "a call", tree.pretty())


def _agreement(case: Case, reading: Reading) -> None:
    """Holds the events of a reading against its result: nothing given out is taken back."""
    result = reading.result
    text: list[str] = []
    reasoning: list[str] = []
    inputs: dict[int, str] = {}
    started: dict[int, str] = {}
    ended: dict[int, ToolCall] = {}
    problems: list[str] = []
    for event in reading.events:
        match event:
            case TextDelta(piece):
                text.append(piece)
            case ReasoningDelta(piece):
                reasoning.append(piece)
            case CallStart(index=index, name=name):
                started[index] = name
            case InputDelta(index, piece):
                inputs[index] = inputs.get(index, "") + piece
            case CallEnd(index, call):
                ended[index] = call
            case Problem(diagnostic):
                problems.append(repr(diagnostic))
            case ArgumentsDelta():
                pass
    _same("events", case, "text", result.text, "".join(text).strip())
    _same("events", case, "reasoning", result.reasoning, "".join(reasoning).strip())
    names = {index: call.name for index, call in enumerate(result.calls)}
    _same("events", case, "names given at CallStart", names, started)
    for index, call in enumerate(result.calls):
        if index not in ended:
            _broken("events", case, f"call {index}", "a CallEnd", joined(reading.events))
        # What a call depends on may be settled only when all the calls are known.
        settled = replace(ended[index], depends_on=call.depends_on)
        _same("events", case, f"call {index} at CallEnd", repr(call), repr(settled))
        if index in inputs:
            _same("events", case, f"input of call {index}", call.input, inputs[index])
    _same(
        "events",
        case,
        "problems",
        sorted(map(repr, result.diagnostics)),
        sorted(problems),
    )


def _gaps(spans: Iterable[Span], length: int) -> list[tuple[int, int]]:
    """Returns the stretches of the source that lie in no call."""
    gaps: list[tuple[int, int]] = []
    start = 0
    for span in spans:
        gaps.append((start, span.start))
        start = span.end
    return [*gaps, (start, length)]


def _located(source: str, piece: str, after: int, gaps: list[tuple[int, int]]) -> int | None:
    """Returns the first offset from `after` on where a piece lies in one gap, or None."""
    for start, end in gaps:
        if end > after:
            found = source.find(piece, max(start, after), end)
            if found >= 0:
                return found
    return None


def _steps(case: Case, text: str, size: int | None) -> int:
    """Returns how many steps the driver took for a text, fed in chunks of a size."""
    parser = Parser(format=case.format, tools=case.tools, prefix=case.prefix)
    width = size or len(text)
    for start in range(0, len(text), width):
        parser.feed(text[start : start + width])
    parser.close()
    return int(parser.steps)


def _parsed(case: Case, text: str) -> ParseResult:
    with _quiet("no raise", case, f"parse of the first {len(text)} characters"):
        return parse(text, format=case.format, tools=case.tools, prefix=case.prefix)
    raise AssertionError


def _format_of(case: Case) -> Format:
    return formats[case.format] if isinstance(case.format, str) else case.format


def _paired(case: Case, result: ParseResult) -> list[tuple[ToolCall, dict[str, Any]]]:
    wanted = list(case.calls) + [{}] * len(result.calls)
    return list(zip(result.calls, wanted, strict=False))


def _asserted(call: ToolCall, wanted: dict[str, Any]) -> dict[str, Any]:
    """Returns a call in the keys of an expectation; ids only where they are asserted."""
    found: dict[str, Any] = {"name": call.name, "arguments": call.arguments}
    if call.input is not None or "input" in wanted:
        found["input"] = call.input
    if "id" in wanted:
        found["id"] = call.id
    if "depends_on" in wanted:
        found["depends_on"] = list(call.depends_on)
    return {key: found[key] for key in (*wanted, *found) if key in found}


def _executable(calls: Iterable[ToolCall]) -> list[str]:
    """Writes out the calls that would run, by what they would do."""
    return [_written([call.name, call.arguments, call.input]) for call in calls if call.executable]


def _comparable(calls: Iterable[ToolCall]) -> str:
    """Writes out what takes part in the equality of calls."""
    return _written(
        [[call.name, call.arguments, call.input, list(call.depends_on), call.id] for call in calls]
    )


def _errors(result: ParseResult) -> list[str]:
    return [f"{found.code}: {found.message}" for found in result.diagnostics
            if found.severity == "error"]  # fmt: skip


def _written(value: object) -> str:
    """Writes out a JSON value with its keys sorted, so that `1`, `1.0` and `true` differ."""
    return json.dumps(value, ensure_ascii=False, sort_keys=True)


def _same(law: str, case: Case, place: str, wanted: object, found: object) -> None:
    if wanted != found:
        _broken(law, case, place, wanted, found)


def _broken(law: str, case: Case, place: str, wanted: object, found: object) -> NoReturn:
    name = case.format if isinstance(case.format, str) else case.format.id
    raise AssertionError(
        f"{law}: {case.id} ({name}), {place}\n{difference(wanted, found)}\n"
        f"  text:   {case.text[:600]!r}"
    )


@contextmanager
def _quiet(law: str, case: Case, place: str) -> Iterator[None]:
    """Turns an exception into a broken law."""
    try:
        yield
    except Exception as error:
        message = f"{law}: {case.id}, {place} raised {error!r}\n  text:   {case.text[:600]!r}"
        raise AssertionError(message) from error
