"""Tells whether the opener of another argument that stands in a raw value begins that argument.

Then the value lacks its closer. Who quotes an opener closes it too; so where the value's closer
comes while one is open, the value ended before the opener, and all those that are open begin
arguments. What stands behind it is held back until that is known. It counts only where the opener
is so much markup that nobody mentions it alone.

Example: `<parameter=a>`, `1`, `<parameter=b>`, `2`, `</parameter>`, each in a line: `a` is 1 and
`b` is 2.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import re

    from toolgrammar.core.driver.raw.state import RawReader
    from toolgrammar.core.state.driver import Driver


def is_unclosed(driver: Driver, place: int) -> bool:
    """Whether an opener at an index of the buffer is one of those that nothing closed."""
    draft = driver.builder.draft
    return draft is not None and driver.base + place < draft.unclosed_to


def note_opener(reader: RawReader, match: re.Match[str], *, awaited: bool) -> None:
    """Remembers an opener; what stands behind it is held back."""
    driver, end, sibling = reader.driver, reader.end, reader.begun
    offset = driver.base + match.start()
    if sibling.offset >= 0 or offset < 0 or reader.others_open or reader.values_open:
        # One opener is enough to know, and an opener inside a quoted value belongs to the
        # quotation.
        return
    if not end.tagged or end.call_closes_alone or driver.island >= 0:
        return
    sibling.note(offset, match.group(), begins=awaited)
    if awaited:
        reader.hold_back(match.start())


def release_opener(reader: RawReader) -> None:
    """Forgets the opener: it was closed."""
    begins = reader.begun.begins
    reader.begun.forget()
    if begins:
        reader.let_go()


def step_back(reader: RawReader, closer: int) -> int:
    """Returns where the value ends that a closer at an index ends: before what is open."""
    driver, sibling = reader.driver, reader.begun
    if sibling.offset < 0:
        return closer
    # The tool awaits no such argument: nothing was held back, and the value keeps the opener under
    # a doubt.
    if reader.held is None:
        tag = sibling.text.rstrip().rpartition("<")[2]
        value = driver.builder.source.slice(sibling.offset, driver.base + closer)
        # The closer may be written otherwise than that of the value.
        if f"</{tag}" not in value:
            reader.note_sibling(sibling.text)
        return closer
    draft = driver.builder.draft
    if draft is not None:
        # From the opener on it is read again, now as an opener that nothing closed.
        draft.open_values_to(driver.base + closer)
    driver.stand_before("".join(reader.held) + driver.buffer[driver.position :], sibling.offset)
    reader.leave_to_sibling()
    sibling.forget()
    return driver.position
