"""Reads messages of text and calls of the plainest kinds, each call in one loop.

This is the shortest way through most messages: names, then all arguments as JSON or one by one.
What else the lanes can say (ids, reasoning, closers that repeat a name) is for `straight`, which
reads a message from its beginning where this gives up; the laws hold both equal to the driver.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final, TypeAlias, cast

from toolgrammar.core.draft import decoded_token
from toolgrammar.core.json_fast import LEAST, LEAST_ESCAPED, is_fast, jiter_reader
from toolgrammar.core.json_guide import guide_of_tool
from toolgrammar.core.json_typing import needs_typing
from toolgrammar.core.json_whole import read_copied, read_object
from toolgrammar.core.lanes import (
    BEGINS_WITH_KEY,
    BY_MARKS,
    ENDS,
    NEXT_CALL,
    NEXT_KEY,
    NOTHING,
    SAME_NAME,
)
from toolgrammar.core.machine import MAX_TOKEN
from toolgrammar.core.patience import CREDIT
from toolgrammar.core.plain_objects import read_object_call
from toolgrammar.core.plain_values import key_of, read_valued_calls
from toolgrammar.core.scanners import read_scanned
from toolgrammar.core.straight import reading_of
from toolgrammar.core.straight_rules import is_over, raw_part, typed_value
from toolgrammar.values.making import make_call, make_span

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from toolgrammar.core.json_guide import Guide
    from toolgrammar.core.lanes import Lane
    from toolgrammar.core.machine import Machine, Node
    from toolgrammar.core.plain_rules import PlainRules
    from toolgrammar.values.calls import ToolCall
    from toolgrammar.values.json_types import JsonValue
    from toolgrammar.values.spans import Span
    from toolgrammar.values.tools import ToolSpec


Read: TypeAlias = "Callable[[str, int], tuple[dict[str, JsonValue], int, bool] | None]"
"""What reads an object: `read_object`, or `read_copied` for the first of a message."""

MOST_NAMES: Final = 512
"""Names of calls, as they are written, that a machine remembers; none is longer than the next."""
MAX_NAME: Final = 128
_LONG: Final = 4096
"""Characters from which on that is worth a copy."""
_ENDS_OF_A_CALL: Final = (("call",), ("argument", "call"))


class PlainReading:
    """Reads messages of one format, for one set of tools; it keeps nothing of a message."""

    __slots__ = ("format_id", "guides", "jiter", "machine", "nameless", "names", "rules", "tools")

    def __init__(self, machine: Machine, rules: PlainRules, tools: Mapping[str, ToolSpec]) -> None:
        self.machine = machine
        self.rules = rules
        self.tools = tools
        self.format_id = rules.id
        self.jiter: Callable[..., Any] | None = None
        """What reads objects of ASCII faster, once it was asked for."""
        self.names = machine.written_names
        """Names as they were written before, and what they say."""
        self.guides: dict[str, Guide] = {}
        """What the tools that were called so far want."""
        self.nameless = False
        """Whether the name of a call is blank: the driver doubts it."""

    def run(  # noqa: C901, PLR0912  (each call of a function costs a twentieth)
        self, text: str, calls: list[ToolCall], parts: list[str]
    ) -> bool:
        """Reads a message; tells whether it holds nothing but text and plain calls.

        Args:
            text: the message.
            calls: takes the calls.
            parts: takes the text between them.
        """
        node, position, length = self.machine.start, 0, len(text)
        # Wide markup makes the arguments wide, which are read faster without it: those of the first
        # call are copied.
        is_ascii, usual = text.isascii(), self.machine.usual
        is_usual = usual.left > 0 or usual.tries()
        read = read_object if is_ascii or length <= _LONG else read_copied
        fast = None  # as `is_fast` says, without its call
        if is_ascii and length > LEAST_ESCAPED and (length > LEAST or "\\" in text):
            fast = self.jiter
            if fast is None:
                fast = self.jiter = jiter_reader()
        lane = node.opens_call
        # A message that begins with a call needs no search for its opener.
        opened = lane.match(text, 0) if is_usual and lane is not None else None
        while True:
            if position == length:
                return not self.nameless
            end = position
            if opened is None:
                opener = node.entry.search(text, position)
                end = length if opener is None else opener.start()
                if end > position:
                    between = text[position:end]
                    if not is_plain(between, node, is_first=not calls):
                        return False
                    parts.append(between)
                if opener is None:
                    return not self.nameless
            found = None
            if is_usual:
                lane = node.opens_call
                if lane is not None:
                    opened = opened or lane.match(text, end)
                    if opened is not None:
                        found = read_object_call(self, text, lane, opened, calls, read, fast)
                elif node.opens_values:
                    found = read_valued_calls(self, text, node, end, calls)
                if found is not None:
                    usual.left = CREDIT
                else:
                    is_usual = False  # the next call will most likely look like this one
                    usual.failed()
            if found is None:
                found = self._island(text, node, end, calls, read)
                if found is None:
                    return False
            node, position = found
            opened, read = None, read_object

    def island(
        self, text: str, node: Node | None, start: int, calls: list[ToolCall]
    ) -> tuple[Node, int] | None:
        """Reads the calls from an opener to the next text; gives the node and the place there.

        None where the driver has to read them.

        Args:
            text: the message.
            node: where the format stands; None at the first of its calls.
            start: where the opener stands.
            calls: takes the calls.
        """
        node, found = node or self.machine.start, None
        lane = node.opens_call
        if lane is not None:
            opened = lane.match(text, start)
            if opened is not None:
                fast = jiter_reader() if is_fast(text) else None
                found = read_object_call(self, text, lane, opened, calls, read_object, fast)
        elif node.opens_values:
            found = read_valued_calls(self, text, node, start, calls)
        return found or self._island(text, node, start, calls, read_object)

    def reasoning(
        self, text: str, node: Node | None, start: int, parts: list[str]
    ) -> tuple[Node, int] | None:
        """Reads the reasoning that opens at a place, as `island` reads calls; `parts` takes it."""
        reading = reading_of(self.machine, self.rules, text, self.tools)
        behind = reading.island_at(node, start)
        parts += reading.reasoning
        is_thought = reading.reasoning and not reading.calls
        return behind if is_thought and reading.start < 0 and not reading.in_group else None

    def _island(  # noqa: C901, PLR0911, PLR0912, PLR0915  (each call of a function costs a tenth)
        self, text: str, node: Node, position: int, calls: list[ToolCall], read: Read
    ) -> tuple[Node, int] | None:
        """Reads the calls from an opener to the next text; gives the node and the place there."""
        name: str | None = None
        id: str | None = None
        arguments: dict[str, Any] | None = None
        key = written_name = written_key = ""
        start = arguments_start = arguments_end = -1
        in_group = False
        names = self.names
        before = len(calls)
        while True:
            for lane in node.lanes:
                match = lane.match(text, position)
                if match is not None:
                    break
            else:
                return None
            end = match.end()
            way = lane.way
            if way == BY_MARKS or end - position > MAX_TOKEN:
                return None
            if lane.does_more:
                for kind, group in lane.same:
                    if match[group] != (written_name if kind == SAME_NAME else written_key):
                        return None
                if lane.ends_argument and arguments_start >= 0:
                    arguments_end = match.end(lane.ends_argument)
                in_group = in_group or lane.begins_group
            if way >= ENDS:
                if name is None:
                    return None
                raw = text[arguments_start:arguments_end] if arguments_start >= 0 else ""
                span = make_span(start, match.end(lane.groups[0]))
                calls.append(self._call(name, arguments, id, raw, span))
                name = id = arguments = None
                start = arguments_start = -1
                if way == NEXT_CALL:
                    start = match.start(lane.groups[1])
                    written_name = match[lane.groups[2]]
                    name = names.get(written_name) or self.name_of(written_name)
            elif way == NEXT_KEY:
                if name is None:
                    return None
                if arguments_start < 0:
                    arguments_start = match.start(lane.groups[0])
                written_key = match[lane.groups[1]]
                key = key_of(written_key)
            elif way != NOTHING:
                groups = lane.groups
                start = match.start(groups[0])
                written_name = match[groups[1]]
                name = names.get(written_name) or self.name_of(written_name)
                if way == BEGINS_WITH_KEY:
                    written_key = match[groups[3]]
                    key = key_of(written_key)
                    arguments_start = match.start(groups[2])
            if lane.id:
                if name is None:
                    return None
                id = decoded_token(match[lane.id]).strip() or None
            if lane.ends_group:
                if len(calls) == before:
                    return None
                in_group = False
            step = lane.payload
            if step is None:
                if name is None and not in_group:
                    return lane.node, end
                node, position = lane.node, end
                if name is None:
                    continue
            elif lane.reads_arguments:
                if arguments is not None or name is None:
                    return None
                if lane.scans:
                    scanned = read_scanned(step, self.tools.get(name), text, end)
                    if scanned is None or type(scanned[0]) is not dict:
                        return None
                    found, position = scanned
                    arguments = cast("dict[str, Any]", found)
                else:
                    whole = (read_object if calls else read)(text, end)
                    if whole is None:
                        return None
                    arguments, position, texts = whole
                    if self.tools and not self.takes(name, arguments, texts=texts):
                        return None
                if arguments_start < 0:
                    arguments_start = end
            elif lane.reads_value and name is not None:
                ended = self._raw(text, lane, end, name, key, written_name, written_key)
                if ended is None:
                    return None
                value, position = ended
                if arguments is None:
                    arguments = {}
                arguments[key] = value
                if arguments_start < 0:
                    arguments_start = end
            else:
                return None
            if step is not None:
                arguments_end = position
                node = step.node
                if step.after and name is not None:
                    span = make_span(start, position)
                    raw = text[arguments_start:position]
                    calls.append(self._call(name, arguments, id, raw, span))
                    name = id = arguments = None
                    start = arguments_start = -1
                    if node.accepts_text:
                        return None if in_group else (node, position)
                    continue
            over = is_over(node, text, position) if node.accepts_text else False
            if over is not False:
                closed, stack = node.after_text
                if over is None or in_group or closed not in _ENDS_OF_A_CALL:
                    return None
                raw = text[arguments_start:arguments_end] if arguments_start >= 0 else ""
                span = make_span(start, position)
                calls.append(self._call(name, arguments, id, raw, span))
                return self.machine.node(stack), position

    def takes(self, name: str, arguments: dict[str, Any], *, texts: bool) -> bool:
        """Whether a tool wants no other types than its arguments have; `texts`: all are strings."""
        guide = self.guides.get(name)
        if guide is None:
            spec = self.tools.get(name)
            if spec is None or spec.parameters is None:
                return True
            guide = self.guides[name] = guide_of_tool(spec)
        return (texts and guide.admits_texts(arguments)) or not needs_typing(arguments, guide)

    def name_of(self, written: str) -> str:
        """Gives the name that a token writes, and keeps it for the next message."""
        name = decoded_token(written) if written[:1] == '"' else written
        names = self.names
        self.nameless = self.nameless or not name.strip()
        if name.strip() and len(names) < MOST_NAMES and len(written) < MAX_NAME:
            names[written] = name
        return name

    def _call(
        self, name: str, arguments: dict[str, Any] | None, id: str | None, raw: str, span: Span
    ) -> ToolCall:
        values = {} if arguments is None else arguments
        return make_call(
            name, values, id, None, raw, span, "complete", (), self.format_id, None, ()
        )

    def _raw(
        self, text: str, lane: Lane, start: int, name: str, key: str, *written: str
    ) -> tuple[Any, int] | None:
        """Reads the raw value of an argument; gives it and its end, or None."""
        trim, by_shape = self.rules.trim, self.rules.by_shape
        mode = trim and (trim.get(key) or trim.get("value"))
        part = raw_part(text, lane, start, mode or "", *written)
        if part is None or not (lane.is_typed and (self.tools or by_shape)):
            return part
        value, fitting = typed_value(self.tools.get(name), key, part[0], by_shape=by_shape)
        return (value, part[1]) if fitting else None


def is_plain(text: str, node: Node, *, is_first: bool) -> bool:
    """Whether text is nothing else: no part of a section, and no closer that is left over."""
    if node.closes_group or node.skipping:
        return False
    return is_first or not node.strays.pattern.match(text.lstrip())
