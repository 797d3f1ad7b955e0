"""Reads one raw payload up to the closer that `raw_end` finds and its balance allows.

Example: in `print("</parameter>")`, and `</parameter>` behind it, the second closer ends the value:
behind the first stands what the grammar does not take.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from toolgrammar.core.driver.raw.leaving import LONGEST, begun_closer, close_raw
from toolgrammar.core.driver.raw.siblings import (
    is_unclosed,
    note_opener,
    release_opener,
    step_back,
)
from toolgrammar.core.driver.raw.state import RawReader, raw_of
from toolgrammar.core.driver.raw.thought_calls import note_island
from toolgrammar.core.machine.near_marks import is_near
from toolgrammar.core.mending.stops import end_of_payload
from toolgrammar.patterns.fences import length
from toolgrammar.patterns.partial import BEGUN
from toolgrammar.values.patterns import late

if TYPE_CHECKING:
    import re

    from toolgrammar.core.state.driver import Driver

_SAME_GROUP = late(r"(?:u|v|f\w+?)_SAME_(NAME|KEY|FENCE|MARK)_")
_SHORT = 64
"""Characters that are searched again rather than have a larger expression made for them."""


def _run(reader: RawReader) -> bool:
    """Looks for the end; false where more text is needed."""
    driver = reader.driver
    while True:
        driver.count_round()
        if _still_begins(reader):
            return False
        match = _next(reader)
        # Reasoning may end earlier in another format: that goes before the end found here.
        if reader.others is not None:
            reader.others.look(driver, reader.searched, -1 if match is None else match.start())
        if match is None or _may_grow(reader, match):
            _wait(reader)
            return False
        ends = _ends(reader, match)
        if ends:
            close_raw(reader, step_back(reader, match.start()))
            return True
        if ends is None:
            # All before the candidate is sure and goes out; the candidate waits for more text.
            place = match.start()
            reader.look_from(place)
            reader.give(place if reader.lines is None else reader.lines.look(reader, place))
            return False


def _still_begins(reader: RawReader) -> bool:
    """Whether what had begun goes on, and is nothing yet: then all behind it waits too.

    Without this question each character of it would have all of it searched again.
    """
    begins = reader.begins_here
    reader.wait_here(begins=False)
    # Those who watch for other ends have to see every piece.
    if not begins or reader.driver.final or reader.others is not None or reader.lines is not None:
        return False
    # `</par` that grows to `</para` is still nothing: it needs no new search.
    buffer, place = reader.driver.buffer, reader.searched
    if reader.end.search.match(buffer, place) is not None:
        return False
    begins = reader.end.beginnings.match(buffer, place) is not None
    if not begins and len(buffer) - place > _SHORT:
        # What begins behind it comes before what is whole behind that.
        found = reader.end.search_or_begun.search(buffer, place + 1)
        begins = found is not None and found.lastgroup == BEGUN
        if found is None or begins:
            reader.wait_here(begins=begins)
            reader.look_from(len(buffer) if found is None else found.start())
            reader.give(reader.searched)
            return True
    reader.wait_here(begins=begins)
    return begins


def _next(reader: RawReader) -> re.Match[str] | None:
    """Finds the next candidate.

    At the end of the text also one with half of what follows it; the expression for these is
    large, and a text that is whole never asks for it.
    """
    driver, end = reader.driver, reader.end
    match = end.find(driver.buffer, reader.searched)
    # A closer with all that must follow it needs no expression for half of that.
    if not driver.final or (match is not None and str(match.lastgroup).startswith("closer_")):
        return match
    if match is None:
        if end.bare.search(driver.buffer, reader.searched) is None:
            return None
        return end.final.search(driver.buffer, reader.searched)
    return end.final.match(driver.buffer, match.start())


def _may_grow(reader: RawReader, match: re.Match[str]) -> bool:
    """Whether more text may show that this is the payload's own closer, or that it is none."""
    driver = reader.driver
    if driver.final:
        return False
    closer = (match.lastgroup or "").startswith("closer_")
    stop = len(driver.buffer)
    beginnings = reader.end.beginnings
    # Nothing longer becomes a closer, so the search needs no more than the tail.
    near = max(reader.searched, stop - LONGEST)
    if near <= match.start() and not reader.end.is_plain(driver.buffer, near, match.start()):
        # What began before it comes first.
        earlier = beginnings.search(driver.buffer, near)
        if earlier is not None and earlier.start() < match.start():
            return True
    # A closer that does not look at what follows stays what it is.
    if closer and not reader.end.looks_on:
        return False
    return beginnings.match(driver.buffer, match.start()) is not None


def _wait(reader: RawReader) -> None:
    driver = reader.driver
    stop = len(driver.buffer)
    if driver.final:
        # The end of the text may cut the closer: `</param` is markup then, not value.
        stop = end_of_payload(driver, reader.end.node, reader.searched)
        begun = begun_closer(reader)
        stop = min(stop, begun) if begun >= 0 else stop
    else:
        held = reader.end.beginnings.search(driver.buffer, reader.searched)
        if held:
            stop = held.start()
            reader.wait_here(begins=True)
        if reader.others is not None:
            other = reader.others.held(driver.buffer, reader.searched)
            stop = other if 0 <= other < stop else stop
    reader.look_from(stop)
    reader.give(stop if reader.lines is None else reader.lines.look(reader, stop))


def _ends(reader: RawReader, match: re.Match[str]) -> bool | None:
    """Judges one candidate: whether the payload ends there, and moves on if not.

    None where more text has to come before it can be judged.
    """
    kind = match.lastgroup or ""
    groups = match.groupdict()
    if kind.startswith("island_"):
        return note_island(reader, match.start())
    if kind.startswith("outer_"):
        return _outer_closer_ends(reader, match, groups)
    if kind.startswith("near_closer"):
        return _near_closer_ends(reader, match, groups)
    if kind == "call_closer" and not reader.quoted:
        # It closes no call; the payload's own closer may stand in it, or be it.
        own = reader.end.value_closing.match(reader.driver.buffer, match.start())
        if own is not None and _repeats_rightly(reader, own.groupdict()):
            _pair_closer(reader, own, sure=False)
        reader.look_from(match.start() + 1)
        return False
    if kind.startswith(("near_opener", "value_opener")):
        if not reader.quoted and _opener_ends(reader, match, groups):
            return True
    elif not _is_quote(reader, kind, match, groups):
        return _closer_ends(reader, match, groups)
    reader.look_from(match.end())
    return False


def _is_quote(
    reader: RawReader, kind: str, match: re.Match[str], groups: dict[str, str | None]
) -> bool:
    """Whether a tag belongs to a call, block or value that is quoted; notes that then."""
    if kind.startswith("call_opener"):
        reader.quoted.append(groups.get("opened" + kind.removeprefix("call_opener")) or "")
    elif kind == "call_closer":
        _close_quoted(reader, groups.get("closed"))
    # A shorter fence than the payload's own could not close it: it needs no counting.
    elif kind == "fence_opener":
        count = length(groups["fence_mark"] or "")
        if count >= length(reader.driver.builder.marks.fence):
            reader.open_fence()
    elif kind.startswith("value_closer"):
        if not reader.quoted and _repeats_rightly(reader, groups):
            _pair_closer(reader, match)
    else:
        return False
    return True


def _opener_ends(reader: RawReader, match: re.Match[str], groups: dict[str, str | None]) -> bool:
    """Judges the opener of an argument, or what resembles one, inside the value."""
    key = groups.get(f"key_{(match.lastgroup or '').rpartition('_')[2]}")
    near, builder = groups.get("near_word"), reader.driver.builder
    if near is None and _begins_sibling(reader, match, key):
        # At the start of a line `<parameter=b>` of an awaited argument ends the value of `a`.
        reader.end_mended()
        return True
    awaited = builder.awaits(key)
    # ` times="` in `"French times="2"`: with no tool to ask, the closer in the opener decides.
    closes = builder.spec() is None and reader.end.value_closing.search(match.group())
    if awaited or closes or (near and is_near(near, reader.end.words["near_word"])):
        reader.note_sibling(match.group())
    # A value that quotes its own opener quotes its closer as well: the two pair.
    if near is None and key == builder.same("SAME_KEY"):
        reader.open_value()
    elif near is None:
        note_opener(reader, match, awaited=awaited)
        reader.open_other()
    return False


def _near_closer_ends(
    reader: RawReader, match: re.Match[str], groups: dict[str, str | None]
) -> bool:
    """Judges what resembles the value's own closer, where that may stand."""
    group = f"near_own_{(match.lastgroup or '').rpartition('_')[2]}"
    word = groups[group] or ""
    # Inside a quoted tag the misspelt closer may be that tag's.
    is_open = reader.quoted or reader.values_open or reader.others_open
    if not is_open and is_near(word, reader.end.words[group]):
        reader.end_near(word)
        return True
    reader.look_from(match.start() + 1)
    return False


def _begins_sibling(reader: RawReader, match: re.Match[str], key: str | None) -> bool:
    """Whether the opener of another argument tells that the own closer is missing.

    Only one that the tool awaits, at the start of a line or where nothing closes it.
    """
    driver = reader.driver
    start = match.start()
    known = driver.buffer[start - 1 : start] == "\n" or is_unclosed(driver, start)
    return known and reader.end.tagged and driver.builder.awaits(key)


def _pair_closer(reader: RawReader, match: re.Match[str], *, sure: bool = True) -> None:
    """Closes the opener of a value that is quoted; without one, the value may end here.

    What is not `sure` may belong to another tag: it tells only beside other damage.
    """
    if reader.values_open:
        reader.close_value()
    elif reader.others_open:
        if reader.close_other():
            release_opener(reader)
    else:
        reader.strays.append((match.group().strip(), reader.driver.base + match.end(), sure))


def _close_quoted(reader: RawReader, name: str | None) -> None:
    """Closes a quoted call; with a name, the innermost of that name and what it holds."""
    quoted = reader.quoted
    if name in quoted:
        while quoted.pop() != name:
            pass
    elif quoted and name is None:
        quoted.pop()


def _outer_closer_ends(
    reader: RawReader, match: re.Match[str], groups: dict[str, str | None]
) -> bool:
    """Judges a closer of what stands around the payload: its own closer may be missing."""
    # `</invoke>` stands where `</parameter>` should; with a name it must be that of this call.
    name = next((v for g, v in groups.items() if g.startswith("SAME_") and v), None)
    if not reader.quoted and name in (None, reader.driver.builder.same("SAME_NAME")):
        reader.end_mended(by_call=True)
        return True
    _close_quoted(reader, name)
    reader.look_from(match.end())
    return False


def _closer_ends(
    reader: RawReader, match: re.Match[str], groups: dict[str, str | None]
) -> bool | None:
    driver, end = reader.driver, reader.end
    # The expression of a misspelling is wide; only one slip counts as near.
    words = ((groups.get(group), word) for group, word in end.words.items())
    if any(written and not is_near(written, word) for written, word in words):
        return _other_ends(reader, match.start())
    # Groups with `f` are of what follows: the closer itself is right, and that of the call behind
    # it may be misspelt.
    if not _repeats_rightly(reader, groups):
        own = {group: value for group, value in groups.items() if not group.startswith("f")}
        other = _repeats_rightly(reader, own) and _other_closer_follows(reader, match.end())
        if other is None:
            return None
        if not other:
            return _other_ends(reader, match.start())
    if reader.fences:
        reader.close_fence()
        reader.look_from(match.end())
        return False
    if reader.quoted:
        if match.lastgroup in end.closes_call:
            name = next((v for g, v in groups.items() if v and g.startswith("u_SAME_NAME")), None)
            if name is None or name in reader.quoted:
                _close_quoted(reader, name)
                reader.share_closer()
            # If no other closer comes, this one ends the value, so what stands behind it is held
            # back.
            reader.hold_from(match.start())
        reader.look_from(match.end() if end.call_closes_alone else match.start() + 1)
        return False
    # A quoted opener waits for its closer, unless the closers of the call follow right here.
    if reader.values_open:
        begins = end.closing_call_beginnings
        if not driver.final and begins.match(driver.buffer, match.end()):
            return None
        if not end.closing_call.match(driver.buffer, match.end()):
            reader.close_value()
            reader.look_from(match.end())
            return False
    return True


def _other_closer_follows(reader: RawReader, place: int) -> bool | None:
    """Whether a closer that is misspelt stands where the call's own should; None: wait."""
    driver, end = reader.driver, reader.end
    pattern = end.other_closer(final=driver.final)
    begun = end.other_closer_beginnings
    if not driver.final and begun is not None and begun.match(driver.buffer, place):
        return None
    return pattern.match(driver.buffer, place) is not None


def _repeats_rightly(reader: RawReader, groups: dict[str, str | None]) -> bool:
    """Whether what repeats the name of the call or the key in a closer is that name or key."""
    for group, value in groups.items():
        same = _SAME_GROUP.match(group) if value is not None else None
        if same is None or value is None:
            continue
        if not reader.driver.builder.repeats(f"SAME_{same[1]}", value):
            return False
    return True


def _other_ends(reader: RawReader, start: int) -> bool | None:
    """Judges what else begins where a closer with another name stands."""
    driver = reader.driver
    if not driver.final and reader.end.outer_beginnings.match(driver.buffer, start):
        return None
    beside = reader.end.beside(final=driver.final).match(driver.buffer, start)
    if beside is not None:
        return _ends(reader, beside)
    # What follows it only resembles markup: the closer is a stray one then, as any other.
    own = None if reader.quoted else reader.end.value_closing.match(driver.buffer, start)
    if own is not None and _repeats_rightly(reader, own.groupdict()):
        _pair_closer(reader, own)
    reader.look_from(start + 1)
    return False


def read_raw(driver: Driver) -> bool:
    """Looks for the end of the raw payload; False where more text is needed."""
    return _run(raw_of(driver))
