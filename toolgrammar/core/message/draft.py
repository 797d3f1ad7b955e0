"""Holds the state of a call that is still being read.

Example: after `<tool_call>{"name": "f", "arguments": {"a": 1` the draft has the name `f`, but no
arguments yet.
"""

from __future__ import annotations

import copy
import json
from typing import TYPE_CHECKING, Any

from toolgrammar.core.message.listing import START, Checkpoint
from toolgrammar.core.message.source import Pieces
from toolgrammar.core.payloads.json.tokens import as_json
from toolgrammar.tools.call_words import arguments_of
from toolgrammar.tools.coerce import is_text_only, type_text
from toolgrammar.values.events import ArgumentsDelta, Event, Problem
from toolgrammar.values.patterns import late

if TYPE_CHECKING:
    from collections.abc import Iterator

    from toolgrammar.values.calls import Status
    from toolgrammar.values.tools import ToolSpec

_BETWEEN_IDS = late(r"[\s,]+")


class Draft:
    """An open call: the roles filled so far, and the events that are held until the call is certain."""

    def __init__(self, start: int) -> None:
        self.start = start
        self.name: str | None = None
        self.written_name = ""
        self.id: str | None = None
        self.depends_on: list[str] | None = None
        self.arguments: dict[str, Any] = {}
        self.arguments_start = -1
        self.arguments_end = -1
        self.inputs: Any = None  # the text of a free-text call, a list of pieces, or None
        self.separator = ""  # what stands before the next of these pieces: a line end, or ""
        self.is_markdown = False
        """Whether backslashes stand before the underscores of its name, as in Markdown."""
        self.key = ""
        self.written_key = ""
        self.wire_role = ""  # the role that the header gives to the key, such as `id`
        self.schema: Any = None
        self.streams = True  # whether the value of the key is emitted piece by piece
        self.dropped = False  # whether that value is left out: the tool has no such argument
        self.members = 0  # how many arguments were emitted one by one
        self.payload: Pieces | None = None
        self.payload_start = 0
        self.payload_streams: bool | None = None
        # Whether a payload was read that holds all arguments, and whether its last character ends it.
        self.has_payload, self.payload_has_end = False, True
        self.started = False  # whether its `CallStart` was emitted
        self.delimited = False
        self.events: list[Event] = []  # those that wait for its `CallStart`
        self.wrapper_events: list[Event] | None = None
        """The events of an argument that may wrap all arguments; None if there is none."""
        self.error: str | None = None
        self.refused: str | None = None
        """Why an argument could not be read, if others before it were emitted."""
        self.repaired = False
        self.truncated = False
        self.doubts: list[str] = []
        self.beside: list[str] = []
        """Keys that the format does not have: those after the arguments, and those before them that
        resemble the arguments' key."""
        self.words: str | None = None
        """Positional words of the arguments, such as those on a fence's line; None if none."""
        self.text_key: str | None = None
        """The argument to which the text of a free-text call was assigned."""
        self.unescaped = False
        """Whether it has a payload without escapes."""
        self.may_go_on = False
        """Whether such a payload may go on after the place that was read as the call's end."""
        self.unclosed = False
        """Whether it lacks a closer without which the format reads it as text."""
        self.unclosed_to = -1
        """The offset up to which openers of arguments count, since their values lack closers."""
        self.checkpoint = START
        """The checkpoint of the diagnostics before the call."""

    # The roles that were read

    def take_name(self, name: str, written: str) -> None:
        """Sets the name, and its text as written, with its quotes, which closers repeat."""
        self.name, self.written_name = name, written

    def forget_name(self) -> None:
        """Forgets the name, which is read again."""
        self.name = None

    def take_id(self, text: str) -> None:
        """Sets the id; a blank one counts as absent."""
        self.id = text.strip() or None

    def take_key(self, key: str, written: str, wire_role: str) -> None:
        """Sets the key of the next value.

        Args:
            key: the key.
            written: its text as it is written.
            wire_role: the role that the value fills, such as `id`; "" if it is an argument.
        """
        self.key, self.written_key, self.wire_role = key, written, wire_role

    def fill_wire_role(self, text: str) -> None:
        """Sets the role of a value that is not an argument of the tool, such as that of `id`."""
        if self.wire_role == "id":
            self.take_id(text)
        elif self.wire_role == "depends_on":
            self.depend_on(text)
        self.wire_role = ""

    def begin_arguments(self, start: int) -> None:
        """Notes the offset where the arguments begin, unless they have begun already."""
        if self.arguments_start < 0:
            self.arguments_start = start

    def end_arguments(self, end: int) -> None:
        """Notes the offset where the arguments end so far."""
        self.arguments_end = end

    def span_arguments(self, start: int, end: int) -> None:
        """Sets the offsets of all arguments, replacing those that were noted before."""
        self.arguments_start, self.arguments_end = start, end

    def begin_payload(self, start: int, *, streams: bool | None) -> None:
        """Begins a payload; `streams` is None if that depends on its first character."""
        self.payload, self.payload_start, self.payload_streams = Pieces(), start, streams

    def place_payload(self, start: int) -> None:
        """Notes the offset of a payload that is not collected here."""
        self.payload_start = start

    def payload_begins(self, text: str) -> bool:
        """Whether the payload, which goes on with this text, is emitted piece by piece."""
        if self.payload_streams is None:
            # Arguments are an object; a payload that begins otherwise is emitted at its end.
            self.payload_streams = text.lstrip().startswith("{")
        return self.payload_streams

    def end_payload(self) -> None:
        """Forgets the text of the payload, whose value was taken or which has none."""
        self.payload = None

    def take_arguments(self, value: dict[str, Any]) -> None:
        """Sets all arguments at once."""
        self.arguments, self.has_payload = value, True

    def unwrap(self, value: dict[str, Any]) -> None:
        """Replaces the arguments with the object in the one argument that wraps them.

        None of its events was emitted.
        """
        self.wrapper_events, self.members = None, 0
        self.take_arguments(value)

    def begin_value(self, spec: ToolSpec | None, *, typed: bool, drops_unknown: bool) -> None:
        """Begins the text of the current key's value.

        Args:
            spec: the tool; None if it is not known.
            typed: whether the schema decides the type of the value.
            drops_unknown: whether a key that the schema does not have is dropped.
        """
        self.schema, is_text = self.schema_of(spec)
        # A value that is always a string can be emitted at once; others wait for their end.
        self.streams = is_text or not typed
        is_named = spec is not None and bool(spec.properties)
        self.dropped = drops_unknown and is_named and self.schema is None

    def let_stream(self, *, streams: bool) -> None:
        """Sets whether the value is emitted piece by piece."""
        self.streams = streams

    def begin_input(self) -> None:
        """Begins a text that has no argument's name yet; a second text begins on a new line."""
        self.separator = "\n" if self.inputs and "".join(self.inputs) else ""
        # It is not None from here on: an empty input is an input, too.
        if not self.inputs:
            self.inputs = [""]

    def expect_input(self) -> None:
        """Sets an empty text if none was read, for formats in which each call has a text."""
        if self.inputs is None:
            self.inputs = []

    def add_input(self, text: str) -> str:
        """Adds to the text; returns the added text, with the separator before it."""
        text, self.separator = self.separator + text, ""
        self.inputs.append(text)
        return text

    def take_words(self, words: str) -> None:
        """Sets positional words, which get their properties once the text after them is known."""
        self.words = words

    @property
    def has_all_arguments(self) -> bool:
        """Whether the payload with all arguments was read up to its end."""
        return self.has_payload and self.payload_has_end

    def begin_unescaped(self) -> None:
        """Notes a payload without escapes, which may hold its own closer as text."""
        self.unescaped = True

    def begin_without_end(self) -> None:
        """Notes a payload that the markup behind it ends."""
        self.payload_has_end = False

    def open_values_to(self, offset: int) -> None:
        """Notes that the values of the arguments up to an offset lack their closers."""
        self.unclosed_to = offset

    def chain_behind(self, call_id: str) -> None:
        """Makes the call depend on the one before it, unless it names its dependencies."""
        if self.depends_on is None and call_id:
            self.depends_on = [call_id]

    # Repairs, doubts, errors

    def mend(self, *doubts: str) -> None:
        """Notes that the call was repaired, and the codes of the doubts that this leaves."""
        self.repaired = True
        self.doubts += doubts

    def mend_name(self) -> None:
        """Notes that backslashes before underscores of its name were dropped."""
        self.repaired = self.is_markdown = True

    def cut(self) -> None:
        """Notes that the text ends inside the call."""
        self.truncated = True

    def go_on(self) -> None:
        """Notes that a payload may go on after the place that was read as the call's end."""
        self.may_go_on = True

    def close_unescaped(self) -> None:
        """Ends the call without its closer, so that a payload without escapes may go on."""
        self.may_go_on = self.may_go_on or self.unescaped

    def leave_unclosed(self, *, as_text: bool) -> None:
        """Notes that the call lacks its closer, and whether the format then reads it as text."""
        self.unclosed = as_text

    def delimit(self) -> None:
        """Notes that a fixed token follows the name."""
        self.delimited = True

    def fail(self, error: str) -> None:
        """Makes the call unreadable; `error` says why."""
        self.error = error

    def refuse(self, reason: str) -> None:
        """Notes why an argument can't be read; arguments that were emitted before it are kept."""
        self.refused = reason
        if not self.has_any_argument:
            self.fail(reason)

    def set_checkpoint(self, checkpoint: Checkpoint) -> None:
        """Sets the checkpoint of the diagnostics before the call."""
        self.checkpoint = checkpoint

    # Its events

    def start_call(self) -> list[Event]:
        """Marks the call as started; returns the events that waited for its `CallStart`."""
        self.started = True
        return self.take_events()

    def take_events(self) -> list[Event]:
        """Returns the events that wait, and forgets them."""
        events, self.events = self.events, []
        return events

    def take_problems(self) -> list[Problem]:
        """Returns the problems among the events that wait, and forgets all of these events."""
        return [event for event in self.take_events() if isinstance(event, Problem)]

    def hold_argument(self) -> None:
        """Holds back the events of an argument that may wrap all arguments."""
        self.wrapper_events = []

    def release_argument(self) -> list[Event]:
        """Returns the events that were held back, of an argument that wraps no others."""
        events, self.wrapper_events = self.wrapper_events or [], None
        return events

    def copy(self) -> Draft:
        """Returns an independent copy: changes of this draft do not affect it."""
        # A shallow copy is enough except for the arguments, to which `complete` may add members.
        copied = copy.copy(self)
        copied.own_arguments()
        return copied

    def own_arguments(self) -> None:
        """Copies its arguments, so that no other draft has the same object."""
        self.arguments = dict(self.arguments)

    def member(self) -> str:
        """Counts a member; returns the JSON text before its value: `{"a": ` or `, "a": `."""
        self.members += 1
        before = "{" if self.members == 1 else ", "
        return f"{before}{as_json(self.key)}: "

    def depend_on(self, text: str) -> None:
        """Adds a list of ids, separated by white space or commas; a blank one counts as absent."""
        ids = [part for part in _BETWEEN_IDS.split(text) if part]
        # `depends_on=""` means the same as no attribute, so the section's default chain applies.
        if ids:
            self.depends_on = [*(self.depends_on or []), *ids]

    def schema_of(self, spec: ToolSpec | None) -> tuple[Any, bool]:
        """Returns the schema of the current key, and whether its value can only be a string."""
        schema = spec.shape.schema_of(self.key) if spec is not None else None
        return schema, is_text_only(schema)

    def typed(self, text: str) -> tuple[Any, bool]:
        """Returns the value of a text by the schema of the current key, and whether it fits."""
        return type_text(text, self.schema)

    @property
    def has_any_argument(self) -> bool:
        """Whether any argument was read or emitted."""
        return self.members > 0 or bool(self.arguments)

    def place_text(self, spec: ToolSpec | None) -> tuple[bool, str]:
        """Assigns the text of a free-text call to an argument, and its words to other arguments.

        Returns:
            Whether the tool has an argument for the text; and the property that got a word which
            its schema does not accept, or "".
        """
        # Arguments that were read as an object are complete: there is no text to place.
        if self.inputs is None or self.has_payload:
            return True, ""
        text = "".join(self.inputs)
        # For an unknown tool only `ToolCall.input` has the text, since its argument is not known.
        if spec is None:
            return True, ""
        # Words have no names, so they count only if no argument has a name.
        if self.words is not None and not self.members:
            shared = arguments_of(self.words, text, spec)
            self.arguments = shared.arguments
            return shared.placed, shared.misfit
        if not text.strip():
            return True, ""
        lone = spec.lone_text_parameter
        if lone is None or lone in self.arguments:
            # A tool without properties has no default that would silently take the text's place.
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
        # No delta was emitted yet, but together they always have to be JSON, at least `{}`.
        elif not self.has_payload:
            if self.inputs is None:
                self.arguments = {}
            yield ArgumentsDelta(index, json.dumps(self.arguments, ensure_ascii=False))

    def status(self, *, cut: bool) -> Status:
        """Returns the status of the call; `cut` is whether the text ended inside it."""
        # An error outranks a cut: arguments that can't be read do not get better by going on.
        if self.error is not None:
            return "unreadable"
        if cut:
            return "truncated"
        return "repaired" if self.repaired else "complete"
