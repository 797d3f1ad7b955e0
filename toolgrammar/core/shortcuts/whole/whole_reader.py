"""Reads a sound whole message in one pass, without the driver.

Most messages are sound. They are read here in one pass: the next opener, then fused runs and
payloads in turn, up to the end of the call. If anything needs a judgement (a repair, a quoted call,
a run of tokens that was not seen before), the reading gives up, and the driver reads the message
from its beginning. Both readings have the same result; laws compare them on every case. Example:
`Ok. <tool_call>{"name": "f", "arguments": {}}</tool_call>` is a text, two fused runs and a payload.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, cast

from toolgrammar.core.driver.payload_end import ends_call
from toolgrammar.core.evidence.member_behind import may_go_on
from toolgrammar.core.evidence.named_tools import oddity
from toolgrammar.core.evidence.no_arguments import are_schema_or_call
from toolgrammar.core.machine.repairs import strays_of
from toolgrammar.core.payloads.json.tokens import decoded_token
from toolgrammar.core.payloads.json.whole import read_whole
from toolgrammar.core.payloads.scanners import read_scanned
from toolgrammar.core.shortcuts.whole import fused_tokens
from toolgrammar.core.shortcuts.whole.fused_tokens import OBJECTS, SCANNED, FusedTokens
from toolgrammar.core.shortcuts.whole.shortcut_rules import (
    fits,
    is_over,
    is_plain_member,
    lacks_required,
    raw_part,
    typed_value,
)
from toolgrammar.core.shortcuts.whole.token_learning import learn, learned_from
from toolgrammar.core.trust.call_or_text import ends_in_code
from toolgrammar.core.trust.quoted_calls import is_doubtful
from toolgrammar.core.trust.thoughts import is_thought_doubtful, may_be_left_open
from toolgrammar.grammar.roles import PROSE_ROLES, RAW_LIKE
from toolgrammar.patterns.partial import MAX_TOKEN
from toolgrammar.values.calls import ToolCall
from toolgrammar.values.spans import Span

if TYPE_CHECKING:
    import re
    from collections.abc import Mapping

    from toolgrammar.core.machine.machine import Machine, Node, Step
    from toolgrammar.core.shortcuts.whole.shortcut_rules import ShortcutRules
    from toolgrammar.values.json_types import JsonValue
    from toolgrammar.values.tools import ToolSpec


class WholeReader:
    """The state of reading one message: its parts so far, and the fields of the open call."""

    def __init__(
        self,
        machine: Machine,
        rules: ShortcutRules,
        text: str,
        tools: Mapping[str, ToolSpec],
    ) -> None:
        self.machine = machine
        self.rules = rules
        self.text = text
        self.tools = tools
        self.calls: list[ToolCall] = []
        self.parts: list[str] = []
        self.reasoning: list[str] = []
        self.thoughts: list[str] = []
        """Reasoning without a closer of its own, in which a call may be lost."""
        self.left_open = False
        """Whether a call may have ended reasoning."""
        self.in_group = False
        """Whether a section is open."""
        self.last_end = 0
        self.key = self.written_key = self.written_name = ""
        self._new_call()

    def _new_call(self) -> None:
        """Resets the fields of the open call."""
        self.name: str | None = None
        self.id: str | None = None
        self.arguments: dict[str, Any] | None = None
        self.arguments_start = self.arguments_end = -1
        self.start = self.call_start = -1
        self.passed = False
        """Whether a member without a role came."""

    def run(self, node: Node | None = None, position: int = 0) -> bool:
        """Reads the message; returns whether it is sound up to its end.

        Args:
            node: the node to begin at; the start node if it is None.
            position: the index to begin at.
        """
        text, node, behind = self.text, node or self.machine.start, 0
        while True:
            match = node.entry.search(text, position)  # The next opener.
            end = match.start() if match else len(text)
            if end > position:
                between = text[position:end]
                if match and is_doubtful(between, self.machine.signs, self.tools):
                    return False
                if node.closes_group and match and self._in_section(between, behind):
                    pass
                elif not node.skipping:
                    self.parts.append(between)
                elif not between.isspace():
                    return False
                # A closer left over after a call, such as `</tool_call>`, is reported by the
                # driver.
                if self.calls and strays_of(node).pattern.match(between.lstrip()):
                    return False
            if match is None:
                return not self.in_group  # The driver mends a section without its closer.
            self.call_start = -1  # The next island begins with its first token.
            behind = len(self.calls)
            found = self._island(node, end)
            if found is None:
                return False
            node, position = found

    def island_at(self, node: Node | None, start: int) -> tuple[Node, int] | None:
        """Reads the island at an index.

        Args:
            node: the node in whose text it opens; the start node if it is None.
            start: the index of its opener.

        Returns:
            The node and the index after it; None if the driver has to read it.
        """
        self.call_start = -1
        return self._island(node or self.machine.start, start)

    def _in_section(self, between: str, before: int) -> bool:
        """Whether white space after a call of a section is markup.

        Args:
            between: the text between two islands.
            before: the number of calls before the last island.
        """
        return between.isspace() and len(between) <= MAX_TOKEN and len(self.calls) > before

    def _island(self, node: Node, position: int) -> tuple[Node, int] | None:
        """Reads from an opener to the next text; returns the node and the index there."""
        text = self.text
        while True:
            for fused in learned_from(node).fused_runs:  # In the order in which they were learned.
                match = fused.match(text, position)
                if match is not None:
                    break
            else:
                learned = learn(node, text, position, in_call=self.start >= 0)
                if learned is None or (match := learned.match(text, position)) is None:
                    return None
                fused = learned
            end = match.end()
            # No stream would hold back a longer token, so the driver has to judge it.
            if end - position > MAX_TOKEN or not self._apply_marks(fused, match):
                return None
            step = fused.payload
            if step is None:
                if self.start < 0:
                    return fused.node, end
                self.last_end = end
                over = is_over(fused.node, text, end, None)
                return self._to_text(fused.node, end) if over else None
            position = self._payload(fused, step, end)  # -1: the driver decides.
            if position < 0:
                return None
            node = step.node
            if not node.accepts_text:  # The envelope goes on.
                continue
            # Without a call, which sets `start`, this was reasoning or content.
            if self.start < 0:
                return None if "call" in node.after_text[0] else (node, position)
            over = is_over(node, text, position, step)  # None: the driver decides.
            if over is not False:
                return self._to_text(node, position) if over else None

    def _apply_marks(self, fused: FusedTokens, match: re.Match[str]) -> bool:
        """Applies the marks of a fused run; False if the driver has to read the message."""
        for mark, group in fused.marks:
            if mark <= fused_tokens.KEY:
                if not self._take_text(mark, match[group]):
                    return False
            elif mark == fused_tokens.CALL_START or (
                mark == fused_tokens.FIRST_CALL_START and self.call_start < 0
            ):
                self.call_start = match.start(group)
            elif mark == fused_tokens.END_ARGUMENT:  # The argument may have no value.
                if self.arguments_start >= 0:
                    self.arguments_end = match.end(group)
            elif not self._apply_mark(mark, match, group):
                return False
        return not fused.may_go_on or may_go_on(self.text, match.end()) is False

    def _take_text(self, mark: int, written: str) -> bool:
        """Takes a name, a key or an id; False if the call has a name or an id already."""
        if self.start < 0:
            self.start = self.call_start
        if mark == fused_tokens.KEY:
            self.written_key = written
            self.key = decoded_token(written).strip()
        elif mark == fused_tokens.NAME:
            if self.name is not None:
                return False
            self.written_name = written
            self.name = decoded_token(written)
        else:
            if self.id is not None:  # A second id.
                return False
            self.id = decoded_token(written).strip() or None
        return True

    def _apply_mark(self, mark: int, match: re.Match[str], group: int) -> bool:
        """Applies a mark that may need the driver; returns False if it does."""
        if mark == fused_tokens.END_CALL:
            return self._end_call(match.end(group))
        if mark == fused_tokens.FIRST_KEY:
            if self.arguments_start < 0:
                self.arguments_start = match.start(group)
            return self.name is not None  # A key before the name is odd.
        if mark == fused_tokens.SAME_NAME:
            return match[group] == self.written_name
        if mark == fused_tokens.SAME_KEY:
            return match[group] == self.written_key
        if mark == fused_tokens.END_GROUP:
            self.in_group = False
            return bool(self.calls)  # An empty section is judged.
        if mark == fused_tokens.BEGIN_GROUP:
            self.in_group = True
        return True

    def _end_call(self, end: int) -> bool:
        """Adds the open call, which ends at an index; False if the driver has to judge it."""
        name = self.name
        if name is None or "\\" in name or oddity(name, self.tools):  # The driver reports these.
            return False
        start, arguments = self.arguments_start, self.arguments
        # The arguments may stand under another key, or behind the object: `{"name": "f"}, "a": {}`.
        if arguments is None and (self.passed or self.text[end - 1] == "}"):
            return False
        spec = self.tools.get(name)
        # It may have been cut, or be no call.
        if lacks_required(spec, arguments) or are_schema_or_call(name, arguments, spec, self.tools):
            return False
        raw = self.text[start : self.arguments_end] if start >= 0 else ""
        span = Span(self.start, end)
        call = ToolCall(name, arguments or {}, self.id, None, raw, span, format=self.rules.id)
        self.calls.append(call)
        self._new_call()
        return True

    def _close(self, closed: tuple[str, ...]) -> bool:
        """Closes the roles that end with a payload; False if the driver has to judge the call."""
        for role in closed:
            if role == "call":
                if not self._end_call(self.last_end):
                    return False
            elif role == "argument":
                if self.arguments_start >= 0:
                    self.arguments_end = self.last_end
            elif role in ("calls", "parallel", "sequential"):  # A token ends these.
                return False
        return True

    def _to_text(self, node: Node, position: int) -> tuple[Node, int] | None:
        """Ends a call that has no closer of its own, before the text that follows it."""
        closed, stack = node.after_text
        return (self.machine.node(stack), position) if self._close(closed) else None

    def _payload(self, fused: FusedTokens, step: Step, start: int) -> int:
        """Reads a payload; returns the index after it, or -1 if the driver has to read it."""
        if step.terminal.name in RAW_LIKE:
            end = self._raw(fused, step, start)
        else:
            end = self._json(step, start)
        self.last_end = end
        is_payload = step.role == "arguments"
        is_over = not ends_call(step) or may_go_on(self.text, end, is_payload=is_payload) is False
        over = end >= 0 and is_over
        return end if over and (not step.closes or self._close(step.closes)) else -1

    def _arguments(self, step: Step, start: int) -> int:
        """Reads all arguments; returns the index after them, or -1 if they are not sound."""
        name = step.terminal.name
        # Python's literals, and others, have scanners of their own; the rest is JSON.
        if name in SCANNED:
            spec = self.tools.get(self.name) if self.name is not None else None
            whole = read_scanned(step, spec, self.text, start)
        else:
            whole = read_whole(self.text, start, object_only=name in OBJECTS)
        if whole is None or type(whole[0]) is not dict or self.arguments is not None:
            return -1
        value, end = whole
        # The driver converts values to the types of the schema; scanners do so themselves.
        if self.tools and name not in SCANNED and not fits(self.tools.get(self.name or ""), value):
            return -1
        self.arguments = cast("dict[str, Any]", value)
        if self.start < 0:
            self.start = self.call_start
        if self.arguments_start < 0:
            self.arguments_start = start
        self.arguments_end = self.last_end = end
        return end

    def _json(self, step: Step, start: int) -> int:
        """Reads a JSON payload; returns the index after it, or -1 if it is not sound."""
        if step.role == "arguments":
            return self._arguments(step, start)
        if step.terminal.name in SCANNED:  # These are read here only as arguments.
            return -1
        whole = read_whole(self.text, start, object_only=step.terminal.name in OBJECTS)
        if whole is None:  # The JSON is damaged.
            return -1
        value, end = whole
        if step.role != "value":  # It fills no role: it is a member beside the arguments.
            self.passed = True
            return end if is_plain_member(self.text, start, self.tools) else -1
        if self.tools and not fits(self.tools.get(self.name or ""), value, self.key):
            return -1  # The driver types it.
        return end if self._argument(value, end) else -1

    def _argument(self, value: JsonValue, end: int) -> bool:
        """Sets the argument of the last key; False if the key comes twice, which is doubted."""
        if self.arguments is None:
            self.arguments = {}
        if self.key in self.arguments:
            return False
        self.arguments[self.key] = value
        self.arguments_end = end
        return True

    def _raw(self, fused: FusedTokens, step: Step, start: int) -> int:
        """Reads a raw payload; returns the index after it, or -1 if its closer has to be judged."""
        role = step.role
        trims = self.rules.trim
        trim = (trims.get(self.key) if role == "value" else "") or trims.get(role, "")
        found = raw_part(self.text, fused, start, trim, self.written_name, self.written_key)
        if found is None:
            return -1
        part, end = found
        # An opener that ends the prose may be in inline code, which the driver judges.
        if role in PROSE_ROLES and ends_in_code(part.rpartition("\n\n")[2]):
            return -1
        if role == "value":
            return end if self._value(part, end, typed=fused.is_typed) else -1
        if role == "reasoning":
            is_open = fused.raw is None or may_be_left_open(fused.raw.node)
            if is_thought_doubtful(part, self.machine.signs, is_open=is_open):
                return -1
            self.left_open = self.left_open or is_open
            self.reasoning.append(part)
            if fused.raw is not None and fused.raw.is_beside_calls:
                self.thoughts.append(part)
        elif role in ("text", "content"):
            self.parts.append(part)
        else:
            return -1
        return end

    def _value(self, text: str, end: int, *, typed: bool) -> bool:
        """Sets the argument of the last key from raw text; False if the driver has to type it."""
        spec = self.tools.get(self.name or "")
        by_shape, typed = self.rules.by_shape, typed and self.name is not None
        value, fitting = typed_value(spec, self.key, text, by_shape=by_shape, typed=typed)
        return fitting and self._argument(value, end)
