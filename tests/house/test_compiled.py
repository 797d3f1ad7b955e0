"""Which modules are compiled is decided by what is in them."""

import tomllib
from pathlib import Path

import pytest

from distribution.compiled import REQUIRED, compiled_modules, translate
from tests.house.checkout import PACKAGE, ROOT

SOURCES = {
    "core/plain.py": "class Reader:\n    pass\n",
    "core/__init__.py": "",
    "patterns/deep/also.py": "def f() -> int:\n    return 1\n",
    "values/around.py": "class Value:\n    pass\n",
}


def _chosen(folder: Path, sources: dict[str, str]) -> set[str]:
    for name, source in sources.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(source, encoding="utf-8")
    return {path.relative_to(folder).as_posix() for path in compiled_modules(folder)}


def test_the_modules_of_the_core_and_its_patterns_are(tmp_path: Path) -> None:
    assert _chosen(tmp_path, SOURCES) == {"core/plain.py", "patterns/deep/also.py"}


@pytest.mark.parametrize(
    "source",
    [
        "import dataclasses\n@dataclasses.dataclass(frozen=True)\nclass Span:\n    start: int\n",
        "from typing import NamedTuple\nclass Span(NamedTuple):\n    start: int\n",
        "class Faults(list[str]):\n    pass\n",
        "from functools import cached_property\nclass End:\n    @cached_property\n    def find(self) -> int:\n        return 1\n",
        "import copy\nclass Draft:\n    def copy(self) -> 'Draft':\n        return copy.copy(self)\n",
    ],
)
def test_what_would_run_otherwise_stays(tmp_path: Path, source: str) -> None:
    assert "core/odd.py" not in _chosen(tmp_path, {**SOURCES, "core/odd.py": source})


def test_the_bases_of_what_stays_stay(tmp_path: Path) -> None:
    """A class that Python runs can't inherit from a compiled one, nor can those behind it."""
    stays = "from .middle import Middle\nclass Last(Middle):\n    pass\n"
    middle = "from ..core.plain import Reader\nclass Middle(Reader):\n    pass\n"
    sources = {**SOURCES, "recovery/last.py": stays, "core/middle.py": middle}
    assert _chosen(tmp_path, sources) == {"patterns/deep/also.py"}


@pytest.mark.heavy
def test_most_of_the_core_is_compiled() -> None:
    """What messages pass through, and not only what is left of it."""
    chosen = {path.relative_to(PACKAGE).as_posix() for path in compiled_modules(PACKAGE)}
    readers = ("whole/whole_reader.py", "stream/stream_tokens.py", "stream/cursor.py")
    assert {f"core/shortcuts/{name}" for name in readers} <= chosen
    assert "core/state/driver.py" in chosen
    assert len(chosen) > len(list((PACKAGE / "core").rglob("*.py"))) / 2


@pytest.mark.slow
def test_mypyc_compiles_them(tmp_path: Path) -> None:
    """Up to the C compiler: what it refuses is an error of `translate`, with its line."""
    wanted = {
        "__native_" + "___".join(path.relative_to(ROOT).with_suffix("").parts)
        for path in compiled_modules(PACKAGE)
    }
    assert wanted <= {path.stem for path in translate(ROOT, tmp_path)}


def test_what_developers_install_compiles() -> None:
    with (ROOT / "pyproject.toml").open("rb") as file:
        groups: dict[str, list[str]] = tomllib.load(file)["dependency-groups"]
    assert set(REQUIRED) <= set(groups["dev"])
