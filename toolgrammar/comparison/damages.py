"""Damages messages in the ways of models, one kind at a time, in any format where it applies.

The kind `stray-comma` makes `{"a": 1,}` of `{"a": 1}`. Kinds bear the code under which the damage is
reported, so that the score of a log says how often models make each.
"""

from __future__ import annotations

import json
import re
from collections import Counter
from typing import TYPE_CHECKING, Final

from toolgrammar.bulk.batches import batch
from toolgrammar.comparison.messages import texts_of
from toolgrammar.salvage.code_blocks import CodeBlocks, FormatMarks

if TYPE_CHECKING:
    import random
    from collections.abc import Callable, Iterable, Iterator

    from toolgrammar.comparison.carried import Wire
    from toolgrammar.values.calls import ToolCall
    from toolgrammar.values.diagnostics import Diagnostic

_STRING: Final = re.compile(r'"(?:[^"\\\n]|\\.)*"')
_WORD: Final = re.compile(r"[A-Za-z_]{3,}")
_TAG: Final = re.compile(
    r"</?[^<>\n]{1,60}>|<[|\uff5c][^<>\n]{1,60}[|\uff5c]>|\[/?[A-Z_]{3,40}\]|```\w*"
)
_OTHER_WORDS: Final = {
    "true": "True", "false": "False", "null": "None", "True": "true", "False": "false", "None": "null",
}  # fmt: skip
_LITERAL: Final = re.compile(rf'(?<=[":=,])(\s?)({"|".join(_OTHER_WORDS)})\b')


def _cut(wire: Wire, draw: random.Random) -> str | None:
    call = draw.choice(wire.calls)
    # Within the call: before and after it a cut damages nothing.
    return wire.text[: draw.randint(call.span.start + 1, call.span.end - 1)]


def _fenced(wire: Wire, _draw: random.Random) -> str | None:
    # Fences do not nest: the first one in the message would end this one.
    return None if "```" in wire.text else f"```\n{wire.text}\n```"


def _misspelt(wire: Wire, draw: random.Random) -> str | None:
    """Drops or doubles a letter of a word of the markup."""
    markup = set(wire.markup)
    words = [
        each.span()
        for each in _WORD.finditer(wire.text)
        # A misspelt value is another value, which no reader can know.
        if all(place in markup for place in range(*each.span()))
    ]
    if not words:
        return None
    place = draw.randrange(*draw.choice(words))
    letter = draw.choice(["", wire.text[place] * 2])
    return wire.text[:place] + letter + wire.text[place + 1 :]


def _backslash(wire: Wire, draw: random.Random) -> str | None:
    call = draw.choice(wire.calls)
    start = wire.text.find(call.name, call.span.start, call.span.end)
    if start < 0 or "_" not in call.name:
        return None
    end = start + len(call.name)
    return wire.text[:start] + call.name.replace("_", "\\_") + wire.text[end:]


def _closers(wire: Wire) -> list[tuple[int, int]]:
    """Returns where the last tag of each call stands that is markup and not its first."""
    found = []
    for call in wire.calls:
        tags = [
            each.span()
            for each in _TAG.finditer(wire.text, call.span.start, call.span.end)
            if not any(wire.content[each.start() : each.end()])
        ]
        # The only tag of a call is its opener; without that there is no call to be read.
        if len(tags) > 1:
            found.append(tags[-1])
    return found


def _closer_missing(wire: Wire, draw: random.Random) -> str | None:
    found = _closers(wire)
    if not found:
        return None
    start, end = draw.choice(found)
    return wire.text[:start] + wire.text[end:]


def _closer_doubled(wire: Wire, draw: random.Random) -> str | None:
    found = _closers(wire)
    if not found:
        return None
    start, end = draw.choice(found)
    return wire.text[:end] + "\n" + wire.text[start:]


def _strings(wire: Wire) -> Iterator[tuple[int, int]]:
    """Yields where strings in double quotes stand, with their quotes, none of which is content."""
    for call in wire.calls:
        for each in _STRING.finditer(wire.text, call.span.start, call.span.end):
            if not (wire.content[each.start()] or wire.content[each.end() - 1]):
                yield each.span()


def _other_quotes(wire: Wire, draw: random.Random) -> str | None:
    # With an apostrophe in it the string would end early: another damage than the one that is
    # meant.
    found = [span for span in _strings(wire) if "'" not in wire.text[slice(*span)]]
    if not found:
        return None
    start, end = draw.choice(found)
    return f"{wire.text[:start]}'{wire.text[start + 1 : end - 1]}'{wire.text[end:]}"


def _no_quotes(wire: Wire, draw: random.Random) -> str | None:
    found = [
        (start, end)
        for start, end in _strings(wire)
        # A value: of keys and names models write the quotes.
        if wire.text[:start].rstrip()[-1:] in (":", "=") and end - start > 2
    ]
    if not found:
        return None
    start, end = draw.choice(found)
    return wire.text[:start] + wire.text[start + 1 : end - 1] + wire.text[end:]


def _literal(wire: Wire, draw: random.Random) -> str | None:
    found = [
        each
        for call in wire.calls
        for each in _LITERAL.finditer(wire.text, call.span.start, call.span.end)
        # Not in a string, where it is a word.
        if not any(start < each.start() < end for start, end in _strings(wire))
    ]
    if not found:
        return None
    one = draw.choice(found)
    return f"{wire.text[: one.start(2)]}{_OTHER_WORDS[one[2]]}{wire.text[one.end() :]}"


def _escaped(wire: Wire, escape: str) -> list[int]:
    """Returns where an escape stands in a value that is written with escapes."""
    places = []
    for text in {text for call in wire.calls for text in _texts(call)}:
        written = json.dumps(text, ensure_ascii=False)[1:-1]
        start = wire.text.find(written)
        # Where the value stands as it is, a backslash in it is a backslash.
        if start < 0 or written == text or text in wire.text:
            continue
        # An escape that begins after an even number of backslashes.
        inner = re.finditer(r"\\.", written)
        places += [start + each.start() for each in inner if each[0] == escape]
    return sorted(places)


def _texts(call: ToolCall) -> Iterable[str]:
    for value in (*call.arguments.values(), call.input):
        yield from texts_of(value)


def _inner_quote(wire: Wire, draw: random.Random) -> str | None:
    found = _escaped(wire, '\\"')
    if not found:
        return None
    place = draw.choice(found)
    return wire.text[:place] + wire.text[place + 1 :]


def _line_end(wire: Wire, draw: random.Random) -> str | None:
    found = _escaped(wire, "\\n")
    if not found:
        return None
    place = draw.choice(found)
    return wire.text[:place] + "\n" + wire.text[place + 2 :]


def _brackets(wire: Wire) -> list[int]:
    return [
        place
        for call in wire.calls
        for place in range(call.span.start, call.span.end)
        # A bracket in a value is part of the value, so its damage could not be detected.
        if wire.text[place] in "}])" and not wire.content[place]
    ]


def _bracket(wire: Wire, draw: random.Random) -> str | None:
    found = _brackets(wire)
    if not found:
        return None
    place = draw.choice(found)
    return wire.text[:place] + wire.text[place + 1 :]


def _comma(wire: Wire, draw: random.Random) -> str | None:
    found = _brackets(wire)
    if not found:
        return None
    place = draw.choice(found)
    return f"{wire.text[:place]},{wire.text[place:]}"


KINDS: Final[dict[str, tuple[str, Callable[[Wire, random.Random], str | None]]]] = {
    "quote-style": ("other quotes around a string", _other_quotes),
    "misspelt": ("a letter of a word of the markup missing or twice", _misspelt),
    "quoted-call": ("a fence around the calls", _fenced),
    "backslash": ("a backslash before the underscores of a name", _backslash),
    "truncated": ("the end missing", _cut),
    "missing-close-tag": ("the last tag of a call missing", _closer_missing),
    "stray-close-tag": ("the last tag of a call twice", _closer_doubled),
    "literal": ("`True` for `true`, or the other way round", _literal),
    "bare-text": ("a text without quotes", _no_quotes),
    "inner-quote": ("a quote in a text not escaped", _inner_quote),
    "bracket": ("a closing bracket missing", _bracket),
    "control": ("a line end in a text not escaped", _line_end),
    "stray-comma": ("a comma too many", _comma),
}
"""By the code under which it is reported: what models do, in words, and what does it."""

RECORDED: Final = {
    "quote-style": 333,
    "misspelt": 233,
    "quoted-call": 148,
    "backslash": 125,
    "truncated": 105,
    "missing-close-tag": 84,
    "stray-close-tag": 56,
    "literal": 53,
    "bare-text": 40,
    "inner-quote": 13,
    "bracket": 5,
    "control": 5,
    "stray-comma": 3,
}
"""In how many of 11,412 recorded messages of models each was reported; those of `recorded`."""


def recorded(path: str) -> dict[str, int]:
    """Returns in how many messages of a log each kind of damage was reported.

    Args:
        path: the file; its rows have a message in `text`, and may have a `format` and `tools`.
    """
    found: Counter[str] = Counter()
    for result in batch(path, format_column="format", tools_column="tools", progress=False):
        found.update({each.code for each in result.diagnostics if _is_kind(each, result.source)})
    return {kind: found[kind] for kind in KINDS if found[kind]}


def _is_kind(problem: Diagnostic, text: str) -> bool:
    """Whether a problem with a message is one that the damage of its code makes."""
    if problem.code != "quoted-call":
        return problem.severity != "info"
    # Calls are also quoted in other ways, such as `> ` before each line.
    blocks = CodeBlocks()
    blocks.read(text[: problem.span.start], FormatMarks())
    return blocks.in_block


def damaged(wire: Wire, kind: str, draw: random.Random) -> str | None:
    """Returns a message with a damage of a kind; None if the format has no place for it."""
    text = KINDS[kind][1](wire, draw)
    # A damage that changed nothing would count as one that was mended.
    return None if text == wire.text else text
