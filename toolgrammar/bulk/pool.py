"""Works on chunks in one process or in several, and gives what became of them in their order."""

from __future__ import annotations

import multiprocessing
import os
import shutil
import tempfile
import threading
from collections import deque
from concurrent.futures import ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from pathlib import Path
from typing import TYPE_CHECKING

from toolgrammar.bulk.parts import set_aside

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator
    from concurrent.futures import Future
    from multiprocessing.process import BaseProcess

    from toolgrammar.bulk.reading import Reading
    from toolgrammar.bulk.work import Chunk, Done

    Work = Callable[[Chunk, Reading], Done]

_WAITING = 2
"""Chunks for each process that are worked on or wait to be taken: what bounds the memory."""

_settings: list[tuple[Reading, Path]] = []
"""In a process of the pool, the settings of its run and the folder for its lines."""


def in_order(
    chunks: Iterable[Chunk], work: Work, reading: Reading, jobs: int, parts: Path | None = None
) -> Iterator[tuple[Chunk, Done]]:
    """Returns each chunk with what became of it; a few are worked on ahead.

    Args:
        chunks: what to work on.
        work: what to do with each.
        reading: the settings.
        jobs: how many processes work.
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
    pool = ProcessPoolExecutor(jobs, context, _begin, (reading, parts))
    ahead: deque[tuple[Chunk, Future[Done]]] = deque()
    try:
        for chunk in chunks:
            ahead.append((chunk, pool.submit(_work, work, chunk)))
            if len(ahead) >= jobs * _WAITING:
                first, future = ahead.popleft()
                yield first, future.result()
        while ahead:
            first, future = ahead.popleft()
            yield first, future.result()
    except BrokenProcessPool:
        message = (
            "a process of the batch died: it was killed, perhaps for want of memory, or the "
            'program starts the batch outside of `if __name__ == "__main__":`'
        )
        raise RuntimeError(message) from None
    finally:
        pool.shutdown(wait=True, cancel_futures=True)
        shutil.rmtree(parts, ignore_errors=True)


def _begin(reading: Reading, parts: Path) -> None:
    """Sets a process up."""
    _settings[:] = [(reading, parts)]
    parent = multiprocessing.parent_process()
    if parent is not None:
        threading.Thread(target=_end_with, args=(parent,), daemon=True).start()


def _end_with(parent: BaseProcess) -> None:
    """Ends this process when its parent was killed; it would wait for work for ever."""
    parent.join()
    os._exit(1)


def _work(work: Work, chunk: Chunk) -> Done:
    reading, parts = _settings[0]
    done = work(chunk, reading)
    set_aside(done, parts / str(chunk.last))
    return done
