"""Where things lie in the checkout, for the tests of the house."""

import ast
from functools import cache
from pathlib import Path

ROOT = Path(__file__).parents[2]
PACKAGE = ROOT / "toolgrammar"
GRAMMARS = ROOT / "grammars"


def modules() -> list[Path]:
    """Every Python file of the package, sorted."""
    return sorted(path for path in PACKAGE.rglob("*.py") if "__pycache__" not in path.parts)


@cache
def tree_of(path: Path) -> ast.Module:
    """The syntax tree of a Python file, which nobody changes."""
    return ast.parse(path.read_text(encoding="utf-8"))


@cache
def nodes_of(path: Path) -> tuple[ast.AST, ...]:
    """All nodes of that tree."""
    return tuple(ast.walk(tree_of(path)))


@cache
def format_ids() -> list[str]:
    """The id of every grammar file that declares one; the others are libraries."""
    return sorted(
        path.stem
        for path in GRAMMARS.glob("*.lark")
        if path.read_text(encoding="utf-8").startswith("//@ id:")
    )
