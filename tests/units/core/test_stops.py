"""A stop string stands in for the closer that it is the beginning of, at the end of the text."""

from pathlib import Path

import pytest

import toolgrammar
from tests.units.core.cuts import read, save

RULES = r"""
%import .common.text (TEXT, RAW, NAME)
start: (TEXT | call)*
call: "<do " name ">" input "</do>"
name: NAME
input: RAW
"""


@pytest.mark.parametrize(
    ("text", "body"),
    [
        ("<do f>a", "a"),
        ("<do f>a</d", "a"),
        ("<do f>a</", "a"),
        ("<do f>a<", "a<"),
        ("<do f>a <do g>b</do> c", "a <do g>b</do> c"),
    ],
)
@pytest.mark.parametrize("stop", ["</do>", "</do"])
def test_what_the_server_took_away_counts_as_read(
    tmp_path: Path, text: str, body: str, stop: str
) -> None:
    result = read(save(tmp_path, f'stop: "{stop}"', RULES), text)
    assert [(call.input, call.status) for call in result.calls] == [(body, "complete")]
    assert result.diagnostics == ()


@pytest.mark.parametrize("stop", ["Observation:", "</done>"])
def test_another_stop_string_stands_in_for_nothing(tmp_path: Path, stop: str) -> None:
    (call,) = read(save(tmp_path, f'stop: "{stop}"', RULES), "<do f>a").calls
    assert call.status == "truncated"


def test_a_text_that_the_server_cut_is_truncated(tmp_path: Path) -> None:
    grammar = save(tmp_path, 'stop: "</do>"', RULES)
    (call,) = read(grammar, "<do f>a", finish_reason="length").calls
    assert call.status == "truncated"


def test_strict_reading_knows_the_stop_strings_too(tmp_path: Path) -> None:
    grammar = save(tmp_path, 'stop: "</do>"', RULES)
    (call,) = toolgrammar.parse("<do f>a", format=grammar, strict=True).calls
    assert (call.input, call.status) == ("a", "complete")
    assert toolgrammar.parse("<do f>a</", format=grammar, strict=True).calls == (call,)


@pytest.mark.parametrize("tail", ["", "\n", "\n</func"])
def test_the_closer_of_a_section(tail: str) -> None:
    text = (
        "<function_calls>\n<invoke>\n<tool_name>f</tool_name>\n<parameters>\n"
        f"<hours>6</hours>\n</parameters>\n</invoke>{tail}"
    )
    result = read("anthropic_legacy", text)
    assert [call.status for call in result.calls] == ["complete"]
    assert result.diagnostics == ()


def test_a_call_without_its_own_closer_is_cut_all_the_same() -> None:
    text = "<function_calls>\n<invoke>\n<tool_name>f</tool_name>\n<parameters>\n<hours>6</hours>\n"
    (call,) = read("anthropic_legacy", text).calls
    assert call.status == "truncated"
