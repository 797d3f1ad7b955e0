"""Names the file in errors about damaged gzip data.

For a log `a.jsonl.gz` with plain lines, gzip raises `Not a gzipped file (b'{"')` without a name.
"""

from __future__ import annotations

import gzip
import zlib
from contextlib import contextmanager
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path


@contextmanager
def unpacking(path: Path) -> Iterator[None]:
    """Returns a context manager that names the file if reading it fails.

    Raises:
        ValueError: the file is not gzip data, or is damaged or truncated.
    """
    try:
        yield
    # `BadGzipFile` is an `OSError` without a file name; a truncated file raises `EOFError`.
    except (gzip.BadGzipFile, EOFError, zlib.error) as error:
        raise ValueError(
            f"{path} can't be unpacked: {error}; a name that ends in .gz is for files that gzip "
            "packed"
        ) from error
