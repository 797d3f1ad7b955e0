"""Shows the progress of a run, if stderr is a terminal."""

from __future__ import annotations

import sys
from contextlib import contextmanager
from typing import TYPE_CHECKING, cast

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from typing import TextIO


@contextmanager
def shown(total: int | None, start: int, *, wanted: bool) -> Iterator[Callable[[int], None]]:
    """Returns a context manager for a function that gets each new position, and draws a bar.

    Args:
        total: the position at the end, if it is known.
        start: the position at which the run begins.
        wanted: whether to draw, if stderr is a terminal and rich is installed.
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
    # `transient`: the bar is removed at the end, where a report follows.
    with Progress(console=Console(file=stream), transient=True) as bar:
        task = bar.add_task("Reading", total=total, completed=start)
        yield lambda place: bar.update(task, completed=place)


def _nothing(place: int) -> None:
    """Ignores the position."""
