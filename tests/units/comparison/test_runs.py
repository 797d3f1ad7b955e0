"""The same seed gives the same figures, over the same messages, and every figure its interval."""

from functools import cache
from typing import Any

import pytest

from toolgrammar import ToolCall, formats
from toolgrammar.comparison.answers import _bounded, answers, by_family, parted
from toolgrammar.comparison.carried import carried, compared, deeds
from toolgrammar.comparison.costs import earliness
from toolgrammar.comparison.cuts import cuts
from toolgrammar.comparison.figures import Figure
from toolgrammar.comparison.messages import Message, bare_json, drawn
from toolgrammar.comparison.robustness import LOST, NOTICED, WRONG, outcome
from toolgrammar.comparison.runs import Comparison, Settings, compare
from toolgrammar.comparison.tokens import CHARACTERS, Tokenizer
from toolgrammar.parsing.whole import parse

TOKENIZERS = {CHARACTERS: Tokenizer(CHARACTERS, len)}

FEW = Settings(sample=3, damages=5, rounds=0)


@cache
def run(seed: int, jobs: int = 1) -> Comparison:
    settings = Settings(seed=seed, sample=4, damages=10, rounds=0)
    chosen = [formats[name] for name in ("hermes", "pythonic", "bash_fence")]
    return compare(chosen, drawn(0, 1), TOKENIZERS, settings, jobs=jobs)


def test_the_same_seed_gives_the_same_figures() -> None:
    first = run(1).to_dict()
    run.cache_clear()
    assert run(1).to_dict() == first
    assert run(2).to_dict()["rows"] != first["rows"]


def test_processes_change_no_figure() -> None:
    assert run(1, jobs=2) == run(1)


def _figures(value: Any) -> list[Figure]:
    match value:
        case Figure():
            return [value]
        case dict():
            return [figure for part in value.values() for figure in _figures(part)]
        case _:
            return []


def test_every_figure_lies_in_its_interval() -> None:
    found = [figure for row in run(1).rows for figure in _figures(row)]
    assert len(found) > 100
    for figure in found:
        assert min(figure[1:]) - 1e-9 <= figure.value <= max(figure[1:]) + 1e-9


def test_a_format_that_cannot_carry_them_stands_apart_with_the_reason() -> None:
    found = run(1)
    (apart,) = found.apart
    assert [row["format"] for row in found.rows] == ["hermes", "pythonic"]
    assert (apart["format"], apart["carried"], apart["of"]) == ("bash_fence", 0, 5)
    assert "no way to write" in apart["reason"]
    assert sum(found.compared.values()) == 5


def test_formats_are_compared_over_what_all_of_them_carry() -> None:
    found = [carried(formats[name], drawn(0, 3)) for name in ("hermes", "glm45")]
    dropped = found[0].wires.pop(4)
    same, apart = compared(found, 15)
    assert apart == []
    names = [[wire.message.name for wire in each.wires] for each in same]
    assert names[0] == names[1]
    assert dropped.message.name not in names[0]


def test_progress_is_told() -> None:
    told: list[tuple[str, int, int]] = []
    settings = Settings(sample=2, damages=2, rounds=1)
    compare(
        [formats["hermes"]], drawn(0, 1), TOKENIZERS, settings, tell=lambda *at: told.append(at)
    )
    assert told == [("formats written", 1, 1), ("formats measured", 1, 1), ("rounds", 1, 1)]


def test_name_and_call_are_known_at_the_character_that_says_so() -> None:
    message = Message("one", (ToolCall("list_notes"),))
    (wire,) = carried(formats["hermes"], [message]).wires
    name, call = earliness(formats["hermes"], [wire])
    commit = wire.text.index('"arguments"') + len('"arguments"')
    assert name is not None
    assert call is not None
    assert name.value == commit - len('{"name": "list_notes"')
    assert call.value == len(wire.text) - len(bare_json(message))


def test_outcomes_tell_what_runs() -> None:
    message = drawn(0, 1)[0]
    form = formats["hermes"]
    (wire,) = carried(form, [message]).wires

    def found(text: str) -> str:
        return outcome(parse(text, format=form, tools=message.tools), wire)

    assert found(wire.text) == "exact"
    assert found(wire.text[:-40]) == NOTICED
    assert found("nothing here") == LOST
    assert found(wire.text * 2) == WRONG
    assert found(wire.text.replace(message.calls[0].name, "other_tool")) == WRONG


def test_cuts_keep_more_the_later_they_are() -> None:
    form = formats["hermes"]
    tenths = cuts(form, carried(form, drawn(0, 2)).wires)["tenths"]
    kept = [each["kept"].value for each in tenths.values()]
    assert kept == sorted(kept)
    assert kept[0] < 0.1
    assert kept[-1] > 0.6


def test_calls_without_arguments_have_no_share_that_cuts_leave() -> None:
    form = formats["hermes"]
    bare = [Message(f"{number}", (ToolCall("ping", {}),)) for number in range(3)]
    alone = cuts(form, carried(form, bare).wires)
    assert alone["kept"] is None
    assert {each["kept"] for each in alone["tenths"].values()} == {None}
    some = drawn(0, 2)
    mixed = cuts(form, carried(form, [*bare, *some]).wires)
    assert mixed["kept"] == cuts(form, carried(form, some).wires)["kept"]
    found = compare([form, formats["pythonic"]], bare, TOKENIZERS, FEW)
    assert not any("cuts take away" in each for each in answers(found, CHARACTERS))


def test_a_bound_that_holds_of_anything_is_not_said() -> None:
    def row(high: float) -> dict[str, Any]:
        wrong = {"wrong": Figure(high / 2, 0, high)}
        return {"family": "a", "random": {"of 1,000": wrong}, "models": {"of damaged": wrong}}

    assert "fewer than 1 of 1,000" in _bounded([row(0.5)])
    assert "per cent" not in _bounded([row(0.5)])
    assert "fewer than 30 per cent" in _bounded([row(0.2)])


def test_what_is_not_parted_is_not_said() -> None:
    a, b = Figure(1, 0.9, 1.1), Figure(1.2, 1.1, 1.3)
    assert parted({"a": a, "b": b, "c": Figure(9, 8, 10)}) == {"a": a, "b": b}
    assert parted({"a": a, "c": Figure(9, 8, 10)}) == {"a": a}
    assert parted({"a": a, "b": b}) == {}
    # Apart, but not by as much again as they are wide.
    assert parted({"a": a, "c": Figure(1.3, 1.15, 1.45)}) == {}


def test_a_question_without_a_figure_is_left_out() -> None:
    """Without tools there is no prompt, so no format has a figure for it."""
    assert parted({}) == {}
    none = {CHARACTERS: {"text": None, "one": None}}
    rows = [{**row, "prompt": none} for row in run(1).rows]
    said = answers(Comparison(Settings(), {}, {}, rows, []), CHARACTERS)
    assert any("so many of 2 formats" in words for words in said)
    assert not any("prompt" in words for words in said)


def test_a_family_is_the_mean_of_its_formats() -> None:
    rows = [{"family": "x", "it": Figure(1, 0, 2)}, {"family": "x", "it": Figure(3, 2, 4)}]
    assert by_family(rows, lambda row: row["it"]) == {"x": Figure(2, 1, 3)}


def test_answers_are_about_more_than_one_format() -> None:
    said = answers(run(1), CHARACTERS)
    assert any("so many of 2 formats" in words for words in said)
    alone = Comparison(Settings(), {}, {}, run(1).rows[:1], [])
    assert answers(alone, CHARACTERS) == []


def test_deeds_tell_types_apart() -> None:
    assert deeds([ToolCall("f", {"a": 1})]) != deeds([ToolCall("f", {"a": 1.0})])
    assert deeds([ToolCall("f", {"a": 1})]) != deeds([ToolCall("f", {"a": True})])


@pytest.mark.parametrize("name", ["gptme_xml"])
def test_shapes_that_are_refused_are_counted(name: str) -> None:
    found = carried(formats[name], drawn(0, 3))
    assert found.refused["nested"] + found.refused["several"]
    assert found.reason
