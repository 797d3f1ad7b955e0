"""Finds the end of a raw payload: the first closer that is neither quoted nor part of the value.

Example: in `print("</parameter>")</parameter>` the second closer ends the value, since the text
after the first one does not fit the grammar.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from toolgrammar.core.driver.raw.leaving import LONGEST, begun_closer, close_raw
from toolgrammar.core.driver.raw.state import RawReader, StrayCloser, is_unclosed, raw_of
from toolgrammar.core.driver.raw.thought_calls import end_open_thought, note_island
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
"""The most characters that are searched again, instead of compiling a larger expression."""


def read_raw(driver: Driver) -> bool:
    """Searches the end of the open raw payload; returns False if more text is needed."""
    reader = raw_of(driver)
    while True:
        driver.count_round()
        if _still_begins(reader):
            return False
        match = _next(reader)
        # Reasoning may end earlier in another format, so that is checked first.
        if reader.other_formats is not None:
            own = -1 if match is None else match.start()
            reader.other_formats.look(driver, reader.searched, own)
        if match is None or _may_grow(reader, match):
            _wait(reader)
            return False
        ends = _ends(reader, match)
        if ends:
            ends = _close(reader, match.start())
        if ends:
            return True
        if ends is None:
            # The text before the candidate is certain and is emitted; the candidate waits.
            reader.advance_to(match.start())
            return False


def _close(reader: RawReader, place: int) -> bool | None:
    """Ends the payload at an index, or a thought before calls at its end; None if more text is needed."""
    before_calls = end_open_thought(reader, place)
    if before_calls is None:
        return None
    if not before_calls:
        close_raw(reader, reader.step_back(place))
    return True


def _still_begins(reader: RawReader) -> bool:
    """Whether a beginning of a closer goes on with the new text and is still undecided.

    Without this check each new character would have the whole beginning searched again.
    """
    begins = reader.begins_closer
    reader.note_beginning(begins_closer=False)
    # Searches for other ends have to see every piece of the text.
    if (
        not begins
        or reader.driver.final
        or reader.other_formats is not None
        or reader.line_openers is not None
    ):
        return False
    # `</par` that grows to `</para` is still undecided, and needs no new search.
    buffer, place = reader.driver.buffer, reader.searched
    if reader.raw_end.search.match(buffer, place) is not None:
        return False
    begins = reader.raw_end.beginnings.match(buffer, place) is not None
    if not begins and len(buffer) - place > _SHORT:
        # The beginning of a closer may stand before the next whole closer.
        found = reader.raw_end.search_or_begun.search(buffer, place + 1)
        begins = found is not None and found.lastgroup == BEGUN
        if found is None or begins:
            reader.note_beginning(begins_closer=begins)
            reader.search_from(len(buffer) if found is None else found.start())
            reader.emit_to(reader.searched)
            return True
    reader.note_beginning(begins_closer=begins)
    return begins


def _next(reader: RawReader) -> re.Match[str] | None:
    """Returns the next candidate for the end of the payload; None if there is none.

    At the end of the text, a closer counts even if the text that has to follow it is cut. The
    expression for that is large, so it is used only if no complete closer is found.
    """
    driver, end = reader.driver, reader.raw_end
    match = end.find(driver.buffer, reader.searched)
    # A closer with the whole text that has to follow it does not need that expression.
    if not driver.final or (match is not None and str(match.lastgroup).startswith("closer_")):
        return match
    if match is not None:
        return end.final.match(driver.buffer, match.start())
    bare = end.bare.search(driver.buffer, reader.searched)
    while bare is not None and match is None:
        match = end.final.match(driver.buffer, bare.start())
        bare = end.bare.search(driver.buffer, bare.start() + 1)
    return match


def _may_grow(reader: RawReader, match: re.Match[str]) -> bool:
    """Whether more text may change the candidate, or show one that begins before it."""
    driver = reader.driver
    if driver.final:
        return False
    closer = (match.lastgroup or "").startswith("closer_")
    stop = len(driver.buffer)
    beginnings = reader.raw_end.beginnings
    # No closer is longer than this, so only the end of the text is searched.
    near = max(reader.searched, stop - LONGEST)
    if near <= match.start() and not reader.raw_end.is_plain(driver.buffer, near, match.start()):
        # A closer that begins before the candidate comes first.
        earlier = beginnings.search(driver.buffer, near)
        if earlier is not None and earlier.start() < match.start():
            return True
    # A closer that does not depend on the text after it is final.
    if closer and not reader.raw_end.looks_on:
        return False
    return beginnings.match(driver.buffer, match.start()) is not None


def _wait(reader: RawReader) -> None:
    """Emits the text that is certain, and keeps a suffix that may become a closer."""
    driver = reader.driver
    stop = len(driver.buffer)
    if driver.final:
        # The end of the text may cut the closer: `</param` is then markup, not part of the value.
        stop = end_of_payload(driver, reader.raw_end.node, reader.searched)
        begun = begun_closer(reader)
        stop = min(stop, begun) if begun >= 0 else stop
    else:
        held = reader.raw_end.beginnings.search(driver.buffer, reader.searched)
        if held:
            stop = held.start()
            reader.note_beginning(begins_closer=True)
        if reader.other_formats is not None:
            other = reader.other_formats.held_from(driver.buffer, reader.searched)
            stop = other if 0 <= other < stop else stop
    reader.advance_to(stop)


def _ends(reader: RawReader, match: re.Match[str]) -> bool | None:
    """Whether the payload ends at a candidate; if not, the search moves on.

    Returns:
        None if more text is needed to judge it.
    """
    kind = match.lastgroup or ""
    groups = match.groupdict()
    if kind.startswith("island_"):
        return note_island(reader, match.start())
    if kind.startswith("outer_"):
        return _outer_closer_ends(reader, match, groups)
    if kind.startswith("near_closer"):
        return _near_closer_ends(reader, match, groups)
    if kind == "call_closer" and not reader.quoted_calls:
        # No quoted call is open. The payload's own closer may be this one, or a part of it.
        own = reader.raw_end.value_closing.match(reader.driver.buffer, match.start())
        if own is not None and _repeats_rightly(reader, own.groupdict()):
            _pair_closer(reader, own, sure=False)
        reader.search_from(match.start() + 1)
        return False
    if kind.startswith(("near_opener", "value_opener")):
        if not reader.quoted_calls and _opener_ends(reader, match, groups):
            return True
    elif not _is_quote(reader, kind, match, groups):
        if reader.begins_line(match.start()) or not reader.raw_end.opens_by_line(match):
            return _closer_ends(reader, match, groups)
        reader.search_from(match.start() + 1)
        return False
    reader.search_from(match.end())
    return False


def _is_quote(
    reader: RawReader, kind: str, match: re.Match[str], groups: dict[str, str | None]
) -> bool:
    """Whether a tag belongs to a quoted call, block or value, whose openers it counts then."""
    if kind.startswith("call_opener"):
        reader.quoted_calls.append(groups.get("opened" + kind.removeprefix("call_opener")) or "")
    elif kind == "call_closer":
        _close_quoted(reader, groups.get("closed"))
    # A fence that is shorter than the payload's own could not close it, and is not counted.
    elif kind == "fence_opener":
        count = length(groups["fence_mark"] or "")
        if count >= length(reader.driver.builder.same("SAME_FENCE")):
            reader.open_fence()
    elif kind.startswith("value_closer"):
        if not reader.quoted_calls and _repeats_rightly(reader, groups):
            _pair_closer(reader, match)
    else:
        return False
    return True


def _opener_ends(reader: RawReader, match: re.Match[str], groups: dict[str, str | None]) -> bool:
    """Whether the opener of an argument in the value, correct or misspelt, ends the value."""
    key = groups.get(f"key_{(match.lastgroup or '').rpartition('_')[2]}")
    near, builder = groups.get("near_word"), reader.driver.builder
    if near is None and _begins_sibling(reader, match, key):
        # At the beginning of a line, `<parameter=b>` ends the value of `a` if `b` is still missing.
        reader.end_without_closer()
        return True
    awaited = builder.awaits(key)
    # In `"French times="2"` it is ` times="`: if no tool is known, the closer in the opener
    # decides.
    closes = builder.spec() is None and reader.raw_end.value_closing.search(match.group())
    if awaited or closes or (near and is_near(near, reader.raw_end.words["near_word"])):
        reader.note_sibling(match.group())
    # A value that quotes its own opener quotes its closer as well, so the two are paired.
    if near is None and key == builder.same("SAME_KEY"):
        reader.open_value(match.group())
    elif near is None:
        reader.open_other(match, awaited=awaited)
    return False


def _near_closer_ends(
    reader: RawReader, match: re.Match[str], groups: dict[str, str | None]
) -> bool:
    """Whether a misspelt form of the value's own closer ends the value."""
    group = f"near_own_{(match.lastgroup or '').rpartition('_')[2]}"
    word = groups[group] or ""
    # Inside a quoted tag, the misspelt closer may belong to that tag.
    is_open = reader.quoted_calls or reader.values_open or reader.others_open
    if not is_open and is_near(word, reader.raw_end.words[group]):
        return True
    reader.search_from(match.start() + 1)
    return False


def _begins_sibling(reader: RawReader, match: re.Match[str], key: str | None) -> bool:
    """Whether the opener of another argument shows that the value's closer is missing.

    It does if the tool has that argument and it was not given yet, and if the opener stands at the
    beginning of a line or its own value lacks a closer.
    """
    driver = reader.driver
    start = match.start()
    known = driver.buffer[start - 1 : start] == "\n" or is_unclosed(driver, start)
    return known and reader.raw_end.tagged and driver.builder.awaits(key)


def _pair_closer(reader: RawReader, match: re.Match[str], *, sure: bool = True) -> None:
    """Pairs a closer with a quoted opener; without one, it is noted as a possible end of the value.

    Args:
        reader: the reader.
        match: the closer.
        sure: False if the closer may belong to another tag, so that it counts only with other
            damage.
    """
    if reader.values_open:
        reader.close_value()
    elif reader.others_open:
        reader.close_other()
    else:
        end = reader.driver.base + match.end()
        reader.stray_closers.append(StrayCloser(match.group().strip(), end, sure))


def _close_quoted(reader: RawReader, name: str | None) -> None:
    """Closes the innermost quoted call, or the innermost one with a name and all inside it."""
    quoted = reader.quoted_calls
    if name in quoted:
        while quoted.pop() != name:
            pass
    elif quoted and name is None:
        quoted.pop()


def _outer_closer_ends(
    reader: RawReader, match: re.Match[str], groups: dict[str, str | None]
) -> bool:
    """Whether a closer of the call or section around the payload ends it, its own being missing."""
    # `</invoke>` stands in place of `</parameter>`; a name in it has to be that of this call.
    name = next((v for g, v in groups.items() if g.startswith("SAME_") and v), None)
    if not reader.quoted_calls and name in (None, reader.driver.builder.same("SAME_NAME")):
        reader.end_without_closer(by_call=True)
        return True
    _close_quoted(reader, name)
    reader.search_from(match.end())
    return False


def _closer_ends(
    reader: RawReader, match: re.Match[str], groups: dict[str, str | None]
) -> bool | None:
    """Whether the payload's own closer ends it, or is quoted; None if more text is needed."""
    driver, end = reader.driver, reader.raw_end
    # The expression matches more than misspellings, so `is_near` decides.
    words = ((groups.get(group), word) for group, word in end.words.items())
    if any(written and not is_near(written, word) for written, word in words):
        return _other_ends(reader, match.start())
    # Groups that begin with `f` belong to the text after the closer: the closer itself may be
    # right, and the closer of the call after it misspelt.
    if not _repeats_rightly(reader, groups):
        own = {group: value for group, value in groups.items() if not group.startswith("f")}
        other = _repeats_rightly(reader, own) and _other_closer_follows(reader, match.end())
        if other is None:
            return None
        if not other:
            return _other_ends(reader, match.start())
    if reader.open_fences:
        reader.close_fence()
        reader.search_from(match.end())
        return False
    if reader.quoted_calls:
        if match.lastgroup in end.closes_call:
            name = next((v for g, v in groups.items() if v and g.startswith("u_SAME_NAME")), None)
            if name is None or name in reader.quoted_calls:
                _close_quoted(reader, name)
                reader.share_closer()
            # If no other closer comes, this one ends the value, so the text after it is held back.
            reader.hold_from(match.start())
        reader.search_from(match.end() if end.call_closes_alone else match.start() + 1)
        return False
    # A quoted opener is paired with this closer, unless the closers of the call follow directly.
    if reader.values_open:
        begins = end.closing_call_beginnings
        if not driver.final and begins.match(driver.buffer, match.end()):
            return None
        if not end.closing_call.match(driver.buffer, match.end()):
            reader.close_value()
            reader.search_from(match.end())
            return False
    return True


def _other_closer_follows(reader: RawReader, place: int) -> bool | None:
    """Whether a misspelt closer of the call stands at an index; None if more text is needed."""
    driver, end = reader.driver, reader.raw_end
    pattern = end.other_closer(final=driver.final)
    begun = end.other_closer_beginnings
    if not driver.final and begun is not None and begun.match(driver.buffer, place):
        return None
    return pattern.match(driver.buffer, place) is not None


def _repeats_rightly(reader: RawReader, groups: dict[str, str | None]) -> bool:
    """Whether a closer that repeats a name, key, fence or mark repeats the right one."""
    for group, value in groups.items():
        same = _SAME_GROUP.match(group) if value is not None else None
        if same is None or value is None:
            continue
        if not reader.driver.builder.repeats(f"SAME_{same[1]}", value):
            return False
    return True


def _other_ends(reader: RawReader, start: int) -> bool | None:
    """Judges a closer with another name as other markup; returns whether it ends the payload."""
    driver = reader.driver
    if not driver.final and reader.raw_end.outer_beginnings.match(driver.buffer, start):
        return None
    beside = reader.raw_end.beside(final=driver.final).match(driver.buffer, start)
    if beside is not None:
        return _ends(reader, beside)
    # It is not other markup, so it may only be a stray closer of the value.
    own = None if reader.quoted_calls else reader.raw_end.value_closing.match(driver.buffer, start)
    if own is not None and _repeats_rightly(reader, own.groupdict()):
        _pair_closer(reader, own)
    reader.search_from(start + 1)
    return False
