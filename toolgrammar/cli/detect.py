"""The command `detect`: lists the formats in which a message may be written.

For `<tool_call>{"name": "f", "arguments": {}}</tool_call>` it prints the formats that read a call
in it, each with a score.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from toolgrammar.cli.input import STANDARD_INPUT, read_message, read_tools
from toolgrammar.cli.output import printable, write_json, write_line, write_table
from toolgrammar.parsing.detection import detect
from toolgrammar.values.plain import headed

if TYPE_CHECKING:
    import argparse

_FOUND = 0
_NOT_FOUND = 1


def add_to(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Adds the command to the command line."""
    parser = commands.add_parser(
        "detect",
        help="tell which formats messages may be written in",
        description="Tells which formats messages may be written in, the best first. Exits with "
        "0 when each message has a call, 1 when one has none, 2 when it was called wrongly.",
    )
    parser.add_argument("files", nargs="*", help="messages; none or `-` is standard input")
    parser.add_argument("--tools", metavar="FILE", help="JSON list of the tools of the model")
    parser.add_argument("--json", action="store_true", help="print JSON, one line a message")
    parser.set_defaults(run=run)


def run(arguments: argparse.Namespace) -> int:
    """Reads every message and returns the exit status."""
    names: list[str] = arguments.files or [STANDARD_INPUT]
    tools = read_tools(arguments.tools)
    status = _FOUND
    for name in names:
        found = detect(read_message(name), tools)
        # 0 only where every message has a call: one without may be what the caller looks for.
        if not found:
            status = _NOT_FOUND
        if arguments.json:
            write_json(headed({"formats": [each.body() for each in found]}))
            continue
        # Headings only where there are several messages.
        if len(names) > 1:
            write_line(f"== {printable(name)}")
        if found:
            write_table(("format", "score"), [(each.format, f"{each.score:.3f}") for each in found])
        else:
            write_line("no calls")
    return status
