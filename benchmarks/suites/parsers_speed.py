"""Times every parser on the same texts, in turn, and checks what each reads.

Each parser reads each text once: bodies are cut from the standard library's source, a fresh place
every time, the same places for all parsers of a round.
"""

from __future__ import annotations

import math
import sys
from functools import lru_cache, partial
from typing import TYPE_CHECKING, Any, NamedTuple

from harness.peer_messages import PEER_TOOLS, fresh
from harness.rounds import MOST_FRESH, Series, bounded, least
from peers import absent
from peers.floors import floors
from peers.readers import Ours, Sglang, Transformers, Vllm
from peers.stand_in import Tokenizer, pieces
from peers.wires import WIRES, Wire

from toolgrammar import formats

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from peers.readers import Calls, Reader

    from toolgrammar import Format

SIZES = {"300 B": 300, "4 KB": 4096, "32 KB": 32768}
OURS = "toolgrammar"
WAYS = ("batch", "delta")
CUT = "over the limit"
_JUDGED = 4
"""Messages of a size that a parser has to read right to be timed."""


class Job(NamedTuple):
    """One figure of the suite: a parser, a way of reading, and a text."""

    format: str
    size: str
    peer: str
    way: str


def wire_of(format_id: str) -> Wire:
    """Returns what peers know of a format."""
    return WIRES.get(format_id, Wire(None, (), ()))


def readers(
    format_id: str, tokenizer: Tokenizer, *, with_servers: bool
) -> tuple[dict[str, Reader], dict[str, str]]:
    """Returns the parsers that read a format, ours first, and why others can't be made."""
    wire = wire_of(format_id)
    makers: dict[str, Callable[[], Reader]] = {
        OURS: lambda: Ours(formats[format_id], list(PEER_TOOLS))
    }
    if with_servers:
        if wire.vllm:
            makers["vLLM"] = partial(Vllm, wire.vllm, tokenizer, PEER_TOOLS)
        for index, name in enumerate(wire.sglang):
            shown = f"SGLang {name}" if index else "SGLang"
            makers[shown] = partial(Sglang, name, tokenizer, PEER_TOOLS)
        if wire.transformers:
            makers["transformers"] = partial(Transformers, wire.transformers, PEER_TOOLS)
    found: dict[str, Reader] = {}
    failed: dict[str, str] = {}
    for name, make in makers.items():
        try:
            found[name] = make()
        except Exception as error:
            failed[name] = f"{type(error).__name__}: {error}"[:120]
    return {**found, **floors(format_id)}, failed


def measure(
    format_ids: Sequence[str], *, rounds: int, limit: float, with_servers: bool
) -> list[dict[str, Any]]:
    """Returns a row for each format, size, way and parser.

    All that is measured takes turns in each round, so the rounds of one figure lie minutes apart:
    a processor that changes its speed for a while does so for rivals alike.
    """
    rows: list[dict[str, Any]] = []
    jobs: dict[Job, Series] = {}
    about: dict[Job, dict[str, Any]] = {}
    for format_id in format_ids:
        # One for parsers and texts: its ids are given out as pieces are seen.
        tokenizer = Tokenizer(wire_of(format_id).tokens)
        there, failed = readers(format_id, tokenizer, with_servers=with_servers)
        rows += [
            {"format": format_id, "peer": peer, "problem": words} for peer, words in failed.items()
        ]
        too_slow: set[tuple[str, str]] = set()
        for size, length in SIZES.items():
            for way in WAYS:
                messages = Messages(formats[format_id], length, way, tokenizer)
                if not messages.can_be_written:
                    continue
                for peer, reader in there.items():
                    job = Job(format_id, size, peer, way)
                    verdict = CUT
                    if (peer, way) not in too_slow:
                        verdict = _judged(messages, reader, typed=peer != "floor", limit=limit)
                    about[job] = {**job._asdict(), **messages.sizes()}
                    if verdict == "right":
                        jobs[job] = Series(partial(messages.run, reader))
                        continue
                    rows.append({**about[job], "us": None, "verdict": verdict})
                    if verdict == CUT:
                        too_slow.add((peer, way))
        print(f"{format_id} …", file=sys.stderr, flush=True)
    absent.settle()
    for job, microseconds in least(jobs, rounds=rounds, limit=limit).items():
        row, is_cut = about[job], math.isinf(microseconds)
        count = row["deltas"] if job.way == "delta" else 1
        us, verdict = (None, CUT) if is_cut else (microseconds / count, "right")
        rows.append({**row, "us": us, "verdict": verdict})
    sizes = ["", *SIZES]
    return sorted(
        rows, key=lambda row: (format_ids.index(row["format"]), sizes.index(row.get("size", "")))
    )


class Prepared(NamedTuple):
    """One message, with all that a parser is handed of it."""

    calls: Calls
    text: str
    ids: list[int]
    """The tokens of the text."""
    parts: list[str]
    """The text in deltas."""
    ids_of_parts: list[list[int]]


class Messages:
    """The messages of one format, size and way of reading, by number; each is made before it is read."""

    def __init__(self, form: Format, length: int, way: str, tokenizer: Tokenizer) -> None:
        self._form, self._length, self._way = form, length, way
        self._tokenizer = tokenizer
        # All parsers of a round read the same messages, one parser after the other.
        self.prepared = lru_cache(maxsize=MOST_FRESH)(self._prepare)

    @property
    def can_be_written(self) -> bool:
        """Whether the format can carry such a call."""
        return fresh(self._form, self._length, 0, self._way) is not None

    def sizes(self) -> dict[str, float]:
        """Returns how many deltas and bytes a message has, on average over a few."""
        found = [self.prepared(number) for number in range(_JUDGED)]
        return {
            "deltas": sum(len(each.parts) for each in found) / len(found),
            "bytes": sum(len(each.text.encode()) for each in found) / len(found),
        }

    def run(self, reader: Reader, number: int) -> Callable[[], Calls]:
        """Returns what reads a message in this way."""
        made = self.prepared(number)
        if self._way == "batch":
            return partial(reader.whole, made.text, made.ids)
        return partial(reader.stream, made.parts, made.ids_of_parts)

    def _prepare(self, number: int) -> Prepared:
        made = fresh(self._form, self._length, number, self._way)
        assert made is not None, "a format that carries one body carries one in twenty"
        calls, text = made
        parts = pieces(text, self._tokenizer.tokens)
        ids = [self._tokenizer.encode(part) for part in parts]
        return Prepared(calls, text, self._tokenizer.encode(text), parts, ids)


def _judged(messages: Messages, reader: Reader, *, typed: bool, limit: float) -> str:
    """Returns whether a parser reads what was written; a floor may leave values as text."""
    for number in range(_JUDGED):
        run, wanted = messages.run(reader, number), messages.prepared(number).calls
        found: list[Calls] = []

        def read(run: Callable[[], Calls] = run, found: list[Calls] = found) -> None:
            try:
                found.append(run())
            except Exception:
                found.append([])

        if math.isinf(bounded(read, limit)):
            return CUT
        if (found[0] != wanted) if typed else (str(found[0]) != str(wanted)):
            return "wrong"
    return "right"
