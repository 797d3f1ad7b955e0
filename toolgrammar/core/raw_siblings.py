"""Tells whether the opener of another argument that stands in a raw value begins that argument.

Then the value lacks its closer. Who quotes an opener closes it too; so where the value's closer
comes while one is open, the value ended before the opener, and all those that are open begin
arguments. What stands behind it is held back until that is known. It counts only where the opener
is so much markup that nobody mentions it alone.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import re

    from toolgrammar.core.driver import Driver
    from toolgrammar.core.raw_reader import RawReader


def is_unclosed(driver: Driver, place: int) -> bool:
    """Whether an opener at an index of the buffer is one of those that nothing closed."""
    draft = driver.builder.draft
    return draft is not None and driver.base + place < draft.unclosed_to


class Sibling:
    """The first opener of another argument in a value that is open."""

    __slots__ = ("begins", "offset", "text")

    def __init__(self) -> None:
        self.offset = -1
        """Where it begins in the source; -1 where none is open."""
        self.begins = False
        """Whether the tool's schema has its key, and it was not given yet."""
        self.text = ""

    def note(self, reader: RawReader, match: re.Match[str], *, awaited: bool) -> None:
        """Remembers an opener; what stands behind it is held back."""
        driver, end = reader.driver, reader.end
        offset = driver.base + match.start()
        if self.offset >= 0 or offset < 0 or reader.others_open or reader.values_open:
            return
        if not end.tagged or end.call_closes_alone or driver.island >= 0:
            return
        self.offset, self.begins, self.text = offset, awaited, match.group()
        if awaited:
            reader.give(match.start())
            reader.held = []

    def release(self, reader: RawReader) -> None:
        """Forgets the opener: it was closed."""
        self.offset = -1
        if self.begins:
            reader.let_go()

    def step_back(self, reader: RawReader, closer: int) -> int:
        """Gives where the value ends that a closer at an index ends: before what is open."""
        driver = reader.driver
        if self.offset < 0:
            return closer
        if reader.held is None:
            tag = self.text.rstrip().rpartition("<")[2]
            value = driver.builder.source.slice(self.offset, driver.base + closer)
            if (
                f"</{tag}" not in value
            ):  # the closer may be written otherwise than that of the value
                reader.sibling = reader.sibling or self.text
            return closer
        draft = driver.builder.draft
        if draft is not None:
            draft.unclosed_to = driver.base + closer
        driver.stand_before("".join(reader.held) + driver.buffer[driver.position :], self.offset)
        reader.held, reader.sibling, reader.mended = None, "", True
        self.offset = -1
        return driver.position
