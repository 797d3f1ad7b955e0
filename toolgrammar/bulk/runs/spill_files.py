"""Sends the lines of a chunk between processes in a file, which is several times faster than a pipe.

Measured on lines of 0.9 MB: 0.5 ms of the receiver's time instead of 3.
"""

from __future__ import annotations

from typing import IO, TYPE_CHECKING

if TYPE_CHECKING:
    from pathlib import Path

    from toolgrammar.bulk.rows.chunk_work import Done

_buffer = bytearray()
"""The copy buffer, which is reused: allocating one for each chunk costs more than copying."""


def set_aside(done: Done, path: Path) -> None:
    """Writes the lines of a chunk to a file."""
    if done.lines:
        with path.open("wb") as file:
            file.writelines(done.lines)
        done.set_aside(path)


def pour(done: Done, output: IO[bytes]) -> None:
    """Writes the lines of a chunk to the output; removes the file that had them, if any."""
    if done.part is None:
        output.writelines(done.lines)
        return
    # It grows to the size of the largest chunk, and is kept.
    if len(_buffer) < done.size:
        _buffer.extend(bytes(done.size - len(_buffer)))
    with done.part.open("rb", buffering=0) as file, memoryview(_buffer) as view:
        place = 0
        # `readinto` may read less than requested.
        while place < done.size and (count := file.readinto(view[place : done.size])):
            place += count
        output.write(view[:place])
    done.part.unlink()
