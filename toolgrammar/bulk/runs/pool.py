"""Processes chunks in one or several processes, and yields their outputs in order.

The calling process works too, whenever no output is ready to be yielded: also while the others
start. Its own output need not be sent between processes.
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
"""The number of running and waiting chunks for each other process."""
_MOST = 16
"""The most running and finished chunks for each process, which bounds the memory."""

_settings: list[tuple[Reading, Path]] = []
"""The settings of the run and the folder for its lines, in a process of the pool."""


def in_order(
    chunks: Iterable[Chunk], work: Work, reading: Reading, jobs: int, parts: Path | None = None
) -> Iterator[tuple[Chunk, Done]]:
    """Yields each chunk with its output; some chunks are processed ahead.

    Args:
        chunks: the chunks.
        work: the function that processes a chunk.
        reading: the settings.
        jobs: the number of processes, including this one.
        parts: the folder for lines that wait for their turn; it is emptied first and removed at the
            end. Without one, a temporary folder is used.

    Raises:
        RuntimeError: a process died.
    """
    if jobs == 1:
        for chunk in chunks:
            yield chunk, work(chunk, reading)
        return
    # `spawn` on every system, since `fork` copies locks of the caller's threads.
    context = multiprocessing.get_context("spawn")
    if parts is None:
        parts = Path(tempfile.mkdtemp(prefix="toolgrammar-"))
    else:
        shutil.rmtree(parts, ignore_errors=True)
        parts.mkdir()
    # This process works too.
    others = jobs - 1
    pool = ProcessPoolExecutor(others, context, _begin, (reading, parts))
    ahead: deque[tuple[Chunk, Future[Done] | Done]] = deque()
    try:
        for chunk in chunks:
            # The oldest chunk is yielded as soon as it is finished; it is waited for if too many
            # are ahead.
            while ahead and (len(ahead) >= _MOST * jobs or _is_over(ahead[0][1])):
                first, found = ahead.popleft()
                yield first, _result(found)
            # The other processes get chunks first; then this one takes a chunk itself.
            if sum(not _is_over(found) for _, found in ahead) < others * _WAITING:
                ahead.append((chunk, pool.submit(_work, work, chunk)))
            else:
                ahead.append((chunk, work(chunk, reading)))
        while ahead:
            first, found = ahead.popleft()
            yield first, _result(found)
    # Also raised if a script has no `__main__` guard: each spawned process imports the script.
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
    """Initialises a process of the pool."""
    _settings[:] = [(reading, parts)]
    parent = multiprocessing.parent_process()
    if parent is not None:
        threading.Thread(target=_end_with, args=(parent,), daemon=True).start()


def _end_with(parent: BaseProcess) -> None:
    """Ends this process if its parent was killed, since it would wait for work forever."""
    parent.join()
    # Without cleanup, since this process holds nothing that outlives it.
    os._exit(1)


def _work(work: Work, chunk: Chunk) -> Done:
    reading, parts = _settings[0]
    done = work(chunk, reading)
    # The number of a chunk's last line or row is unique.
    set_aside(done, parts / str(chunk.last))
    return done
