"""Holds the parts of a message that the stream shortcut has read, and makes its events.

Example: in `{"name": "f", "arguments": {` the open call gets its name from `"f"`, and `CallStart`
is emitted at the first bracket of the arguments.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from toolgrammar.core.calls.role_effects import plain_name
from toolgrammar.core.calls.wrappers import is_damaged
from toolgrammar.core.evidence.named_tools import names_other_tool, oddity
from toolgrammar.core.evidence.no_arguments import are_schema_or_call
from toolgrammar.core.payloads.json.guide import guide_of_tool
from toolgrammar.core.payloads.json.tokens import as_json, decoded_token
from toolgrammar.values.calls import ToolCall
from toolgrammar.values.events import ArgumentsDelta, CallEnd, CallStart, ReasoningDelta, TextDelta
from toolgrammar.values.spans import Span

if TYPE_CHECKING:
    from collections.abc import Container, Mapping

    from toolgrammar.core.message.source import Source
    from toolgrammar.core.payloads.json.guide import Guide
    from toolgrammar.core.shortcuts.whole.shortcut_rules import ShortcutRules
    from toolgrammar.values.events import Event
    from toolgrammar.values.json_types import JsonSchema
    from toolgrammar.values.tools import ToolSpec


class Stretches:
    """The stretches of a source, in their order."""

    def __init__(self) -> None:
        self._places: list[tuple[int, int]] = []

    def __bool__(self) -> bool:
        return bool(self._places)

    def __len__(self) -> int:
        return sum(end - start for start, end in self._places)

    # Only offsets are kept, since the source has the text, and a stream may be long.
    def add(self, start: int, end: int) -> None:
        """Adds the next stretch, or extends the last one if it is adjacent."""
        if end > start:
            places = self._places
            if places and places[-1][1] == start:
                places[-1] = (places[-1][0], end)
            else:
                places.append((start, end))

    @property
    def last(self) -> tuple[int, int]:
        """The offsets of the last stretch; (0, 0) if there is none."""
        return self._places[-1] if self._places else (0, 0)

    def of(self, source: str) -> str:
        """Returns the text of all stretches."""
        if not self._places:
            return ""
        return "".join(self.each(source))

    def each(self, source: str) -> list[str]:
        """Returns the text of each stretch."""
        return [source[start:end] for start, end in self._places]


class StreamMessage:
    """The parts of one message so far, with the fields of the open call."""

    def __init__(
        self,
        source: Source,
        rules: ShortcutRules,
        tools: Mapping[str, ToolSpec],
        guarded: Container[str],
        most_calls: int,
    ) -> None:
        """Makes an empty message.

        Args:
            source: the source that keeps its text.
            rules: the rules of the format.
            tools: the tools that the model had, by name.
            guarded: names of tools, at which a call may open where a key could stand.
            most_calls: the most calls that it may have.
        """
        self.source = source
        self.rules = rules
        self.tools = tools
        self._guarded = guarded
        self._most_calls = most_calls
        self.events: list[Event] = []
        self.doubtful = False
        """Whether the value that was read last may still go on, so that events wait."""
        self.calls: list[ToolCall] = []
        self.index = 0
        """The index of the open call, or of the next one."""
        self.texts = Stretches()
        self.reasonings = Stretches()
        self.thoughts = Stretches()
        """Reasoning without a closer of its own, in which a call may be lost."""
        self.left_open = False
        """Whether a call may have ended reasoning."""
        self.written_name = self.written_key = self.key = ""
        self.spec: ToolSpec | None = None
        self.guide: Guide | None = None
        self.given = 0
        """The number of characters of JSON in the deltas of the open call."""
        self.given_before: list[int] = []
        """These numbers for each call before it."""
        self._new_call()

    def _new_call(self) -> None:
        """Resets the fields of the open call."""
        self.start = -1
        """The offset of the call, or -1 if no call is open."""
        self.name: str | None = None
        self.id: str | None = None
        self.arguments: dict[str, Any] | None = None
        self.arguments_start = self.arguments_end = -1
        self.started = False
        """Whether the `CallStart` of the call was made."""
        self._members = 0

    # Events

    def told(self) -> list[Event]:
        """Returns the events that are certain, and forgets them."""
        if self.doubtful:  # All events wait, so that they keep their order.
            return []
        events, self.events = self.events, []
        return events

    def doubt(self, *, doubtful: bool) -> None:
        """Sets whether the value that was read last may still go on."""
        self.doubtful = doubtful

    # Text

    def say(self, text: str, start: int) -> None:
        """Emits text of the message that begins at an offset."""
        if text:
            self.texts.add(start, start + len(text))
            self.events.append(TextDelta(text))

    def reason(self, text: str, start: int) -> None:
        """Emits reasoning that begins at an offset."""
        if text:
            self.reasonings.add(start, start + len(text))
            self.events.append(ReasoningDelta(text))

    def leave_thought(self) -> None:
        """Notes that a call may have ended reasoning."""
        self.left_open = True

    # The open call

    def open(self, start: int) -> None:
        """Opens a call that begins at an offset."""
        self.start = start

    def fill(self, role: str, written: str, start: int) -> bool:
        """Fills a role of the open call with a token; False if the driver has to read it.

        Args:
            role: the role.
            written: the text of the token.
            start: the offset where the arguments begin, if the token is their first key.
        """
        value = decoded_token(written) if written[:1] == '"' else written
        if role == "key":
            if self.name is None or names_other_tool(value, self.spec, self._guarded):
                return False
            self.key, self.written_key = value.strip(), written
            if self.arguments_start < 0:
                self.arguments_start = start
        elif self.rules.awaits_answer or (self.id if role == "id" else self.name) is not None:
            return False  # the call waits for the end of the message, or has a second name or id
        elif self.index >= self._most_calls:
            return False  # a call past the limit is text
        elif role == "id":
            self.id = value.strip() or None
        else:
            self.name, self.written_name = value, written
            spec = self.spec = self.tools.get(value) if self.tools else None
            has_schema = spec is not None and spec.parameters is not None
            self.guide = guide_of_tool(spec) if spec is not None and has_schema else None
        # Names that no tool can have, or that have markup in them, are reported by the driver.
        if role == "name" and (
            oddity(value, self.tools, self.rules.no_calls) or plain_name(value) != value
        ):
            return False
        return value.strip() != ""

    def begin_call(self) -> None:
        """Emits the `CallStart` of the open call, once."""
        if not self.started and self.name is not None:
            self.started = True
            self.events.append(CallStart(self.index, self.name, self.id))

    def begin_value(self) -> bool:
        """Begins the value of the last key; returns False if the driver has to read it."""
        spec, key = self.spec, self.key
        if self.name is None:
            return False
        # A key that the tool does not have may be the wrapper around all arguments, or misspelt.
        if spec is None or key not in spec.properties:
            may_wrap = spec is not None and self.arguments is None and key in self.rules.unwrap
            if may_wrap or is_damaged(self.rules.unwrap, key) or (spec and spec.properties):
                return False
        self.begin_call()
        if self.arguments is None:
            self.arguments = {}
        return key not in self.arguments  # The driver doubts a key that comes twice.

    def schema(self) -> JsonSchema | None:
        """Returns the schema of the last key; None if there is none."""
        return self.spec.shape.schema_of(self.key) if self.spec is not None else None

    def member(self) -> str:
        """Counts an argument; returns the JSON before its value, such as `{"a": ` or `, "a": `."""
        self._members += 1
        return f"{'{' if self._members == 1 else ', '}{as_json(self.key)}: "

    def give(self, json: str) -> None:
        """Emits more of the JSON of the arguments."""
        self.given += len(json)
        self.events.append(ArgumentsDelta(self.index, json))

    def delta(self, json: str) -> list[Event]:
        """Returns the event of more JSON, if no other event waits before it."""
        self.given += len(json)
        return [ArgumentsDelta(self.index, json)]

    def begin_arguments(self, start: int) -> None:
        """Begins arguments that stream, at an offset."""
        self.begin_call()
        if self.arguments_start < 0:
            self.arguments_start = start

    def take_arguments(self, arguments: dict[str, Any], end: int) -> None:
        """Sets all arguments at once, and the offset of their end."""
        self.arguments, self.arguments_end = arguments, end

    def take_argument(self, value: Any) -> None:
        """Sets the argument of the last key."""
        assert self.arguments is not None
        self.arguments[self.key] = value

    def end_arguments(self, end: int) -> None:
        """Notes that the arguments so far end at an offset."""
        if self.arguments_start >= 0:
            self.arguments_end = end

    def end_call(self, end: int) -> bool:
        """Ends the call at an offset; returns False if the driver has to judge it."""
        name, index, start = self.name, self.index, self.arguments_start
        if name is None or are_schema_or_call(name, self.arguments, self.spec, self.tools):
            return False
        # A call without arguments has emitted nothing so far.
        self.begin_call()
        if self._members:  # Single arguments lack the closing brace; a whole object has it.
            self.give("}")
        elif self.arguments is None:  # No arguments were read, so no JSON was emitted.
            self.give("{}")
        raw = self.source.slice(start, self.arguments_end) if start >= 0 else ""
        span = Span(self.start, max(end, self.start))
        call = ToolCall(name, self.arguments or {}, self.id, None, raw, span, format=self.rules.id)
        self.calls.append(call)
        self.index += 1
        self.events.append(CallEnd(index, call))
        self.given_before.append(self.given)
        self.given = 0
        self._new_call()
        return True
