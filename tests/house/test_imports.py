"""What an import costs: Lark and the optional packages come only when they are needed."""

import ast
import subprocess
import sys

import pytest

from tests.house.checkout import PACKAGE, modules, tree_of

OPTIONAL = (
    "lark",
    "pydantic",
    "rich",
    "jiter",
    "msgspec",
    "pyarrow",
    "multiprocessing",
    "mcp",
    "redis",
    "opentelemetry",
    "pytest",
)


def _loaded_after(statements: str) -> set[str]:
    """Top-level names in `sys.modules` of a fresh interpreter after the statements."""
    script = f"{statements}\nimport sys\nprint(*sorted({{n.split('.')[0] for n in sys.modules}}))"
    run = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, encoding="utf-8", check=True
    )
    return set(run.stdout.split())


@pytest.mark.parametrize(
    "statements",
    [
        "import toolgrammar",
        "import toolgrammar; assert list(toolgrammar.formats)",
        "import toolgrammar; [f.title for f in toolgrammar.formats.values()]",
    ],
    ids=["import", "list formats", "read titles"],
)
def test_nothing_heavy_is_imported(statements: str) -> None:
    added = _loaded_after(statements) - _loaded_after("")
    assert added & set(OPTIONAL) == set(), "import it in the function that needs it"


def test_lark_is_imported_in_few_modules() -> None:
    """Where grammars are compiled, and in the reference reading; types may be named anywhere."""
    importers = {
        path.relative_to(PACKAGE).as_posix()
        for path in modules()
        if "lark" in _imported_at_run_time(tree_of(path))
    }
    known = {"grammar/compiling/compile.py", "reference/reference.py", "reference/tree_feed.py"}
    assert importers <= known, "ask one of the known modules for what Lark gives"


def _imported_at_run_time(node: ast.AST) -> set[str]:
    """Top-level names of the packages that the code imports, but for `if TYPE_CHECKING:`."""
    match node:
        case ast.If(test=ast.Name(id="TYPE_CHECKING")):
            return set()
        case ast.Import(names=names):
            return {alias.name.split(".")[0] for alias in names}
        case ast.ImportFrom(module=str(module)):
            return {module.split(".")[0]}
        case _:
            pass
    return {name for child in ast.iter_child_nodes(node) for name in _imported_at_run_time(child)}
