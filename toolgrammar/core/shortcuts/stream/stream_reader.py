"""Reads a message that streams, as long as everything in it is as its format says.

This is the short way through a stream, as `whole_reader` is through a whole message: text, tokens of
the envelope, and payloads that are sound. Nothing is mended, and what may yet become something
else is held back. Where anything needs judgement the reading gives up; the driver then reads the
message from its beginning, and what was given out already is left out of its events
(`given_out`). Both give the same; the laws compare them on every case and for every cut.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from toolgrammar.core.driver.behind_calls import ends_call
from toolgrammar.core.driver.reading_tokens import MOST_TOKENS
from toolgrammar.core.evidence.member_behind import may_go_on
from toolgrammar.core.machine.machine import SHORT
from toolgrammar.core.machine.relaxed_quotes import is_loose
from toolgrammar.core.machine.repairs import strays_of
from toolgrammar.core.payloads.json.chunk_memo import matching
from toolgrammar.core.shortcuts.stream.found_tokens import read_token, tokens_of
from toolgrammar.core.shortcuts.stream.stream_message import NEEDS_DRIVER, WAITS
from toolgrammar.core.shortcuts.stream.stream_raw import StreamRaw
from toolgrammar.core.shortcuts.stream.token_traits import traits_of
from toolgrammar.core.shortcuts.whole.fused_tokens import SCANNED
from toolgrammar.core.shortcuts.whole.whole_rules import ends_plainly, is_over, lacks_required
from toolgrammar.core.trust.standing import is_doubtful
from toolgrammar.grammar.roles import GROUP_ROLES, JSON_LIKE, RAW_LIKE
from toolgrammar.patterns.partial import MAX_TOKEN
from toolgrammar.values.calls import ParseResult
from toolgrammar.values.events import TextDelta
from toolgrammar.values.patterns import blanks

if TYPE_CHECKING:
    import re

    from toolgrammar.core.machine.machine import Node, Step
    from toolgrammar.values.events import Event

_DISTINCTIVE = 3
"""Characters of a token that stands for itself."""
_MOST_WAITING = 256
"""Characters in which a token is looked for anew with each chunk."""
_WINDOW = MAX_TOKEN + 64
"""Characters from which on no token waits for more."""


class StreamReader(StreamRaw):
    """One message, while it is sound."""

    __slots__ = ()

    def begin(self) -> None:
        """Stands at the beginning of the text."""
        self._at_text(self.machine.start)
        self._pass_text("")

    # Text

    def _at_text(self, node: Node) -> None:
        """Reads text from here on."""
        self.node = node
        self.read = self._read_text

    def _pass_text(self, last: str) -> int:
        self.last = last
        self.pass_on(self.texts, matching(self.node.plain.pattern), TextDelta)
        return WAITS

    def _read_text(self, text: str, position: int) -> int:
        """Reads text from an index on: up to the next opener, or to its end."""
        node, base = self.node, self.base
        # Behind a call, a closer that is left over may follow, as in `</tool_call></tool_call>`.
        if self.behind or node.skipping:
            if position == len(text):
                return self.hold(text, position)
            place = blanks.match(text, position).end()
            if node.skipping or (node.closes_group and place - position <= MAX_TOKEN):
                # White space before the next call of a section, or before its end, is markup.
                if place == len(text) or node.entry_beginnings.match(text, place):
                    return self.hold(text, position)
                if node.entry.match(text, place):
                    return self._begin_island(place)
            if node.skipping:
                return NEEDS_DRIVER
            self.say(text[position:place], base + position)
            strays, position = strays_of(node), place
            # The text behind a call may begin with a stray closer: it waits until that is sure.
            if place == len(text) or strays.beginnings.match(text, place):
                return self.hold(text, place)
            if strays.pattern.match(text, place):
                return NEEDS_DRIVER
            self.behind = False
        opener = node.entry.search(text, position)
        end = len(text) if opener is None else opener.start()
        if end > position:
            begun = node.begun_entry(text, position, end)
            if begun >= 0:
                self.say(text[position:begun], base + position)
                waits = self.hold(text, begun)
                return waits if len(text) - begun <= _MOST_WAITING else NEEDS_DRIVER
            self.say(text[position:end], base + position)
        if opener is not None:
            return self._begin_island(end)
        return self._pass_text(text)

    def _begin_island(self, position: int) -> int:
        last = self.texts.last
        # Text before several calls is judged once.
        if last != self.judged:
            self.judged = last
            if is_doubtful(self.source.slice(*last), self.machine.signs, self.tools):
                return NEEDS_DRIVER
        self.unit = -1
        self.tokens = 0
        self.behind = False
        self.read = self._read_tokens
        return position

    # Tokens

    def _take_tokens(self, chunk: str) -> list[Event] | None:
        """Takes a chunk where a token has begun."""
        text, position = self.held + chunk, self.position
        # Short tails come again and again, with the same tokens: they are looked up.
        if position and len(text) - position <= SHORT:
            found = tokens_of(self.node)[text[position - 1 :]]
        else:
            found = read_token(self.node, text, position, _WINDOW)
        if found is None or found[0] is not None:
            return self.advance(chunk, text, position)
        self.held = text
        is_within = self.source.append(chunk)
        return [] if is_within and len(text) - position <= _MOST_WAITING else None

    def _read_tokens(self, text: str, position: int) -> int:
        """Reads one token of the envelope at an index, or what stands there instead."""
        node, rest = self.node, len(text) - position
        if not rest:
            return self._wait_for_token(text, position)
        if position and rest <= SHORT:
            shift = position - 1
            found = tokens_of(node)[text[shift:]]
        else:
            shift = 0
            found = read_token(node, text, position, _WINDOW)
        if found is None:
            return self._read_payload(text, position)
        step, match = found
        if step is None:
            return self._wait_for_token(text, position)
        self.previous = step
        self.tokens += 1
        if match.end() - match.start() > MAX_TOKEN or (
            self.tokens > MOST_TOKENS and not self.started
        ):
            return NEEDS_DRIVER  # so much white space may be text, and so much markup no call
        # The next call opens, and ends this one, which has no closer of its own.
        if self.started and node.accepts_text and "call" in step.before:
            return self._end_before_text(text, position)
        base = self.base + shift
        traits = traits_of(step)
        if not (
            self._pass_token(step, match, base)
            if traits.is_silent
            else traits.is_for_shortcut and self._read_token(step, match, base)
        ):
            return NEEDS_DRIVER
        if self.read == self._read_behind:
            return shift + match.end()
        return self._arrive(step, shift + match.end())

    def _wait_for_token(self, text: str, position: int) -> int:
        waits = self.hold(text, position)
        self.take = self._take_tokens
        return waits if len(text) - position <= _MOST_WAITING else NEEDS_DRIVER

    def _pass_token(self, step: Step, match: re.Match[str], base: int) -> bool:
        """Passes a token that only leads on, as most do; false where it is damaged.

        Args:
            step: the token.
            match: what it matched.
            base: offset where the text begins in which it did.
        """
        start, end = match.span(match.lastgroup or 0)
        traits = traits_of(step)
        # `'name':` is read where the grammar has `"name":`, but it is a repair.
        if traits.may_be_loose and match.string[start:end].strip() != traits.written:
            return False
        if self.unit < 0:
            self.unit = base + start
        if self.name is not None:
            if self.arguments_start < 0:
                self.token_start = base + start
            # A name and a distinctive token make a call certain, as in the driver.
            if not self.started and step.weight >= _DISTINCTIVE:
                self.begin_call()
        self.doubtful = False
        self.last_end = base + end
        return True

    def _arrive(self, step: Step, position: int) -> int:
        """Stands behind a token or a payload."""
        node = self.node = step.node
        if node.accepts_text and self.start < 0:
            # Text may follow, and a call without a name would end with it: the driver judges that.
            if "call" in node.after_text[0]:
                return NEEDS_DRIVER
            self._at_text(node)
        else:
            self.read = self._read_tokens
        return position

    def _read_token(self, step: Step, match: re.Match[str], base: int) -> bool:
        """Does what a token does; false where the driver must."""
        group = match.lastgroup or 0
        start, end = match.span(group)
        written = match[group]
        # An entity in a name or a key: the driver decodes it.
        if "&" in written and self.rules.entities:
            return False
        if end - start > MAX_TOKEN or (
            traits_of(step).may_be_loose and is_loose(step.terminal, written)
        ):
            return False
        start += base
        # What ends before a token ends where the last one did; white space between belongs to
        # neither.
        if step.before and not self._close(step.before, self.last_end):
            return False
        if self.unit < 0 or step.opens:
            self.unit = start
            self.in_group = self.in_group or step.opens in GROUP_ROLES
        for role, part in step.filled(match, written):
            if not self.fill(role, part, start):
                return False
        if step.kind == "same" and not self._repeats(step, written):
            return False
        if self.arguments_start < 0 and self.name is not None and not step.leaf:
            self.token_start = start
        self.last_end = base + end
        if ends_call(step) and written.endswith("}"):
            self.read = self._read_behind
        elif step.after and not self._close(step.after, self.last_end):
            return False
        self._judge(step, written)
        return True

    def _close(self, closed: tuple[str, ...], end: int) -> bool:
        for role in closed:  # noqa: SIM110  (a generator costs more than what it asks)
            if not self.close(role, end):
                return False
        return True

    def _repeats(self, step: Step, written: str) -> bool:
        """Whether a token repeats the name or the key that is open."""
        is_name = step.terminal.name == "SAME_NAME"
        return written == (self.written_name if is_name else self.written_key)

    def _judge(self, step: Step, written: str) -> None:
        """Makes certain what a token makes certain: the payload before it, that a call began."""
        self.doubtful = False
        if (
            not self.started
            and self.name is not None
            and traits_of(step).may_begin_call
            and (len(written.strip()) >= _DISTINCTIVE or step.kind == "same")
        ):
            self.begin_call()

    def _end_before_text(self, text: str, position: int) -> int:
        """Ends a call that has no closer of its own, where something else follows it."""
        if not ends_plainly(text, position):
            return NEEDS_DRIVER
        closed, stack = self.node.after_text
        if not self._close(closed, self.last_end):
            return NEEDS_DRIVER
        self._at_text(self.machine.node(stack))
        return position

    # Payloads

    def _read_payload(self, text: str, position: int) -> int:
        """Begins the payload that stands where no token does."""
        node = self.node
        place = blanks.match(text, position).end()
        # So much white space may be text.
        if place - position > MAX_TOKEN:
            return NEEDS_DRIVER
        for step in node.payloads:
            is_raw = step.terminal.name in RAW_LIKE
            begin = position if is_raw and node.exact else place
            if begin == len(text):
                return self.hold(text, position)
            # The beginning of this payload may still come: `tru` may be `true`, or a bare word.
            if step.begun is not None and step.begun.match(text, begin):
                return self.hold(text, position)
            if step.begins.match(text, begin):
                return self._enter(step, text, begin, is_raw=is_raw)
        if place == len(text):
            return self.hold(text, position)
        return (
            self._end_before_text(text, position)
            if self.started and node.accepts_text
            else NEEDS_DRIVER
        )

    def _enter(self, step: Step, text: str, begin: int, *, is_raw: bool) -> int:
        if step.before and not self._close(step.before, self.last_end):
            return NEEDS_DRIVER
        if self.unit < 0:
            self.unit = self.base + begin
        if is_raw:
            return self.begin_raw(step, text, begin)
        # Arguments before the name wait for it in the driver.
        if self.name is None:
            return NEEDS_DRIVER
        if step.terminal.name in SCANNED and step.leaf == "arguments":
            return self.begin_scanned(step, text, begin)
        if step.terminal.name not in JSON_LIKE:
            return NEEDS_DRIVER
        # Only an object streams; arguments that may be something else are judged at their end.
        if step.leaf == "arguments" and step.otherwise is None and text[begin] == "{":
            return self.begin_json(step, text, begin)
        return self.begin_json_value(step, text, begin) if step.leaf == "value" else NEEDS_DRIVER

    def leave(self, step: Step, text: str, end: int) -> int:
        """Ends a payload at an index of the text; returns where to read on, or `NEEDS_DRIVER`."""
        self.last_end = self.base + end
        # The call ends with this payload: no token comes that could make it certain.
        if step.node.accepts_text or "call" in step.after:
            self.doubtful = False
        self.previous = step
        if ends_call(step) and text[end - 1] == "}":
            self.read = self._read_behind
            return end
        return self._close_behind(end)

    def _read_behind(self, text: str, position: int) -> int:
        """Reads what follows a call that its last bracket ends."""
        if not text[position:].strip():
            return self.hold(text, position)
        return NEEDS_DRIVER if may_go_on(text, position) else self._close_behind(position)

    def _close_behind(self, position: int) -> int:
        step = self.previous
        assert step is not None
        closes = not step.after or self._close(step.after, self.last_end)
        return self._arrive(step, position) if closes else NEEDS_DRIVER

    # The end

    def finish(self) -> list[Event] | None:
        """Ends the message; returns its last events, or None where the driver has to read it."""
        self.base = self.source.length - len(self.held)
        if self.read == self._read_behind and self._close_behind(self.position) == NEEDS_DRIVER:
            return None
        text, position, node, read = self.held, self.position, self.node, self.read
        in_text = read == self._read_text
        # All text was given out already.
        if in_text and self.passing is not None:
            text, position, self.base = "", 0, self.source.length
        elif read == self._read_tokens:
            if not (self.started and node.accepts_text and is_over(node, text, position)):
                return None
            if lacks_required(self.spec, self.arguments):
                return None  # it was cut
            closed, stack = node.after_text
            if not self._close(closed, self.last_end):
                return None
            node = self.machine.node(stack)
        elif in_text:
            if self.behind and text[position:].strip():
                return None  # it may be a closer that is left over
        else:
            return None
        ends = node.closes_group and node.end is not None
        if self.start >= 0 or (self.in_group and not ends) or node.entry.search(text, position):
            return None  # a call may begin, and end with the text
        if node.skipping and text[position:].strip():
            return None
        self.say(text[position:], self.base + position)
        self.settle()
        return None if self._is_odd() else self.told()

    def _is_odd(self) -> bool:
        """Whether the text closes reasoning that nothing opened, or shows a call that was not read."""
        closers = () if self.reasonings else self.rules.closers
        signs, tools = self.machine.signs, self.tools
        for text in self.texts.each(self.source.text()) if self.texts else ():
            if any(closer in text for closer in closers) or signs.are_in(text, tools):
                return True
        return False

    def result(self) -> ParseResult:
        """Returns the message, once it has ended."""
        source, rules = self.source.text(), self.rules
        text, reasoning = self.texts.of(source).strip(), self.reasonings.of(source).strip()
        return ParseResult(tuple(self.calls), text, reasoning, (), rules.id, source, rules.digest)
