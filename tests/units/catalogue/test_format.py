"""`catalogue/format.py`: one format and its files."""

import copy
import pickle
import threading
from pathlib import Path
from typing import Any

import pytest

from toolgrammar import CallStart, Parser
from toolgrammar.catalogue.format import Format, load_format
from toolgrammar.grammar import stored
from toolgrammar.grammar.tables import Tables
from toolgrammar.values.calls import ToolCall
from toolgrammar.values.errors import GrammarError, RenderError

GRAMMAR = """\
//@ id: mine
//@ title: Mine
//@ aliases: own
//@ models: org/*
//@ stop: </s>
%declare TEXT JSON_OBJECT
start: (TEXT | call)*
call: "<call>" name ":" arguments "</call>"
name: /\\w+/
arguments: JSON_OBJECT
"""


@pytest.fixture
def path(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("TOOLGRAMMAR_CACHE", str(tmp_path / "cache"))
    path = tmp_path / "mine.lark"
    path.write_bytes(GRAMMAR.replace("\n", "\r\n").encode())
    return path


def test_it_says_what_the_file_says(path: Path) -> None:
    entry = Format(path)
    assert (entry.id, entry.title, entry.aliases) == ("mine", "Mine", ("own",))
    assert (entry.models, entry.stop) == (("org/*",), ("</s>",))
    assert entry.grammar == GRAMMAR
    assert entry.page == ""
    path.with_suffix(".md").write_text("# Mine\n", encoding="utf-8")
    assert entry.page == "# Mine\n"
    assert repr(entry) == f"Format('mine', path={str(path)!r})"


def test_a_file_without_an_id_is_no_format(tmp_path: Path) -> None:
    path = tmp_path / "library.lark"
    path.write_text("X: /x/\n", encoding="utf-8")
    with pytest.raises(GrammarError, match="//@ id: library"):
        Format(path)


def test_copies_are_formats_of_the_same_file(path: Path) -> None:
    entry = Format(path)
    for twin in (copy.deepcopy(entry), pickle.loads(pickle.dumps(entry))):
        assert (twin.path, twin.header, twin.digest) == (entry.path, entry.header, entry.digest)


def test_tables_are_loaded_once(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    loads: list[str] = []
    original = stored.load

    def load(path: Path, digest: str) -> Tables:
        loads.append(digest)
        return original(path, digest)

    monkeypatch.setattr(stored, "load", load)
    entry = Format(path)
    threads = [threading.Thread(target=lambda: entry.tables) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert loads == [entry.digest]


def test_load_format_compiles(path: Path) -> None:
    assert load_format(str(path)).id == "mine"


def test_load_format_points_at_what_is_wrong(path: Path) -> None:
    path.write_text(GRAMMAR.replace("name: /", "name /"), encoding="utf-8")
    with pytest.raises(GrammarError, match=r"mine\.lark:9:\d+"):
        load_format(path)


@pytest.mark.parametrize(
    ("calls", "text", "said"),
    [
        ([{"name": "a"}], "", "must hold ToolCall, got dict"),
        ("x", "", "a list of ToolCall, got str"),
        (ToolCall("a", {}), "", "a list of ToolCall, got ToolCall"),
        (3, "", "a list of ToolCall, got int"),
        ([], 3, "text must be a str, got int"),
    ],
)
def test_render_wants_calls_and_a_text(path: Path, calls: Any, text: Any, said: str) -> None:
    with pytest.raises(TypeError, match=said):
        Format(path).render(calls, text)


def test_render_refuses_what_nests_too_deeply(path: Path) -> None:
    value: list[Any] = []
    for _ in range(5000):
        value = [value]
    with pytest.raises(RenderError):
        Format(path).render([ToolCall("a", {"d": value})])


def test_a_missing_file(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError):
        load_format(tmp_path / "none.lark")


@pytest.mark.parametrize(
    ("header", "text", "calls"),
    [
        ("unclosed: text", '<call>f:{"a": 1', []),
        ("misfit: text", "<call>f:{}</call>", []),
        ("calls: last", "<call>f:{}</call><call>g:{}</call>", ["g"]),
    ],
)
def test_what_becomes_text_at_its_end_was_never_given_out(
    path: Path, header: str, text: str, calls: list[str]
) -> None:
    path.write_text(GRAMMAR.replace("%declare", f"//@ {header}\n%declare", 1), encoding="utf-8")
    parser = Parser(format=path)
    events = [event for character in text for event in parser.feed(character)]
    events += parser.close()
    assert [call.name for call in parser.result.calls] == calls
    assert [each.name for each in events if isinstance(each, CallStart)] == calls
