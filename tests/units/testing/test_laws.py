"""`testing/laws.py`: which laws an example keeps, and what a broken one says."""

from dataclasses import replace
from pathlib import Path

import pytest

from toolgrammar import load_format
from toolgrammar.testing import Case, laws
from toolgrammar.testing.breaches import broken
from toolgrammar.testing.readings import cuttings

CASE = Case(
    "page::one",
    "hermes",
    '<tool_call>\n{"name": "tide", "arguments": {"port": "Emden"}}\n</tool_call>',
    calls=({"name": "tide", "arguments": {"port": "Emden"}},),
)


def test_an_example_keeps_every_law() -> None:
    names = [name for name, _ in laws.laws_of(CASE)]
    assert {"expected", "splits", "tiling", "deltas", "truncation"} < set(names)
    assert {"round trip", "early", "strict oracle", "linear", "no raise"} < set(names)
    for _, law in laws.laws_of(CASE):
        law(CASE)


def test_what_is_malformed_keeps_those_that_speak_of_any_text() -> None:
    names = {name for name, _ in laws.laws_of(replace(CASE, tier="malformed"))}
    assert not names & {"round trip", "early", "strict oracle", "truncation"}
    assert {"expected", "splits", "deltas"} < names


def test_a_broken_law_says_case_place_and_both_results() -> None:
    wrong = replace(CASE, calls=({"name": "tide", "arguments": {"port": "Aurich"}},))
    with pytest.raises(AssertionError) as caught:
        laws.expected(wrong)
    said = str(caught.value)
    assert "page::one (hermes), calls" in said
    assert 'wanted: [{"arguments": {"port": "Aurich"}' in said
    assert 'found:  [{"arguments": {"port": "Emden"}' in said


def test_a_call_may_be_expected_with_any_of_its_keys() -> None:
    [call] = CASE.calls
    laws.expected(replace(CASE, calls=({**call, "status": "complete"},)))
    with pytest.raises(AssertionError, match=r'found:.*"status": "complete"'):
        laws.expected(replace(CASE, calls=({**call, "status": "truncated"},)))


def test_a_broken_law_of_figures_says_what_to_do() -> None:
    with pytest.raises(AssertionError, match="remedy: let the call end with a closer of its own"):
        broken("early", CASE, "CallEnd(0)", "at 1", "at 2")
    with pytest.raises(AssertionError) as caught:
        broken("tiling", CASE, "result", "one", "other")
    assert "remedy" not in str(caught.value)


@pytest.mark.parametrize("text", ["", "a", CASE.text])
def test_the_finest_cutting_comes_first(text: str) -> None:
    place, chunks = next(cuttings(text))
    assert (place, chunks) == ("char by char", list(text))


@pytest.mark.parametrize(
    ("argument", "opener"),
    [
        ('"args." key', "/x/"),
        ("OPENER key", r"/^args\./m"),
        ("OPENER key", r"/args\.(?=\w)/"),
        ("OPENER key", "/[-*] /"),
    ],
)
def test_a_call_waits_for_an_argument_that_a_pattern_opens(
    tmp_path: Path, argument: str, opener: str
) -> None:
    path = tmp_path / "mine.lark"
    path.write_text(
        "//@ id: mine\n%declare TEXT JSON_VALUE\nstart: (TEXT | call)*\n"
        'call: "[[call]]" "tool = \\"" name "\\"\\n" argument*\n'
        f'argument: {argument} " = " value "\\n"\nOPENER: {opener}\n'
        "name: /\\w+/\nkey: /\\w+/\nvalue: JSON_VALUE\n",
        encoding="utf-8",
    )
    laws.early(Case("one", load_format(path), '[[call]]\ntool = "now"\n\nText.'))


def test_an_error_in_what_was_lost_is_told_of_by_the_loss() -> None:
    """The quotes stand in a call that is lost; the calls beside it may run."""
    lost = '{"<think>e": "f", "arguments": {"a": "B",The table is [{"</think>ame": "C", "n": 1}]'
    text = (
        f'[{{"name": "f", "arguments": {{}}}}, {lost}, see [1].[TOOL_CALLS][{{"name": "f"}}] {{}}'
    )
    laws.trust(replace(CASE, format="xlam", text=text, tier="malformed"))
