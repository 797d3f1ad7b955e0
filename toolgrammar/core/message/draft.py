"""Holds what is known of a call that is still being read."""

from __future__ import annotations

import copy
import json
from typing import TYPE_CHECKING, Any

from toolgrammar.core.message.listing import START, Mark
from toolgrammar.core.message.pieces import Pieces
from toolgrammar.core.payloads.json.tokens import as_json
from toolgrammar.tools.call_words import arguments_of
from toolgrammar.tools.coerce import is_text_only, type_text
from toolgrammar.values.events import ArgumentsDelta, Event
from toolgrammar.values.patterns import late

if TYPE_CHECKING:
    from collections.abc import Iterator

    from toolgrammar.values.calls import Status
    from toolgrammar.values.tools import ToolSpec

_BETWEEN_IDS = late(r"[\s,]+")


class Draft:
    """One open call: its roles so far, and the events that wait until it is certain."""

    def __init__(self, start: int) -> None:
        self.start = start
        self.name: str | None = None
        self.written_name = ""
        self.id: str | None = None
        self.depends_on: list[str] | None = None
        self.arguments: dict[str, Any] = {}
        self.arguments_start = -1
        self.arguments_end = -1
        self.inputs: Any = None
        self.separator = ""
        self.is_markdown = False
        """Whether underscores of its name stand behind backslashes, as in Markdown."""
        self.key = ""
        self.written_key = ""
        self.wire_role = ""
        self.schema: Any = None
        self.streams = True
        self.dropped = False
        self.members = 0
        self.payload: Pieces | None = None
        self.payload_start = 0
        self.payload_streams: bool | None = None
        self.has_payload = False
        self.started = False
        self.delimited = False
        self.events: list[Event] = []
        self.held: list[Event] | None = None
        """The events of an argument that may wrap all arguments; None where none does."""
        self.error: str | None = None
        self.refused: str | None = None
        """Why an argument could not be read behind others that were given out."""
        self.repaired = False
        self.truncated = False
        self.doubts: list[str] = []
        self.beside: list[str] = []
        """Keys that mean nothing to the format: those behind the arguments, and what resembles
        the key of the arguments before them."""
        self.words: str | None = None
        """Arguments without names, for a tool that takes some."""
        self.text_key: str | None = None
        """The argument that the text of a free-text call is."""
        self.unescaped = False
        """Whether it has a payload without escapes."""
        self.may_go_on = False
        """Whether such a payload may go on behind what was taken for the call's end."""
        self.unclosed = False
        """Whether it lacks the closer without which it is text."""
        self.unclosed_to = -1
        """Offset up to which the openers of arguments begin them, for nothing closes them."""
        self.diagnostics = START
        """How far the diagnostics had come before it."""

    # What was read of it

    def take_name(self, name: str, written: str) -> None:
        """Takes the name; a closer repeats it as it was written, with quotes or backslashes."""
        self.name, self.written_name = name, written

    def forget_name(self) -> None:
        """Forgets the name: it is read anew."""
        self.name = None

    def take_id(self, text: str) -> None:
        """Takes the id; a blank one counts as absent."""
        self.id = text.strip() or None

    def take_key(self, key: str, written: str, wire_role: str) -> None:
        """Takes the key of the next value, and the role that the wire writes as an argument."""
        self.key, self.written_key, self.wire_role = key, written, wire_role

    def fill_wire_role(self, text: str) -> None:
        """Takes a value that is no argument of the tool, such as that of the key `id`."""
        if self.wire_role == "id":
            self.take_id(text)
        elif self.wire_role == "depends_on":
            self.depend_on(text)
        self.wire_role = ""

    def begin_arguments(self, start: int) -> None:
        """Notes where the arguments begin, if they have not begun."""
        if self.arguments_start < 0:
            self.arguments_start = start

    def end_arguments(self, end: int) -> None:
        """Notes where the arguments end so far."""
        self.arguments_end = end

    def span_arguments(self, start: int, end: int) -> None:
        """Notes where all arguments stand, whatever was read of them before."""
        self.arguments_start, self.arguments_end = start, end

    def begin_payload(self, start: int, *, streams: bool | None) -> None:
        """Begins a payload; `streams` is None where its first character tells."""
        self.payload, self.payload_start, self.payload_streams = Pieces(), start, streams

    def place_payload(self, start: int) -> None:
        """Notes where a payload begins that is not collected here."""
        self.payload_start = start

    def payload_begins(self, text: str) -> bool:
        """Whether the payload, which goes on with this text, is given out piece by piece."""
        if self.payload_streams is None:
            # Arguments are an object; what begins otherwise waits for its end.
            self.payload_streams = text.lstrip().startswith("{")
        return self.payload_streams

    def end_payload(self) -> None:
        """Forgets the text of the payload: its value was taken, or it has none."""
        self.payload = None

    def take_arguments(self, value: dict[str, Any]) -> None:
        """Takes all arguments at once."""
        self.arguments, self.has_payload = value, True

    def unwrap(self, value: dict[str, Any]) -> None:
        """Takes an argument for the object of all arguments; nothing of it was given out."""
        self.held, self.members = None, 0
        self.take_arguments(value)

    def begin_value(self, spec: ToolSpec | None, *, typed: bool, drops_unknown: bool) -> None:
        """Begins the text of the current key's value.

        Args:
            spec: the tool, where it is known.
            typed: whether the schema decides the type of the value.
            drops_unknown: whether a key that the schema does not name is left out.
        """
        self.schema, is_text = self.schema_of(spec)
        # A value that is a string in any case can be given out at once; others wait for their end.
        self.streams = is_text or not typed
        known = spec.properties if spec is not None else {}
        self.dropped = bool(drops_unknown and known and self.key not in known)

    def let_stream(self, *, streams: bool) -> None:
        """Decides whether the value is given out piece by piece."""
        self.streams = streams

    def begin_input(self) -> None:
        """Begins a text that is no argument yet; a second one follows on a line of its own."""
        self.separator = "\n" if self.inputs and "".join(self.inputs) else ""
        # Not None any more: an input that turns out to be empty is one all the same.
        if not self.inputs:
            self.inputs = [""]

    def expect_input(self) -> None:
        """Makes the text empty where none was read: in such a format no text is one, too."""
        if self.inputs is None:
            self.inputs = []

    def add_input(self, text: str) -> str:
        """Adds to the text; returns what was added, with the line end before it."""
        text, self.separator = self.separator + text, ""
        self.inputs.append(text)
        return text

    def take_words(self, words: str) -> None:
        """Takes words that get their properties when the text below them is known."""
        self.words = words

    def begin_unescaped(self) -> None:
        """Notes a payload without escapes, which may hold its own closer as text."""
        self.unescaped = True

    def open_values_to(self, offset: int) -> None:
        """Notes that nothing closes the openers of arguments up to an offset."""
        self.unclosed_to = offset

    def chain_behind(self, call_id: str) -> None:
        """Waits for the call before, if it names none itself."""
        if self.depends_on is None and call_id:
            self.depends_on = [call_id]

    # What is judged of it

    def mend(self, *doubts: str) -> None:
        """Notes that something of it was mended, and the codes of what may be meant otherwise."""
        self.repaired = True
        self.doubts += doubts

    def mend_name(self) -> None:
        """Notes that backslashes before its name's underscores were left out."""
        self.repaired = self.is_markdown = True

    def cut(self) -> None:
        """Notes that the text ends in it."""
        self.truncated = True

    def go_on(self) -> None:
        """Notes that a payload may go on behind what was taken for the call's end."""
        self.may_go_on = True

    def close_unescaped(self) -> None:
        """Ends it without its closer: a payload without escapes may go on."""
        self.may_go_on = self.may_go_on or self.unescaped

    def leave_unclosed(self, *, as_text: bool) -> None:
        """Notes that it lacks its closer, and whether it is text without one."""
        self.unclosed = as_text

    def delimit(self) -> None:
        """Notes something distinctive behind the name."""
        self.delimited = True

    def fail(self, error: str) -> None:
        """Makes the call unreadable; `error` says why."""
        self.error = error

    def refuse(self, reason: str) -> None:
        """Notes why an argument can't be read; what was given out before it stays."""
        self.refused = reason
        if not self.given_out:
            self.fail(reason)

    def follow(self, marked: Mark) -> None:
        """Notes how far the diagnostics had come before it."""
        self.diagnostics = marked

    # Its events

    def start_call(self) -> list[Event]:
        """Makes it certain; returns the events that waited for it."""
        self.started = True
        return self.take_events()

    def take_events(self) -> list[Event]:
        """Returns the events that wait, and forgets them."""
        events, self.events = self.events, []
        return events

    def hold_argument(self) -> None:
        """Holds back the events of an argument that may wrap all arguments."""
        self.held = []

    def release_argument(self) -> list[Event]:
        """Returns what was held back: it is an argument like others."""
        events, self.held = self.held or [], None
        return events

    def copy(self) -> Draft:
        """Returns one that nothing that happens to this one changes."""
        # A shallow copy is enough but for the arguments, to which settling the call adds members.
        copied = copy.copy(self)
        copied.own_arguments()
        return copied

    def own_arguments(self) -> None:
        """Makes its arguments an object that no other draft has."""
        self.arguments = dict(self.arguments)

    def member(self) -> str:
        """Returns the JSON text that stands before the next value of an object."""
        self.members += 1
        before = "{" if self.members == 1 else ", "
        return f"{before}{as_json(self.key)}: "

    def depend_on(self, text: str) -> None:
        """Reads a list of ids; a blank one counts as absent."""
        ids = [part for part in _BETWEEN_IDS.split(text) if part]
        # `depends_on=""` says as much as no attribute, so the default chain of the section applies.
        if ids:
            self.depends_on = [*(self.depends_on or []), *ids]

    def schema_of(self, spec: ToolSpec | None) -> tuple[Any, bool]:
        """Returns the schema of the current key, and whether its value is text whatever it says."""
        schema = spec.properties.get(self.key) if spec is not None else None
        return schema, is_text_only(schema)

    def typed(self, text: str) -> tuple[Any, bool]:
        """Returns the value of a text by the current schema, and whether it fits."""
        return type_text(text, self.schema)

    @property
    def given_out(self) -> bool:
        """Whether any argument was given out."""
        return self.members > 0 or bool(self.arguments)

    def place_text(self, spec: ToolSpec | None) -> tuple[bool, str]:
        """Makes the text of a free-text call an argument, and its words others.

        Returns:
            Whether the tool has an argument for the text; and the property, if any, that got a word
            which it does not take.
        """
        # Arguments that were read as an object are whole: there is no text to place.
        if self.inputs is None or self.has_payload:
            return True, ""
        text = "".join(self.inputs)
        # An unknown tool: `ToolCall.input` keeps the text, and nobody can say which argument it is.
        if spec is None:
            return True, ""
        # Words have no names, so they count only where no argument was named.
        if self.words is not None and not self.members:
            shared = arguments_of(self.words, text, spec)
            self.arguments = shared.arguments
            return shared.placed, shared.misfit
        if not text.strip():
            return True, ""
        lone = spec.lone_text_parameter
        if lone is None or lone in self.arguments:
            # Where there are no arguments, nothing takes its default in place of the text.
            return not (spec.properties and spec.drops_text(self.arguments)), ""
        self.arguments[lone] = text
        self.text_key = lone
        return True, ""

    def closing(self, index: int) -> Iterator[Event]:
        """Yields the events that end the arguments."""
        if self.members:
            if self.text_key is not None:
                text = self.arguments[self.text_key]
                # The text follows the named arguments, in the deltas as in the object.
                yield ArgumentsDelta(index, f", {as_json(self.text_key)}: {as_json(text)}")
            yield ArgumentsDelta(index, "}")
        # Nothing was given out yet: together the deltas are JSON in any case, `{}` at least.
        elif not self.has_payload:
            if self.inputs is None:
                self.arguments = {}
            yield ArgumentsDelta(index, json.dumps(self.arguments, ensure_ascii=False))

    def status(self, *, cut: bool) -> Status:
        """Judges the call."""
        # An error outranks a cut: arguments that can't be read do not get better by going on.
        if self.error is not None:
            return "unreadable"
        if cut:
            return "truncated"
        return "repaired" if self.repaired else "complete"
