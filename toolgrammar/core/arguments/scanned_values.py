"""Turns the output of scanners into arguments: payloads in JSON, Python and other notations.

Example: `take('{"a": 1}')` emits an `ArgumentsDelta`, and `end` sets the arguments to `{"a": 1}`.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any, Final

from toolgrammar.core.arguments.json_payload import JsonText, object_in
from toolgrammar.core.calls import call_ends, wrappers
from toolgrammar.core.calls.places import places_in
from toolgrammar.core.calls.role_effects import (
    doubt_second,
    doubt_unusable_value,
    report_twice,
    take_argument,
)
from toolgrammar.core.machine.caches import cached_on_argument
from toolgrammar.core.message.listing import FormatMisfit
from toolgrammar.core.message.reports import doubt, emit_arguments, report_edit
from toolgrammar.core.payloads.json.tokens import TOO_DEEP
from toolgrammar.core.payloads.json.whole import equal_duplicates, repeats_key
from toolgrammar.core.payloads.literals.payload_faults import BEGIN, END
from toolgrammar.core.payloads.mended.repairs import MESSAGES
from toolgrammar.core.trust.mended_values import is_endless
from toolgrammar.values.diagnostics import Edit
from toolgrammar.values.spans import Span

if TYPE_CHECKING:
    from collections.abc import Iterable

    from toolgrammar.core.arguments.json_payload import JsonPayload
    from toolgrammar.core.message.build import Builder
    from toolgrammar.core.message.draft import Draft
    from toolgrammar.core.payloads.literals.payload_faults import Fault
    from toolgrammar.values.json_types import JsonValue


_EXPRESSIONS: Final = frozenset({"bare-text", "template"})
"""Codes of text that may be an expression; some formats have words without quotes as strings."""


class ScannedValues:
    """The reader of the scanned payloads of one message, which fills the draft of the open call."""

    def __init__(self, builder: Builder) -> None:
        self.builder = builder
        self.role = ""
        self._none: int | None = None
        """The offset of the last payload in place of arguments, such as null."""
        self.text: JsonText | None = None
        """The string that is read as the input of a call; None if there is none."""

    def begin(
        self, role: str, start: int, call_start: int, *, may_be_arguments: bool = False
    ) -> None:
        """Begins a payload that a scanner reads.

        Args:
            role: the role that it fills; "" for none.
            start: its offset.
            call_start: the offset of the part that may become a call.
            may_be_arguments: whether the arguments may stand here instead.

        Raises:
            FormatMisfit: a skipped payload may be the arguments in another format.
        """
        if not role:
            if self.builder.watched and _overlooks(self.builder, start):
                raise FormatMisfit(overlooked=True)
            self.builder.note_beside(start)
            # Of `{"a": {…}, "arguments": {…}}` the first object may be what was meant.
            if may_be_arguments:
                self._none = start
                doubt_unusable_value(self.builder, start, call_start)
        self.role = role
        self.text = None
        if role in ("input", "body", "arguments"):
            draft = self.builder.open_draft(call_start)
            if draft.has_payload or draft.error is not None or draft.inputs is not None:
                self.role = ""  # the arguments were read before, or could not be read
                doubt_second(self.builder, "arguments", start, start)
                return
            if self._none is not None and self._none >= call_start:
                doubt_second(self.builder, "arguments", start, start)
        # A text that is written as a JSON string fills the role of a free text.
        if role in ("input", "body"):
            draft.place_payload(start)
            self.text = JsonText(
                self.builder, role, start, call_start, may_be_arguments=may_be_arguments
            )
        if role not in ("arguments", "value"):
            return
        draft = self.builder.open_draft(call_start)
        draft.begin_arguments(start)
        draft.begin_payload(start, streams=role == "value" or None)
        if role == "value" and self.builder.header.unwrap:
            wrappers.begin_argument(self.builder, draft)

    @property
    def _filled(self) -> Draft | None:
        """The draft whose arguments the payload fills; None if it fills none."""
        return self.builder.draft if self.role in ("arguments", "value") else None

    def take(self, text: str) -> None:
        """Accepts the next part of the payload, as JSON."""
        draft = self._filled
        if self.text is not None:
            self.text.take(text)
        if draft is None:
            return
        assert draft.payload is not None
        if draft.wrapper_events is not None and not draft.payload:
            wrappers.release_unless_object(
                self.builder, draft, text
            )  # Only an object may wrap all arguments.
        begins = self.role == "value" and text != "" and not draft.payload
        draft.payload.append(text)
        if begins:
            # The key is emitted with the value, as a key without a value is not an argument.
            text = draft.member() + text
        if draft.payload_begins(text):
            emit_arguments(self.builder, draft, text)

    def take_whole(self, value: JsonValue, text: str, end: int) -> None:
        """Accepts a payload that was read at once and ends at an offset."""
        self.take(text)
        self._end_arguments(end)
        self._accept(value)

    def end(self, end: int) -> None:
        """Ends a payload, whose value is that of the JSON that was emitted."""
        draft = self._filled
        if self.text is not None:
            self._end_text(self.text, end)
        self._end_arguments(end)
        if draft is not None:
            assert draft.payload is not None
            text = draft.payload.take()
            if text.strip():
                self._accept(json.loads(text))
            else:
                # The value is missing, and none is made up.
                self._close(draft, "")
                draft.cut()

    def _end_text(self, text: JsonText, end: int) -> None:
        arguments = text.end(end)
        self._note_place(end)
        draft, self.text = self.builder.draft, None
        if arguments is not None and draft is not None:
            draft.span_arguments(draft.payload_start, end)
            self._decoded(draft, arguments)

    def _end_arguments(self, end: int) -> None:
        """Notes where the arguments end, unless the payload is another member beside them."""
        if (draft := self._filled) is not None:
            draft.end_arguments(end)
            self._note_place(end)

    def _note_place(self, end: int) -> None:
        """Records the place of the payload."""
        places, draft = places_in(self.builder), self.builder.draft
        if places is not None and draft is not None:
            places.note(self.builder, self.role, draft.payload_start, end)

    def _accept(self, value: Any) -> None:
        """Sets the value of the payload as the arguments, or as the current key's argument."""
        draft = self._filled
        if draft is None:
            return
        # `1e999` is sound JSON that no float can hold. One report stands for all such numbers.
        if "nonfinite" not in draft.doubts and is_endless(value):
            span = Span(draft.payload_start, draft.arguments_end)
            message = "Found a number that no float holds; it is read as Infinity"
            doubt(self.builder, draft, "nonfinite", message, span)
        if self.role == "value":
            span = Span(draft.payload_start, draft.arguments_end)
            take_argument(self.builder, draft, value, span)
        elif isinstance(value, dict):
            draft.take_arguments(value)
        else:
            self._not_an_object(draft, value)
        draft.end_payload()

    def _not_an_object(self, draft: Draft, value: Any) -> None:
        """Handles arguments that are not an object; a string may contain one as JSON text."""
        # It is decoded once only: a string in it stays a string.
        inner = object_in(value) if isinstance(value, str) else None
        if inner is not None:
            self._decoded(draft, inner)
        else:
            draft.fail(f"Found {type(value).__name__} as arguments; a call wants an object")

    def _decoded(self, draft: Draft, arguments: dict[str, Any]) -> None:
        """Sets arguments that stood in a string as JSON text, and reports that as a repair."""
        draft.take_arguments(arguments)
        draft.mend()
        written = json.dumps(arguments, ensure_ascii=False)
        emit_arguments(self.builder, draft, written)
        span = Span(draft.payload_start, draft.arguments_end)
        message = "Found arguments as JSON text in a string; decoded them once"
        report_edit(self.builder, "decoded", message, span, written)

    def mend(self, scanner: JsonPayload, end: int) -> None:
        """Reports the repairs of the payload, which ends here."""
        draft = self._filled
        if draft is None:
            self._mend_beside(scanner)
            return
        path = f"$.{draft.key}" if self.role == "value" else "$"
        written = draft.payload.text() if scanner.repairs and draft.payload is not None else ""
        for repair in scanner.settled(written):
            if scanner.unreadable:
                repair.edits.clear()  # applied to the text they would leave an empty object
            if repair.code == "truncated" and not scanner.done:
                continue  # the end of the call reports it
            found = repair.diagnostic()
            edits = tuple(map(self._before_gap, found.edits))
            # Neither of these two codes inserts or drops text: a double key is doubted, and a type
            # by the schema is not a repair, as for text without a type of its own. If all arguments
            # are JSON text in a string, that is a repair, since plain Lark does not read them.
            is_all = self.role == "arguments" and found.span.start <= draft.payload_start
            if repair.code not in ("duplicate-key", "schema-type") or is_all:
                draft.mend()
            if repair.doubt:
                draft.doubts.append(repair.code)
            self.builder.report(
                found.code,
                found.severity,
                found.message,
                found.span,
                edits=edits,
                path=path + found.path[1:],
                hint=found.hint,
            )
        if scanner.truncated:
            draft.cut()
        if scanner.unreadable:
            draft.fail(MESSAGES["unreadable"])
            draft.end_arguments(end)

    def _before_gap(self, edit: Edit) -> Edit:
        """Moves an edit that inserts brackets before the white space that it would replace."""
        if edit.replacement.strip("}]"):
            return edit
        written = self.builder.source.slice(edit.span.start, edit.span.end)
        # In `{"a": 1 </tool_call>` the brace goes before the blank.
        gap = len(written) - len(written.rstrip()) if edit.replacement else 0
        return Edit(Span(edit.span.start, edit.span.end - gap), edit.replacement)

    def _mend_beside(self, scanner: JsonPayload) -> None:
        """Reports the repairs of a payload that is not an argument of the call."""
        for repair in scanner.settled(""):
            # The payload changes no argument, so these two codes do not put the call in doubt.
            if repair.code in ("truncated", "duplicate-key"):
                continue
            self.builder.mend()
            found = repair.diagnostic()
            message, span = found.message, found.span
            self.builder.report(found.code, "warning", message, span, edits=found.edits)

    def report_faults(self, faults: Iterable[Fault], end: int) -> None:
        """Reports the faults of a payload that ends at an offset; doubts it if one is ambiguous."""
        draft = self._filled
        if draft is None:
            return
        places = {BEGIN: draft.payload_start, END: end}
        for fault in faults:
            if fault.code in _EXPRESSIONS and self.builder.header.bare != "literal":
                continue
            # A fault without a replacement keeps the text as it is written: a doubt, not a repair.
            if fault.replacement is not None:
                draft.mend()
            if not fault.is_sure:
                draft.doubts.append(fault.code)
            start, stop = (places.get(place, place) for place in (fault.start, fault.end))
            span = Span(start, stop)
            self.builder.report(
                fault.code,
                "warning" if fault.is_sure else "error",
                fault.message or MESSAGES[fault.code],
                span,
                edits=() if fault.replacement is None else (Edit(span, fault.replacement),),
                path=fault.path,
            )

    def doubt_twice(self, end: int) -> None:
        """Doubts arguments in another notation than JSON that have a name twice."""
        draft = self.builder.draft
        if draft is None or draft.payload is None:
            return
        written = draft.payload.text()
        # The emitted JSON is checked, since it has each name as it was read.
        if not written.strip() or not repeats_key(written):
            return
        span = Span(draft.payload_start, end)
        report_twice(self.builder, draft, span, equal=all(equal_duplicates(written)), path="$")

    def control(self, place: int, character: str) -> None:
        """Reports a raw control character in a JSON string, which the deltas have escaped."""
        if self._filled is not None or (self.text and self.builder.draft is not None):
            self.builder.mend()
            written = json.dumps(character)[1:-1]
            message = f"Found a raw control character in a string; JSON wants `{written}`"
            report_edit(self.builder, "control", message, Span(place, place + 1), written)

    def fail(self, text: str, reason: str, place: int) -> None:
        """Ends a payload at an offset where it fails; `text` closes the JSON that was emitted."""
        draft = self._filled
        if self.text is not None:
            self.text.cut(place)
        if draft is None:
            return
        # Text past a limit is not malformed: see `Limits`.
        code = "limit-depth" if reason == TOO_DEEP else "malformed-arguments"
        self.builder.report(code, "error", reason, Span(place, place))
        draft.end_arguments(place)
        self._note_place(place)
        self._close(draft, text)
        draft.refuse(reason)

    def cut(self, end: int, scanner: JsonPayload | None, closers: str | None) -> None:
        """Ends the call whose payload was cut by the end of the text.

        Args:
            end: the offset where the text ended.
            scanner: the scanner of the payload, if it has an edit that closes it.
            closers: the text of the missing closers after the payload; None if it is not known.
        """
        draft = self._filled
        if self.text is not None:
            self.text.cut(end)
        if draft is not None:
            draft.end_arguments(end)
            self._note_place(end)
            self._close(draft, "")
            draft.cut()
        edit = scanner.closing_edit if scanner is not None else None
        # A payload without a role stands in the object of the call, as `"id": "x` does.
        if edit is None or closers is None:
            call_ends.cut(self.builder, end, root_open=True)
        else:
            written = edit[2] + closers
            call_ends.cut(self.builder, end, root_open=True, closers=written, place=edit[0])

    def _close(self, draft: Draft, text: str) -> None:
        """Accepts the value of the JSON that was emitted, closed by a text."""
        if text:
            self.take(text)
        joined = draft.payload.take() if draft.payload is not None else ""
        try:
            value = json.loads(joined) if joined else None
        except ValueError:
            value = None
        # The emitted JSON counts once it is closed; as arguments only if it is an object.
        if joined and (self.role == "value" or isinstance(value, dict)):
            self._accept(value)
        draft.end_payload()


def _overlooks(builder: Builder, start: int) -> bool:
    """Whether a member that fills no role may be the arguments: an object, in a call without any.

    Another format may have its key as that of the arguments.

    Args:
        builder: the message.
        start: the offset of the member's value.
    """
    draft = builder.draft
    if draft is None or draft.name is None or draft.arguments_start >= 0:
        return False
    return builder.source.slice(start, start + 1) == "{"


@cached_on_argument
def scanned_of(builder: Builder) -> ScannedValues:
    """Returns the reader of the scanned payloads of a message."""
    return ScannedValues(builder)
