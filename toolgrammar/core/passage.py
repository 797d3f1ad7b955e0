"""Takes the chunks of a stream that only go on: in a string, in a raw value, in text.

Between two places where something may begin or end, nothing is decided. While that lasts, a chunk
needs one expression to see that it is such a one, and becomes one event; builder and driver hear
of all of them at once when the passage ends.
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Final, cast

from toolgrammar.core.json_payload import JsonPayload
from toolgrammar.core.json_runs import BRACKETS, CHARACTERS
from toolgrammar.core.json_tokens import as_json
from toolgrammar.core.remembered import certain_in
from toolgrammar.core.scan_json import JsonScanner
from toolgrammar.core.trim import NONE, ONE_NEWLINE
from toolgrammar.values.making import (
    make_arguments_delta,
    make_reasoning_delta,
    make_text_delta,
)
from toolgrammar.values.patterns import late

if TYPE_CHECKING:
    from collections.abc import Callable

    from toolgrammar.core.driver import Driver
    from toolgrammar.core.openers import AnyOpeners
    from toolgrammar.core.raw_end import RawEnd
    from toolgrammar.core.remembered import Remembered
    from toolgrammar.core.scanners import CallScanner, Scanner
    from toolgrammar.values.events import Event

_ESCAPE: Final = r'\\(?:["\\/bfnrt]|u(?![dD][89a-fA-F])[0-9a-fA-F]{4})'
_COMMA: Final = r""",(?= *[^ ,"'\\])"""
_IN_STRING: Final = late(
    rf"{CHARACTERS}(?:(?:{_ESCAPE}|{_COMMA}|{BRACKETS}){CHARACTERS})*+"
    r"(, *|[}\]]{1,64},? *|\\(?:u[0-9a-fA-F]{0,3})?)?"
)
"""A piece of a JSON string; at its end what may yet become something else (1).

That is the beginning of an escape, a comma and brackets: the string may have ended before them.
"""
_sure: Final = certain_in(_IN_STRING)
"""How many characters of a piece are sure to be in the string; -1 where it may end in it."""

_MOST_HELD: Final = 256
LONGEST_PASSAGE: Final = 8192
"""Characters of one passage: then its chunks become one string, which weighs less than they do."""


class Passage:
    """One stretch of chunks that go on alike."""

    __slots__ = ("chunks", "event", "held", "room")

    def __init__(self, event: Callable[[str], Event]) -> None:
        self.event = event
        """Makes the event of such a chunk."""
        self.chunks: list[str] = []
        """What driver and builder have not heard of yet."""
        self.held = ""
        """The end of the last chunk, where it could not be given out."""
        self.room = 0
        """Characters that may still come."""

    def take(self, chunk: str) -> list[Event] | None:
        """Takes a chunk that goes on with the passage and gives its events; None for another."""
        raise NotImplementedError

    def given_out(self, text: str) -> str:
        """Gives what the events say, all of them together; `text` is that of the chunks."""
        return text


class PlainPassage(Passage):
    """Chunks that one question tells, and that are given out as they are."""

    __slots__ = ("is_plain",)

    def __init__(self, is_plain: Callable[[str], object], event: Callable[[str], Event]) -> None:
        super().__init__(event)
        self.is_plain = is_plain
        """Whether a chunk goes on with the passage; never one that is empty."""

    def take(self, chunk: str) -> list[Event] | None:
        """Takes a chunk that goes on with the passage and gives its events; None for another."""
        if not self.is_plain(chunk):
            return None
        self.chunks.append(chunk)
        return [self.event(chunk)]


class ScannedPassage(Passage):
    """Chunks inside a string of arguments that are written otherwise than in JSON."""

    __slots__ = ("json", "pieces")

    def __init__(self, pieces: Remembered[str], event: Callable[[str], Event]) -> None:
        super().__init__(event)
        self.pieces = pieces
        """A chunk that goes on with the string, as JSON."""
        self.json: list[str] = []

    def take(self, chunk: str) -> list[Event] | None:
        """Takes a chunk that goes on with the string and gives its events; None for another."""
        piece = self.pieces[chunk]
        if not piece:
            return None
        self.chunks.append(chunk)
        self.json.append(piece)
        return [self.event(piece)]

    def given_out(self, text: str) -> str:
        """Gives the JSON of the chunks."""
        return "".join(self.json)


class StringPassage(Passage):
    """Chunks inside a string of JSON."""

    __slots__ = ()

    def take(self, chunk: str) -> list[Event] | None:
        """Takes a chunk that goes on with the string and gives its events; None for another."""
        piece = self.held + chunk if self.held else chunk
        certain = _sure[piece]
        if certain < 0:
            return None
        self.held = piece[certain:]
        if not certain:
            return []
        piece = piece[:certain]
        self.chunks.append(piece)
        return [self.event(piece)]


class OpenPassage(Passage):
    """Chunks of text in which any of several formats may open."""

    __slots__ = ("last", "openers")

    def __init__(self, openers: AnyOpeners, last: str) -> None:
        super().__init__(make_text_delta)
        self.openers = openers
        self.last = last
        """The character before the next chunk."""

    def take(self, chunk: str) -> list[Event] | None:
        """Takes a chunk in which nothing opens; None for another."""
        if not chunk or not self.openers.is_plain(self.last, chunk):
            return None
        self.last = chunk[-1:]
        self.chunks.append(chunk)
        return [self.event(chunk)]


class RawPassage(PlainPassage):
    """Chunks inside a raw payload."""

    __slots__ = ("end", "last", "trimmed")

    def __init__(self, end: RawEnd, mode: str, last: str, event: Callable[[str], Event]) -> None:
        super().__init__(end.plain.fullmatch, event)
        self.end = end
        self.last = last
        """The character before what comes next, for anchors."""
        self.trimmed = "\r\n" if mode in (NONE, ONE_NEWLINE) else None
        """What the trimmer may hold back at the end of a chunk; None for all white space."""

    def take(self, chunk: str) -> list[Event] | None:
        """Takes a chunk in which nothing ends; None for another."""
        last = chunk[-1:]
        if self.held or last.isspace() or not self.is_plain(chunk):
            return self._look(chunk)
        self.last = last
        self.chunks.append(chunk)
        return [self.event(chunk)]

    def _look(self, chunk: str) -> list[Event] | None:
        """Takes a chunk in which something may begin or end; holds back what may."""
        text, end = f"{self.last}{self.held}{chunk}", self.end
        if not chunk or end.search.search(text, 1):
            return None
        begun = end.beginnings.search(text, 1)
        piece = text[1 : begun.start() if begun else None].rstrip(self.trimmed)
        held = text[1 + len(piece) :]
        if len(held) > _MOST_HELD:
            return None
        self.held = held
        if not piece:
            return []
        self.last = piece[-1]
        self.chunks.append(piece)
        return [self.event(piece)]


def feed_inside(driver: Driver, chunk: str) -> bool:
    """Takes a chunk that only goes on where the driver is; False where it must be looked at.

    Most chunks of a stream go on in a string, in a raw value or in text: they need neither the
    driver's buffer nor a round of its loop.
    """
    if driver.island >= 0 or driver.position != len(driver.buffer):
        return False
    scanner, raw = driver.scanner, driver.raw
    if scanner is not None:
        piece = _in_string(scanner, chunk)
        if not piece:
            return False
        driver.builder.scanned.take(piece)
    elif raw is not None:
        if raw.held is not None or raw.others is not None or not raw.end.plain.fullmatch(chunk):
            return False
        raw.searched = 1
        driver.builder.raws.take(chunk)
    elif (
        driver.node.skipping
        or driver.behind is not None
        or not driver.in_text
        or not _is_plain_text(driver, chunk)
    ):
        return False
    else:
        driver.builder.text(chunk, driver.base + driver.position)
    if driver.among is not None:
        driver.among.judge.settle(driver.builder)
    driver.went_on(chunk, 1)
    return True


def _in_string(scanner: Scanner | JsonPayload, chunk: str) -> str:
    """Gives a chunk that only goes on in a string as JSON; "" for another."""
    if isinstance(scanner, (JsonScanner, JsonPayload)):
        return chunk if scanner.plain and scanner.inside.fullmatch(chunk) else ""
    pieces = _pieces(scanner)
    return "" if pieces is None else pieces[chunk]


def _pieces(scanner: Scanner) -> Remembered[str] | None:
    # What does not scan JSON reads all arguments of a call.
    return cast("CallScanner", scanner).run_on()


def _is_plain_text(driver: Driver, chunk: str) -> bool:
    """Whether a chunk is text in which nothing can open."""
    if driver.among is not None and driver.among.governs(driver.node):
        return driver.among.takes_plain(driver, chunk)
    return driver.node.plain.fullmatch(chunk) is not None


def passage_at(driver: Driver, room: int) -> Passage | None:
    """Gives the passage that the driver is in, if chunks can go on in it without being judged.

    Args:
        driver: what reads the message; it has read all that was fed.
        room: characters that it may have.
    """
    passage = _passage(driver)
    if passage is not None:
        passage.room = room
    return passage


def _passage(driver: Driver) -> Passage | None:
    if driver.island >= 0 or driver.position != len(driver.buffer):
        return None
    if driver.scanner is not None:
        return _in_payload(driver, driver.scanner)
    if driver.raw is not None:
        return _in_raw(driver)
    builder, node, among = driver.builder, driver.node, driver.among
    if node.skipping or driver.behind is not None or builder.candidate is not None:
        return None
    if not driver.in_text:
        return None
    if among is None:
        return PlainPassage(node.plain.fullmatch, make_text_delta)
    is_open = among.governs(node) and node.machine.start is node
    return OpenPassage(among.openers, driver.buffer[-1:]) if is_open else None


def _in_payload(driver: Driver, scanner: Scanner | JsonPayload) -> Passage | None:
    builder = driver.builder
    draft, scanned = builder.draft, builder.scanned
    if (
        draft is None
        or not (draft.started and draft.payload_streams)
        or draft.held is not None
        or scanned.text is not None
        or scanned.role not in ("arguments", "value")
    ):
        return None
    event = partial(make_arguments_delta, len(builder.calls))
    if not isinstance(scanner, (JsonScanner, JsonPayload)):
        pieces = _pieces(scanner)
        return None if pieces is None else ScannedPassage(pieces, event)
    if not scanner.plain:
        return None
    if isinstance(scanner, JsonPayload):
        return StringPassage(event)
    return PlainPassage(scanner.inside.fullmatch, event)


def _in_raw(driver: Driver) -> Passage | None:
    raw, raws, builder = driver.raw, driver.builder.raws, driver.builder
    trimmer, draft = raws.trimmer, builder.draft
    if (
        raw is None
        or raw.held is not None
        or raw.others is not None
        or raws.decoder is not None
        or raws.undecided
        or raws.joint
        or trimmer is None
        or not trimmer.passes
    ):
        return None
    last = driver.buffer[-1:] or " "
    if raws.role == "reasoning" and builder.candidate is None:
        return RawPassage(raw.end, trimmer.mode, last, make_reasoning_delta)
    if raws.role != "value" or draft is None or not draft.streams or not draft.started:
        return None
    if draft.held is not None or draft.wire_role or draft.dropped:
        return None
    index = len(builder.calls)
    return RawPassage(
        raw.end, trimmer.mode, last, lambda text: make_arguments_delta(index, as_json(text)[1:-1])
    )


def end_passage(driver: Driver, passage: Passage) -> str:
    """Tells driver and builder of the chunks of a passage; gives their text."""
    text = "".join(passage.chunks)
    if not text:
        return text
    builder = driver.builder
    given = passage.given_out(text)
    if driver.among is not None and builder.watched:
        driver.among.judge.counted.count([passage.event(given)])
    if driver.scanner is not None:
        assert builder.draft is not None
        assert builder.draft.payload is not None
        builder.draft.payload.append(given)
        if isinstance(driver.scanner, JsonPayload):
            driver.scanner.went_on(text)
    elif driver.raw is not None:
        driver.raw.searched = 1
        if builder.raws.role == "reasoning":
            builder.reasoning_parts.append(text)
        else:
            builder.raws.text.append(text)
    else:
        builder.text_parts.append(text, driver.base + driver.position)
    driver.went_on(text, len(passage.chunks))
    return text
