"""The guide to the inside names modules that are there, and its example runs as printed."""

import doctest
import re

from tests.house.checkout import PACKAGE, ROOT

PAGE = ROOT / "docs" / "architecture.md"
MODULE = re.compile(r"`([a-z_/]+(?:\.py|/))`")
FOLDER = re.compile(r"`([a-z_/]+?)/?`")
ELSEWHERE = {"grammars/", "benchmarks/", "fuzz/", "toolgrammar/", "distribution/hook.py"}


def test_every_module_that_the_guide_names_is_there() -> None:
    named: set[str] = set()
    missing: set[str] = set()
    for line in PAGE.read_text(encoding="utf-8").splitlines():
        names = {name for name in MODULE.findall(line) if not name.startswith("tests/")}
        names = {name.removeprefix("toolgrammar/") for name in names - ELSEWHERE}
        # A name without a folder stands below one that its line names: another package may have a
        # module of that name.
        folders = [PACKAGE / name for name in FOLDER.findall(line) if (PACKAGE / name).is_dir()]
        named |= names
        missing |= {
            name
            for name in names
            if not (PACKAGE / name).exists()
            and not any((folder / name).exists() for folder in folders)
        }
    assert len(named) > 30
    assert missing == set()


def test_the_example_runs_as_printed() -> None:
    done = doctest.testfile(str(PAGE), module_relative=False, encoding="utf-8")
    assert done.attempted > 8
    assert done.failed == 0
