"""No modules import each other in a circle, those imported for their types included."""

import ast
from collections.abc import Container, Iterable, Iterator
from functools import cache
from pathlib import Path

from tests.house.checkout import PACKAGE, modules, nodes_of


def _name(path: Path) -> str:
    return ".".join(path.relative_to(PACKAGE.parent).with_suffix("").parts).removesuffix(
        ".__init__"
    )


@cache
def _graph() -> dict[str, set[str]]:
    """Which modules each module imports, wherever in it the import stands."""
    files = {_name(path): path for path in modules()}
    graph: dict[str, set[str]] = {}
    for name, path in files.items():
        found = set(_imports(nodes_of(path), files))
        graph[name] = found & set(files) - {name}
    return graph


def _imports(nodes: Iterable[ast.AST], known: Container[str]) -> Iterator[str]:
    for node in nodes:
        if isinstance(node, ast.ImportFrom) and node.module:
            for alias in node.names:
                inner = f"{node.module}.{alias.name}"
                yield inner if inner in known else node.module
        elif isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)


def _reached(name: str) -> set[str]:
    found: set[str] = set()
    pending = [name]
    while pending:
        new = _graph()[pending.pop()] - found
        found |= new
        pending += new
    return found


def test_no_module_imports_itself_by_way_of_others() -> None:
    found = [name for name in sorted(_graph()) if name in _reached(name)]
    assert not found, f"move what these share into a module below them: {found}"
