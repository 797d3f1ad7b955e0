"""The guide to the inside names modules that are there, and its example runs as printed."""

import doctest
import re

from tests.house.checkout import PACKAGE, ROOT

PAGE = ROOT / "docs" / "architecture.md"
MODULE = re.compile(r"`([a-z_/]+(?:\.py|/))`")
ELSEWHERE = {"grammars/", "benchmarks/", "fuzz/", "toolgrammar/", "hatch_build.py"}


def test_every_module_that_the_guide_names_is_there() -> None:
    text = PAGE.read_text(encoding="utf-8")
    named = {name for name in MODULE.findall(text) if not name.startswith("tests/")} - ELSEWHERE
    assert len(named) > 30
    known = {path.relative_to(PACKAGE).as_posix() for path in PACKAGE.rglob("*.py")}
    folders = {
        path.relative_to(PACKAGE).as_posix() + "/" for path in PACKAGE.rglob("*") if path.is_dir()
    }
    missing = {
        name
        for name in named
        if name.removeprefix("toolgrammar/") not in known | folders
        and not any(path.endswith(f"/{name}") for path in known)
    }
    assert missing == set()


def test_the_example_runs_as_printed() -> None:
    done = doctest.testfile(str(PAGE), module_relative=False, encoding="utf-8")
    assert done.attempted > 8
    assert done.failed == 0
