"""Literals in other spellings, which the header allows as repairs."""

import pytest

import toolgrammar

CALL = (
    "<\uff5cDSML\uff5cfunction_calls>\n"
    '<\uff5cDSML\uff5cinvoke name="look">\n'
    '<\uff5cDSML\uff5cparameter name="at" string="true">x</\uff5cDSML\uff5cparameter>\n'
    "</\uff5cDSML\uff5cinvoke>\n"
    "</\uff5cDSML\uff5cfunction_calls>"
)


@pytest.mark.parametrize(
    "spelling", ["\uff5c\uff5cDSML\uff5c\uff5c", "||DSML||", "|DSML|", "‖DSML‖", " | DSML | "]
)
def test_each_spelling_is_a_repair(spelling: str) -> None:
    text = CALL.replace("\uff5cDSML\uff5c", spelling)
    result = toolgrammar.parse(text, format="deepseek_v3_2")
    (call,) = result.calls
    assert (call.arguments, call.status, call.executable) == ({"at": "x"}, "repaired", True)
    assert {found.code for found in result.diagnostics} == {"misspelt"}
    edits = [edit for found in result.diagnostics for edit in found.edits]
    mended = text
    for edit in sorted(edits, key=lambda edit: -edit.span.start):
        mended = mended[: edit.span.start] + edit.replacement + mended[edit.span.end :]
    assert toolgrammar.parse(mended, format="deepseek_v3_2").calls[0].status == "complete"


def test_strict_reading_knows_one_spelling() -> None:
    text = CALL.replace("\uff5cDSML\uff5c", "|DSML|")
    assert not toolgrammar.parse(text, format="deepseek_v3_2", strict=True).calls


def test_another_spelling_inside_a_sound_call_is_a_doubt() -> None:
    text = CALL.replace(
        "x</\uff5cDSML\uff5cparameter>\n</\uff5cDSML\uff5cinvoke>",
        "x</|DSML|parameter>\n</|DSML|invoke>",
    )
    (call,) = toolgrammar.parse(text, format="deepseek_v3_2").calls
    assert call.doubts == ("misspelt",)
