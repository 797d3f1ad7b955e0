"""Decides what a payload is that is JSON if it can be, and raw text if it can't.

It is JSON where a whole value stands and what the grammar takes follows it. Then the same text is
read once more, as what it is. So such a payload never streams: a single character behind a long
value may show that it was text all along.

Example: `[1, 2]` before `</parameter>` is JSON; `[1, 2] or so` is text.
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
    """One payload that may be JSON or raw, between two chunks."""

    def __init__(self, driver: Driver, json: Step, raw: Step, start: int) -> None:
        self.driver = driver
        self.json = json
        self.raw = raw
        self.start = driver.base + start
        """Where the payload begins in the source."""
        self.before = driver.buffer[max(0, start - 1) : start]
        """The character before it, for anchors."""
        self.read: list[str] = []
        """What the scanner consumed."""
        self.out: list[str] = []
        self.scanner = JsonScanner(
            object_only=json.terminal.name == "JSON_OBJECT", max_depth=driver.limits_depth
        )

    def judge(self) -> Step | None:
        """Reads on; returns the step that the payload is, None where more text is needed.

        Where the text ends in a value that has no sure part yet, it ends the call instead.
        """
        driver, scanner = self.driver, self.scanner
        if not scanner.done:
            position = driver.position
            driver.move_to(scanner.feed(driver.buffer, position, self.out))
            # Kept, since the buffer moves on and the text may have to be read once more, as raw
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
        """Whether the grammar takes what stands behind the value; None where that is not known."""
        driver, node = self.driver, self.json.node
        if node.accepts_text:
            return True
        buffer, position = driver.buffer, driver.position
        place = blanks.match(buffer, position).end()
        # No token stands behind so much white space.
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
            return True  # the own closer is missing
        return stands_misspelt_closer(driver, node, place)

    def _cut(self) -> Step | None:
        """Judges a value that the text cuts: JSON that is cut, or nothing."""
        # `{"a": 1` is JSON that was cut; `12` may be the beginning of a longer number or of a text.
        if self._has_begun():
            return self.json
        driver = self.driver
        driver.payload.begin(self.json)
        cut_payload(driver, self.json.node, known=False)
        return None

    def _has_begun(self) -> bool:
        """Whether a value that the text cuts has a part that is sure: half a number has none."""
        rest: list[str] = []
        self.scanner.finish(rest)
        return bool(self.out or rest)

    def rewind(self) -> int:
        """Goes back to the beginning of the payload; gives its index in the buffer."""
        driver = self.driver
        rest = driver.buffer[driver.position :]
        driver.read_anew("".join((self.before, *self.read, rest)), self.start, len(self.before))
        return driver.position
