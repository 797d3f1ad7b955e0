"""Chooses the scanner of a declared payload, and says how its text begins."""

from __future__ import annotations

import re
from functools import cache
from typing import TYPE_CHECKING, Protocol

from toolgrammar.core.json_duplicates import unique_value
from toolgrammar.core.json_tokens import MAX_DEPTH
from toolgrammar.core.partial import partial
from toolgrammar.core.payload_kinds import PAYLOADS
from toolgrammar.core.scan_json import JsonScanner
from toolgrammar.values.patterns import compile_pattern, late

if TYPE_CHECKING:
    from toolgrammar.core.remembered import Remembered
    from toolgrammar.core.steps import Step
    from toolgrammar.core.tables import Terminal
    from toolgrammar.values.json_types import JsonValue
    from toolgrammar.values.tools import ToolSpec

_PYTHON_BEGUN = late(r"(?:[^\W\d][\w\\]{0,255}\s{0,16}=?|\*{1,2}|\*\*\s{1,16})?\Z")
"""What may yet become the beginning of Python arguments."""


class Scanner(Protocol):
    """What owns the text of a payload until it is whole."""

    done: bool
    failed: bool
    failure: str
    doubt: str
    """What makes it doubtful whether the value is read as it was meant; mostly empty."""
    bare_text: str
    """What may be an expression, and was read as text; mostly empty."""

    @property
    def mended(self) -> bool:
        """Whether something was mended that no repair tells of."""

    def feed(self, text: str, position: int, out: list[str]) -> int:
        """Gives the offset of the first character not consumed; safe JSON goes to `out`."""

    def finish(self, out: list[str]) -> bool:
        """Appends what closes the value; true if it was whole."""


class CallScanner(Scanner, Protocol):
    """One that reads all arguments of a call, written otherwise than in JSON."""

    def run_on(self) -> Remembered[str] | None:
        """Gives chunks as JSON that only go on in the string that is open and given out, "" for others.

        None where there is none, or where something waits.
        """

    def passed(self, last: str) -> None:
        """Takes note of the last character of chunks that went on so."""


def beginning(terminal: Terminal) -> re.Pattern[str]:
    """Gives the expression of how the text of a payload begins."""
    pattern = PAYLOADS[terminal.name].begins if terminal.name in PAYLOADS else ""
    return _compiled(pattern.replace("MARK", re.escape("".join(terminal.marks[:1]))))


def begun(terminal: Terminal) -> re.Pattern[str] | None:
    """Gives the expression of what may yet become the beginning of a payload, at the end of a text.

    None where one character tells.
    """
    notation = PAYLOADS[terminal.name].notation if terminal.name in PAYLOADS else ""
    if notation == "python":
        return _PYTHON_BEGUN
    if notation == "elements":
        return _compiled(rf"{partial(beginning(terminal).pattern)}\Z")
    return None


@cache
def _compiled(pattern: str) -> re.Pattern[str]:
    return compile_pattern(pattern)


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
        backticks=terminal.name == "TEMPLATE_OBJECT",
        max_depth=max_depth,
    )


def call_scanner_for(
    terminal: Terminal, spec: ToolSpec | None, max_depth: int, step: Step | None = None
) -> CallScanner | None:
    """Makes the scanner of arguments that are no JSON; None for any other payload."""
    # Most formats need one of them: the others are not imported.
    if terminal.name == "PYTHON_ARGUMENTS":
        if step is not None:
            from toolgrammar.core.scan_quoted_python import QuotedPythonScanner

            return QuotedPythonScanner(spec, max_depth=max_depth)
        from toolgrammar.core.scan_python import PythonArgumentsScanner

        parameters = tuple(spec.properties) if spec is not None else ()
        return PythonArgumentsScanner(parameters=parameters, max_depth=max_depth)
    if terminal.name == "ELEMENTS":
        from toolgrammar.core.scan_elements import ElementScanner

        properties = spec.properties if spec is not None else {}
        return ElementScanner(mark=terminal.marks[0], properties=properties, max_depth=max_depth)
    if terminal.name == "BARE_OBJECT":
        from toolgrammar.core.scan_bare import BareScanner

        return BareScanner(quotes=terminal.marks, max_depth=max_depth, step=step)
    return None


def read_scanned(
    step: Step, spec: ToolSpec | None, text: str, start: int
) -> tuple[JsonValue, int] | None:
    """Gives the value of a payload that is whole and its end, or None where anything is odd."""
    scanner = scanner_for(step.terminal, spec, MAX_DEPTH, step)
    written: list[str] = []
    end = scanner.feed(text, start, written)
    if not scanner.done or scanner.failed or scanner.doubt or scanner.mended or scanner.bare_text:
        return None
    try:
        return unique_value("".join(written)), end
    except ValueError:
        return None
