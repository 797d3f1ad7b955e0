"""The command `translate`: writes messages of one format in another."""

from __future__ import annotations

from typing import TYPE_CHECKING

from toolgrammar.catalogue.registry import formats
from toolgrammar.cli.input import STANDARD_INPUT, read_message, read_tools
from toolgrammar.cli.output import complain, write
from toolgrammar.parsing.translation import translate
from toolgrammar.values.calls import ParseError
from toolgrammar.values.errors import RenderError

if TYPE_CHECKING:
    import argparse

_OK = 0
_NOT_OK = 1


def add_to(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Adds the command to the command line."""
    parser = commands.add_parser(
        "translate",
        help="write a message of one format in another",
        description="Writes a message that is in one format in another; text and calls keep their "
        "order. Exits with 1 when the message is not sound, or the other format can't carry it.",
    )
    parser.add_argument("file", nargs="?", default=STANDARD_INPUT, help="none is standard input")
    parser.add_argument("--from", dest="from_", required=True, metavar="FORMAT", help="read this")
    parser.add_argument("--to", required=True, metavar="FORMAT", help="write this")
    parser.add_argument("--tools", metavar="FILE", help="JSON list of the tools of the model")
    parser.add_argument("--prefix", default="", help="what the chat template wrote of the answer")
    parser.set_defaults(run=run)


def run(arguments: argparse.Namespace) -> int:
    """Translates the message and returns the exit status."""
    source, target = formats.resolve(arguments.from_), formats.resolve(arguments.to)
    tools = read_tools(arguments.tools)
    text = read_message(arguments.file)
    try:
        write(translate(text, source, target, tools=tools, prefix=arguments.prefix))
    except (ParseError, RenderError) as error:
        # The command was called rightly, so it is not a mistake of its caller.
        complain(str(error))
        return _NOT_OK
    return _OK
