"""Tests of units stand where what they test stands."""

from pathlib import Path

from tests.house.checkout import PACKAGE, ROOT, modules

UNITS = ROOT / "tests" / "units"


def _tests() -> list[Path]:
    return sorted(UNITS.rglob("test_*.py"))


def test_folders_of_tests_are_packages() -> None:
    folders = {path.parent.relative_to(UNITS) for path in _tests()}
    others = [str(each) for each in sorted(folders) if not (PACKAGE / each).is_dir()]
    assert not others, f"these folders have no twin in the package: {others}"
    assert folders


def test_a_test_module_stands_where_its_module_does() -> None:
    """One that bears no module's name is about what several modules do together."""
    names = {path.stem for path in modules()}
    misplaced = set()
    for path in _tests():
        beside = PACKAGE / path.parent.relative_to(UNITS) / path.stem.removeprefix("test_")
        is_there = beside.is_dir() or beside.with_suffix(".py").is_file()
        if beside.name in names and not is_there:
            misplaced.add(path.relative_to(UNITS).as_posix())
    assert names
    assert not misplaced, f"move these to where their module stands: {misplaced}"
