"""Runs the tasks of formats in processes, those of one format in the same one.

What a process has compiled for a format is then there for its next task: `Workers(2)` writes the
messages of a format in one of two processes, and measures them in the same.
"""

from __future__ import annotations

from concurrent.futures import ProcessPoolExecutor, as_completed
from typing import TYPE_CHECKING, Any, Self, TypeVar

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    Tell = Callable[[str, int, int], None]
    """Is told what is done, how much of it, and of how much."""

ResultT = TypeVar("ResultT")


class Workers:
    """Processes, each of which has its formats; one alone is the caller's own process."""

    def __init__(self, jobs: int) -> None:
        self._pools = [ProcessPoolExecutor(1) for _ in range(jobs)] if jobs > 1 else []
        self._places: dict[str, int] = {}
        """The process of each format, by its index."""

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        for pool in self._pools:
            pool.shutdown(cancel_futures=True)

    def each(
        self,
        function: Callable[..., ResultT],
        tasks: Sequence[tuple[str, tuple[Any, ...]]],
        what: str,
        tell: Tell,
    ) -> list[ResultT]:
        """Returns what a function gives for each of its arguments, in their order.

        Args:
            function: the function.
            tasks: the ids of formats, each with the arguments.
            what: what is done, for `tell`.
            tell: is called with each that is done.
        """
        if not self._pools:
            found = []
            for _, given in tasks:
                found.append(function(*given))
                tell(what, len(found), len(tasks))
            return found
        futures = [self._pool_of(format_id).submit(function, *given) for format_id, given in tasks]
        for number, future in enumerate(as_completed(futures), 1):
            # What went wrong in one ends the run: a table without a format would not say so.
            future.result()
            tell(what, number, len(tasks))
        return [future.result() for future in futures]

    def _pool_of(self, format_id: str) -> ProcessPoolExecutor:
        # In turn, so that the formats of one model, which cost about the same, are shared out.
        place = self._places.setdefault(format_id, len(self._places) % len(self._pools))
        return self._pools[place]
