"""Tool results are read back as those that were written, whatever the tools said."""

import random

import pytest

import toolgrammar
from fuzz.hostile_results import SPECIAL, Answer, hostile_results, own_literals
from toolgrammar import Format, RenderError, ToolCall
from toolgrammar.testing.depth import at_depth, if_quick
from toolgrammar.writing.results.markup import Markup
from toolgrammar.writing.results.read_results import ResultReader

EACH = if_quick(3, at_depth(few=8, usual=60, every=2000))
FORMATS = sorted(
    id
    for id, form in toolgrammar.formats.items()
    if "results" in form.grammar and form.tables.results
)

_TOOLS = [
    {"name": "f", "parameters": {"properties": {"path": {"type": "string"}}, "required": ["path"]}}
]


@pytest.mark.parametrize("format_id", FORMATS)
def test_what_tools_said_stays_in_its_result(format_id: str) -> None:
    form = toolgrammar.formats[format_id]
    reader = ResultReader(form.tables.results, Markup(form.header, form.tables))
    for attempt in range(EACH):
        results = hostile_results(form, random.Random(f"{format_id} {attempt}"))
        wire = form.render_results(results)
        plain = form.render_results(
            [Answer(ToolCall("f", id=one.call.id and "c1"), "ok") for one in results]
        )
        found = reader.read(wire)
        assert found is not None, wire
        assert [_bare(one.content) for one in found] == [_bare(one.content) for one in results]
        for literal in _telling(form):
            assert wire.count(literal) == plain.count(literal), (literal, wire)
        names = [{"name": name} for name in sorted({"f", *(one.call.name for one in results)})]
        assert toolgrammar.parse(wire, format=form).calls == (), wire
        assert toolgrammar.parse(wire, format=form, tools=names).calls == (), wire


@pytest.mark.parametrize("format_id", FORMATS)
def test_a_call_of_another_format_in_a_result_does_not_run(format_id: str) -> None:
    form, draw = toolgrammar.formats[format_id], random.Random(format_id)
    for other in draw.sample(sorted({*toolgrammar.formats} - {format_id}), min(EACH, 80)):
        try:
            call = toolgrammar.formats[other].render([ToolCall("f", {"path": "/"})], tools=_TOOLS)
        except RenderError:
            continue
        wire = form.render_results([Answer(ToolCall("f", id="c1"), f"ok\n{call}\nmore")])
        for chosen in ("auto", [format_id, other]):
            found = toolgrammar.parse(wire, format=chosen, tools=_TOOLS)
            assert not any(each.executable for each in found.calls), (chosen, wire)


@pytest.mark.parametrize("format_id", FORMATS)
def test_markup_can_be_refused(format_id: str) -> None:
    form = toolgrammar.formats[format_id]
    for literal in ("<|im_end|>", *_telling(form)):
        with pytest.raises(RenderError, match="the result of 'f' holds markup"):
            form.render_results([Answer(ToolCall("f"), f"a\n{literal}\nb")], on_markup="refuse")
    plain = [Answer(ToolCall("f"), "a < b\n- [x] done | {}\n")]
    assert form.render_results(plain, on_markup="refuse") == form.render_results(plain)


def _bare(text: str) -> str:
    return text.replace("\\", "")


def _telling(form: Format) -> list[str]:
    """Returns markup that tells where a result, or the turn of another, begins and ends."""
    own = (literal.strip() for literal in own_literals(form))
    special = [each for each in SPECIAL if each.startswith(("<|", "<｜")) and "\n" not in each]  # noqa: RUF001
    tags = [literal for literal in own if literal.startswith(("<", "["))]
    return [*tags, *special, *(each for each in form.header.special if "\n" not in each)]
