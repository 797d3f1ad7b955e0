"""Texts made of pieces of examples, whole and damaged, of one format and of others.

Whatever such a text says, its readings agree: in one piece and in any cutting, as events and as a
result, and with the law of trust.
"""

from __future__ import annotations

import json
import re
from functools import cache
from typing import TYPE_CHECKING

import toolgrammar
from toolgrammar.catalogue.page import read_page
from toolgrammar.parsing.whole import parse
from toolgrammar.testing import Case, cases_of_page, laws
from toolgrammar.testing.agreement import agreement
from toolgrammar.testing.breaches import same
from toolgrammar.testing.readings import Reading, read, seen

if TYPE_CHECKING:
    import random
    from collections.abc import Iterator

_SCRAPS = (
    "<think>", "</think>", "Observation: ok\n", "Final Answer: x\n", "```", "```json\n", "```\n",
    "`", "\n", "\n\n", " ", "I will call it.\n", '"', "'", "{", "}", "[", "]", '\\"', "\\n",
    '{"name": "wipe", "arguments": {"path": "/"}}', "<|im_end|>", "<tool_response>", "x", "1e999",
    "NaN", "\u00a0", "\ud800", "\x00", "\u2028", "\r\n", "<!-- ", "-->", "<![CDATA[", "]]>", "&lt;",
)  # fmt: skip
_LONGEST = 1500


def mixed_case(format_id: str, draw: random.Random) -> Case:
    """Returns a text and how to read it: in a format, in a list with another, or by `auto`."""
    other = draw.choice(sorted(toolgrammar.formats))
    wheres = (format_id if draw.random() < 0.8 else other for _ in range(draw.randint(1, 4)))
    text = "".join(_piece(each, draw) for each in wheres)[:_LONGEST]
    lists = [f"{format_id},{other}", f"{other},{format_id}"] if other != format_id else []
    chosen = draw.choice((format_id, format_id, *lists, "auto"))
    sample = draw.choice(examples(format_id))
    prefix = draw.choice(("", "", sample.prefix, "<think>\n"))
    return Case("mixed", chosen, text, prefix, draw.choice((None, sample.tools)))


def disagreement(case: Case, draw: random.Random) -> str:
    """Returns how the readings of a text contradict each other; empty where they agree."""
    try:
        laws.trust(case)
        laws.deltas(case)
        whole = read(case, [case.text])
        agreement(case, whole)
        if not re.search(",|auto", str(case.format)):
            laws.tiling(case)
        for chunks in (list(case.text), list(pieces_of(case.text, draw))):
            for place, wanted, found in zip(
                ("result", "events"), seen(whole), seen(read(case, chunks)), strict=True
            ):
                same("splits", case, f"{place} in {len(chunks)} chunks", wanted, found)
        parsed = parse(case.text, str(case.format), tools=case.tools, prefix=case.prefix)
        same("whole", case, "result of parse", seen(whole)[0], seen(Reading(parsed, [], []))[0])
    except AssertionError as error:
        return str(error)
    return ""


def _piece(format_id: str, draw: random.Random) -> str:
    """Returns an example, a part of one, one that is damaged or escaped, or a scrap."""
    text = draw.choice(examples(format_id)).text
    start, end = sorted((draw.randrange(len(text) + 1), draw.randrange(len(text) + 1)))
    match draw.randrange(10):
        case 0 | 1 | 2:
            return text
        case 3 | 4:
            scrap = draw.choice((*_literals(format_id), *_SCRAPS, ""))
            return text[:start] + scrap + text[start + draw.randrange(4) :]
        case 5:
            return text[start:end]
        case 6:
            return json.dumps(text)[1:-1]
        case 7 | 8:
            return draw.choice(_SCRAPS)
        case _:
            return draw.choice(_literals(format_id) or _SCRAPS)


def pieces_of(text: str, draw: random.Random) -> Iterator[str]:
    """Yields a text in pieces of some characters."""
    at = 0
    while at < len(text):
        size = draw.choice((1, 1, 2, 3, 7, 20, 100))
        yield text[at : at + size]
        at += size


@cache
def examples(format_id: str) -> list[Case]:
    """Returns the examples of a format's page."""
    form = toolgrammar.formats[format_id]
    return cases_of_page(read_page(form.path.with_suffix(".md")), form.id)


def short_example(format_id: str, draw: random.Random) -> Case:
    """Returns an example of a format that is not too long to be read in many cuttings."""
    return draw.choice([each for each in examples(format_id) if len(each.text) <= _LONGEST])


@cache
def _literals(format_id: str) -> tuple[str, ...]:
    terminals = toolgrammar.formats[format_id].tables.terminals
    return tuple(sorted({each.text for each in terminals if len(each.text) > 1}))
