"""Reports members beside the arguments of a call, and doubts the call if one may be an argument.

Example: in `{"name": "order", "arguments": {"kind": "rye"}, "kilos": 25}` the call only gets `kind`. It is
doubted if the tool has an argument `kilos`; else there is a diagnostic of severity `info`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from toolgrammar.core.evidence.member_behind import begins_word, member_begins
from toolgrammar.core.evidence.no_arguments import is_of_all
from toolgrammar.tools.json_tokens import COMMAS
from toolgrammar.values.patterns import late
from toolgrammar.values.spans import Span

if TYPE_CHECKING:
    from collections.abc import Iterable

    from toolgrammar.core.message.build import Builder
    from toolgrammar.core.message.draft import Draft
    from toolgrammar.values.tools import ToolSpec

_OF_QUOTES: Final = frozenset({"colon", "comma", "inner-quote", "missing-quote"})
"""The codes of repairs that may turn the rest of a string into a member."""
_LEADS: Final = frozenset(f"{COMMAS}\"'")
"""The first character of the rest of arguments, other than a letter: of a member, or of a string's end."""
_STRING = late(
    r"\s{0,16}:\s{0,16}(?:\{\s{0,16}\"name\"\s{0,16}:\s{0,16})?[\"']([^\"'\n]{1,64})[\"']"
)
"""A string behind its key, or the name in an object there."""
_OBJECT = late(r"\s{0,16}:\s{0,16}\{\s{0,16}[^\s}]")
"""An object with something in it, behind its key."""
_NOTHING = late(r"\s{0,16}:\s{0,16}(?:null|None|\"\s{0,16}\"|'\s{0,16}'|\{\s{0,16}\}|\[\s{0,16}\])")
"""A value without arguments, behind its key."""
_KEY = late(r"[\"']([^\"'\n]{1,64})[\"']\s{0,16}:")
"""A key in the text of an object."""
_LONGEST_NAME: Final = 100
"""The maximal number of characters behind a key that are examined."""
MOST_KEYS: Final = 32
"""The maximal number of keys that are kept of one call, and of the text before its name."""
PLAIN_KEYS: Final = (
    "explanation", "id", "index", "reason", "reasoning", "thought", "thoughts", "type", "why",
)  # fmt: skip
"""Keys, in lower case, with which models describe an object or note their thoughts."""


def note_beside(builder: Builder, key: str, place: Span) -> None:
    """Notes the key of a member that fills no role, and its place."""
    keys = builder.keys_beside
    keys[place] = key
    if len(keys) > 2 * MOST_KEYS:
        # A member long before a call does not belong to it.
        for old in list(keys)[:MOST_KEYS]:
            del keys[old]


def is_plain(key: str, specs: Iterable[ToolSpec]) -> bool:
    """Whether a member with this key neither belongs to a call nor can be an argument of one."""
    # `id` is an argument of many tools; if a tool has it, the member may be that argument.
    return key.lower() in PLAIN_KEYS and not any(key in spec.properties for spec in specs)


def holds_beside(builder: Builder, draft: Draft) -> bool:
    """Whether there is a member without a role behind the arguments of the open call."""
    # Before the arguments such members are usual: `{"id": 3, "name": "search", "arguments": {}}`.
    behind = max(draft.start, draft.arguments_end)
    return any(place.start >= behind for place in builder.keys_beside)


def tell_beside(builder: Builder, draft: Draft) -> None:
    """Reports the members beside the arguments of the ending call, and doubts the call if needed."""
    keys = builder.keys_beside
    for place in sorted(keys, key=lambda place: place.start):
        key = keys[place]
        # A repeated key has its own doubt.
        if place.start < draft.start or "duplicate-key" in draft.doubts:
            continue
        # Given twice, inside and beside: which of the two was meant is not known.
        is_repeated = key in draft.arguments and key.lower() not in PLAIN_KEYS
        awaited = _may_be_awaited(builder, key) or is_repeated
        if is_plain(key, ()) and not awaited:
            continue
        message = f"Found `{key[:40]}` beside the arguments, and no part of the call"
        # A call with a doubt does not run anyway, so no further reasons are looked for.
        is_rest = not (awaited or draft.doubts) and _is_mended(builder, draft, place)
        names = not draft.doubts and _names_other(builder, draft, place.end)
        holds = not (draft.doubts or draft.error) and _may_be_arguments(builder, key, place.end)
        if awaited:
            message = f"Found `{key[:40]}` beside the arguments; it may be one of them"
        elif names:
            message = f"Found another tool under `{key[:40]}`; the call may be one of that"
        elif is_rest:
            message = f"Found `{key[:40]}` beside the arguments; it may be the rest of a string"
        elif holds:
            message = f"Found `{key[:40]}` beside the name; it may hold the arguments"
        is_doubt = awaited or names or is_rest or holds
        if is_doubt:
            draft.doubts.append("skipped-markup")
        builder.report("skipped-markup", "error" if is_doubt else "info", message, place)
    keys.clear()


def _may_be_awaited(builder: Builder, key: str) -> bool:
    """Whether the tool has an argument that was not given, of this name in any case."""
    # A key inside of the arguments is read as it is spelled; one beside them is only a sign.
    spec, alike = builder.spec(), key.strip().lower()
    names = spec.properties if spec is not None else ()
    return any(name.lower() == alike and builder.awaits(name) for name in names)


def _may_be_arguments(builder: Builder, key: str, place: int) -> bool:
    """Whether a member beside the name of a call may contain its arguments, or others.

    In `{"name": "search", "query": "x"}` the tool would run without its argument, in
    `{"name": "search", "arguments": {"q": "x"}, "args": {"q": "y"}}` maybe with the wrong ones. A tool
    that takes no arguments can't miss any, unless the key is one that formats use for all arguments.
    """
    spec = builder.spec()
    takes_none = spec is not None and not spec.properties
    is_key = is_of_all(key)
    value = builder.source.slice(place, place + _LONGEST_NAME)
    if builder.has_arguments:
        is_object = _OBJECT.match(value) is not None
        # `"options": {"days": 2}` beside arguments that lack `days`.
        holds = any(_may_be_awaited(builder, found[1]) for found in _KEY.finditer(value))
        return is_object and (is_key or holds)
    return (is_key or not takes_none) and _NOTHING.match(value) is None


def _names_other(builder: Builder, draft: Draft, place: int) -> bool:
    """Whether the value behind a key is the name of a given tool that the call does not call."""
    found = _STRING.match(builder.source.slice(place, place + _LONGEST_NAME))
    is_other = found is not None and found[1] != draft.name and found[1] in builder.tools
    return draft.name is not None and is_other


def _is_mended(builder: Builder, draft: Draft, key: Span) -> bool:
    """Whether a key only exists because of repaired quotes, such as `b` in `{"name": "a"b", …}`."""
    found = builder.diagnostics_of(draft)
    near = (each.span for each in found if each.code in _OF_QUOTES)
    # An inserted colon is at the end of the key.
    return any(span.start <= key.end and key.start <= span.end for span in near)


def rest_follows(builder: Builder, text: str, place: int, *, final: bool) -> bool | None:
    """Whether the rest of the arguments is at a place behind them; None if that needs more text.

    If the call was emitted at the end of its arguments, the rest is reported as lost.

    Args:
        builder: the message.
        text: the text.
        place: the place, behind the white space that follows the arguments.
        final: whether the text ends the message.
    """
    first = text[place : place + 1]
    # A letter may begin a key whose quote is damaged: `{}city": "Oslo"}`.
    if first not in _LEADS and not begins_word(first):
        return False
    follows = member_begins(text, place, final=final, is_cut=builder.end.is_cut)
    # If the model wrote that it calls nothing, there is neither a draft nor a call.
    last = builder.calls[-1] if follows and not builder.has_draft and builder.calls else None
    if last is not None and "skipped-markup" not in last.doubts:
        report_rest(builder, last.span.end)
    return follows


def report_rest(builder: Builder, place: int) -> None:
    """Reports text at a place behind a call that may be the rest of its arguments."""
    message = "Found text right behind the arguments; it may be a part of them"
    builder.report("skipped-markup", "error", message, Span(place, place))
