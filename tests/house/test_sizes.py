"""Modules and functions stay small enough to read in one sitting."""

import ast
from collections import Counter
from collections.abc import Iterator

from tests.house.checkout import PACKAGE, modules, nodes_of

MODULE_LINES = 400
FUNCTION_LINES = 60
MODULES = 15


def test_modules_have_at_most_400_lines() -> None:
    lines = {
        path.relative_to(PACKAGE).as_posix(): len(path.read_text(encoding="utf-8").splitlines())
        for path in modules()
    }
    long = {name: count for name, count in lines.items() if count > MODULE_LINES}
    assert not long, f"{long}: move what stands by itself into a module of its own"


def test_folders_have_at_most_15_modules() -> None:
    counts = Counter(path.parent.relative_to(PACKAGE).as_posix() for path in modules())
    many = {name: count for name, count in counts.items() if count > MODULES}
    assert not many, f"{many}: make a folder of the modules that belong together"


def _long_functions() -> Iterator[tuple[str, int]]:
    for path in modules():
        for node in nodes_of(path):
            if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
                lines = (node.end_lineno or node.lineno) - node.lineno + 1
                if lines > FUNCTION_LINES:
                    yield f"{path.relative_to(PACKAGE).as_posix()}:{node.name}", lines


def test_functions_are_at_most_60_lines() -> None:
    long = dict(_long_functions())
    assert not long, f"{long}: give a step of it a name of its own"
