"""What may have been a mark before one damage is found, with where it begins and ends."""

import pytest

from toolgrammar.patterns.distances import near_places


def check(mark: str, text: str, found: str, *, is_near: bool) -> None:
    """Compares whether a part of a text may have been a mark."""
    assert (found in {text[start:end] for start, end in near_places(mark, text)}) == is_near


@pytest.mark.parametrize(
    ("mark", "text", "found"),
    [
        ("TOOL:", "L: read", "L:"),  # three are missing at its beginning
        ("TOOL:", "TO read", "TO"),  # and at its end
        ("TOOL:", "(TL: read", "TL:"),
        ("TOOL:", "TOOOL: read", "TOOOL:"),  # doubled
        ("TOOL:", "TTOOL: read", "TTOOL:"),
        ("TOOL:", "TOOL:x read", "TOOL:x"),
        ("<tool_call>", "a <tool(x)all> b", "<tool(x)all>"),
        ("<tool_call>", "a tool_call> b", "tool_call>"),
        ("\n```", "a.py\n_```", "\n_```"),
    ],
)
def test_one_damage_of_three_characters_is_seen(mark: str, text: str, found: str) -> None:
    check(mark, text, found, is_near=True)


@pytest.mark.parametrize(
    ("mark", "text", "found"),
    [
        ("TOOL:", "TOOL: read", "TOOL:"),  # nothing is damaged
        ("TOOL:", "A TOOL: read", "A TOOL:"),
        ("<tool_call>", "<txol_caxl>", "<txol_caxl>"),  # two damages
        ("<tool_call>", "a <tool_call>. b", "<tool_call>. "),  # whole: the sentence goes on
        ("<tool_call>", "<tl>", "<tl>"),
        ("``", "`", "`"),  # too short to be known
    ],
)
def test_more_damage_or_none_is_not_seen(mark: str, text: str, found: str) -> None:
    check(mark, text, found, is_near=False)
