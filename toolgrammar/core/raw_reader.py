"""Reads one raw payload up to the closer that `raw_end` finds and its balance allows."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from toolgrammar.core.driver import Driver
    from toolgrammar.core.machine import Step
    from toolgrammar.core.raw_end import RawEnd

_SAME_GROUP = re.compile(r"(?:u|f\w+?)_SAME_(NAME|KEY)_")


class RawReader:
    """The state of one raw payload between two chunks."""

    __slots__ = ("driver", "end", "held", "last_closer", "quoted", "searched", "values_open")

    def __init__(self, driver: Driver, end: RawEnd, start: int) -> None:
        self.driver = driver
        self.end = end
        self.searched = start
        """Index in the driver's buffer up to which no closer was found."""
        self.held: list[str] | None = None
        """What stands behind a closer that paired with a quoted opener; None before the first."""
        self.last_closer = -1
        """Offset of the last such closer."""
        self.quoted: list[str] = []
        """Names of the calls that are quoted and open."""
        self.values_open = 0
        """How often the value's own opener is quoted and open."""

    def run(self) -> bool:
        """Looks for the end; false where more text is needed."""
        driver, end = self.driver, self.end
        while True:
            driver.steps += 1
            pattern = end.final if driver.final else end.search
            match = pattern.search(driver.buffer, self.searched)
            if match is None:
                self._wait()
                return False
            if self._ends(match):
                self._close(match.start())
                return True

    def _wait(self) -> None:
        driver = self.driver
        stop = len(driver.buffer)
        if not driver.final:
            held = self.end.beginnings.search(driver.buffer, self.searched)
            if held:
                stop = held.start()
        self.searched = stop
        self._give(stop)

    def _give(self, end: int) -> None:
        driver = self.driver
        if end > driver.position:
            piece = driver.buffer[driver.position : end]
            if driver.base + driver.position < 0:
                piece = piece[-(driver.base + driver.position) :]
            if self.held is None:
                driver.builder.raws.take(piece)
            else:
                self.held.append(piece)
            driver.position = end

    def _ends(self, match: re.Match[str]) -> bool:
        """Judges one candidate: gives whether the payload ends there, and moves on if not."""
        kind = match.lastgroup or ""
        quoted = self.quoted
        groups = match.groupdict()
        if kind.startswith("call_opener"):
            quoted.append(groups.get("opened" + kind.removeprefix("call_opener")) or "")
        elif kind == "call_closer":
            name = groups.get("closed")
            if name in quoted:
                while quoted.pop() != name:
                    pass
            elif quoted and name is None:
                quoted.pop()
        elif kind == "value_opener":
            if not quoted and groups.get("key") == self.driver.builder.same("SAME_KEY"):
                self.values_open += 1
        else:
            return self._closer_ends(match, groups)
        self.searched = match.end()
        return False

    def _closer_ends(self, match: re.Match[str], groups: dict[str, str | None]) -> bool:
        driver, end = self.driver, self.end
        for group, value in groups.items():
            same = _SAME_GROUP.match(group) if value is not None else None
            if same is not None and value != driver.builder.same(f"SAME_{same[1]}"):
                self.searched = match.start() + 1
                return False
        if self.quoted:
            if end.call_closes_alone:
                self.quoted.pop()
                self._hold(match.start())
            self.searched = match.start() + 1 if not end.call_closes_alone else match.end()
            return False
        if self.values_open:
            closing = end.closing_call
            if closing is None or not closing.match(driver.buffer, match.end()):
                self.values_open -= 1
                self.searched = match.end()
                return False
        return True

    def _hold(self, closer: int) -> None:
        """Remembers a closer that paired with a quoted opener: it counts if no other comes."""
        self._give(closer)
        if self.held is None:
            self.held = []
        self.last_closer = self.driver.base + closer

    def _close(self, end: int) -> None:
        driver = self.driver
        self._give(end)
        if self.held is not None:
            driver.builder.raws.take("".join(self.held))
        driver.builder.raws.end(driver.base + end, whole=True)
        driver.leave(end)

    def finish(self, step: Step) -> None:
        """Ends the payload because the text ends."""
        driver = self.driver
        if self.held is not None and self.last_closer >= 0:
            self._end_at_last_closer(self.held)
            return
        ends = step.node.end is not None
        end = len(driver.buffer)
        driver.builder.raws.end(driver.base + end, whole=ends)
        if ends or step.leaf in ("reasoning", "content", "text"):
            driver.leave(end)
        else:
            driver.cut()

    def _end_at_last_closer(self, pieces: list[str]) -> None:
        """Ends the payload at the last closer although a quoted opener never closed."""
        driver = self.driver
        held = "".join(pieces)
        keep = max(0, len(held) - (driver.base + driver.position - self.last_closer))
        driver.builder.raws.take(held[:keep])
        driver.buffer = held[keep:] + driver.buffer[driver.position :]
        driver.base = self.last_closer
        driver.position = 0
        driver.builder.raws.end(driver.base, whole=True)
        driver.leave(0)
        while driver.run():
            driver.steps += 1
