"""`catalogue/registry.py`: formats by id, alias, model and path."""

import importlib.metadata
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from toolgrammar.catalogue.format import Format
from toolgrammar.catalogue.registry import Formats
from toolgrammar.values.errors import UnknownFormat

ALPHA = "//@ id: alpha_one\n//@ aliases: First-Alias\n//@ models: org/Alpha-*, org/*\n"
BETA = "//@ id: beta\n//@ models: org/Alpha-Coder-*\n"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "alpha_one.lark").write_text(ALPHA, encoding="utf-8")
    (tmp_path / "beta.lark").write_text(BETA, encoding="utf-8")
    (tmp_path / "library.lark").write_text("X: /x/\n", encoding="utf-8")
    return tmp_path


@pytest.fixture
def known(folder: Path, no_packages: None) -> Formats:
    return Formats(folder)


@pytest.fixture
def no_packages(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(importlib.metadata, "entry_points", lambda **_: ())


class Point:
    """An entry point that leads to a value, or fails."""

    name = "strangers"

    def __init__(self, value: object) -> None:
        self._value = value

    def load(self) -> object:
        if isinstance(self._value, Exception):
            raise self._value
        return self._value


def _write(folder: Path, name: str, header: str = "") -> Path:
    path = folder / f"{name}.lark"
    path.write_text(f"//@ id: {name}\n{header}", encoding="utf-8")
    return path


def test_it_is_a_mapping_of_ids(known: Formats) -> None:
    assert list(known) == ["alpha_one", "beta"]
    assert len(known) == 2
    assert [entry.id for entry in known.values()] == ["alpha_one", "beta"]
    assert repr(known) == "<formats: alpha_one, beta>"


@pytest.mark.parametrize(
    "name", ["alpha_one", "alpha-one", "ALPHA_ONE", "First-Alias", "first_alias"]
)
def test_names_that_find_a_format(known: Formats, name: str) -> None:
    assert known[name].id == "alpha_one"
    assert name in known
    found = known.get(name)
    assert found is not None
    assert found is known[name]


def test_unknown_names_tell_the_nearest(known: Formats) -> None:
    with pytest.raises(UnknownFormat, match="unknown format 'alpha_on'; nearest: 'alpha_one'"):
        known["alpha_on"]
    with pytest.raises(LookupError, match=r"unknown format 'zzz'\. toolgrammar\.formats lists"):
        known["zzz"]
    for several in ("auto", "alpha_one,beta"):
        with pytest.raises(UnknownFormat, match="several formats at once; name one"):
            known[several]
    assert "zzz" not in known
    assert 3 not in known  # type: ignore[comparison-overlap]
    assert known.get("zzz") is None


@pytest.mark.parametrize(
    ("model", "expected"),
    [
        ("org/Alpha-7B", "alpha_one"),
        ("ORG/alpha-coder-30b", "beta"),
        ("org/other", "alpha_one"),
    ],
)
def test_the_longest_pattern_names_the_format(known: Formats, model: str, expected: str) -> None:
    assert known.for_model(model).id == expected


def test_an_unknown_model(known: Formats) -> None:
    wrong: Any = 5
    with pytest.raises(UnknownFormat, match="no format names the model 'gpt-9'"):
        known.for_model("gpt-9")
    with pytest.raises(TypeError, match="the name of a model must be a str, got int 5"):
        known.for_model(wrong)


def test_resolve_takes_what_a_caller_has(known: Formats, folder: Path) -> None:
    entry = known["beta"]
    assert known.resolve(entry) is entry
    assert known.resolve("beta") is entry


@pytest.mark.parametrize("value", [None, 3, ["beta"]])
def test_resolve_refuses_the_rest(known: Formats, value: object) -> None:
    with pytest.raises(TypeError, match=f"got {type(value).__name__}"):
        known.resolve(value)  # type: ignore[arg-type]


def test_resolve_reads_a_file_again_when_it_changes(
    known: Formats, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("toolgrammar.catalogue.registry.load_format", Format)
    path = _write(tmp_path, "mine")
    first = known.resolve(path)
    assert known.resolve(str(path)) is first
    _write(tmp_path, "mine", "//@ title: Now with a title\n")
    assert known.resolve(path).title == "Now with a title"


def test_register(known: Formats, tmp_path: Path) -> None:
    added = Format(_write(tmp_path, "mine", "//@ aliases: own\n"))
    assert known.register(added) is added
    assert known["own"] is added
    again = Format(_write(tmp_path, "mine", "//@ aliases: other\n"))
    known.register(again)
    assert known["other"] is again
    assert "own" not in known


def test_register_refuses_a_taken_name(known: Formats, tmp_path: Path) -> None:
    other = tmp_path / "elsewhere"
    other.mkdir()
    with pytest.raises(ValueError, match=r"'beta' of .* is taken by 'beta'"):
        known.register(Format(_write(other, "beta")))
    with pytest.raises(ValueError, match="is taken by 'alpha_one'"):
        known.register(Format(_write(other, "gamma", "//@ aliases: first_alias\n")))
    assert "gamma" not in known
    with pytest.raises(TypeError, match="got int"):
        known.register(3)  # type: ignore[arg-type]


@pytest.mark.parametrize("kind", ["path", "text", "folder", "format", "list", "function"])
def test_packages_bring_formats(
    folder: Path,
    tmp_path_factory: pytest.TempPathFactory,
    monkeypatch: pytest.MonkeyPatch,
    kind: str,
) -> None:
    path = _write(tmp_path_factory.mktemp("package"), "gamma")
    brought: dict[str, object] = {
        "path": path,
        "text": str(path),
        "folder": path.parent,
        "format": Format(path),
        "list": [path],
        "function": lambda: path,
    }
    points = [Point(brought[kind])]
    monkeypatch.setattr(importlib.metadata, "entry_points", lambda **_: points)
    assert Formats(folder)["gamma"].path == path
    assert list(Formats(folder)) == ["alpha_one", "beta", "gamma"]


@pytest.mark.parametrize("value", [RuntimeError("broken"), 3])
def test_a_broken_package_takes_nothing_with_it(
    folder: Path, monkeypatch: pytest.MonkeyPatch, value: object
) -> None:
    monkeypatch.setattr(importlib.metadata, "entry_points", lambda **_: [Point(value)])
    with pytest.warns(RuntimeWarning, match="'strangers' of toolgrammar.formats is left out"):
        assert len(Formats(folder)) == 2


def test_packages_are_asked_only_on_a_miss(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(**_: object) -> Iterator[Point]:
        raise AssertionError

    monkeypatch.setattr(importlib.metadata, "entry_points", refuse)
    assert Formats(folder)["beta"].id == "beta"


def test_many_threads_see_one_format(known: Formats) -> None:
    seen: list[Format] = []
    barrier = threading.Barrier(8)

    def look() -> None:
        barrier.wait()
        seen.append(known["beta"])

    threads = [threading.Thread(target=look) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len({id(entry) for entry in seen}) == 1


def test_search_finds_all_words_anywhere(known: Formats) -> None:
    assert [entry.id for entry in known.search("ORG alpha")] == ["alpha_one", "beta"]
    assert [entry.id for entry in known.search("first")] == ["alpha_one"]
    assert [entry.id for entry in known.search("")] == ["alpha_one", "beta"]
    assert known.search("alpha zzz") == []


@pytest.mark.parametrize(
    ("model", "expected"),
    [
        ("Alpha-Coder-7B", "beta"),
        ("someone/Alpha-7B-GGUF", "alpha_one"),
        ("x/y/Alpha-1", "alpha_one"),
    ],
)
def test_a_model_under_another_owner(known: Formats, model: str, expected: str) -> None:
    assert known.for_model(model).id == expected
