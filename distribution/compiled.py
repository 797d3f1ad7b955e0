"""Compiles the modules that a message passes through to C, with mypyc.

Example: beside `toolgrammar/core/state/driver.py` it puts `driver.cpython-312-x86_64-linux-gnu.so`,
which Python imports in its place. Both do the same: `make test` holds the laws over the sources,
`make compiled` over the libraries.
"""

import ast
import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

PACKAGE = "toolgrammar"
FOLDERS = ("core", "patterns")
"""The packages whose modules are compiled; those around them check what a caller hands in."""
REQUIRED = ("mypy>=2.4,<3", "setuptools>=77")
"""What compiling needs beside a C compiler."""

_TRANSLATE = "--translate"
# What mypyc does not compile as Python runs it: bodies of classes whose annotations name types that
# are imported for the type checker alone, bases that it has no layout for, and what `copy` copies.
_BASES = {"NamedTuple", "str", "list"}
_DECORATORS = {"dataclass", "cached_property"}


def compile_in_place(root: Path, target: Path) -> list[Path]:
    """Copies the package to a folder, compiles it there, and returns the paths of the libraries.

    Args:
        root: the checkout.
        target: a folder without the package.

    Raises:
        RuntimeError: mypyc or the C compiler failed; the message is their output.
    """
    _run_in_copy(root, target)
    shutil.rmtree(target / "build")
    return sorted(path for path in target.rglob("*") if path.suffix in (".so", ".pyd"))


def translate(root: Path, target: Path) -> list[Path]:
    """Copies the package to a folder, translates it to C there, and returns the paths of the C files.

    That needs no C compiler, takes a sixth of the time of `compile_in_place`, and is enough to find
    what mypyc can't compile.

    Raises:
        RuntimeError: mypyc refuses something; the message names the file and the line.
    """
    _run_in_copy(root, target, _TRANSLATE)
    return sorted((target / "build").rglob("*.c"))


def _run_in_copy(root: Path, target: Path, *words: str) -> None:
    """Runs this module in a copy of the package: mypyc names modules by their paths from there."""
    left_out = shutil.ignore_patterns("__pycache__", "*.so", "*.pyd")
    shutil.copytree(root / PACKAGE, target / PACKAGE, ignore=left_out)
    done = subprocess.run(
        [sys.executable, str(Path(__file__).resolve()), *words],
        cwd=target,
        check=False,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        encoding="utf-8",
        errors="replace",
    )
    if done.returncode:
        raise RuntimeError(f"Compiling {PACKAGE} failed:\n{done.stdout}")


def compiled_modules(package: Path) -> list[Path]:
    """Returns the modules that are compiled, of a package of this name.

    A class that is not compiled can't inherit from one that is, so the modules of its bases stay
    as they are, too.
    """
    trees = {path: ast.parse(path.read_text(encoding="utf-8")) for path in package.rglob("*.py")}
    classes = {path: list(_classes(tree)) for path, tree in trees.items()}
    chosen = {
        path
        for path, tree in trees.items()
        if path.name != "__init__.py"
        and path.relative_to(package).parts[0] in FOLDERS
        and not any(map(_stays, ast.walk(tree)))
    }
    while True:
        inherited = {
            base
            for path in trees.keys() - chosen
            for each in classes[path]
            for base in _bases(each)
        }
        left = {
            path for path in chosen if inherited.isdisjoint(each.name for each in classes[path])
        }
        if left == chosen:
            return sorted(chosen)
        chosen = left


def _stays(node: ast.AST) -> bool:
    """Whether a node is something that mypyc does not compile as Python runs it."""
    if isinstance(node, ast.ClassDef):
        return not _BASES.isdisjoint(_bases(node)) or not _DECORATORS.isdisjoint(_decorators(node))
    if isinstance(node, ast.Import):
        return any(each.name == "copy" for each in node.names)
    return isinstance(node, ast.FunctionDef) and not _DECORATORS.isdisjoint(_decorators(node))


def _classes(tree: ast.Module) -> Iterator[ast.ClassDef]:
    return (node for node in tree.body if isinstance(node, ast.ClassDef))


def _bases(node: ast.ClassDef) -> Iterator[str]:
    return map(_name, node.bases)


def _decorators(node: ast.ClassDef | ast.FunctionDef) -> Iterator[str]:
    return map(_name, node.decorator_list)


def _name(node: ast.expr) -> str:
    """Returns the name of `name`, `name[…]`, `name(…)` and `module.name`."""
    if isinstance(node, ast.Subscript):
        return _name(node.value)
    if isinstance(node, ast.Call):
        return _name(node.func)
    return node.attr if isinstance(node, ast.Attribute) else getattr(node, "id", "")


def _compile(*, to_library: bool) -> None:
    """Compiles the package in the current folder, to C alone or to libraries."""
    from mypyc.build import mypycify
    from setuptools import setup

    here = Path.cwd()
    modules = [str(path.relative_to(here)) for path in compiled_modules(here / PACKAGE)]
    extensions = mypycify(
        ["--ignore-missing-imports", *modules],
        opt_level="3",
        debug_level="0",
        multi_file=True,
        group_name=PACKAGE,
    )
    if not to_library:
        return
    jobs = str(os.cpu_count() or 1)
    setup(
        name=PACKAGE,
        packages=[],
        ext_modules=extensions,
        script_args=["build_ext", "--inplace", "--parallel", jobs],
    )


def _compile_checkout(target: Path) -> None:
    """Copies the checkout's files to a folder and compiles the package in it."""
    root = Path(__file__).resolve().parent.parent
    listed = subprocess.run(
        ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"],
        cwd=root,
        check=True,
        capture_output=True,
        encoding="utf-8",
    )
    for name in filter(None, listed.stdout.split("\0")):
        if (root / name).is_file() and not name.startswith(f"{PACKAGE}/"):
            (target / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(root / name, target / name)
    for library in compile_in_place(root, target):
        sys.stdout.write(f"{library.relative_to(target)}\n")


if __name__ == "__main__":
    # Without a folder it runs in a copy that another process made, see `_run_in_copy`.
    if len(sys.argv) > 1 and sys.argv[1] != _TRANSLATE:
        _compile_checkout(Path(sys.argv[1]).resolve())
    else:
        _compile(to_library=len(sys.argv) == 1)
