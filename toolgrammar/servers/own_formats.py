"""Adds the user's own formats to those of the servers, by paths in the environment.

Example: with `TOOLGRAMMAR_FORMATS=/models/mine.lark vllm serve …` the flag
`--tool-call-parser toolgrammar_mine` is available. Servers have no options for plugins, hence the
environment, which all their processes inherit.
"""

from __future__ import annotations

import os
from typing import Final

from toolgrammar.catalogue.registry import formats

VARIABLE: Final = "TOOLGRAMMAR_FORMATS"
"""The environment variable with the paths of grammars, separated as in `PATH`."""


def register_own_formats() -> None:
    """Registers the formats in the environment; may be called repeatedly.

    Raises:
        GrammarError: a grammar is broken.
        OSError: a file can't be read.
        ValueError: another format has the same id or alias.
    """
    for path in os.environ.get(VARIABLE, "").split(os.pathsep):
        if path.strip():
            formats.register(path.strip())
