"""The command `prompt`: writes the instructions that teach a model a format."""

from __future__ import annotations

from typing import TYPE_CHECKING

from toolgrammar.catalogue.page import PageError
from toolgrammar.catalogue.registry import formats
from toolgrammar.cli.input import InputError, read_tools
from toolgrammar.cli.output import write, write_json

if TYPE_CHECKING:
    import argparse


def add_to(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Adds the command to the command line."""
    parser = commands.add_parser(
        "prompt",
        help="write the instructions that teach a model a format",
        description="Writes the text of a system prompt that teaches a model to call the tools in "
        "a format. With `--json` also the strings at which its server should stop.",
    )
    parser.add_argument("format", nargs="?", help="id, alias or path of a .lark file")
    parser.add_argument("--format", dest="named", metavar="FORMAT", help="the same")
    parser.add_argument("--tools", metavar="FILE", help="JSON list of the tools of the model")
    parser.add_argument(
        "--json", action="store_true", help="print prompt and stop strings as one JSON object"
    )
    parser.set_defaults(run=run)


def run(arguments: argparse.Namespace) -> int:
    """Writes the prompt and returns the exit status."""
    # Both ways are taken, since other commands have the format under `--format`.
    chosen = [each for each in (arguments.format, arguments.named) if each is not None]
    if len(chosen) != 1:
        raise InputError("prompt writes for one format: name it once")
    # Without tools the prompt teaches the format alone.
    tools = read_tools(arguments.tools) or []
    try:
        prompt = formats.resolve(chosen[0]).prompt(tools)
    except PageError as error:  # the prompt and the examples of a page are used
        raise InputError("\n".join((str(error), *getattr(error, "__notes__", ())))) from None
    if arguments.json:
        write_json({"schema": 1, "prompt": str(prompt), "stop": list(prompt.stop)})
    else:
        write(prompt)
    return 0
