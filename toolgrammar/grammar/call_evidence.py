"""Finds the signs of a format: texts that show that a call was written, such as its markup.

A sign is a text that every match of a terminal of a call contains: a tag, a key in quotes, a label.
A text that a message may contain otherwise (a tag of reasoning, a word, a fence of JSON) is not a
sign. Example: `</tool_call>` alone is enough; `<tool_call>` may be in prose about the format.
"""

from __future__ import annotations

import re
import re._constants as sre
from typing import TYPE_CHECKING, Any, Final

from toolgrammar.grammar.roles import GROUP_ROLES, RESULTS, bare_name
from toolgrammar.patterns.damaged_marks import is_symbol
from toolgrammar.patterns.pattern_trees import ASSERTIONS, REPEATS, bodies, parse_pattern

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from toolgrammar.grammar.terminals import Production, Terminal

ANY_NAME: Final = "\0"
"""The placeholder in a sign for the name of a known tool."""
MENTIONED: Final = 1
"""The weight of a text that prose about a format contains, too: an opener."""
POSSIBLE: Final = 2
"""The weight of a text that may occur by chance: with another sign, it is taken for a call."""
CERTAIN: Final = 3
"""The weight of a text that is enough by itself."""

MARKS: Final = frozenset("<>[]|\uff5c")
_CALL_WORD: Final = re.compile(
    r"(?:<\||\|>|\uff5c).*(?:tool|call|action|invoke|function|plugin)"
    r"|tools?[ _-]?(?:call|use)|function_call|<(?:[^<>]*:)?invoke|\[[a-z_]*call[a-z_]*\]"
)
"""Words in markup for calls, of any format; special tokens may contain more of them."""
_LANGUAGES: Final = frozenset({"", "bash", "diff", "json", "py", "python", "xml", "yaml"})
"""The languages of fences that are common in texts."""
_LEAST_LETTERS: Final = 4
_OF_A_TAG: Final = 6
_OF_A_LABEL: Final = 10
"""The number of letters from which on a tag, or any other sign, is enough by itself."""
_LEAST_OF_CLOSER: Final = 3
_GAP: Final = "\1"
"""The placeholder for text that a terminal does not fix."""
_GAPS: Final = re.compile(f"{_GAP}+")
_MOST_WAYS: Final = 32
"""How many ways to match one expression are examined."""
_CALL_ROLES: Final = frozenset({"call", *GROUP_ROLES})  # sections count, too


def signs_of(
    terminals: Iterable[Terminal], productions: Sequence[Production]
) -> tuple[tuple[str, int], ...]:
    """Returns the signs of a grammar, each with its weight.

    `ANY_NAME` in a sign is a placeholder for the name of a known tool. No sign contains another
    one.
    """
    by_name = {terminal.name: terminal for terminal in terminals}
    certain, mentioned = _of_calls(productions)
    weighed = dict.fromkeys(_closers_by_name(by_name, productions), CERTAIN)
    # Mentioned texts come last: a text that is certain and mentioned gets the lower weight.
    for most, names in ((CERTAIN, certain), (MENTIONED, mentioned)):
        for terminal in {by_name.get(bare_name(name)) for name in names}:
            for text in _fixed_texts(terminal) if terminal is not None else ():
                weighed[text] = min(most, weight_of(text))
    return tuple(
        (text, weighed[text])
        for text in sorted(weighed)
        # A sign that contains a shorter one adds nothing: the shorter one is found in it, too.
        if not any(other in text for other in weighed if other != text)
    )


def closers_of(terminals: Iterable[Terminal], productions: Sequence[Production]) -> tuple[str, ...]:
    """Returns the texts that end calls and sections, without white space, if they are markup."""
    by_name = {terminal.name: terminal for terminal in terminals}
    found: set[str] = set()
    last = {each.symbols[-1] for each in productions if each.role in _CALL_ROLES and each.symbols}
    # A call that ends with a rule ends as this rule ends.
    for symbol in last | _reached(productions, last, (), slice(-1, None)):
        terminal = by_name.get(bare_name(symbol))
        if terminal is not None and terminal.kind in ("literal", "regex"):
            found |= {terminal.text.strip()} if terminal.text else longest_texts(terminal)
    # `}` or `)` ends a call in some formats, but proves nothing by itself.
    return tuple(sorted(filter(_is_closer, found)))


def _is_closer(text: str) -> bool:
    """Whether a text is enough markup to end a call by itself."""
    is_short = len(text) <= _LEAST_OF_CLOSER
    return any(map(is_symbol, text)) or not (is_short or MARKS.isdisjoint(text))


def result_openers(rules: Sequence[Production]) -> tuple[str, ...]:
    """Returns the texts with which results of tools begin, as the rule `results` writes them."""
    firsts = _reached(rules, {RESULTS}, (), slice(1))
    found = {first[1:].strip() for first in firsts if first.startswith('"')}
    return tuple(sorted(text for text in found if letters_of(text) >= _LEAST_LETTERS))


def _of_calls(productions: Sequence[Production]) -> tuple[set[str], set[str]]:
    """Returns the symbols that show a call, and the symbols of calls that may have another reason.

    The latter are the first symbols of calls, since prose about a format mentions its opener; and
    the symbols that are used outside of calls, too.
    """
    roots = {each.origin for each in productions if each.role in _CALL_ROLES}
    reasoning = {each.origin for each in productions if each.role == "reasoning"}
    inside = _reached(productions, roots, {"reasoning"})
    # `<think>` may be inside a call, but does not mark one.
    inside -= _reached(productions, reasoning, ())
    outside = _reached(productions, {"start"}, _CALL_ROLES)
    # Prose about the format mentions the first symbol of each rule of a call.
    possible = inside & (outside | _reached(productions, roots, (), slice(1)))
    return inside - possible, possible


def _reached(
    productions: Sequence[Production],
    roots: Iterable[str],
    barred: Iterable[str],
    part: slice = slice(None),
) -> set[str]:
    """Returns the symbols to which `roots` lead, except through rules with a role in `barred`.

    Args:
        productions: the rules.
        roots: the rules where the walk begins.
        barred: the roles at which it stops.
        part: which symbols of each rule count.
    """
    barred = frozenset(barred)
    found: set[str] = set()
    waiting = list(roots)
    while waiting:
        origin = waiting.pop()
        for production in productions:
            if production.origin != origin:
                continue
            for symbol in production.symbols[part]:
                roles = {each.role for each in productions if each.origin == symbol}
                # The walk does not go through reasoning, nor from outside into a call.
                if symbol not in found and not roles & barred:
                    found.add(symbol)
                    waiting.append(symbol)
    return found


def _closers_by_name(terminals: dict[str, Terminal], productions: Sequence[Production]) -> set[str]:
    """Returns the closers that repeat the name of a tool, if its opener is the name alone."""
    if not any(terminal.kind == "tool" for terminal in terminals.values()):
        return set()
    found = set()
    for production in productions:
        names = [bare_name(symbol) for symbol in production.symbols]
        for before, here, behind in zip(names, names[1:], names[2:], strict=False):
            # `</get_weather>`: the name is inserted once the tools are known.
            if here == "SAME_NAME" and production.role == "call":
                texts = [terminals[name].text.strip() for name in (before, behind)]
                if all(texts):
                    found.add(ANY_NAME.join(texts))
    return found


def _fixed_texts(terminal: Terminal) -> set[str]:
    """Returns the texts with a weight that the matches of a terminal contain, one for each way."""
    return set(filter(weight_of, longest_texts(terminal)))


def longest_texts(terminal: Terminal) -> set[str]:
    """Returns the fixed text in the matches of a terminal, one text for each way to match."""
    # Of `<call id=…>` the pieces `<call id=` and `>` are fixed: the one with more letters is used.
    return {max(map(str.strip, pieces), key=letters_of) for pieces in _fixed_pieces(terminal)}


def marks_of_calls(terminals: Iterable[Terminal]) -> set[str]:
    """Returns the fixed texts of terminals that are more than punctuation of any text."""
    every = {text for each in terminals for pieces in _fixed_pieces(each) for text in pieces}
    # A line end before a fence is part of it, and may be damaged with it.
    every.update([text.strip() for text in every])
    return {
        text
        for text in every
        if letters_of(text) >= _LEAST_LETTERS or _is_closer(text.strip()) or "```" in text
    }


def _fixed_pieces(terminal: Terminal) -> Iterator[list[str]]:
    """Yields the fixed pieces of the matches of a terminal, for each way to match."""
    ways = {terminal.text}
    if terminal.kind == "regex":
        ways = set(_ways(parse_pattern(terminal.pattern)))
    yield from (way.split(_GAP) for way in ways)


def _ways(parsed: Iterable[Any]) -> list[str]:
    """Returns the texts that an expression matches, with `_GAP` for the parts that vary."""
    ways = [""]
    for operator, argument in parsed:
        parts = _ways_of(operator, argument)
        # The ways multiply: `(a|b)(c|d)` has four. A part that varies counts once: `[ab]` has one.
        ways = list(dict.fromkeys(_GAPS.sub(_GAP, way + part) for way in ways for part in parts))
        # So many ways have no fixed text in common that would be a sign.
        if len(ways) > _MOST_WAYS:
            return [_GAP]
    return ways


def _ways_of(operator: Any, argument: Any) -> list[str]:
    """Returns the texts that one node of a parse tree matches."""
    if operator is sre.LITERAL:
        return [chr(argument)]
    if operator is sre.AT or operator in ASSERTIONS:
        return [""]
    if operator in REPEATS:
        least, most, body = argument
        once = _ways(body)
        # `x?`: with it, or without it.
        if most == 1:
            return once if least else ["", *once]
        # A repeated part occurs at least once; the text between its ends varies.
        return [way + _GAP + way for way in once] if least else [_GAP]
    return [way for body in bodies(operator, argument) for way in _ways(body)] or [_GAP]


def letters_of(text: str) -> int:
    """Returns the number of letters in a text."""
    return sum(map(str.isalpha, text))


def weight_of(text: str) -> int:
    """Returns how strongly a text suggests a call; 0 for one that any text may contain."""
    letters = letters_of(text)
    # A word alone may be in any prose.
    if letters < _LEAST_LETTERS or text.replace("_", "").isalnum():
        return 0
    # A fence of JSON is in many texts; one with a word of the format is rare.
    if text.startswith("```"):
        return 0 if text.strip("`\n ") in _LANGUAGES else POSSIBLE
    # A key in quotes, as `"arguments"`: other JSON may contain it.
    if text[0] in "\"'":
        return POSSIBLE
    is_tag = not MARKS.isdisjoint(text) and letters >= _OF_A_TAG
    return CERTAIN if is_tag or letters >= _OF_A_LABEL or text.isupper() else POSSIBLE


def is_of_any_call(sign: str) -> bool:
    """Whether a sign of one format is markup that texts of other formats do not contain.

    That is markup with a word for calls: `<tool_call>` and `<|tool_arg:end|>`, but not `<path>`.
    """
    return weight_of(sign) >= CERTAIN and _CALL_WORD.search(sign.lower()) is not None


def is_of_calls(opener: str, follows: str) -> bool:
    """Whether an opener is markup that prose does not contain; the text after it may decide."""
    # `[TOOL_CALLS] [`: the bracket after it makes it a label.
    return weight_of(opener.strip() + ("[" if follows == "[" else "")) >= CERTAIN
