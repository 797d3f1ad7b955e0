"""Works on chunks in one process or in several, and gives what became of them in their order.

The process that asks is one of them: it works while nothing is ready to be given out. So it works
while the others start, and what it reads itself is not handed over.
"""

from __future__ import annotations

import multiprocessing
import os
import shutil
import tempfile
import threading
from collections import deque
from concurrent.futures import Future, ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from pathlib import Path
from typing import TYPE_CHECKING

from toolgrammar.bulk.runs.spill_files import set_aside

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator
    from multiprocessing.process import BaseProcess

    from toolgrammar.bulk.rows.chunk_work import Chunk, Done
    from toolgrammar.bulk.rows.parse_options import Reading

    Work = Callable[[Chunk, Reading], Done]

_WAITING = 4
"""Chunks for each other process that it works on or that wait for it."""
_MOST = 16
"""Chunks for each process that are over or on the way: what bounds the memory."""

_settings: list[tuple[Reading, Path]] = []
"""In a process of the pool, the settings of its run and the folder for its lines."""


def in_order(
    chunks: Iterable[Chunk], work: Work, reading: Reading, jobs: int, parts: Path | None = None
) -> Iterator[tuple[Chunk, Done]]:
    """Returns each chunk with what became of it; some are worked on ahead.

    Args:
        chunks: what to work on.
        work: what to do with each.
        reading: the settings.
        jobs: how many processes work, with this one.
        parts: the folder for lines that wait for their turn; it is emptied first and goes in the
            end. Without one, a temporary folder.

    Raises:
        RuntimeError: a process died.
    """
    if jobs == 1:
        for chunk in chunks:
            yield chunk, work(chunk, reading)
        return
    # `spawn` on every system: no thread or lock of the caller's is copied half way.
    context = multiprocessing.get_context("spawn")
    if parts is None:
        parts = Path(tempfile.mkdtemp(prefix="toolgrammar-"))
    else:
        shutil.rmtree(parts, ignore_errors=True)
        parts.mkdir()
    # This process works, too.
    others = jobs - 1
    pool = ProcessPoolExecutor(others, context, _begin, (reading, parts))
    ahead: deque[tuple[Chunk, Future[Done] | Done]] = deque()
    try:
        for chunk in chunks:
            # The oldest is given out as soon as it is over; or waited for, where too many are
            # ahead.
            while ahead and (len(ahead) >= _MOST * jobs or _is_over(ahead[0][1])):
                first, found = ahead.popleft()
                yield first, _result(found)
            # The others have enough to do before this process takes a chunk for itself.
            if sum(not _is_over(found) for _, found in ahead) < others * _WAITING:
                ahead.append((chunk, pool.submit(_work, work, chunk)))
            else:
                ahead.append((chunk, work(chunk, reading)))
        while ahead:
            first, found = ahead.popleft()
            yield first, _result(found)
    # Also where the script starts itself again: each process of `spawn` imports it.
    except BrokenProcessPool:
        message = (
            "a process of the batch died: it was killed, perhaps for want of memory, or the "
            'program starts the batch outside of `if __name__ == "__main__":`'
        )
        raise RuntimeError(message) from None
    finally:
        pool.shutdown(wait=True, cancel_futures=True)
        shutil.rmtree(parts, ignore_errors=True)


def _is_over(found: Future[Done] | Done) -> bool:
    return not isinstance(found, Future) or found.done()


def _result(found: Future[Done] | Done) -> Done:
    return found.result() if isinstance(found, Future) else found


def _begin(reading: Reading, parts: Path) -> None:
    """Sets a process up."""
    _settings[:] = [(reading, parts)]
    parent = multiprocessing.parent_process()
    if parent is not None:
        threading.Thread(target=_end_with, args=(parent,), daemon=True).start()


def _end_with(parent: BaseProcess) -> None:
    """Ends this process when its parent was killed; it would wait for work for ever."""
    parent.join()
    # No cleaning up: nothing that this process holds outlives it.
    os._exit(1)


def _work(work: Work, chunk: Chunk) -> Done:
    reading, parts = _settings[0]
    done = work(chunk, reading)
    # Each chunk has another last line or row: a name that no other has.
    set_aside(done, parts / str(chunk.last))
    return done
