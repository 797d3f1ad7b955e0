"""Draws the figures of a suite as PNG and SVG; needs matplotlib."""

from __future__ import annotations

import re
from io import BytesIO, StringIO
from typing import TYPE_CHECKING, Any

from toolgrammar.values.errors import check_extra

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

COLOURS = ("#0b6e4f", "#d1495b", "#30638e", "#edae49", "#7a5195", "#8d99ae", "#003d5b", "#bc5090")
"""Ours is the first; the others can be told apart in grey too."""
_STYLE: dict[Any, Any] = {
    "svg.fonttype": "none",  # letters stay letters: small files
    "svg.hashsalt": "toolgrammar",  # the same figures give the same file
    "font.family": ["DejaVu Sans"],  # comes with matplotlib; one name, not a list of ten
    "font.size": 8,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.grid": True,
    "grid.color": "#e5e5e5",
    "axes.axisbelow": True,
}
_PNG_DOTS = 90
# What matplotlib writes into every file and nothing needs.
_NO_TURN = re.compile(r' transform="rotate\(-0 [^"]*"|; stroke-linecap: square|^ +', re.MULTILINE)
_LONG_NUMBER = re.compile(r"(?<![\w.#])-?\d+\.\d{2,}")
# In inches, of a figure and of a row.
_WIDTH = 8.0
_ROW = 0.145
# A shape for each series: colours alone are lost in print.
_MARKS = ("o", "s", "^", "D", "v", "P", "X", "*")


def require_extra() -> None:
    """Checks that plots can be drawn.

    Raises:
        ImportError: they can't; the message says what to install.
    """
    check_extra("matplotlib", "plots need matplotlib", "bench")


def dots(
    path: Path,
    title: str,
    axis: str,
    labels: Sequence[str],
    series: Mapping[str, Sequence[float | None]],
    *,
    logarithmic: bool = False,
    line_at: float | None = None,
) -> None:
    """Draws a row for each label with a dot for each series, joined by a line."""
    figure, axes = _rows(title, axis, labels)
    for place in range(len(labels)):
        values = [row[place] for row in series.values()]
        there = [value for value in values if value is not None]
        if len(there) > 1:
            # The line shows how far the series lie apart.
            axes.plot([min(there), max(there)], [place, place], color="#cccccc", zorder=1)
    for index, (name, column) in enumerate(series.items()):
        points = [(value, place) for place, value in enumerate(column) if value is not None]
        axes.scatter(
            [value for value, _ in points],
            [place for _, place in points],
            s=14,
            marker=_MARKS[index % len(_MARKS)],
            color=COLOURS[index % len(COLOURS)],
            label=name,
            zorder=2,
        )
    if logarithmic:
        axes.set_xscale("log")
    if line_at is not None:
        axes.axvline(line_at, color="#555555", linewidth=0.8)
    _save(figure, axes, path)


def intervals(
    path: Path,
    title: str,
    axis: str,
    groups: Mapping[str, Sequence[str]],
    series: Mapping[str, Mapping[str, tuple[float, float, float] | None]],
    *,
    line_at: float | None = None,
) -> None:
    """Draws a row for each label, below the name of its group, with a dot and its interval.

    Args:
        path: where to, without an ending.
        title: what is shown.
        axis: what the figures are.
        groups: the labels of each group.
        series: for each label its figure and the ends of its interval.
        line_at: where a line is drawn from top to bottom.
    """
    rows = [row for group, labels in groups.items() for row in (group, *labels)]
    figure, axes = _rows(title, axis, rows)
    heads = {place for place, row in enumerate(rows) if row in groups}
    for place, label in enumerate(axes.get_yticklabels()):
        if place in heads:
            label.set_fontweight("bold")
            axes.axhline(place - 0.5, color="#dddddd", linewidth=0.6)
    for index, (name, column) in enumerate(series.items()):
        points = [(column.get(row), place) for place, row in enumerate(rows) if place not in heads]
        there = [(figures, place) for figures, place in points if figures is not None]
        # Side by side, so that the bars can be told apart.
        shift = 0.24 * (index - (len(series) - 1) / 2)
        axes.errorbar(
            [figures[0] for figures, _ in there],
            [place + shift for _, place in there],
            xerr=[
                # Where the figure is an end itself, rounding may put it a hair beyond.
                [max(0.0, figures[0] - figures[1]) for figures, _ in there],
                [max(0.0, figures[2] - figures[0]) for figures, _ in there],
            ],
            fmt=_MARKS[index % len(_MARKS)],
            markersize=3,
            elinewidth=0.8,
            color=COLOURS[index % len(COLOURS)],
            label=name,
        )
    if line_at is not None:
        axes.axvline(line_at, color="#555555", linewidth=0.8)
    _save(figure, axes, path)


def shares(
    path: Path,
    title: str,
    labels: Sequence[str],
    series: Mapping[str, Sequence[float]],
    colours: Sequence[str],
) -> None:
    """Draws a row for each label whose parts fill it from 0 to 100 %."""
    figure, axes = _rows(title, "share, %", labels)
    left = [0.0] * len(labels)
    for (name, values), colour in zip(series.items(), colours, strict=True):
        widths = [value * 100 for value in values]
        axes.barh(range(len(labels)), widths, left=left, color=colour, label=name, height=0.8)
        left = [start + width for start, width in zip(left, widths, strict=True)]
    axes.set_xlim(0, 100)
    _save(figure, axes, path)


def lines(
    path: Path,
    title: str,
    axes_names: tuple[str, str],
    series: Mapping[str, Sequence[tuple[float, float]]],
) -> None:
    """Draws a line for each series on logarithmic axes: linear growth is a straight diagonal."""
    pyplot = _pyplot()
    figure, axes = pyplot.subplots(figsize=(_WIDTH, 4.5))
    axes.set_title(title, loc="left")
    for index, (name, points) in enumerate(series.items()):
        axes.plot(
            [point[0] for point in points],
            [point[1] for point in points],
            marker=_MARKS[index % len(_MARKS)],
            markersize=3.5,
            linewidth=1.0,
            color=COLOURS[index % len(COLOURS)],
            label=name,
        )
    axes.set_xscale("log")
    axes.set_yscale("log")
    axes.set_xlabel(axes_names[0])
    axes.set_ylabel(axes_names[1])
    _save(figure, axes, path)


def _pyplot() -> Any:
    require_extra()
    import matplotlib as library
    from matplotlib import pyplot

    # No window is opened: it draws also where there is no display.
    library.use("agg")
    library.rcParams.update(_STYLE)
    return pyplot


def _rows(title: str, axis: str, labels: Sequence[str]) -> tuple[Figure, Axes]:
    # Higher with every row, so that labels never overlap.
    figure, axes = _pyplot().subplots(figsize=(_WIDTH, 1.3 + _ROW * len(labels)))
    axes.set_title(title, loc="left")
    axes.set_xlabel(axis)
    axes.set_yticks(range(len(labels)), labels, fontsize=6.5)
    # The first row at the top.
    axes.set_ylim(len(labels) - 0.4, -0.6)
    axes.grid(visible=False, axis="y")
    return figure, axes


def _save(figure: Figure, axes: Axes, path: Path) -> None:
    axes.legend(
        loc="upper center",
        # At the same distance below the axis, however high the figure is.
        bbox_to_anchor=(0.5, -0.45 / figure.get_size_inches()[1]),
        ncols=4,
        frameon=False,
    )
    path.parent.mkdir(parents=True, exist_ok=True)
    drawn = BytesIO()
    figure.savefig(drawn, dpi=_PNG_DOTS, bbox_inches="tight", format="png")
    _write_small_png(drawn, path.with_suffix(".png"))
    written = StringIO()
    # Without the date the same figures give the same file.
    figure.savefig(written, bbox_inches="tight", metadata={"Date": None}, format="svg")
    # A tenth of a point is finer than a screen: a third of the file.
    small = _LONG_NUMBER.sub(lambda found: f"{float(found[0]):.1f}", written.getvalue())
    # The same bytes on every system.
    path.with_suffix(".svg").write_text(_NO_TURN.sub("", small), encoding="utf-8", newline="\n")
    _pyplot().close(figure)


def _write_small_png(drawn: BytesIO, path: Path) -> None:
    """Writes a drawing with 64 colours, which it needs at most: a third of the file."""
    from PIL import Image  # comes with matplotlib

    with Image.open(drawn) as image:
        image.convert("RGB").quantize(64).save(path, optimize=True)
