"""Keeps a copy of the tree, in which mutants are tried, and what was traced in it."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from contextlib import contextmanager
from hashlib import sha256
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

ROOT = Path(__file__).parents[2]
BUILD = ROOT / "build" / "mutation"
TREE = BUILD / "tree"
DATABASE = BUILD / "lines.sqlite"
SECONDS = BUILD / "seconds.json"
DIGESTS = BUILD / "digests.json"
ORIGINAL = BUILD / "original.py"
NAME = BUILD / "original.txt"
REPORTS = BUILD / "reports"
PACKAGE = "toolgrammar/"
TESTS = ("tests/", "grammars/")


def prepare(*, keep: bool, tests: list[str]) -> list[str]:
    """Brings the copy up to date and traces its tests, and returns the files with newer tests.

    With `keep` the copy stays as it was traced, but for the files of tests that are named.
    """
    os.environ["TOOLGRAMMAR_CACHE"] = str(BUILD / "cache")
    os.environ["TOOLGRAMMAR_LAWS"] = "few"
    restore()
    now = _digests(ROOT, _listed())
    traced: dict[str, str] = json.loads(DIGESTS.read_text()) if DIGESTS.is_file() else {}
    if not traced or not (keep or _package(now) == _package(traced)):
        _copy(now, "")
        _trace()
        DIGESTS.write_text(json.dumps(now))
        # The mutants of another package have other places.
        shutil.rmtree(REPORTS, ignore_errors=True)
        traced = now
    REPORTS.mkdir(parents=True, exist_ok=True)
    _copy(now, *(tests if keep else TESTS))
    return [
        name
        for name, digest in now.items()
        if name.startswith(tuple(tests) if keep else TESTS)
        and name.endswith((".py", ".md"))
        and traced.get(name) != digest
    ]


@contextmanager
def mutated(path: str, text: str) -> Iterator[None]:
    """Puts a text in the place of a module of the copy, for a while."""
    file = TREE / path
    shutil.copy2(file, ORIGINAL)
    NAME.write_text(path)
    try:
        file.write_text(text, encoding="utf-8")
        yield
    finally:
        restore()


def restore() -> None:
    """Gives a mutated module its own text again, and its time, so that its compiled form holds."""
    if NAME.is_file():
        shutil.copy2(ORIGINAL, TREE / NAME.read_text())
        NAME.unlink()


def _listed() -> list[str]:
    command = ["git", "ls-files", "--cached", "--others", "--exclude-standard"]
    listed = subprocess.run(command, cwd=ROOT, check=True, capture_output=True, text=True)
    return [name for name in listed.stdout.splitlines() if (ROOT / name).is_file()]


def _digests(root: Path, names: list[str] | dict[str, str]) -> dict[str, str]:
    return {name: sha256((root / name).read_bytes()).hexdigest() for name in names}


def _package(digests: dict[str, str]) -> dict[str, str]:
    return {name: each for name, each in digests.items() if name.startswith(PACKAGE)}


def _copy(names: dict[str, str], *folders: str) -> None:
    """Makes folders of the copy like those of the tree; what is alike keeps its compiled form."""
    wanted = [name for name in names if name.startswith(folders)]
    for file in TREE.rglob("*"):
        name = file.relative_to(TREE).as_posix()
        is_stale = name.startswith(folders) and name not in names
        if is_stale and file.is_file() and file.suffix != ".pyc":
            file.unlink()
    for name in wanted:
        source, target = ROOT / name, TREE / name
        if not target.is_file() or target.stat().st_mtime_ns != source.stat().st_mtime_ns:
            target.parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(source, target)


def _trace() -> None:
    BUILD.mkdir(parents=True, exist_ok=True)
    print("Tracing which lines each test runs: as long as all tests under coverage", flush=True)
    with (BUILD / "tracing.log").open("w") as log:
        places = map(str, (TREE, DATABASE, SECONDS))
        command = [sys.executable, "-m", "tests.mutation.tracing", *places]
        traced = subprocess.run(command, cwd=ROOT, check=False, stdout=log, stderr=log)
    if traced.returncode:
        # Without what the tests reach, each mutant would count as one that no test notices.
        raise SystemExit(f"The tests could not be traced, for a reason that {log.name} shows")
