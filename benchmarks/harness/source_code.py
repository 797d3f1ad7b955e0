"""Text that never comes twice: pieces of the standard library's own source, a fresh place each time.

A benchmark that reads one message over and over measures caches. Bodies here are cut from some
megabytes of real code by number: the same number gives the same body on one installation.
"""

from __future__ import annotations

import random
import sysconfig
from functools import cache
from pathlib import Path


@cache
def _source() -> str:
    """Returns the modules of the standard library's top folder, joined."""
    folder = Path(sysconfig.get_path("stdlib"))
    return "".join(path.read_text(encoding="utf-8") for path in sorted(folder.glob("*.py")))


def snippet(size: int, number: int, what: str = "") -> str:
    """Returns about `size` characters of source code without outer white space.

    Args:
        size: characters, at least 2.
        number: which piece; each number cuts at another place.
        what: keeps the pieces of one measurement apart from those of another.
    """
    source = _source()
    start = random.Random(f"{what} {size} {number}").randrange(max(1, len(source) - size))
    return source[start : start + size - 1].strip() + "."
