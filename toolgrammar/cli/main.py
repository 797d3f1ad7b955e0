"""The command `toolgrammar`: reads its arguments and runs one of its commands."""

from __future__ import annotations

import argparse
import os
import sys
from typing import TYPE_CHECKING, cast

from toolgrammar.cli.input import InputError
from toolgrammar.cli.output import complain
from toolgrammar.values.errors import ToolGrammarError
from toolgrammar.version import __version__, is_compiled

if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import TextIO

OK = 0
CALLER_MISTAKE = 2
INTERRUPTED = 130
"""As shells say that signal 2 ended a program: 128 + 2."""


def main(arguments: Sequence[str] | None = None) -> int:
    """Runs a command and returns its exit status: 0 ok, 1 error diagnostics, 2 a mistake.

    Args:
        arguments: the words after the program's name, by default those of the process.
    """
    words = sys.argv[1:] if arguments is None else list(arguments)
    try:
        # The version needs no command, and commands import nearly everything.
        chosen = _parser(with_commands=words != ["--version"]).parse_args(words)
    except SystemExit as stop:
        # A caller of `main` gets a status, not an exit. argparse has said what was wrong.
        return stop.code if isinstance(stop.code, int) else CALLER_MISTAKE
    except KeyboardInterrupt:
        # On a slow machine the imports take a second.
        return INTERRUPTED
    if cast("TextIO | None", sys.stdout) is None:
        # Python sets it to None if the process began with the descriptor closed.
        complain("standard output is closed")
        return CALLER_MISTAKE
    try:
        status: int = chosen.run(chosen)
        # Here, so that a reader who has gone is met inside the `try`.
        sys.stdout.flush()
    except BrokenPipeError:
        # The reader, `head` for one, has gone; Python would complain again when it flushes.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        # A reader who has seen enough is not a failure.
        return OK
    except KeyboardInterrupt:
        return INTERRUPTED
    except OSError as error:
        # Of a file that can't be opened, say; the system's own words do not name it.
        name = f"{error.filename}: " if error.filename else ""
        complain(f"{name}{error.strerror or error}")
        return CALLER_MISTAKE
    except (ToolGrammarError, InputError, ImportError) as error:
        complain(str(error))
        return CALLER_MISTAKE
    # Only what the caller gave nests so deeply: a model's text never raises.
    except RecursionError:
        complain("lists and objects nest too deeply in what was given")
        return CALLER_MISTAKE
    return status


def _version() -> str:
    return f"toolgrammar {__version__}{' (compiled core)' if is_compiled() else ''}"


def _parser(*, with_commands: bool) -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="toolgrammar",
        description="Reads, checks and writes the tool calls of language models.",
    )
    parser.add_argument("--version", action="version", version=_version())
    if with_commands:
        from toolgrammar.cli import (
            check,
            detect,
            explain,
            formats,
            parse,
            prompt,
            render,
            score,
            translate,
        )
        from toolgrammar.cli.bench import command as bench
        from toolgrammar.cli.serve import command as serve

        commands = parser.add_subparsers(title="commands", metavar="command", required=True)
        # In the order of the help.
        of_messages = (parse, detect, formats, explain, check, render, translate, prompt)
        for command in (*of_messages, score, serve, bench):
            command.add_to(commands)
    return parser
