"""Takes the payloads that a scanner reads: arguments and values written as JSON or in Python."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from toolgrammar.core.arguments.filling import overlooks
from toolgrammar.core.arguments.json_text import JsonText
from toolgrammar.core.calls import call_ends, wrappers
from toolgrammar.core.calls.places import places_in
from toolgrammar.core.calls.role_effects import (
    doubt_passed,
    doubt_second,
    report_twice,
    take_argument,
)
from toolgrammar.core.machine.kept import kept
from toolgrammar.core.message.format_misfit import FormatMisfit
from toolgrammar.core.payloads.json.duplicates import equal_duplicates, repeats_key
from toolgrammar.core.payloads.json.tokens import TooDeep
from toolgrammar.core.payloads.mended.repairs import MESSAGES
from toolgrammar.core.trust.mended_calls import is_endless
from toolgrammar.values.diagnostics import Edit
from toolgrammar.values.events import ArgumentsDelta
from toolgrammar.values.spans import Span

if TYPE_CHECKING:
    from collections.abc import Iterable

    from toolgrammar.core.arguments.json_payload import JsonPayload
    from toolgrammar.core.message.build import Builder
    from toolgrammar.core.message.draft import Draft
    from toolgrammar.core.payloads.literals.python_faults import Fault
    from toolgrammar.values.json_types import JsonValue


class ScannedValues:
    """The payload that is being scanned, for one message; what it means goes into the draft."""

    def __init__(self, builder: Builder) -> None:
        self.builder = builder
        self.role = ""
        self._none = -1  # offset of the last payload that stands in place of arguments
        self.text: JsonText | None = None
        """The string that is being read as the input of a call."""

    def begin(self, role: str, start: int, unit: int, *, may_be_arguments: bool = False) -> None:
        """Begins a JSON or Python payload.

        Args:
            role: what it fills.
            start: its offset.
            unit: the offset of what may become a call.
            may_be_arguments: whether the arguments may stand here instead.

        Raises:
            FormatMisfit: what is skipped here may be the arguments in another format.
        """
        if not role:
            if self.builder.watched and overlooks(self.builder, start):
                raise FormatMisfit(overlooked=True)
            self.builder.note_beside(start)
            if may_be_arguments:
                self._none = start
                doubt_passed(self.builder, start, unit)
        self.role = role
        self.text = None
        if role in ("input", "body", "arguments"):
            draft = self.builder.open_draft(unit)
            if draft.has_payload or draft.error is not None or draft.inputs is not None:
                self.role = ""  # they are given out, or given up, already
                doubt_second(self.builder, "arguments", start, start)
                return
            if self._none >= unit:
                doubt_second(self.builder, "arguments", start, start)
        if role in ("input", "body"):
            draft.place_payload(start)
            self.text = JsonText(self.builder, role, start, unit, may_be_arguments=may_be_arguments)
        if role not in ("arguments", "value"):
            return
        draft = self.builder.open_draft(unit)
        draft.begin_arguments(start)
        draft.begin_payload(start, streams=role == "value" or None)
        if role == "value" and self.builder.header.unwrap:
            wrappers.begin_argument(self.builder, draft)

    def take(self, text: str) -> None:
        """Takes the next part of the payload's JSON."""
        draft = self.builder.draft
        if self.text is not None:
            self.text.take(text)
        if self.role not in ("arguments", "value") or draft is None:
            return
        assert draft.payload is not None
        if draft.held is not None and not draft.payload:
            wrappers.judge(self.builder, draft, text)  # Only an object may wrap all arguments.
        begins = self.role == "value" and text != "" and not draft.payload
        draft.payload.append(text)
        if begins:
            # Where no value comes, nothing is said of its key.
            text = draft.member() + text
        if draft.payload_begins(text):
            self.builder.emit(draft, ArgumentsDelta(len(self.builder.calls), text))

    def take_whole(self, value: JsonValue, text: str, end: int) -> None:
        """Takes a payload that was read at once."""
        self.take(text)
        self._end_arguments(end)
        self._accept(value)

    def end(self, end: int) -> None:
        """Ends a payload: its value is that of the JSON that was given out."""
        draft = self.builder.draft
        if self.text is not None:
            self._end_text(self.text, end)
        self._end_arguments(end)
        if self.role in ("arguments", "value") and draft is not None:
            assert draft.payload is not None
            text = draft.payload.take()
            if text.strip():
                self._accept(json.loads(text))
            else:
                # Something else stands where the value should: none is made up.
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
        """Notes where the arguments end, unless the payload was a member beside them."""
        if self.builder.draft is not None and self.role in ("arguments", "value"):
            self.builder.draft.end_arguments(end)
            self._note_place(end)

    def _note_place(self, end: int) -> None:
        """Notes where the payload stands."""
        places, draft = places_in(self.builder), self.builder.draft
        if places is not None and draft is not None:
            places.note(self.builder, self.role, draft.payload_start, end)

    def _accept(self, value: Any) -> None:
        draft, role = self.builder.draft, self.role
        if draft is None or role not in ("arguments", "value"):
            return
        # `1e999` is sound JSON, and no float holds it. Said once, however many such numbers there
        # are.
        if "nonfinite" not in draft.doubts and is_endless(value):
            draft.doubts.append("nonfinite")
            span = Span(max(0, draft.payload_start), max(0, draft.arguments_end))
            message = "Found a number that no float holds; it is read as Infinity"
            self.builder.report("nonfinite", "error", message, span)
        if role == "value":
            span = Span(draft.payload_start, draft.arguments_end)
            take_argument(self.builder, draft, value, span)
        elif isinstance(value, dict):
            draft.take_arguments(value)
        else:
            self._not_an_object(draft, value)
        draft.end_payload()

    def _not_an_object(self, draft: Draft, value: Any) -> None:
        """Judges arguments that are no object: a string may hold one as JSON text."""
        inner: Any = None
        if isinstance(value, str):
            try:
                inner = json.loads(value)  # Once only: a string in a string stays one.
            # Text of a model may be nested as deep as it likes: `"[[[[…"`.
            except (ValueError, RecursionError):
                inner = None
        if isinstance(inner, dict):
            self._decoded(draft, inner)
        else:
            draft.fail(f"Found {type(value).__name__} as arguments; a call wants an object")

    def _decoded(self, draft: Draft, arguments: dict[str, Any]) -> None:
        """Takes arguments that stood in a string as JSON text."""
        draft.take_arguments(arguments)
        draft.mend()
        written = json.dumps(arguments, ensure_ascii=False)
        self.builder.emit(draft, ArgumentsDelta(len(self.builder.calls), written))
        span = Span(max(0, draft.payload_start), max(0, draft.arguments_end))
        self.builder.report(
            "decoded",
            "warning",
            "Found arguments as JSON text in a string; decoded them once",
            span,
            edits=(Edit(span, written),),
        )

    def mend(self, scanner: JsonPayload, end: int) -> None:
        """Notes what was mended in the payload, which ends here."""
        draft = self.builder.draft
        if self.role not in ("arguments", "value") or draft is None:
            self._mend_beside(scanner)
            return
        path = f"$.{draft.key}" if self.role == "value" else "$"
        written = draft.payload.text() if scanner.repairs and draft.payload is not None else ""
        for repair in scanner.settled(written):
            if scanner.unreadable:
                repair.edits.clear()  # they would make an empty object of it
            if repair.code == "truncated" and not scanner.done:
                continue  # the end of the call says so
            found = repair.diagnostic()
            edits = tuple(map(self._before_gap, found.edits))
            # For neither is anything put in or left out: the one is doubted, and a type by the schema
            # is no repair, as for text that has no type of its own. All arguments as JSON text in a
            # string are one: plain Lark does not read them.
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
        """Leaves the white space behind brackets that are put in where it is."""
        if edit.replacement.strip("}]"):
            return edit
        written = self.builder.source.slice(edit.span.start, edit.span.end)
        # In `{"a": 1 </tool_call>` the brace goes before the blank.
        gap = len(written) - len(written.rstrip()) if edit.replacement else 0
        return Edit(Span(edit.span.start, edit.span.end - gap), edit.replacement)

    def _mend_beside(self, scanner: JsonPayload) -> None:
        """Notes what was mended in a payload that is no argument of the call."""
        for repair in scanner.settled(""):
            # It changes no argument, so neither puts the call into doubt.
            if repair.code in ("truncated", "duplicate-key"):
                continue
            self.builder.mend()
            found = repair.diagnostic()
            message, span = found.message, found.span
            self.builder.report(found.code, "warning", message, span, edits=found.edits)

    def doubt(self, code: str, message: str, end: int) -> None:
        """Doubts a payload, for what its scanner found."""
        draft = self.builder.draft
        if draft is not None and self.role in ("arguments", "value"):
            draft.doubts.append(code)
            self.builder.report(code, "error", message, Span(end, end))

    def doubt_expression(self, written: str, end: int) -> None:
        """Doubts a payload in which an expression was read as text."""
        draft = self.builder.draft
        if draft is not None and self.role in ("arguments", "value"):
            # `${name}` is a template of JavaScript; `today()` is an expression.
            code = "template" if written == "${" else "bare-text"
            draft.doubts.append(code)
            shown = written[:42].strip('"')
            message = f"Found `{shown}` where a literal should stand; kept as text"
            self.builder.report(code, "error", message, Span(max(0, draft.payload_start), end))

    def doubt_types(self, paths: str, end: int) -> None:
        """Doubts a payload with text that the schemas do not take, at paths between blanks."""
        draft = self.builder.draft
        if draft is None or self.role not in ("arguments", "value"):
            return
        for path in paths.split():
            draft.doubts.append("schema-mismatch")
            self.builder.report(
                "schema-mismatch",
                "error",
                f"Found text for `{path[:40]}` that its schema does not take; kept as text",
                Span(max(0, draft.payload_start), end),
                path=f"$.{path}",
            )

    def put_in(self, closers: str, place: int) -> None:
        """Notes closers that were put in before the markup around the payload."""
        draft = self.builder.draft
        if draft is not None and self.role in ("arguments", "value"):
            draft.mend()
            span = Span(place, place)
            edits = (Edit(span, closers),)
            self.builder.report("bracket", "warning", MESSAGES["bracket"], span, edits=edits)

    def mend_python(self, faults: Iterable[Fault]) -> None:
        """Notes what was mended in Python arguments, and what may be meant otherwise."""
        draft = self.builder.draft
        if draft is None or self.role not in ("arguments", "value"):
            return
        for fault in faults:
            span = Span(fault.start, fault.end)
            # Without a replacement the text stays as it is written: a doubt, and no repair.
            if fault.replacement is not None:
                draft.mend()
            if not fault.is_sure:
                draft.doubts.append(fault.code)
            self.builder.report(
                fault.code,
                "warning" if fault.is_sure else "error",
                fault.message,
                span,
                edits=() if fault.replacement is None else (Edit(span, fault.replacement),),
            )

    def doubt_twice(self, end: int) -> None:
        """Doubts arguments that are not written as JSON and have a name twice."""
        draft = self.builder.draft
        if draft is None or draft.payload is None:
            return
        written = draft.payload.text()
        # The JSON that was given out is asked, since it has each name as it was read.
        if not written.strip() or not repeats_key(written):
            return
        span = Span(draft.payload_start, end)
        report_twice(self.builder, draft, span, equal=all(equal_duplicates(written)), path="$")

    def control(self, place: int, character: str) -> None:
        """Notes a raw control character in a JSON string, which the deltas carry escaped."""
        if self.builder.draft is not None and (self.text or self.role in ("arguments", "value")):
            self.builder.mend()
            written = json.dumps(character)[1:-1]
            self.builder.report(
                "control",
                "warning",
                f"Found a raw control character in a string; JSON wants `{written}`",
                Span(place, place + 1),
                edits=(Edit(Span(place, place + 1), written),),
            )

    def fail(self, text: str, reason: str, place: int) -> None:
        """Ends a payload at a place where it can't go on; what was given out is closed."""
        draft = self.builder.draft
        if self.text is not None:
            self.text.cut(place)
        if draft is None or self.role not in ("arguments", "value"):
            return
        # What is past a limit is sound, and only too much: see `Limits`.
        code = "limit-depth" if isinstance(reason, TooDeep) else "malformed-arguments"
        self.builder.report(code, "error", reason, Span(place, place))
        draft.end_arguments(max(0, place))
        self._note_place(place)
        self._close(draft, text)
        draft.refuse(reason)

    def cut(self, end: int, scanner: JsonPayload | None, closers: str | None) -> None:
        """Ends the call whose payload was cut by the end of the text.

        Args:
            end: where the text ended.
            scanner: what read the payload, where that says what closes it.
            closers: what is missing behind the payload; None where that is not known.
        """
        draft = self.builder.draft
        if self.text is not None:
            self.text.cut(end)
        if draft is not None and self.role in ("arguments", "value"):
            draft.end_arguments(end)
            self._note_place(end)
            self._close(draft, "")
            draft.cut()
        edit = scanner.closing_edit if scanner is not None else None
        if edit is None or closers is None:
            call_ends.cut(self.builder, end)
        else:
            call_ends.cut(self.builder, end, closers=edit[2] + closers, place=edit[0])

    def _close(self, draft: Draft, text: str) -> None:
        if text:
            self.take(text)
        joined = draft.payload.take() if draft.payload is not None else ""
        try:
            value = json.loads(joined) if joined else None
        except ValueError:
            value = None
        # What was given out counts, closed; of arguments only if it is an object, as a call wants.
        if joined and (self.role == "value" or isinstance(value, dict)):
            self._accept(value)
        draft.end_payload()


@kept
def scanned_of(builder: Builder) -> ScannedValues:
    """Returns what takes the payloads of a message that scanners read."""
    return ScannedValues(builder)
