"""Finds the tests that can notice a mutant: those that run the statement that it changes.

What runs on import (a constant, a default) is noticed where its name is used.
"""

from __future__ import annotations

import ast
import json
import sqlite3
from collections import defaultdict
from functools import cached_property
from typing import TYPE_CHECKING

from coverage.numbits import register_sqlite_functions

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path

    from tests.mutation.mutants import Mutant

Lines = range
FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef)


class Reach:
    """Which lines each test runs, and how long each test takes."""

    def __init__(self, root: Path, database: Path, seconds: Path) -> None:
        self._root = root
        self._database = sqlite3.connect(database)
        register_sqlite_functions(self._database)
        self.seconds: dict[str, float] = json.loads(seconds.read_text(encoding="utf-8"))
        """The passing tests by their ids, the quickest first."""

    def tests(self, mutant: Mutant) -> list[str]:
        """Returns the tests that can notice a mutant, the quickest first."""
        found: set[str] = set()
        for path, lines in self._places(mutant):
            found |= self._running(path, lines)
        return [test for test in self.seconds if test in found]

    def of_package(self, mutant: Mutant) -> list[str]:
        """Returns the units of the package of a mutant, the quickest first."""
        package = mutant.path.split("/")[1]
        return [test for test in self.seconds if test.startswith(f"tests/units/{package}/")]

    def _running(self, path: str, lines: Lines) -> set[str]:
        wanted = " OR ".join("num_in_numbits(?, numbits)" for _ in lines)
        query = (
            "SELECT context.context FROM line_bits JOIN context ON context.id = context_id "
            f"JOIN file ON file.id = file_id WHERE file.path = ? AND ({wanted})"
        )
        rows = self._database.execute(query, [str(self._root / path), *lines])
        return {context for (context,) in rows}

    def _places(self, mutant: Mutant) -> Iterable[tuple[str, Lines]]:
        module = self._modules[mutant.path]
        chain = _chain(module, mutant.line)
        inner = chain[-1]
        if any(isinstance(each, FUNCTIONS) for each in chain[:-1]):
            yield mutant.path, _own_lines(inner)
            return
        if isinstance(inner, FUNCTIONS):
            yield mutant.path, Lines(inner.body[0].lineno, _last(inner) + 1)
        names = set(_names(inner))
        names.update(each.name for each in chain if isinstance(each, ast.ClassDef))
        seen: set[str] = set()
        while names - seen:
            name = (names - seen).pop()
            seen.add(name)
            for path, place, defines in self._uses[name]:
                # A constant that is made of this one is used where that is used.
                names.update(defines)
                if not defines:
                    yield path, place

    @cached_property
    def _modules(self) -> dict[str, ast.Module]:
        files = sorted((self._root / "toolgrammar").rglob("*.py"))
        return {
            file.relative_to(self._root).as_posix(): ast.parse(file.read_text(encoding="utf-8"))
            for file in files
        }

    @cached_property
    def _uses(self) -> dict[str, list[tuple[str, Lines, tuple[str, ...]]]]:
        """For each name: the statements that use it, each with the names that it defines."""
        found: dict[str, list[tuple[str, Lines, tuple[str, ...]]]] = defaultdict(list)
        for path, module in self._modules.items():
            _uses_in(module.body, path, found, runs=False)
        return found


def _uses_in(
    body: list[ast.stmt],
    path: str,
    found: dict[str, list[tuple[str, Lines, tuple[str, ...]]]],
    *,
    runs: bool,
) -> None:
    for statement in body:
        blocks = _blocks(statement)
        inner = {id(each) for block in blocks for each in block}
        defines = () if runs else tuple(_names(statement))
        for node in _walk(statement, inner):
            name = getattr(node, "id", None) or getattr(node, "attr", None)
            if isinstance(name, str) and name not in defines:
                found[name].append((path, _own_lines(statement), defines))
        for block in blocks:
            _uses_in(block, path, found, runs=runs or isinstance(statement, FUNCTIONS))


def _walk(node: ast.AST, without: set[int]) -> Iterable[ast.AST]:
    yield node
    for child in ast.iter_child_nodes(node):
        if id(child) not in without:
            yield from _walk(child, without)


def _blocks(statement: ast.AST) -> list[list[ast.stmt]]:
    blocks = [getattr(statement, name, []) for name in ("body", "orelse", "finalbody")]
    parts = [*getattr(statement, "handlers", []), *getattr(statement, "cases", [])]
    return [block for block in blocks if block] + [part.body for part in parts]


def _chain(module: ast.Module, line: int) -> list[ast.stmt]:
    """Returns the statements that a line stands in, the innermost last."""
    chain: list[ast.stmt] = []
    body = module.body
    while body:
        inside = [each for each in body if _first(each) <= line <= _last(each)]
        if not inside:
            break
        chain.append(inside[0])
        body = [each for block in _blocks(inside[0]) for each in block]
    assert chain, line
    return chain


def _own_lines(statement: ast.stmt) -> Lines:
    """Returns the lines of a statement without those of the blocks in it."""
    inner = [each.lineno for block in _blocks(statement) for each in block]
    return Lines(
        statement.lineno, max(min(inner, default=_last(statement) + 1), statement.lineno + 1)
    )


def _first(statement: ast.stmt) -> int:
    decorators: list[ast.expr] = getattr(statement, "decorator_list", [])
    return min([statement.lineno, *(each.lineno for each in decorators)])


def _last(statement: ast.stmt) -> int:
    return statement.end_lineno or statement.lineno


def _names(statement: ast.stmt) -> list[str]:
    """Returns the names that a statement gives a value to."""
    if isinstance(statement, ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef):
        return [statement.name]
    targets = getattr(statement, "targets", None) or [getattr(statement, "target", None)]
    return [
        node.id
        for target in targets
        if isinstance(target, ast.AST)
        for node in ast.walk(target)
        if isinstance(node, ast.Name)
    ]
