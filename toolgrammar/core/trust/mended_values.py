"""Detects in a mended value that the repair may be wrong.

Example: if `{"a": "x", "b"}` was read with one string, `x", "b`, that string joins two.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Final

from toolgrammar.core.payloads.mended.look import DOTS
from toolgrammar.tools.json_tokens import COLONS, COMMAS, LITERAL, SMART_QUOTES
from toolgrammar.values.patterns import late

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from toolgrammar.core.payloads.mended.repairs import Repair
    from toolgrammar.values.json_types import JsonValue

_JOINED = late(r"[^']*[^\s']'[^\w'](?:[^']*[^\w'])?'[^\s']")
"""The text of `'a' + 'b'` up to the second string: an apostrophe has a letter beside it."""
_GREAT = late(r"[eE]\+?\d{3}|\d{200}")
"""A part that is in every number that is too great for a float."""
_BETWEEN_STRINGS: Final = f" \t\r\n{COLONS}{COMMAS}{{}}[]()<>|`\\.\u2026"
"""The characters between the end of a string and the beginning of the next one."""
_MEMBER_OR_BRACKET = late(
    r"""[{}\[\]]|(?P<member>["\u201c\u201d]\s{0,16}[^\s\w{}\[\]"\\,.]?\w?:"""
    r"""|'\s{0,16}[^\s\w'"]\s{0,16}'[\w -]{1,64}'\s{0,16}:"""
    rf"""|["'\u201d]\s{{0,16}}[\s{COMMAS}]\s{{0,16}}["'\u201c]?[^\W\d][\w-]{{0,63}}["'\u201d]?\s{{0,16}}"""
    rf"""[{COLONS}]\s{{0,16}}(?:["'\u201c{{\[\d-]|(?i:{LITERAL}|none)))"""
)
"""A bracket, or the text between two members. With single quotes, which words contain as well, the key
belongs to it. The key may lack its quotes if a value follows: `", via: "`."""
_TAG = late(r"<(?:(?P<opened>[^\W\d][\w:.-]{0,63})|/(?P<closed>[^<>\s]{0,64})>)")
_BROKEN_TAG = late(r"<(?:[/|]?[\w|/:.-]{0,64}|>)\s{0,64}\Z")  # As `</tool_c` or `<>` at the end.
_ODD_TAG = late(r"<(?=[^<>\n]{0,64}[^\w\s<>=\"'/.:-])[^<>\n]{1,64}>\s{0,64}\Z")
"""A damaged closer at the end of a text, such as `<{)parameter>`."""
_ODD_KEY = late(rf"[<>{{}}`|\"\\\n\r]|&\w{{2,6}};|[{COLONS}].{{0,256}}[{COMMAS}]")
"""Characters that are in no key, or a member and the comma before the key: `a = 1, b`."""
_STRAIGHT: Final = str.maketrans(dict.fromkeys(SMART_QUOTES, '"'))
_PLACEHOLDER = late(
    rf"(?:{DOTS}|<[^\s=]|\$[A-Za-z_{{]|[^\W\d][\w.]*+[(\[])[\s\S]*|[^\w\s]{{2,}}|\?"
    r"|(?i:nil|(?:null|none|undefined);)"
    r"|[^\W\d][\w.]*+(?:\s{1,4}\+\s{1,4}[^\W\d][\w.]*+)+"
)
"""Dots or a tag and any text, a variable, a call of a function, an index, or only punctuation; a word
for nothing; names that code adds."""
_NEAR: Final = 256
"""The number of characters at the end of a text in which a closer is searched."""
_BEFORE_KEY: Final = "\"' \t\n,{("
_BEHIND_KEY = late(r"[\"'\u201d]?\s{0,16}(?::|=(?!=))")
"""The text before and behind the key of a member or a keyword argument."""
_CLOSED_BY = {"}": "{", "]": "[", ")": "("}


def holds_closer(text: str) -> bool:
    """Whether a text contains a closing tag without its opening tag, or ends with a part of a tag."""
    near = text[-_NEAR:]
    if _ends_with_rest_of_tag(near):
        return True
    if "<" not in text:
        return False
    opened: set[str] = set()
    for tag in _TAG.finditer(text):
        if tag["opened"]:
            opened.add(tag["opened"])
        elif tag["closed"] not in opened:
            return True
    return _BROKEN_TAG.search(near) is not None or _ODD_TAG.search(near) is not None


def _ends_with_rest_of_tag(text: str) -> bool:
    """Whether a text ends with a tag without its beginning, such as `ter>` of `</parameter>`."""
    text = text.rstrip()
    before = text.rfind(">", 0, -1)
    # `->` is an arrow, and `a >` a comparison.
    return text.endswith(">") and "<" not in text[before + 1 :] and text[-2:-1] not in "-= "


def ends_with_stray(text: str, marks: str) -> bool:
    """Whether a string ends with one of these characters; a bracket only counts without its partner."""
    last = text[-1:]
    if not last or last not in marks:
        return False
    # The bracket at the end of `f(x)` has its partner.
    return last == "," or text.count(last) > text.count(_CLOSED_BY[last])


def doubt_quotes(repairs: list[Repair], value: JsonValue) -> None:
    """Doubts quotes that were taken as part of a string, but may be delimiters.

    Args:
        repairs: the repairs of the value.
        value: the value that was read with them.
    """
    sure = [each for each in repairs if each.code == "inner-quote" and not each.doubt]
    counts: dict[str, int] = {}
    for each in sure:
        # By path, since each string is judged by its own quotes.
        counts[each.path] = counts.get(each.path, 0) + each.end - each.start
    # The string `x", "b": "y` has swallowed a member, `x", "b` an item.
    swallows = sure and any(holds_member(e) or _joins_strings(e) for e in strings_of(value))
    for each in sure:
        # A quotation inside a string has two quotes, with words between them.
        each.judge(doubt=bool(swallows) or counts[each.path] % 2 == 1 or each.end - each.start > 1)


def _joins_strings(text: str) -> bool:
    """Whether a string contains its closing quote and the opening quote of the next one: `x", "b`.

    Or text replaced the comma between them, as in `x"7)"b`: a quotation in a string has a blank or
    a mark on one of its sides.
    """
    # In pairs, since `a "b", "c" d` quotes two words; the last quote may be single.
    parts = text.translate(_STRAIGHT).split('"')
    for place in range(1, len(parts) - 1, 2):
        before, inside, behind = parts[place - 1 : place + 2]
        if before[-1:].isalnum() and behind[:1].isalnum():
            return True
        # Behind another quote, as in `the "b"", "c`, a quote does not open a quotation.
        is_behind_quote = place > 1 and not before
        if is_behind_quote and inside.lstrip().startswith((*COLONS, *COMMAS)):
            return True
        closes = is_behind_quote or before[-1:] not in ("", " ", "\t")
        if closes and inside and not inside.strip(_BETWEEN_STRINGS):
            return True
    return _JOINED.match(text) is not None


def holds_bracket(text: str) -> bool:
    """Whether a string contains a bracket of JSON."""
    return not set("{}[]").isdisjoint(text)


def is_placeholder(text: str) -> bool:
    """Whether a text without quotes is a placeholder, such as `...`, `$CITY`, `nil` or `str(x)`.

    A text behind a tag counts as well: in `<escape>Oslo` the tag may be the quote of another format.
    """
    return _PLACEHOLDER.fullmatch(text) is not None


def holds_key(text: str, keys: Iterable[str]) -> bool:
    """Whether a string contains one of some keys with its delimiters: `x, "city: ` contains `city`."""
    for key in keys:
        place = text.find(key)
        while place >= 0:
            begins = place > 0 and text[place - 1] in _BEFORE_KEY
            if begins and _BEHIND_KEY.match(text, place + len(key)):
                return True
            place = text.find(key, place + 1)
    return False


def holds_member(text: str) -> bool:
    """Whether a string contains what looks like a JSON member, but is not itself a JSON text.

    A JSON text has its brackets before its first quote, and closes each of them.
    """
    if not any(quote in text for quote in "\"'\u201d"):
        return False
    depth = 0
    for part in _MEMBER_OR_BRACKET.finditer(text):
        if part["member"] and depth <= 0:
            return True
        depth += (part[0] in "{[") - (part[0] in "}]")
        if part[0] in "{[" and depth == 1 and '"' in text[: part.start()]:
            # With a quote before the first bracket it is not JSON, so that any member counts.
            depth = -len(text)
    return depth > 0


def holds_object(part: dict[str, JsonValue], keys: Iterable[str]) -> bool:
    """Whether an object contains another one under one of these keys."""
    return any(isinstance(part.get(key), dict) for key in keys)


def begins_with(part: dict[str, JsonValue], key: str) -> bool:
    """Whether an object begins with a list or an object under a key."""
    return next(iter(part), None) == key and isinstance(part[key], dict | list)


def ends_in_list(items: list[JsonValue]) -> bool:
    """Whether the last item of a list is the only list in it: its opener may be one too many."""
    return isinstance(items[-1], list) and not any(isinstance(each, list) for each in items[:-1])


def has_lone_quote(text: str) -> bool:
    """Whether a text has a typographic quote without its partner: they come in pairs."""
    return sum(map(text.count, SMART_QUOTES)) % 2 == 1


def has_odd_key(value: JsonValue) -> bool:
    """Whether an object in a value has a key that shows in a call with a repair that it was wrong."""
    return any(_ODD_KEY.search(key) for part in objects_of(value) for key in part)


def is_endless(value: JsonValue, text: str | None = None) -> bool:
    """Whether a number in a value is infinite: too great for a float; `text` is its JSON."""
    # A search of the text costs less than a walk through every value.
    if text is not None and not _GREAT.search(text):
        return False
    return any(type(part) is float and math.isinf(part) for part in _parts(value))


def strings_of(value: JsonValue) -> Iterator[str]:
    """Yields the strings in a value, except keys."""
    return (part for part in _parts(value) if isinstance(part, str))


def objects_of(value: JsonValue) -> Iterator[dict[str, JsonValue]]:
    """Yields the objects in a value, including the value itself."""
    return (part for part in _parts(value) if isinstance(part, dict))


def lists_of(value: JsonValue) -> Iterator[list[JsonValue]]:
    """Yields the lists in a value, including the value itself."""
    return (part for part in _parts(value) if isinstance(part, list))


def _parts(value: JsonValue) -> Iterator[JsonValue]:
    """Yields a value and all values in it."""
    # An explicit stack, since values may be deeply nested.
    pending = [value]
    while pending:
        part = pending.pop()
        yield part
        if isinstance(part, dict):
            pending += part.values()
        elif isinstance(part, list):
            pending += part
