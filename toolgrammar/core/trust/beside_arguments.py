"""Says what stands beside the arguments of a call and is no part of it, and doubts what may be one.

Example: of `{"name": "order", "arguments": {"kind": "rye"}, "kilos": 25}` the call gets `kind`
alone. It is doubted where the tool has an argument `kilos`; else an info says so.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from toolgrammar.core.evidence.member_behind import stands_at
from toolgrammar.core.evidence.no_arguments import KEYS_OF_ARGUMENTS
from toolgrammar.values.patterns import late
from toolgrammar.values.spans import Span

if TYPE_CHECKING:
    from collections.abc import Iterable

    from toolgrammar.core.message.build import Builder
    from toolgrammar.core.message.draft import Draft
    from toolgrammar.values.tools import ToolSpec

_OF_QUOTES: Final = frozenset({"colon", "comma", "inner-quote", "missing-quote"})
"""Codes of repairs by which the rest of a string that ends too early becomes a member."""
_LEADS: Final = frozenset({",", '"', "'"})
"""The first character of the rest of arguments, other than a letter: of a member, or of a string's end."""
_STRING = late(r"\s{0,16}:\s{0,16}[\"']([^\"'\n]{1,64})[\"']")
_NOTHING = late(r"\s{0,16}:\s{0,16}(?:null|None|\"\s{0,16}\"|\{\s{0,16}\}|\[\s{0,16}\])")
"""A value that holds no arguments, behind its key."""
_LONGEST_NAME: Final = 100
"""Characters from the end of a key to that of a name behind it, at most."""
MOST_KEYS: Final = 32
"""Keys that are kept of one call, and of what stands before its name."""
PLAIN_KEYS: Final = (
    "explanation", "id", "index", "reason", "reasoning", "thought", "thoughts", "type", "why",
)  # fmt: skip
"""Keys, in small letters, by which models say what an object is, or what they thought."""


def note_beside(builder: Builder, key: str, offset: int) -> None:
    """Notes the key of a member that fills no role, and where it stands."""
    keys = builder.keys_beside
    keys[offset] = key
    if len(keys) > 2 * MOST_KEYS:
        # What stands long before a call is none of its members.
        for old in list(keys)[:MOST_KEYS]:
            del keys[old]


def is_plain(key: str, specs: Iterable[ToolSpec]) -> bool:
    """Whether a member with this key says nothing of a call, and can be no argument of one."""
    # `id` is an argument of many tools: where one has it, the member may be that argument.
    return key.lower() in PLAIN_KEYS and not any(key in spec.properties for spec in specs)


def holds_beside(builder: Builder, draft: Draft) -> bool:
    """Whether a member without a role stands behind the arguments of the open call, if it has any."""
    # Before the arguments members are usual: `{"id": 3, "name": "search", "arguments": {}}`.
    behind = max(draft.start, draft.arguments_end)
    return any(offset >= behind for offset in builder.keys_beside)


def tell_beside(builder: Builder, draft: Draft) -> None:
    """Reports what stands beside the arguments of a call that ends; doubts what may be one of them."""
    keys = builder.keys_beside
    for offset, key in sorted(keys.items()):
        # What is said twice has a doubt of its own.
        if offset < draft.start or "duplicate-key" in draft.doubts:
            continue
        awaited = builder.awaits(key)
        if is_plain(key, ()) and not awaited:
            continue
        message = f"Found `{key[:40]}` beside the arguments, and no part of the call"
        place = Span(offset, offset + len(key) + 2)
        # A call that is in doubt already is not run: more reasons would help nobody.
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
            message = f"Found `{key[:40]}` and no arguments; it may hold them"
        is_doubt = awaited or names or is_rest or holds
        if is_doubt:
            draft.doubts.append("skipped-markup")
        builder.report("skipped-markup", "error" if is_doubt else "info", message, place)
    keys.clear()


def _may_be_arguments(builder: Builder, key: str, place: int) -> bool:
    """Whether a call has no arguments, and a key beside its name holds something.

    As in `{"name": "search", "query": "x"}`: the tool would run without what was meant for it. One
    that takes no arguments loses none, but where the key is one that others use for all of them.
    """
    spec = builder.spec()
    takes_none = spec is not None and not spec.properties
    if builder.has_arguments or (takes_none and key.lower() not in KEYS_OF_ARGUMENTS):
        return False
    return _NOTHING.match(builder.source.slice(place, place + _LONGEST_NAME)) is None


def _names_other(builder: Builder, draft: Draft, place: int) -> bool:
    """Whether the value behind a key is the name of a given tool that the call does not call."""
    found = _STRING.match(builder.source.slice(place, place + _LONGEST_NAME))
    is_other = found is not None and found[1] != draft.name and found[1] in builder.tools
    return draft.name is not None and is_other


def _is_mended(builder: Builder, draft: Draft, key: Span) -> bool:
    """Whether a key is one by repairs of quotes alone, as `b` of `{"name": "a"b", …}` is."""
    found = builder.diagnostics[draft.diagnostics.listed :]
    near = (each.span for each in found if each.code in _OF_QUOTES)
    # A colon that was put in stands at the end of the key.
    return any(span.start <= key.end and key.start <= span.end for span in near)


def rest_follows(builder: Builder, text: str, place: int, *, final: bool) -> bool | None:
    """Whether the rest of the arguments stands at a place behind them; None where more text tells.

    Where the call was given out as its arguments ended, the rest is reported as lost.

    Args:
        builder: the message.
        text: the text.
        place: the place, behind the white space that follows the arguments.
        final: whether the text ends the message.
    """
    first = text[place : place + 1]
    # A letter may be that of a key whose quote is damaged: `{}city": "Oslo"}`.
    if first not in _LEADS and not first.isalpha():
        return False
    follows = stands_at(text, place, final=final, is_cut=builder.end.is_cut)
    # Where a model wrote that it calls nothing, there is neither a draft nor a call.
    last = builder.calls[-1] if follows and not builder.has_draft and builder.calls else None
    if last is not None and "skipped-markup" not in last.doubts:
        report_rest(builder, last.span.end)
    return follows


def report_rest(builder: Builder, place: int) -> None:
    """Reports that what may be the rest of the arguments of a call stands at a place behind it."""
    message = "Found text right behind the arguments; it may be a part of them"
    builder.report("skipped-markup", "error", message, Span(place, place))
