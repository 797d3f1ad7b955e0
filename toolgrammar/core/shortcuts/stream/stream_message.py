"""Holds what is known of a message while the shortcut reads its stream, and makes its events."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from toolgrammar.core.calls.backslashes import plain_name
from toolgrammar.core.calls.wrappers import is_damaged
from toolgrammar.core.evidence.named_tools import oddity
from toolgrammar.core.payloads.json.guide import guide_of_tool
from toolgrammar.core.payloads.json.tokens import as_json, decoded_token
from toolgrammar.core.shortcuts.stream.stretches import Stretches
from toolgrammar.values.calls import ToolCall
from toolgrammar.values.events import ArgumentsDelta, CallEnd, CallStart, ReasoningDelta, TextDelta
from toolgrammar.values.spans import Span

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from toolgrammar.core.machine.machine import Machine, Node, Step
    from toolgrammar.core.message.source import Source
    from toolgrammar.core.payloads.json.chunk_memo import ChunkMemo
    from toolgrammar.core.payloads.json.guide import Guide
    from toolgrammar.core.shortcuts.whole.shortcut_rules import ShortcutRules
    from toolgrammar.values.events import Event
    from toolgrammar.values.tools import ToolSpec

WAITS, NEEDS_DRIVER = -1, -2
"""What a step of the reading gives instead of an index: more text is needed, or the driver."""
MOST_HELD = 2048
"""Characters that are held back: where more is undecided, the driver reads on."""
_LOOK_BEHIND = 32
"""Characters before what is held back: an opener shows what is none by what stands before it."""


class StreamMessage:
    """One message, between two chunks; the fields of the call are those of the one that is open."""

    __slots__ = (
        "arguments",
        "arguments_end",
        "arguments_start",
        "at",
        "base",
        "behind",
        "calls",
        "doubtful",
        "events",
        "given",
        "given_before",
        "guide",
        "held",
        "id",
        "in_group",
        "index",
        "is_plain",
        "judged",
        "key",
        "last",
        "last_end",
        "machine",
        "make_event",
        "members",
        "most_calls",
        "name",
        "node",
        "passing",
        "passing_from",
        "position",
        "previous",
        "read",
        "reasonings",
        "rules",
        "source",
        "spec",
        "start",
        "started",
        "steps",
        "take",
        "texts",
        "token_start",
        "tokens",
        "tools",
        "unit",
        "written_key",
        "written_name",
    )

    take: Callable[[str], list[Event] | None]
    """Takes a chunk; returns its events, or None where the driver has to read the message."""
    read: Callable[[str, int], int]
    """Reads on in a text from an index; returns the next index, `WAITS` or `NEEDS_DRIVER`."""
    is_plain: ChunkMemo[bool]
    """Whether a chunk only goes on where text or reasoning is passed on."""
    make_event: Callable[[str], Event]
    """Makes the event of such a chunk."""
    tokens: int  # that were read since text ended

    def __init__(
        self,
        machine: Machine,
        source: Source,
        rules: ShortcutRules,
        tools: Mapping[str, ToolSpec],
        most_calls: int,
    ) -> None:
        self.machine = machine
        self.source = source
        self.rules = rules
        self.tools = tools
        self.most_calls = most_calls
        self.node: Node = machine.start
        self.previous: Step | None = None
        """The token or payload that was read last."""
        self.held = ""
        """The end of the text so far, of which something is undecided."""
        self.position = 0
        """Where in `held` that begins."""
        self.at = 0
        """Where in `held` a payload goes on, behind what of it waits to be given out."""
        self.base = 0
        """Offset of the text that is read."""
        self.steps = 0
        self.events: list[Event] = []
        self.doubtful = False
        """Whether what was read last may yet turn out otherwise, so that its events wait."""
        self.calls: list[ToolCall] = []
        self.index = 0
        """The number of the call that is open, or comes next."""
        self.texts = Stretches()
        self.reasonings = Stretches()
        self.judged = (0, 0)  # where the text stands that was judged last
        self.passing: Stretches | None = None
        """What the chunks that come are stretches of, as long as they only go on."""
        self.passing_from = 0
        """Offset from which they are."""
        self.last = ""
        """What was passed on last, for look-behinds."""
        self.in_group = False
        self.behind = False
        """Whether nothing but white space came since a call or a section ended."""
        self.last_end = 0
        """Offset where the last token or payload ended."""
        self.unit = -1
        """Offset where what may become a call began, or -1."""
        self.written_name = self.written_key = self.key = ""
        self.spec: ToolSpec | None = None
        self.guide: Guide | None = None
        self.given = 0
        """Characters of JSON that were given out of the open call."""
        self.given_before: list[int] = []
        """The same of each call before it."""
        self._new_call()
        self.begin()

    def begin(self) -> None:
        """Stands at the beginning of the text."""
        raise NotImplementedError

    def _new_call(self) -> None:
        self.start = -1
        """Offset of the call, or -1 where none is open."""
        self.name: str | None = None
        self.id: str | None = None
        self.arguments: dict[str, Any] | None = None
        self.arguments_start = self.arguments_end = self.token_start = -1
        self.started = False
        """Whether it was given out that the call began."""
        self.members = 0

    def took(self, chunk: str) -> bool:
        """Adds a chunk to the source; false where that is too long now."""
        return self.source.append(chunk)

    def settle(self) -> None:
        """Notes what the chunks that only went on are stretches of."""
        passing, source = self.passing, self.source
        if passing is not None:
            end = source.mark - source.room
            if end > self.passing_from:
                passing.add(self.passing_from, end)
            self.passing = None

    def pass_on(
        self,
        stretches: Stretches,
        is_plain: ChunkMemo[bool],
        make_event: Callable[[str], Event],
    ) -> None:
        """Takes the next chunks at once, as long as they only go on: all so far was given out."""
        self.held = ""
        self.passing, self.passing_from = stretches, self.source.length
        self.is_plain, self.make_event = is_plain, make_event
        self.take = self._take_plain

    def _take_plain(self, chunk: str) -> list[Event] | None:
        """Takes a chunk of text or reasoning where nothing is held back."""
        if not self.is_plain[chunk]:
            last = self.last[-1:]
            self.settle()
            return self.advance(chunk, last + chunk, len(last))
        source = self.source
        if not source.append(chunk):
            # With this chunk the text is too long: it was not given out.
            assert self.passing is not None
            self.passing.add(self.passing_from, source.length - len(chunk))
            self.passing = None
            return None
        self.last = chunk
        return [self.make_event(chunk)]

    def go_on(self, chunk: str) -> list[Event] | None:
        """Takes a chunk behind what is held back."""
        return self.advance(chunk, self.held + chunk, self.position)

    def advance(self, chunk: str, text: str, position: int) -> list[Event] | None:
        """Adds a chunk and reads on from an index of a text that ends with it.

        Gives the events that are certain, or None where the driver has to read the message.
        """
        if not self.source.append(chunk):
            return None
        return self.told() if self.run(text, position) else None

    def release(self) -> None:
        """Drops what it holds of itself, so that it is freed at once with the last reference."""
        del self.take, self.read  # Bound methods: they refer to the message itself.

    def run(self, text: str, position: int) -> bool:
        """Reads on from an index to where more text is needed; false where the driver must."""
        source = self.source
        self.base = source.mark - source.room - len(text)
        steps = self.steps
        while position >= 0:
            steps += 1
            position = self.read(text, position)  # It may change `read`.
        self.steps = steps
        return position == WAITS

    def hold(self, text: str, position: int) -> int:
        """Holds a text back from an index on, with what stands before it for look-behinds."""
        length = len(text) - position
        if position > _LOOK_BEHIND:
            keep = position - _LOOK_BEHIND
            self.held, self.position = text[keep:], _LOOK_BEHIND
            self.at -= keep  # It counts from the beginning of `held`.
        else:
            self.held, self.position = text, position
        self.take = self.go_on
        return WAITS if length <= MOST_HELD else NEEDS_DRIVER

    def told(self) -> list[Event]:
        """Returns the events that are certain, and forgets them."""
        if self.doubtful:  # All wait, so that their order stays.
            return []
        events, self.events = self.events, []
        return events

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

    # The open call

    def fill(self, role: str, written: str, start: int) -> bool:
        """Takes the token at an offset that fills a role of the call; false where the driver must."""
        if self.start < 0:
            self.start = max(0, self.unit)
            self.token_start = -1  # Marks of the last call do not count.
        value = decoded_token(written) if written[:1] == '"' else written
        if role == "key":
            if self.name is None or self._may_be_a_tool(value):
                return False
            self.key, self.written_key = value.strip(), written
            if self.arguments_start < 0:
                self.arguments_start = self.token_start if self.token_start >= 0 else start
        elif self.rules.awaits_answer or (self.id if role == "id" else self.name) is not None:
            return False  # its end waits for the message's, or it says that twice
        elif role == "id":
            self.id = value.strip() or None
        else:
            self.name, self.written_name = value, written
            spec = self.spec = self.tools.get(value) if self.tools else None
            has_schema = spec is not None and spec.parameters is not None
            self.guide = guide_of_tool(spec) if spec is not None and has_schema else None
        if role == "name" and (
            oddity(value, self.tools, self.rules.no_calls) or plain_name(value) != value
        ):
            return False
        return value.strip() != ""

    def _may_be_a_tool(self, key: str) -> bool:
        """Whether what was read as a key is the name of another tool: a call may begin there."""
        spec = self.spec
        return (
            key in self.machine.tool_names
            and spec is not None
            and bool(spec.properties)
            and key not in spec.properties
        )

    def begin_call(self) -> None:
        """Emits the event that the call began."""
        if not self.started and self.name is not None:
            self.started = True
            self.events.append(CallStart(self.index, self.name, self.id))

    def begin_value(self, start: int) -> bool:
        """Begins the value of an argument at an offset; false where the driver must."""
        spec, key = self.spec, self.key
        if self.name is None:
            return False
        if spec is None or key not in spec.properties:
            may_wrap = spec is not None and self.arguments is None and key in self.rules.unwrap
            if may_wrap or is_damaged(self.rules.unwrap, key) or (spec and spec.properties):
                return False
        if not self.started:
            self.begin_call()
        if self.arguments_start < 0:
            self.arguments_start = start
        if self.arguments is None:
            self.arguments = {}
        return key not in self.arguments  # A key that comes twice is doubted.

    def member(self) -> str:
        """Returns the JSON that stands before the value of the next argument."""
        self.members += 1
        return f"{'{' if self.members == 1 else ', '}{as_json(self.key)}: "

    def give(self, json: str) -> None:
        """Emits more of the JSON of the arguments."""
        self.given += len(json)
        self.events.append(ArgumentsDelta(self.index, json))

    def close(self, role: str, end: int) -> bool:
        """Closes what ends at an offset; false where the driver must."""
        if role == "call":
            return self._end_call(end)
        if role == "argument":
            if self.arguments_start >= 0:
                self.arguments_end = end
        elif role in ("calls", "parallel"):
            self.in_group = False
            self.behind = True  # A stray closer may follow.
            return bool(self.calls)
        return True

    def _end_call(self, end: int) -> bool:
        name, index, start = self.name, self.index, self.arguments_start
        if name is None or index >= self.most_calls:  # One too many is text.
            return False
        if not self.started:
            self.begin_call()
        if self.members:  # Of an object nothing is missing.
            self.give("}")
        elif self.arguments is None:  # None at all; an empty object was given out.
            self.give("{}")
        call = ToolCall(
            name,
            {} if self.arguments is None else self.arguments,
            self.id,
            None,
            self.source.slice(start, self.arguments_end) if start >= 0 else "",
            Span(self.start, max(end, self.start)),
            "complete",
            (),
            self.rules.id,
            None,
            (),
        )
        self.calls.append(call)
        self.index += 1
        self.events.append(CallEnd(index, call))
        self.given_before.append(self.given)
        self.given = 0
        self._new_call()
        self.unit = -1
        self.behind = True  # As above.
        return True
