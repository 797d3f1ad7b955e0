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
    from collections.abc import Sequence

    from toolgrammar.core.machine.machine import Step
    from toolgrammar.core.payloads.json.tokens import ChunkMemo
    from toolgrammar.core.payloads.literals.payload_faults import Fault
    from toolgrammar.grammar.terminals import Terminal
    from toolgrammar.values.json_types import JsonValue
    from toolgrammar.values.tools import ToolSpec


class Scanner(Protocol):
    """Reads the text of a payload until it is complete.

    The driver feeds it the text from the current position, and again when more has come, until it
    is `done` or `failed`. The pieces that it emits, joined, are JSON; no later text makes them
    wrong.
    """

    done: bool
    """Whether the payload is complete: the offset that `feed` returned is its end."""
    failed: bool
    """Whether the text at that offset can't be read."""
    failure: str
    """The text that was found there, and what the payload expects instead."""

    @property
    def faults(self) -> Sequence[Fault]:
        """What was mended, and once the payload is complete, what makes it ambiguous."""

    def feed(self, text: str, position: int, out: list[str]) -> int:
        """Returns the offset of the first character not consumed; appends safe JSON to `out`.

        Text that was not consumed must be fed again, followed by more text: a token that the end of
        a chunk cuts is not read until it is complete. The character before it must still be in
        `text`. Without a consumed character it waits for more text, so a state that consumes none
        has to go on with the next one itself.
        """

    def finish(self, out: list[str]) -> bool:
        """Appends what closes the value, and returns whether the value was complete.

        What has come of a string is kept; a value that may go on, as a number, may be left out. The
        state of the scanner does not change: it allows a view of a value that is still incomplete.
        """


class CallScanner(Scanner, Protocol):
    """A scanner that reads all arguments of a call in a notation other than JSON."""

    @property
    def open_brackets(self) -> int:
        """The number of brackets that are open where it failed; 0 if it is not known."""

    def expect(self, *, base: int, final: bool) -> None:
        """Sets the offset of the text that is fed next, and whether the message ends with it."""

    def run_on(self) -> ChunkMemo[str] | None:
        """Returns a memo: the JSON of a chunk that only continues the string, "" for other chunks.

        None if no string is open, or if something is held back.
        """


class LiteralPayload(Protocol):
    """The interface of a module in `literals/`: everything about one notation."""

    RULES: str
    """The rules by which plain Lark reads it; the first is the terminal's name in lower case."""

    def scanner(
        self, terminal: Terminal, spec: ToolSpec | None, max_depth: int, step: Step | None, /
    ) -> CallScanner:
        """Makes the scanner of a payload, as `scanner_for` does."""

    def written(self, terminal: Terminal, value: Any, /) -> str | None:
        """Returns the text of a value, or None if the payload can't hold it."""


def scanner_for(
    terminal: Terminal, spec: ToolSpec | None, max_depth: int, step: Step | None = None
) -> Scanner:
    """Makes the scanner of a payload.

    Args:
        terminal: the declared terminal.
        spec: the tool that is called, if it is known.
        max_depth: how deep brackets may nest.
        step: the step of the machine that reads the payload, if damaged text may be mended.
    """
    found = call_scanner_for(terminal, spec, max_depth, step)
    if found is not None:
        return found
    return JsonScanner(
        object_only=PAYLOADS[terminal.name].object_only,
        backticks=PAYLOADS[terminal.name].backticks,
        max_depth=max_depth,
    )


def call_scanner_for(
    terminal: Terminal, spec: ToolSpec | None, max_depth: int, step: Step | None = None
) -> CallScanner | None:
    """Makes the scanner of arguments that are not written in JSON; None for any other payload."""
    literal = literal_of(terminal.name)
    return None if literal is None else literal.scanner(terminal, spec, max_depth, step)


@cache
def literal_of(name: str) -> LiteralPayload | None:
    """Returns the module of a payload that is neither text nor JSON; None for any other terminal."""
    row = PAYLOADS.get(name)
    if row is None or not row.module:
        return None
    # Imported by name: most formats need one module at most, and the others are not imported.
    module = import_module(f"toolgrammar.core.payloads.literals.{row.module}")
    return cast("LiteralPayload", module)


def read_scanned(
    step: Step, spec: ToolSpec | None, text: str, start: int
) -> tuple[JsonValue, int] | None:
    """Returns the value of a complete payload and its end, or None if anything in it is odd."""
    # Whatever is odd (a mended quote, a doubt, a key twice) goes to the driver, which reports it.
    scanner = scanner_for(step.terminal, spec, MAX_DEPTH, step)
    written: list[str] = []
    end = scanner.feed(text, start, written)
    if not scanner.done or scanner.failed or scanner.faults:
        return None
    whole = read_whole("".join(written), 0)
    return None if whole is None else (whole[0], end)
