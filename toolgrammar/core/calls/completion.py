"""Emits calls: that one began once it is certain, and what it is when it has ended.

Where only the last call of a message counts, each waits as a candidate; the next one makes text of it.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from toolgrammar.core.calls import wrappers
from toolgrammar.core.calls.inherited_arguments import carry_over
from toolgrammar.core.calls.places import places_in
from toolgrammar.core.message.candidate import REASONING, Candidate
from toolgrammar.core.message.groups import generated_id, settle
from toolgrammar.core.trust import turns
from toolgrammar.core.trust.cut_texts import doubt_cut_texts, what_was_open
from toolgrammar.core.trust.standing import doubt_fenced, doubt_quoted
from toolgrammar.values.calls import ToolCall
from toolgrammar.values.events import CallEnd, CallStart, Problem
from toolgrammar.values.spans import Span

if TYPE_CHECKING:
    from toolgrammar.core.message.build import Builder
    from toolgrammar.core.message.draft import Draft
    from toolgrammar.core.message.groups import Group
    from toolgrammar.values.calls import Status


def commit(builder: Builder) -> None:
    """Makes the island final: what it held back is given out."""
    builder.queue.make_certain()
    draft = builder.draft
    if draft is not None and not draft.started:
        _start_call(builder, draft)


def _start_call(builder: Builder, draft: Draft) -> None:
    if draft.name is not None and not draft.started and not _waits_for_its_end(builder, draft):
        _give_out(builder, draft)


def _give_out(builder: Builder, draft: Draft) -> None:
    """Emits the event that a call began, and what waited for that."""
    assert draft.name is not None
    builder.report_skipped()
    # It is settled in front of the new call, so that events keep the order of the text.
    if builder.candidate is not None:
        settle_candidate(builder)
    builder.queue.add(CallStart(len(builder.calls), draft.name, draft.id))
    builder.queue.extend(draft.start_call())


def _waits_for_its_end(builder: Builder, draft: Draft) -> bool:
    """Whether a call may still turn out to be none: strict reading, or one call too many."""
    if is_no_call(builder, draft):
        return True
    # An event can't be taken back, and each of these may still make text of the whole call.
    if "text" in (builder.header.unclosed, builder.header.misfit) or builder.header.calls == "last":
        return True
    return builder.strict or (
        builder.max_calls is not None and len(builder.calls) >= builder.max_calls
    )


def is_no_call(builder: Builder, draft: Draft) -> bool:
    """Whether a call has the name by which the format says that none is meant."""
    no_calls = builder.header.no_calls
    # A tool of the caller that is called so is one.
    return no_calls != "" and draft.name == no_calls and no_calls not in builder.tools


def complete(
    builder: Builder, draft: Draft, status: Status, end: int, group: Group | None = None
) -> None:
    """Emits a call that has ended."""
    assert draft.name is not None
    if not draft.started:
        _give_out(builder, draft)
    # The order matters: unwrapped arguments are known before others are carried over to them.
    if draft.held is not None:
        wrappers.settle(builder, draft)
    if builder.header.carry:
        carry_over(builder, draft)
    # An empty text is a text: `ToolCall.input` is "" in such a format, and None in others.
    if builder.free_text:
        draft.expect_input()
    index = len(builder.calls)
    placed, misfit = draft.place_text(builder.tools.get(draft.name))
    if not placed or _stands_for_several(builder, draft):
        # Before the closing events, for the error has to come before the `CallEnd`.
        status = _refuse_text(builder, draft, status, end)
    if misfit:
        _doubt_word(builder, draft, misfit, end)
    for event in draft.closing(index):
        builder.emit(draft, event)
    group = group or builder.group
    generated = _join(group, draft, builder) if group else None
    start = draft.arguments_start
    stop = draft.arguments_end
    call = ToolCall(
        draft.name,
        draft.arguments,
        draft.id or generated,
        None if draft.inputs is None else "".join(draft.inputs),
        builder.source.slice(max(0, start), stop) if start >= 0 else "",
        Span(draft.start, max(end, draft.start)),
        status,
        tuple(dict.fromkeys(draft.depends_on or ())),
        builder.format_id,
        draft.error,
        tuple(dict.fromkeys(draft.doubts)),
    )
    # What it waits for may still turn out to be no call, or to wait for it.
    is_open = any(not is_taken(each, builder) for each in draft.depends_on or ())
    builder.calls.append(call)
    places = places_in(builder)
    if places is not None:
        places.ended[index] = draft
    if _awaits_doubts(builder, draft, index, status) or is_open:
        builder.turns.awaiting.append(index)
    builder.queue.add(CallEnd(index, call))


def _awaits_doubts(builder: Builder, draft: Draft, index: int, status: Status) -> bool:
    """Notes why the rest of the message may put a call into doubt; tells whether it may."""
    turns = builder.turns
    # A call that is doubted as quoted already needs no second look when the message ends.
    is_unquoted = "quoted-call" not in draft.doubts
    is_fenced = is_unquoted and 0 <= turns.fence <= draft.start
    if is_fenced:
        turns.fenced[index] = turns.fence
    is_quoted = is_unquoted and turns.marks != ""
    if is_quoted:
        turns.quoted[index] = turns.marks
    open_tag = what_was_open(builder, draft, status)
    if open_tag is not None:
        turns.cut[index] = open_tag
    return bool(builder.header.answer or is_fenced or is_quoted or open_tag is not None)


def is_taken(wanted: str, builder: Builder) -> bool:
    """Whether a call before has this id."""
    return wanted in builder.ids()


def _join(group: Group, draft: Draft, builder: Builder) -> str | None:
    """Adds a call: it gets an id where it has none, and waits for the one before it."""
    identified = bool(builder.wire_roles)
    if identified and draft.id is not None and is_taken(draft.id, builder):
        builder.report(
            "duplicate-id",
            "warning",
            f"Found id `{draft.id[:40]}` a second time; the later call gets a new one",
            Span(draft.start, draft.start),
        )
        # The later one: the first was given out with this id.
        draft.take_id("")
    made = None
    # Only where the header gives keys such as `id` a role: other formats leave `id` None.
    if draft.id is None and identified:
        text = json.dumps([draft.name, draft.arguments], ensure_ascii=False)
        made = generated_id(builder.id_seed, len(builder.calls), text)
    # A call that names its dependencies has left the chain: it waits for those alone.
    if group.mode == "sequential":
        draft.chain_behind(group.last)
    group.follow(draft.id or made or "")
    return made


def _stands_for_several(builder: Builder, draft: Draft) -> bool:
    """Whether a text stands alone where the tool has arguments, and none that it can only be."""
    spec = builder.tools.get(draft.name or "")
    if spec is None or draft.has_payload:
        return False
    # It may be an object that lost its brace. Beside arguments it is what the format has it for.
    is_alone = not draft.arguments and "".join(draft.inputs or ()).strip() != ""
    return is_alone and bool(spec.properties) and spec.names_arguments


def _refuse_text(builder: Builder, draft: Draft, status: Status, end: int) -> Status:
    """Reports a text that no argument takes; returns the status that the call then has.

    Without it the tool would run with its defaults.
    """
    builder.report(
        "unplaced-input",
        "error",
        "Found a text where the tool has no argument that it can only be",
        Span(max(0, draft.arguments_start, draft.start), max(end, draft.start, 0)),
        hint="name the argument",
    )
    draft.doubts.append("unplaced-input")
    if draft.members or draft.arguments or draft.error is not None or status == "truncated":
        return status
    draft.fail("input: the tool has no argument that this text can only be")
    return "unreadable"


def _doubt_word(builder: Builder, draft: Draft, name: str, end: int) -> None:
    """Doubts a call in which a property got a word that its schema does not take."""
    draft.doubts.append("schema-mismatch")
    builder.report(
        "schema-mismatch",
        "error",
        f"Found text for `{name[:40]}` that its schema does not take; kept as text",
        Span(max(0, draft.start), max(end, draft.start, 0)),
        path=f"$.{name}",
    )


def hold(builder: Builder, draft: Draft, status: Status, end: int) -> None:
    """Takes a call in place of the one before it, which becomes text."""
    before = builder.take_candidate()
    if before is not None:
        start = before.draft.start
        # What is text has no doubts.
        doubts, problems = (
            # An earlier candidate was an example on the way, and its doubts would make `ok` false.
            before.draft.doubts,
            [e for e in before.draft.events if isinstance(e, Problem)],
        )
        draft.follow(
            builder.listing.forget_doubts(before.draft.diagnostics, draft.diagnostics, doubts)
        )
        builder.queue.extend(
            e
            for e in problems
            if e.diagnostic.severity != "error" or e.diagnostic.code not in doubts
        )
        builder.text(builder.source.slice(start, before.end), start)
        _give_behind(builder, before)
    builder.hold(Candidate(draft, status, end, [], builder.settings))


def settle_candidate(builder: Builder, *, at_end: bool = False) -> None:
    """Emits the call that turned out to be the last one, and what follows it.

    Args:
        builder: the message.
        at_end: whether the message has ended; else a call in another format follows.
    """
    candidate = builder.take_candidate()
    if candidate is None:
        return
    status = candidate.status
    # Any call may be the last one only so far, since the server ended the text.
    if at_end and builder.end.is_cut and status not in {"truncated", "unreadable"}:
        status = "truncated"
        builder.report(
            "truncated",
            "error",
            "Found the last call of a text that was cut; one that counts may have followed",
            Span(candidate.end, candidate.end),
            hint="the message is not complete: do not run the call",
        )
    here = builder.settings
    # Several formats may be read: the call is settled as its own format says.
    builder.use(candidate.settings)
    complete(builder, candidate.draft, status, candidate.end)
    builder.use(here)
    _give_behind(builder, candidate)


def _give_behind(builder: Builder, candidate: Candidate) -> None:
    for text, offset in candidate.behind:
        if offset == REASONING:
            builder.reason(text)
        else:
            builder.text(text, offset)


def judge_calls(builder: Builder) -> None:
    """Doubts calls by what the whole message shows; settles ids and dependencies.

    It is called once, when all calls have ended: where several formats are tried for the end of a
    message, what each of them finds there is taken back, and these calls stand before it.
    """
    builder.watch(watched=False)  # no other format is tried any more
    turns.doubt_before_answer(builder)
    doubt_fenced(builder)
    doubt_quoted(builder)
    doubt_cut_texts(builder)
    settle(builder.calls, builder.report)
