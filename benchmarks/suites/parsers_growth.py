"""How the cost of a delta grows up to 1 MB, what memory that takes, and how long loading takes."""

from __future__ import annotations

import json
import math
import os
import subprocess
import sys
import tracemalloc
from array import array
from collections.abc import Sequence
from functools import partial
from itertools import accumulate, pairwise
from statistics import median
from typing import TYPE_CHECKING, Any

from harness.peer_messages import PEER_TOOLS, fresh
from harness.rounds import bounded
from peers import absent
from peers.stand_in import Tokenizer, pieces

from suites.parsers_speed import OURS, readers, wire_of
from toolgrammar import Parser, formats

if TYPE_CHECKING:
    from collections.abc import Iterable

MEGABYTE = 1 << 20
SHORT = 4096
HOPELESS = 200.0
"""Microseconds of a delta at 4 KB after which longer messages are not tried."""
_LOADS = 5

_LOAD_OURS = """
import json, sys, time
format_id, text, tools = json.loads(sys.stdin.read())
start = time.perf_counter()
import toolgrammar
imported = time.perf_counter()
parse = toolgrammar.parse
loaded = time.perf_counter()
found = parse(text, format=format_id, tools=tools)
calls = [(call.name, call.arguments, found.text, call.status) for call in found.calls]
done = time.perf_counter()
print((imported - start) * 1000, (loaded - imported) * 1000, (done - loaded) * 1000)
"""

_LOAD_PEER = """
import sys, time
sys.path[:0] = {paths!r}
from peers import absent
absent.enter()
from peers import readers, stand_in, wires
wire = wires.WIRES["hermes"]
tokenizer = stand_in.Tokenizer(wire.tokens)
text = '<tool_call>\\n{{"name": "get_weather", "arguments": {{"city": "Oslo"}}}}\\n</tool_call>'
tools = [{{"name": "get_weather", "parameters": {{"type": "object", "properties": {{}}}}}}]
start = time.perf_counter()
reader = readers.{make}
calls = reader.whole(text, tokenizer.encode(text))
print(0, (time.perf_counter() - start) * 1000, 0)
"""
_PEER_MAKERS = {
    "vLLM": "Vllm(wire.vllm, tokenizer, tools)",
    "SGLang": "Sglang(wire.sglang[0], tokenizer, tools)",
    "transformers": "Transformers(wire.transformers, tools)",
}


def growth(format_ids: Iterable[str], *, runs: int) -> list[dict[str, Any]]:
    """Returns what a delta costs at 4 KB and at 1 MB, and its growth: medians of so many runs.

    A run of either takes about as long: the least of many short runs would be of the processor's
    best moment, which no long one has. Each long run stands between two short ones, and is
    compared with their mean: the processor is faster in one second than in the next. Where 64 KB
    are already many times dearer than 4 KB, 1 MB is not tried: infinity.
    """
    rows: list[dict[str, Any]] = []
    for format_id in format_ids:
        short = _delta(format_id, SHORT, times=1)
        if short == 0.0:
            continue
        between = _delta(format_id, MEGABYTE // 16, times=1) if short < HOPELESS else math.inf
        long = grown = math.inf
        if between < 4 * short:
            times = MEGABYTE // SHORT // 2
            shorts, longs = [_delta(format_id, SHORT, times=times)], []
            for _ in range(runs):
                longs.append(_delta(format_id, MEGABYTE, times=1))
                shorts.append(_delta(format_id, SHORT, times=times))
            short, long = median(shorts), median(longs)
            grown = median(
                2 * each / sum(around) for each, around in zip(longs, pairwise(shorts), strict=True)
            )
        rows.append({"format": format_id, "4 KB": short, "1 MB": long, "growth": grown})
        print(f"growth of {format_id} …", file=sys.stderr, flush=True)
    return rows


def _delta(format_id: str, size: int, *, times: int) -> float:
    """Returns the microseconds of a delta of four characters, 0 where there is no such message.

    Args:
        format_id: the format.
        size: bytes of the message.
        times: how many messages are read in a row, each once; the mean counts.
    """
    tokenizer = Tokenizer(wire_of(format_id).tokens)
    there, _ = readers(format_id, tokenizer, with_servers=False)
    made = [fresh(formats[format_id], size, number, "growth") for number in range(times + 1)]
    texts = [each[1] for each in made if each is not None]
    if not texts:
        return 0.0
    spent = deltas = 0.0
    for number, text in enumerate(texts):
        parts = pieces(text, tokenizer.tokens)
        took = bounded(partial(there[OURS].stream, parts, []), 60.0)
        if number:  # the first reads what is made once
            spent, deltas = spent + took, deltas + len(parts)
        else:
            absent.settle()
    return spent / deltas if deltas else 0.0


def memory(format_ids: Iterable[str]) -> list[dict[str, Any]]:
    """Returns the peak of memory while 1 MB is streamed, over the size of the text."""
    rows: list[dict[str, Any]] = []
    for format_id in format_ids:
        made = fresh(formats[format_id], MEGABYTE, 0)
        if made is None:
            continue
        parts = Lazy(made[1], pieces(made[1], wire_of(format_id).tokens))
        peak = _peak(partial(_consume, format_id, parts), 600.0)
        rows.append({"format": format_id, OURS: peak / sys.getsizeof(made[1])})
        print(f"memory of {format_id} …", file=sys.stderr, flush=True)
    return rows


def memory_of_all(
    format_ids: Iterable[str], *, limit: float, with_servers: bool
) -> list[dict[str, Any]]:
    """Returns the same for 64 KB, of every parser; the servers' do not finish 1 MB in time."""
    rows: list[dict[str, Any]] = []
    for format_id in format_ids:
        made = fresh(formats[format_id], MEGABYTE // 16, 0)
        if made is None:
            continue
        tokenizer = Tokenizer(wire_of(format_id).tokens)
        parts = Lazy(made[1], pieces(made[1], tokenizer.tokens))
        ids = [tokenizer.encode(part) for part in parts]
        there, _ = readers(format_id, tokenizer, with_servers=with_servers)
        row: dict[str, Any] = {"format": format_id}
        for peer in (OURS, "vLLM", "SGLang", "transformers"):
            if peer in there:
                peak = _peak(partial(_quietly, there[peer], parts, ids), limit)
                row[peer] = None if math.isinf(peak) else peak / sys.getsizeof(made[1])
        rows.append(row)
    return rows


class Lazy(Sequence[str]):
    """The pieces of a text, each cut when it is asked for, as a stream brings them."""

    def __init__(self, text: str, parts: list[str]) -> None:
        self._text = text
        self._ends = array("L", accumulate(map(len, parts), initial=0))

    def __len__(self) -> int:
        return len(self._ends) - 1

    def __getitem__(self, index: Any) -> Any:
        if index >= len(self):
            raise IndexError
        return self._text[self._ends[index] : self._ends[index + 1]]


def _consume(format_id: str, parts: Sequence[str]) -> object:
    """Takes every event as it comes and keeps none; holds the result."""
    parser = Parser(format_id, tools=PEER_TOOLS)
    for part in parts:
        for _ in parser.feed(part):
            pass
    for _ in parser.close():
        pass
    found = parser.result
    return [(call.name, call.arguments, found.text, call.status) for call in found.calls]


def _quietly(reader: Any, parts: Sequence[str], ids: list[list[int]]) -> object:
    try:
        return reader.stream(parts, ids)
    except Exception:
        return None


def _peak(job: Any, limit: float) -> float:
    """Returns the bytes that a job has at most, besides what was there before."""
    tracemalloc.start()
    try:
        if math.isinf(bounded(job, limit)):
            return math.inf
        return tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()


def load_times(
    format_ids: Iterable[str], paths: list[str], *, with_servers: bool
) -> list[dict[str, Any]]:
    """Returns the milliseconds of import and first parse in fresh processes, the least of five."""
    rows: list[dict[str, Any]] = []
    for format_id in format_ids:
        made = fresh(formats[format_id], 300, 0)
        if made is None:
            continue
        given = json.dumps([format_id, made[1], PEER_TOOLS])
        rows.append({"format": format_id, "peer": OURS, **_fresh(_LOAD_OURS, given, _LOADS)})
    if with_servers:
        for peer, make in _PEER_MAKERS.items():
            script = _LOAD_PEER.format(paths=paths, make=make)
            rows.append({"format": "hermes", "peer": peer, **_fresh(script, "", 1)})
    return rows


def _fresh(script: str, given: str, runs: int) -> dict[str, float]:
    """Runs a script in fresh processes; the first of them only fills the caches of bytecode."""
    least = [math.inf] * 3
    settings = {k: v for k, v in os.environ.items() if k != "PYTHONDONTWRITEBYTECODE"}
    for turn in range(runs + 1):
        done = subprocess.run(
            [sys.executable, "-c", script],
            input=given,
            capture_output=True,
            text=True,
            encoding="utf-8",
            check=True,
            env=settings,
        )
        if not turn:
            continue
        for index, word in enumerate(done.stdout.split()[-3:]):
            least[index] = min(least[index], float(word))
    return {"import_ms": least[0], "parser_ms": least[1], "first_parse_ms": least[2]}
