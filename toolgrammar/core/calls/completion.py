"""Emits calls: `CallStart` once a call is certain, and `CallEnd` with the call when it has ended.

Example: a draft with the name `f` and the arguments `{"a": 1}` becomes a `ToolCall` in `CallEnd`.
If only the last call of a message counts, each call waits as a candidate, which the next one turns
into text. With `carry: path` in the header a call without `path` gets that of the call before it.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from toolgrammar.core.calls import wrappers
from toolgrammar.core.calls.places import places_in
from toolgrammar.core.message.candidate import REASONING, Candidate
from toolgrammar.core.message.groups import generated_id, settle_dependencies
from toolgrammar.core.message.reports import doubt, doubt_type, emit_arguments, report_cut
from toolgrammar.core.trust import turns
from toolgrammar.core.trust.cut_texts import doubt_cut_texts, what_was_open
from toolgrammar.core.trust.free_texts import doubt_free_text
from toolgrammar.core.trust.quoted_calls import doubt_fenced, doubt_quoted, doubt_spoken
from toolgrammar.values.calls import ToolCall
from toolgrammar.values.events import CallEnd, CallStart
from toolgrammar.values.patterns import late
from toolgrammar.values.spans import Span

if TYPE_CHECKING:
    from toolgrammar.core.message.build import Builder
    from toolgrammar.core.message.draft import Draft
    from toolgrammar.core.message.groups import Group
    from toolgrammar.values.calls import Status


def commit(builder: Builder) -> None:
    """Makes the island final and emits the events that it held back."""
    builder.queue.make_certain()
    draft = builder.draft
    if draft is not None and not draft.started:
        _start_call(builder, draft)


def _start_call(builder: Builder, draft: Draft) -> None:
    """Emits the `CallStart` of a call, if it has a name and need not wait for its end."""
    if draft.name is not None and not draft.started and not _waits_for_its_end(builder, draft):
        _emit_start(builder, draft)


def _emit_start(builder: Builder, draft: Draft) -> None:
    """Emits the `CallStart` of a call, and the events that waited for it."""
    assert draft.name is not None
    builder.report_skipped()
    # A candidate is settled before the new call, so that events keep the order of the text.
    if builder.candidate is not None:
        settle_candidate(builder)
    builder.queue.add(CallStart(len(builder.calls), draft.name, draft.id))
    builder.queue.extend(draft.start_call())


def _waits_for_its_end(builder: Builder, draft: Draft) -> bool:
    """Whether a call may still become text at its end, as in strict reading or past a limit."""
    if is_no_call(builder, draft):
        return True
    # An event can't be taken back, and each of these may turn the whole call into text.
    return builder.header.decides_at_end or builder.strict or is_full(builder)


def is_full(builder: Builder) -> bool:
    """Whether the message has all the calls that it may have."""
    return builder.max_calls is not None and builder.next_index >= builder.max_calls


def is_no_call(builder: Builder, draft: Draft) -> bool:
    """Whether a call has the name that means no call in its format."""
    no_calls = builder.header.no_calls
    # If the caller has a tool of that name, it is a call.
    return no_calls != "" and draft.name == no_calls and no_calls not in builder.tools


def complete(
    builder: Builder, draft: Draft, status: Status, end: int, group: Group | None = None
) -> None:
    """Emits a call that has ended: its last deltas, and `CallEnd`.

    Args:
        builder: the message.
        draft: the call.
        status: its status.
        end: the offset where it ends.
        group: its section, if the builder has closed that already.
    """
    assert draft.name is not None
    if not draft.started:
        _emit_start(builder, draft)
    # The order matters: arguments are unwrapped before those of the last call are added to them.
    if draft.wrapper_events is not None:
        wrappers.unwrap(builder, draft, end)
    if builder.header.carry:
        carry_over(builder, draft)
    # In a free-text format a call without text has the empty text: `ToolCall.input` is not None.
    if builder.settings.tables.free_text:
        draft.expect_input()
    index = len(builder.calls)
    placed, misfit = draft.place_text(builder.tools.get(draft.name))
    if not placed or _is_ambiguous_text(builder, draft):
        # This comes before the closing events, since the error has to come before the `CallEnd`.
        status = _refuse_text(builder, draft, status, end)
    if misfit:
        doubt_type(builder, draft, misfit, Span(draft.start, max(end, draft.start)))
    doubt_free_text(builder, draft, end)
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
        builder.source.slice(start, stop) if start >= 0 else "",
        Span(draft.start, max(end, draft.start)),
        status,
        tuple(dict.fromkeys(draft.depends_on or ())),
        builder.header.id,
        draft.error,
        tuple(dict.fromkeys(draft.doubts)),
    )
    # A call that it depends on may not exist, or may depend on this one.
    is_open = any(not is_taken(each, builder) for each in draft.depends_on or ())
    builder.calls.append(call)
    builder.turns.end_call(builder.text_parts.checkpoint())
    places = places_in(builder)
    if places is not None:
        places.ended[index] = draft
    if _awaits_doubts(builder, draft, index, status) or is_open:
        builder.turns.awaiting.append(index)
    builder.queue.add(CallEnd(index, call))


def _awaits_doubts(builder: Builder, draft: Draft, index: int, status: Status) -> bool:
    """Notes why the rest of the message may put a call in doubt; returns whether it may."""
    turns = builder.turns
    # A call that already has the doubt `quoted-call` is not checked again at the end.
    is_unquoted = "quoted-call" not in draft.doubts
    is_fenced = is_unquoted and 0 <= turns.fence <= draft.start
    if is_fenced:
        turns.fenced[index] = turns.fence
    is_quoted = is_unquoted and bool(turns.quotation_closers)
    if is_quoted:
        turns.quoted[index] = turns.quotation_closers
    is_spoken = is_unquoted and bool(turns.open_quotations)
    if is_spoken:
        turns.spoken.append(index)
    open_tag = what_was_open(builder, draft, status)
    if open_tag is not None:
        turns.cut[index] = open_tag
    awaits = builder.header.answer or is_fenced or is_quoted or is_spoken
    return bool(awaits) or open_tag is not None


def is_taken(wanted: str, builder: Builder) -> bool:
    """Whether an earlier call has this id."""
    return wanted in builder.ids()


def _join(group: Group, draft: Draft, builder: Builder) -> str | None:
    """Adds a call to a section: generates a missing id, and makes it depend on the call before it.

    Returns:
        The generated id; None if there is none.
    """
    identified = bool(builder.header.roles)
    if identified and draft.id is not None and is_taken(draft.id, builder):
        builder.report(
            "duplicate-id",
            "warning",
            f"Found id `{draft.id[:40]}` a second time; the later call gets a new one",
            Span(draft.start, draft.start),
        )
        # The later call loses the id, since the first one was emitted with it.
        draft.take_id("")
    made = None
    # Only formats whose header gives keys such as `id` a role have ids; others leave `id` None.
    if draft.id is None and identified:
        text = json.dumps([draft.name, draft.arguments], ensure_ascii=False)
        made = generated_id(builder.id_seed, len(builder.calls), text)
    # A call that names its dependencies is not chained: it depends on those alone.
    if group.mode == "sequential":
        draft.chain_behind(group.last)
    group.note_call(draft.id or made or "")
    return made


def _is_ambiguous_text(builder: Builder, draft: Draft) -> bool:
    """Whether a call has a text alone, and its tool several arguments that the text may be."""
    spec = builder.tools.get(draft.name or "")
    if spec is None or draft.has_payload:
        return False
    # The text may be an object that lost its brace. A text beside arguments is not ambiguous.
    is_alone = not draft.arguments and "".join(draft.inputs or ()).strip() != ""
    return is_alone and bool(spec.properties) and spec.names_arguments


def _refuse_text(builder: Builder, draft: Draft, status: Status, end: int) -> Status:
    """Reports a text that is not assigned to an argument; returns the new status of the call.

    Without the text the tool would run with its defaults.
    """
    message = "Found a text where the tool has no argument that it can only be"
    span = Span(max(draft.arguments_start, draft.start), max(end, draft.start))
    doubt(builder, draft, "unplaced-input", message, span, hint="name the argument")
    if draft.members or draft.arguments or draft.error is not None or status == "truncated":
        return status
    draft.fail("input: the tool has no argument that this text can only be")
    return "unreadable"


def hold(builder: Builder, draft: Draft, status: Status, end: int) -> None:
    """Holds a call as the candidate; the one before it becomes text."""
    before = builder.take_candidate()
    if before is not None:
        start = before.draft.start
        # That call was an example in the text, which has no doubts: they would make `ok` false.
        doubts, listing = before.draft.doubts, builder.listing
        draft.set_checkpoint(
            listing.forget_doubts(before.draft.checkpoint, draft.checkpoint, doubts)
        )
        for problem in before.draft.take_problems():
            if problem.diagnostic.severity != "error" or problem.diagnostic.code not in doubts:
                builder.queue.add(problem)
        builder.text(builder.source.slice(start, before.end), start)
        _emit_behind(builder, before)
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
    # The server ended the text, so a later call may be missing that would have counted instead.
    if at_end and builder.end.is_cut and status not in {"truncated", "unreadable"}:
        status = "truncated"
        message = "Found the last call of a text that was cut; one that counts may have followed"
        hint = "the message is not complete: do not run the call"
        report_cut(builder, candidate.end, message, hint=hint)
    here = builder.settings
    # With several formats, the call is completed by the settings of its own format.
    builder.use(candidate.settings)
    complete(builder, candidate.draft, status, candidate.end)
    builder.use(here)
    _emit_behind(builder, candidate)


def _emit_behind(builder: Builder, candidate: Candidate) -> None:
    """Emits the text and reasoning that waited after a candidate."""
    for text, offset in candidate.behind:
        if offset == REASONING:
            builder.reason(text)
        else:
            builder.text(text, offset)


def judge_calls(builder: Builder) -> None:
    """Adds the doubts that depend on the whole message, and settles dependencies.

    It is called once, after all calls have ended. If several formats are tried for the end of a
    message, the calls that each of them finds there are taken back, but those before it are not.
    """
    builder.watch(watched=False)  # no other format is tried any more
    turns.doubt_before_answer(builder)
    doubt_fenced(builder)
    doubt_quoted(builder)
    doubt_spoken(builder)
    doubt_cut_texts(builder)
    settle_dependencies(builder.calls, builder.report)


_ABOVE = 256
"""The number of characters before a call in which the line above it is searched."""
_WORDS_ABOVE = late(r"[^\s][^\S\r\n]*(?:\r?\n)?\Z")


def carry_over(builder: Builder, draft: Draft) -> None:
    """Adds inherited arguments at the end of a call, and records those that it has itself.

    A call is doubted if no earlier call has the argument, or if words stand right above the call,
    since they may name another value.
    """
    for key in builder.header.carry:
        if key in draft.arguments:
            builder.carried[key] = draft.arguments[key]
        # A call without any argument inherits none: only calls with other arguments have this one.
        elif not draft.members:
            continue
        elif key not in builder.carried:
            _doubt_missing(builder, draft, key, f"Found no `{key}`, nor a call before that has it")
        else:
            draft.take_key(key, key, "")
            value = draft.arguments[key] = builder.carried[key]
            written = draft.member() + json.dumps(value, ensure_ascii=False)
            emit_arguments(builder, draft, written)
            # Only the text between the two calls counts: words above the last call belong to it.
            behind = builder.calls[-1].span.end if builder.calls else 0
            above = builder.source.slice(max(behind, draft.start - _ABOVE), draft.start)
            # With `And in the tests:` right above the call, the model may have named another value.
            if _WORDS_ABOVE.search(above):
                message = (
                    f"Found no `{key}` in the words before a call; took that of the one before"
                )
                _doubt_missing(builder, draft, key, message)


def _doubt_missing(builder: Builder, draft: Draft, key: str, message: str) -> None:
    """Doubts a call that lacks an argument which all calls with arguments should have."""
    span = Span(draft.start, draft.start)
    doubt(builder, draft, "missing-argument", message, span, path=f"$.{key}")
