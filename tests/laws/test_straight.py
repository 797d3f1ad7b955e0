"""Reading a message straight gives what the driver gives, on sound and on damaged texts."""

import random

import toolgrammar
from tests.laws.every_case import cases, each_format, hold
from toolgrammar.parsing.parser import Parser
from toolgrammar.testing import Case

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
