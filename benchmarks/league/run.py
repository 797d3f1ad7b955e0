"""Hands every fixture to every reader, whole and in pieces, and counts what comes of it.

`{"reader": "vLLM", "suite": "canitoolcall", "pass": 400, "partly": 3, "fail": 9, "raised": 1,
"no parser": 56, "cut-dependent": 4, …}` is a row of the table. Special tokens are never cut, as a
server never cuts them; all other text comes in tokens of four characters, one or several at once.
"""

from __future__ import annotations

import math
import random
import re
import sys
from collections import Counter
from dataclasses import dataclass, field
from functools import cache
from typing import TYPE_CHECKING, Any

from harness.peer_messages import PEER_TOOLS, fresh
from harness.rounds import bounded
from peers.stand_in import Tokenizer, pieces
from peers.wires import WIRES

from league.fixtures import Answer, Fixture, Reading, Verdict
from league.readers import Entrant, reading
from toolgrammar import formats

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from peers.readers import Message, MessageReader

LIMIT = 5.0
"""Seconds that a reader may take for one way of handing over one message."""
GROUPS = {"token": 1, "rand:1:8": 8, "rand:2:16": 16}
"""Cuttings by how many tokens come at once, at most; drawn from the fixture's own name."""
OUTCOMES = ("pass", "partly", "fail", "raised", "no parser")


@dataclass(slots=True)
class Tally:
    """What one reader made of one suite."""

    reader: str
    suite: str
    counts: Counter[str] = field(default_factory=Counter)
    at_once: int = 0
    """How many it passes when only the whole message is asked for."""
    cut_dependent: list[str] = field(default_factory=list)
    """The fixtures whose streamed answers depend on the cutting."""
    missed: dict[str, tuple[Verdict, str]] = field(default_factory=dict)
    """Verdict and difference of each fixture that is not passed."""
    formats: set[str] = field(default_factory=set)
    """The formats that it has a parser for."""

    def row(self) -> dict[str, Any]:
        """Returns the tally as a row of figures."""
        return {
            "reader": self.reader,
            "suite": self.suite,
            "asked": self.counts.total() - self.counts["no parser"],
            **{name: self.counts[name] for name in OUTCOMES},
            "pass at once": self.at_once,
            "cut-dependent": len(self.cut_dependent),
            "formats": len(self.formats),
        }


def tallies(fixtures: Sequence[Fixture], entrants: Iterable[Entrant]) -> list[Tally]:
    """Returns what each reader made of each suite."""
    found: list[Tally] = []
    suites = list(dict.fromkeys(fixture.suite for fixture in fixtures))
    for entrant in entrants:
        for suite in suites:
            asked = [fixture for fixture in fixtures if fixture.suite == suite]
            print(f"{entrant.name}: {suite}, {len(asked):,} fixtures", file=sys.stderr, flush=True)
            found.append(tally(entrant, suite, asked))
    return found


def tally(entrant: Entrant, suite: str, fixtures: Sequence[Fixture]) -> Tally:
    """Returns what one reader made of the fixtures of one suite."""
    found = Tally(entrant.name, suite)
    for fixture in fixtures:
        answer = answered(entrant, fixture)
        if answer is None:
            found.counts["no parser"] += 1
            continue
        found.formats.add(fixture.format)
        verdict, why = fixture.judge(answer)
        found.counts[verdict] += 1
        if verdict != "pass":
            found.missed[fixture.id] = verdict, why
        at_once, _ = fixture.judge(Answer(answer.whole, gives=answer.gives))
        found.at_once += at_once == "pass"
        if answer.depends_on_cutting:
            found.cut_dependent.append(fixture.id)
    return found


def answered(entrant: Entrant, fixture: Fixture) -> Answer | None:
    """Returns what a reader makes of a fixture; None where it has no parser for the format."""
    if entrant.is_guess and not guesses(entrant, fixture.format):
        return None
    tokens = tokens_of(fixture.format)
    # One for parser and text: its ids are given out as pieces are seen.
    tokenizer = Tokenizer(tokens)
    try:
        reader = entrant.make(fixture, tokenizer)
    except Exception as error:
        return Answer(Reading(raised=f"at its making: {_named(error)}"), gives=entrant.gives)
    if reader is None:
        return None
    text = fixture.text + (fixture.stop if entrant.keeps_stop else "")
    ids = tokenizer.encode(text)
    whole = _reading(lambda: reader.message(text, ids))
    if not entrant.streams:
        return Answer(whole, gives=entrant.gives)
    cut = {
        name: _reading(lambda parts=parts: _streamed(reader, tokenizer, parts))
        for name, parts in cuttings(text, tokens, fixture.id).items()
    }
    return Answer(whole, cut, entrant.gives)


def tokens_of(format_id: str) -> tuple[str, ...]:
    """Returns the special tokens of a format, as far as the servers have parsers for it."""
    return WIRES[format_id].tokens if format_id in WIRES else ()


def cuttings(text: str, tokens: tuple[str, ...], seed: str) -> dict[str, list[str]]:
    """Returns the pieces of each way of streaming a text; the seed draws where it is cut."""
    units = pieces(text, tokens)
    found = {"one": [text] if text else []}
    if tokens:
        longest_first = sorted(tokens, key=len, reverse=True)
        parts = re.split(f"({'|'.join(map(re.escape, longest_first))})", text)
        found["special"] = [part for part in parts if part]
    for name, most in GROUPS.items():
        draw = random.Random(f"{name} {seed}")
        cut: list[str] = []
        at = 0
        while at < len(units):
            count = draw.randint(1, most)
            cut.append("".join(units[at : at + count]))
            at += count
        found[name] = cut
    return found


@cache
def guesses(entrant: Entrant, format_id: str) -> bool:
    """Whether a reader that asks for no format reads a sound call of this one."""
    if format_id == "auto":
        return True
    made = fresh(formats[format_id], 300, 0)
    if made is None:
        return False
    calls, text = made
    fixture = Fixture("", "", format_id, text, lambda _: ("pass", ""), tools=tuple(PEER_TOOLS))
    tokenizer = Tokenizer(())
    reader = entrant.make(fixture, tokenizer)
    return reader is not None and list(_reading(lambda: reader.message(text, [])).calls) == calls


def _streamed(reader: MessageReader, tokenizer: Tokenizer, parts: list[str]) -> Message:
    return reader.message_of(parts, [tokenizer.encode(part) for part in parts])


def _reading(read: Callable[[], Message]) -> Reading:
    """Returns what was read, or the error; a reader that takes too long is stopped."""
    found: list[Reading] = []

    def once() -> None:
        try:
            found.append(reading(read()))
        except Exception as error:
            found.append(Reading(raised=_named(error)))
        except BaseException as error:
            # A panic of Rust is no Exception, and is none of the program's own.
            if type(error).__name__ != "PanicException":
                raise
            found.append(Reading(raised=_named(error)))

    if math.isinf(bounded(once, LIMIT)):
        return Reading(raised=f"over {LIMIT:g} s")
    return found[0]


def _named(error: BaseException) -> str:
    return f"{type(error).__name__}: {error}"[:200]
