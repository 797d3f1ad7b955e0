"""A package that Python imports from a zip archive, as Spark's workers import a wheel."""

import os
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

import toolgrammar
from toolgrammar.grammar import files

_USE = """
import sys
sys.path.insert(0, sys.argv[1])
import toolgrammar
assert sys.argv[1] in toolgrammar.__file__, toolgrammar.__file__
assert len(toolgrammar.formats) == int(sys.argv[2]), list(toolgrammar.formats)
text = '<tool_call>\\n{"name": "search", "arguments": {"q": "fjord"}}\\n</tool_call>'
for format in ("hermes", ("hermes", "qwen3_xml")):
    call, = toolgrammar.parse(text, format=format).calls
    assert (call.name, call.arguments) == ("search", {"q": "fjord"}), call
from toolgrammar.grammar import files
print(files.grammar_folder())
"""


@pytest.fixture(scope="module")
def archive(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The package and its grammars in an archive, laid out as in the wheel."""
    package = Path(toolgrammar.__file__).parent
    made = tmp_path_factory.mktemp("archive") / "package.zip"
    with zipfile.ZipFile(made, "w") as opened:
        for source in package.rglob("*.py"):
            opened.write(source, Path("toolgrammar", source.relative_to(package)))
        for source in files.grammar_folder().rglob("*.lark"):
            inside = source.relative_to(files.grammar_folder())
            opened.write(source, Path("toolgrammar", "grammars", inside))
    return made


def _start(archive: Path, cache: Path) -> subprocess.Popen[str]:
    command = (
        sys.executable,
        "-W",
        "error",
        "-c",
        _USE,
        str(archive),
        str(len(toolgrammar.formats)),
    )
    return subprocess.Popen(
        command,
        env={**os.environ, files.CACHE_VARIABLE: str(cache)},
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        encoding="utf-8",
    )


def _used(process: subprocess.Popen[str]) -> Path:
    """Returns the folder whose grammars a process has used."""
    said, _ = process.communicate(timeout=120)
    assert process.returncode == 0, said
    return Path(said.strip())


@pytest.mark.heavy
def test_processes_share_what_the_first_unpacks(archive: Path, tmp_path: Path) -> None:
    cache = tmp_path / "cache"
    together = [_start(archive, cache) for _ in range(2)]
    found = {_used(each) for each in [*together, _start(archive, cache)]}
    assert len(found) == 1
    assert found.pop().is_relative_to(cache)
    # Nothing is left of the process that came second.
    assert not [each for each in cache.iterdir() if each.name.startswith(".")]


def test_without_a_cache_it_is_unpacked_for_the_process(archive: Path, tmp_path: Path) -> None:
    no_folder = tmp_path / "file"
    no_folder.write_text("", encoding="utf-8")
    assert not _used(_start(archive, no_folder)).exists()
