"""Ends reasoning that nothing closes before calls that end the message: they were not only thought.

Models forget the closer. Where tools are known, and all from an opener on is calls of them, the
reasoning ended before it. A stream therefore holds reasoning back from such an opener on, up to the
closer or to the end of the text.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from toolgrammar.core.leaving import leave
from toolgrammar.core.mending import put_in
from toolgrammar.core.source import Source

if TYPE_CHECKING:
    from toolgrammar.core.driver import Driver
    from toolgrammar.core.raw_reader import RawReader

_LINE: Final = 128
"""Characters before an opener that are looked at for words of its line."""
_MOST: Final = 8
"""Openers from which the rest of the text is read."""


def note_island(reader: RawReader, start: int) -> bool:
    """Holds reasoning back from the opener of a call on, where tools are known; it ends nothing.

    An opener behind words of its line is one that the reasoning speaks of.
    """
    reader.searched = start + 1
    builder, place = reader.driver.builder, reader.driver.base + start
    line = builder.source.slice(max(0, place - _LINE), max(0, place)).rpartition("\n")[2]
    if builder.tools and not line.strip():
        reader.islands.append(reader.driver.base + start)
        if reader.held is None:
            reader.give(start)
            reader.held = []
    return False


def end_before_calls(reader: RawReader) -> bool:
    """Ends reasoning before the calls that end the message; false where there are none."""
    driver = reader.driver
    builder, stop = driver.builder, driver.base + len(driver.buffer)
    path = reader.end.node.repairs.to_text
    is_tried = builder.is_trial or builder.strict or builder.cut_by_server
    if path is None or is_tried or not builder.tools:
        return False
    for place in reader.islands[:_MOST]:
        rest = builder.source.slice(place, stop)
        if not _are_calls(driver, rest):
            continue
        held = "".join(reader.held or ())
        builder.raws.take(held[: max(0, len(held) - (driver.base + driver.position - place))])
        reader.held = None
        driver.stand_before(rest, place)
        builder.raws.end(place, whole=True)
        leave(driver, driver.position)
        put_in(driver, path)
        builder.mended_before = True
        driver.to_text()
        driver.read_on()
        return True
    return False


def _are_calls(driver: Driver, text: str) -> bool:
    """Whether a text is calls of known tools, sound and nothing else."""
    builder, source = driver.builder, Source()
    source.append(text)
    tried = type(builder)(
        source=source,
        format_id=builder.format_id,
        tools=builder.tools,
        trim=builder.trim,
        wire_roles=builder.wire_roles,
        drop_unknown=builder.drop_unknown,
        id_seed=builder.id_seed,
        free_text=builder.free_text,
        listening=False,
        header=builder.header,
    )
    tried.cut_by_server, tried.is_trial = builder.cut_by_server, True
    machine = driver.start_node.machine
    type(driver)(machine, tried, base=0, max_depth=driver.limits_depth).feed(text, final=True)
    known = all(call.executable and call.name in builder.tools for call in tried.calls)
    return bool(tried.calls) and known and not tried.text_parts.stripped()
