"""`grammar/files.py`: where grammars, tables and the cache lie."""

import os
import shutil
import sys
from pathlib import Path

import pytest

from toolgrammar import formats
from toolgrammar.grammar import files, stored, tables

posix = pytest.mark.skipif(sys.platform == "win32", reason="owners and modes are POSIX")


@pytest.fixture
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    folder = tmp_path / "cache"
    monkeypatch.setenv(files.CACHE_VARIABLE, str(folder))
    return folder


def _write(folder: Path, **texts: str) -> Path:
    """Writes `a__b="text"` as a/b.lark and returns the path of the first."""
    paths = [folder / f"{name.replace('__', '/')}.lark" for name in texts]
    for path, text in zip(paths, texts.values(), strict=True):
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(text.encode())
    return paths[0]


def test_grammars_of_the_checkout_are_found() -> None:
    assert files.grammar_folder().name == "grammars"
    assert files.grammar_folder().is_dir()


def test_missing_grammars_say_what_to_do(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(files, "_PACKAGE", tmp_path / "toolgrammar")
    with pytest.raises(FileNotFoundError, match="install"):
        files.grammar_folder()


def test_a_wheel_has_its_own_folders(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(files, "_PACKAGE", tmp_path)
    assert files.tables_folder() is None
    for name in ("grammars", "tables"):
        (tmp_path / name).mkdir()
    assert files.grammar_folder() == tmp_path / "grammars"
    assert files.tables_folder() == tmp_path / "tables"


def test_text_has_line_feeds_only(tmp_path: Path) -> None:
    path = tmp_path / "text"
    path.write_bytes("\ufeffä\r\nb\n".encode())
    assert files.read_text(path) == "ä\nb\n"
    assert files.read_text_if_there(tmp_path / "missing") == ""


def test_imports_are_followed(tmp_path: Path) -> None:
    path = _write(
        tmp_path,
        top="%import .parts.one (A, B)\n%import .parts.two.C -> D\n%import common.WS\n",
        parts__one="%import .deep (E)\n",
        parts__two="C: /c/\n",
        parts__deep="%import .one (A)\n",
    )
    assert [name for name, _ in files.grammar_files(path)] == [
        "",
        "parts/deep.lark",
        "parts/one.lark",
        "parts/two.lark",
    ]


def test_an_import_that_leads_nowhere_is_left_out(tmp_path: Path) -> None:
    path = _write(tmp_path, top="%import .nowhere (A)\n%import .A\n%import .x..y (B)\n")
    assert files.grammar_files(path) == [("", path)]


def test_digest_follows_every_file_but_not_the_place(tmp_path: Path) -> None:
    texts = {"top": "%import .part (A)\n", "part": "A: /a/\n"}
    first = files.digest_of(_write(tmp_path / "first", **texts))
    windows = {name: text.replace("\n", "\r\n") for name, text in texts.items()}
    assert files.digest_of(_write(tmp_path / "second", **windows)) == first
    assert files.digest_of(_write(tmp_path / "third", **{**texts, "part": "A: /b/\n"})) != first
    assert len(first) == 64


def test_cache_keeps_texts(cache: Path) -> None:
    assert files.read_cache("a.json") is None
    assert files.write_cache("a.json", "ä\n")
    assert files.write_cache("a.json", "ö\n")
    assert files.read_cache("a.json") == "ö\n"
    assert [path.name for path in cache.iterdir()] == ["a.json"]


@pytest.mark.parametrize("name", ["../a", "a/b", "", ".hidden", "a\\b"])
def test_cache_names_stay_inside(cache: Path, name: str) -> None:
    with pytest.raises(ValueError, match="no name for the cache"):
        files.write_cache(name, "")
    assert not cache.exists()


@posix
def test_cache_is_private(cache: Path) -> None:
    assert files.cache_folder() == cache
    assert cache.stat().st_mode & 0o777 == 0o700


@posix
@pytest.mark.parametrize("mode", [0o770, 0o707, 0o777])
def test_a_cache_that_others_write_is_refused(cache: Path, mode: int) -> None:
    cache.mkdir()
    cache.chmod(mode)
    assert files.cache_folder() is None
    assert files.read_cache("a.json") is None
    assert not files.write_cache("a.json", "")


@posix
def test_a_cache_of_another_user_is_refused(cache: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    cache.mkdir(mode=0o700)
    monkeypatch.setattr(os, "getuid", lambda: cache.stat().st_uid + 1)
    assert files.cache_folder() is None


def test_no_cache_where_a_file_is_in_the_way(cache: Path) -> None:
    cache.write_text("")
    assert files.cache_folder() is None


def test_a_failed_write_leaves_nothing(cache: Path) -> None:
    cache.mkdir(mode=0o700)
    (cache / "a.json").mkdir()
    assert not files.write_cache("a.json", "x")
    assert [path.name for path in cache.iterdir()] == ["a.json"]


def test_a_broken_entry_is_no_entry(cache: Path) -> None:
    cache.mkdir(mode=0o700)
    (cache / "a.json").write_bytes(b"\xff")
    assert files.read_cache("a.json") is None


@pytest.mark.parametrize(
    ("platform", "variables", "expected"),
    [
        ("linux", {"XDG_CACHE_HOME": "/xdg"}, "/xdg/toolgrammar"),
        ("linux", {"XDG_CACHE_HOME": "relative"}, "/home/me/.cache/toolgrammar"),
        ("linux", {}, "/home/me/.cache/toolgrammar"),
        ("darwin", {}, "/home/me/Library/Caches/toolgrammar"),
        ("win32", {"LOCALAPPDATA": "/local"}, "/local/toolgrammar"),
        ("win32", {}, "/home/me/AppData/Local/toolgrammar"),
        ("linux", {"TOOLGRAMMAR_CACHE": "~/mine"}, "/home/me/mine"),
    ],
)
@posix
def test_each_platform_has_its_place(
    platform: str, variables: dict[str, str], expected: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("XDG_CACHE_HOME", "LOCALAPPDATA", "TOOLGRAMMAR_CACHE"):
        monkeypatch.delenv(name, raising=False)
    for name, value in {"HOME": "/home/me", **variables}.items():
        monkeypatch.setenv(name, value)
    monkeypatch.setattr(sys, "platform", platform)
    assert files._cache_path() == Path(expected)


def test_tables_come_from_the_wheel_first(
    tmp_path: Path, cache: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    grammar = tmp_path / "hermes.lark"
    shutil.copy(formats["hermes"].path, grammar)
    shutil.copytree(formats["hermes"].path.parent / "common", tmp_path / "common")
    digest = files.digest_of(grammar)
    compiled = stored.load(grammar, digest)
    assert [each.name.split("-")[0] for each in cache.glob("*.json")] == ["hermes"]
    (tmp_path / "tables").mkdir()
    shipped = tmp_path / "tables" / "hermes.json"
    shipped.write_text(tables.stored_form(compiled, digest), encoding="utf-8")
    monkeypatch.setattr(files, "tables_folder", lambda: shipped.parent)
    with monkeypatch.context() as patched:
        patched.setattr(files, "read_cache", lambda name: pytest.fail(f"{name} was looked for"))
        assert stored.load(grammar, digest).to_json() == compiled.to_json()
    shipped.write_text(tables.stored_form(compiled, "stale"), encoding="utf-8")
    assert stored.load(grammar, digest).to_json() == compiled.to_json()


def test_stamp_changes_with_the_file(tmp_path: Path) -> None:
    path = tmp_path / "a.lark"
    path.write_text("a")
    before = files.file_stamp([path])
    path.write_text("ab")
    assert files.file_stamp([path]) != before
    path.unlink()
    assert files.file_stamp([path]) == ((0, -1),)
