"""The four figures of the comparison of formats."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from toolgrammar.cli.bench import plots as bench_plots

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    Row = dict[str, Any]
    """What was measured of one format."""

_SPEEDS = {
    "parse, short message": "parse_us",
    "parse, 4 KB": "parse_long_us",
    "delta, short message": "delta_us",
    "delta, 4 KB": "delta_long_us",
}
OUTCOMES = {
    "read as it was": ("exact", "#0b6e4f"),
    "noticed": ("noticed", "#edae49"),
    "lost without a word": ("lost", "#8d99ae"),
    "wrong without a word": ("wrong", "#d1495b"),
}
"""What a damage comes to, in words, with its key and its colour."""


def draw(folder: Path, rows: Sequence[Row], tokenizers: Sequence[str]) -> None:
    """Draws all figures into a folder, as PNG and as SVG."""
    most = max(row["messages"] for row in rows)
    # Without tokenizers the figure is of characters.
    _sizes(folder, rows, tokenizers or ["characters"], most)
    _earliest(folder, rows, most)
    _speeds(folder, rows, most)
    _robustness(folder, rows, most)


def _ordered(rows: Sequence[Row], *keys: str) -> list[Row]:
    # A format that can't carry the long message has no figure for it.
    there = [row for row in rows if row.get(keys[0]) is not None]
    return sorted(there, key=lambda row: [row[key] for key in keys])


def _labels(rows: Sequence[Row], most: int) -> list[str]:
    """Returns the formats; of one that can't carry all messages, how many it does."""
    return [
        row["format"]
        if row["messages"] == most
        else f"{row['format']} ({row['messages']} of {most})"
        for row in rows
    ]


def _sizes(folder: Path, rows: Sequence[Row], counted: Sequence[str], most: int) -> None:
    ordered = _ordered(rows, f"{counted[0]}_overhead")
    unit = "characters" if counted[0] == "characters" else "tokens"
    bench_plots.dots(
        folder / "formats-size",
        "What a format adds to the bare JSON of the same calls",
        f"more {unit} than the bare JSON, %",
        _labels(ordered, most),
        {name: [row[f"{name}_overhead"] * 100 for row in ordered] for name in counted},
        line_at=0,
    )


def _earliest(folder: Path, rows: Sequence[Row], most: int) -> None:
    ordered = _ordered(rows, "call_known", "name_known")
    bench_plots.dots(
        folder / "formats-earliest",
        "How much of a message must be there until the name, and the whole call, is known",
        "characters of the message, %",
        _labels(ordered, most),
        {
            words: [row[key] * 100 for row in ordered]
            for words, key in (("name", "name_known"), ("call", "call_known"))
        },
    )


def _speeds(folder: Path, rows: Sequence[Row], most: int) -> None:
    ordered = _ordered(rows, "parse_us")
    bench_plots.dots(
        folder / "formats-speed",
        "How long a message and one delta of it take",
        "µs",
        _labels(ordered, most),
        {words: [row.get(key) for row in ordered] for words, key in _SPEEDS.items()},
        logarithmic=True,
    )


def _robustness(folder: Path, rows: Sequence[Row], most: int) -> None:
    # The best at the top.
    ordered = list(reversed(_ordered(rows, "exact", "noticed")))
    bench_plots.shares(
        folder / "formats-robustness",
        "What one damaged character of the syntax comes to",
        _labels(ordered, most),
        {words: [row[key] for row in ordered] for words, (key, _) in OUTCOMES.items()},
        [colour for _, colour in OUTCOMES.values()],
    )
