"""Runs the suite of recovery, and writes its tables and plots."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

from harness.goals import Goal, goals_table

from suites.recovery_readings import OURS, OUTCOMES, counts, versions
from suites.recovery_speed import dense, growth, streams
from toolgrammar.cli.bench.pages import cell
from toolgrammar.cli.bench.plots import dots, shares
from toolgrammar.cli.bench.report import (
    machine,
    markdown_table,
    number,
    write_suite,
)
from toolgrammar.comparison.figures import Figure
from toolgrammar.scoring.intervals import wilson

if TYPE_CHECKING:
    from pathlib import Path

Rows = list[dict[str, Any]]
_PEER = "json_repair"
_WORTH_WHILE = 5.0
"""Milliseconds from which on it counts who is faster."""
_COLOURS = ("#0b6e4f", "#edae49", "#d1495b", "#30638e")


def run(*, rounds: int, longest: int) -> dict[str, Any]:
    """Measures everything and returns it."""
    return {
        "machine": {**machine(), **versions()},
        "readings": counts(),
        "speed": dense(rounds),
        "growth": growth(longest),
        "streams": streams(rounds),
    }


def show(parts: dict[str, Any], folder: Path | None) -> None:
    """Prints the tables of what was measured, and writes and draws it where a folder is given."""
    sections = pages(parts)
    print("\n\n".join(sections))
    if folder is not None:
        figures = {key: value for key, value in parts.items() if key != "machine"}
        write_suite(folder, "recovery", "Recovery of JSON", parts["machine"], figures, sections)
        draw(folder, parts)


def pages(parts: dict[str, Any]) -> list[str]:
    """Returns the sections of the report."""
    longest = parts["growth"][0]["longest"] // 1024
    return [
        "## Goals\n\n" + goals_table(goals(parts)),
        "## What becomes of a damaged payload\n\n" + _outcomes(parts["readings"]),
        "## By class of damage: exact / told / silent / crash, %\n\n"
        + _by_class(parts["readings"]),
        "## 64 KB full of one kind of damage, ms; in brackets: refused\n\n"
        "Times here and below are the least of all rounds. They are no sample, so they have no "
        "interval; compare them within this page only.\n\n" + _speeds(parts["speed"]),
        f"## Growth: exponent, 1 is linear (ours from 4 to {longest} KB, others to 64 KB)\n\n"
        + _growth(parts["growth"]),
        "## 32 KB in deltas of four characters\n\n" + _streams(parts["streams"]),
    ]


def _totals(rows: Rows) -> dict[str, dict[str, float]]:
    """Returns the share of each outcome, by library."""
    found: dict[str, dict[str, float]] = {}
    for row in rows:
        total = found.setdefault(row["library"], dict.fromkeys(OUTCOMES, 0.0))
        for outcome in OUTCOMES:
            total[outcome] += row[outcome]
    return {
        library: {outcome: count / sum(total.values()) for outcome, count in total.items()}
        for library, total in found.items()
    }


def goals(parts: dict[str, Any]) -> list[Goal]:
    """Returns the goals that the suite can judge."""
    totals = _totals(parts["readings"])
    growing = {row["text"]: row[OURS] for row in parts["growth"]}
    worst = max(growing, key=lambda name: math.inf if growing[name] is None else growing[name])
    streamed = {row["damage"]: row["ratio"] for row in parts["streams"]}
    slowest = max(streamed, key=lambda name: streamed[name])
    others = [name for name in totals if not name.startswith(OURS)]
    best = max(others, key=lambda name: totals[name]["exact"], default=None)
    found = [
        Goal(f"exponent of growth, worst ({worst})", growing[worst] or math.inf, 1.1),
        Goal(f"stream ÷ whole, worst ({slowest})", streamed[slowest], 3),
        *_speed_goals(parts["speed"]),
    ]
    if best is not None:
        words = f"exact without a schema, of all; the best other ({best}) has the wanted share"
        found.insert(0, Goal(words, totals[OURS]["exact"], totals[best]["exact"], at_least=True))
        found.append(
            Goal(
                "silently wrong without a schema; the least of the others is wanted",
                totals[OURS]["silent"],
                min(totals[name]["silent"] for name in others),
            )
        )
    return found


def _speed_goals(rows: Rows) -> list[Goal]:
    """Returns how much faster than json_repair the damaged 64 KB are read, at least and in all."""
    ours = {row["damage"]: row["ms"] for row in rows if row["library"] == OURS}
    ratios = {
        row["damage"]: row["ms"] / ours[row["damage"]]
        for row in rows
        if row["library"] == _PEER and row["reads"] and (row["ms"] or 0) > _WORTH_WHILE
    }
    if not ratios:
        return []
    least = min(ratios, key=lambda name: ratios[name])
    mean = math.exp(sum(map(math.log, ratios.values())) / len(ratios))
    return [
        Goal(f"{_PEER} ÷ ours, 64 KB, least ({least})", ratios[least], 1, at_least=True),
        Goal(f"{_PEER} ÷ ours, 64 KB, geometric mean", mean, 5, at_least=True),
    ]


def _outcomes(rows: Rows) -> str:
    payloads = sum(_of(row) for row in rows if row["library"] == OURS)
    lines = [
        [library, *(cell(_share(total[outcome], payloads), 100) for outcome in OUTCOMES)]
        for library, total in _totals(rows).items()
    ]
    words = f"Per cent of {payloads:,} payloads, each damaged once, with 95 % intervals (Wilson's)."
    return f"{words}\n\n" + markdown_table(["library", *OUTCOMES], lines)


def _share(value: float, of: int) -> Figure:
    return Figure(value, *wilson(value, of))


def _of(row: dict[str, Any]) -> int:
    return sum(row[outcome] for outcome in OUTCOMES)


def _by_class(rows: Rows) -> str:
    libraries = list(dict.fromkeys(row["library"] for row in rows))
    cells = {(row["damage"], row["library"]): row for row in rows}
    lines: list[list[str]] = []
    for damage in dict.fromkeys(row["damage"] for row in rows):
        of_class = [cells[damage, library] for library in libraries]
        lines.append([damage, *(_four(row) for row in of_class)])
    payloads = min(map(_of, rows))
    none, half = (_share(value, payloads) for value in (0.0, 0.5))
    words = (
        f"Of {payloads} payloads each: the 95 % interval of 0 ends at {none.high * 100:.1f}, that of "
        f"50 goes from {half.low * 100:.0f} to {half.high * 100:.0f}."
    )
    return f"{words}\n\n" + markdown_table(["damage", *libraries], lines)


def _four(row: dict[str, Any]) -> str:
    total = _of(row)
    return " / ".join(f"{row[outcome] * 100 / total:.0f}" for outcome in OUTCOMES)


def _speeds(rows: Rows) -> str:
    libraries = list(dict.fromkeys(row["library"] for row in rows))
    cells = {(row["damage"], row["library"]): row for row in rows}
    others = [library for library in libraries if library != OURS]
    products = dict.fromkeys(others, (0.0, 0))
    lines: list[list[str]] = []
    for damage in dict.fromkeys(row["damage"] for row in rows):
        ours = cells[damage, OURS]["ms"]
        line = [damage, number(ours)]
        for library in others:
            row = cells[damage, library]
            shown = number(row["ms"])
            if row["ms"] is not None and row["reads"]:
                total, count = products[library]
                products[library] = total + math.log(row["ms"] / ours), count + 1
                shown = f"{shown} ({number(row['ms'] / ours)} of ours)"
            elif not row["reads"]:
                shown = f"[{shown}]"
            line.append(shown)
        lines.append(line)
    means = [number(math.exp(t / n)) if n else number(None) for t, n in products.values()]
    lines.append(["geometric mean of the ratios", "", *means])
    return markdown_table(["damage", *libraries], lines)


def _growth(rows: Rows) -> str:
    fixed = ("text", "longest", "4 KB, ms", "64 KB, ms", "longest, ms")
    libraries = [name for name in rows[0] if name not in fixed]
    lines = [
        [row["text"], *(number(row[name]) for name in (*fixed[2:], *libraries))] for row in rows
    ]
    headings = ["text", *(f"ours, {name}" for name in fixed[2:]), *libraries]
    return markdown_table(headings, lines)


def _streams(rows: Rows) -> str:
    lines = [
        [row["damage"], *(number(row[name]) for name in ("whole", "stream", "ratio"))]
        for row in rows
    ]
    return markdown_table(["damage", "whole, ms", "stream, ms", "stream ÷ whole"], lines)


def draw(folder: Path, parts: dict[str, Any]) -> None:
    """Draws the figures of the suite."""
    totals = _totals(parts["readings"])
    libraries = sorted(totals, key=lambda name: -totals[name]["exact"])
    words = ("read as it was meant", "refused or flagged", "wrong without a word", "crashed")
    shares(
        folder / "recovery-outcomes",
        "What becomes of a payload with one damage",
        libraries,
        {
            word: [totals[name][outcome] for name in libraries]
            for word, outcome in zip(words, OUTCOMES, strict=True)
        },
        _COLOURS,
    )
    readings = parts["readings"]
    damages = list(dict.fromkeys(row["damage"] for row in readings))
    exact = {
        (row["damage"], row["library"]): row["exact"] * 100 / sum(row[each] for each in OUTCOMES)
        for row in readings
    }
    dots(
        folder / "recovery-classes",
        "Payloads read as they were meant, by class of damage",
        "%",
        damages,
        {name: [exact[damage, name] for damage in damages] for name in libraries},
    )
    speeds = {(row["damage"], row["library"]): row["ms"] for row in parts["speed"] if row["reads"]}
    kinds = list(dict.fromkeys(row["damage"] for row in parts["speed"]))
    timed = list(dict.fromkeys(row["library"] for row in parts["speed"]))
    dots(
        folder / "recovery-speed",
        "64 KB full of one kind of damage; a library that refuses it has no mark",
        "ms",
        kinds,
        {name: [speeds.get((kind, name)) for kind in kinds] for name in timed},
        logarithmic=True,
    )
