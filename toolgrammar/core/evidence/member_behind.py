"""Detects a member behind an object, which was closed too early.

Example: behind `{"kind": "rye"}` the text `, "kilos": 25}` begins with the member `kilos`.
"""

from __future__ import annotations

import re
from functools import cache
from typing import TYPE_CHECKING, Final

from toolgrammar.patterns.partial import tail_that_begins
from toolgrammar.tools.json_tokens import COLONS, COMMAS
from toolgrammar.values.patterns import blanks, late

if TYPE_CHECKING:
    from collections.abc import Callable

MOST: Final = 256
"""The maximal number of characters behind an object that are examined."""
LAST: Final = ("}", ")")
"""The closing characters of arguments behind which more of them may follow."""
_COLONS: Final = tuple(COLONS)
_LEADS: Final = f"{COMMAS}\"'\u201c"
_ENDS_OF_MEMBERS: Final = frozenset(",}]")
_CLOSERS: Final = "}] \t\r\n"
"""Characters behind an object that do not continue it."""
_SECOND_BEGINS: Final = frozenset(f"{{{COMMAS}")
"""The first characters of a second object, with or without a comma before it."""
_MARKS: Final = frozenset(f"}}]\"'\u201c{COLONS}{COMMAS}")
_MEMBER = late(
    rf"""(?P<led>(?:[\s}}\]]{{0,32}}[{COMMAS}])?[\s}}\]]{{0,32}})
    (?:\Z
    |["\u201c](?:\Z|[^"\u201c\u201d\n]{{1,64}}(?:\Z|["\u201d]\s{{0,16}}(?:\Z|(?P<colon>[{COLONS}]))))
    |'(?:\Z|[^'\n]{{1,64}}(?:\Z|'\s{{0,16}}(?:\Z|(?P<single>[{COLONS}]))))
    |(?<=[\s}}\]{COMMAS}])(?P<word>[^\W\d][\w$-]{{0,63}})(?:\Z|\s{{0,16}}(?:\Z|
        (?P<sign>[{COLONS}])(?P<value>\s{{0,16}}(?:\Z|["'\u201c{{\[\d-]))?)))""",
    re.VERBOSE,
)
"""The characters before a key, the key and its colon, or what models write for it; or a beginning of
these that the text ends with."""
_HALF = late(
    rf"[^\W\d][\w.$/-]{{0,63}}(?:\s{{0,16}}(?:\Z|[{COLONS}])|[\"'\u201d]{{1,2}}(?:\s{{0,16}}(?:\Z|(?P<sign>[{COLONS}{COMMAS}}}\]]))))"
)
"""A key or a string whose first quote was replaced by the bracket: `{}city": "Oslo"}`, `[1, }a"]`."""
_STRING_REST: Final = "|".join(
    rf"""{quote}(?:[^\n]{{0,128}}?{quote})?\s{{0,16}}(?:[}}\]]"""
    rf"""|[{COMMAS}]\s{{0,16}}(?:{quote}[^"'\n]{{1,64}}{quote}|[^\W\d]\w{{0,63}})\s{{0,16}}[{COLONS}])"""
    for quote in "\"'"
)
"""The rest of a string that continues behind a quote in it, up to a bracket or the next key."""
_STRING = late(_STRING_REST)
_BROKEN_STRING: Final = (
    rf"[).!?]{{1,8}}[\"']\s{{0,16}}[{COMMAS}]\s{{0,16}}(?:\"[^\"\n]{{1,64}}\"|'[^'\n]{{1,64}}')"
    rf"\s{{0,16}}[{COLONS}]"
)
"""The rest of a string whose quote and bracket were read as the end of its object: `)", "body": `."""
_BROKEN = late(_BROKEN_STRING)
_SENTENCE_ENDS: Final = frozenset(").!?")
"""The first characters of such a rest; not the semicolon, which parts calls in some formats."""
_SECOND = late(
    rf"""\s{{0,64}}(?:\Z|(?:[{COMMAS}]\s{{0,16}})?(?:\Z|\{{\s{{0,16}}
    (?:\Z|["'](?:\Z|(?P<key>[^"'\n]{{1,64}})(?:\Z|["']\s{{0,16}}(?:\Z|(?P<colon>[{COLONS}])))))))""",
    re.VERBOSE,
)
"""The beginning of a second object up to its first key, or a beginning of this that the text ends with."""
_EARLY_BRACKET = late(
    r"[\]}]\s{0,16}(?P<closer>\))"
    rf"|[\]}})]\s{{0,16}}(?:\Z|[{COMMAS}]?\s{{0,16}}"
    r"(?:\Z|[^\W\d]\w{0,63}\s{0,16}(?:\Z|(?P<sign>=(?!=)))))"
)
"""A bracket, and behind it a parenthesis that closes, or a keyword argument or its beginning."""


def may_go_on(text: str, place: int, *, is_payload: bool = False) -> bool | None:
    """Whether the arguments that end at a place may go on behind it; None if that needs more text.

    An object goes on with a member or the beginning of one, a parenthesis with another parenthesis.

    Args:
        text: the text.
        place: the place.
        is_payload: whether the arguments themselves end there, not an envelope around them: then a second
            object may hold more of them.
    """
    last = text[place - 1 : place]
    if last != "}":
        return last == ")" and text[place : place + 1] == "("
    first = blanks.match(text, place).end()
    begun = text[first : first + 1]
    if is_payload and begun in _SECOND_BEGINS and _SECOND.match(text, first):
        return True
    # The check of one character avoids the expression for many calls.
    is_mark = begun in _MARKS or text[place : place + 1] in _SENTENCE_ENDS
    if not is_mark and not begins_word(begun):
        return False
    behind = text[place : place + MOST]
    found = goes_on(behind, lambda _: True, final=False)
    return True if found is None and len(behind) == MOST else found


def begins_word(character: str) -> bool:
    """Whether a character may begin a key without quotes; false for ""."""
    return character == "_" or (character.isalnum() and not character.isdecimal())


def goes_on(
    behind: str, awaits: Callable[[str], bool] | None, *, final: bool, is_cut: bool = False
) -> bool | None:
    r"""Returns whether a member begins behind an object; None if that needs more text.

    >>> goes_on(', "kilos": 25}', lambda key: False, final=True)
    True
    >>> goes_on(', "k', lambda key: False, final=False)
    >>> goes_on('"\n', lambda key: False, final=False)  # a bracket may come
    >>> goes_on('}, "well", she said', lambda key: False, final=True)
    False
    >>> goes_on('kilos": 25}', lambda key: False, final=True)  # of `{"kilos": 25}`
    True
    >>> goes_on('" now", "kilos": 25}', lambda key: False, final=True)  # of `{"kind": "say "}" now"`
    True
    >>> goes_on(",", lambda key: False, final=True)
    False
    >>> goes_on(",", lambda key: False, final=True, is_cut=True)
    True

    Args:
        behind: what follows the object; `MOST` characters of it count.
        awaits: whether the tool has an argument of this name that is still missing; None for a value
            without a tool, behind which a key without quotes counts only after a comma or a bracket:
            prose and code go on with `Note: "a"` and with `; x = 1`.
        final: whether the text ends with `behind`.
        is_cut: whether the server ended the text: then anything that could have become a member
            counts as one.
    """
    if final and is_cut and behind.strip(_CLOSERS):
        return goes_on(behind, awaits, final=False) is not False
    # A colon right behind the bracket has lost its key: `}:"Oslo"}`.
    if behind.startswith(_COLONS) or begins_in_string(behind) or _BROKEN.match(behind):
        return True
    if half := _HALF.match(behind):
        if half["sign"] is not None or half[0].endswith(_COLONS):
            return True
        return False if final else None
    is_string = behind.startswith(('"', "'")) or behind[:1] in _SENTENCE_ENDS
    if is_string and not final and _string_begun().match(behind):
        return None
    match = _MEMBER.match(behind)
    if match is None:
        return False
    led = match["led"].strip()
    word = match["word"]
    if word is not None:
        is_open = not final and match.end() == len(behind)
        if (found := _is_key(match, awaits, is_open=is_open)) is not None:
            return found
    # A quoted word with a colon is a key. In prose behind a call, as in `"well", she said`, there is
    # no colon.
    elif match["colon"] is not None or match["single"] is not None:
        return True
    if not final:
        return None
    # Cut inside the key: no complete message ends with a comma and a quote.
    return led.endswith(tuple(COMMAS)) and match.end() > match.end("led") and word is None


def _is_key(
    match: re.Match[str], awaits: Callable[[str], bool] | None, *, is_open: bool
) -> bool | None:
    """Whether a word without quotes behind an object is a key; None if more text may show it.

    `note: …` behind a call is prose, unless the tool has this argument: then a delimiter before it
    counts, or a value behind it.

    Args:
        match: the match of a member.
        awaits: as in `goes_on`.
        is_open: whether the text so far ends with the match.
    """
    led = match["led"].strip()
    if awaits is None and led[-1:] not in _ENDS_OF_MEMBERS:
        return False
    if match["sign"] is not None and (led or (match["value"] or "").strip()):
        return awaits is None or awaits(match["word"])
    return None if led or is_open else False


def begins_second(behind: str, takes: Callable[[str], bool], *, final: bool) -> bool | None:
    r"""Returns whether a second object of arguments begins behind the first; None if that needs more text.

    >>> begins_second('\n{"kilos": 25}', lambda key: key == "kilos", final=True)
    True
    >>> begins_second('{"result": 25}', lambda key: key == "kilos", final=True)
    False

    Args:
        behind: what follows the arguments; `MOST` characters of it count.
        takes: whether the tool has an argument of this name.
        final: whether the text ends with `behind`.
    """
    match = _SECOND.match(behind)
    if match is None:
        return False
    if match["colon"] is not None:
        return takes(match["key"])
    return False if final or match.end() < len(behind) else None


def ends_too_early(text: str, place: int, *, final: bool, is_cut: bool) -> bool | None:
    """Whether the Python call that a bracket ends goes on behind the bracket; None if that needs more text.

    In `[f(a=[1]], b=2)]` a bracket too many ends `a`, and `b` follows. In `[f(a=1])]` the parenthesis of
    the call follows, so the bracket may belong to a list that lost its opening one. Only asked about
    calls with a name, since no others can run. `final` and `is_cut` are as in `goes_on`.
    """
    match = _EARLY_BRACKET.match(text, place)
    if match is None or match["closer"] or match["sign"]:
        return match is not None
    if match.end() < len(text):
        return False
    return is_cut if final else None


def goes_on_in_list(
    text: str, place: int, awaits: Callable[[str], bool], *, final: bool, is_cut: bool = False
) -> bool | None:
    """Whether the arguments go on behind a call of a list, which ends at a place; None if that needs more text.

    Of `[{"name": "f", "arguments": {"a": {}}}, "b": 1}}]` one brace is too many, of `[f(a=1), b=2)]` one
    parenthesis. Only a comma or a quote leads on: to the next call, or to a member of this one.
    `awaits`, `final` and `is_cut` are as in `goes_on`.
    """
    last, behind = text[place - 1 : place], text[place : place + MOST]
    if last not in LAST or behind.lstrip()[:1] not in _LEADS:
        return False
    if last == ")":
        return ends_too_early(text, place - 1, final=final, is_cut=is_cut)
    return goes_on(behind, awaits, final=final, is_cut=is_cut)


def member_begins(text: str, place: int, *, final: bool, is_cut: bool) -> bool | None:
    """Whether a member of any name begins at a place; None if that needs more text.

    `final` and `is_cut` are as in `goes_on`.
    """
    rest = text[place : place + MOST]
    return goes_on(rest, lambda _: True, final=final or len(rest) == MOST, is_cut=is_cut)


@cache
def _string_begun() -> re.Pattern[str]:
    """Returns the expression of a text that may become the rest of a string; compiled when first used."""
    return tail_that_begins([_STRING_REST, _BROKEN_STRING])


def begins_in_string(text: str) -> bool:
    """Whether a text begins with the rest of a string and the delimiter behind it."""
    return text.startswith(('"', "'")) and _STRING.match(text) is not None


def begins_rest(text: str) -> bool:
    """Whether a text begins with the rest of a string, or with a member whose key is in quotes.

    As `, "kilos": 25}}]` behind `[{"name": "f", "arguments": {"kind": "rye"}]`: the closer of the list was
    read, so that the member begins the text.
    """
    if begins_in_string(text):
        return True
    # In text a key without quotes may be a word of prose.
    return (
        text.startswith(tuple(COMMAS)) and goes_on(text[:MOST], lambda _: False, final=True) is True
    )
