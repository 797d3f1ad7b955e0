"""Takes payloads without escapes: values, free text, reasoning."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from toolgrammar.core.calls import wrappers
from toolgrammar.core.calls.places import places_in
from toolgrammar.core.calls.role_effects import fill_part, report_twice, take_argument
from toolgrammar.core.machine.kept import kept
from toolgrammar.core.message.pieces import Pieces
from toolgrammar.core.payloads.json.duplicates import equal_duplicates, repeats_key
from toolgrammar.core.payloads.json.shapes import is_broken_json, may_be_json, shaped
from toolgrammar.core.payloads.json.tokens import as_json
from toolgrammar.core.payloads.raw.entities import EntityDecoder
from toolgrammar.patterns.trim import LINE, NONE, ONE_NEWLINE, Trimmer
from toolgrammar.values.events import ArgumentsDelta, InputDelta
from toolgrammar.values.spans import Span

if TYPE_CHECKING:
    from toolgrammar.core.message.build import Builder
    from toolgrammar.core.message.draft import Draft

# Roles that a token fills as well: there is one rule for what they do (`fill_part`).
_SINGLE = frozenset({"name", "id", "depends_on", "mode", "key"})


class RawValues:
    """The raw payload that is being read, for one message."""

    def __init__(self, builder: Builder) -> None:
        self.builder = builder
        self.trimmer: Trimmer | None = None
        self.role = self.joint = ""
        """What is filled; and what parts its text from that of the envelope before it."""
        self.start = 0
        self.typed = True
        """Whether the schema types the value."""
        self.decoder: EntityDecoder | None = None
        self.cuts_token = False
        """Whether the end of the text may have cut the token that is a value."""
        self.left_out = False
        """Whether a value was left out because the text was cut in it."""
        self.undecided = False
        """Whether the value may still be JSON or text."""
        self.text = Pieces()

    def begin(
        self,
        role: str,
        start: int,
        unit: int,
        *,
        before: bool,
        closes_line: bool,
        typed: bool = True,
    ) -> None:
        """Begins a raw payload.

        Args:
            role: what it fills.
            start: its offset.
            unit: the offset of what may become a call.
            before: whether a line end stands before it.
            closes_line: whether its closer stands on a line of its own.
            typed: whether the schema types it, as a value.
        """
        self.role = role
        self.start = start
        self.typed = typed
        key = ""
        if role in ("value", "input", "body", "arguments"):
            draft = self.builder.open_draft(unit)
            key = draft.key if role == "value" else ""
            if not draft.wire_role:
                draft.begin_arguments(start)
        # Those open no call; the others, such as `name`, do.
        elif role not in ("reasoning", "content", "text", ""):
            self.builder.open_draft(unit)
        self.joint = self._joint(role)
        # Where the envelope has line ends around the value, one of them on each side is layout.
        default = ONE_NEWLINE if before or closes_line else NONE
        mode = self.builder.trim.get(key) or self.builder.trim.get(role) or default
        # What such a mode keeps may still be layout if the value's own closer is missing.
        holds = role == "value" and mode in (ONE_NEWLINE, NONE)
        self.trimmer = Trimmer(mode, before=before or mode != default, holds=holds)
        self.decoder = EntityDecoder() if role in self.builder.header.entities else None
        self.text = Pieces()
        if role == "value":
            self._begin_value()
        elif role in ("input", "body"):
            self._begin_input()

    def _joint(self, role: str) -> str:
        """Returns the line end that parts the text of an envelope from that of the one before."""
        builder = self.builder
        # In such a format each envelope is a message of its own, and texts would run together.
        if builder.header.messages != "lines" or role not in ("reasoning", "content"):
            return ""
        parts = builder.reasoning_parts if role == "reasoning" else builder.text_parts
        return "\n" if parts.texts and not parts.texts[-1][-1:].isspace() else ""

    def _begin_input(self) -> None:
        draft = self.builder.draft
        assert draft is not None
        draft.begin_input()

    def _begin_value(self) -> None:
        draft = self.builder.draft
        assert draft is not None
        drops_unknown = self.builder.drop_unknown
        draft.begin_value(self.builder.spec(), typed=self.typed, drops_unknown=drops_unknown)
        if self.builder.header.unwrap:
            wrappers.begin_argument(self.builder, draft)
        # Its first character decides: `{` or `4` may be JSON, `O` of `Oslo` is not.
        self.undecided = draft.streams and self.typed and self.builder.header.types == "shape"
        if self.undecided:
            draft.let_stream(streams=False)
        elif draft.streams:
            self._open_string(draft)

    def _open_string(self, draft: Draft) -> None:
        """Emits what stands before the text of a string."""
        if draft.wire_role or draft.dropped:
            return
        if self.builder.queue.listening:
            start = draft.member() + '"'
            self.builder.emit(draft, ArgumentsDelta(len(self.builder.calls), start))
        else:
            # `closing` asks for the number of members, whether somebody listens or not.
            draft.member()

    def note_cut_token(self, *, is_cut: bool) -> None:
        """Notes whether the end of the text may have cut the token that is the value."""
        self.cuts_token = is_cut

    def forget(self) -> None:
        """Forgets the payload that is read: what it stands in turned out to be no call."""
        self.trimmer = None

    def take(self, text: str) -> None:
        """Takes the next part of a raw payload."""
        assert self.trimmer is not None
        text = self.trimmer.feed(text)
        self._pass(text if self.decoder is None else self.decoder.feed(text))

    def _pass(self, text: str) -> None:
        if not text:
            return
        role = self.role
        # Only once text comes: an envelope without text adds no line end.
        if self.joint:
            joint, self.joint = self.joint, ""
            if not text[0].isspace():
                self._pass(joint)
        if role == "reasoning":
            self.builder.reason(text)
        elif role in ("text", "content"):
            # The payload of an envelope is decoded and trimmed, so it has no place in the source.
            self.builder.text(text, -1)
        elif role in ("input", "body"):
            draft = self.builder.draft
            assert draft is not None
            text = draft.add_input(text)
            self.builder.emit(draft, InputDelta(len(self.builder.calls), text))
        else:
            draft = self.builder.draft
            # The first character tells whether the value may wrap all arguments.
            if draft is not None and draft.held is not None and not self.text:
                wrappers.judge(self.builder, draft, text)
            self.text.append(text)
            if self.undecided and draft is not None:
                text = self._decide(draft)
            streams = role == "value" and draft is not None and draft.streams
            if (
                self.builder.queue.listening
                and draft is not None
                and streams
                and not draft.wire_role
                and not draft.dropped
            ):
                # The quotes around the string are given out before and behind all its pieces.
                piece = as_json(text)[1:-1]
                self.builder.emit(draft, ArgumentsDelta(len(self.builder.calls), piece))

    def _decide(self, draft: Draft) -> str:
        """Lets a value stream once its first character shows that it is no JSON; returns its text."""
        text = self.text.text()
        first = text.lstrip()[:1]
        self.undecided = not first
        if not first or may_be_json(first, draft.schema):
            return ""
        draft.let_stream(streams=True)
        self._open_string(draft)
        return text

    def end(self, end: int, *, whole: bool, mended: bool = False, is_token: bool = False) -> int:
        """Ends a raw payload; returns how many characters of its end belong to what follows.

        Args:
            end: its end in the source.
            whole: false where the text was cut inside it.
            mended: its own closer is missing.
            is_token: whether it is a token, of which the driver knows where it stands.
        """
        if self.trimmer is None:
            return 0
        # What is missing behind such a value would end it with a line end that did not come.
        self.left_out = not whole and self.trimmer.mode == LINE
        rest = self.trimmer.finish(whole=whole, mended=mended)
        dropped = self.trimmer.dropped
        if self.decoder is not None:
            rest = self.decoder.feed(rest)
            left = self.decoder.finish()
            if whole:
                rest += left
            else:
                self.left_out = self.left_out or left != ""  # half an entity says nothing
        self._pass(rest)
        self.trimmer = None
        role, text = self.role, self.text.take()
        if not is_token:
            self._note_place(end - dropped, text)
        draft = self.builder.draft
        if draft is None:
            return dropped
        if not draft.wire_role:
            # What was left out because the closer is missing belongs to what follows.
            draft.end_arguments(end - dropped)
        if role == "value":
            self._end_value(draft, text, end, whole=whole)
        elif role in _SINGLE:
            fill_part(self.builder, role, text, end, draft.start)
        return dropped

    def _note_place(self, end: int, text: str) -> None:
        """Notes where the payload stands, without the layout around it."""
        places = places_in(self.builder)
        if places is None:
            return
        start = self.start
        # Text with entities stands there as it is written.
        inner = self.builder.source.slice(max(0, start), end).find(text) if text else -1
        if inner >= 0:
            start = max(0, start) + inner
            end = start + len(text)
        places.note(self.builder, self.role, start, end)

    def _end_value(self, draft: Draft, text: str, end: int, *, whole: bool) -> None:
        if draft.wire_role:
            # A key that the header gives a role, such as `id`, is no argument of the tool.
            draft.fill_wire_role(text)
            return
        if draft.dropped:
            self.builder.report(
                "unknown-argument",
                "warning",
                f"Found argument `{draft.key[:40]}`; the tool's schema does not have it",
                Span(max(0, draft.arguments_start), end),
            )
            return
        by_shape = self.builder.header.types == "shape"
        if by_shape and whole and self.typed and is_broken_json(text, draft.schema):
            message = f"Found text for `{draft.key[:40]}` that may be damaged JSON; kept as text"
            draft.doubts.append("bare-text")
            place, path = Span(self.start, end), f"$.{draft.key}"
            self.builder.report("bare-text", "error", message, place, path=path)
        # Half a string is given out as it is, and the call is truncated; half of a number is not.
        if draft.streams:
            if self.builder.queue.listening:
                self.builder.emit(draft, ArgumentsDelta(len(self.builder.calls), '"'))
            take_argument(self.builder, draft, text, Span(self.start, end))
            return
        if not whole or (self.builder.end.is_cut and self.builder.end.is_open):
            # Half of a number or of an object is a wrong value: it is left out.
            self.left_out = True
            return
        value, fits = shaped(text, draft.schema) if by_shape else draft.typed(text)
        self.builder.emit(
            draft,
            ArgumentsDelta(
                len(self.builder.calls), draft.member() + json.dumps(value, ensure_ascii=False)
            ),
        )
        take_argument(self.builder, draft, value, Span(self.start, end))
        # `{'a': 1}` is Python's notation: its reader has judged it.
        if isinstance(value, dict | list) and repeats_key(text):
            equal = all(equal_duplicates(text))
            report_twice(self.builder, draft, Span(self.start, end), equal=equal)
        if not fits:
            draft.doubts.append("schema-mismatch")
            self.builder.report(
                "schema-mismatch",
                "error",
                f"Found text for `{draft.key[:40]}` that its schema does not take; kept as text",
                Span(self.start, end),
                path=f"$.{draft.key}",
            )


@kept
def raws_of(builder: Builder) -> RawValues:
    """Returns what takes the raw payloads of a message."""
    return RawValues(builder)
