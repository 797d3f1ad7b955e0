"""Holds every law over one text in a format that a test writes itself."""

from pathlib import Path
from typing import Any

import toolgrammar
from toolgrammar.catalogue.format import Format
from toolgrammar.testing import laws
from toolgrammar.testing.cases import case_of_row
from toolgrammar.values.events import ArgumentsDelta, InputDelta

Row = dict[str, Any]


def format_in(folder: Path, grammar: str) -> Format:
    """Gives the format of a grammar whose first line names it."""
    name = grammar.partition("\n")[0].rpartition(" ")[2]
    path = folder / f"{name}.lark"
    path.write_text(grammar, encoding="utf-8", newline="\n")
    return toolgrammar.load_format(path)


def check(chosen: Format, text: str, expected: Row) -> None:
    """Reads a text under all laws that an example has to keep."""
    case = case_of_row({**expected, "text": text}, chosen.id, chosen)
    for _, law in laws.laws_of(case):
        law(case)


def streamed(chosen: Format, *chunks: str, tools: Any = None) -> list[str]:
    """Gives what each chunk lets out of arguments and input, joined."""
    parser = toolgrammar.Parser(chosen, tools=tools)
    found = []
    for chunk in chunks:
        pieces = []
        for event in parser.feed(chunk):
            if isinstance(event, ArgumentsDelta):
                pieces.append(event.json)
            elif isinstance(event, InputDelta):
                pieces.append(event.text)
        found.append("".join(pieces))
    return found
