"""Takes payloads without escapes: values, free text, reasoning."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from toolgrammar.core import wrappers
from toolgrammar.core.entities import EntityDecoder
from toolgrammar.core.json_tokens import as_json
from toolgrammar.core.pieces import Pieces
from toolgrammar.core.role_effects import fill_role, take_argument
from toolgrammar.core.shapes import may_be_json, shaped
from toolgrammar.core.trim import LINE, NONE, ONE_NEWLINE, Trimmer
from toolgrammar.values.events import InputDelta
from toolgrammar.values.making import make_arguments_delta
from toolgrammar.values.spans import Span

if TYPE_CHECKING:
    from toolgrammar.core.build import Builder
    from toolgrammar.core.draft import Draft

_SINGLE = frozenset({"name", "id", "depends_on", "mode", "key"})


class RawValues:
    """The raw payload that is being read, for one message."""

    __slots__ = (
        "builder",
        "cuts_token",
        "decoder",
        "joint",
        "left_out",
        "role",
        "start",
        "text",
        "trimmer",
        "typed",
        "undecided",
    )

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
            if draft.arguments_start < 0 and not draft.wire_role:
                draft.arguments_start = start
        elif role not in ("reasoning", "content", "text", ""):
            self.builder.open_draft(unit)
        self.joint = self._joint(role)
        default = ONE_NEWLINE if before or closes_line else NONE
        mode = self.builder.trim.get(key) or self.builder.trim.get(role) or default
        holds = role == "value" and mode in (ONE_NEWLINE, NONE)
        self.trimmer = Trimmer(mode, before=before or mode != default, holds=holds)
        self.decoder = EntityDecoder() if role in self.builder.header.entities else None
        self.text = Pieces()
        if role == "value":
            self._begin_value()
        elif role in ("input", "body"):
            self._begin_input()

    def _joint(self, role: str) -> str:
        """Gives the line end that parts the text of an envelope from that of the one before."""
        builder = self.builder
        if builder.header.messages != "lines" or role not in ("reasoning", "content"):
            return ""
        parts = builder.reasoning_parts if role == "reasoning" else builder.text_parts
        return "\n" if parts.texts and not parts.texts[-1][-1:].isspace() else ""

    def _begin_input(self) -> None:
        draft = self.builder.draft
        assert draft is not None
        draft.separator = "\n" if draft.inputs and "".join(draft.inputs) else ""
        if not draft.inputs:
            draft.inputs = [""]

    def _begin_value(self) -> None:
        draft = self.builder.draft
        assert draft is not None
        spec = self.builder.spec()
        draft.schema, draft.streams = draft.schema_of(spec)
        draft.streams = draft.streams or not self.typed
        draft.dropped = bool(
            self.builder.drop_unknown
            and spec is not None
            and spec.properties
            and draft.key not in spec.properties
        )
        if self.builder.header.unwrap:
            wrappers.begin_argument(self.builder, draft)
        self.undecided = draft.streams and self.typed and self.builder.header.types == "shape"
        if self.undecided:
            draft.streams = False
        elif draft.streams:
            self._open_string(draft)

    def _open_string(self, draft: Draft) -> None:
        """Gives out what stands before the text of a string."""
        if draft.wire_role or draft.dropped:
            return
        if self.builder.listening:
            start = draft.member() + '"'
            self.builder.emit(draft, make_arguments_delta(len(self.builder.calls), start))
        else:
            draft.members += 1

    def take(self, text: str) -> None:
        """Takes the next part of a raw payload."""
        assert self.trimmer is not None
        text = self.trimmer.feed(text)
        self._pass(text if self.decoder is None else self.decoder.feed(text))

    def _pass(self, text: str) -> None:
        if not text:
            return
        role = self.role
        if self.joint:
            joint, self.joint = self.joint, ""
            if not text[0].isspace():
                self._pass(joint)
        if role == "reasoning":
            self.builder.reason(text)
        elif role in ("text", "content"):
            self.builder.text(text, -1)
        elif role in ("input", "body"):
            draft = self.builder.draft
            assert draft is not None
            if draft.separator:
                text, draft.separator = draft.separator + text, ""
            draft.inputs.append(text)
            self.builder.emit(draft, InputDelta(len(self.builder.calls), text))
        else:
            draft = self.builder.draft
            if draft is not None and draft.held is not None and not self.text:
                wrappers.judge(self.builder, draft, text)
            self.text.append(text)
            if self.undecided and draft is not None:
                text = self._decide(draft)
            streams = role == "value" and draft is not None and draft.streams
            if (
                self.builder.listening
                and draft is not None
                and streams
                and not draft.wire_role
                and not draft.dropped
            ):
                piece = as_json(text)[1:-1]
                self.builder.emit(draft, make_arguments_delta(len(self.builder.calls), piece))

    def _decide(self, draft: Draft) -> str:
        """Lets a value stream once its first character shows that it is no JSON; gives its text."""
        text = self.text.text()
        first = text.lstrip()[:1]
        self.undecided = not first
        if not first or may_be_json(first, draft.schema):
            return ""
        draft.streams = True
        self._open_string(draft)
        return text

    def end(self, end: int, *, whole: bool, mended: bool = False) -> int:
        """Ends a raw payload; gives how many characters of its end belong to what follows.

        Args:
            end: its end in the source.
            whole: false where the text was cut inside it.
            mended: its own closer is missing.
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
        draft = self.builder.draft
        if draft is None:
            return dropped
        if not draft.wire_role:
            draft.arguments_end = end - dropped
        if role == "value":
            self._end_value(draft, text, end, whole=whole)
        elif role in _SINGLE:
            fill_role(self.builder, role, text, end, draft.start)
        return dropped

    def _end_value(self, draft: Draft, text: str, end: int, *, whole: bool) -> None:
        if draft.wire_role:
            if draft.wire_role == "id":
                draft.id = text.strip() or None
            elif draft.wire_role == "depends_on":
                draft.depend_on(text)
            draft.wire_role = ""
            return
        if draft.dropped:
            self.builder.report(
                "unknown-argument",
                "warning",
                f"Found argument `{draft.key[:40]}`; the tool's schema does not have it",
                Span(max(0, draft.arguments_start), end),
            )
            return
        if draft.streams:
            if self.builder.listening:
                self.builder.emit(draft, make_arguments_delta(len(self.builder.calls), '"'))
            take_argument(self.builder, draft, text, Span(self.start, end))
            return
        if not whole or (self.builder.cut_by_server and self.builder.ended_open):
            # Half of a number or of an object is a wrong value: it is left out.
            self.left_out = True
            return
        by_shape = self.builder.header.types == "shape"
        value, fits = shaped(text, draft.schema) if by_shape else draft.typed(text)
        self.builder.emit(
            draft,
            make_arguments_delta(
                len(self.builder.calls), draft.member() + json.dumps(value, ensure_ascii=False)
            ),
        )
        take_argument(self.builder, draft, value, Span(self.start, end))
        if not fits:
            draft.doubts.append("schema-mismatch")
            self.builder.report(
                "schema-mismatch",
                "error",
                f"Found text for `{draft.key[:40]}` that its schema does not take; kept as text",
                Span(self.start, end),
                path=f"$.{draft.key}",
            )
