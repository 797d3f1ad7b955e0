"""An expression over a model's text has no two neighbouring repeats that may take the same characters.

`\\s*[^@\\n]*\\n` tries each way to part a run of blanks between its two repeats: a kilobyte of them
costs a million steps. `\\s*+[^@\\n]*\\n` has one way.
"""

import importlib
import re
from collections.abc import Callable, Iterator
from pathlib import Path
from re import _parser
from typing import Any

import pytest

import toolgrammar

PACKAGE = Path(toolgrammar.__file__).parent
MANY = 65
"""Repeats of fewer characters than this are not looked at: to part one takes as many steps at most."""
SAMPLE = [*map(chr, range(9, 127)), "é", "\u200b", "\uff5c"]
KNOWN = {
    "catalogue.page._FENCE": "reads a line of a format's page",
    "catalogue.page._HEADING": "reads a line of a format's page",
    "core.machine.relaxed_quotes._WAYS": "reads an expression of a grammar",
    "core.payloads.json.other_scalars._GROUPED": "an underscore parts the two",
    "core.payloads.literals.scan_python._WORD": "nothing behind the second can fail",
    "grammar.header._LINE": "reads a line of a grammar file",
    "patterns.damaged_marks._TAG": "both are short",
    "salvage.code_blocks._LINE": "a mark of a list or a quotation parts the two",
    "tools.python_literals._SPACE": "a number sign parts the two",
}
"""Those that the test finds, and why they cost no more than a few steps a character."""

Characters = frozenset[str]


def expressions() -> Iterator[tuple[str, str, int]]:
    defining = re.compile(r"\blate\(")
    for module in (
        path for path in PACKAGE.rglob("*.py") if defining.search(path.read_text("utf-8"))
    ):
        dotted = ".".join(module.relative_to(PACKAGE).with_suffix("").parts)
        names = vars(importlib.import_module(f"toolgrammar.{dotted}"))
        for name, value in names.items():
            if type(value).__name__ == "_Late":
                yield f"{dotted}.{name}", value.pattern, value.flags


def shared(expression: str, flags: int = 0) -> list[Characters]:
    """Returns the characters that each two neighbouring repeats share."""
    found: list[Characters] = []
    _walk(_parser.parse(expression, flags & ~re.UNICODE), [], found)
    return found


def _walk(parts: Any, before: list[Characters], found: list[Characters]) -> list[Characters]:
    """Returns the repeats that may end where a sequence does.

    Args:
        parts: the sequence, as Python's parser of expressions gives it.
        before: the repeats that may end where it begins.
        found: takes what two neighbours share.
    """
    for operation, given in parts:
        match str(operation):
            case "MAX_REPEAT" | "MIN_REPEAT":
                least, most, inner = given
                if most < MANY:
                    after = _walk(inner, before, found)
                    before = after if least else [*before, *after]
                    continue
                own = characters(inner)
                found += [own & other for other in before if own & other]
                _walk(inner, [], found)
                before = [*([] if least else before), own]
            case "POSSESSIVE_REPEAT":  # it gives nothing back
                _walk(given[2], [], found)
                before = [] if given[0] else before
            case "SUBPATTERN":
                before = _walk(given[3], before, found)
            case "BRANCH":
                ways = [_walk(way, before, found) for way in given[1]]
                before = list({each for way in ways for each in way})
            case "ASSERT" | "ASSERT_NOT" | "AT":
                pass
            case _:  # one character parts what stands around it
                before = []
    return before


def characters(parts: Any) -> Characters:
    """Returns the characters of the sample that may stand in what a sequence matches."""
    taken: set[str] = set()
    for operation, given in parts:
        match str(operation):
            case "MAX_REPEAT" | "MIN_REPEAT" | "POSSESSIVE_REPEAT":
                taken |= characters(given[2])
            case "SUBPATTERN":
                taken |= characters(given[3])
            case "BRANCH":
                taken.update(*map(characters, given[1]))
            case "ASSERT" | "ASSERT_NOT" | "AT":
                pass
            case _:
                taken.update(each for each in SAMPLE if _takes(operation, given, each))
    return frozenset(taken)


KINDS: dict[str, Callable[[str], bool]] = {
    "DIGIT": str.isdecimal,
    "SPACE": str.isspace,
    "WORD": lambda each: each.isalnum() or each == "_",
}


def _takes(operation: Any, given: Any, character: str) -> bool:
    """Whether one part of an expression, which takes one character, takes this one."""
    match str(operation):
        case "LITERAL":
            return bool(ord(character) == given)
        case "NOT_LITERAL":
            return bool(ord(character) != given)
        case "ANY":
            return character != "\n"
        case "RANGE":
            return bool(given[0] <= ord(character) <= given[1])
        case "CATEGORY":
            name = str(given).removeprefix("CATEGORY_")
            return KINDS[name.removeprefix("NOT_")](character) != name.startswith("NOT_")
        case "IN":
            is_negated = str(given[0][0]) == "NEGATE"
            each_takes = (_takes(part, of, character) for part, of in given[is_negated:])
            return is_negated != any(each_takes)
        case _:
            return False


EXPRESSIONS = list(expressions())


@pytest.mark.parametrize(
    ("name", "expression", "flags"), EXPRESSIONS, ids=[e[0] for e in EXPRESSIONS]
)
def test_no_two_repeats_share_a_run(name: str, expression: str, flags: int) -> None:
    assert bool(shared(expression, flags)) == (name in KNOWN)


def test_known_ones_are_there() -> None:
    assert KNOWN.keys() <= {name for name, _, _ in EXPRESSIONS}


@pytest.mark.parametrize(
    ("expression", "is_found"),
    [
        (r"\s*[^@\n]*\n", True),
        (r"\s*+[^@\n]*\n", False),
        (r"[0-9]*\.?[0-9]*", True),
        (r"[0-9]*\.[0-9]*", False),
        (r"\w*(?:-|\d*)", True),
        (r"a*b*", False),
    ],
)
def test_what_the_check_finds(expression: str, *, is_found: bool) -> None:
    assert bool(shared(expression)) == is_found
