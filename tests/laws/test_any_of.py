"""Reading a text in several formats gives the calls of its own format, and cutting does not matter.

The two formats beside are the next of the list that read no call in the text when they are alone:
what they do read is theirs by right.
"""

import random
from collections.abc import Iterator
from dataclasses import replace

from hypothesis import given, settings
from hypothesis import strategies as st

import toolgrammar
from tests.laws.drawn import hostile_texts
from tests.laws.every_case import cases, each_format, hold, page_cases
from toolgrammar.testing import Case, laws
from toolgrammar.testing.breaches import same
from toolgrammar.testing.cases import format_of
from toolgrammar.testing.depth import at_depth
from toolgrammar.testing.readings import comparable, read, seen

IDS = sorted(toolgrammar.formats)
BESIDE = 2
LOOKED_AT = 8


@each_format
def test_the_calls_are_those_of_the_own_format(format_id: str) -> None:
    hold(keeps_its_calls, cases(format_id))


def keeps_its_calls(case: Case) -> None:
    own = format_of(case).id
    alone = read(case, [case.text])
    joined = replace(case, format=",".join((own, *_beside(case, own))))
    whole = read(joined, [case.text])
    wanted = comparable(alone.result.calls)
    same("any_of", joined, "calls", wanted, comparable(whole.result.calls))
    for call in whole.result.calls:
        assert call.format == own
    _cut_alike(joined)


def _beside(case: Case, own: str) -> Iterator[str]:
    start = IDS.index(own) + 1
    found = 0
    for other in (IDS[start:] + IDS[:start])[:LOOKED_AT]:
        if other != own and found < BESIDE:
            alone = read(replace(case, format=other), [case.text])
            if not alone.result.calls:
                found += 1
                yield other


def _cut_alike(case: Case) -> None:
    wanted = seen(read(case, [case.text]))
    for name, chunks in (("char by char", list(case.text)), ("in pieces", _pieces(case.text))):
        found = seen(read(case, chunks))
        same("any_of", case, f"result, {name}", wanted[0], found[0])
        same("any_of", case, f"events, {name}", wanted[1], found[1])


def _pieces(text: str) -> list[str]:
    choose = random.Random(len(text))
    pieces: list[str] = []
    at = 0
    while at < len(text):
        size = choose.choice((1, 2, 3, 7, 20))
        pieces.append(text[at : at + size])
        at += size
    return pieces


@each_format
def test_auto_is_cut_alike(format_id: str) -> None:
    def in_pieces(case: Case) -> None:
        wanted = seen(read(case, [case.text]))
        found = seen(read(case, _pieces(case.text)))
        same("auto", case, "result", wanted[0], found[0])
        same("auto", case, "events", wanted[1], found[1])

    hold(in_pieces, [replace(case, format="auto") for case in page_cases(format_id)])


@each_format
@settings(max_examples=at_depth(few=1, usual=2, every=2))
@given(data=st.data())
def test_hostile_texts_in_several_formats(format_id: str, data: st.DataObject) -> None:
    others = data.draw(st.lists(st.sampled_from(IDS), min_size=1, max_size=3, unique=True))
    parts = [data.draw(hostile_texts(each)) for each in (format_id, *others[:1])]
    case = Case("drawn", ",".join(dict.fromkeys([*others, format_id])), "".join(parts))
    _cut_alike(case)
    laws.deltas(case)


@settings(max_examples=at_depth(few=3, usual=10, every=10))
@given(data=st.data())
def test_work_is_linear(data: st.DataObject) -> None:
    text = data.draw(hostile_texts(data.draw(st.sampled_from(IDS))))
    if text:
        laws.linear(Case("drawn", "auto", text))
