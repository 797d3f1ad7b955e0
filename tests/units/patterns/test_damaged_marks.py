"""Damaged markup is found in values, and what values hold of their own is not taken for it."""

import pytest

from toolgrammar.patterns.damaged_marks import marks_of

MARKS = ("</parameter>", "<parameter=", "</function>", "</tool_call>")


@pytest.mark.parametrize(
    "text",
    [
        "a</parmeter>\nb",
        "a</paramteer>",
        "a<parameter>b",
        "a</param eter >b",
        "a</aprametre>b",
        "a/parameter>b",
        "x</prameter>\n<paarameeter=number>42",
    ],
)
def test_a_damaged_mark_is_found(text: str) -> None:
    assert marks_of(MARKS).find(text) is not None


@pytest.mark.parametrize(
    "text",
    [
        "",
        "plain words",
        "<b>parameter</b>",
        "</p><parameter=x>",
        "the parameter > 4",
        "<parameters><parameter/></parameters>",
        "<iframe></iframe><center></center>",
    ],
)
def test_what_a_text_may_hold_is_no_damage(text: str) -> None:
    assert marks_of(MARKS).find(text) is None


@pytest.mark.parametrize(
    ("text", "is_damaged"),
    [
        ("a\n``\nb", True),
        ("a\n```[\nb", True),
        ("a\n````", True),
        ("````md\n````", False),
        ("```py\nx\n```", False),
        ("a `` b", False),
        ("a\n`\nb", True),
        ("a = `\nb\n`\n", False),
    ],
)
def test_a_damaged_fence_stands_in_a_line_and_alone(text: str, *, is_damaged: bool) -> None:
    assert (marks_of(("```",)).find(text) is not None) == is_damaged


def test_words_tell_only_where_a_line_begins() -> None:
    marks = marks_of(("Observation:",))
    assert marks.find("a\nObservaton: b") is not None
    assert marks.find("an Observaton: b") is None


def test_the_end_of_the_message_may_cut_a_damaged_mark() -> None:
    marks = marks_of(("</execute_bash>",))
    assert marks.find("ls\n</xecute_ba", is_cut=True) is not None
    assert marks.find("ls\n</xecute_ba") is None
    assert marks.find("ls </", is_cut=True) is None


@pytest.mark.parametrize(
    ("text", "mark"),
    [
        ("a</para\n\nSorry, once more:", "</parameter>"),
        ("a</tool_cafunctools[{}]", "</tool_call>"),
        ('a</parame"', "</parameter>"),
        ("a</fun-> b", "</function>"),
        # Whatever closer it is: it ends in something else than `>`.
        ("a</Action: b", "</function>"),
        ("a</```json", "</function>"),
        ('a</{"name": 1}', "</function>"),
        ("a</<b>", "</function>"),
        ("a</\nI stop", "</function>"),
    ],
)
def test_a_tag_that_is_broken_off_is_found(text: str, mark: str) -> None:
    marks = marks_of(MARKS)
    found = marks.broken_off(text)
    assert found is not None
    assert (found.start, found.mark) == (1, mark)
    assert text[1:].startswith(found.text)


@pytest.mark.parametrize(
    "text",
    [
        "cat </dev/null",
        'x = "</a" + ">"',
        'f"</{tag}>"',
        "<p></p\n>",
        "</parent> and </parameters> and </parameter>",
        "</parameter\n>",
        "a </ b",
        're.sub(r"</?b>", x)',
    ],
)
def test_what_code_holds_is_no_broken_tag(text: str) -> None:
    assert marks_of(MARKS).broken_off(text) is None


def test_a_format_without_closers_has_no_broken_ones() -> None:
    assert marks_of(("[end]", "<|start|>")).broken_off("a</b c") is None
    assert marks_of(("[end]", "<|start|>")).broken_off("a<|sta b") is not None
