"""The command `toolgrammar`: reads its arguments and runs one of its commands."""

from __future__ import annotations

import argparse
import os
import sys
from typing import TYPE_CHECKING, cast

from toolgrammar import __version__
from toolgrammar.cli import (
    bench,
    check,
    detect,
    explain,
    formats,
    parse,
    prompt,
    render,
    translate,
)
from toolgrammar.cli.input import InputError
from toolgrammar.cli.output import complain
from toolgrammar.values.errors import LISTED, ToolGrammarError

if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import TextIO

OK = 0
CALLER_MISTAKE = 2

_COMMANDS = (parse, detect, formats, explain, check, render, translate, prompt, bench)


def main(arguments: Sequence[str] | None = None) -> int:
    """Runs a command and returns its exit status: 0 ok, 1 error diagnostics, 2 a mistake.

    Args:
        arguments: the words after the program's name, by default those of the process.
    """
    try:
        chosen = _parser().parse_args(arguments)
    except SystemExit as stop:
        return stop.code if isinstance(stop.code, int) else CALLER_MISTAKE
    if cast("TextIO | None", sys.stdout) is None:
        complain("standard output is closed")
        return CALLER_MISTAKE
    try:
        status: int = chosen.run(chosen)
        sys.stdout.flush()
    except BrokenPipeError:
        # The reader, `head` for one, has gone; Python would complain again when it flushes.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return OK
    except KeyboardInterrupt:
        return 130
    except OSError as error:
        name = f"{error.filename}: " if error.filename else ""
        complain(f"{name}{error.strerror or error}")
        return CALLER_MISTAKE
    except (ToolGrammarError, InputError, ImportError) as error:
        complain(str(error).replace(LISTED, "`toolgrammar formats` lists them all"))
        return CALLER_MISTAKE
    except RecursionError:
        complain("lists and objects nest too deeply in what was given")
        return CALLER_MISTAKE
    return status


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="toolgrammar",
        description="Reads, checks and writes the tool calls of language models.",
    )
    parser.add_argument("--version", action="version", version=f"toolgrammar {__version__}")
    commands = parser.add_subparsers(title="commands", metavar="command", required=True)
    for command in _COMMANDS:
        command.add_to(commands)
    return parser
