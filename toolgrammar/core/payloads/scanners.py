"""Chooses the scanner of a declared payload.

Example: the terminal `JSON_OBJECT` is read by `JsonScanner`, `PYTHON_ARGUMENTS` by `PythonScanner`.
"""

from __future__ import annotations

from functools import cache
from importlib import import_module
from typing import TYPE_CHECKING, Any, Protocol, cast

from toolgrammar.core.payloads.json.strict_scanner import JsonScanner
from toolgrammar.core.payloads.json.tokens import MAX_DEPTH
from toolgrammar.core.payloads.json.whole import read_whole
from toolgrammar.grammar.payload_kinds import PAYLOADS

if TYPE_CHECKING:
    from toolgrammar.core.machine.machine import Step
    from toolgrammar.core.payloads.json.chunk_memo import ChunkMemo
    from toolgrammar.grammar.terminals import Terminal
    from toolgrammar.values.json_types import JsonValue
    from toolgrammar.values.tools import ToolSpec


class Scanner(Protocol):
    """What owns the text of a payload until it is whole.

    The driver feeds it the text from where it stands, and again when more has come, until it is
    `done` or `failed`. What goes out joined is JSON, and is never wrong later.
    """

    done: bool
    """Whether the payload is whole: the offset that `feed` gave is its end."""
    failed: bool
    """Whether what stands at that offset can't be read."""
    failure: str
    """What was found there, and what the payload wants."""
    doubt: str
    """Why the value may be read otherwise than it was meant; mostly empty."""
    bare_text: str
    """What may be an expression, and was read as text; mostly empty."""

    @property
    def mended(self) -> bool:
        """Whether something was mended that no repair reports."""

    def feed(self, text: str, position: int, out: list[str]) -> int:
        """Returns the offset of the first character not consumed; safe JSON goes to `out`.

        What it does not consume is fed again, with more behind it and the character before it: a
        token that is cut waits so.
        """

    def finish(self, out: list[str]) -> bool:
        """Appends what closes the value; true if it was whole.

        The scanner stays as it is: what there is so far may be looked at before the end.
        """


def doubt_in(notation: str | None, doubt: str) -> tuple[str, str]:
    """Returns the code of a doubt that a scanner has, and a sentence that says why.

    Args:
        notation: how the payload is written.
        doubt: what the scanner says.
    """
    if notation == "python":
        return "comma", "Found two strings side by side in a list; Python joins them"
    message = f"Found a quote in `{doubt[:40]}` that may have lost its partner; kept it"
    return "missing-quote", message


class CallScanner(Scanner, Protocol):
    """One that reads all arguments of a call, written otherwise than in JSON."""

    def run_on(self) -> ChunkMemo[str] | None:
        """Returns chunks as JSON that only go on in the string that is open and given out, "" for others.

        None where there is none, or where something waits.
        """


class LiteralPayload(Protocol):
    """A module of `literals/`: all that there is of one notation."""

    RULES: str
    """The rules by which plain Lark reads it, the terminal's name in lower case the first."""

    def scanner(
        self, terminal: Terminal, spec: ToolSpec | None, max_depth: int, step: Step | None, /
    ) -> CallScanner:
        """Makes the scanner of a payload, as `scanner_for` does."""

    def written(self, terminal: Terminal, value: Any, /) -> str | None:
        """Returns the text of a value, or None where the payload can't hold it."""


def scanner_for(
    terminal: Terminal, spec: ToolSpec | None, max_depth: int, step: Step | None = None
) -> Scanner:
    """Makes the scanner of a payload.

    Args:
        terminal: the declared terminal.
        spec: the tool that is called, where it is known.
        max_depth: how deep brackets may nest.
        step: what reading the payload does, where what is damaged may be mended.
    """
    found = call_scanner_for(terminal, spec, max_depth, step)
    if found is not None:
        return found
    return JsonScanner(
        object_only=PAYLOADS[terminal.name].is_object,
        backticks=PAYLOADS[terminal.name].backticks,
        max_depth=max_depth,
    )


def call_scanner_for(
    terminal: Terminal, spec: ToolSpec | None, max_depth: int, step: Step | None = None
) -> CallScanner | None:
    """Makes the scanner of arguments that are no JSON; None for any other payload."""
    literal = literal_of(terminal.name)
    return None if literal is None else literal.scanner(terminal, spec, max_depth, step)


@cache
def literal_of(name: str) -> LiteralPayload | None:
    """Returns the module of a payload that is neither text nor JSON; None for any other terminal."""
    row = PAYLOADS.get(name)
    if row is None or not row.module:
        return None
    # By its name: most formats need one of them, and the others are not imported.
    module = import_module(f"toolgrammar.core.payloads.literals.{row.module}")
    return cast("LiteralPayload", module)


def read_scanned(
    step: Step, spec: ToolSpec | None, text: str, start: int
) -> tuple[JsonValue, int] | None:
    """Returns the value of a payload that is whole and its end, or None where anything is odd."""
    # Whatever is odd (a mended quote, a doubt, a key twice) goes to the driver, which reports it.
    scanner = scanner_for(step.terminal, spec, MAX_DEPTH, step)
    written: list[str] = []
    end = scanner.feed(text, start, written)
    if not scanner.done or scanner.failed or scanner.doubt or scanner.mended or scanner.bare_text:
        return None
    whole = read_whole("".join(written), 0)
    return None if whole is None else (whole[0], end)
