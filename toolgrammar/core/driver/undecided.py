"""Decides whether a payload is JSON or raw text, where the grammar allows both.

Example: `[1, 2]` before `</parameter>` is JSON; `[1, 2] or so` is text.

It is JSON if a whole value stands there and something that the grammar accepts follows it. Once
that is known, the same text is read again as JSON or as raw text. No part of the payload is emitted
before: a single character after a long value may show that all of it is text.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from toolgrammar.core.driver.payload_end import cut_payload
from toolgrammar.core.machine.repairs import repairs_of
from toolgrammar.core.mending.misspelt import stands_misspelt_closer
from toolgrammar.core.payloads.json.strict_scanner import JsonScanner
from toolgrammar.patterns.partial import MAX_TOKEN
from toolgrammar.values.patterns import blanks

if TYPE_CHECKING:
    from toolgrammar.core.machine.machine import Step
    from toolgrammar.core.state.driver import Driver


class Undecided:
    """The state, between two chunks, of one payload that may be JSON or raw text."""

    def __init__(self, driver: Driver, json: Step, raw: Step, start: int) -> None:
        self.driver = driver
        self.json = json
        self.raw = raw
        self.start = driver.base + start
        """Where the payload begins in the source."""
        self.before = driver.buffer[max(0, start - 1) : start]
        """The character before it, for anchors."""
        self.read: list[str] = []
        """The text that the scanner consumed, in pieces."""
        self.out: list[str] = []
        self.scanner = JsonScanner(
            object_only=json.terminal.name == "JSON_OBJECT", max_depth=driver.limits_depth
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
        return stands_misspelt_closer(driver, node, place)

    def _cut(self) -> Step | None:
        """Judges a value in which the text ends: returns the step of cut JSON, or cuts the call."""
        # `{"a": 1` is JSON that was cut; `12` may be the beginning of a longer number or of a text.
        if self._has_begun():
            return self.json
        driver = self.driver
        driver.payload.begin(self.json)
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
