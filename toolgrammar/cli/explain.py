"""The command `explain`: shows a message with its parts marked, and each finding at its place.

The margin has `text` for `On it.`, `call 1` for a call, and below the place where
a quote is missing a `^` with the finding.
"""

from __future__ import annotations

from bisect import bisect_right
from typing import TYPE_CHECKING

from toolgrammar.catalogue.registry import formats
from toolgrammar.cli.input import (
    STANDARD_INPUT,
    InputError,
    add_reading_options,
    read_message,
    read_tools,
)
from toolgrammar.cli.marked_text import Finding, Part, write_marked
from toolgrammar.cli.output import printable, write_json, write_line
from toolgrammar.parsing.bad_bytes import as_text
from toolgrammar.parsing.parser import Parser
from toolgrammar.values.codes import CODES
from toolgrammar.values.events import CallEnd, CallStart, ReasoningDelta, TextDelta

if TYPE_CHECKING:
    import argparse

    from toolgrammar.values.calls import ParseResult
    from toolgrammar.values.diagnostics import Diagnostic
    from toolgrammar.values.events import Event
    from toolgrammar.values.spans import Span

_OK = 0
_NOT_OK = 1


def add_to(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Adds the command to the command line."""
    parser = commands.add_parser(
        "explain",
        help="show a message with its parts and its repairs marked",
        description="Shows a message line by line: what each part of it is, and under each line "
        "what was found wrong in it. Exits with 0 when all is well, 1 when the message has "
        "errors, 2 when the command was called wrongly.",
    )
    add_reading_options(parser)
    parser.add_argument("--json", action="store_true", help="print the diagnostics as JSON")
    parser.add_argument(
        "--color",
        choices=("auto", "always", "never"),
        default="auto",
        help="whether to colour the parts (default: on a terminal; needs rich)",
    )
    parser.add_argument("--code", help="say what a code means, and end")
    parser.set_defaults(run=run)


def run(arguments: argparse.Namespace) -> int:
    """Explains every message, or a code, and returns the exit status."""
    # Before any message is read: nothing waits for standard input then.
    if arguments.code is not None:
        _explain_code(arguments.code)
        return _OK
    # Several ids may be given.
    chosen = formats.resolve_any(arguments.format)
    tools = read_tools(arguments.tools)
    names: list[str] = arguments.files or [STANDARD_INPUT]
    status = _OK
    for name in names:
        # The parser reads str: diagnostics of the bytes are added to its own.
        text, problems = as_text(read_message(name))
        parser = Parser(chosen, tools=tools, strict=arguments.strict, prefix=arguments.prefix)
        # As events, in one piece: they tell in which order text and calls stand.
        events = [*parser.feed(text), *parser.close(arguments.finish_reason)]
        result = parser.result
        diagnostics = [*problems, *result.diagnostics]
        parts = parts_of(result, events)
        # In JSON every message is one line, and needs no heading.
        if len(names) > 1 and not arguments.json:
            write_line(f"== {printable(name)}")
        if arguments.json:
            _write_json(result, diagnostics, parts)
        else:
            findings = [_finding(diagnostic) for diagnostic in diagnostics]
            write_marked(result.source, parts, findings, color=arguments.color)
            write_line(_summary(result, diagnostics))
        if not result.ok:
            status = _NOT_OK
    return status


def _explain_code(code: str) -> None:
    entry = CODES.get(code)
    if entry is None:
        from difflib import get_close_matches

        nearest = get_close_matches(code, CODES, 3)
        mend = f"nearest: {', '.join(nearest)}" if nearest else f"known: {', '.join(CODES)}"
        raise InputError(f"unknown code {code!r}; {mend}")
    write_line(f"{entry.code} ({entry.severity})")
    write_line(entry.meaning)
    # The one thing to know about a code before a call is run.
    if entry.doubt:
        write_line("The repair may have guessed wrong: the call is not executable.")


def parts_of(result: ParseResult, events: list[Event]) -> list[Part]:
    """Returns the labelled stretches of a message, in order; everything else is markup.

    Args:
        result: the whole message.
        events: the events of the message, fed in one piece.
    """
    parts: list[Part] = []
    place = 0
    calls = [call.span for call in result.calls]
    for event in events:
        match event:
            case TextDelta(text) | ReasoningDelta(text):
                kind = "text" if isinstance(event, TextDelta) else "reasoning"
                # Events have no places for text: it is sought in the source, from the end of the
                # last part on.
                start = _located(result.source, text, place, calls)
                # Text that was changed on the way is not a stretch of the source.
                if start >= 0:
                    place = start + len(text)
                    # Deltas of one text come in several pieces.
                    if parts and (parts[-1].kind, parts[-1].end) == (kind, start):
                        start = parts.pop().start
                    parts.append(Part(kind, start, place))
            case CallStart(index=index):
                # What follows the start of a call does not stand before it.
                place = max(place, calls[index].start)
            case CallEnd(index=index):
                span = calls[index]
                place = max(place, span.end)
                parts.append(Part("call", span.start, span.end, index))
            case _:
                pass
    return parts


def _located(source: str, text: str, place: int, calls: list[Span]) -> int:
    """Returns the offset of a piece of text after a place, outside of calls; -1 if there is none."""
    start = source.find(text, place)
    while start >= 0:
        # The first call that ends after the place. A text inside it is an argument that reads the
        # same.
        after = bisect_right(calls, start, key=lambda span: span.end)
        if after == len(calls) or start + len(text) <= calls[after].start:
            return start
        start = source.find(text, calls[after].end)
    return -1


def _finding(diagnostic: Diagnostic) -> Finding:
    said = f"{diagnostic.severity} {diagnostic.code}: {diagnostic.message}"
    if diagnostic.hint:
        said += f" ({diagnostic.hint})"
    return Finding(diagnostic.span.start, diagnostic.span.end, diagnostic.severity, said)


def _summary(result: ParseResult, diagnostics: list[Diagnostic]) -> str:
    counts = [_counted(len(result.calls), "call")]
    for severity in ("error", "warning", "info"):
        number = sum(diagnostic.severity == severity for diagnostic in diagnostics)
        if number:
            counts.append(_counted(number, severity))
    return ", ".join(counts)


def _counted(number: int, noun: str) -> str:
    return f"{number} {noun}" if number == 1 or noun == "info" else f"{number} {noun}s"


def _write_json(result: ParseResult, diagnostics: list[Diagnostic], parts: list[Part]) -> None:
    write_json(
        {
            "schema": 1,
            "format": result.format,
            "diagnostics": [diagnostic.body() for diagnostic in diagnostics],
            "parts": [part.to_dict() for part in parts],
        }
    )
