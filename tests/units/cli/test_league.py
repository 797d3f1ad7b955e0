"""The league judges what readers make of a suite's fixtures as its page says."""

import importlib
import json
from pathlib import Path
from typing import Any

import pytest

BENCHMARKS = Path(__file__).resolve().parents[3] / "benchmarks"
TOOL = {
    "name": "tide",
    "parameters": {
        "type": "object",
        "properties": {"port": {"type": "string"}, "days": {"type": "integer"}},
    },
}
CALL = {"name": "tide", "arguments": {"port": "Bude"}}
TEXT = f"Look.\n<tool_call>\n{json.dumps(CALL)}\n</tool_call>"


@pytest.fixture
def load(monkeypatch: pytest.MonkeyPatch) -> Any:
    monkeypatch.syspath_prepend(str(BENCHMARKS))
    return importlib.import_module


def _file(folder: Path, *rows: object) -> Path:
    path = folder / "suite.jsonl"
    path.write_text("".join(f"{json.dumps(row)}\n" for row in rows), encoding="utf-8")
    return path


def _case(**other: object) -> dict[str, object]:
    row = {"id": "a", "format": "hermes", "text": TEXT, "tools": [TOOL], "calls": [CALL]}
    return {**row, "content": "Look.", "reasoning": None, **other}


def _read(load: Any, folder: Path, *rows: object) -> Any:
    """What toolgrammar makes of the fixtures of a file."""
    fixtures, left = load("league.files").fixtures_of(_file(folder, *rows), None)
    ours = load("league.readers").ENTRANTS[0]
    return load("league.run").tally(ours, "suite.jsonl", fixtures), left


@pytest.mark.parametrize(
    ("other", "verdict"),
    [
        ({}, "pass"),
        ({"content": " Look.\n"}, "pass"),
        ({"content": None}, "pass"),
        ({"content": "Listen."}, "partly"),
        ({"reasoning": "Hm."}, "partly"),
        ({"calls": [{**CALL, "name": "reef"}]}, "fail"),
        ({"calls": []}, "fail"),
        ({"calls": [CALL, CALL]}, "fail"),
        ({"calls": [{**CALL, "arguments": {"port": "Bud"}}]}, "fail"),
    ],
)
def test_a_case_is_judged_by_calls_first(
    load: Any, tmp_path: Path, other: dict[str, object], verdict: str
) -> None:
    found, _ = _read(load, tmp_path, _case(**other))
    assert dict(found.counts) == {verdict: 1}
    assert (found.at_once, list(found.missed)) == ((1, []) if verdict == "pass" else (0, ["a"]))
    assert found.cut_dependent == []


def test_a_call_that_should_not_run_is_none(load: Any, tmp_path: Path) -> None:
    found, _ = _read(load, tmp_path, _case(text=TEXT[:-30], calls=[]))
    assert dict(found.counts) == {"pass": 1}


def test_what_a_reader_does_not_give_out_is_not_judged(load: Any) -> None:
    fixtures = load("league.fixtures")
    calls = [("tide", {"port": "Bude"})]
    judge = fixtures.judged_by(calls, "Look.", "Hm.")
    for gives, verdict in (
        (("calls",), "pass"),
        (("calls", "text"), "pass"),
        (("calls", "text", "reasoning"), "partly"),
    ):
        reading = fixtures.Reading(tuple(calls), "Hm.Look.")
        assert judge(fixtures.Answer(reading, gives=frozenset(gives)))[0] == verdict


def test_an_answer_may_depend_on_the_cutting_or_raise(load: Any) -> None:
    fixtures = load("league.fixtures")
    one, other = fixtures.Reading(text="Look."), fixtures.Reading(text="Loo")
    spaced = fixtures.Reading(text="Look. ")
    assert fixtures.Answer(one, {"one": one, "token": other}).depends_on_cutting
    assert not fixtures.Answer(other, {"one": one, "token": spaced}).depends_on_cutting
    failed = fixtures.Answer(one, {"one": fixtures.Reading(raised="KeyError: 1")})
    assert fixtures.judged_by([], "Look.", None)(failed) == ("raised", "KeyError: 1")


def test_recorded_messages_without_a_truth_are_left_out(load: Any, tmp_path: Path) -> None:
    row = {"id": 1, "source": "own", "format": "hermes", "text": TEXT, "tools": "T"}
    found, left = _read(
        load,
        tmp_path,
        {"tools": {"T": [TOOL]}},
        {**row, "truth": {"parser": [CALL]}},
        {**row, "id": 2, "truth": {"parser": []}},
        {**row, "id": 3, "text": "Look at Bude.", "truth": {"parser": [CALL]}},
        {**row, "id": 4, "truth": {"parser_error": "?"}},
    )
    # Of the second, the text itself tells that a call stands there.
    assert dict(found.counts) == {"pass": 2, "fail": 1}
    assert left == {"the source does not say what it read": 1}


def test_of_parity_fixtures_those_count_on_which_engines_agree(load: Any, tmp_path: Path) -> None:
    pytest.importorskip("yaml")
    agreed = {"calls": [CALL], "normal_text": "Look."}
    cases = {
        "1": {"dynamo": agreed, "vllm": {**agreed, "normal_text": "Look"}},
        "2": {"dynamo": agreed, "sglang": {"calls": [], "normal_text": "Look."}},
        "3": {"dynamo": agreed, "vllm": {"reason": "no such parser"}},
    }
    page = {
        "family": "hermes",
        "cases": {
            name: {"model_text": TEXT, "tools": [TOOL], "expected": expected}
            for name, expected in cases.items()
        },
    }
    folder = tmp_path / "hermes"
    folder.mkdir()
    # What is JSON is YAML, too.
    (folder / "PARSER.batch.yaml").write_text(json.dumps(page), encoding="utf-8")
    fixtures, left = load("league.files").fixtures_of(tmp_path, None)
    assert [each.id for each in fixtures] == ["hermes/1"]
    assert sum(left.values()) == 2
    ours = load("league.readers").ENTRANTS[0]
    assert load("league.run").tally(ours, tmp_path.name, fixtures).counts["pass"] == 1


def test_a_limit_is_spread_over_the_file_and_said(load: Any, tmp_path: Path) -> None:
    path = _file(tmp_path, *(_case(id=str(number)) for number in range(10)))
    fixtures, left = load("league.files").fixtures_of(path, 3)
    assert [each.id for each in fixtures] == ["0", "3", "6"]
    assert left == {"beyond --limit": 7}


def test_special_tokens_are_never_cut(load: Any) -> None:
    found = load("league.run").cuttings(TEXT, ("<tool_call>", "</tool_call>"), "a")
    assert list(found) == ["one", "special", "token", "rand:1:8", "rand:2:16"]
    for parts in found.values():
        assert "".join(parts) == TEXT
        assert sum("<tool_call>" in part for part in parts) == 1


def test_a_format_without_a_parser_is_no_fail(load: Any, tmp_path: Path) -> None:
    fixtures, _ = load("league.files").fixtures_of(_file(tmp_path, _case(format="beam")), None)
    entrants = load("league.readers").ENTRANTS
    for entrant in entrants:
        if not entrant.is_guess and entrant.name != "toolgrammar":
            found = load("league.run").tally(entrant, "suite.jsonl", fixtures)
            assert dict(found.counts) == {"no parser": 1}


def test_the_names_of_formats_are_known(load: Any) -> None:
    formats = importlib.import_module("toolgrammar").formats
    named = {name for table in load("peers.others").BY_FORMAT.values() for name in table}
    named |= set(load("league.readers").REASONING)
    assert [name for name in sorted(named) if name not in formats] == []


def _row(reader: str, **other: object) -> dict[str, object]:
    counted = ("asked", "pass", "partly", "fail", "raised", "no parser", "pass at once")
    row = {"reader": reader, "suite": "canitoolcall", "is_part": False, "streams": True}
    return {**row, **dict.fromkeys(counted, 0), "cut-dependent": 0, **other}


def test_the_page_says_what_is_not_installed_and_not_explained(load: Any) -> None:
    known = next(iter(load("league.pages").reasons()["canitoolcall"]))
    parts = {
        "tallies": [
            _row("toolgrammar", asked=469, **{"pass": 449, "fail": 13}),
            _row("Dynamo", streams=False),
            {"reader": "vLLM", "suite": "canitoolcall", "is_part": False},
        ],
        "versions": {"toolgrammar": "0.1.0", "Dynamo": "1.2.1", "vLLM": None},
        "left": {"canitoolcall": {"odd": 2}},
        "missed": {"canitoolcall": {known: ["fail", "other calls"], "new": ["fail", "a|b"]}},
        "speed": [],
    }
    page = "\n".join(load("league.pages").pages(parts))
    assert "| toolgrammar | 0.1.0 | 469 | 449 | 0 | 13 | 0 | 0 | 0 | 0 |" in page
    assert "| Dynamo | 1.2.1 | 0 | 0 | 0 | 0 | 0 | 0 | 0 | \u2013 |" in page
    assert "| vLLM | not installed | \u2013 |" in page
    assert "- 2 left out: odd" in page
    assert "- `new` (fail): **unexplained**: a\\|b" in page
    assert f"- `{known}` (fail): **unexplained**" not in page
    assert page.count("| holds |") == 3


def test_times_are_compared_format_by_format(load: Any) -> None:
    rows = [
        {"reader": reader, "format": form, "µs": us}
        for reader, times in {
            "toolgrammar": {"hermes": 2.0, "glm47": 8.0},
            "vLLM": {"hermes": 4.0, "glm47": 64.0},
            "mlx-lm": {"hermes": 1.0},
        }.items()
        for form, us in times.items()
    ]
    found = {row["reader"]: row for row in load("league.speed").summary(rows)}
    assert found["vLLM"]["times toolgrammar"] == pytest.approx(4.0)
    assert found["mlx-lm"]["times toolgrammar"] == pytest.approx(0.5)
    assert found["vLLM"]["µs"] == 34.0
