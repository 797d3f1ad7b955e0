"""The built package: it holds the grammars and their tables, and works where nothing else is."""

import os
import subprocess
import sys
import venv
import zipfile
from pathlib import Path

import pytest

from tests.house.checkout import GRAMMARS, ROOT, format_ids

pytestmark = pytest.mark.slow

USE = """
import pathlib, sys, toolgrammar
assert "site-packages" in toolgrammar.__file__, toolgrammar.__file__
assert len(toolgrammar.formats) == int(sys.argv[1]), list(toolgrammar.formats)
text = 'On it. <tool_call>\\n{"name": "get_weather", "arguments": {"city": "Oslo"}}\\n</tool_call>'
result = toolgrammar.parse(text, format="hermes")
assert [(call.name, call.arguments) for call in result.calls] == [
    ("get_weather", {"city": "Oslo"})
], result
assert "lark" not in sys.modules, "a table of the wheel was not used"
"""


def _run(*command: str | Path, folder: Path) -> str:
    environment = {key: value for key, value in os.environ.items() if key != "PYTHONPATH"}
    # Nothing that this user has compiled before may stand in for what the wheel lacks.
    environment["TOOLGRAMMAR_CACHE"] = str(folder / "cache")
    run = subprocess.run(
        command,
        cwd=folder,
        env=environment,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        encoding="utf-8",
        check=False,
    )
    assert run.returncode == 0, run.stdout
    return run.stdout


@pytest.fixture(scope="module")
def wheels(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path]:
    """The wheel of the checkout, and the wheel of its source distribution."""
    direct = tmp_path_factory.mktemp("direct")
    indirect = tmp_path_factory.mktemp("indirect")
    build = (sys.executable, "-m", "build", "--no-isolation", "--outdir")
    _run(*build, direct, "--wheel", ROOT, folder=direct)
    _run(*build, indirect, ROOT, folder=indirect)
    return next(direct.glob("*.whl")), next(indirect.glob("*.whl"))


def _contents(wheel: Path) -> dict[str, bytes]:
    with zipfile.ZipFile(wheel) as archive:
        return {name: archive.read(name) for name in archive.namelist()}


def test_wheel_holds_grammars_pages_and_tables(wheels: tuple[Path, Path]) -> None:
    names = set(_contents(wheels[0]))
    for source in GRAMMARS.rglob("*.lark"):
        assert f"toolgrammar/grammars/{source.relative_to(GRAMMARS).as_posix()}" in names
    for format_id in format_ids():
        assert f"toolgrammar/grammars/{format_id}.md" in names
        assert f"toolgrammar/tables/{format_id}.json" in names
    assert "toolgrammar/py.typed" in names


def test_wheel_holds_nothing_else(wheels: tuple[Path, Path]) -> None:
    tops = {name.split("/")[0] for name in _contents(wheels[0])}
    assert {top for top in tops if not top.endswith(".dist-info")} == {"toolgrammar"}


def test_both_ways_give_the_same_wheel(wheels: tuple[Path, Path]) -> None:
    """Hatchling writes no clock into a wheel, so even the bytes agree."""
    assert _contents(wheels[0]) == _contents(wheels[1])


def test_wheel_works_in_a_clean_environment(wheels: tuple[Path, Path], tmp_path: Path) -> None:
    environment = tmp_path / "environment"
    venv.create(environment, with_pip=True)
    scripts = environment / ("Scripts" if os.name == "nt" else "bin")
    python = scripts / "python"
    pip = (python, "-m", "pip", "--disable-pip-version-check", "--quiet")
    _run(*pip, "install", wheels[1], folder=tmp_path)
    _run(python, "-W", "error", "-c", USE, str(len(format_ids())), folder=tmp_path)
    listing = _run(scripts / "toolgrammar", "formats", folder=tmp_path)
    assert "hermes" in listing
