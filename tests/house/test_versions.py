"""One version, said in three places."""

import re
import tomllib

import toolgrammar
from tests.house.checkout import ROOT


def _project() -> dict[str, object]:
    with (ROOT / "pyproject.toml").open("rb") as file:
        project: dict[str, object] = tomllib.load(file)["project"]
    return project


def test_package_and_pyproject_agree() -> None:
    assert toolgrammar.__version__ == _project()["version"]


def test_changelog_knows_the_version() -> None:
    """The newest section that has a number is that of the version."""
    changelog = (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")
    assert changelog.count("\n## [Unreleased]\n") == 1
    sections = re.findall(
        r"^## \[(\d[^\]]*)\] - (?:\d{4}-\d\d-\d\d|not yet released)$", changelog, re.MULTILINE
    )
    assert sections[0] == _project()["version"]


def test_lark_is_the_only_required_package() -> None:
    assert _project()["dependencies"] == ["lark>=1.2,<2"]
