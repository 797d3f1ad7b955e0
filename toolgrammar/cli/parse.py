"""The command `parse`: reads messages and shows their calls."""

from __future__ import annotations

import argparse
import sys
from typing import TYPE_CHECKING, Any

from toolgrammar.catalogue.registry import formats
from toolgrammar.cli import many
from toolgrammar.cli.input import (
    STANDARD_INPUT,
    InputError,
    add_reading_options,
    read_message,
    read_tools,
)
from toolgrammar.cli.output import (
    compact,
    fields,
    one_line,
    printable,
    write,
    write_json,
    write_line,
    write_table,
)
from toolgrammar.parsing.bad_bytes import as_text
from toolgrammar.parsing.parser import Parser
from toolgrammar.parsing.whole import parse
from toolgrammar.values.events import Problem

if TYPE_CHECKING:
    from collections.abc import Iterable

    from toolgrammar.values.calls import ParseResult, ToolCall
    from toolgrammar.values.diagnostics import Diagnostic
    from toolgrammar.values.events import Event

# About the length of a token.
_CHUNK = 4
_OK = 0
_NOT_OK = 1
# The number of messages from which on a progress bar is shown.
_LONG_WORK = 20


def add_to(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Adds the command to the command line."""
    parser = commands.add_parser(
        "parse",
        help="read messages and show their calls",
        description="Reads messages and shows their calls. Exits with 0 when all is well, "
        "1 when a message has errors, 2 when the command was called wrongly.",
    )
    add_reading_options(parser)
    parser.add_argument("--json", action="store_true", help="print JSON, one line a message")
    parser.add_argument("--events", action="store_true", help="read in chunks, print the events")
    parser.add_argument(
        "--chunk",
        type=_chunk_size,
        metavar="N",
        help=f"characters a chunk of `--events` (default: {_CHUNK})",
    )
    many.add_options(parser)
    parser.set_defaults(run=run)


def run(arguments: argparse.Namespace) -> int:
    """Reads every message and returns the exit status."""
    names: list[str] = arguments.files or [STANDARD_INPUT]
    options: dict[str, Any] = {
        # Several ids may be given.
        "format": formats.resolve_any(arguments.format),
        "tools": read_tools(arguments.tools),
        "strict": arguments.strict,
        "prefix": arguments.prefix,
    }
    if arguments.jobs is not None:
        return many.run(arguments, options)
    # Options for rows would be passed over in silence.
    many.refuse_without_jobs(arguments)
    if arguments.chunk is not None and not arguments.events:
        raise InputError("--chunk is for --events: the text is read whole without it")
    status = _OK
    for name in _with_progress(names):
        data = read_message(name)
        # In JSON every message is one line, and needs no heading.
        if len(names) > 1 and not arguments.json:
            write_line(f"== {printable(name)}")
        if arguments.events:
            result = _show_events(data, options, arguments)
        else:
            result = parse(data, finish_reason=arguments.finish_reason, **options)
            if arguments.json:
                write_json(result.to_dict())
            else:
                _show(result)
        # Rows cannot be read from standard input: there is nothing to advise.
        if name != STANDARD_INPUT and not any(call.executable for call in result.calls):
            many.note_rows(name, data)
        # One bad message is enough, and the others are read all the same.
        if not result.ok:
            status = _NOT_OK
    return status


def _chunk_size(text: str) -> int:
    try:
        number = int(text)
    except ValueError:
        message = f"expected a number of characters, got {text!r}"
        raise argparse.ArgumentTypeError(message) from None
    if number < 1:
        raise argparse.ArgumentTypeError("a chunk has at least one character")
    return number


def _with_progress(names: list[str]) -> Iterable[str]:
    """Returns the names, with a progress bar on long work that does not print to the terminal."""
    # Where the results go to the terminal, they show themselves how far it has come.
    if len(names) < _LONG_WORK or sys.stdout.isatty() or not sys.stderr.isatty():
        return names
    try:
        from rich.console import Console
        from rich.progress import track
    except ImportError:
        return names
    return track(names, description="Reading", console=Console(stderr=True), transient=True)


def _show_events(
    data: bytes, options: dict[str, Any], arguments: argparse.Namespace
) -> ParseResult:
    """Feeds a message in chunks and prints each event as soon as it comes."""
    text, problems = as_text(data)
    parser = Parser(**options)
    # Before all others: the bytes were wrong before there was a text.
    _print_events(map(Problem, problems), as_json=arguments.json)
    size: int = arguments.chunk or _CHUNK
    for start in range(0, len(text), size):
        _print_events(parser.feed(text[start : start + size]), as_json=arguments.json)
    _print_events(parser.close(arguments.finish_reason), as_json=arguments.json)
    return parser.result


def _print_events(events: Iterable[Event], *, as_json: bool) -> None:
    for event in events:
        data = event.to_dict()
        if as_json:
            write_json(data)
        else:
            # The name of the event stands before them.
            shown = {key: value for key, value in data.items() if key not in {"schema", "type"}}
            write_line(printable(f"{type(event).__name__} {fields(shown)}"))


def _show(result: ParseResult) -> None:
    """Prints the calls as a table, then the text, the reasoning and what was wrong."""
    if result.calls:
        rows = [_row(number, call) for number, call in enumerate(result.calls, 1)]
        write_table(("#", "call", "arguments", "status", "id"), rows)
    else:
        write_line("no calls")
    for label, text in (("reasoning", result.reasoning), ("text", result.text)):
        if text:
            # The text of a model may contain terminal commands.
            write(f"\n{label}:\n{printable(text)}\n")
    if result.diagnostics:
        write_line()
    for diagnostic in result.diagnostics:
        # A diagnostic may quote what the model wrote, line ends and all.
        write_line(one_line(_described(diagnostic)))


def _row(number: int, call: ToolCall) -> tuple[str, ...]:
    # The text of a free-text call, as the model wrote it: as JSON it would be one line of escapes.
    payload = compact(call.arguments) if call.input is None else call.input
    status = f"{call.status}, doubtful" if call.doubts else call.status
    return (str(number), call.name, payload, status, call.id or "")


def _described(diagnostic: Diagnostic) -> str:
    place = f" at {diagnostic.span.start}"
    hint = f" ({diagnostic.hint})" if diagnostic.hint else ""
    return f"{diagnostic.severity} {diagnostic.code}{place}: {diagnostic.message}{hint}"
