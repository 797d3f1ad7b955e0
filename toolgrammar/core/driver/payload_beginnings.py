"""Reads how a payload begins: sound and whole, in a code fence, without its brace, or like raw text.

Examples: of `[TOOL_CALLS]f[ARGS]"city": "Rome"}` the arguments are read as `{"city": "Rome"}`. Where
the grammar allows JSON and raw text, `[1, 2]` before `</parameter>` is JSON, `[1, 2] or so` is text.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from toolgrammar.core.arguments.json_payload import JsonPayload
from toolgrammar.core.arguments.scanned_values import scanned_of
from toolgrammar.core.driver.payload_end import cut_payload, leave
from toolgrammar.core.machine.relaxed_quotes import OTHER_QUOTES
from toolgrammar.core.machine.repairs import repairs_of
from toolgrammar.core.mending.envelopes import skip_fence
from toolgrammar.core.mending.misspelt import misspelt_closer_follows
from toolgrammar.core.payloads.json.other_scalars import WORDS
from toolgrammar.core.payloads.json.strict_scanner import JsonScanner
from toolgrammar.core.payloads.json.tokens import MAX_DEPTH
from toolgrammar.core.payloads.json.typing_rules import needs_typing
from toolgrammar.core.payloads.json.whole import read_whole
from toolgrammar.grammar.roles import ANY_JSON, JSON_LIKE, STRICT_JSON
from toolgrammar.patterns.partial import MAX_TOKEN
from toolgrammar.values.diagnostics import Edit
from toolgrammar.values.patterns import blanks, late
from toolgrammar.values.spans import Span

if TYPE_CHECKING:
    from toolgrammar.core.machine.machine import Node, Step
    from toolgrammar.core.state.driver import Driver
    from toolgrammar.values.json_types import JsonValue

_FENCE = late(r"```\w{0,16}\s{1,64}\{")
_MEMBER = late(r'"(?:[^"\\\r\n]|\\.){1,64}"\s{0,64}:')
_FENCE_END = late(r"\s{0,64}(?P<fence>```)")
_FENCE_END_BEGUN = late(r"\s{0,64}`{0,2}\Z")
_BEGUN = late(
    r"(?:`{1,3}|```\w{1,16}|```\w{0,16}\s{1,64}"
    r'|"(?:(?:[^"\\\r\n]|\\.){0,64}\\?|(?:[^"\\\r\n]|\\.){1,64}"\s{0,64}))\Z'
)

_LITERALS = "|".join(word for word, scalar in WORDS.items() if scalar.code == "literal")
_OTHER_SPELLING = late(rf"[{OTHER_QUOTES}]|(?i:{_LITERALS})(?=\s{{0,16}}[,}}\]])")
"""The beginning of a string in other quotes, or a literal of JSON in another spelling: `True`, `None`."""
_WORD_BEGUN = late(r"[a-zA-Z]{1,5}\s{0,16}\Z")
"""The end of a text that may become such a literal."""


def damaged_beginning(driver: Driver, start: int) -> Step | bool | None:
    """Finds the damaged beginning of the arguments' object at an index of the buffer.

    Returns:
        The step of the payload, if only the brace of the object is missing. True if a code fence
        before the object was dropped. False if more text is needed. None if no object begins
        here, or if another payload may stand here.
    """
    node, buffer = driver.node, driver.buffer
    objects = [step for step in node.payloads if step.terminal.name in JSON_LIKE]
    if not driver.has_name or driver.builder.strict or len(objects) != 1:
        return None
    # Where a string may stand as well, `"city": "Rome"}` need not be an object without its brace.
    if objects[0].role != "arguments" or len(objects) < len(node.payloads):
        return None
    # One backtick may be the first of three, and half a key the beginning of a member.
    if not driver.final and _BEGUN.match(buffer, start):
        return False
    if _MEMBER.match(buffer, start):
        return objects[0]
    if _FENCE.match(buffer, start) is None:
        return None
    driver.move_to(start)
    draft, before = driver.builder.draft, driver.builder.mended_before
    if not skip_fence(driver):
        return False
    # `skip_fence` marks the next call as repaired, but the fence stands inside the open one.
    if draft is not None:
        draft.mend()
        driver.builder.mend_next(mended=before)
    driver.payload.open_fence()
    return True


def other_spelling(driver: Driver, start: int) -> Step | bool | None:
    """Finds a JSON value in another spelling at an index, if it fills no role of a call.

    As `'function'` in `{'type': 'function', 'name': 'f', 'arguments': {}}`, or `True`.

    Returns:
        The step of its payload. False if more text is needed. None if no such value begins here.
    """
    payloads, buffer = driver.node.payloads, driver.buffer
    if driver.builder.strict or len(payloads) != 1:
        return None
    if payloads[0].role or payloads[0].terminal.name not in ANY_JSON:
        return None
    # `Non` may become `None`.
    if not driver.final and _WORD_BEGUN.match(buffer, start):
        return False
    return payloads[0] if _OTHER_SPELLING.match(buffer, start) else None


def read_fence_end(driver: Driver) -> bool:
    """Drops the fence that closes after a payload and ends the payload; False for more text."""
    buffer, position = driver.buffer, driver.position
    # The first backticks of a fence may be all that has come.
    if not driver.final and _FENCE_END_BEGUN.match(buffer, position):
        return False
    end = _FENCE_END.match(buffer, position)
    if end is not None:
        span = Span(driver.base + end.start("fence"), driver.base + end.end("fence"))
        message = "Found the end of a code fence round the arguments; left it out"
        driver.builder.report("around", "warning", message, span, edits=(Edit(span, ""),))
        position = end.end()
    driver.payload.close_fence()
    return leave(driver, position)


def sound_json(
    driver: Driver, step: Step, start: int, *, as_text: bool
) -> tuple[JsonValue, int] | None:
    """Returns a JSON value that is sound and whole in the buffer, and its end; None if it is not."""
    name = step.terminal.name
    # The fast reader checks only the default limit of the depth, so a lower one needs the scanner.
    if name not in STRICT_JSON or driver.max_depth < MAX_DEPTH:
        return None
    object_only = name == "JSON_OBJECT" and not as_text
    whole = read_whole(driver.buffer, start, object_only=object_only)
    guide = driver.builder.guide(step.role)
    # Values that the schema converts to another type are left to the scanner, which does that.
    if whole is None or (guide is not None and needs_typing(whole[0], guide)):
        return None
    # `{"a": 1}, "b": 2}` closes too early: only the text after the value shows that it is sound.
    return whole if _is_end_confirmed(driver, step.node, whole[1]) else None


def _is_end_confirmed(driver: Driver, node: Node, end: int) -> bool:
    """Whether the text after a complete payload confirms that it ends there."""
    buffer = driver.buffer
    place = blanks.match(buffer, end).end()
    # In a stream the text after the value has not come yet, so the scanner reads the value.
    if place == len(buffer):
        return driver.final
    if node.accepts_text or driver.builder.strict:
        return True
    tokens, anchors = node.token, repairs_of(node).pattern
    return bool(tokens.match(buffer, place) or anchors.match(buffer, place))


def open_implied(driver: Driver, start: int) -> None:
    """Has the scanner open the object whose brace is missing at an offset of the source."""
    scanner, out = driver.payload.scanner, list[str]()
    assert isinstance(scanner, JsonPayload)
    scanner.open_implied(start, out)
    scanned_of(driver.builder).take("".join(out))


class Undecided:
    """The state, between two chunks, of one payload that may be JSON or raw text.

    It is JSON if a whole value stands there and something that the grammar accepts follows it. Once
    that is known, the same text is read again as JSON or as raw text. No part of the payload is
    emitted before: a single character after a long value may show that all of it is text.
    """

    def __init__(self, driver: Driver, json: Step, raw: Step, start: int) -> None:
        self.driver = driver
        self.json = json
        self.raw = raw
        self.start = driver.base + start
        """The offset of the payload in the source."""
        self.before = driver.buffer[max(0, start - 1) : start]
        """The character before it, for anchors."""
        self.read: list[str] = []
        """The text that the scanner consumed, in pieces."""
        self.out: list[str] = []
        self.scanner = JsonScanner(
            object_only=json.terminal.name == "JSON_OBJECT", max_depth=driver.max_depth
        )

    def judge(self) -> Step | None:
        """Reads on; returns the step of the payload, or None if more text is needed.

        If the text ends in a value without any certain part, this ends the call instead.
        """
        driver, scanner = self.driver, self.scanner
        if not scanner.done:
            position = driver.position
            driver.move_to(scanner.feed(driver.buffer, position, self.out))
            # The buffer drops text that was read, but this text may have to be read again as raw
            # text.
            self.read.append(driver.buffer[position : driver.position])
        if scanner.failed:
            return self.raw
        if not scanner.done:
            return self._cut() if driver.final else None
        follows = self._follows()
        if follows is None:
            return None
        return self.json if follows else self.raw

    def _follows(self) -> bool | None:
        """Whether the grammar accepts what follows the value; None if more text is needed."""
        driver, node = self.driver, self.json.node
        if node.accepts_text:
            return True
        buffer, position = driver.buffer, driver.position
        place = blanks.match(buffer, position).end()
        # No token has so much white space before it.
        if place - position > MAX_TOKEN:
            return False
        if not driver.final:
            # What follows has not begun, or is half a token: `</para` behind a number.
            if place == len(buffer) or node.beginnings.match(buffer, position):
                return None
            is_open = repairs_of(node).beginnings.match(buffer, place) is not None
            if is_open and not node.token.match(buffer, position):
                return None
        elif place == len(buffer) or node.beginnings.match(buffer, position):
            return True  # the end of the text cuts what follows
        if node.token.match(buffer, position):
            return True
        if repairs_of(node).pattern.match(buffer, place) is not None:
            return True  # the value's own closer is missing, and a later closer follows
        return misspelt_closer_follows(driver, node, place)

    def _cut(self) -> Step | None:
        """Judges a value in which the text ends: returns the step of cut JSON, or cuts the call."""
        # `{"a": 1` is JSON that was cut; `12` may be the beginning of a longer number or of a text.
        if self._has_begun():
            return self.json
        driver = self.driver
        driver.payload.begin(self.json, driver.payload.start)
        cut_payload(driver, self.json.node, known=False)
        return None

    def _has_begun(self) -> bool:
        """Whether a value in which the text ends has a certain part; half a number has none."""
        rest: list[str] = []
        self.scanner.finish(rest)
        return bool(self.out or rest)

    def rewind(self) -> int:
        """Goes back to the beginning of the payload and returns its index in the buffer."""
        driver = self.driver
        rest = driver.buffer[driver.position :]
        driver.read_anew("".join((self.before, *self.read, rest)), self.start, len(self.before))
        return driver.position
