"""Times every parser on the same texts, in turn, and checks what each reads."""

from __future__ import annotations

import math
import sys
from functools import partial
from typing import TYPE_CHECKING, Any

from harness.peer_messages import PEER_TOOLS, sized
from harness.rounds import bounded, least
from peers import absent
from peers.floors import floors
from peers.readers import Ours, Sglang, Transformers, Vllm
from peers.stand_in import Tokenizer, pieces
from peers.wires import WIRES, Wire

from toolgrammar import formats

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from peers.readers import Calls, Reader

SIZES = {"300 B": 300, "4 KB": 4096, "32 KB": 32768}
OURS = "toolgrammar"
WAYS = ("batch", "delta")
CUT = "over the limit"


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
    format_ids: Iterable[str], *, rounds: int, limit: float, with_servers: bool
) -> list[dict[str, Any]]:
    """Returns a row for each format, size, way and parser."""
    rows: list[dict[str, Any]] = []
    for format_id in format_ids:
        # One for parsers and texts: its ids are given out as pieces are seen.
        tokenizer = Tokenizer(wire_of(format_id).tokens)
        there, failed = readers(format_id, tokenizer, with_servers=with_servers)
        rows += [
            {"format": format_id, "peer": peer, "problem": words} for peer, words in failed.items()
        ]
        given_up: set[tuple[str, str]] = set()
        for label, size in SIZES.items():
            made = sized(formats[format_id], size)
            if made is None:
                continue
            found = _measure_text(
                {"format": format_id, "size": label},
                {
                    (peer, way): reader
                    for peer, reader in there.items()
                    for way in WAYS
                    if (peer, way) not in given_up
                },
                tokenizer,
                made,
                rounds=rounds,
                limit=limit,
            )
            rows += [
                {**found[0], "peer": peer, "way": way, "us": None, "verdict": CUT}
                for peer, way in sorted(given_up)
            ]
            rows += found
            given_up |= {(row["peer"], row["way"]) for row in found if row["verdict"] == CUT}
        print(f"{format_id} …", file=sys.stderr, flush=True)
    return rows


def _measure_text(
    about: dict[str, Any],
    there: dict[tuple[str, str], Reader],
    tokenizer: Tokenizer,
    made: tuple[Calls, str],
    *,
    rounds: int,
    limit: float,
) -> list[dict[str, Any]]:
    wanted, text = made
    parts = pieces(text, tokenizer.tokens)
    ids, all_ids = [tokenizer.encode(part) for part in parts], tokenizer.encode(text)
    about = {**about, "deltas": len(parts), "bytes": len(text.encode())}
    jobs: dict[tuple[str, str], Callable[[], Calls]] = {}
    rows: list[dict[str, Any]] = []
    for (peer, way), reader in there.items():
        job = (
            partial(reader.whole, text, all_ids)
            if way == "batch"
            else partial(reader.stream, parts, ids)
        )
        verdict = _judged(job, wanted, typed=peer != "floor", limit=limit)
        if verdict == "right":
            jobs[peer, way] = job
        else:
            rows.append({**about, "peer": peer, "way": way, "us": None, "verdict": verdict})
    absent.settle()
    for (peer, way), microseconds in least(jobs, rounds=rounds, limit=limit).items():
        count = len(parts) if way == "delta" else 1
        is_cut = math.isinf(microseconds)
        figure = None if is_cut else microseconds / count
        verdict = CUT if is_cut else "right"
        rows.append({**about, "peer": peer, "way": way, "us": figure, "verdict": verdict})
    return rows


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
