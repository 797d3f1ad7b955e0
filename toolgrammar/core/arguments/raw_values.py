"""Reads payloads without escapes: values, free text, reasoning.

Example: the text `4` becomes the argument 4 if the schema of its key is `{"type": "integer"}`.
A token that is an argument is read as a payload of one piece.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from toolgrammar.core.calls import wrappers
from toolgrammar.core.calls.places import places_in
from toolgrammar.core.calls.role_effects import (
    doubt_unknown,
    fill_part,
    plain_text,
    report_twice,
    take_argument,
)
from toolgrammar.core.machine.caches import cached_on_argument
from toolgrammar.core.message.reports import doubt, doubt_type, emit_arguments
from toolgrammar.core.message.source import Pieces
from toolgrammar.core.payloads.json.tokens import as_json
from toolgrammar.core.payloads.json.typing_rules import is_broken_json, may_be_json, shaped
from toolgrammar.core.payloads.json.whole import equal_duplicates, repeats_key
from toolgrammar.core.payloads.raw.entities import EntityDecoder
from toolgrammar.grammar.roles import PROSE_ROLES
from toolgrammar.patterns.trim import LINE, NONE, ONE_NEWLINE, Trimmer
from toolgrammar.tools.call_words import takes_words
from toolgrammar.values.events import InputDelta
from toolgrammar.values.spans import Span

if TYPE_CHECKING:
    from toolgrammar.core.message.build import Builder
    from toolgrammar.core.message.draft import Draft

# Tokens may fill these roles as well, so both use the same function, `fill_part`.
_SINGLE = frozenset({"name", "id", "depends_on", "mode", "key"})


class RawValues:
    """The reader of the raw payloads of one message, one at a time."""

    def __init__(self, builder: Builder) -> None:
        self.builder = builder
        self.trimmer: Trimmer | None = None
        self.role = self.joint = ""
        """The role of the payload; and the separator from the text of the envelope before it."""
        self.start = 0
        self.typed = True
        """Whether the schema decides the type of the value."""
        self.decoder: EntityDecoder | None = None
        self.cuts_token = False
        """Whether the end of the text may have cut a token that is a value."""
        self.left_out = False
        """Whether a value was dropped because the text was cut in it."""
        self.undecided = False
        """Whether the value may still be JSON or text."""
        self.text = Pieces()

    def begin(
        self,
        role: str,
        start: int,
        call_start: int,
        *,
        before: bool,
        closes_line: bool,
        typed: bool = True,
    ) -> None:
        """Begins a raw payload.

        Args:
            role: the role that it fills.
            start: its offset.
            call_start: the offset of the part that may become a call.
            before: whether a line end stands before it.
            closes_line: whether its closer stands on a line of its own.
            typed: whether the schema decides its type, if it is a value.
        """
        self.role = role
        self.start = start
        self.typed = typed
        key = ""
        if role in ("value", "input", "body", "arguments"):
            draft = self.builder.open_draft(call_start)
            key = draft.key if role == "value" else ""
            if not draft.wire_role:
                draft.begin_arguments(start)
        # Reasoning and text do not open a call; the other roles, such as `name`, do.
        elif role and role not in PROSE_ROLES:
            self.builder.open_draft(call_start)
        self.joint = self._joint(role)
        # If the envelope has line ends around the value, one of them on each side is layout.
        default = ONE_NEWLINE if before or closes_line else NONE
        trims = self.builder.header.trim
        mode = trims.get(key) or trims.get(role) or default
        # White space that these modes keep may still be layout if the value's closer is missing.
        holds = role == "value" and mode in (ONE_NEWLINE, NONE)
        self.trimmer = Trimmer(mode, before=before or mode != default, holds=holds)
        self.decoder = EntityDecoder() if role in self.builder.header.entities else None
        self.text = Pieces()
        if role == "value":
            self._begin_value()
        elif role in ("input", "body") and self.builder.draft is not None:
            self.builder.draft.begin_input()

    def _joint(self, role: str) -> str:
        """Returns the separator from the text of the envelope before: a line end, or ""."""
        builder = self.builder
        # If each envelope is a message of its own, their texts would run together without it.
        if builder.header.messages != "lines" or role not in ("reasoning", "content"):
            return ""
        parts = builder.reasoning_parts if role == "reasoning" else builder.text_parts
        return "\n" if parts.texts and not parts.texts[-1][-1:].isspace() else ""

    def _begin_value(self) -> None:
        """Begins the value of the current key, and decides whether it can stream."""
        draft = self.builder.draft
        assert draft is not None
        drops_unknown = self.builder.header.unknown_arguments == "drop"
        draft.begin_value(self.builder.spec(), typed=self.typed, drops_unknown=drops_unknown)
        if self.builder.header.unwrap:
            wrappers.begin_argument(self.builder, draft)
        # The first character decides: `{` or `4` may begin JSON, the `O` of `Oslo` does not.
        self.undecided = draft.streams and self.typed and self.builder.header.types == "shape"
        if self.undecided:
            draft.let_stream(streams=False)
        elif draft.streams:
            self._open_string(draft)

    def _open_string(self, draft: Draft) -> None:
        """Emits the key and the opening quote of a value that is a string."""
        if draft.wire_role or draft.dropped:
            return
        if self.builder.queue.listening:
            emit_arguments(self.builder, draft, draft.member() + '"')
        else:
            # `closing` needs the number of members even if no events are collected.
            draft.member()

    def note_cut_token(self, *, is_cut: bool) -> None:
        """Sets whether the end of the text may have cut a token that is a value."""
        self.cuts_token = is_cut

    def forget(self) -> None:
        """Forgets the open payload, whose island turned out not to be a call."""
        self.trimmer = None

    def take(self, text: str) -> None:
        """Accepts the next part of a raw payload."""
        assert self.trimmer is not None
        text = self.trimmer.feed(text)
        self._pass(text if self.decoder is None else self.decoder.feed(text))

    def _pass(self, text: str) -> None:
        """Adds text that was trimmed and decoded to its role, and emits its events."""
        if not text:
            return
        role = self.role
        # The separator is added only when text comes: an envelope without text adds no line end.
        if self.joint:
            joint, self.joint = self.joint, ""
            if not text[0].isspace():
                self._pass(joint)
        if role == "reasoning":
            self.builder.reason(text)
        elif role in ("text", "content"):
            # The payload of an envelope is decoded and trimmed, so it has no offset in the source.
            self.builder.text(text, -1)
        elif role in ("input", "body"):
            draft = self.builder.draft
            assert draft is not None
            text = draft.add_input(text)
            self.builder.emit(draft, InputDelta(self.builder.next_index, text))
        else:
            draft = self.builder.draft
            # The first character shows whether the value may wrap all arguments.
            if draft is not None and draft.wrapper_events is not None and not self.text:
                wrappers.release_unless_object(self.builder, draft, text)
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
                # The quotes of the string are emitted separately, before and after its pieces.
                emit_arguments(self.builder, draft, as_json(text)[1:-1])

    def _decide(self, draft: Draft) -> str:
        """Lets a value stream if its first character is not that of JSON; returns its text so far.

        Returns:
            The text to emit; "" while the value does not stream.
        """
        text = self.text.text()
        first = text.lstrip()[:1]
        self.undecided = not first
        if not first or may_be_json(first, draft.schema):
            return ""
        draft.let_stream(streams=True)
        self._open_string(draft)
        return text

    def end(self, end: int, *, whole: bool, mended: bool = False, is_token: bool = False) -> int:
        """Ends a raw payload.

        Args:
            end: the offset of its end.
            whole: whether it is complete; False if the text was cut inside it.
            mended: whether its own closer is missing.
            is_token: whether it is a token, whose place the driver records.

        Returns:
            The number of characters at its end that do not belong to it, but to the text after it.
        """
        if self.trimmer is None:
            return 0
        # The closer of such a value begins with a line end, which did not come.
        self.left_out = not whole and self.trimmer.mode == LINE
        rest = self.trimmer.finish(whole=whole, mended=mended)
        dropped = self.trimmer.dropped
        if self.decoder is not None:
            rest = self.decoder.feed(rest)
            left = self.decoder.finish()
            if whole:
                rest += left
            else:
                self.left_out = self.left_out or left != ""  # half an entity has no meaning
        self._pass(rest)
        self.trimmer = None
        role, text = self.role, self.text.take()
        if not is_token:
            self._note_place(end - dropped, text)
        draft = self.builder.draft
        if draft is None:
            return dropped
        if not draft.wire_role:
            # The characters that were dropped since the closer is missing belong to the next text.
            draft.end_arguments(end - dropped)
        if role == "value":
            self._end_value(draft, text, end, whole=whole)
        elif role in _SINGLE:
            fill_part(self.builder, role, text, end, draft.start)
        return dropped

    def _note_place(self, end: int, text: str) -> None:
        """Records the place of the payload, without the layout around it."""
        places = places_in(self.builder)
        if places is None:
            return
        start = self.start
        # A text with decoded entities is not found in the source, so its whole place is recorded.
        inner = self.builder.source.slice(start, end).find(text) if text else -1
        if inner >= 0:
            start += inner
            end = start + len(text)
        places.note(self.builder, self.role, start, end)

    def _end_value(self, draft: Draft, text: str, end: int, *, whole: bool) -> None:
        """Ends the value of the current key: types it and makes it an argument."""
        if draft.wire_role:
            # A key to which the header gives a role, such as `id`, is not an argument of the tool.
            draft.fill_wire_role(text)
            return
        if draft.dropped:
            self.builder.report(
                "unknown-argument",
                "warning",
                f"Found argument `{draft.key[:40]}`; the tool's schema does not have it",
                Span(draft.arguments_start, end),
            )
            doubt_unknown(self.builder, draft, text, Span(self.start, end))
            return
        span, by_shape = Span(self.start, end), self.builder.header.types == "shape"
        if by_shape and whole and self.typed and is_broken_json(text, draft.schema):
            message = f"Found text for `{draft.key[:40]}` that may be damaged JSON; kept as text"
            doubt(self.builder, draft, "bare-text", message, span, path=f"$.{draft.key}")
        # Half a string is kept as it is, and the call is truncated; half a number is dropped below.
        if draft.streams:
            if self.builder.queue.listening:
                emit_arguments(self.builder, draft, '"')
            take_argument(self.builder, draft, text, span)
            return
        if not whole or (self.builder.end.is_cut and self.builder.end.is_open):
            # Half a number or half an object would be a wrong value, so it is dropped.
            self.left_out = True
            return
        value, fits = shaped(text, draft.schema) if by_shape else draft.typed(text)
        emit_arguments(self.builder, draft, draft.member() + json.dumps(value, ensure_ascii=False))
        take_argument(self.builder, draft, value, span)
        # The Python notation `{'a': 1}` is checked by its own reader.
        if isinstance(value, dict | list) and repeats_key(text):
            report_twice(self.builder, draft, span, equal=all(equal_duplicates(text)))
        if not fits:
            doubt_type(self.builder, draft, draft.key, span)


@cached_on_argument
def raws_of(builder: Builder) -> RawValues:
    """Returns the reader of the raw payloads of a message."""
    return RawValues(builder)


_PAYLOADS = ("value", "input", "body", "arguments")


def fill_role(builder: Builder, role: str, text: str, start: int, call_start: int) -> None:
    """Fills a role with a token, also a role of arguments; the parameters are as in `fill_part`."""
    if fill_part(builder, role, text, start, call_start):
        return
    if role == "words":
        _take_words(builder, plain_text(builder, role, text), start, call_start)
    elif role in _PAYLOADS:
        # A token is read as a payload of one piece, so that trimming, entities and typing work as
        # for other payloads.
        raws = raws_of(builder)
        raws.begin(role, start, call_start, before=False, closes_line=False)
        raws.take(text)
        # A token at the end of the text may be cut: `count=1` where `count=10` was meant.
        raws.end(start + len(text), whole=not raws.cuts_token, is_token=True)


def _take_words(builder: Builder, words: str, start: int, call_start: int) -> None:
    """Adds positional words of a call; if its tool has no properties for them, as its input."""
    draft = builder.open_draft(call_start)
    draft.begin_arguments(start)
    # The words wait in the draft: their properties depend on the text below them.
    if takes_words(builder.spec()):
        draft.take_words(words.strip())
    else:
        fill_role(builder, "input", words.strip(), start, call_start)
