"""Loads the tables of a grammar: shipped with the wheel, cached, or compiled now.

In: the path of a grammar and the digest of its text. Out: its `Tables`. The compiler, and Lark with
it, is imported only if neither the wheel nor the cache has the tables: most processes never need
it.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from toolgrammar.grammar import files
from toolgrammar.grammar.tables import Tables, stored_form

if TYPE_CHECKING:
    from pathlib import Path


def load(path: Path, digest: str) -> Tables:
    """Returns the tables of the grammar at `path`; `digest` is that of its text with its imports.

    Raises:
        GrammarError: the grammar has to be compiled and is wrong.
    """
    # The digest distinguishes a caller's grammar from a shipped one of the same name.
    tables = _stored(files.shipped_tables(path.stem), digest)
    if tables is not None:
        return tables
    # The compiler is part of the name: tables of an older one are not found, and made again.
    name = f"{path.stem}-{digest[:32]}-{files.compiler_stamp()}.json"
    tables = _stored(files.read_cache(name), digest)
    if tables is not None:
        return tables
    from toolgrammar.grammar.compiling.compile import (
        compile_file,  # imports lark: only for what is not stored
    )

    tables = compile_file(path)
    files.write_cache(name, stored_form(tables, digest))
    return tables


def _stored(text: str | None, digest: str) -> Tables | None:
    """Returns the tables in a table file, or None if it is absent, stale or damaged."""
    if not text:
        return None
    try:
        # A damaged file in a cache is not an error: its content can be made again.
        data = json.loads(text)
        return Tables.from_json(data["tables"]) if data["digest"] == digest else None
    except (ValueError, KeyError, TypeError):
        return None
