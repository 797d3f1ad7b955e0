"""Build hook: compile every grammar into the wheel, and on demand the core, too.

A wheel then reads `toolgrammar/tables/*.json` and needs no compilation at run time. An editable
install gets none: it compiles from the checkout, so that an edited grammar takes effect at once.
With `TOOLGRAMMAR_COMPILE=1` in the environment the wheel also gets the compiled core, for the
machine and the Python that build it; see `compiled.py`.
"""

import os
import shutil
import sys
import tempfile
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path
from types import ModuleType
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface

TABLES = "toolgrammar/tables"
COMPILE = "TOOLGRAMMAR_COMPILE"
"""The variable that asks for the compiled core: "1" or nothing."""


class WheelHook(BuildHookInterface):  # type: ignore[type-arg]
    """Adds the compiled tables to a wheel, and the compiled core where it is asked for."""

    _folder: Path | None = None
    """Where what is added is made."""

    def dependencies(self) -> list[str]:
        """Returns what has to be installed to build."""
        return [*_compiled().REQUIRED] if self._compiles() else []

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        """Makes the files and registers each as a file of the wheel."""
        if self.target_name != "wheel" or version == "editable":
            return
        # A folder of its own: several wheels may be built from one checkout at once.
        folder = self._folder = Path(tempfile.mkdtemp(prefix="toolgrammar-wheel-"))
        tables = folder / "tables"
        self._write_tables(tables)
        included = build_data["force_include"]
        for table in sorted(tables.glob("*.json")):
            included[str(table)] = f"{TABLES}/{table.name}"
        if self._compiles():
            core = folder / "core"
            core.mkdir()
            for library in _compiled().compile_in_place(Path(self.root), core):
                included[str(library)] = library.relative_to(core).as_posix()
            build_data["pure_python"] = False
            build_data["infer_tag"] = True

    def finalize(self, version: str, build_data: dict[str, Any], artifact_path: str) -> None:
        """Removes the folder, now that the wheel has what is in it."""
        if self._folder is not None:
            shutil.rmtree(self._folder, ignore_errors=True)

    def _compiles(self) -> bool:
        return self.target_name == "wheel" and os.environ.get(COMPILE) == "1"

    def _write_tables(self, folder: Path) -> None:
        """Writes the table of each format, `<id>.json`, with the compiler of the tree that is being built."""
        folder.mkdir()
        sys.path.insert(0, self.root)
        try:
            from toolgrammar.grammar import files
            from toolgrammar.grammar.compiling.compile import compile_file
            from toolgrammar.grammar.tables import stored_form

            for path in sorted(files.grammar_folder().glob("*.lark")):
                text = stored_form(compile_file(path), files.digest_of(path))
                table = folder / f"{path.stem}.json"
                table.write_text(text, encoding="utf-8", newline="\n")
        finally:
            sys.path.remove(self.root)


def _compiled() -> ModuleType:
    """Imports the module beside this one: the builder loads a hook by its path alone."""
    spec = spec_from_file_location("compiled", Path(__file__).with_name("compiled.py"))
    assert spec is not None
    assert spec.loader is not None
    module = module_from_spec(spec)
    spec.loader.exec_module(module)
    return module
