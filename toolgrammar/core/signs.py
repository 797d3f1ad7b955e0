"""Finds what in a text shows that a call was written there: markup that calls alone have.

A sign is a text that a terminal of a call always holds: a tag, a key in quotes, a label. What the
text of a message may hold besides (the tags of reasoning, a word, a fence of JSON) is none.
"""

from __future__ import annotations

import re._constants as sre
from typing import TYPE_CHECKING, Any, Final

from toolgrammar.core.partial import ASSERTIONS, REPEATS
from toolgrammar.core.pattern_trees import parse_pattern
from toolgrammar.core.roles import GROUP_ROLES, bare_name
from toolgrammar.core.weights import ANY_NAME, CERTAIN, MARKS, MENTIONED, letters_of, weight_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from toolgrammar.core.tables import Production, Terminal

_GAP: Final = "\1"
"""Stands for what a terminal does not fix."""
_MOST_WAYS: Final = 16
"""Ways to match one expression that are looked at."""
_CALL_ROLES: Final = frozenset({"call", *GROUP_ROLES})


def signs_of(
    terminals: Iterable[Terminal], productions: Sequence[Production]
) -> tuple[tuple[str, int], ...]:
    """Gives the signs of a grammar, each with its weight.

    `ANY_NAME` in a sign stands for the name of a known tool. No sign holds another one.
    """
    by_name = {terminal.name: terminal for terminal in terminals}
    certain, mentioned = _of_calls(productions)
    weighed = dict.fromkeys(_closers_by_name(by_name, productions), CERTAIN)
    for most, names in ((CERTAIN, certain), (MENTIONED, mentioned)):
        for terminal in {by_name.get(bare_name(name)) for name in names}:
            for text in _fixed_texts(terminal) if terminal is not None else ():
                weighed[text] = min(most, weight_of(text))
    return tuple(
        (text, weighed[text])
        for text in sorted(weighed)
        if not any(other in text for other in weighed if other != text)
    )


def closers_of(terminals: Iterable[Terminal], productions: Sequence[Production]) -> tuple[str, ...]:
    """Gives the texts that end calls and sections, without white space, where they are markup."""
    by_name = {terminal.name: terminal for terminal in terminals}
    found: set[str] = set()
    waiting = [each for each in productions if each.role in _CALL_ROLES]
    seen = set()
    while waiting:
        last = waiting.pop().symbols[-1:]
        for symbol in last:
            terminal = by_name.get(bare_name(symbol))
            if terminal is not None and terminal.kind in ("literal", "regex"):
                found |= {terminal.text.strip()} if terminal.text else _fixed_texts(terminal)
            elif symbol not in seen:
                seen.add(symbol)
                waiting += [each for each in productions if each.origin == symbol]
    return tuple(sorted(text for text in found if len(text) > 3 and not MARKS.isdisjoint(text)))


def _of_calls(productions: Sequence[Production]) -> tuple[set[str], set[str]]:
    """Gives the symbols that show a call, and those of calls that say little by themselves.

    The latter are those that calls begin with, as who speaks of a format names its opener; and those
    that stand outside of calls, too.
    """
    roots = {each.origin for each in productions if each.role in _CALL_ROLES}
    reasoning = {each.origin for each in productions if each.role == "reasoning"}
    inside = _reached(productions, roots, {"reasoning"})
    inside -= _reached(productions, reasoning, ())
    outside = _reached(productions, {"start"}, _CALL_ROLES)
    possible = inside & (outside | _reached(productions, roots, (), most=1))
    return inside - possible, possible


def _reached(
    productions: Sequence[Production],
    roots: Iterable[str],
    barred: Iterable[str],
    most: int | None = None,
) -> set[str]:
    """Gives the symbols that `roots` lead to, but through rules with a role of `barred`.

    Args:
        productions: the rules.
        roots: where to begin.
        barred: roles.
        most: how many symbols of each rule count; None for all.
    """
    barred = frozenset(barred)
    found: set[str] = set()
    waiting = list(roots)
    while waiting:
        origin = waiting.pop()
        for production in productions:
            if production.origin != origin:
                continue
            for symbol in production.symbols[:most]:
                roles = {each.role for each in productions if each.origin == symbol}
                if symbol not in found and not roles & barred:
                    found.add(symbol)
                    waiting.append(symbol)
    return found


def _closers_by_name(terminals: dict[str, Terminal], productions: Sequence[Production]) -> set[str]:
    """Gives the closers that repeat the name of a tool where its opener is the name alone."""
    if not any(terminal.kind == "tool" for terminal in terminals.values()):
        return set()
    found = set()
    for production in productions:
        names = [bare_name(symbol) for symbol in production.symbols]
        for before, here, behind in zip(names, names[1:], names[2:], strict=False):
            if here == "SAME_NAME" and production.role == "call":
                texts = [terminals[name].text.strip() for name in (before, behind)]
                if all(texts):
                    found.add(ANY_NAME.join(texts))
    return found


def _fixed_texts(terminal: Terminal) -> set[str]:
    """Gives the texts of weight that the matches of a terminal hold, one for each way to match."""
    ways = {terminal.text}
    if terminal.kind == "regex":
        ways = set(_ways(parse_pattern(terminal.pattern)))
    longest = (max(map(str.strip, way.split(_GAP)), key=letters_of) for way in ways)
    return {text for text in longest if weight_of(text)}


def _ways(parsed: Iterable[Any]) -> list[str]:
    """Gives the texts that an expression matches, with `_GAP` for what is not fixed."""
    ways = [""]
    for operator, argument in parsed:
        parts = _ways_of(operator, argument)
        ways = [way + part for way in ways for part in parts]
        if len(ways) > _MOST_WAYS:
            return [_GAP]
    return ways


def _ways_of(operator: Any, argument: Any) -> list[str]:
    if operator is sre.LITERAL:
        return [chr(argument)]
    if operator is sre.AT or operator in ASSERTIONS:
        return [""]
    if operator is sre.SUBPATTERN:
        return _ways(argument[-1])
    if operator is sre.ATOMIC_GROUP:
        return _ways(argument)
    if operator is sre.BRANCH:
        return [way for branch in argument[1] for way in _ways(branch)]
    if operator in REPEATS:
        least, most, body = argument
        once = _ways(body)
        if most == 1:
            return once if least else ["", *once]
        return [way + _GAP + way for way in once] if least else [_GAP]
    return [_GAP]
