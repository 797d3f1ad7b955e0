"""Times every parser on the same texts, in turn, and checks what each reads."""

from __future__ import annotations

import math
import sys
from functools import partial
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any, NamedTuple

from harness.peer_messages import PEER_TOOLS, sized
from harness.rounds import bounded, least
from peers import absent
from peers.floors import floors
from peers.readers import Ours, Sglang, Transformers, Vllm
from peers.stand_in import Tokenizer, pieces
from peers.wires import WIRES, Wire

from toolgrammar import formats

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from peers.readers import Calls, Reader

SIZES = {"300 B": 300, "4 KB": 4096, "32 KB": 32768}
OURS = "toolgrammar"
WAYS = ("batch", "delta")
CUT = "over the limit"


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
    jobs: dict[Job, Callable[[], Calls]] = {}
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
            made = sized(formats[format_id], length)
            if made is None:
                continue
            for job, run, row in _jobs(format_id, size, there, tokenizer, made):
                verdict = CUT
                if (job.peer, job.way) not in too_slow:
                    typed = job.peer != "floor"
                    verdict = _judged(run, made[0], typed=typed, limit=limit)
                if verdict == "right":
                    jobs[job], about[job] = run, row
                    continue
                rows.append({**row, "us": None, "verdict": verdict})
                if verdict == CUT:
                    too_slow.add((job.peer, job.way))
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


def measure_fast(*, rounds: int, limit: float) -> list[dict[str, Any]]:
    """Returns our time and that of the floor on hermes in ASCII, which the extra `fast` reads."""
    if find_spec("jiter") is None:
        return []
    ours, floor = Ours(formats["hermes"], list(PEER_TOOLS)), floors("hermes")["floor"]
    jobs: dict[tuple[str, str], Callable[[], Calls]] = {}
    for size, length in SIZES.items():
        made = sized(formats["hermes"], length)
        assert made is not None
        text = made[1].replace("ï", "i")
        for name, reader in ((OURS, ours), ("floor", floor)):
            jobs[size, name] = partial(reader.whole, text, [])
    times = least(jobs, rounds=rounds, limit=limit)
    return [
        {"size": size, OURS: times[size, OURS], "floor": times[size, "floor"]} for size in SIZES
    ]


def _jobs(
    format_id: str,
    size: str,
    there: dict[str, Reader],
    tokenizer: Tokenizer,
    made: tuple[Calls, str],
) -> Iterator[tuple[Job, Callable[[], Calls], dict[str, Any]]]:
    """Yields every parser and way to read one text, and what its row says besides the time."""
    _, text = made
    parts = pieces(text, tokenizer.tokens)
    ids, all_ids = [tokenizer.encode(part) for part in parts], tokenizer.encode(text)
    sizes = {"deltas": len(parts), "bytes": len(text.encode())}
    for peer, reader in there.items():
        whole, streamed = partial(reader.whole, text, all_ids), partial(reader.stream, parts, ids)
        for way, run in zip(WAYS, (whole, streamed), strict=True):
            job = Job(format_id, size, peer, way)
            yield job, run, {**job._asdict(), **sizes}


def _judged(job: Callable[[], Calls], wanted: Calls, *, typed: bool, limit: float) -> str:
    """Whether a parser reads what was written; a floor may leave values as text."""
    found: list[Calls] = []

    def run() -> None:
        try:
            found.append(job())
        except Exception:
            found.append([])

    if math.isinf(bounded(run, limit)):
        return CUT
    same = found[0] == wanted if typed else str(found[0]) == str(wanted)
    return "right" if same else "wrong"
