r"""Finds tokens of white space that stand where white space before another token is skipped.

Example: in `call: OPEN name (END | argument)` with `END: /\n/` and `argument: key "=" …` the line end
before any word is skipped, and the word is the key: `END` is read only where no word follows.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from toolgrammar.grammar.roles import RAW_LIKE
from toolgrammar.patterns.sample import sample

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

    from toolgrammar.grammar.compiling.source_text import Place
    from toolgrammar.grammar.terminals import Terminal
    from toolgrammar.values.errors import GrammarError

_BLANKS = ("\n", " ", "\t", "\n\n", "\r\n")
_BEFORE = "x"  # for look-behinds
# What may stand in place of a sample that has no plain text, and behind a sample that looks ahead.
_WORDS = ("x", "1")
_BEHIND = ("", "x", "x=1", " x", "\n")
# An action of the LALR tables, and the number of the end of the text among the terminals.
_SHIFT, _END = 0, -1


def blank_before_tokens(
    terminals: Sequence[Terminal],
    actions: Sequence[Mapping[int, tuple[int, int]]],
    shown: Callable[[int], str],
    place_of: Callable[[int], Place],
) -> Iterator[GrammarError]:
    """Finds terminals that read white space behind which another could be read in their place.

    Args:
        terminals: the terminals by their numbers.
        actions: for each state the actions by terminal.
        shown: returns a terminal, by its number, as its author spelled it.
        place_of: returns the place of a terminal, by its number.
    """
    of_blanks = {number for number, each in enumerate(terminals) if _reads_blanks(each)}
    found: dict[int, set[int]] = {}
    for row in actions:
        for number in of_blanks & row.keys():
            action, state = row[number]
            behind = actions[state].keys() if action == _SHIFT else row.keys()
            # Raw text may begin with anything, and be empty.
            if any(terminals[each].name in RAW_LIKE for each in behind):
                continue
            # What may stand behind the white space, too, is read in either case.
            for other in sorted(row.keys() - behind - of_blanks - {_END}):
                if _is_skipped(terminals[number], terminals[other]):
                    found.setdefault(number, set()).add(other)
    for number, rivals in sorted(found.items()):
        names = ", ".join(sorted(map(shown, rivals)))
        message = f"{shown(number)} reads white space that is skipped where {names} can follow it"
        hint = f'say by a lookahead that {names} can\'t follow, as in `/\\n(?!\\s*- )/` for `"- "`; if '
        hint += "it is not meant to, say what stands before it, `/(?<=[ \\t])…/`"
        yield place_of(number).error("blank-before-token", message, hint)


def _reads_blanks(terminal: Terminal) -> bool:
    """Whether a terminal is a pattern that reads white space."""
    return terminal.kind == "regex" and any(
        re.compile(terminal.pattern).match(f"{_BEFORE}{blank}", 1) for blank in _BLANKS
    )


def _is_skipped(blank: Terminal, other: Terminal) -> bool:
    """Whether a terminal reads the white space before another, and nothing of that one."""
    if other.kind not in ("literal", "regex"):
        return False
    one, two = re.compile(blank.pattern), re.compile(other.pattern)
    # A token that may go on waits for what follows the white space.
    spaces = [each for each in _BLANKS if not re.fullmatch(blank.partial or "(?!)", each)]
    plain = other.text.lstrip() or sample(other.pattern)
    words = [text for text in (plain, *_WORDS) if text]
    for text in (f"{word}{behind}" for word in words for behind in _BEHIND):
        for space in spaces:
            whole = f"{_BEFORE}{space}{text}"
            begin = len(whole) - len(text)
            match = one.match(whole, 1)
            if match is not None and match.end() == begin and two.match(whole, begin):
                return True
    return False
