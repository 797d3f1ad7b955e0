"""Shows how far a run has come, where somebody looks."""

from __future__ import annotations

import sys
from contextlib import contextmanager
from typing import TYPE_CHECKING, cast

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from typing import TextIO


@contextmanager
def shown(total: int | None, start: int, *, wanted: bool) -> Iterator[Callable[[int], None]]:
    """Returns what is told each new place; it draws a bar with rich on a terminal.

    Args:
        total: the place at the end, where it is known.
        start: the place where the run begins.
        wanted: whether to draw where standard error is a terminal and rich is installed.
    """
    # Without a console, as under `pythonw`, it is None.
    stream = cast("TextIO | None", sys.stderr)
    if not wanted or stream is None or not stream.isatty():
        yield _nothing
        return
    try:
        from rich.console import Console
        from rich.progress import Progress
    except ImportError:
        yield _nothing
        return
    # The bar goes when the run is over: a report follows it.
    with Progress(console=Console(file=stream), transient=True) as bar:
        task = bar.add_task("Reading", total=total, completed=start)
        yield lambda place: bar.update(task, completed=place)


def _nothing(place: int) -> None:
    """Nobody looks."""
