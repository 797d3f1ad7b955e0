"""`core/mending/mending.py`: markup that is left out is a repair of the call that it stands in."""

import pytest

import toolgrammar


@pytest.mark.parametrize(
    ("format_id", "text"),
    [
        (
            "phi4_mini",
            'functools[{"name": "g"}, {"name":<|/tool_call|> "f", "arguments": {"a": 1}}]',
        ),
        (
            "cohere_command3",
            '<|START_ACTION|>[\n{"tool_name": ```\n"f", "parameters": {"a": 1}}\n]<|END_ACTION|>',
        ),
    ],
)
def test_markup_left_out_of_a_call_before_its_name_is_a_repair_of_it(
    format_id: str, text: str
) -> None:
    call = toolgrammar.parse(text, format_id).calls[-1]
    assert (call.name, call.arguments, call.status) == ("f", {"a": 1}, "repaired")
    strictly = toolgrammar.parse(text, format_id, strict=True)
    assert "f" not in [each.name for each in strictly.calls]


def test_text_that_touches_a_quote_may_belong_to_the_attribute() -> None:
    [call] = toolgrammar.parse('<view_shell id=""main"/>', "devin_xml").calls
    assert (call.arguments, call.doubts) == ({}, ("missing-close-tag",))


@pytest.mark.parametrize(
    ("behind", "runs"),
    [("}Done.", True), ("}\nDone.", True), ("\nDone.", True), (" Done.", True), ("Done.", False)],
)
def test_text_that_touches_the_bracket_of_the_arguments_may_belong_to_them(
    behind: str, *, runs: bool
) -> None:
    text = f'<tool_call>\n{{"name": "f", "arguments": {{"a": 1}}{behind}'
    [call] = toolgrammar.parse(text, "hermes").calls
    assert (call.arguments, call.executable) == ({"a": 1}, runs)
