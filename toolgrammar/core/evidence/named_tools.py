"""Finds where a text names a known tool as calls do, not as prose does.

Examples: `tide(place="Narvik")` may be a call of `tide`, `the tide (in metres)` is prose.
"""

from __future__ import annotations

import re
from itertools import islice
from typing import TYPE_CHECKING, Final

from toolgrammar.core.evidence.no_arguments import KEYS_OF_ARGUMENTS, KEYS_OF_NAME
from toolgrammar.patterns.distances import distance
from toolgrammar.tools.json_tokens import COLONS, COMMAS
from toolgrammar.values.patterns import late

if TYPE_CHECKING:
    from collections.abc import Container, Iterable, Mapping

    from toolgrammar.values.tools import ToolSpec

_MARKS: Final = frozenset("<>[](){}|\uff5c\"':=#@^*")
"""Characters of markup. A sign without one in it or before it may be prose: `functions.search`."""
_OF_SIGNS: Final = _MARKS | {"`"}
_BRACKETS: Final = frozenset("<[({")
_NEAR: Final = 64
"""The maximal distance in characters between a name and a sign beside it."""
_DEFINITION: Final = 20
"""The number of characters before a name that are searched for `def` and the like."""
_WORD = late(r"\w")
_QUOTE: Final = "[\"'`\u201c\u201d]"
_BETWEEN = late(r"\W*(?:\w+[^\w\s]\W*)?")
"""The text between a sign and a name: at most one word, such as a key, without a blank behind it."""
_BEHIND = late(r"[^\w\s][^\w]*")
_KEY_IN_MARKUP = late(
    rf"""(?<![\w$-])([\w$-]{{1,64}})["'`]?[ \t]{{0,8}}[{COLONS}]"""
    r"""|(?<==["'])([\w$-]{1,64})["'][\s>]|(?<==)([\w$-]{1,64})>"""
    r"|(?<=<)([\w$-]{1,64})>|(?<=>)([\w$-]{1,64})</"
)
"""The name of an argument: before a colon, in an attribute, in a tag, between two tags."""
_BEFORE_ARGUMENT = late(r"[^\w]{1,16}(?:\w{1,32}[^\w\s][^\w]{0,16})?")
"""The text between a tool and the key of its argument; one word may be there, as above."""
_MARKUP_BEFORE = late(
    r"""(?:[^\w\s`]|[ \t]<\||\s*\n)[^\w]{0,32}
    (?:(?:\w{1,32}\ \w{1,32}[:=]|\w{1,32}\s?[^\w\s])[^\w]{0,16}){0,6}(?:\w{1,32}\ )?""",
    re.VERBOSE,
)
"""More markup between the two, as in `search\nAction Input: {"query":`, but no words of prose."""
_FAR: Final = 160
"""The maximal distance in characters between the name of a tool and that of its argument."""
_KEY_BEFORE = late(
    rf"(?i:{'|'.join(KEYS_OF_NAME)}){_QUOTE}?\s{{0,8}}[{COLONS}]\s{{0,8}}{_QUOTE}?\Z"
)
_KEY_BEHIND = late(
    rf"{_QUOTE}?\s{{0,8}}[{COMMAS}]?\s{{0,16}}{_QUOTE}?(?i:{'|'.join(KEYS_OF_ARGUMENTS)})"
    rf"{_QUOTE}?\s{{0,8}}[{COLONS}]"
)
"""The key of arguments behind the name, in any quotes or none: `{name: "search", arguments: {}}`."""
_LONGEST_KEY: Final = 40
"""The maximal number of characters from the beginning of the key `name` to the name."""
_DEFINES = late(r"\b(?:def|func|function)[ \t]{1,8}\Z")
"""A keyword before the name: the code defines a function and does not call it."""
_BEFORE_ALL = late(r"(?:\w{1,32}(?![\w ]))?(?:[^\w ]|(?<=[:>]) ){0,16}\Z")
_BEHIND_ALL = late(r"(?:[^\w ]|(?<=[:>]) ){0,16}(?:\w{1,32}[^\w ]{0,16})?\Z")
"""The text before and behind a name if it is nearly the whole text; no blank follows a word."""
_MARK_BEFORE, _MARK_BEHIND = late(r"(?:[^\w\s.,;!?]\s{0,8}|_)\Z"), late(r"\s{0,8}[^\w\s.,;!?)]")
_MENTIONED = late(r"[`*]|[\"'][ \t]\w")
"""What is behind a name that prose has between two backticks, asterisks or quotes."""
_MARKS_OF_LINE = late(r"(?:\A|\n)[ \t]{0,8}[<>\[\]{}|@]{1,4}\Z")
"""Marks alone before a name, at the beginning of its line: `[run`, `@run`."""
_RUNS_INTO = late(r"(\w{1,64})[ \t]{0,8}=(?!=)")
_RUNS_TO_CLOSER = late(r"""[\w.:-]{1,64}\)\s{0,8}:?\s{0,8}\{\s{0,8}["'}]""")
"""What is behind a name whose bracket is lost: an argument, or an id and its closer before an object."""
_ARROWS = late(r"(?:\A|\n)([<>\[{|])\1{2,8}\Z")
"""A bracket three times or more at the beginning of a line, as no prose has it before a name."""
_ESCAPED: Final = "\\_"
"""How models that write Markdown spell the `_` of a name."""
_MOST_NAMED, _MOST_PLACES = 16, 8
"""The maximal number of places of a name and of places of all names, that are examined."""
_SHORT: Final = 64
"""The maximal number of characters before or behind such a name."""


_NAMESPACE: Final = "functions"
"""The namespace that some formats write before a dot and the name of a tool."""
_NEAR_NO_CALL: Final = 3
"""The maximal distance of a name from the name that stands for no call, if both begin alike."""
_HEAD: Final = 3
"""The number of characters in which names begin alike."""
_NEAR_NAMESPACE: Final = 0.75
"""The least similarity of a word to the namespace that counts as a misspelling of it."""
_LONGER: Final = 3
"""The maximal difference in length of a misspelling."""
_ODD_ENDS: Final = " \t\r\n.,:\"'"
"""Characters that no name begins or ends with."""
_ODD: Final = frozenset('[](){}<>|"`=,;\\\n\r\ufe0f\u201c\u201d\u201e\u00ab\u00bb')
"""Characters that no name contains: brackets, quotes, line ends, backslashes of Markdown, and the
variation selector of emoji."""


def names_other_tool(key: str, spec: ToolSpec | None, names: Container[str]) -> bool:
    """Whether a call may begin where the key of an argument could stand: `<search>` in a call.

    If the tool has an argument of that name, or its arguments are not known, the key is one. Without
    given tools the names are those of the header, and none of its tools has such an argument.

    Args:
        key: the key, which may be the name of a tool.
        spec: the tool of the open call; None without given tools.
        names: the names at which a call may open.
    """
    if key not in names:
        return False
    return spec is None or (bool(spec.properties) and key not in spec.properties)


def oddity(name: str, tools: Mapping[str, ToolSpec], no_calls: str = "") -> str:
    """Returns the code of a diagnostic if the name of a call is odd; "" if it is not.

    An odd name is blank, has punctuation at its end, or is longer than the name of a tool that it begins
    with, such as `shelljson` for `shell`.

    Args:
        name: the name.
        tools: the known tools by their names.
        no_calls: the name that stands for no call; a name that may be a damaged form of it is odd.
    """
    if name in tools:
        return ""
    if no_calls and _is_near_no_call(name, no_calls):
        return "misspelt"
    is_odd = name.strip(_ODD_ENDS) != name or not _ODD.isdisjoint(name) or not name.strip("_-")
    # `Action: search` is a label and the name behind it.
    is_odd = is_odd or ": " in name
    # With known tools, a key such as `arguments` is not a name: the name before it was lost.
    is_odd = is_odd or bool(tools and name in KEYS_OF_ARGUMENTS)
    if is_odd or not name or _is_near_namespace(name):
        # `"search,"` may have lost a quote before its comma; `" "` names nothing.
        return "malformed-name" if name.strip() else "empty-name"
    return "overlong-name" if any(map(name.startswith, tools)) else ""


def _is_near_no_call(name: str, no_calls: str) -> bool:
    """Whether a name is the one that stands for no call, or may be a damaged form of it."""
    near = distance(no_calls, name[: 2 * len(no_calls)])
    # Of `no_function`, `no_functin` and `o_function` are damaged forms, `my_function` is not: with
    # another beginning, one letter has to be missing or added.
    same = name[:_HEAD] == no_calls[:_HEAD] or len(name) != len(no_calls)
    return same and near <= (_NEAR_NO_CALL if name[:_HEAD] == no_calls[:_HEAD] else 1)


def _is_near_namespace(name: str) -> bool:
    """Whether a name begins with what may be a misspelt namespace."""
    head, dot, _ = name.partition(".")
    # `funtions.search` may be `functions.search`, so it is odd; the namespace itself is not.
    if not dot or head == _NAMESPACE or abs(len(head) - len(_NAMESPACE)) > _LONGER:
        return False
    from difflib import SequenceMatcher  # few names have a dot

    return SequenceMatcher(None, head, _NAMESPACE).ratio() >= _NEAR_NAMESPACE


def places_of_calls(text: str, tools: Mapping[str, ToolSpec]) -> list[tuple[int, int]]:
    """Returns the first stretches of a text that may be part of a call, as they name a tool.

    In them the name of a tool stands beside a mark, as in `[tide` but not in `the tide is high`; or
    the name of an argument of the only tool stands in quotes, since its call may not name it.
    """
    names = [name for name in tools if name in text]
    keys = (f'"{each}"' for each in properties_of(tools)) if len(tools) == 1 else ()
    found = {at for key in keys if (at := text.find(key)) >= 0}
    for name in names:
        places = re.finditer(rf"(?<![^\W_]){re.escape(name)}(?![^\W_])", text)
        found.update(
            place.start()
            for place in islice(places, _MOST_NAMED)
            if _is_by_mark(text, *place.span())
        )
    return [(max(0, at - _NEAR), at + 2 * _NEAR) for at in sorted(found)[:_MOST_PLACES]]


def _is_by_mark(text: str, start: int, end: int) -> bool:
    """Whether a name stands beside a mark, and not between two of them, as in a mention."""
    if text[start - 1 : start] == text[end : end + 1] and _MENTIONED.match(text, end):
        return False
    is_behind = _MARK_BEFORE.search(text, max(0, start - _SHORT), start) is not None
    return is_behind or _MARK_BEHIND.match(text, end) is not None


def named_as_in_a_call(
    text: str, tools: Mapping[str, ToolSpec], signs: Iterable[str]
) -> tuple[int, str] | None:
    """Returns the place and the text where a tool is named as in a call; None if there is none.

    A tool is named so beside a sign, before one of its arguments (`search(query=`), with nothing but
    markup around it (`[list_notes(()]`), at the beginning of a list of calls, and between the keys of a
    call, in any quotes.

    Args:
        text: the text.
        tools: the known tools by their names.
        signs: the signs of calls, such as parts of their markup.
    """
    # A plain search first: most texts contain no name, and the expressions below are costly.
    named = _named(text, tools)
    near = [sign for sign in signs if sign in text] if named else []
    for name, spec in named.items():
        end = 0
        while (start := text.find(name, end)) >= 0:
            end = start + max(1, len(name))
            if _runs_on(text, start, end, spec):
                return start, name
            # The word `research` does not name the tool `search`.
            if _WORD.match(text, end) or (start and _WORD.match(text, start - 1)):
                continue
            # `def search(query: str):` has the name before one of its arguments, but is not a call.
            if _DEFINES.search(text, max(0, start - _DEFINITION), start):
                continue
            for sign in near:
                place = _beside(text, start, end, sign)
                if place is not None:
                    return place[0], text[slice(*place)]
            # The name `get` is in much prose, but seldom before one of the arguments of the tool.
            # Between backticks it is only mentioned.
            is_code = text[start - 1 : start] == "`" == text[end : end + 1]
            if not is_code and (argument := _argument_behind(text, end, spec)) >= 0:
                return start, text[start:argument]
            if any(ends(text, start, end) for ends in (_is_all, _is_first, _is_behind_arrows)):
                return start, name
            behind = _KEY_BEHIND.match(text, end)
            if behind and _KEY_BEFORE.search(text, max(0, start - _LONGEST_KEY), start):
                return start, text[start : behind.end()]
    return None


def _named(text: str, tools: Mapping[str, ToolSpec]) -> dict[str, ToolSpec]:
    """Returns the tools that a text names, by their names as they are written there."""
    named = {name: spec for name, spec in tools.items() if name in text}
    if _ESCAPED in text:
        escaped = {name.replace("_", _ESCAPED): spec for name, spec in tools.items()}
        named |= {name: spec for name, spec in escaped.items() if name in text}
    return named


def _argument_behind(text: str, place: int, spec: ToolSpec) -> int:
    """Returns the end of the name of an argument that follows its tool with markup between, or -1."""
    # The first key need not be an argument: `arg_key` is none in `<arg_key>path</arg_key>`.
    for key in _KEY_IN_MARKUP.finditer(text, place, place + _FAR):
        if key[key.lastindex or 0] in spec.properties:
            # Before a colon a key is known by itself; a tag of prose may stand behind any word.
            span, is_before_colon = (place, key.start()), key.lastindex == 1
            if _MARKUP_BEFORE.fullmatch(text, *span) or (
                is_before_colon and _BEFORE_ARGUMENT.fullmatch(text, *span)
            ):
                return key.end()
    return -1


def properties_of(tools: Mapping[str, ToolSpec]) -> set[str]:
    """Returns the names of the arguments of all tools."""
    return {name for spec in tools.values() for name in spec.properties}


def _is_all(text: str, start: int, end: int) -> bool:
    """Whether a text is only a name, with markup in brackets around it."""
    # `[list_notes(()]` is all of a message that was meant to be a call; a longer text is prose.
    if start > _SHORT or len(text) - end > _SHORT:
        return False
    before, behind = text[:start].lstrip(), text[end:].rstrip()
    return (
        not _BRACKETS.isdisjoint(before + behind)
        and _BEFORE_ALL.match(before) is not None
        and _BEHIND_ALL.match(behind) is not None
    )


def _is_first(text: str, start: int, end: int) -> bool:
    """Whether a text begins with a list whose first item is a call: `[search(], ask()]`."""
    return text[:start].strip() == "[" == text[start - 1] and text[end : end + 1] == "("


def _is_behind_arrows(text: str, start: int, end: int) -> bool:
    """Whether a text ends with arrows and a name, `>>>run`, behind which the model broke off."""
    # Most names have no arrows before them, so the text behind is looked at last.
    return bool(_ARROWS.search(text, max(0, start - 16), start)) and not text[end:].strip()


def _runs_on(text: str, start: int, end: int, spec: ToolSpec) -> bool:
    """Whether a name has lost the bracket behind it: `[runcommand='x')]`, `@runcall_0): {`."""
    if _WORD.match(text, end) is None:
        return False
    if _MARKS_OF_LINE.search(text, max(0, start - 16), start) is None:
        return False
    argument = _RUNS_INTO.match(text, end)
    if argument is not None and argument[1] in spec.properties:
        return True
    return _RUNS_TO_CLOSER.match(text, end) is not None


def continues_word(text: str, place: int) -> bool:
    """Whether a small letter at a place belongs to a longer word, as in `transaction:`."""
    return place > 0 and text[place - 1 : place].islower() and text[place : place + 1].islower()


def _beside(text: str, start: int, end: int, sign: str) -> tuple[int, int] | None:
    """Returns the span of a name and a sign beside it; None if the sign is not beside the name."""
    place = text.rfind(sign, max(0, start - _NEAR), start)
    if (
        place >= 0
        and not continues_word(text, place)
        and _BETWEEN.fullmatch(text, place + len(sign), start)
    ):
        # The sign `name` is a word of prose; `"name` with its quote is markup.
        is_markup = not _OF_SIGNS.isdisjoint(sign) or text[max(0, place - 1) : place] in _MARKS
        return (place, end) if is_markup else None
    place = text.find(sign, end, end + _NEAR)
    # A sign behind the name has to begin with a mark: in `search functions` both words are prose.
    is_beside = (
        place > end and _BEHIND.fullmatch(text, end, place) and not _OF_SIGNS.isdisjoint(sign)
    )
    # `search</tool_call>`: prose that mentions a closer has a blank before it.
    is_closed = place == end and sign.startswith("</")
    return (start, place + len(sign)) if is_beside or is_closed else None
