"""How often is damaged JSON read as it was meant, how often wrongly without a word, and how fast?

The first table damages valid payloads in one place each, drawn from a seed, and counts for each
library: *exact* values; *told*, where the value is not exact but the library says so (by refusing
it, or, here, because the result may not be executed); *silent*, where a wrong value looks right;
*crash*, where something other than a refusal is raised. The second table has the share of exact
values by class. The third reads 64 KB of fourteen kinds of damage, the fourth shows how the time
grows up to 1 MB, the fifth what a stream of four characters at a time costs beside the whole text.

Libraries that are not installed are left out: json_repair, fast_json_repair, partial-json-parser
and jiter (its partial mode).
"""

from __future__ import annotations

import json
import math
import random
import time
from functools import partial
from importlib import import_module
from typing import TYPE_CHECKING, Any

from harness import microseconds, once, options, report
from harness.damage import CLASSES, DENSE, HOSTILE, is_cut_of
from harness.payloads import payload, schema_of, written

from toolgrammar import JsonParser, recover_json

if TYPE_CHECKING:
    import argparse
    from collections.abc import Callable

SEED = 20261121
EACH = 200
"""Damaged payloads of each class."""
LIMIT = 60.0
"""Seconds after which one run is cut off and shown as `inf`."""

Reader = "Callable[[str, dict[str, Any]], tuple[Any, bool]]"
"""Gives the value of a text, and whether the library takes it for sound."""


def with_schema(text: str, schema: dict[str, Any]) -> tuple[Any, bool]:
    """Reads with the schema of the tool."""
    found = recover_json(text, schema)
    return found.value, found.executable


def without_schema(text: str, _schema: dict[str, Any]) -> tuple[Any, bool]:
    """Reads without a schema."""
    found = recover_json(text)
    return found.value, found.executable


def _other(read: Callable[[str], Any], text: str, _schema: dict[str, Any]) -> tuple[Any, bool]:
    return read(text), True


def readers() -> dict[str, Callable[[str, dict[str, Any]], tuple[Any, bool]]]:
    """Returns the libraries that are installed, ours first."""
    found: dict[str, Callable[[str, dict[str, Any]], tuple[Any, bool]]] = {
        "toolgrammar, schema": with_schema,
        "toolgrammar": without_schema,
    }
    for name, module, read in (
        ("json_repair", "json_repair", lambda m: m.loads),
        ("fast_json_repair", "fast_json_repair", lambda m: m.loads),
        ("partial-json-parser", "partial_json_parser", lambda m: m.loads),
        ("jiter", "jiter", _jiter),
    ):
        try:
            found[name] = partial(_other, read(import_module(module)))
        except ImportError:
            print(f"{name} is not installed")
    return found


def _jiter(module: Any) -> Callable[[str], Any]:
    def read(text: str) -> Any:
        return module.from_json(text.encode(), partial_mode="trailing-strings")

    return read


def mutations() -> list[tuple[str, str, Any, dict[str, Any]]]:
    """Returns class, damaged text, value that was meant and schema of each."""
    draw = random.Random(SEED)
    found = []
    for name, damage in CLASSES.items():
        count = 0
        while count < EACH:
            value = payload(draw)
            text = written(value, draw)
            damaged = damage(text, draw)
            if damaged is None or damaged == text:
                continue
            found.append((name, damaged, value, schema_of(value)))
            count += 1
    return found


def outcome(reader: Any, row: tuple[str, str, Any, dict[str, Any]]) -> str:
    """Returns how a library reads one damaged payload."""
    name, text, value, schema = row
    try:
        found, is_sound = reader(text, schema)
    except ValueError:
        return "told"
    except Exception:
        return "crash"
    is_exact = is_cut_of(found, value) if name == "cut" else json.dumps(found) == json.dumps(value)
    if is_exact:
        return "exact"
    return "silent" if is_sound else "told"


def correctness(given: argparse.Namespace) -> None:
    """Prints what each library makes of the mutations: in all, then by class."""
    rows = mutations()
    counts: dict[str, dict[str, int]] = {}
    by_class: dict[str, dict[str, int]] = {name: {} for name in CLASSES}
    for library, reader in readers().items():
        total = dict.fromkeys(("exact", "told", "silent", "crash"), 0)
        for row in rows:
            result = outcome(reader, row)
            total[result] += 1
            exact = by_class[row[0]]
            exact[library] = exact.get(library, 0) + (result == "exact")
        counts[library] = total
    share = 100 / len(rows)
    report(
        [
            {"library": name, **{key: total[key] * share for key in total}}
            for name, total in counts.items()
        ],
        given.json,
    )
    print()
    report(
        [
            {"damage": name, **{library: 100.0 * n / EACH for library, n in exact.items()}}
            for name, exact in by_class.items()
        ],
        None,
    )


def dense() -> None:
    """Prints the milliseconds that 64 KB of each kind of damage take, beside json_repair."""
    rows: list[dict[str, object]] = []
    product, count = 1.0, 0
    repair = import_module("json_repair").loads if "json_repair" in readers() else None
    for name, write in DENSE.items():
        text = write(1 << 16)
        ours = _best(recover_json, text)
        row: dict[str, object] = {"damage": name, "toolgrammar, ms": ours}
        if repair is not None:
            theirs = _best(repair, text)
            row |= {"json_repair, ms": theirs, "ratio": theirs / ours}
            product, count = product * theirs / ours, count + 1
        rows.append(row)
    print()
    report(rows, None)
    if count:
        print(f"geometric mean of the ratios: {product ** (1 / count):.2f}")


def growth() -> None:
    """Prints how the time grows from 4 KB to 1 MB: an exponent of 1 is linear."""
    rows: list[dict[str, object]] = []
    texts: dict[str, Callable[[int], str]] = {
        **DENSE,
        **{name: partial(_repeated, *unit) for name, unit in HOSTILE.items()},
    }
    for name, write in texts.items():
        times = [_best(recover_json, write(size)) for size in (1 << 12, 1 << 16, 1 << 20)]
        rows.append(
            {
                "text": name,
                "4 KB, ms": times[0],
                "64 KB, ms": times[1],
                "1 MB, ms": times[2],
                "exponent": math.log(times[2] / times[0]) / math.log(256),
                "goal": "≤ 1.1",
            }
        )
    print()
    report(rows, None)


def _repeated(begin: str, unit: str, size: int) -> str:
    return begin + unit * (size // len(unit))


def _best(read: Callable[[str], object], text: str) -> float:
    """Returns the milliseconds of the processor, not of the clock: one run may take seconds."""
    found = math.inf
    for _ in range(1 if len(text) > 1 << 18 else 3):
        start = time.process_time()
        if once(partial(read, text), LIMIT) < math.inf:
            found = min(found, (time.process_time() - start) * 1000)
    return found


def streams(given: argparse.Namespace) -> None:
    """Prints what 32 KB cost in deltas of four characters, beside the whole text."""
    rows: list[dict[str, object]] = []
    for name, write in DENSE.items():
        text = write(1 << 15)
        pieces = [text[start : start + 4] for start in range(0, len(text), 4)]
        times = microseconds(
            {"whole": partial(recover_json, text), "stream": partial(streamed, pieces)},
            rounds=given.rounds,
        )
        rows.append(
            {
                "damage": name,
                "whole, ms": times["whole"] / 1000,
                "stream, ms": times["stream"] / 1000,
                "ratio": times["stream"] / times["whole"],
                "goal": "≤ 3",
            }
        )
    print()
    report(rows, None)


def streamed(pieces: list[str]) -> None:
    """Reads a payload piece by piece."""
    parser = JsonParser()
    for piece in pieces:
        parser.feed(piece)
    parser.close()


def main() -> None:
    """Prints all tables."""
    given = options(__doc__, rounds=3)
    correctness(given)
    dense()
    growth()
    streams(given)


if __name__ == "__main__":
    main()
