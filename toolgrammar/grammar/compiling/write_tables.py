"""Compiles every shipped grammar and writes its tables, for the wheel.

Example: the tables of each `grammars/<id>.lark` are written to `<id>.json` in the given folder.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from toolgrammar.grammar import files
from toolgrammar.grammar.compiling.compile import compile_file
from toolgrammar.grammar.tables import stored_form

if TYPE_CHECKING:
    from pathlib import Path


def write_all_tables(folder: Path) -> list[Path]:
    """Compiles every shipped grammar into `folder`, one JSON file each, and lists what it wrote."""
    written = []
    folder.mkdir(parents=True, exist_ok=True)
    for path in sorted(files.grammar_folder().glob("*.lark")):
        target = folder / f"{path.stem}.json"
        text = stored_form(compile_file(path), files.digest_of(path))
        target.write_text(text, encoding="utf-8", newline="\n")
        written.append(target)
    return written
