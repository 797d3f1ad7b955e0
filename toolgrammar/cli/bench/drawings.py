"""Draws the figures of a comparison of formats, grouped by family."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from toolgrammar.cli.bench import plots as bench_plots
from toolgrammar.comparison.costs import AS_ONE, AS_TEXT
from toolgrammar.comparison.robustness import WRONG
from toolgrammar.comparison.tokens import CHARACTERS

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from pathlib import Path

    from toolgrammar.comparison.figures import Figure
    from toolgrammar.comparison.runs import Comparison

    Row = dict[str, Any]
    """The measurements of one format."""

_SPEEDS = {
    "parse, short messages": "parse_us",
    "parse, 4 KB": "parse_long_us",
    "delta, short messages": "delta_us",
    "delta, 4 KB": "delta_long_us",
}


def draw(folder: Path, found: Comparison, tokenizer: str) -> None:
    """Draws all figures into a folder, as PNG and as SVG."""
    rows = found.rows
    unit = "characters" if tokenizer == CHARACTERS else f"tokens of {tokenizer}"
    _draw(
        folder / "formats-size",
        "What a format adds to the bare JSON of the same calls",
        f"more {unit} than the bare JSON, %",
        rows,
        {
            "markers as text": lambda row: _percent(row["sizes"][tokenizer][AS_TEXT]),
            "each marker one token": lambda row: _percent(row["sizes"][tokenizer][AS_ONE]),
        },
        line_at=0,
    )
    _draw(
        folder / "formats-earliest",
        "How much later than in bare JSON the name, and the whole call, is known",
        "characters",
        rows,
        {"name": lambda row: row["name_known"], "call": lambda row: row["call_known"]},
        line_at=0,
    )
    _draw(
        folder / "formats-robustness",
        "Of 1,000 messages with an error in 1,000 characters of markup: a call runs otherwise",
        "messages of 1,000",
        rows,
        {"runs otherwise": lambda row: row["random"]["of 1,000"][WRONG]},
    )
    _draw(
        folder / "formats-models",
        "Of messages damaged as models damage them: a call runs otherwise",
        "% of messages",
        rows,
        {"runs otherwise": lambda row: _percent(row["models"]["of damaged"][WRONG])},
    )
    _draw(
        folder / "formats-cuts",
        "Of messages cut in nine places, at each tenth: what is kept of the arguments",
        "% of their characters, mean of nine cuts",
        rows,
        {"kept": lambda row: _percent(row["cuts"]["kept"])},
    )
    _draw(
        folder / "formats-confusion",
        "Of texts that show a message and make no call: a call runs",
        "% of texts",
        rows,
        {"runs": lambda row: _percent(row["confusion"]["ran"])},
    )
    # A run without rounds has timed nothing.
    if any("speed" in row for row in rows):
        _speeds(folder, rows)


def _percent(figure: Figure | None) -> Figure | None:
    return figure and figure.times(100)


def _draw(
    path: Path,
    title: str,
    axis: str,
    rows: Sequence[Row],
    series: Mapping[str, Callable[[Row], Figure | None]],
    *,
    line_at: float | None = None,
) -> None:
    # In the order of the first series within each family, so that a drawing reads as a ranking.
    first = next(iter(series.values()))
    groups: dict[str, list[str]] = {}
    for row in sorted(rows, key=lambda row: (row["family"], (first(row) or (0.0,))[0])):
        groups.setdefault(row["family"], []).append(row["format"])
    columns = {name: {row["format"]: of(row) for row in rows} for name, of in series.items()}
    bench_plots.intervals(path, title, axis, groups, columns, line_at=line_at)


def _speeds(folder: Path, rows: Sequence[Row]) -> None:
    ordered = sorted(rows, key=lambda row: (row["family"], row["speed"]["parse_us"]))
    bench_plots.dots(
        folder / "formats-speed",
        "How long a message and one delta of it take",
        "µs, least of all rounds",
        [row["format"] for row in ordered],
        {words: [row["speed"].get(key) for row in ordered] for words, key in _SPEEDS.items()},
        logarithmic=True,
    )
