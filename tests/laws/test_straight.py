"""Reading a message straight gives what the driver gives, on sound and on damaged texts."""

import random
from dataclasses import replace
from itertools import pairwise

import toolgrammar
from tests.laws.every_case import cases, each_format, hold, page_cases
from toolgrammar.catalogue.several import AnyOf
from toolgrammar.parsing.parser import Parser
from toolgrammar.parsing.readers import several_of
from toolgrammar.testing import Case
from toolgrammar.tools.specs import to_specs

DAMAGED = 3
"""Texts with one character taken out or put in, a case."""


def straight(case: Case) -> None:
    for text in (case.text, *damaged(case.text)):
        driven = Parser(case.format, tools=case.tools, prefix=case.prefix, id_seed="").run_whole(
            text
        )
        # Lanes are learned on the way: the last reading knows more of them than the first.
        for _ in range(4):
            read = toolgrammar.parse(text, format=case.format, tools=case.tools, prefix=case.prefix)
            assert read.to_dict() == driven.to_dict(), text


def damaged(text: str) -> list[str]:
    made = []
    for number in range(DAMAGED):
        chance = random.Random(f"{number}{text}")
        place = chance.randrange(len(text) + 1)
        character = chance.choice(["", *"<>{}[]()\"'\\,:\n `", *(text or " ")])
        made.append(text[:place] + character + text[place + (character == "") :])
    return made


@each_format
def test_straight(format_id: str) -> None:
    hold(straight, cases(format_id))


@each_format
def test_straight_in_several_formats(format_id: str) -> None:
    written = page_cases(format_id)
    found = [replace(case, format="auto") for case in written]
    # What was learned of one message is used for the next, whose text may go on otherwise.
    found += [
        replace(first, format="auto", text=f"{first.text}\n{second.text}")
        for first, second in pairwise(written)
    ]
    hold(straight_in_several, found)


def straight_in_several(case: Case) -> None:
    auto = toolgrammar.formats.resolve_any(case.format)
    assert isinstance(auto, AnyOf)
    for text in (case.text, *damaged(case.text)):
        driven = Parser(case.format, tools=case.tools).run_whole(text).to_dict()
        several_of(auto, to_specs(case.tools)).reading.patience.renew()
        for _ in range(4):
            read = toolgrammar.parse(text, format=case.format, tools=case.tools)
            assert read.to_dict() == driven, text
