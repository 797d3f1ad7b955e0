"""Compares each shortcut with the driver, and says whether it read the message to its end.

Each function takes a case, raises AssertionError where a shortcut and the driver differ in
anything (text, calls, spans, edits, diagnostics, joined events), and returns whether the shortcut
was used: one that always gives up would keep every such law. `python -m tests.laws.shortcuts`
writes down how many examples of each page each shortcut reads.
"""

import json
import random
from collections.abc import Callable
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Any
from unittest.mock import patch

import toolgrammar
from tests.laws.every_case import every_page_case
from toolgrammar.catalogue.several import AnyOf
from toolgrammar.core.machine.retry_budget import RetryBudget
from toolgrammar.parsing.driven import DrivenReading
from toolgrammar.parsing.parser import DrivenParser, Parser
from toolgrammar.testing import Case
from toolgrammar.testing.breaches import same
from toolgrammar.testing.oracle import agreeing_calls
from toolgrammar.testing.readings import Reading, seen
from toolgrammar.values.calls import ParseResult

RUN_WHOLE = DrivenParser.run_whole
RECORD = Path(__file__).with_name("shortcuts.json")
READINGS = 4
"""The whole reader learns how calls look on the way: the last reading knows more than the first."""
LONGEST_PIECE = 9
REST_OF_CALLS = ("(", '(path="/")', ', "x": 1}', '"x"}', '"\n}', "}", "]", ")", "\nx: y", "`")
"""Texts behind a call that may belong to it."""

AMBIGUOUS = ("stray-words-or-markup-words-behind-a-path",)
"""Examples that Lark may read in two ways: Earley's parser does not know which terminal is first."""

Shortcut = Callable[[Case], bool]


def whole(case: Case) -> bool:
    """Compares the whole reader with the driver."""
    wanted = _told(_driven(case, [case.text]))
    for number in range(READINGS):
        found, taken = _parsed(case)
        same("whole reader", case, f"result, reading {number}", wanted, found)
    return taken


def several(case: Case) -> bool:
    """Compares the whole reader of several formats with the driver, in `auto`."""
    case = replace(case, format="auto", prefix="")
    wanted = _told(_driven(case, [case.text]))
    for number in range(READINGS):
        found, taken = _parsed(case)
        same("whole reader of several", case, f"result, reading {number}", wanted, found)
    return taken


def streamed(case: Case) -> bool:
    """Compares the stream reader with the driver."""
    wanted = seen(_driven(case, [case.text]))
    taken = True
    for chunks in (list(case.text), pieces_of(case.text)):
        with patch.object(RetryBudget, "tries", lambda _: True):
            parser = Parser(case.format, tools=case.tools, prefix=case.prefix)
        found = seen(_read(parser, chunks))
        same("stream reader", case, f"result, {chunks}", wanted[0], found[0])
        same("stream reader", case, f"events, {chunks}", wanted[1], found[1])
        taken = taken and not isinstance(parser._reader, DrivenReading)
    return taken


def behind(case: Case) -> bool:
    """Compares the whole reader with the driver on what may go on behind a call that it learned."""
    for text in [case.text] * READINGS + [f"{case.text} x"] * READINGS:
        _parsed(replace(case, text=text))
    found = [whole(replace(case, text=case.text + rest)) for rest in REST_OF_CALLS]
    return all(found)


def reference(case: Case) -> bool:
    """Compares the driver with plain Lark, call by call: no shortcut, but held like one."""
    return case.id.rpartition("::")[2] not in AMBIGUOUS and bool(agreeing_calls(case))


SHORTCUTS: dict[str, Shortcut] = {
    each.__name__: each for each in (whole, several, streamed, reference)
}


def read_by(name: str, format_id: str) -> int:
    """Returns how many examples of a format's page a shortcut reads.

    They are read in a format that has read nothing yet: what a shortcut has learned of the messages
    before decides whether it takes the next one.
    """
    found = every_page_case(format_id)
    if name == "several":
        # What `auto` has learned lies with all formats: without it other tests would decide here.
        formats = toolgrammar.formats.resolve_any("auto")
        assert isinstance(formats, AnyOf)
        formats.readers.clear()
    else:
        fresh = toolgrammar.load_format(toolgrammar.formats[format_id].path)
        found = tuple(replace(case, format=fresh) for case in found)
    return sum(map(SHORTCUTS[name], found))


@cache
def recorded() -> dict[str, dict[str, int]]:
    """Returns for each format how many examples of its page each shortcut is known to read."""
    found: dict[str, dict[str, int]] = json.loads(RECORD.read_text(encoding="utf-8"))
    return found


def pieces_of(text: str) -> list[str]:
    """Cuts a text into pieces of up to nine characters, always alike."""
    chance = random.Random(text)
    pieces = []
    place = 0
    while place < len(text):
        size = chance.randint(1, LONGEST_PIECE)
        pieces.append(text[place : place + size])
        place += size
    return pieces


def _driven(case: Case, chunks: list[str]) -> Reading:
    return _read(DrivenParser(case.format, tools=case.tools, prefix=case.prefix), chunks)


def _read(parser: Parser, chunks: list[str]) -> Reading:
    events = [event for chunk in chunks for event in parser.feed(chunk)]
    events += parser.close()
    return Reading(parser.result, events, [])


def _told(reading: Reading) -> str:
    return seen(reading)[0]


def _parsed(case: Case) -> tuple[str, bool]:
    """Returns what `parse` gives, and whether it did without the driver."""
    driven = []

    def run_whole(self: DrivenParser, *given: Any) -> ParseResult:
        driven.append(self)
        return RUN_WHOLE(self, *given)

    # No mock: making one takes longer than a reading.
    with (
        patch.object(RetryBudget, "tries", lambda _: True),
        patch.object(DrivenParser, "run_whole", run_whole),
    ):
        result = toolgrammar.parse(
            case.text, format=case.format, tools=case.tools, prefix=case.prefix
        )
    return _told(Reading(result, [], [])), not driven


def _write() -> None:
    every = {
        format_id: {name: read_by(name, format_id) for name in SHORTCUTS}
        for format_id in sorted(toolgrammar.formats)
    }
    lines = [f" {json.dumps(format_id)}: {json.dumps(row)}" for format_id, row in every.items()]
    RECORD.write_text("{\n" + ",\n".join(lines) + "\n}\n", encoding="utf-8", newline="\n")


if __name__ == "__main__":
    _write()
