"""Ends a call: at its closer, at text that does not fit, or at the end of a cut text.

Example: `<tool_call>{"name": "f", "arguments": {"a": "x` ends as a call whose status is
`truncated`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from toolgrammar.core.calls.completion import complete, hold, is_full, is_no_call, settle_candidate
from toolgrammar.core.evidence.named_tools import oddity
from toolgrammar.core.evidence.no_arguments import are_call
from toolgrammar.core.message.reports import doubt, report_cut
from toolgrammar.core.trust import turns
from toolgrammar.core.trust.beside_arguments import tell_beside
from toolgrammar.core.trust.cut_texts import doubt_begun_anew
from toolgrammar.core.trust.mended_calls import doubt_mended
from toolgrammar.core.trust.missing_errors import is_misfit, report_owed
from toolgrammar.core.trust.quoted_calls import doubt_shown
from toolgrammar.values.diagnostics import Edit
from toolgrammar.values.patterns import late
from toolgrammar.values.spans import Span

# A non-empty object, or the text of one in a string: `{"city"`, `"{\"city`.
_NON_EMPTY_OBJECT = late(r'(?:"(?:\s|\\[nrt])*)?\{\s*[^\s}]')
_NEAR = 256
"""The number of characters in which an object shows whether it is empty."""
_ODD_NAMES: Final = {
    "empty-name": ("Found a call with an empty name", "no tool can be meant by it"),
    "malformed-name": (
        "Found a call of `{}`: the name holds what is no part of one",
        "a delimiter beside it may have moved",
    ),
    "overlong-name": (
        "Found a call of `{}`: no tool has the name, and one has its beginning",
        "something may have run into it",
    ),
    "misspelt": (
        "Found a call of `{}`, which may be the name that stands for no call",
        "no tool may be meant by it",
    ),
}
_NOT_WHOLE = frozenset({"truncated", "unreadable"})

if TYPE_CHECKING:
    from toolgrammar.core.message.build import Builder
    from toolgrammar.core.message.draft import Draft
    from toolgrammar.core.message.groups import Group


def end(builder: Builder, draft: Draft, place: int, group: Group | None = None) -> None:
    """Ends the open call: emits it, keeps it as a candidate, drops it, or gives it back as text.

    Args:
        builder: the message.
        draft: the open call.
        place: the offset where the call ends.
        group: its section, if the builder has closed that already.
    """
    # Payloads in the call that filled no role, as that of `"args": {…}` in a format whose key
    # is `arguments`.
    beside = [each for each in builder.beside if draft.start <= each]
    if draft.arguments_start < 0 and beside:
        _doubt_beside(builder, draft, beside, place)
    if draft.repaired and builder.lacks_required:
        # An inserted bracket may belong to another place: an inner object may have taken the rest.
        # Behind a missing closer, more of the value and other arguments may be missing, too.
        found = {each.code for each in builder.diagnostics_of(draft)}
        draft.doubts.extend(sorted(found & {"bracket", "missing-close-tag"} - set(draft.doubts)))
    tell_beside(builder, draft)
    if draft.name is not None:
        # The order matters: `doubt_mended` adds nothing if there are doubts already.
        _doubt_name(builder, draft, draft.name)
        doubt_mended(builder, draft)
        _doubt_arguments(builder, draft, draft.name)
        doubt_shown(builder, draft, place)
        doubt_begun_anew(builder, draft)
    turns.doubt_behind_observation(builder, draft)
    turns.doubt_behind_answer(builder, draft)
    if draft.may_go_on:
        builder.turns.leave_open()
    # This comes while the draft is open: `_is_cut` needs its tool, and reports inside the call.
    ended_here = _is_cut(builder, draft, place)
    builder.end_draft(draft)
    if draft.name is None:
        # Its problems are emitted here, as no `CallStart` will come for which they could wait.
        builder.queue.extend(draft.take_problems())
        if not draft.truncated:
            _report_nameless(builder, draft.start, place)
        return
    status = draft.status(cut=ended_here)
    if _drop_or_give_back(builder, draft, status, max(place, draft.start)):
        return
    if draft.doubts or status in _NOT_WHOLE:
        report_owed(builder, draft, status, place)
    if status in _NOT_WHOLE and builder.signs is not None:
        # If its closer was inserted, the text after it may be its payload.
        found = {each.code for each in builder.diagnostics_of(draft)}
        is_closed = "missing-close-tag" not in found
        builder.turns.leave_open(is_open=builder.signs.has_closers and not is_closed)
    if builder.header.calls == "last":
        hold(builder, draft, status, place)
        return
    complete(builder, draft, status, place, group)


def _doubt_name(builder: Builder, draft: Draft, name: str) -> None:
    """Doubts a call whose name is empty, malformed or too long, or may be that of no call."""
    code = (
        "" if is_no_call(builder, draft) else oddity(name, builder.tools, builder.header.no_calls)
    )
    if not code:
        return
    message, hint = _ODD_NAMES[code]
    place = Span(draft.start, draft.start)
    doubt(builder, draft, code, message.format(name[:40]), place, hint=hint)


def _doubt_arguments(builder: Builder, draft: Draft, name: str) -> None:
    """Doubts a call whose arguments are a whole call: which of the two was meant is ambiguous."""
    # A call that is in doubt already is not run. An argument that is held back is in a wrapper,
    # which is removed.
    if draft.wrapper_events is not None or draft.doubts:
        return
    if are_call(name, draft.arguments, builder.spec(), builder.tools):
        message = f"Found a whole call as the arguments of a call of `{name[:40]}`"
        place = max(draft.start, draft.arguments_start)
        doubt(builder, draft, "duplicate-key", message, Span(place, place))


def _drop_no_call(builder: Builder, draft: Draft, place: int) -> None:
    """Drops a call whose name means that no tool is called; it is markup, not text."""
    problems = draft.take_problems()
    # A dropped call can't have doubts, so one error stands for all that was odd in it.
    is_odd = bool(draft.arguments or draft.error is not None or draft.doubts)
    if is_odd:
        builder.listing.rewind(draft.checkpoint)
        message = f"Found more than the name in a call of `{draft.name}`, which stands for no call"
        span = Span(draft.start, max(place, draft.start))
        builder.report("malformed-call", "error", message, span)
    else:
        builder.queue.extend(problems)


def report_without_roles(builder: Builder, start: int, end: int) -> None:
    """Reports a call that ends and has filled no role, such as `{"when": "now"}` in a list of calls.

    What was read of it is left out.

    Args:
        builder: the message.
        start: the offset where the call began.
        end: the offset where it ends.
    """
    # A final answer in the markup of a call is not a call.
    if builder.draft is None and builder.turns.answer_start < start:
        _report_nameless(builder, start, end)


def _report_nameless(builder: Builder, start: int, end: int) -> None:
    """Reports a call without a name, which is dropped."""
    message = "Found a call that names no tool; left it out"
    builder.report("malformed-call", "error", message, Span(start, max(start, end)))


def _is_cut(builder: Builder, draft: Draft, place: int) -> bool:
    """Whether the open call was cut; reports it if the text alone does not show it.

    A call that the end of the text closes is cut if the server says that it cut the answer, or if
    its tool requires an argument that did not come.
    """
    if draft.truncated or draft.name is None:
        return draft.truncated
    # The text of a free-text call is an argument without a name so far.
    has_text = draft.inputs is not None and "".join(draft.inputs).strip() != ""
    carried = builder.header.carry  # an argument that is inherited from another call is not missing
    lacks = not (carried or draft.wrapper_events is not None or has_text) and builder.lacks_required
    if not (builder.end.is_open and (builder.end.is_cut or lacks)):
        return False
    if draft.error is None:
        builder.watch(watched=False)  # the call is cut in any other format as well
        why = "the answer was cut" if builder.end.is_cut else "an argument did not come"
        message = f"Found the end of the text where the call may go on, and {why}"
        report_cut(builder, place, message)
    return True


def _doubt_beside(builder: Builder, draft: Draft, beside: list[int], end: int) -> None:
    """Doubts a call without arguments if the payloads `beside` them may be its arguments."""
    # An empty object under another key loses no arguments. Only text up to the end of the call is
    # examined, since a stream may not have more.
    held = [
        at
        for at in beside
        if _NON_EMPTY_OBJECT.match(builder.source.slice(at, min(at + _NEAR, end)))
    ]
    code, message, start = "", "", beside[-1]
    if draft.beside and draft.inputs is None:
        code, message = "misspelt", f"Found no arguments; `{draft.beside[0][:40]}` may be their key"
    elif held:
        code, start = "skipped-markup", held[-1]
        message = "Found an object under a key that the format does not have, and no arguments"
    if code:
        place = Span(start, start)
        doubt(builder, draft, code, message, place, hint="it may hold the arguments")


def _drop_or_give_back(builder: Builder, draft: Draft, status: str, place: int) -> bool:
    """Drops a call that means no call; gives back as text what strict reading or a limit rejects.

    Returns:
        Whether the draft became no call.
    """
    if is_no_call(builder, draft):
        _drop_no_call(builder, draft, place)
        return True
    # The order matters: a call past the limit is text, whatever else is wrong with it.
    if is_full(builder):
        code, message = "limit-calls", f"Found more than {builder.max_calls} calls; text from here"
    elif builder.strict and status != "complete":
        code, message = "malformed-call", "Found a call that the grammar does not take as it is"
    elif draft.unclosed or is_misfit(builder, draft):
        # The diagnostics of its repairs are removed, so one error says that there were some.
        code = "malformed-call" if draft.repaired and not draft.unclosed else ""
        message = "Found what is no call of a given tool, even if it is mended"
        builder.listing.rewind(draft.checkpoint)
        draft.take_events()
    else:
        return False
    # Such a call waits for its end, so none of its deltas was emitted; its problems still count.
    problems = draft.take_problems()
    if code:
        builder.queue.extend(problems)
        builder.report(code, "error", message, Span(draft.start, place))
    builder.text(builder.source.slice(draft.start, place), draft.start)
    return True


def broken(builder: Builder, place: int, last_end: int) -> None:
    """Ends the open call before text that its grammar does not accept.

    Args:
        builder: the message.
        place: the offset where the text does not fit.
        last_end: the offset where the last token or payload that fits ends.
    """
    draft = builder.draft
    if draft is None:
        return
    builder.report(
        "malformed-call",
        "error",
        "Found text that the format does not take here; the call ends before it",
        Span(place, place),
        hint="what follows is read as text",
    )
    draft.cut()
    # A value without escapes may contain its own closer as text: the real one may come later.
    draft.close_unescaped()
    draft.leave_unclosed(as_text=builder.header.unclosed == "text")
    # If arguments were emitted, the call keeps them and is truncated, not unreadable.
    if not draft.has_any_argument and draft.error is None:
        draft.fail("the call could not be read")
    end(builder, draft, max(last_end, draft.start))
    # The text after it may be its payload, up to the closer of a call if the format has one.
    has_closers = builder.signs is not None and builder.signs.has_closers
    builder.turns.leave_open(is_open=has_closers)


def cut(
    builder: Builder, stop: int, *, root_open: bool = False, closers: str = "", place: int = -1
) -> None:
    """Ends the open call because the text ended inside it.

    Args:
        builder: the message.
        stop: the offset where the text ended.
        root_open: whether the object around the arguments is open, though they are complete.
        closers: the text of the missing closers; "" if it is not known.
        place: the offset where they are missing, if a part of them was cut there; else -1.
    """
    draft = builder.draft
    if draft is None:
        builder.queue.make_certain()
        return
    place = stop if place < 0 else place
    # Edits must not overlap, so this one begins after those of the call's earlier repairs.
    for found in builder.diagnostics_of(draft):
        place = max([place, *(edit.span.end for edit in found.edits)])
    edits = _edits_for(place, stop, closers)
    # The section is closed without a report of its own: the report of the call stands for both.
    group = builder.take_group()
    draft.leave_unclosed(as_text=builder.header.unclosed == "text")
    whole = draft.has_all_arguments and draft.error is None and not draft.truncated
    # In `{"name": "f", "arguments": {"a": 1}` the last brace is missing, and more members might
    # have come.
    whole = whole and not root_open
    if whole:
        draft.mend()
        builder.report(
            "missing-close-tag",
            "warning",
            "Found the end of the text before the call's own closer; its arguments are whole",
            Span(stop, stop),
            edits=edits,
        )
    else:
        draft.cut()
        report_cut(builder, stop, "Found the end of the text inside a call", edits=edits)
    end(builder, draft, stop, group)


def give_back_half_a_name(builder: Builder, stop: int) -> bool:
    """Gives a call back as text if the text may end inside its name; returns whether it did."""
    draft = builder.draft
    if draft is None or draft.started or not draft.written_name or draft.arguments_start >= 0:
        return False
    name = draft.written_name
    # `get_wea` may go on; a name that ends with another character, such as a quote, is complete.
    whole = not (name[-1].isalnum() or name[-1] in "_-.")
    if whole or builder.source.slice(stop - len(name), stop) != name:
        return False
    builder.drop_draft()
    builder.take_group()
    place = Span(stop, stop)
    builder.report("truncated", "error", "Found the end of the text in the name of a call", place)
    builder.text(builder.source.slice(draft.start, stop), draft.start)
    return True


def finish(builder: Builder, stop: int, closers: str = "") -> None:
    """Ends the open call and section of a message; `judge_calls` follows once all is read.

    Args:
        builder: the message.
        stop: the offset where the text ended.
        closers: the text of the missing closers of a section; "" if it is not known.
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
            edits=_edits_for(stop, stop, closers),
        )
    settle_candidate(builder, at_end=True)


def _edits_for(start: int, stop: int, text: str) -> tuple[Edit, ...]:
    """Returns the edit that writes the missing text; empty if that is not known."""
    return (Edit(Span(start, stop), text),) if text else ()
