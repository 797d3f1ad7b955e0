"""Collects the text, calls, events and diagnostics of one message, whatever its format.

Example: `text("Hi ", 0)` adds a part of the text and emits `TextDelta(text='Hi ')`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from toolgrammar.core.message.candidate import REASONING, Candidate
from toolgrammar.core.message.doubled import undoubled
from toolgrammar.core.message.draft import Draft
from toolgrammar.core.message.event_queue import EventQueue
from toolgrammar.core.message.listing import START, FormatMisfit, Listing, is_misfit
from toolgrammar.core.message.message_end import MessageEnd
from toolgrammar.core.message.source import Parts, SkippedText
from toolgrammar.core.message.turns import Turns
from toolgrammar.core.payloads.json.guide import guide_of_tool
from toolgrammar.grammar.roles import CLOSING_LINES
from toolgrammar.patterns import fences
from toolgrammar.values.diagnostics import Diagnostic, Edit
from toolgrammar.values.events import Event, Problem, ReasoningDelta, TextDelta

if TYPE_CHECKING:
    from collections.abc import Mapping

    from toolgrammar.core.evidence.signs import SeveralSigns, Signs
    from toolgrammar.core.machine.machine import Step
    from toolgrammar.core.message.groups import Group
    from toolgrammar.core.message.settings import Settings
    from toolgrammar.core.message.source import Source
    from toolgrammar.core.payloads.json.guide import Guide
    from toolgrammar.values.calls import ToolCall
    from toolgrammar.values.spans import Span
    from toolgrammar.values.tools import ToolSpec


class Builder:
    """The state of a message that is being read.

    The driver may take back an island that is not committed, so its events wait in the draft until
    then. `role_effects` applies the roles that the driver reads, `call_ends` ends calls.
    """

    watched = False
    """Whether a repair raises `FormatMisfit`, since the text may be in another format."""
    signs: Signs | None = None
    """The signs of a call in the format that is read."""
    around: Signs | SeveralSigns | None = None
    """The signs of a call around another one, in any format that may be read."""
    diagnostics_before = START
    """The checkpoint of the diagnostics before the open island."""

    def __init__(
        self,
        *,
        source: Source,
        settings: Settings,
        tools: Mapping[str, ToolSpec],
        id_seed: str,
        listening: bool,
        strict: bool = False,
        max_calls: int | None = None,
        is_trial: bool = False,
    ) -> None:
        self.source, self.tools, self.id_seed = source, tools, id_seed
        self.strict, self.max_calls = strict, max_calls
        self.use(settings)
        self.queue = EventQueue(listening=listening)
        self.calls: list[ToolCall] = []
        self.taken_ids: set[str] = set()
        """The ids of the first `taken_upto` calls."""
        self.taken_upto = 0
        self.is_trial = is_trial  # whether it only tries how the rest of a text would be read
        self.mended_before = self.mended_before_island = False
        """Whether the next call was repaired before it was open."""
        self.doubted_before: list[str] = []
        """The doubts about the next call, before it has its name."""
        self.carried: dict[str, Any] = {}
        """Arguments of earlier calls that later calls inherit."""
        self.candidate: Candidate | None = None
        """The last call so far, in formats in which only the last one counts."""
        self.turns = Turns()
        self.last_name = ""
        self.to_repeat: dict[str, str] = {}
        """The last fence and here-document mark, by the terminals that have to repeat them."""
        self.text_parts, self.reasoning_parts = Parts(), Parts()
        self.listing = Listing()
        self.draft: Draft | None = None
        self.group: Group | None = None
        self.group_before: Group | None = None
        self.end = MessageEnd()
        self.skipped_text, self.token_start = SkippedText(), -1
        self.given_back: dict[int, int] = {}  # openers without a call: the end of each by its start
        self.beside: list[int] = []
        """The offsets of the last payloads that filled no role, at most 32."""
        self.keys_beside: dict[Span, str] = {}
        """The keys of members that fill no role, in the open island, by their places."""
        self.cache: dict[Any, Any] = {}
        """State of the message that other packages cache with it, such as that of `raws_of`."""

    def use(self, settings: Settings) -> None:
        """Switches to the settings of a format, which may be another one than before."""
        self.settings, self.header = settings, settings.header

    @property
    def diagnostics(self) -> list[Diagnostic]:
        """The diagnostics so far; `report` adds to them."""
        return self.listing.diagnostics

    def diagnostics_of(self, draft: Draft) -> list[Diagnostic]:
        """Returns the diagnostics that were listed since a call began."""
        return self.listing.diagnostics[draft.checkpoint.listed :]

    def text(self, text: str, offset: int) -> None:
        """Adds text of the message, from an offset or, if that is -1, from a decoded payload."""
        text, offset = self.source.split_prefix(text, offset)
        # Text after a candidate waits: if another call comes, the candidate becomes text, which
        # stands before this text.
        if text and self.candidate is not None:
            self.candidate.behind.append((text, offset))
        elif text:
            self.text_parts.append(text, offset)
            self.queue.add(TextDelta(text))

    def report_skipped(self) -> None:
        """Reports skipped text, once for each stretch of it, however the stream was cut."""
        span = self.skipped_text.take()
        if span is not None:
            # A comma or a stray `]` between calls loses nothing, but words may have been a call.
            is_text = any(map(str.isalnum, self.source.slice(span.start, span.end)))
            message = "Found text between the calls of a section; it belongs to no call"
            self.report("skipped-markup", "error" if is_text else "warning", message, span)

    def note_beside(self, start: int) -> None:
        """Notes the offset of a payload that fills no role."""
        self.beside = [*self.beside[-31:], start]

    def begin_island(self) -> None:
        """Saves the state before an island that may be taken back."""
        self.queue.begin_island()
        self.keys_beside.clear()
        # A copy: reading the island changes the section in place, its last id for instance.
        self.group_before = self.group.copy() if self.group else None
        self.diagnostics_before = self.listing.checkpoint()
        self.mended_before_island = self.mended_before

    def rewind(self) -> None:
        """Restores the state before the island, which is taken back."""
        self.draft = None
        self.mended_before = self.mended_before_island
        self.doubted_before = []
        self.group = self.group_before
        self.listing.rewind(self.diagnostics_before)
        self.queue.forget_island()

    def emit(self, draft: Draft, event: Event) -> None:
        """Emits an event of a call, or keeps it until the call is certain."""
        self.queue.add_of_call(draft, event)

    @property
    def next_index(self) -> int:
        """The index of the open call; a candidate comes before it, unless it takes its place."""
        return len(self.calls) + (self.candidate is not None and self.header.calls != "last")

    @property
    def has_draft(self) -> bool:
        """Whether a call is open."""
        return self.draft is not None

    @property
    def delimited(self) -> bool:
        """Whether a fixed token was read after the name of the open call."""
        return self.draft is not None and self.draft.delimited

    def note_delimiter(self, step: Step) -> None:
        """Notes a token after the name, which alone does not make the call certain."""
        # Only a fixed token counts, such as the `(` of `search(`: a pattern may also match prose.
        if self.draft is not None and step.kind == "literal":
            self.draft.delimit()

    @property
    def has_arguments(self) -> bool:
        """Whether an argument of the open call was read, or no call is open."""
        return self.draft is None or self.draft.arguments_start >= 0

    def reason(self, text: str) -> None:
        """Adds reasoning of the message."""
        if self.candidate is not None:
            self.candidate.behind.append((text, REASONING))
            return
        self.reasoning_parts.append(text)
        self.queue.add(ReasoningDelta(text))

    def repeats(self, terminal: str, text: str) -> bool:
        """Whether a text repeats what a terminal must repeat; a fence may be longer."""
        if terminal == "SAME_FENCE":
            # As in Markdown: a block that four backticks open may contain three, five may close it.
            return fences.length(text) >= fences.length(self.same(terminal))
        if terminal == "SAME_MARK":
            text = text.strip()
        if terminal == "SAME_NAME":
            # The opener may have `search.search` and the closer `search`, or the other way round.
            text = undoubled(text, self.header.doubled, self.tools)
        return text == self.same(terminal)

    def same(self, name: str) -> str:
        """Returns the text that a terminal has to repeat: a name, a key, a fence or a mark."""
        if name in CLOSING_LINES:
            return self.to_repeat.get(name, "")
        if self.draft is None:
            return ""
        return (self.draft.written_name if name == "SAME_NAME" else self.draft.written_key) or ""

    def guide(self, role: str) -> Guide | None:
        """Returns the guide of the schema for the payload of a role; None if there is none."""
        draft, spec = self.draft, self.spec()
        # The input of a free-text call is text, whatever a schema says.
        if draft is None or spec is None or role not in ("arguments", "value"):
            return None
        if spec.parameters is None:
            return None
        guide = guide_of_tool(spec)
        return guide if role == "arguments" else guide.member(draft.key)

    def spec(self) -> ToolSpec | None:
        """Returns the tool of the open call; None if it is not known."""
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
        """Returns the open call; opens one at `start` if there is none."""
        if self.draft is None:
            self.draft = Draft(start)
            self.draft.set_checkpoint(self.listing.checkpoint())
            # A repair before the name, such as that of a misspelt opener, is a repair of this call.
            if self.mended_before:
                self.draft.mend()
                self.mended_before = False
            self.token_start = -1
        return self.draft

    def end_draft(self, draft: Draft) -> None:
        """Closes the open call; repairs after it do not raise `FormatMisfit` any more."""
        self.draft, self.watched, self.last_name = None, False, draft.written_name

    def drop_draft(self) -> None:
        """Forgets the open call, which turned out not to be one."""
        self.draft = None

    def open_group(self, group: Group) -> None:
        """Opens a section of calls."""
        self.group = group

    def take_group(self) -> Group | None:
        """Closes the section and returns it."""
        group, self.group = self.group, None
        return group

    def hold(self, candidate: Candidate) -> None:
        """Holds a call that counts only if it is the last one."""
        self.candidate = candidate

    def take_candidate(self) -> Candidate | None:
        """Returns the call that was held as the last one so far, and forgets it."""
        candidate, self.candidate = self.candidate, None
        return candidate

    def ids(self) -> set[str]:
        """Returns the ids of the calls so far."""
        # Each call is looked at once over the whole message, however often this is asked.
        for call in self.calls[self.taken_upto :]:
            self.taken_ids.add(call.id or "")
        self.taken_upto = len(self.calls)
        return self.taken_ids

    def go_back(
        self,
        *,
        mended: bool,
        group: Group | None,
        last_name: str,
        turns: Turns,
        candidate: Candidate | None,
        calls: int,
    ) -> None:
        """Restores the state of the message before an island.

        Args:
            mended: whether the next call was repaired already.
            group: the open section.
            last_name: the name of the last call, as written.
            turns: the other turns.
            candidate: the last call so far, in formats in which only the last one counts.
            calls: the number of calls.
        """
        self.draft, self.doubted_before = None, []
        self.queue.forget_island()
        self.mended_before, self.last_name = mended, last_name
        self.group, self.turns, self.candidate = group, turns, candidate
        self.skipped_text.forget()
        self.token_start = -1
        self.end.reopen()
        # The ids of the calls that are dropped are free again; they are collected anew.
        if self.taken_upto > calls:
            self.taken_ids, self.taken_upto = set(), 0

    # How it is read

    def watch(self, *, watched: bool) -> None:
        """Sets whether a repair raises `FormatMisfit`, since the text may be in another format."""
        self.watched = watched

    def read_signs(self, signs: Signs | None, around: SeveralSigns | None = None) -> None:
        """Sets the signs of a call in the format that is read, and in all formats that may be."""
        self.signs, self.around = signs, around or signs

    def trial(self, source: Source) -> Builder:
        """Returns a builder that only tries how the rest of a text would be read."""
        tried = Builder(
            source=source,
            settings=self.settings,
            tools=self.tools,
            id_seed=self.id_seed,
            listening=False,
            is_trial=True,
        )
        tried.end.cut(is_cut=self.end.is_cut)
        return tried

    def note_token(self, start: int) -> None:
        """Notes the offset of the token that leads to the arguments."""
        self.token_start = start

    def mend(self, *doubts: str) -> None:
        """Notes a repair of the open call, with doubts, or of the next one if no call is open."""
        if self.draft is not None:
            self.draft.mend(*doubts)
        else:
            self.mended_before = True

    def mend_next(self, *, mended: bool = True) -> None:
        """Sets whether the next call was repaired before it is open."""
        self.mended_before = mended

    def take_doubts(self) -> list[str]:
        """Returns the doubts about the call that has just opened, and forgets them."""
        doubts, self.doubted_before = self.doubted_before, []
        return doubts

    def count_rest(self) -> None:
        """Adds the diagnostics that count those which are not listed, at the end of the message."""
        self.queue.extend(map(Problem, self.listing.end()))

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
        """Adds a diagnostic, and its event if events are collected.

        Raises:
            FormatMisfit: the text may be in another format, which does not need a repair here.
        """
        if self.watched and is_misfit(code, severity):  # Several formats are tried.
            raise FormatMisfit
        if self.strict and edits:
            # Strict reading mends nothing, so a repair becomes an error. The last part of the
            # message names the repair, as in `…; put one in`, and is dropped.
            severity, edits, message = "error", (), message.rpartition("; ")[0] or message
        diagnostic = Diagnostic(code, severity, message, span, edits, path, hint)
        if self.listing.add(diagnostic):
            self.queue.add_problem(self.draft, Problem(diagnostic))
