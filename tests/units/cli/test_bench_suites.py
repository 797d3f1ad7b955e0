"""The suites of the checkout judge what they measured as their pages say."""

import importlib
import math
from pathlib import Path
from typing import Any

import pytest

from toolgrammar import ToolCall, formats

BENCHMARKS = Path(__file__).resolve().parents[3] / "benchmarks"
ARGUMENTS = {"path": "a.py", "body": 'print("næ")\n'}


@pytest.fixture
def load(monkeypatch: pytest.MonkeyPatch) -> Any:
    monkeypatch.syspath_prepend(str(BENCHMARKS))
    return importlib.import_module


def _row(peer: str, us: float | None, verdict: str = "right", **more: str) -> dict[str, Any]:
    about = {"format": "hermes", "size": "300 B", "way": "batch", **more}
    return {**about, "peer": peer, "us": us, "verdict": verdict}


def _parts(rows: list[dict[str, Any]]) -> dict[str, Any]:
    parts = ("growth", "memory", "memory_of_all", "load")
    return {"rows": rows, **{part: [] for part in parts}}


def test_every_wire_is_a_format(load: Any) -> None:
    wires = load("peers.wires").WIRES
    assert [name for name in wires if name not in formats] == []
    assert sum(bool(wire.vllm or wire.sglang) for wire in wires.values()) >= 20


def test_floors_read_what_formats_write(load: Any) -> None:
    floors = load("peers.floors")
    for name in (*floors.JSON_FLOORS, *floors.XML_FLOORS):
        text = formats[name].render([ToolCall("write_file", ARGUMENTS)])
        for reader in floors.floors(name).values():
            assert reader.whole(text, []) == [("write_file", ARGUMENTS)]
            assert reader.stream(list(text), []) == [("write_file", ARGUMENTS)]


def test_pieces_keep_special_tokens_whole(load: Any) -> None:
    stand_in = load("peers.stand_in")
    assert stand_in.pieces("abcdef<x>gh<x>", ("<x>",)) == ["abcd", "ef", "<x>", "gh", "<x>"]
    tokenizer = stand_in.Tokenizer(("<x>",))
    assert tokenizer.decode(tokenizer.encode("abcdef<x>gh")) == "abcdef<x>gh"


def test_only_a_right_reading_counts(load: Any) -> None:
    """A server that is faster, and wrong, is neither the faster server nor listed as faster."""
    parsers = load("suites.parsers")
    rows = [_row("toolgrammar", 40.0), _row("vLLM", None, "wrong"), _row("SGLang", 80.0)]
    assert parsers.ratios(rows, "300 B", "batch") == {"hermes": 0.5}
    page = "\n".join(parsers.pages(_parts([*rows, _row("jiter", 10.0)])))
    assert "| hermes, 300 B | 40.0 | wrong | 80.0 | 0.50 |" in page
    assert "- jiter: hermes 300 B batch (4.0)" in page
    assert "- vLLM: nowhere" in page


def test_of_two_parsers_of_a_server_the_faster_counts(load: Any) -> None:
    parsers = load("suites.parsers")
    rows = [_row("toolgrammar", 10.0), _row("SGLang", 80.0), _row("SGLang qwen25", 20.0)]
    assert parsers.ratios(rows, "300 B", "batch") == {"hermes": 0.5}


@pytest.mark.parametrize(
    ("measured", "at_least", "verdict"),
    [
        (None, False, "not measured"),
        (2.0, False, "holds"),
        (2.1, False, "**missed**"),
        (2.1, True, "holds"),
        (1.9, True, "**missed**"),
        (math.inf, False, "**missed**"),
    ],
)
def test_a_goal_says_whether_it_holds(
    load: Any, measured: float | None, *, at_least: bool, verdict: str
) -> None:
    goal = load("harness.goals").Goal("x", measured, 2.0, at_least)
    assert goal.verdict == verdict


def test_a_reader_of_json_is_judged_by_what_it_says_of_itself(load: Any) -> None:
    readings = load("suites.recovery_readings")

    def refuses(_text: str, _schema: object) -> Any:
        raise ValueError

    def crashes(_text: str, _schema: object) -> Any:
        raise IndexError

    row: tuple[Any, ...] = ("comment", '{"a": 1 /* */}', {"a": 1}, {})
    judged = {
        "exact": lambda _text, _schema: ({"a": 1}, True),
        "silent": lambda _text, _schema: ({"a": 2}, True),
        "told": lambda _text, _schema: ({"a": 2}, False),
    }
    for outcome, reader in judged.items():
        assert readings._outcome(reader, row) == outcome
    assert readings._outcome(refuses, row) == "told"
    assert readings._outcome(crashes, row) == "crash"
    assert readings._outcome(judged["exact"], ("cut", '{"a": 1', {"a": 1, "b": 2}, {})) == "exact"
