"""One damage each to a strict JSON text, of every class; and 64 KB that is damaged all over."""

from __future__ import annotations

import json
import re
from itertools import pairwise
from typing import TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:
    import random
    from collections.abc import Callable

_TOKEN = re.compile(r'"(?:[^"\\]|\\.)*"|[{}\[\],:]|[^\s{}\[\],:"]+')


class Token(NamedTuple):
    """A token of strict JSON."""

    kind: str
    start: int
    end: int
    text: str
    depth: int


def tokens(text: str) -> list[Token]:
    """Returns the tokens; strings are of kind `key` or `string`, all else but marks `scalar`."""
    found: list[Token] = []
    depth = 0
    for match in _TOKEN.finditer(text):
        mark = match.group()
        if mark[0] == '"':
            follows = text[match.end() : match.end() + 1]
            kind = "key" if follows == ":" else "string"
        else:
            kind = mark if mark in "{}[],:" else "scalar"
        depth -= mark in "}]"
        found.append(Token(kind, match.start(), match.end(), mark, depth))
        depth += mark in "{["
    return found


Damage = "Callable[[str, random.Random], str | None]"


def _pick(text: str, draw: random.Random, *kinds: str) -> Token | None:
    found = [token for token in tokens(text) if token.kind in kinds]
    return draw.choice(found) if found else None


def _swap(text: str, token: Token, replacement: str) -> str:
    return text[: token.start] + replacement + text[token.end :]


def _trailing_comma(text: str, draw: random.Random) -> str | None:
    token = _pick(text, draw, "}", "]")
    assert token is not None
    before = text[: token.start].rstrip()
    return None if before[-1] in "{[" else _swap(text, token, "," + token.text)


def _doubled_comma(text: str, draw: random.Random) -> str | None:
    token = _pick(text, draw, ",")
    return token and _swap(text, token, ",,")


def _single_quotes(text: str, _draw: random.Random) -> str | None:
    return _requoted(text, "'", "'")


def _smart_quotes(text: str, _draw: random.Random) -> str | None:
    return _requoted(text, "\u201c", "\u201d")


def _requoted(text: str, opener: str, closer: str) -> str:
    pieces, place = [], 0
    for token in tokens(text):
        if token.kind in ("key", "string"):
            body = token.text[1:-1].replace('\\"', '"')
            if closer == "'":
                body = body.replace("'", "\\'")
            pieces += [text[place : token.start], opener, body, closer]
            place = token.end
    return "".join([*pieces, text[place:]])


def _bare_key(text: str, draw: random.Random) -> str | None:
    token = _pick(text, draw, "key")
    return token and _swap(text, token, token.text[1:-1])


def _bare_value(text: str, draw: random.Random) -> str | None:
    token = _pick(text, draw, "string")
    if token is None or not re.fullmatch(r'"[a-zA-Z][\w ]*"', token.text):
        return None
    return None if token.text[1:-1] in ("true", "null") else _swap(text, token, token.text[1:-1])


def _literal(text: str, draw: random.Random) -> str | None:
    python = {"true": "True", "false": "False", "null": "None"}
    found = [token for token in tokens(text) if token.text in python]
    token = draw.choice(found) if found else None
    return token and _swap(text, token, python[token.text])


def _comment(text: str, draw: random.Random) -> str | None:
    token = _pick(text, draw, ",", "{", "[")
    return token and _swap(text, token, token.text + draw.choice([" // why\n", " /* why */ "]))


def _missing_comma(text: str, draw: random.Random) -> str | None:
    token = _pick(text, draw, ",")
    return token and _swap(text, token, " ")


def _missing_colon(text: str, draw: random.Random) -> str | None:
    token = _pick(text, draw, ":")
    return token and _swap(text, token, draw.choice([" ", " =", " =>"]))


def _missing_closer(text: str, draw: random.Random) -> str | None:
    found = [token for token in tokens(text) if token.kind in ("}", "]") and token.depth > 0]
    token = draw.choice(found) if found else None
    return token and _swap(text, token, "")


def _wrong_closer(text: str, draw: random.Random) -> str | None:
    token = _pick(text, draw, "}", "]")
    assert token is not None
    return _swap(text, token, "]" if token.text == "}" else "}")


def _extra_closer(text: str, draw: random.Random) -> str | None:
    return text + draw.choice(["}", "]", "}}"])


def _raw_line_end(text: str, draw: random.Random) -> str | None:
    found = [token for token in tokens(text) if token.kind == "string" and "\\n" in token.text]
    token = draw.choice(found) if found else None
    return token and _swap(text, token, re.sub(r"(?<!\\)\\n", "\n", token.text))


def _bad_escape(text: str, draw: random.Random) -> str | None:
    found = [token for token in tokens(text) if token.kind == "string" and "\\\\d" in token.text]
    token = draw.choice(found) if found else None
    return token and _swap(text, token, token.text.replace("\\\\d", "\\d"))


def _inner_quote(text: str, draw: random.Random) -> str | None:
    found = [token for token in tokens(text) if token.kind == "string" and '\\"' in token.text]
    token = draw.choice(found) if found else None
    return token and _swap(text, token, token.text.replace('\\"', '"'))


def _missing_quote(text: str, draw: random.Random) -> str | None:
    token = _pick(text, draw, "string")
    if token is None or not re.fullmatch(r'"[\w ]+"', token.text):
        return None
    return _swap(text, token, token.text[:-1] if draw.random() < 0.5 else token.text[1:])


def _fence(text: str, draw: random.Random) -> str | None:
    return f"```{draw.choice(['json', ''])}\n{text}\n```"


def _prose(text: str, draw: random.Random) -> str | None:
    return draw.choice(["Here it is: {} Done.", "{}\nThat is all.", "Sure!\n\n{}"]).format(text)


def _invisible(text: str, draw: random.Random) -> str | None:
    token = _pick(text, draw, ",", ":", "{")
    return token and _swap(text, token, token.text + draw.choice(["\u00a0", "\ufeff", "\u200b"]))


def _number(text: str, draw: random.Random) -> str | None:
    found = [token for token in tokens(text) if re.fullmatch(r"[1-9]\d*", token.text)]
    token = draw.choice(found) if found else None
    return token and _swap(text, token, draw.choice(["+" + token.text, hex(int(token.text))]))


def _escaped_twice(text: str, _draw: random.Random) -> str | None:
    return json.dumps(text, ensure_ascii=False)[1:-1] if "\n" not in text else None


def _quoted_number(text: str, draw: random.Random) -> str | None:
    # Of a list with items of several types the schema does not say what each is.
    found = [
        token
        for before, token in pairwise(tokens(text))
        if before.kind == ":" and token.depth == 1 and re.fullmatch(r"-?[1-9]\d*", token.text)
    ]
    token = draw.choice(found) if found else None
    return token and _swap(text, token, f'"{token.text}"')


def _cut(text: str, draw: random.Random) -> str | None:
    return text[: draw.randint(2, len(text) - 1)]


CLASSES: dict[str, Callable[[str, random.Random], str | None]] = {
    "trailing comma": _trailing_comma,
    "doubled comma": _doubled_comma,
    "single quotes": _single_quotes,
    "smart quotes": _smart_quotes,
    "bare key": _bare_key,
    "bare value": _bare_value,
    "Python literal": _literal,
    "comment": _comment,
    "missing comma": _missing_comma,
    "missing colon": _missing_colon,
    "missing closer": _missing_closer,
    "wrong closer": _wrong_closer,
    "extra closer": _extra_closer,
    "raw line end": _raw_line_end,
    "bad escape": _bad_escape,
    "inner quotes": _inner_quote,
    "missing quote": _missing_quote,
    "fence": _fence,
    "prose": _prose,
    "invisible character": _invisible,
    "number form": _number,
    "escaped twice": _escaped_twice,
    "quoted number": _quoted_number,
    "cut": _cut,
}
"""By its name, what does one damage at a drawn place, or None where the text has no such place."""


def _objects(size: int, write: Callable[[int], str], between: str = ", ") -> str:
    parts: list[str] = []
    length = 0
    while length < size:
        parts.append(write(len(parts)))
        length += len(parts[-1]) + len(between)
    return "[" + between.join(parts) + "]"


def _string(size: int, unit: str) -> str:
    return '{"text": "' + unit * (size // len(unit) + 1) + '"}'


_STRICT = '{{"id": {0}, "name": "item {0}"}}'


def _strict(size: int) -> str:
    return _objects(size, _STRICT.format)


DENSE: dict[str, Callable[[int], str]] = {
    "trailing commas": lambda n: _objects(n, '{{"id": {0}, "name": "item {0}",}}'.format),
    "single quotes": lambda n: _objects(n, "{{'id': {0}, 'name': 'item {0}'}}".format),
    "smart quotes": lambda n: _objects(
        n, "{{\u201cid\u201d: {0}, \u201cname\u201d: \u201citem {0}\u201d}}".format
    ),
    "bare keys": lambda n: _objects(n, '{{id: {0}, name: "item {0}"}}'.format),
    "bare values": lambda n: _objects(n, '{{"id": {0}, "name": item {0}}}'.format),
    "Python literals": lambda n: _objects(n, '{{"id": {0}, "done": True, "by": None}}'.format),
    "comments": lambda n: _objects(n, '{{"id": {0}, // why\n "name": "item {0}"}}'.format),
    "missing commas": lambda n: _objects(n, '{{"id": {0} "name": "item {0}"}}'.format, " "),
    "raw line ends": lambda n: _string(n, "a line of text here\n"),
    "bad escapes": lambda n: _string(n, "C:\\Users\\dir \\d+ "),
    "inner quotes": lambda n: _string(n, 'he said "no" to it '),
    "escaped twice": lambda n: _strict(n).replace('"', '\\"'),
    "cut": lambda n: _strict(n)[:-1],
    "one stray comma": lambda n: _strict(n)[:-1] + ",]",
}
"""Fourteen kinds of damage all over a text of a given size; the last two in one place."""

HOSTILE: dict[str, tuple[str, str]] = {
    "quotes": ('{"a": "', '"'),
    "commas": ("[", ","),
    "backslashes": ('{"a": "', "\\"),
    "braces": ("", "{"),
    "brackets": ("", "["),
    "bare words with closers": ("{", "a{]]"),
    "mixed quotes in an array": ('["', "'a\""),
    "keys": ("{", '"a'),
    "openers": ("", '{"'),
    "members that open": ("", '{"a": '),
    "quote, comma, quote": ('{"a": "', '", "'),
    "quote and brace": ('{"a": "', '"}'),
    "prose": ("", "words and "),
    "spaces": ('{"a": 1', " "),
    "halves of pairs": ('{"a": "', "\ud83d"),
}
"""What a text begins with, and what it then repeats."""


def is_cut_of(part: Any, whole: Any) -> bool:
    """Whether a value shows what a prefix of the text shows: only its last string is shorter."""
    match whole, part:
        case dict(), dict():
            mine, other = list(part.items()), list(whole.items())
        case list(), list():
            mine, other = list(enumerate(part)), list(enumerate(whole))
        case str(), str():
            return whole.startswith(part)
        case _:
            return json.dumps(part) == json.dumps(whole)
    return len(mine) <= len(other) and all(
        one[0] == two[0]
        and (
            json.dumps(one[1]) == json.dumps(two[1])
            if index < len(mine) - 1
            else is_cut_of(one[1], two[1])
        )
        for index, (one, two) in enumerate(zip(mine, other, strict=False))
    )
