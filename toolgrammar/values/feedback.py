"""Writes feedback for the model: what was wrong with its message, and how to write it again.

A call of `get_wether`, with the tool `get_weather`, gives "There is no tool `get_wether`; did you
mean `get_weather`? Write the call again with the name of a tool that you have."
"""

from __future__ import annotations

from difflib import get_close_matches
from typing import TYPE_CHECKING, Final, Protocol

from toolgrammar.values.codes import CODES

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Sequence

    from toolgrammar.values.diagnostics import Diagnostic
    from toolgrammar.values.spans import Span

# A model mends the first problems of a list; a longer list only fills its context.
_MOST: Final = 5
"""The number of problems of one message that are listed."""
_REASONS: Final = 3
"""The number of reasons that are given for one call."""
_LONGEST: Final = 80
"""The number of characters of a name or a text that are quoted."""
_NAMES: Final = 10
"""The number of tool names that are listed if none resembles the called one."""
_CUT: Final = "truncated"
_STATES: Final = frozenset({"truncated", "doubtful"})
"""The messages of an engine that refuses a call for the call's own status or doubts."""
_NEAR: Final = 0.7
"""The least similarity of two names, from 0 to 1, for "did you mean"."""


def shown_name(name: str) -> str:
    """Returns a name for quoting between backticks: shortened, and on one line.

    A name is text of the model: line breaks in it could look like a new turn, so they are escaped,
    as are backticks and characters that can't be printed.
    """
    short = name[:_LONGEST]
    return "".join(
        each if each.isprintable() and each != "`" else f"\\u{ord(each):04x}" for each in short
    )


class Call(Protocol):
    """The members of `ToolCall` that feedback needs; `calls` imports this module, not the reverse."""

    @property
    def name(self) -> str:
        """The tool's name."""

    @property
    def status(self) -> str:
        """Whether the call is whole."""

    @property
    def error(self) -> str | None:
        """Why the arguments could not be read."""

    @property
    def doubts(self) -> tuple[str, ...]:
        """The codes of repairs that may have guessed wrong."""

    @property
    def span(self) -> Span:
        """Where the call is in the source."""

    @property
    def executable(self) -> bool:
        """Whether the call may run."""


def call_feedback(
    call: Call, names: Collection[str] | None = None, reasons: Sequence[str] = ()
) -> str:
    """Returns a message for the model about one of its calls; "" if the call may run.

    A call that was cut off gives "Your call of `search` was cut off before its end and did not run.
    Write the whole call again, and shorter: a long text goes into several calls."

    Args:
        call: the call.
        names: the names of all tools, if known: any other name is then reported too.
        reasons: why the call may not run, as the diagnostics say it; if empty, the meanings of its
            doubts are used.
    """
    unknown = "" if names is None or call.name in names else _unknown(call.name, names)
    return " ".join(filter(None, (unknown, "" if call.executable else _refused(call, reasons))))


def error_feedback(call: Call, code: str, message: str, names: Collection[str] | None) -> str:
    """Returns a message for the model about a call that an engine refused; "" for other errors.

    Args:
        call: the call.
        code: the code of the engine's error.
        message: the message of the engine's error.
        names: the names of all tools, if known.
    """
    if code == "unknown_tool":
        return _unknown(call.name, names)
    if code == "bad_args":
        return _again(_head(call), message)
    if code != "refused":
        return ""
    # A policy gives its reason as a whole sentence, which is passed on as it is.
    return _refused(call, ()) if message in _STATES and not call.executable else message


def _refused(call: Call, reasons: Sequence[str]) -> str:
    head = _head(call)
    if call.status == _CUT and not reasons:
        return (
            f"{head} was cut off before its end and did not run. Write the whole call again, and "
            "shorter: a long text goes into several calls."
        )
    if call.error is not None or call.status in {_CUT, "unreadable"}:
        # A call made by hand may be unreadable and have no error.
        why = call.error or "; ".join(reasons) or "the arguments could not be read"
        return _again(head, why)
    meanings = "; ".join(reasons or map(_meaning, call.doubts))
    return (
        f"{head} did not run, since it may mean something else than was read: {meanings}. "
        "Write it again, with every quote, bracket and tag in its place."
    )


def _head(call: Call) -> str:
    return f"Your call of `{shown_name(call.name)}`" if call.name else "Your call without a name"


def _again(head: str, why: str) -> str:
    return f"{head} did not run: {why.rstrip('.')}. Write it again in the same format."


def _unknown(name: str, names: Collection[str] | None) -> str:
    """Returns a message about an unknown tool, with the names that resemble it."""
    mend = "Write the call again with the name of a tool that you have."
    if names is None:
        return f"There is no tool `{shown_name(name)}`. {mend}"
    # The model's name may have any length, and the time of a comparison grows with it.
    near = get_close_matches(name[:_LONGEST], names, n=3, cutoff=_NEAR)
    # If no name resembles it, the model sees the first of those that it may choose from.
    others = [f"`{shown_name(each)}`" for each in near or sorted(names)[:_NAMES]]
    more = ", \u2026" if not near and len(names) > _NAMES else ""
    which = (
        f"; did you mean {' or '.join(others)}?"
        if near
        else f". The tools are {', '.join(others)}{more}."
    )
    if not others:
        return f"There is no tool `{shown_name(name)}`, and no other: answer without a call."
    return f"There is no tool `{shown_name(name)}`{which} {mend}"


def result_feedback(
    calls: Iterable[Call],
    diagnostics: Sequence[Diagnostic],
    source: str,
    names: Collection[str] | None = None,
) -> str:
    """Returns a message for the model about its message, one line per problem; "" if none.

    Args:
        calls: the calls of the message.
        diagnostics: all its diagnostics; those of a refused call are reported with the call.
        source: the message.
        names: the names of all tools, if known.
    """
    lines: list[str] = []
    told: list[Diagnostic] = []
    for call in calls:
        own = _of(call, diagnostics)
        told += own
        lines.append(call_feedback(call, names, _reasons(call, own)))
    return _list([*filter(None, lines), *_lost(told, diagnostics, source)])


def lost_feedback(calls: Iterable[Call], diagnostics: Sequence[Diagnostic], source: str) -> str:
    """Returns the lines of `result_feedback` that are about no call; "" if there are none.

    Args:
        calls: the calls of the message.
        diagnostics: all its diagnostics; those of a refused call are left out.
        source: the message.
    """
    told = [each for call in calls for each in _of(call, diagnostics)]
    return _list(_lost(told, diagnostics, source))


def _of(call: Call, diagnostics: Iterable[Diagnostic]) -> list[Diagnostic]:
    """Returns the errors of a call that may not run."""
    if call.executable:
        return []
    return [each for each in diagnostics if each.severity == "error" and _is_of(each, call)]


def _lost(told: Iterable[Diagnostic], diagnostics: Iterable[Diagnostic], source: str) -> list[str]:
    """Returns a line for each error that is not told with a call."""
    known = {id(each) for each in told}
    lines = []
    for each in diagnostics:
        if each.severity == "error" and id(each) not in known:
            # The span of something missing is empty: the text after it shows the place.
            place = source[each.span.start : max(each.span.end, each.span.start + 40)]
            quoted = (
                f" at `{shown_name(' '.join(place[:_LONGEST].split()))}`" if place.strip() else ""
            )
            lines.append(
                f"Something in your message was not read{quoted}: {_on_one_line(each.message)}. "
                "If it was meant as a call, write the whole call again."
            )
    return lines


def _list(lines: list[str]) -> str:
    if len(lines) > _MOST:
        lines[_MOST:] = [f"{len(lines) - _MOST} more problems of this kind follow."]
    return "\n".join(lines)


def _is_of(diagnostic: Diagnostic, call: Call) -> bool:
    """Whether a diagnostic is about a call."""
    # Calls of an API are in no text: the message of a diagnostic names its call.
    if call.span.end == call.span.start:
        return (
            diagnostic.span == call.span
            and f"in the call of {call.name!r:.80}" in diagnostic.message
        )
    # The end counts too: an error about a missing closer has its span right after the call.
    return call.span.start <= diagnostic.span.start <= call.span.end


def _reasons(call: Call, diagnostics: Iterable[Diagnostic]) -> list[str]:
    """Returns why a call may not run: what was found, and where; [] if its status says enough."""
    found = list(diagnostics)
    # A limit ends a call too, and its diagnostic says more than that the call was cut off.
    if call.status == _CUT and (not found or any(each.code == _CUT for each in found)):
        return []
    said: dict[str, None] = {}
    for each in found:
        text = _on_one_line(each.message).rstrip(".")
        where = f" (at `{shown_name(each.path)}`)" if each.path.strip("$") else ""
        said[text[:1].lower() + text[1:] + where] = None
    return list(said)[:_REASONS]


def _on_one_line(message: str) -> str:
    # The feedback has one line per problem.
    return " ".join(message.split())


def _meaning(code: str) -> str:
    """Returns the meaning of a doubt: the beginning of its entry in the table of codes."""
    entry = CODES.get(code)
    if entry is None:
        return code
    # `A quote inside a string is not escaped; a warning where …`: without the exceptions.
    text = entry.meaning.split(";")[0].split(". ")[0].rstrip(".")
    return text[:1].lower() + text[1:]
