"""Build hook: compile every grammar and put the tables into the wheel.

A wheel then reads `toolgrammar/tables/*.json` and needs no compilation at run time. An editable
install gets none: it compiles from the checkout, so that an edited grammar takes effect at once.
"""

import shutil
import sys
import tempfile
from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface

TABLES = "toolgrammar/tables"


class GrammarTables(BuildHookInterface):  # type: ignore[type-arg]
    """Adds the compiled tables to a wheel."""

    _folder: Path | None = None
    """Where the tables are while the wheel is built."""

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        """Compile the tables and register each as a file of the wheel."""
        if self.target_name != "wheel" or version == "editable":
            return
        # A folder of its own: several wheels may be built from one checkout at once.
        folder = self._folder = Path(tempfile.mkdtemp(prefix="toolgrammar-tables-"))
        self._compile_into(folder)
        for table in sorted(folder.glob("*.json")):
            build_data["force_include"][str(table)] = f"{TABLES}/{table.name}"

    def finalize(self, version: str, build_data: dict[str, Any], artifact_path: str) -> None:
        """Remove the folder, now that the wheel has what is in it."""
        if self._folder is not None:
            shutil.rmtree(self._folder, ignore_errors=True)

    def _compile_into(self, folder: Path) -> None:
        """Write one table a format, with the compiler of the tree that is being built."""
        sys.path.insert(0, self.root)
        try:
            from toolgrammar.grammar.compiling.write_tables import write_all_tables

            write_all_tables(folder)
        finally:
            sys.path.remove(self.root)
