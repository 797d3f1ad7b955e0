"""Lists the mutants of a module: mutmut's changes, at every place where they change what runs.

`x < limit` gives one mutant, `x <= limit`. Left out is what changes no behaviour or what every
test kills: annotations, aliases of types, docstrings, decorators, imports, asserts.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import libcst as cst
from libcst.metadata import MetadataWrapper, PositionProvider
from mutmut.mutation.mutators import mutation_operators

if TYPE_CHECKING:
    from pathlib import Path

UNTOUCHED = (
    cst.Annotation,
    cst.Assert,
    cst.Decorator,
    cst.Import,
    cst.ImportFrom,
    cst.TypeAlias,
    cst.TypeParameters,
)
"""What holds nothing but types, or what the type checker alone reads."""

UNTOUCHED_NAMES = frozenset({"__all__", "__slots__", "__match_args__"})
UNTOUCHED_CALLS = frozenset({"cast", "isinstance", "len", "NewType", "ParamSpec", "TypeVar"})
"""Calls whose arguments are types, or which fail at once where one of them is missing."""


@dataclass(frozen=True, order=True)
class Mutant:
    """One change of one module."""

    path: str
    line: int
    number: int
    """Its place among the mutants of the module."""


class Source:
    """A module as a tree, with its mutants."""

    def __init__(self, root: Path, path: str) -> None:
        wrapper = MetadataWrapper(cst.parse_module((root / path).read_text(encoding="utf-8")))
        finder = _Finder()
        wrapper.visit(finder)
        self._module = wrapper.module
        self._changes = finder.changes
        self.mutants = [
            Mutant(path, line, number) for number, (line, _, _) in enumerate(finder.changes)
        ]

    def text(self, mutant: Mutant) -> str:
        """Returns the text of the mutated module."""
        _, node, mutated = self._changes[mutant.number]
        changed = self._module.deep_replace(node, mutated)
        assert isinstance(changed, cst.Module)
        return str(changed.code)


class _Finder(cst.CSTVisitor):
    METADATA_DEPENDENCIES = (PositionProvider,)

    def __init__(self) -> None:
        super().__init__()
        self._types: set[int] = set()
        self.changes: list[tuple[int, cst.CSTNode, cst.CSTNode]] = []

    def on_visit(self, node: cst.CSTNode) -> bool:
        if _is_untouched(node):
            return False
        called = _called(node)
        if called == "cast":
            assert isinstance(node, cst.Call)
            self._types.add(id(node.args[0]))
        if id(node) in self._types:
            return False
        if called not in UNTOUCHED_CALLS:
            for kind, operator in mutation_operators:
                if isinstance(node, kind):
                    self._add(node, list(operator(node)))
        return True

    def _add(self, node: cst.CSTNode, mutated: list[cst.CSTNode]) -> None:
        if mutated:
            line = self.get_metadata(PositionProvider, node).start.line
            self.changes.extend((line, node, each) for each in mutated)


def _is_untouched(node: cst.CSTNode) -> bool:
    if isinstance(node, UNTOUCHED):
        return True
    if isinstance(node, cst.Arg) and node.keyword is not None:
        # `zip(..., strict=False)`: a reminder to readers, where the lengths are the same anyway.
        return bool(node.keyword.value == "strict")
    if isinstance(node, cst.If):
        return isinstance(node.test, cst.Name) and str(node.test.value) == "TYPE_CHECKING"
    if isinstance(node, cst.AnnAssign):
        annotation = node.annotation.annotation
        return isinstance(annotation, cst.Name) and str(annotation.value) == "TypeAlias"
    if isinstance(node, cst.Assign):
        names = [each.target.value for each in node.targets if isinstance(each.target, cst.Name)]
        return any(name in UNTOUCHED_NAMES or _is_type_name(name) for name in names)
    return False


def _is_type_name(name: str) -> bool:
    bare = name.lstrip("_")
    return bare[:1].isupper() and not bare.isupper()


def _called(node: cst.CSTNode) -> str:
    if isinstance(node, cst.Call) and isinstance(node.func, cst.Name):
        return str(node.func.value)
    return ""
