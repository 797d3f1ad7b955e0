"""Ends a call: by its closer, at a place that does not fit, or where the text is cut."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from toolgrammar.core import last_call, turns
from toolgrammar.core.groups import settle
from toolgrammar.core.mended_calls import doubt_mended
from toolgrammar.core.misfits import is_misfit
from toolgrammar.core.named_tools import oddity
from toolgrammar.core.owed import report_owed
from toolgrammar.core.standing import doubt_fenced, doubt_inside
from toolgrammar.values.diagnostics import Edit
from toolgrammar.values.events import Problem
from toolgrammar.values.patterns import late
from toolgrammar.values.spans import Span

_HELD = late(r'(?:"(?:\s|\\[nrt])*)?\{\s*[^\s}]')
_NEAR = 256
"""Characters in which an object shows what it holds."""
_ODD_NAMES: Final = {
    "empty-name": ("Found a call with an empty name", "no tool can be meant by it"),
    "malformed-name": (
        "Found a call of `{}`: the name begins or ends with what is no part of one",
        "a delimiter beside it may have moved",
    ),
    "overlong-name": (
        "Found a call of `{}`: no tool has the name, and one has its beginning",
        "something may have run into it",
    ),
}
_NOT_WHOLE = frozenset({"truncated", "unreadable"})

if TYPE_CHECKING:
    from toolgrammar.core.build import Builder
    from toolgrammar.core.draft import Draft
    from toolgrammar.core.groups import Group


def end(builder: Builder, draft: Draft, place: int, group: Group | None = None) -> None:
    """Ends the open call at an offset: gives it out, keeps it as a candidate, or gives it back.

    Args:
        builder: the message.
        draft: the open call.
        place: where the call ends.
        group: the section that it stands in, where the builder has forgotten that.
    """
    if draft.arguments_start < 0 <= draft.start <= builder.scanned.beside:
        _note_beside(builder, draft)
    if draft.repaired and builder.lacks_required:
        # A bracket that was put in may stand at another place: an inner object took the rest.
        found = {each.code for each in builder.diagnostics[draft.diagnostics.listed :]}
        draft.doubts += sorted(found & {"bracket"})
    if draft.repaired and any(map(builder.awaits, draft.beside)):
        # A bracket that is one too many ended the arguments before these.
        draft.doubts.append("bracket")
    if draft.name is not None:
        _doubt_name(builder, draft, draft.name)
        doubt_mended(builder, draft)
        doubt_inside(builder, draft)
    turns.doubt_behind_observation(builder, draft)
    builder.turns.is_open = builder.turns.is_open or draft.may_go_on
    ended_here = _is_cut(builder, draft, place)
    builder.draft = None
    builder.watched = False
    builder.last_name = draft.written_name
    if draft.name is None:
        if builder.listening:
            builder.events.extend(event for event in draft.events if isinstance(event, Problem))
        if not draft.truncated:
            _report_nameless(builder, draft, place)
        return
    status = draft.status(cut=ended_here)
    if _refused(builder, draft, status, max(place, draft.start)):
        return
    if draft.doubts or status in _NOT_WHOLE:
        report_owed(builder, draft, status, place)
    if status in _NOT_WHOLE and builder.signs is not None:
        # Where its closer was put in, what follows may be its payload.
        found = {each.code for each in builder.diagnostics[draft.diagnostics.listed :]}
        is_closed = "missing-close-tag" not in found
        builder.turns.is_open = builder.signs.has_closers and not is_closed
    if builder.header.calls == "last":
        last_call.hold(builder, draft, status, place)
        return
    builder.complete(draft, status, place, group)


def _doubt_name(builder: Builder, draft: Draft, name: str) -> None:
    """Doubts a call whose name is odd."""
    code = oddity(name, builder.tools)
    if not code:
        return
    draft.doubts.append(code)
    message, hint = _ODD_NAMES[code]
    place = Span(draft.start, draft.start)
    builder.report(code, "error", message.format(name[:40]), place, hint=hint)


def _report_nameless(builder: Builder, draft: Draft, place: int) -> None:
    """Reports a call that names no tool: there is none to be made of it."""
    builder.report(
        "malformed-call",
        "error",
        "Found a call that names no tool; left it out",
        Span(draft.start, max(place, draft.start)),
    )


def _is_cut(builder: Builder, draft: Draft, place: int) -> bool:
    """Whether the open call was cut; says so where the text alone does not tell.

    A call that the end of the text closes is cut where the server says so, and where its tool
    requires an argument that did not come.
    """
    if draft.truncated or draft.name is None:
        return draft.truncated
    has_text = draft.inputs is not None and "".join(draft.inputs).strip() != ""
    carried = builder.header.carry  # what comes from another call is not cut off
    lacks = not (carried or draft.held is not None or has_text) and builder.lacks_required
    if not (builder.ended_open and (builder.cut_by_server or lacks)):
        return False
    if draft.error is None:
        builder.watched = False  # in any other format it is cut, too
        why = "the server cut the answer" if builder.cut_by_server else "an argument did not come"
        builder.report(
            "truncated",
            "error",
            f"Found the end of the text where the call may go on, and {why}",
            Span(max(0, place), max(0, place)),
            hint="the call is not complete: do not run it",
        )
    return True


def _note_beside(builder: Builder, draft: Draft) -> None:
    """Doubts a call without arguments in which an object stands under a key that means nothing."""
    if _HELD.match(builder.source.slice(builder.scanned.beside, builder.scanned.beside + _NEAR)):
        draft.doubts.append("skipped-markup")
        builder.report(
            "skipped-markup",
            "error",
            "Found an object under a key that the format does not have, and no arguments",
            Span(builder.scanned.beside, builder.scanned.beside),
            hint="it may hold the arguments",
        )


def _refused(builder: Builder, draft: Draft, status: str, place: int) -> bool:
    """Gives back as text what strict reading, or the limit on calls, does not take."""
    limit = builder.max_calls
    if limit is not None and len(builder.calls) >= limit:
        code, message = "limit-calls", f"Found more than {limit} calls; text from here"
    elif builder.strict and status != "complete":
        code, message = "malformed-call", "Found a call that the grammar does not take as it is"
    elif draft.unclosed or is_misfit(builder, draft):
        # What was mended in it is forgotten: say that there was something.
        code = "malformed-call" if draft.repaired and not draft.unclosed else ""
        message = "Found what is no call of a given tool, even if it is mended"
        builder.listing.rewind(draft.diagnostics)
    else:
        return False
    problems = [event for event in draft.events if isinstance(event, Problem)]
    draft.events = []
    if code:
        builder.events.extend(problems)
        builder.report(code, "error", message, Span(draft.start, place))
    builder.text(builder.source.slice(draft.start, place), draft.start)
    return True


def broken(builder: Builder, place: int, last_end: int) -> None:
    """Ends the open call at a place that its grammar does not take.

    Args:
        builder: the message.
        place: where the text does not fit.
        last_end: where what fits ends.
    """
    draft = builder.draft
    if draft is None:
        return
    builder.report(
        "malformed-call",
        "error",
        "Found text that the format does not take here; the call ends before it",
        Span(max(0, place), max(0, place)),
        hint="what follows is read as text",
    )
    draft.truncated = True
    draft.may_go_on = draft.may_go_on or draft.unescaped
    draft.unclosed = builder.header.unclosed == "text"
    if not draft.given_out and draft.error is None:
        draft.error = "the call could not be read"
    end(builder, draft, max(last_end, draft.start))
    # What follows may be its payload, up to the closer of a call where the format has one.
    builder.turns.is_open = builder.signs is not None and builder.signs.has_closers


def cut(
    builder: Builder, stop: int, *, root_open: bool = False, closers: str = "", place: int = -1
) -> None:
    """Ends the open call because the text ended inside it.

    Args:
        builder: the message.
        stop: where the text ended.
        root_open: the arguments are whole, but not the object that they stand in.
        closers: what is missing.
        place: where it is missing, if something that was cut stands there; else at the end.
    """
    draft = builder.draft
    if draft is None:
        builder.committed = True
        return
    place = stop if place < 0 else place
    for found in builder.diagnostics[draft.diagnostics.listed :]:
        place = max([place, *(edit.span.end for edit in found.edits)])  # none overlap
    edits = _replaced(place, stop, closers)
    # One report: the call's, not the section's too.
    group, builder.group = builder.group, None
    draft.unclosed = builder.header.unclosed == "text"
    whole = draft.has_payload and draft.error is None and not draft.truncated
    whole = whole and not root_open
    if whole:
        draft.repaired = True
        builder.report(
            "missing-close-tag",
            "warning",
            "Found the end of the text before the call's own closer; its arguments are whole",
            Span(stop, stop),
            edits=edits,
        )
    else:
        draft.truncated = True
        builder.report(
            "truncated",
            "error",
            "Found the end of the text inside a call",
            Span(stop, stop),
            edits=edits,
            hint="the call is not complete: do not run it",
        )
    end(builder, draft, stop, group)


def give_back_half_a_name(builder: Builder, stop: int) -> bool:
    """Gives a call back as text whose name the end of the text may have cut; false for others."""
    draft = builder.draft
    if draft is None or draft.started or not draft.written_name or draft.arguments_start >= 0:
        return False
    name = draft.written_name
    whole = not (name[-1].isalnum() or name[-1] in "_-.")
    if whole or builder.source.slice(stop - len(name), stop) != name:
        return False
    builder.draft = builder.group = None
    place = Span(stop, stop)
    builder.report("truncated", "error", "Found the end of the text in the name of a call", place)
    builder.text(builder.source.slice(draft.start, stop), draft.start)
    return True


def finish(builder: Builder, stop: int, closers: str = "") -> None:
    """Ends the message, and what is open in it; settles ids and dependencies.

    Args:
        builder: the message.
        stop: where the text ended.
        closers: what is missing behind a section of calls.
    """
    builder.report_skipped()
    if builder.draft is not None:
        cut(builder, stop)
    if builder.group is not None:
        builder.report(
            "missing-close-tag",
            "error" if builder.strict else "warning",
            "Found the end of the text before the closer of a section of calls",
            Span(stop, stop),
            edits=_replaced(stop, stop, closers),
        )
    last_call.settle_candidate(builder)
    turns.doubt_before_answer(builder)
    doubt_fenced(builder)
    settle(builder.calls, builder.report)


def _replaced(start: int, stop: int, text: str) -> tuple[Edit, ...]:
    """Gives the edit that writes what is missing; none where that is not known."""
    return (Edit(Span(max(0, start), max(0, stop)), text),) if text else ()
