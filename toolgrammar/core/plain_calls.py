"""Reads messages of text and calls of the plainest kinds, each call in one loop.

This is the shortest way through most messages: names, then all arguments as JSON or one by one.
What else the lanes can say (ids, reasoning, closers that repeat a name) is for `straight`, which
reads a message from its beginning where this gives up; the laws hold both equal to the driver.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final, cast

from toolgrammar.core.draft import decoded_token
from toolgrammar.core.json_whole import read_copied, read_object
from toolgrammar.core.lanes import (
    BEGINS_WITH_KEY,
    BY_MARKS,
    ENDS,
    NEXT_KEY,
    NOTHING,
    SAME_NAME,
)
from toolgrammar.core.machine import MAX_TOKEN
from toolgrammar.core.scanners import read_scanned
from toolgrammar.core.straight_rules import is_over, raw_part, takes, typed_value
from toolgrammar.values.making import make_call, make_span

if TYPE_CHECKING:
    from collections.abc import Mapping

    from toolgrammar.core.lanes import Lane
    from toolgrammar.core.machine import Machine, Node
    from toolgrammar.values.calls import ToolCall
    from toolgrammar.values.spans import Span
    from toolgrammar.values.tools import ToolSpec


MOST_NAMES: Final = 512
"""Names of calls, as they are written, that a machine remembers; none is longer than the next."""
MAX_NAME: Final = 128
_LONG: Final = 4096
"""Characters from which on that is worth a copy."""
_ENDS_OF_A_CALL: Final = (("call",), ("argument", "call"))


class PlainReading:
    """What does not change while the messages of one format and one set of tools are read."""

    __slots__ = ("by_shape", "calls", "format_id", "is_wide", "machine", "parts", "tools", "trim")

    def __init__(
        self,
        machine: Machine,
        format_id: str,
        tools: Mapping[str, ToolSpec],
        trim: Mapping[str, str],
        *,
        by_shape: bool,
    ) -> None:
        self.machine = machine
        self.format_id = format_id
        self.tools = tools
        self.trim = trim
        self.by_shape = by_shape
        self.calls: list[ToolCall] = []
        self.parts: list[str] = []
        self.is_wide = False
        """Whether the markup may have wider characters than the arguments, which are read faster
        without it; they are copied once at most."""

    def run(self, text: str) -> bool:
        """Reads a message; tells whether it holds nothing but text and plain calls."""
        node, position, calls, length = self.machine.start, 0, self.calls, len(text)
        self.is_wide = length > _LONG and not text.isascii()
        while True:
            if position == length:
                return True
            opener = node.opener.search(text, position)
            end = length if opener is None else opener.start()
            if end > position:
                between = text[position:end]
                if node.closes_group or node.skipping:
                    return False
                if calls and node.strays.pattern.match(between.lstrip()):
                    return False
                self.parts.append(between)
            if opener is None:
                return True
            found = self._island(text, node, end)
            if found is None:
                return False
            node, position = found

    def _island(  # noqa: C901, PLR0911, PLR0912, PLR0915  (each call of a function costs a tenth)
        self, text: str, node: Node, position: int
    ) -> tuple[Node, int] | None:
        """Reads the calls from an opener to the next text; gives the node and the place there."""
        name: str | None = None
        id: str | None = None
        arguments: dict[str, Any] | None = None
        key = written_name = written_key = ""
        start = arguments_start = arguments_end = -1
        in_group = False
        names = self.machine.written_names
        before = len(self.calls)
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
            if way == ENDS:
                if name is None:
                    return None
                raw = text[arguments_start:arguments_end] if arguments_start >= 0 else ""
                span = make_span(start, match.end(lane.groups[0]))
                self.calls.append(self._call(name, arguments, id, raw, span))
                name = id = arguments = None
                start = arguments_start = -1
            elif way == NEXT_KEY:
                if name is None:
                    return None
                if arguments_start < 0:
                    arguments_start = match.start(lane.groups[0])
                written_key = match[lane.groups[1]]
                key = _key(written_key)
            elif way != NOTHING:
                groups = lane.groups
                start = match.start(groups[0])
                written_name = match[groups[1]]
                name = names.get(written_name) or self._name(written_name)
                if way == BEGINS_WITH_KEY:
                    written_key = match[groups[3]]
                    key = _key(written_key)
                    arguments_start = match.start(groups[2])
            if lane.id:
                if name is None:
                    return None
                id = decoded_token(match[lane.id]).strip() or None
            if lane.ends_group:
                if len(self.calls) == before:
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
                    scanned = read_scanned(step.terminal, self.tools.get(name), text, end)
                    if scanned is None or type(scanned[0]) is not dict:
                        return None
                    found, position = scanned
                    arguments = cast("dict[str, Any]", found)
                else:
                    read = read_copied if self.is_wide and not self.calls else read_object
                    whole = read(text, end)
                    if whole is None:
                        return None
                    arguments, position, texts = whole
                    if self.tools and not takes(self.tools.get(name), arguments, texts=texts):
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
                    self.calls.append(self._call(name, arguments, id, raw, span))
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
                self.calls.append(self._call(name, arguments, id, raw, span))
                return self.machine.node(stack), position

    def _name(self, written: str) -> str:
        """Gives the name that a token writes, and keeps it for the next message."""
        name = decoded_token(written) if written[:1] == '"' else written
        names = self.machine.written_names
        if len(names) < MOST_NAMES and len(written) < MAX_NAME:
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
        trim = self.trim and (self.trim.get(key) or self.trim.get("value"))
        part = raw_part(text, lane, start, trim or "", *written)
        if part is None or not (lane.is_typed and (self.tools or self.by_shape)):
            return part
        value, fitting = typed_value(self.tools.get(name), key, part[0], by_shape=self.by_shape)
        return (value, part[1]) if fitting else None


def _key(written: str) -> str:
    return (decoded_token(written) if written[:1] == '"' else written).strip()
