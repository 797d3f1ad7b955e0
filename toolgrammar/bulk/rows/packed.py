"""Says which file it is whose gzip can't be unpacked.

Of a log `a.jsonl.gz` that holds plain lines, gzip says `Not a gzipped file (b'{"')` and no name.
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
    """Names the file where reading it fails.

    Raises:
        ValueError: the file is not packed, damaged, or cut.
    """
    try:
        yield
    # The first is an `OSError` that names no file; of a cut file the end is none that is expected.
    except (gzip.BadGzipFile, EOFError, zlib.error) as error:
        raise ValueError(
            f"{path} can't be unpacked: {error}; a name that ends in .gz is for files that gzip "
            "packed"
        ) from error
