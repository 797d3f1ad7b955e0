"""Counts what one message adds to the score, as shares of items.

For a message with two calls, one of them truncated, `truncated` is 1 of 1 message, and `executable`
is 1 of 2 calls. A share that does not apply, such as the right calls of a row without a truth, is
omitted.
"""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Final, NamedTuple

from toolgrammar.scoring.schema_breaks import KINDS, breaks
from toolgrammar.scoring.truths import agreement
from toolgrammar.values.codes import LOSSES

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from toolgrammar.scoring.truths import TrueCall
    from toolgrammar.values.calls import ParseResult
    from toolgrammar.values.tools import ToolSpec

MEASURES: Final = {
    "with_calls": ("messages", "have a call"),
    "parsed": ("messages", "were read without an error: every call may run, nothing was lost"),
    "repaired": ("messages", "have a call that was mended"),
    "doubted": ("messages", "have a call that may have been meant otherwise"),
    "truncated": ("messages", "have a call that the end of the text cut"),
    "unreadable": ("messages", "have a call whose arguments can't be read"),
    "lost": ("messages", "lost a call or text that may have been one"),
    "retyped": ("messages", "have a JSON value that the schema gave another type"),
    "executable": ("calls", "may run"),
    "unknown_tool": ("calls", "name a tool that is not in their list"),
    "schema": ("whole calls of known tools", "break the schema of their tool"),
    **{
        f"schema_{kind}": ("whole calls of known tools", f"break it: {said}")
        for kind, said in KINDS.items()
    },
    "same_message": ("messages", "have the calls that were right, in order, and no others"),
    "same_call": ("right calls", "were found, name and arguments"),
    "same_name": ("right calls", "have a call of their name"),
    "same_argument": ("right arguments", "were found, with their value"),
    "extra_call": ("calls", "are none of those that were right"),
}
"""Each share, with the items that it counts and its meaning."""


class MessageScore(NamedTuple):
    """The counts of one message."""

    shares: dict[str, tuple[int, int]]
    """The number of items that count and of all items, for each measure."""
    codes: tuple[str, ...]
    """The codes of its errors and warnings, each once."""
    lost: tuple[str, ...]
    """The codes that report a loss, each once."""


def score_of(
    result: ParseResult,
    tools: Mapping[str, ToolSpec] | None,
    truth: Sequence[TrueCall] | None,
) -> MessageScore:
    """Returns the counts of a message for the score.

    Args:
        result: the parse result of the message.
        tools: the tools that the model had; None if they are not known.
        truth: the correct calls; None if they are not known.
    """
    calls = result.calls
    status = {call.status for call in calls}
    # A code counts once a message: one message with many alike faults is one bad message, and
    # should not hide what most messages have. Infos are no faults.
    found = tuple(
        dict.fromkeys(each.code for each in result.diagnostics if each.severity != "info")
    )
    lost = tuple(
        dict.fromkeys(
            each.code
            for each in result.diagnostics
            if each.severity == "error" and each.code in LOSSES
        )
    )
    flags = {
        "with_calls": bool(calls),
        "parsed": result.ok,
        "repaired": "repaired" in status,
        "doubted": any(call.doubts for call in calls),
        "truncated": "truncated" in status,
        "unreadable": "unreadable" in status,
        "lost": bool(lost),
        "retyped": any(each.code == "schema-type" for each in result.diagnostics),
    }
    shares = {name: (int(holds), 1) for name, holds in flags.items()}
    # A message without calls has no share of calls. Counted as 0 of 0 it would change nothing, but
    # would show a measure that does not apply.
    if calls:
        shares["executable"] = (sum(call.executable for call in calls), len(calls))
        shares |= _of_tools(result, tools)
    if truth is not None:
        shares |= _of_truth(result, tools, truth)
    return MessageScore(shares, found, lost)


def _of_tools(
    result: ParseResult, tools: Mapping[str, ToolSpec] | None
) -> dict[str, tuple[int, int]]:
    # Without a list of tools it is not known which names are unknown; 0 % would mislead.
    if not tools:
        return {}
    calls = result.calls
    # The arguments of a call that was cut or can't be read are not those that the model meant.
    known = [call for call in calls if call.name in tools]
    whole = [call for call in known if call.status in ("complete", "repaired")]
    shares = {"unknown_tool": (len(calls) - len(known), len(calls))}
    if whole:
        broken = [breaks(call.arguments, tools[call.name]) for call in whole]
        kinds = Counter(kind for each in broken for kind in each)
        shares["schema"] = (sum(map(bool, broken)), len(whole))
        shares |= {f"schema_{kind}": (kinds[kind], len(whole)) for kind in KINDS}
    return shares


def _of_truth(
    result: ParseResult, tools: Mapping[str, ToolSpec] | None, truth: Sequence[TrueCall]
) -> dict[str, tuple[int, int]]:
    found = agreement(result.calls, truth, tools)
    shares = {"same_message": (int(found.message), 1)}
    # A truth may be an empty list: no call was right. Then only the message as a whole, and the
    # calls too many, can be counted.
    if truth:
        shares["same_call"] = (found.calls, len(truth))
        shares["same_name"] = (found.named, len(truth))
        arguments = sum(len(each.arguments) for each in truth)
        if arguments:
            shares["same_argument"] = (found.arguments, arguments)
    if result.calls:
        shares["extra_call"] = (found.extra, len(result.calls))
    return shares
