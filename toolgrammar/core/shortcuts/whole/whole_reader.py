"""Reads a sound whole message in one pass, without the driver.

Example: `Ok. <tool_call>{"name": "f", "arguments": {}}</tool_call>` is read as the text `Ok. `, the
tokens up to `"arguments":`, the payload `{}`, and the tokens after it.

Most messages are sound. They are read here in one pass: the next opener, then tokens and payloads
in turn up to the end of the call. If anything needs a judgement (a repair, a quoted call), this
reader gives up, and the driver reads the message from its beginning. Both readings have the same
result; the laws compare them on every case.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, cast

from toolgrammar.core.driver.behind_calls import ends_call
from toolgrammar.core.evidence.member_behind import may_go_on
from toolgrammar.core.evidence.named_tools import oddity
from toolgrammar.core.machine.repairs import strays_of
from toolgrammar.core.payloads.json.tokens import decoded_token
from toolgrammar.core.payloads.json.whole import read_whole
from toolgrammar.core.payloads.scanners import read_scanned
from toolgrammar.core.shortcuts.whole.shortcut_rules import OBJECTS, SCANNED
from toolgrammar.core.shortcuts.whole.token_traits import traits_of
from toolgrammar.core.shortcuts.whole.whole_rules import (
    fits,
    is_over,
    is_plain_member,
    lacks_required,
    raw_part,
    typed_value,
)
from toolgrammar.core.trust.standing import is_doubtful
from toolgrammar.grammar.roles import GROUP_ROLES, RAW_LIKE
from toolgrammar.patterns.partial import MAX_TOKEN
from toolgrammar.values.calls import ToolCall
from toolgrammar.values.patterns import blanks
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
        self.in_group = self.passed = False
        """Whether a section is open, and whether a member without a role came before arguments."""
        self.last_end = 0
        self.name: str | None = None
        self.id: str | None = None
        self.arguments: dict[str, Any] | None = None
        self.arguments_start = self.arguments_end = -1
        self.start = self.unit = -1
        self.key = self.written_key = self.written_name = ""
        self._previous: Step | None = None
        """The token that was read last."""
        self._token_start = -1
        """The index of the last token after the name, where the arguments may begin, or -1."""

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
            self.unit = -1  # The next island begins with its first token.
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
        self.unit = -1
        return self._island(node or self.machine.start, start)

    def _in_section(self, between: str, before: int) -> bool:
        """Whether white space after a call of a section is markup.

        Args:
            between: the text between two islands.
            before: the number of calls before the last island.
        """
        return between.isspace() and len(between) <= MAX_TOKEN and len(self.calls) > before

    def _island(self, node: Node, position: int) -> tuple[Node, int] | None:
        """Reads from an opener to the next text; returns the node and index there, or None."""
        text, begin = self.text, position
        while True:
            match = node.token.match(text, position)
            if match is not None:
                step = node.steps[match.lastgroup or ""]
                position = match.end()
                # A longer island is given back as text by the driver.
                if position - begin > MAX_TOKEN or not self._token(node, step, match):
                    return None
                self._previous, node = step, step.node
            else:
                payload = self._payload_at(node, position)
                if payload is None:
                    # A call without a closer of its own may end here.
                    is_call = self.start >= 0 and node.accepts_text
                    over = is_call and is_over(node, text, position)
                    return self._to_text(node, position) if over else None
                position = begin = self._payload(payload, position)  # -1 if it is not sound.
                if position < 0:
                    return None
                node = payload.node
            if not node.accepts_text:  # The envelope goes on.
                continue
            if self.start < 0:
                # The text would end a call without a name.
                return None if "call" in node.after_text[0] else (node, position)
            if match is None:
                over = is_over(node, text, position)  # None if the driver has to decide.
                if over is not False:
                    return self._to_text(node, position) if over else None

    # Tokens

    def _token(self, node: Node, step: Step, match: re.Match[str]) -> bool:
        """Applies a token of a node; returns False if the driver has to read it."""
        traits, group = traits_of(step), match.lastgroup or ""
        start, end = match.span(group)
        if traits.needs_driver or (traits.may_be_loose and traits.is_damaged(match[group])):
            return False
        if step.before:
            # The next call would end one that has no closer.
            if node.accepts_text and self.start >= 0 and "call" in step.before:
                return False
            # Roles that close before a token end where the last token ended.
            if not self._close(step.before):
                return False
        if self.unit < 0 or step.opens:
            self.unit = start
            self.in_group = self.in_group or traits.opens_group
        if traits.fills:
            for role, part in step.filled(match, match[group]):
                if not self._fill(role, part, start):
                    return False
        elif step.kind == "same" and not self._repeats(step, match[group]):
            return False
        if not step.leaf:
            self._token_start = start
        self.last_end = end
        if not step.after:
            return True
        return self._close(step.after) and not (traits.ends_call and may_go_on(self.text, end))

    def _repeats(self, step: Step, written: str) -> bool:
        """Whether a token repeats the name or the key that is open."""
        is_name = step.terminal.name == "SAME_NAME"
        return written == (self.written_name if is_name else self.written_key)

    def _fill(self, role: str, written: str, start: int) -> bool:
        """Fills the name, a key or the id of a call; False if the call has a name or an id already.

        Args:
            role: the role.
            written: the text of the token.
            start: the index where the token begins.
        """
        if self.start < 0:
            self.start, self._token_start = self.unit, -1
        value = decoded_token(written)
        if role == "key":
            self.key, self.written_key = value.strip(), written
            if self.arguments_start < 0:
                # The arguments begin with the token before their first key.
                self.arguments_start = self._token_start if self._token_start >= 0 else start
            return self.name is not None  # The driver judges a key before the name.
        if role == "id":
            is_first, self.id = self.id is None, value.strip() or None
            return is_first  # The driver doubts a second id.
        is_first, self.name, self.written_name = self.name is None, value, written
        self._token_start = -1
        return is_first

    def _end_call(self, end: int) -> bool:
        """Adds the open call, which ends at an index; False if the driver has to judge it."""
        name = self.name
        if name is None or "\\" in name or oddity(name, self.tools):  # The driver reports these.
            return False
        start, arguments = self.arguments_start, self.arguments
        if self.passed and arguments is None:  # The arguments may stand under another key.
            return False
        if lacks_required(self.tools.get(name), arguments):
            return False  # it may have been cut
        self.calls.append(
            ToolCall(
                name,
                {} if arguments is None else arguments,
                self.id,
                None,
                self.text[start : self.arguments_end] if start >= 0 else "",
                Span(self.start, end),
                "complete",
                (),
                self.rules.id,
                None,
                (),
            )
        )
        self.name = self.id = self.arguments = None
        self.arguments_start = self.start = self.unit = -1
        self.passed = False
        return True

    def _close(self, closed: tuple[str, ...]) -> bool:
        """Closes roles that end with the last token or payload; False if the driver has to."""
        for role in closed:
            if role == "call":
                if not self._end_call(self.last_end):
                    return False
            elif role == "argument":
                if self.arguments_start >= 0:  # An argument may have no value.
                    self.arguments_end = self.last_end
            elif role in GROUP_ROLES:
                self.in_group = False
                if not self.calls:  # The driver judges an empty section.
                    return False
        return True

    def _to_text(self, node: Node, position: int) -> tuple[Node, int] | None:
        """Ends a call that has no closer of its own where something else follows it."""
        closed, stack = node.after_text
        return (self.machine.node(stack), position) if self._close(closed) else None

    # Payloads

    def _payload_at(self, node: Node, position: int) -> Step | None:
        """Returns the payload that begins where no token stands; None where that is not plain."""
        place = blanks.match(self.text, position).end()
        if place == len(self.text):  # The driver decides.
            return None
        for step in node.payloads:  # The narrowest first.
            name = step.terminal.name
            if name == "JSON_TEXT":  # It may be another payload as well.
                return None
            if name in RAW_LIKE or step.begins.match(self.text, place):
                return None if step.before else step
        return None

    def _payload(self, step: Step, position: int) -> int:
        """Reads a payload; returns the index after it, or -1 if it is not sound."""
        if step.terminal.name in RAW_LIKE:
            end = self._raw(step, position)
        else:
            end = self._json(step, blanks.match(self.text, position).end())
        self.last_end = end
        over = end >= 0 and not (ends_call(step) and may_go_on(self.text, end))
        return end if over and (not step.after or self._close(step.after)) else -1

    def _arguments(self, step: Step, start: int) -> int:
        """Reads all arguments; returns the index after them, or -1 if they are not sound."""
        name = step.terminal.name
        if name in SCANNED:
            spec = self.tools.get(self.name) if self.name is not None else None
            whole = read_scanned(step, spec, self.text, start)
        else:
            whole = read_whole(self.text, start, object_only=name in OBJECTS)
        if whole is None or type(whole[0]) is not dict or self.arguments is not None:
            return -1
        value, end = whole
        if self.tools and name not in SCANNED and not fits(self.tools.get(self.name or ""), value):
            return -1
        self.arguments = cast("dict[str, Any]", value)
        if self.start < 0:
            self.start = self.unit
        if self.arguments_start < 0:
            self.arguments_start = start
        self.arguments_end = self.last_end = end
        return end

    def _json(self, step: Step, start: int) -> int:
        """Reads a JSON payload; returns the index after it, or -1 if it is not sound."""
        if step.leaf == "arguments":
            return self._arguments(step, start)
        if step.terminal.name in SCANNED:  # These are read here only as arguments.
            return -1
        whole = read_whole(self.text, start, object_only=step.terminal.name in OBJECTS)
        if whole is None:  # The JSON is damaged.
            return -1
        value, end = whole
        if step.leaf != "value":  # It fills no role: it is a member beside the arguments.
            self.passed = self.passed or self.arguments is None
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

    def _raw(self, step: Step, start: int) -> int:
        """Reads a raw payload; returns the index after it, or -1 if its closer has to be judged."""
        role, trims = step.leaf, self.rules.trim
        trim = (trims.get(self.key) if role == "value" else "") or trims.get(role, "")
        before = self._previous is not None and "\n" in self._previous.terminal.trail
        found = raw_part(
            self.text, step, start, trim, self.written_name, self.written_key, before=before
        )
        if found is None:
            return -1
        part, end = found
        if role == "value":
            # `RAW_STRING` is always a string, whatever the schema declares.
            return end if self._value(part, end, typed=step.terminal.name == "RAW") else -1
        if role == "reasoning":
            self.reasoning.append(part)
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
