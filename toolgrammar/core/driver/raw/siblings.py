"""Detects whether the opener of another argument in a raw value begins that argument.

Example: of `<parameter=a>`, `1`, `<parameter=b>`, `2`, `</parameter>`, each in a line, `a` is 1 and
`b` is
2: the value of `a` lacks its closer.

A value that quotes an opener has its closer as well. So if the value's closer comes while such an
opener is open, the value ended before the opener, and all openers that are open begin arguments.
The text after the opener is held back until that is known. This applies only to openers that are
enough markup not to be mentioned alone.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import re

    from toolgrammar.core.driver.raw.state import RawReader
    from toolgrammar.core.state.driver import Driver


def is_unclosed(driver: Driver, place: int) -> bool:
    """Whether an opener at an index of the buffer is one of those without a closer."""
    draft = driver.builder.draft
    return draft is not None and driver.base + place < draft.unclosed_to


def note_opener(reader: RawReader, match: re.Match[str], *, awaited: bool) -> None:
    """Notes an opener in the value, and holds back the text after it if the tool awaits its key."""
    driver, end, sibling = reader.driver, reader.end, reader.begun
    offset = driver.base + match.start()
    if sibling.offset >= 0 or offset < 0 or reader.others_open or reader.values_open:
        # The first opener is enough, and an opener inside a quoted value belongs to the quotation.
        return
    if not end.tagged or end.call_closes_alone or driver.island >= 0:
        return
    sibling.note(offset, match.group(), begins=awaited)
    if awaited:
        reader.hold_back(match.start())


def release_opener(reader: RawReader) -> None:
    """Forgets the opener, which was closed."""
    begins = reader.begun.begins
    reader.begun.forget()
    if begins:
        reader.let_go()


def step_back(reader: RawReader, closer: int) -> int:
    """Returns the index where the value ends: before an open opener, or at the closer's index."""
    driver, sibling = reader.driver, reader.begun
    if sibling.offset < 0:
        return closer
    # If the tool awaits no such argument, nothing was held back: the value keeps the opener, and is
    # doubted.
    if reader.held is None:
        tag = sibling.text.rstrip().rpartition("<")[2]
        value = driver.builder.source.slice(sibling.offset, driver.base + closer)
        # That argument's closer may be spelled in another way than the value's closer.
        if f"</{tag}" not in value:
            reader.note_sibling(sibling.text)
        return closer
    draft = driver.builder.draft
    if draft is not None:
        # The text from the opener on is read again, now as an opener without a closer.
        draft.open_values_to(driver.base + closer)
    driver.stand_before("".join(reader.held) + driver.buffer[driver.position :], sibling.offset)
    reader.leave_to_sibling()
    sibling.forget()
    return driver.position
