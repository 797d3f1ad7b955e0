"""Draws shares with their intervals as SVG, one row per value of a label; needs matplotlib.

For the label `model` of two models, two rows of dots with bars: 94 % of 100 messages, 88 to 97.
"""

from __future__ import annotations

from io import StringIO
from typing import TYPE_CHECKING, Any

from toolgrammar.values.errors import check_extra

if TYPE_CHECKING:
    from collections.abc import Sequence

    from toolgrammar.scoring.groups import Group

_STYLE: dict[Any, Any] = {
    "svg.fonttype": "none",  # letters stay letters: small files
    "svg.hashsalt": "toolgrammar",  # the same figures give the same file
    "font.size": 8,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.grid": True,
    "axes.grid.axis": "x",
    "grid.color": "#e5e5e5",
    "axes.axisbelow": True,
}
# The two can be distinguished in grey too, and by their shapes.
_LOOKS = (("#0b6e4f", "o"), ("#d1495b", "s"))
_MOST = 40
"""The most rows of a drawing that can still be read."""
_WIDTH, _ROW = 7.5, 0.26
"""The width of a drawing and the height of a row, in inches."""


def require_extra() -> None:
    """Checks that plots can be drawn.

    Raises:
        ImportError: they can't; the message says what to install.
    """
    check_extra("matplotlib", "a page with plots needs matplotlib", "score")


def plot_of(groups: Sequence[Group], measures: Sequence[str]) -> str:
    """Returns a drawing of some shares of some groups as SVG.

    Args:
        groups: the groups, the first on top; after the fortieth they are omitted.
        measures: at most two measures.
    """
    from matplotlib import rc_context
    from matplotlib.figure import Figure

    shown = list(groups)[:_MOST]
    with rc_context(_STYLE):
        figure = Figure(figsize=(_WIDTH, 0.9 + _ROW * len(shown)), layout="constrained")
        axes = figure.add_subplot()
        for place, (measure, (colour, mark)) in enumerate(zip(measures, _LOOKS, strict=False)):
            there = [
                (row, each.rates[measure])
                for row, each in enumerate(shown)
                if measure in each.rates
            ]
            if not there:
                continue
            ends = [
                [100 * max(0.0, rate.share - rate.low) for _, rate in there],
                [100 * max(0.0, rate.high - rate.share) for _, rate in there],
            ]
            # Two measures of a row stand side by side, so that their bars can be told apart.
            heights = [row + 0.22 * (place - (len(measures) - 1) / 2) for row, _ in there]
            shares = [100 * rate.share for _, rate in there]
            axes.errorbar(
                shares, heights, xerr=ends, fmt=mark, color=colour, markersize=3.5,
                elinewidth=1, capsize=2, label=measure.replace("_", " "),
            )  # fmt: skip
        # A name may be of any length, and `$` would begin a formula.
        names = [(each.value or "(none)")[-48:].replace("$", r"\$") for each in shown]
        axes.set_yticks(
            range(len(shown)), [f"{n} ({g.messages:,})" for n, g in zip(names, shown, strict=True)]
        )
        axes.set_ylim(len(shown) - 0.5, -0.5)
        axes.set_xlabel("% and 95 % interval")
        figure.legend(loc="outside upper center", ncols=2, frameon=False)
        written = StringIO()
        figure.savefig(written, format="svg", metadata={"Date": None})
    return written.getvalue()[written.getvalue().index("<svg") :]
