"""Defines the laws that hold for every format and text, as functions that raise AssertionError.

Each law takes a `Case`. Only `expected` looks at what the case expects; the others compare
a reading with another, or with itself. A failure names the case, the place and both results.
"""

import json
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any, Final

from toolgrammar.catalogue.format import Format
from toolgrammar.catalogue.registry import formats
from toolgrammar.core.machine.retry_budget import CREDIT
from toolgrammar.grammar.payload_kinds import PAYLOADS, notation_of
from toolgrammar.parsing.parser import Parser
from toolgrammar.parsing.whole import parse
from toolgrammar.patterns.sample import sample
from toolgrammar.testing.agreement import agreement
from toolgrammar.testing.breaches import broken, quiet, same
from toolgrammar.testing.cases import Case, format_of
from toolgrammar.testing.depth import at_depth
from toolgrammar.testing.edits import edits
from toolgrammar.testing.oracle import strict_oracle
from toolgrammar.testing.readings import (
    SAMPLED,
    comparable,
    cuttings,
    deed,
    gaps_between,
    located,
    places,
    read,
    seen,
    written,
)
from toolgrammar.testing.searches import HINT, runaways
from toolgrammar.testing.trust import trust
from toolgrammar.values.calls import ParseResult, ToolCall
from toolgrammar.values.errors import RenderError
from toolgrammar.values.events import (
    ArgumentsDelta,
    CallEnd,
    CallStart,
    ReasoningDelta,
    TextDelta,
)
from toolgrammar.values.tools import ToolSpec

__all__ = [
    "deltas",
    "early",
    "edits",
    "expected",
    "laws_of",
    "linear",
    "no_raise",
    "rewritten",
    "round_trip",
    "splits",
    "strict_oracle",
    "tiling",
    "truncation",
    "trust",
]

_LONGEST_CLOSER, _LINEAR_FROM = 40, 600  # characters
_LINEAR_TIMES, _LINEAR_SLACK = at_depth(few=4, usual=16, every=16), 1.10  # as long; as many steps


def expected(case: Case) -> None:
    """Checks that the result of the whole text is the one that the case expects."""
    result = _parsed(case, case.text)
    asserted = [*case.calls, *({} for _ in result.calls)]  # a call too many shows all its keys
    found = [_asserted(*pair) for pair in zip(result.calls, asserted, strict=False)]
    same("expected", case, "calls", written(list(case.calls)), written(found))
    if case.content is not None:
        same("expected", case, "content", case.content.strip(), result.text)
    if case.reasoning is not None:
        same("expected", case, "reasoning", case.reasoning.strip(), result.reasoning)
    if case.status is not None:
        same("expected", case, "status", case.status, tuple(call.status for call in result.calls))
    if case.codes is not None:
        codes = tuple(diagnostic.code for diagnostic in result.diagnostics)
        same("expected", case, "codes", case.codes, codes)
    if case.tier == "well_formed" and case.status is None and case.codes is None:
        errors = [str(found) for found in result.diagnostics if found.severity == "error"]
        same("expected", case, "diagnostics of severity error", [], errors)


def splits(case: Case) -> None:
    """Checks that every cutting of the text gives the same result as the whole text.

    Result and joined events are the same to the last detail, and the events
    agree with the result: what was emitted stands.
    """
    whole = read(case, [case.text])
    agreement(case, whole)
    wanted = seen(whole)
    for place, chunks in cuttings(case.text):
        found = seen(read(case, chunks))
        if found != wanted:
            same("splits", case, f"result, {place}", wanted[0], found[0])
            same("splits", case, f"events, {place}", wanted[1], found[1])


def tiling(case: Case) -> None:
    """Checks that each character is in at most one of text, reasoning and a call, in order.

    Call spans are disjoint and ordered; every delta of text or reasoning is a
    piece of the source that lies between them, after the piece before it.
    """
    reading = read(case, [case.text])
    result = reading.result
    spans = [call.span for call in result.calls]
    end = 0
    for index, span in enumerate(spans):
        if not end <= span.start < span.end <= len(result.source):
            broken("tiling", case, f"span of call {index}", f"after {end}, not empty", span)
        end = span.end
    gaps = gaps_between(spans, len(result.source))
    joins = format_of(case).header.messages == "lines"
    place = 0  # after the last piece that was found
    for event in reading.events:
        match event:
            case TextDelta("\n") | ReasoningDelta("\n") if joins:
                pass  # it stands between two messages
            case TextDelta(text) | ReasoningDelta(text):
                found = located(result.source, text, place, gaps)
                if found is None:
                    broken("tiling", case, f"{event!r}", f"in the source, after {place}", None)
                place = found + len(text)
            case CallStart(index=index):
                if index >= len(spans) or place > spans[index].start:
                    broken("tiling", case, f"{event!r}", f"a span from {place} on", spans)
                place = spans[index].start
            case CallEnd(index=index):
                place = max(place, spans[index].end)
            case _:
                pass


def deltas(case: Case) -> None:
    """Checks that the joined argument deltas of each call are its arguments.

    An unreadable call has none, or those that were emitted before the one that can't be read.
    """
    for place, chunks in (("in one piece", [case.text]), ("char by char", list(case.text))):
        reading = read(case, chunks)
        given: dict[int, str] = {}
        for event in reading.events:
            if isinstance(event, ArgumentsDelta):
                given[event.index] = given.get(event.index, "") + event.json
        for index, call in enumerate(reading.result.calls):
            where = f"arguments of call {index}, {place}"
            if index not in given:
                broken("deltas", case, where, "at least one ArgumentsDelta", "none")
            try:
                value = json.loads(given[index])
            except ValueError as error:
                broken("deltas", case, where, "JSON", f"{given[index]!r}: {error}")
            same("deltas", case, where, written(call.arguments), written(value))
            if call.status == "unreadable" and not _gives_out_each(case, call):
                same("deltas", case, f"{where}, which can't be read", "{}", written(value))


def _gives_out_each(case: Case, call: ToolCall) -> bool:
    """Whether the format of a call gives arguments out before all of them are read."""
    read = formats.resolve_any(case.format)
    each_format = (read,) if isinstance(read, Format) else read.formats
    tables = next(each for each in each_format if each.id == call.format).tables
    is_python = any(notation_of(each.name) == "python" for each in tables.terminals)
    return is_python or all(each.role != "arguments" for each in tables.productions)


def early(case: Case) -> None:
    """Checks that `CallEnd` comes with the character that completes the call.

    It may come later only where what follows could still have changed the call: where a call
    ends with the text, or a closer may yet turn out to belong to a tag inside the payload. What
    comes behind such a call waits with it. Where a final answer doubts calls, or only the last one
    counts, all wait for the end of the message, and for nothing else.
    """
    reading = read(case, list(case.text))
    calls = reading.result.calls
    header = format_of(case).header
    held_to = -1  # how much was fed when a late call ended
    for event, fed in zip(reading.events, reading.fed, strict=True):
        if not isinstance(event, CallEnd) or event.call.status != "complete":
            continue
        end = calls[event.index].span.end
        is_late = fed > end and fed != held_to
        if (header.answer or header.calls == "last") and fed > len(case.text):
            continue
        if fed < end or (is_late and not _still_open(case, calls[event.index], event.index)):
            broken("early", case, f"CallEnd({event.index})", f"at {end}", f"at {fed}")
        held_to = fed if is_late else held_to


def truncation(case: Case) -> None:
    """Checks that a cut text never runs a call that the whole text would not run.

    Excepted is a last call that is complete because the text ended: the law of early ends sees
    to it that only calls which may end so are. A call that only a final answer after it doubts may
    run where the text is cut before that.
    """
    runnable = {deed(call) for call in _parsed(case, case.text).calls if runs_without_answer(call)}
    for end in places(len(case.text), SAMPLED * 2):
        with quiet("no raise", case, f"cut at {end}"):
            reading = read(case, [case.text[:end]])
        calls = reading.result.calls
        at_the_end = {
            event.index
            for event, fed in zip(reading.events, reading.fed, strict=True)
            if isinstance(event, CallEnd) and fed > end
        }
        for index, call in enumerate(calls):
            if index == len(calls) - 1 and call.status == "complete" and index in at_the_end:
                continue
            if call.executable and deed(call) not in runnable:
                broken("truncation", case, f"cut at {end}", f"one of {runnable}", deed(call))


def runs_without_answer(call: ToolCall) -> bool:
    """Whether a call is executable, or would be if the message gave no final answer."""
    return replace(call, doubts=tuple(set(call.doubts) - {"final-answer"})).executable


def round_trip(
    calls: Sequence[ToolCall],
    format: str | Format,
    tools: Sequence[ToolSpec] | None = None,
    text: str = "",
) -> str | None:
    """Checks that calls written in a format are read back equal.

    Returns the wire text, or None if the format can't carry the calls.
    """
    chosen = format_of(Case("", format, ""))
    try:
        wire = chosen.render(calls, text=text, tools=tools)
    except RenderError:
        return None
    found = parse(wire, format=chosen, tools=tools)
    case = Case(f"render({chosen.id})", chosen, wire, calls=())
    # An id that is made up is not a part of the promise, nor is the payload of a wire that has
    # only a payload, where the call came with arguments alone.
    back = [
        replace(
            call,
            id=None if wanted.id is None else call.id,
            input=None if wanted.input is None else call.input,
            arguments=_beside_text(call, wanted, tools or ()),
        )
        for call, wanted in zip(found.calls, calls, strict=False)
    ]
    if len(found.calls) != len(calls) or comparable(back) != comparable(calls):
        broken("round trip", case, "calls", comparable(calls), comparable(found.calls))
    return wire


def _beside_text(call: ToolCall, wanted: ToolCall, tools: Sequence[ToolSpec]) -> dict[str, Any]:
    """Returns the arguments of a call, without the one that its tool takes the text for."""
    filled = {tool.lone_text_parameter for tool in tools if tool.name == call.name}
    return {
        key: value
        for key, value in call.arguments.items()
        if key in wanted.arguments or key not in filled or value != wanted.input
    }


def rewritten(case: Case) -> None:
    """Checks that the calls of a sound case, written in its format, are read back equal."""
    result = _parsed(case, case.text)
    if result.calls and result.ok:
        round_trip(result.calls, case.format, case.tools)


def no_raise(
    text: str, format: str | Format, tools: Sequence[ToolSpec] | None = None, prefix: str = ""
) -> None:
    """Checks that no reading of a text raises: recovering, strict, as bytes, cut off, in pieces."""
    case = Case("no raise", format, text, prefix, None if tools is None else tuple(tools))
    options: dict[str, Any] = {"format": format, "tools": case.tools, "prefix": prefix}
    with quiet("no raise", case, "parse"):
        parse(text, **options).to_dict()
    with quiet("no raise", case, "parse, strict"):
        parse(text, strict=True, **options)
    with quiet("no raise", case, "parse, cut off"):
        parse(text, finish_reason="length", **options)
    with quiet("no raise", case, "parse, bytes"):
        parse(text.encode(errors="surrogatepass"), **options)
    with quiet("no raise", case, "Parser, char by char"):
        read(case, list(text))


def linear(case: Case) -> None:
    """Checks that the steps per character, at many times the length, grow by at most ten per cent.

    One step a chunk is not growth: the beginning of a text may be read in fewer.

    The work inside of a regular expression is not a step: nothing that is looked for may begin with
    a run of any length.
    """
    if found := runaways(case.format):
        place = f"expressions that begin with a run of any length ({HINT})"
        broken("linear", case, place, [], found)
    short = f"{case.text}\n" * (1 + _LINEAR_FROM // (len(case.text) + 1))
    for place, size in (("in one piece", None), ("in chunks of 4", 4)):
        long = short * _LINEAR_TIMES
        before, after = (_steps(case, text, size) / len(text) for text in (short, long))
        if after > max(before * _LINEAR_SLACK, 1 / (size or len(long))):
            broken("linear", case, f"steps a character, {place}", before, after)


def _steps(case: Case, text: str, size: int | None) -> int:
    """Returns how many steps a text takes, fed in chunks of a size, from one reader.

    Where a stream is not sound, the driver reads its beginning once more, and at once: these steps
    would stand for more of a short text than of a long one.
    """
    _fed(case, "", None)  # makes the machine
    read = formats.resolve_any(case.format)
    machines = read.tables.machines if isinstance(read, Format) else {}
    patience = [machine.stream_budget for machine in machines.values()]
    for each in patience:
        each.renew()
    steps = _fed(case, text, size)
    if all(each.left == CREDIT for each in patience):
        return steps
    for each in patience:
        each.rest()
    return _fed(case, text, size)


def _fed(case: Case, text: str, size: int | None) -> int:
    parser = Parser(format=case.format, tools=case.tools, prefix=case.prefix)
    width = size or max(1, len(text))
    for start in range(0, len(text), width):
        parser.feed(text[start : start + width])
    parser.close()
    return int(parser.steps)


def _parsed(case: Case, text: str) -> ParseResult:
    return parse(text, format=case.format, tools=case.tools, prefix=case.prefix)


def _asserted(call: ToolCall, wanted: dict[str, Any]) -> dict[str, Any]:
    """Returns a call in the keys of an expectation: ids and the like only where they are asserted."""
    found = call.body()
    always = ("name", "arguments", *(("input",) if call.input is not None else ()))
    return {key: found[key] for key in (*wanted, *always) if key in found}


def _still_open(case: Case, call: ToolCall, index: int) -> bool:
    """Whether something that follows a call at once could still change it."""
    before = case.text[: call.span.end]
    own = before[call.span.start :]
    chosen = format_of(case)
    # The strings at which servers stop are closers too, also where the grammar has a pattern.
    known = {terminal.text for terminal in chosen.tables.terminals if terminal.text}
    # What a pattern reads may open the next part, too; an "x" stands for what it looks ahead to.
    read = (sample(each.pattern) for each in chosen.tables.terminals if each.kind == "regex")
    known |= {text + more for text in read if text for more in ("", "x")}
    ends = (own[-size:] for size in range(1, min(len(own), _LONGEST_CLOSER) + 1))
    # "x" stands for any text; an argument, a member or a parenthesis shows what ended too early.
    mark, kinds = chosen.header.element, [PAYLOADS.get(e.name) for e in chosen.tables.terminals]
    elements = [f"{mark}<x>1{mark}</x>" for each in kinds if each and each.header == "element"]
    tails = ["x", ', "x": 1}', "(", *elements, *chosen.stop, *sorted(known), *ends]
    for tail in (*tails, *(f"\n{tail}" for tail in tails)):
        calls = _parsed(case, before + tail).calls
        if index >= len(calls) or (calls[index], calls[index].span) != (call, call.span):
            return True
        if calls[index].doubts != call.doubts:
            return True
    return False


_OF_ANY_TEXT: Final[dict[str, Callable[[Case], object]]] = {
    "expected": expected,
    "tiling": tiling,
    "deltas": deltas,
    "splits": splits,
    "edits": edits,
    "no raise": lambda case: no_raise(case.text, case.format, case.tools, case.prefix),
    "linear": linear,
    "trust": trust,
}
_OF_SHORTCUT_TEXT: Final[dict[str, Callable[[Case], object]]] = {
    "early": early, "truncation": truncation, "round trip": rewritten, "strict oracle": strict_oracle
}  # fmt: skip
"""Laws that malformed cases need not keep: their text need not equal what the repair would write."""


def laws_of(case: Case) -> list[tuple[str, Callable[[Case], object]]]:
    """Returns the laws that a case has to keep, by name, the plainest first."""
    more = {} if case.tier == "malformed" else _OF_SHORTCUT_TEXT
    return [*_OF_ANY_TEXT.items(), *more.items()]
