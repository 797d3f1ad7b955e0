"""Collects what is known of a message: its text, its calls, the events of both; knows no format."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from toolgrammar.core import fences, last_call, wrappers
from toolgrammar.core.call_words import refuse_text
from toolgrammar.core.carried import carry_over
from toolgrammar.core.doubled import once
from toolgrammar.core.draft import Draft
from toolgrammar.core.groups import is_taken
from toolgrammar.core.header import Header
from toolgrammar.core.json_guide import guide_of_tool
from toolgrammar.core.listing import START, Listing
from toolgrammar.core.pieces import Parts
from toolgrammar.core.raw_values import RawValues
from toolgrammar.core.scanned_values import ScannedValues
from toolgrammar.core.stumbles import Stumble, is_stumble
from toolgrammar.core.turns import Turns
from toolgrammar.values.diagnostics import Diagnostic, Edit
from toolgrammar.values.events import (
    CallEnd,
    CallStart,
    Event,
    Problem,
    ReasoningDelta,
    TextDelta,
)
from toolgrammar.values.making import make_call, make_span
from toolgrammar.values.spans import Span

if TYPE_CHECKING:
    from collections.abc import Mapping

    from toolgrammar.core.groups import Group
    from toolgrammar.core.json_guide import Guide
    from toolgrammar.core.source import Source
    from toolgrammar.core.steps import Step
    from toolgrammar.core.unread import Signs
    from toolgrammar.values.calls import Status, ToolCall
    from toolgrammar.values.tools import ToolSpec

_PLAIN = Header()


class Builder:
    """What a message consists of so far.

    The driver may still take back an island that has not been committed; until then its events
    wait in the draft. What was committed is final. `role_effects` says what the roles that the
    driver reads do here, `call_ends` how a call and the message end.
    """

    watched = False
    """Whether a repair is to be judged first: the text may be in another format."""
    signs: Signs | None = None
    """What shows that a call was written, in the format that is read."""
    prefix = ""
    """What stands before the message, where the template of the chat had written some of it."""
    begun: tuple[int, int] | None = None
    """Where a call began, up to the end of the text, before it was certain."""

    diagnostics_marked = START
    """How far the diagnostics had come before the island."""

    def __init__(  # noqa: PLR0913  (everything that one message depends on)
        self,
        *,
        source: Source,
        format_id: str,
        tools: Mapping[str, ToolSpec],
        trim: Mapping[str, str],
        wire_roles: Mapping[str, str],
        drop_unknown: bool,
        id_seed: str,
        free_text: bool,
        listening: bool,
        strict: bool = False,
        max_calls: int | None = None,
        header: Header = _PLAIN,
    ) -> None:
        self.header = header
        self.strict = strict
        self.max_calls = max_calls
        self.free_text = free_text
        self.source = source
        self.format_id = format_id
        self.tools = tools
        self.trim, self.wire_roles = trim, wire_roles
        self.drop_unknown = drop_unknown
        self.id_seed = id_seed
        self.listening = listening
        self.events: list[Event] = []
        self.calls: list[ToolCall] = []
        self.taken_ids: set[str] = set()
        """Ids of the first `taken_upto` calls."""
        self.taken_upto = 0
        self.waiting: list[Event] = []
        """Problems of an island that is not certain yet."""
        self.is_trial = False  # whether it only tells what the rest of a text would be
        self.mended_before = False
        """Whether something of the next call was mended before the call was open."""
        self.doubted_before: list[str] = []
        """Doubts about the next call, before its name was taken."""
        self.carried: dict[str, Any] = {}
        """Arguments of the calls so far that later ones may lack."""
        self.candidate: last_call.Candidate | None = None
        """The last call so far, where only the last one counts."""
        self.turns = Turns()
        self.last_fence = self.last_mark = self.last_name = ""
        self.text_parts, self.reasoning_parts = Parts(), Parts()
        self.listing = Listing()
        self.draft: Draft | None = None
        self.group: Group | None = None
        self.group_marked: Group | None = None
        self.committed = True
        self.cut_by_server = self.ended_open = False
        """Whether the text ended where a closer could still have come."""
        self.unclosed_text = self.skipped_from = self.skipped_to = self.token_start = -1
        self.given_back: dict[int, int] = {}  # openers without a call: where each begins and ends
        self.scanned = ScannedValues(self)
        self.raws = RawValues(self)

    @property
    def diagnostics(self) -> list[Diagnostic]:
        """What the message is diagnosed with so far; `report` adds to it."""
        return self.listing.diagnostics

    def written(self, start: int, end: int) -> str:
        """Gives what stands between two offsets, of which the first may lie in the prefix."""
        before = self.prefix[start : min(end, 0) or None] if start < 0 else ""
        return before + self.source.slice(max(0, start), max(0, end))

    def text(self, text: str, offset: int) -> None:
        """Takes text of the message."""
        if self.candidate is not None:
            last_call.hold_text(self.candidate, text, offset)
            return
        self.text_parts.append(text, offset)
        if self.listening:
            self.events.append(TextDelta(text))

    def skipped(self, text: str, offset: int) -> None:
        """Takes what stands between the calls of a section and belongs to nobody."""
        body = text.strip()
        if body:
            start = offset + text.index(body[0])
            first = start if self.skipped_from < 0 else self.skipped_from
            self.skipped_from, self.skipped_to = first, start + len(body)

    def report_skipped(self) -> None:
        """Reports what was skipped, once for each stretch, however the stream cut it."""
        if self.skipped_from >= 0:
            span = Span(self.skipped_from, self.skipped_to)
            self.skipped_from = -1
            is_text = any(map(str.isalnum, self.source.slice(span.start, span.end)))
            self.report(
                "skipped-markup",
                "error" if is_text else "warning",
                "Found text between the calls of a section; it belongs to no call",
                span,
            )

    def mark(self) -> None:
        """Remembers the state before an island that may be taken back."""
        self.committed = False
        self.group_marked = self.group.copy() if self.group else None
        self.diagnostics_marked = self.listing.mark()

    def rewind(self) -> None:
        """Forgets the island."""
        self.draft = None
        self.mended_before = False
        self.doubted_before = []
        self.waiting = []
        self.group = self.group_marked
        self.listing.rewind(self.diagnostics_marked)
        self.raws.trimmer = None
        self.committed = True

    def commit(self) -> None:
        """Makes the island final: what it held back is given out."""
        self.committed = True
        if self.waiting:
            self.events.extend(self.waiting)
            self.waiting = []
        draft = self.draft
        if draft is not None and not draft.started:
            self._start_call(draft)

    def _start_call(self, draft: Draft) -> None:
        if draft.name is not None and not draft.started and not self._waits_for_its_end():
            self._give_out(draft)

    def _give_out(self, draft: Draft) -> None:
        """Gives out that a call began, and what waited for that."""
        assert draft.name is not None
        self.report_skipped()
        if self.candidate is not None:
            last_call.settle_candidate(self)
        draft.started = True
        if self.listening:
            self.events.append(CallStart(len(self.calls), draft.name, draft.id))
            self.events.extend(draft.events)
        draft.events = []

    def _waits_for_its_end(self) -> bool:
        """Whether a call may still turn out to be none: strict reading, or one call too many."""
        if "text" in (self.header.unclosed, self.header.misfit) or self.header.calls == "last":
            return True
        return self.strict or (self.max_calls is not None and len(self.calls) >= self.max_calls)

    def emit(self, draft: Draft, event: Event) -> None:
        """Gives out an event of a call, or keeps it until the call is certain."""
        if not self.listening:
            return
        if draft.held is not None:
            draft.held.append(event)
        elif draft.started:
            self.events.append(event)
        else:
            draft.events.append(event)

    @property
    def has_draft(self) -> bool:
        """Whether a call is open."""
        return self.draft is not None

    @property
    def delimited(self) -> bool:
        """Whether something distinctive was read after the name of the open call."""
        return self.draft is not None and self.draft.delimited

    def note_delimiter(self, step: Step) -> None:
        """Notes a token after the name; it is not enough to be certain."""
        if self.draft is not None and step.kind == "literal":
            self.draft.delimited = True

    @property
    def has_arguments(self) -> bool:
        """Whether any argument of the open call was read, or no call is open."""
        return self.draft is None or self.draft.arguments_start >= 0

    @property
    def argument_start(self) -> int:
        """Offset of the first argument of the open call, or -1."""
        return self.draft.arguments_start if self.draft is not None else -1

    def reason(self, text: str) -> None:
        """Takes reasoning."""
        if self.candidate is not None:
            last_call.hold_reasoning(self.candidate, text)
            return
        self.reasoning_parts.append(text)
        if self.listening:
            self.events.append(ReasoningDelta(text))

    def repeats(self, terminal: str, text: str) -> bool:
        """Whether a text repeats what a terminal must repeat; a fence may be longer."""
        if terminal == "SAME_FENCE":
            return fences.length(text) >= fences.length(self.last_fence)
        if terminal == "SAME_MARK":
            return text.strip() == self.last_mark
        if terminal == "SAME_NAME":
            text = once(text, self.header.doubled, self.tools)
        return text == self.same(terminal)

    def same(self, name: str) -> str:
        """Gives what a terminal that repeats the name, the key or the fence must be."""
        if name == "SAME_FENCE":
            return self.last_fence
        if name == "SAME_MARK":
            return self.last_mark
        if self.draft is None:
            return ""
        return (self.draft.written_name if name == "SAME_NAME" else self.draft.written_key) or ""

    def guide(self, role: str) -> Guide | None:
        """Gives what the schema wants of the payload that fills a role of the open call."""
        draft, spec = self.draft, self.spec()
        if draft is None or spec is None or spec.parameters is None:
            return None
        if role not in ("arguments", "value"):
            return None
        guide = guide_of_tool(spec)
        return guide if role == "arguments" else guide.member(draft.key)

    def spec(self) -> ToolSpec | None:
        """Gives the open call's tool, where it is known."""
        draft = self.draft
        return self.tools.get(draft.name) if draft is not None and draft.name else None

    @property
    def lacks_required(self) -> bool:
        """Whether the open call's tool requires an argument that was not given."""
        spec, draft = self.spec(), self.draft
        if spec is None or draft is None:
            return False
        return not draft.arguments.keys() >= set(spec.required)

    def awaits(self, key: str | None) -> bool:
        """Whether the open call's tool has an argument of this name that was not given yet."""
        spec, draft = self.spec(), self.draft
        if spec is None or draft is None or key is None:
            return False
        return key in spec.properties and key not in draft.arguments and key != draft.key

    def open_draft(self, start: int) -> Draft:
        """Gives the open call; begins one at `start` where there is none."""
        if self.draft is None:
            self.draft = Draft(max(0, start))
            self.draft.diagnostics = self.listing.mark()
            self.draft.repaired, self.mended_before = self.mended_before, False
            self.token_start = -1
        return self.draft

    def complete(self, draft: Draft, status: Status, end: int, group: Group | None = None) -> None:
        """Gives out a call that has ended."""
        assert draft.name is not None
        if not draft.started:
            self._give_out(draft)
        if draft.held is not None:
            wrappers.settle(self, draft)
        if self.header.carry:
            carry_over(self, draft)
        if self.free_text and draft.inputs is None:
            draft.inputs = []
        index = len(self.calls)
        if not draft.place_text(self.tools.get(draft.name)):
            status = refuse_text(self, draft, status, end)
        for event in draft.closing(index):
            self.emit(draft, event)
        group = group or self.group
        generated = group.join(draft, self) if group else None
        start = draft.arguments_start
        stop = draft.arguments_end
        call = make_call(
            draft.name,
            draft.arguments,
            draft.id or generated,
            None if draft.inputs is None else "".join(draft.inputs),
            self.source.slice(max(0, start), stop) if start >= 0 else "",
            make_span(draft.start, max(end, draft.start)),
            status,
            tuple(dict.fromkeys(draft.depends_on or ())),
            self.format_id,
            draft.error,
            tuple(dict.fromkeys(draft.doubts)),
        )
        # What it waits for may still turn out to be no call, or to wait for it.
        is_open = any(not is_taken(each, self) for each in draft.depends_on or ())
        self.calls.append(call)
        is_fenced = 0 <= self.turns.fence <= draft.start and "quoted-call" not in draft.doubts
        if is_fenced:
            self.turns.fenced[index] = self.turns.fence
        if self.header.answer or is_fenced or is_open:
            self.turns.awaiting.append(index)
        if self.listening:
            self.events.append(CallEnd(index, call))

    def count_rest(self) -> None:
        """Adds, at the end, the diagnostics that count what is not listed."""
        added = self.listing.end()
        if self.listening:
            self.events.extend(map(Problem, added))

    def report(
        self,
        code: str,
        severity: Any,
        message: str,
        span: Span,
        *,
        edits: tuple[Edit, ...] = (),
        path: str = "",
        hint: str = "",
    ) -> None:
        """Adds a diagnostic, and its event where somebody listens.

        Raises:
            Stumble: the text may be in another format, which does not need a repair here.
        """
        if self.watched and is_stumble(code, severity):
            raise Stumble
        if self.strict and edits:
            # Nothing is mended: what would have been is wrong, and that is all.
            severity, edits, message = "error", (), message.rpartition("; ")[0] or message
        diagnostic = Diagnostic(code, severity, message, span, edits, path, hint)
        if self.listing.add(diagnostic) and self.listening:
            draft = self.draft
            if draft is not None and not draft.started:
                draft.events.append(Problem(diagnostic))
            elif not self.committed:
                self.waiting.append(Problem(diagnostic))
            else:
                self.events.append(Problem(diagnostic))
