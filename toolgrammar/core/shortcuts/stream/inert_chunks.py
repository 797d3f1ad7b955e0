"""Takes the chunks of a stream that only go on: in a string, in a raw value, in text.

Between two places where something may begin or end, nothing is decided. While that lasts, a chunk
needs one expression to see that it is such a one, and becomes one event; builder and driver hear
of all of them at once when the inert run ends.
Example: inside of `{"body": "It ` the chunks `was`, ` a` and ` long` each become one delta.
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Final, cast

from toolgrammar.core.arguments.json_payload import JsonPayload
from toolgrammar.core.arguments.raw_values import raws_of
from toolgrammar.core.arguments.scanned_values import scanned_of
from toolgrammar.core.driver.raw.state import raw_of
from toolgrammar.core.payloads.json.chunk_memo import certain_in
from toolgrammar.core.payloads.json.runs import BRACKETS, CHARACTERS, TAG
from toolgrammar.core.payloads.json.strict_scanner import JsonScanner
from toolgrammar.core.payloads.json.tokens import as_json
from toolgrammar.patterns.trim import NONE, ONE_NEWLINE
from toolgrammar.tools.json_tokens import HEX, ONE_ESCAPE
from toolgrammar.values.events import ArgumentsDelta, ReasoningDelta, TextDelta
from toolgrammar.values.patterns import late

if TYPE_CHECKING:
    from collections.abc import Callable

    from toolgrammar.core.driver.raw.state import Lines
    from toolgrammar.core.payloads.json.chunk_memo import ChunkMemo
    from toolgrammar.core.payloads.raw.raw_end import RawEnd
    from toolgrammar.core.payloads.scanners import CallScanner, Scanner
    from toolgrammar.core.state.driver import Driver
    from toolgrammar.values.events import Event

_COMMA: Final = r""",(?= *[^ ,"'\\])"""
_IN_STRING: Final = late(
    rf"{CHARACTERS}(?:(?:{ONE_ESCAPE}|{_COMMA}|{BRACKETS}|{TAG}){CHARACTERS})*+"
    rf"(, *|[}}\]]{{1,64}},? *|<|\\(?:u{HEX}{{0,3}})?)?"
)
"""A piece of a JSON string; at its end what may yet become something else (1).

That is the beginning of an escape, a comma, brackets and markup: the string may have ended before
them.
"""
sure: Final = certain_in(_IN_STRING)
"""How many characters of a piece are sure to be in the string; -1 where it may end in it."""

_MOST_HELD: Final = 256
_LONGEST: Final = 8192
"""Characters of one inert run: then its chunks become one string, which weighs less than they do."""


class InertChunks:
    """One stretch of chunks that go on alike."""

    def __init__(self, event: Callable[[str], Event]) -> None:
        self.event = event
        """Makes the event of such a chunk."""
        self.chunks: list[str] = []
        """The chunks that driver and builder have not been given yet."""
        self.held = ""
        """The end of the last chunk, where it could not be given out."""
        self.room = 0
        """Characters that may still come."""

    def leave_room(self, room: int) -> None:
        """Notes how many characters may still come."""
        self.room = room

    def go_on(self, chunk: str) -> list[Event] | None:
        """Takes a chunk as `take` does, as long as there is room for it; None ends the run."""
        self.room -= len(chunk)
        return self.take(chunk) if self.room >= 0 else None

    def take(self, chunk: str) -> list[Event] | None:
        """Takes a chunk that goes on with the inert run and returns its events; None for another."""
        raise NotImplementedError

    def given_out(self, text: str) -> str:
        """Returns what the events say, all of them together; `text` is that of the chunks."""
        return text


class TextChunks(InertChunks):
    """Chunks that one question tells, and that are given out as they are."""

    def __init__(self, is_plain: Callable[[str], object], event: Callable[[str], Event]) -> None:
        super().__init__(event)
        self.is_plain = is_plain
        """Whether a chunk goes on with the inert run; never one that is empty."""

    def take(self, chunk: str) -> list[Event] | None:
        """Takes a chunk that goes on with the inert run and returns its events; None for another."""
        if not self.is_plain(chunk):
            return None
        self.chunks.append(chunk)
        return [self.event(chunk)]


class ScannedChunks(InertChunks):
    """Chunks inside a string of arguments that are written otherwise than in JSON."""

    def __init__(self, pieces: ChunkMemo[str], event: Callable[[str], Event]) -> None:
        super().__init__(event)
        self.pieces = pieces
        """A chunk that goes on with the string, as JSON."""
        self.json: list[str] = []

    def take(self, chunk: str) -> list[Event] | None:
        """Takes a chunk that goes on with the string and returns its events; None for another."""
        piece = self.pieces[chunk]
        if not piece:
            return None
        self.chunks.append(chunk)
        self.json.append(piece)
        return [self.event(piece)]

    def given_out(self, text: str) -> str:
        """Returns the JSON of the chunks."""
        return "".join(self.json)


class StringChunks(InertChunks):
    """Chunks inside a string of JSON."""

    def take(self, chunk: str) -> list[Event] | None:
        """Takes a chunk that goes on with the string and returns its events; None for another."""
        piece = self.held + chunk if self.held else chunk
        certain = sure[piece]
        if certain < 0:
            return None
        self.held = piece[certain:]
        # All of it is undecided: it waits, and nothing is given out.
        if not certain:
            return []
        piece = piece[:certain]
        self.chunks.append(piece)
        return [self.event(piece)]


class OpenChunks(InertChunks):
    """Chunks of text in which any of several formats may open."""

    def __init__(self, is_plain: Callable[[str, str], bool], last: str) -> None:
        super().__init__(TextDelta)
        self.is_plain = is_plain
        self.last = last
        """The character before the next chunk."""

    def take(self, chunk: str) -> list[Event] | None:
        """Takes a chunk in which nothing opens; None for another."""
        if not chunk or not self.is_plain(self.last, chunk):
            return None
        self.last = chunk[-1:]
        self.chunks.append(chunk)
        return [self.event(chunk)]


class RawChunks(TextChunks):
    """Chunks inside a raw payload."""

    def __init__(self, end: RawEnd, mode: str, last: str, event: Callable[[str], Event]) -> None:
        super().__init__(end.plain.fullmatch, event)
        self.end = end
        self.last = last
        """The character before what comes next, for anchors."""
        # `NONE` too: a line end before a closer that is missing may belong to the markup.
        self.trimmed = "\r\n" if mode in (NONE, ONE_NEWLINE) else None
        """What the trimmer may hold back at the end of a chunk; None for all white space."""

    def take(self, chunk: str) -> list[Event] | None:
        """Takes a chunk in which nothing ends; None for another."""
        last = chunk[-1:]
        # White space at the end may be trimmed if the closer comes next.
        if self.held or last.isspace() or not self.is_plain(chunk):
            return self._look(chunk)
        self.last = last
        self.chunks.append(chunk)
        return [self.event(chunk)]

    def _look(self, chunk: str) -> list[Event] | None:
        """Takes a chunk in which something may begin or end; holds back what may."""
        text, end = f"{self.last}{self.held}{chunk}", self.end
        # From the second character on: the first was given out, and is there for look-behinds.
        if not chunk or end.search.search(text, 1):
            return None
        begun = end.beginnings.search(text, 1)
        piece = text[1 : begun.start() if begun else None].rstrip(self.trimmed)
        held = text[1 + len(piece) :]
        # The driver keeps long runs in pieces, and has limits for what may be a token.
        if len(held) > _MOST_HELD:
            return None
        self.held = held
        if not piece:
            return []
        self.last = piece[-1]
        self.chunks.append(piece)
        return [self.event(piece)]


def inert_chunks_at(driver: Driver, limit: int) -> InertChunks | None:
    """Returns the inert run that the driver is in, if chunks can go on in it without being judged.

    Args:
        driver: what reads the message; it has read all that was fed.
        limit: characters that the message may have.
    """
    # Something is undecided: the chunk belongs behind that.
    if driver.island >= 0 or driver.position != len(driver.buffer):
        return None
    if driver.payload.scanner is not None:
        inert = _in_payload(driver, driver.payload.scanner)
    else:
        inert = _in_text(driver) if driver.payload.raw is None else _in_raw(driver)
    if inert is not None:
        inert.leave_room(min(limit - driver.builder.source.length, _LONGEST))
    return inert


def _in_text(driver: Driver) -> InertChunks | None:
    builder, node, among = driver.builder, driver.node, driver.among
    # Text behind a candidate waits for the end of the message.
    if node.skipping or driver.behind is not None or builder.candidate is not None:
        return None
    if not driver.in_text:
        return None
    if among is None:
        return TextChunks(node.plain.fullmatch, TextDelta)
    is_open = among.governs(node) and node.machine.start is node
    return OpenChunks(among.openers.is_plain, driver.buffer[-1:]) if is_open else None


def _in_payload(driver: Driver, scanner: Scanner | JsonPayload) -> InertChunks | None:
    if isinstance(scanner, (JsonScanner, JsonPayload)) and not scanner.plain:
        return None
    builder = driver.builder
    draft, scanned = builder.draft, scanned_of(builder)
    if (
        draft is None
        # Events of a call that has not begun wait in its draft.
        or not (draft.started and draft.payload_streams)
        or draft.held is not None
        or scanned.text is not None
        or scanned.role not in ("arguments", "value")
    ):
        return None
    event = partial(ArgumentsDelta, len(builder.calls))
    if isinstance(scanner, JsonPayload):
        return StringChunks(event)
    if isinstance(scanner, JsonScanner):
        return TextChunks(scanner.inside, event)
    # What does not scan JSON reads all arguments of a call.
    pieces = cast("CallScanner", scanner).run_on()
    return None if pieces is None else ScannedChunks(pieces, event)


def _in_raw(driver: Driver) -> InertChunks | None:
    raw = raw_of(driver)
    # A closer waits for what follows it, or other formats may end the payload here.
    if raw.held is not None or raw.others is not None:
        return None
    builder, raws = driver.builder, raws_of(driver.builder)
    trimmer, draft = raws.trimmer, builder.draft
    if (
        # Each of these looks at the text, changes it or holds it: then no chunk passes unseen.
        raws.decoder is not None
        or raws.undecided
        or raws.joint
        or trimmer is None
        or not trimmer.passes
    ):
        return None
    last = driver.buffer[-1:] or " "
    if raws.role == "reasoning" and builder.candidate is None:
        if raw.lines is not None:
            return TextChunks(partial(_goes_on, raw.end, raw.lines), ReasoningDelta)
        return RawChunks(raw.end, trimmer.mode, last, ReasoningDelta)
    if raws.role != "value" or draft is None or not draft.streams or not draft.started:
        return None
    # Of such a value nothing is given out while it comes.
    if draft.held is not None or draft.wire_role or draft.dropped:
        return None
    index = len(builder.calls)
    return RawChunks(
        raw.end, trimmer.mode, last, lambda text: ArgumentsDelta(index, as_json(text)[1:-1])
    )


def _goes_on(end: RawEnd, lines: Lines, chunk: str) -> bool:
    """Whether a chunk of reasoning goes on with its line, and nothing of it may be trimmed."""
    return (
        not chunk[-1:].isspace() and lines.passes(chunk) and end.plain.fullmatch(chunk) is not None
    )


def end_inert_chunks(driver: Driver, inert: InertChunks) -> str:
    """Informs driver and builder of the chunks of an inert run; returns their text."""
    text = "".join(inert.chunks)
    if not text:
        return text
    builder = driver.builder
    given = inert.given_out(text)
    # What was given out of a trial is counted, so that another format's reading leaves it out.
    if driver.among is not None and builder.watched:
        driver.among.count(inert.event(given))
    if driver.payload.scanner is not None:
        assert builder.draft is not None
        assert builder.draft.payload is not None
        builder.draft.payload.append(given)
        if isinstance(driver.payload.scanner, JsonPayload):
            driver.payload.scanner.went_on(text)
    elif driver.payload.raw is not None:
        raw_of(driver).look_from(1)
        if raws_of(builder).role == "reasoning":
            builder.reasoning_parts.append(text)
        else:
            raws_of(builder).text.append(text)
    else:
        builder.text_parts.append(text, driver.base + driver.position)
    driver.went_on(text, len(inert.chunks))
    return text
