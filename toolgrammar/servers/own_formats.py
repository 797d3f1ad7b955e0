"""Adds formats of one's own to those that the servers list, by paths in the environment.

`TOOLGRAMMAR_FORMATS=/models/mine.lark vllm serve …` knows `--tool-call-parser toolgrammar_mine`.
Servers have no place for the options of a plugin, hence the environment, which all their processes
inherit.
"""

from __future__ import annotations

import os
from typing import Final

from toolgrammar.catalogue.registry import formats

VARIABLE: Final = "TOOLGRAMMAR_FORMATS"
"""The environment variable with the paths of grammars, parted as those of `PATH`."""


def register_own_formats() -> None:
    """Registers the formats that the environment names; may be called twice.

    Raises:
        GrammarError: a grammar is broken.
        OSError: a file can't be read.
        ValueError: another format has the id or an alias.
    """
    for path in os.environ.get(VARIABLE, "").split(os.pathsep):
        if path.strip():
            formats.register(path.strip())
