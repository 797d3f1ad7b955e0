"""Reads payloads: finds which one begins, then runs its scanner until the value is complete.

Example: after `"arguments":` the JSON scanner reads `{"x": 1}`, up to its last brace.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, cast

from toolgrammar.core.arguments.json_payload import JsonPayload
from toolgrammar.core.arguments.raw_values import raws_of
from toolgrammar.core.arguments.scanned_values import scanned_of
from toolgrammar.core.driver.bad_calls import pass_bad_call
from toolgrammar.core.driver.mismatch import mismatch
from toolgrammar.core.driver.payload_beginnings import (
    Undecided,
    damaged_beginning,
    open_implied,
    other_spelling,
    read_fence_end,
    sound_json,
)
from toolgrammar.core.driver.payload_end import commit_if_delimited, end_before_text, leave
from toolgrammar.core.driver.raw.reader import read_raw
from toolgrammar.core.driver.raw.state import RawReader
from toolgrammar.core.driver.raw.thought_calls import LineOpeners
from toolgrammar.core.mending.unreadable_calls import holds_arguments, pass_unreadable
from toolgrammar.core.message.reports import doubt_open
from toolgrammar.core.payloads.json.strict_scanner import JsonScanner
from toolgrammar.core.payloads.raw.named_end import end_of_raw
from toolgrammar.core.payloads.scanners import literal_of, scanner_for
from toolgrammar.grammar.payload_kinds import PAYLOADS, notation_of
from toolgrammar.grammar.roles import JSON_LIKE, PROSE_ROLES, RAW_LIKE
from toolgrammar.patterns.partial import MAX_TOKEN, MOST_BLANKS
from toolgrammar.values.spans import Span

if TYPE_CHECKING:
    from toolgrammar.core.machine.machine import Step
    from toolgrammar.core.payloads.literals.scan_python import PythonScanner
    from toolgrammar.core.payloads.scanners import CallScanner, Scanner
    from toolgrammar.core.state.driver import Driver

MAX_ISLAND = 4096
"""The most characters between an opener and its payload or name: a longer island is text."""


# Which payload begins


def find_payload(driver: Driver) -> bool:
    """Enters the payload that begins here, where no token matches; False if more text is needed."""
    buffer, position, node = driver.buffer, driver.position, driver.node
    solid = driver.behind_blanks()
    # Where the text may end before the payload, white space alone is not a payload.
    is_end = node.closes_at_end is not None and solid == len(buffer) <= position + MOST_BLANKS
    start = position if node.blanks_matter and not is_end else solid
    # The payloads are ordered with the narrowest first, since raw text matches everything.
    for step in node.payloads:
        name = step.terminal.name
        # White space is a part of raw text, and means nothing before any other payload.
        begin = start if name in RAW_LIKE else solid
        if begin == len(buffer):
            if not driver.final:
                return False
            if node.closes_at_end is not None:
                break  # the grammar lets the text end before the payload
        if step.begun is not None and not driver.final and step.begun.match(buffer, begin):
            return False
        if step.begins.match(buffer, begin):
            return _enter(driver, step, begin)
    if start == len(buffer) and (
        driver.final or (node.accepts_text and driver.island < 0 and start - position <= MAX_TOKEN)
    ):
        return False
    # No payload begins and the grammar lets the call end here: text or the next call follows.
    if node.accepts_text and commit_if_delimited(driver):
        return end_before_text(driver)
    return _enter_damaged(driver, start)


def _enter_damaged(driver: Driver, start: int) -> bool:
    """Enters a payload whose beginning is damaged; skips what can't be read; False for more text."""
    other = other_spelling(driver, start)
    if other is not None:
        return not isinstance(other, bool) and _enter(driver, other, start)
    damaged = damaged_beginning(driver, start)
    if damaged is None:
        payloads = [] if driver.builder.strict else driver.node.payloads
        # `"arguments": "{\"x\": 1}"`: the object may be written into a string.
        if len(payloads) == 1 and holds_arguments(driver, payloads[0], start):
            return _enter(driver, payloads[0], start, as_text=True)
        passed = pass_unreadable(driver, start)
        return mismatch(driver) if passed is None else passed
    if isinstance(damaged, bool):
        return damaged
    place = driver.base + start
    _enter(driver, damaged, start)
    open_implied(driver, place)
    return True


def _enter(
    driver: Driver, step: Step, start: int, *, decided: bool = False, as_text: bool = False
) -> bool:
    """Begins a payload at an index.

    Args:
        driver: the driver.
        step: what reading the payload does.
        start: the index.
        decided: whether it is already known that the payload is not raw text.
        as_text: whether a string stands here that may hold the object.
    """
    if driver.island >= 0:
        if start - driver.island > MAX_ISLAND and not driver.island_payload:
            return mismatch(driver)
        driver.note_payload()
    driver.close(step.closes_before)
    driver.enter_payload(step, start)
    if step.terminal.name in RAW_LIKE:
        if step.is_fallback:
            _doubt_text_for_json(driver, step, driver.base + start)
        return _enter_raw(driver, step, start)
    # If raw text such as `5 or so` may stand here as well as `5`, the text after the value decides.
    if step.raw_alternative is not None and not decided:
        _commit_at_payload(driver, step)
        driver.payload.leave_undecided(Undecided(driver, step, step.raw_alternative, start))
        driver.read_by(read_undecided)
        return True
    return _enter_scanned(driver, step, start, as_text=as_text)


def _enter_scanned(driver: Driver, step: Step, start: int, *, as_text: bool) -> bool:
    """Begins a payload that a scanner reads; ends it as well if all of it is in the buffer."""
    builder, name = driver.builder, step.terminal.name
    scanned_of(builder).begin(
        step.role,
        driver.base + start,
        driver.call_start,
        may_be_arguments=driver.node.takes_arguments,
    )
    # Tags of `ELEMENTS` stand in text that has no escapes: see `Draft.close_unescaped`.
    if builder.draft is not None and PAYLOADS[name].unescaped:
        builder.draft.begin_unescaped()
    if builder.draft is not None and not PAYLOADS[name].has_end:
        builder.draft.begin_without_end()
    _commit_at_payload(driver, step)
    whole = sound_json(driver, step, start, as_text=as_text)
    if whole is not None:
        value, end = whole
        scanned_of(builder).take_whole(value, driver.buffer[start:end], driver.base + end)
        return _leave(driver, end)
    driver.payload.scan(_new_scanner(driver, step, name))
    driver.read_by(read_scanned)
    return True


def _enter_raw(driver: Driver, step: Step, start: int) -> bool:
    """Begins a raw payload at an index of the buffer."""
    driver.enter_payload(step, start)
    raw_end = end_of_raw(step)
    before = driver.previous is not None and "\n" in driver.previous.terminal.trail
    raws_of(driver.builder).begin(
        step.role,
        driver.base + start,
        driver.call_start,
        before=before,
        closes_line=raw_end.closes_line,
        typed=step.terminal.name == "RAW",
    )
    _commit_at_payload(driver, step)
    if driver.builder.draft is not None:
        driver.builder.draft.begin_unescaped()
    # Reasoning may end where another format ends it; any other raw text belongs to this format
    # alone.
    other_formats = line_openers = None
    if driver.formats is not None and step.role == "reasoning":
        other_formats = driver.formats.other_ends(driver, step.node)
        if driver.builder.tools:
            line_openers = LineOpeners(driver.formats.openers, driver.base + start)
    driver.payload.read_raw(RawReader(driver, raw_end, start, other_formats, line_openers))
    driver.read_by(read_raw)
    return True


def read_undecided(driver: Driver) -> bool:
    """Reads a payload that may be JSON or raw text; once that is known, reads it from its start."""
    undecided = driver.payload.undecided
    assert isinstance(undecided, Undecided)
    step = undecided.judge()
    if step is None:
        return False
    driver.payload.decide()
    start = undecided.rewind()
    if step is undecided.raw:
        _doubt_text_for_json(driver, step, driver.base + start)
        return _enter_raw(driver, step, start)
    return _enter(driver, step, start, decided=True)


def _doubt_text_for_json(driver: Driver, step: Step, start: int) -> None:
    """Doubts a value that should be JSON and is not, unless a schema says what it is.

    With a schema `True` is read as `true`, `Oslo` as a string, and a misfit has a doubt of its own.
    """
    builder = driver.builder
    guide = builder.guide(step.role)
    if step.role != "value" or (guide is not None and guide.types is not None):
        return
    doubt_open(
        builder, "bare-text", "Found a value that is no JSON; kept as text", Span(start, start)
    )


def _new_scanner(driver: Driver, step: Step, name: str) -> Scanner | JsonPayload:
    """Returns the scanner of a payload; JSON that may be an object is mended while it is read."""
    builder = driver.builder
    # With strict reading nothing is mended, so JSON needs only its strict scanner.
    if builder.strict or name not in JSON_LIKE:
        is_python = notation_of(name) == "python"
        # Python is mended where its scanner has the step; bare words need it to find their end.
        given = None if builder.strict and is_python else step
        scanner = scanner_for(step.terminal, builder.spec(), driver.max_depth, given)
        draft = builder.draft
        if is_python and given is not None and draft is not None and draft.is_markdown:
            cast("PythonScanner", scanner).faults.use_markdown()
        return scanner
    return JsonPayload(
        step,
        driver.start_node,
        builder.guide(step.role),
        backticks=PAYLOADS[name].backticks,
        max_depth=driver.max_depth,
        careful=driver.island >= 0 and not driver.has_name,
    )


def _commit_at_payload(driver: Driver, step: Step) -> None:
    """Makes the open island certain once its payload begins, if it needs no name or has one."""
    # Reasoning, content and text open with markup of their own, and need no name to be certain.
    outside = driver.island >= 0 and step.role in PROSE_ROLES
    if outside or (step.role and driver.has_name):
        driver.commit()


# What a scanner reads


def read_scanned(driver: Driver) -> bool:
    """Runs the scanner of the payload on the new text; False if more text is needed."""
    scanner = driver.payload.scanner
    assert scanner is not None
    out: list[str] = []
    if isinstance(scanner, JsonPayload):
        return _scan_mending(driver, scanner, out)
    scanned = scanned_of(driver.builder)
    if (literal_scanner := _literal_scanner(driver)) is not None:
        literal_scanner.expect(base=driver.base, final=driver.final)
    driver.move_to(scanner.feed(driver.buffer, driver.position, out))
    while scanner.failed and _escape_control(driver, scanner, out):
        # The value before a repaired character was emitted before the report of the repair.
        driver.move_to(scanner.feed(driver.buffer, driver.position, out))
    if out:
        scanned.take("".join(out))
    if scanner.done:
        report_faults(driver, scanner)
        end = driver.base + driver.position
        if driver.payload.current.terminal.name not in JSON_LIKE:
            scanned.doubt_twice(end)
        scanned.end(end)
        return leave(driver, driver.position)
    if scanner.failed:
        return _fail(driver, scanner)
    return False


def _literal_scanner(driver: Driver) -> CallScanner | None:
    """Returns the scanner of the payload if it reads another notation than JSON."""
    is_literal = literal_of(driver.payload.current.terminal.name) is not None
    return cast("CallScanner", driver.payload.scanner) if is_literal else None


def report_faults(driver: Driver, scanner: Scanner) -> None:
    """Reports the faults that a scanner found in the payload that ends here."""
    scanned_of(driver.builder).report_faults(scanner.faults, driver.base + driver.position)
    # Closers are put in only before markup.
    if any(each.code == "bracket" for each in scanner.faults):
        driver.payload.note_open_brackets(are_open=True)


def _scan_mending(driver: Driver, scanner: JsonPayload, out: list[str]) -> bool:
    """Reads a JSON payload that is mended while it is read; False if more text is needed."""
    position = driver.position
    end = scanner.feed(driver.buffer, position, out, base=driver.base, final=driver.final)
    driver.move_to(end)
    scanned = scanned_of(driver.builder)
    if out:
        scanned.take("".join(out))
    if scanner.failed:
        return _fail(driver, scanner)
    if not scanner.done:
        return False
    if scanner.unread:
        # The scanner looked ahead past the payload; that text is read again by the modes.
        driver.move_to(position - len(scanner.unread))
        if driver.position <= 0:  # anchors and look-behinds need the character before, too
            offset = driver.base + driver.position
            driver.stand_before(scanner.unread + driver.buffer[position:], offset)
    scanned.mend(scanner, driver.base + driver.position)
    scanned.end(driver.base + driver.position)
    driver.payload.note_open_brackets(are_open=scanner.lacks_closers)
    return _leave(driver, driver.position)


def _leave(driver: Driver, end: int) -> bool:
    """Ends a payload at an index, after the end of the code fence around it if there is one."""
    if not driver.payload.fenced:
        return leave(driver, end)
    driver.move_to(end)
    driver.read_by(read_fence_end)
    return True


def _escape_control(driver: Driver, scanner: Scanner, out: list[str]) -> bool:
    """Escapes a raw control character inside a JSON string; returns whether there was one.

    Without this the call would end at the character, and the rest of its text would leave it.
    """
    position = driver.position
    character = driver.buffer[position : position + 1]
    if not character or character >= " " or not isinstance(scanner, JsonScanner):
        return False
    # The pieces before the character are emitted first, so that its report comes after them.
    before = "".join(out)
    if not scanner.take_control(character, out):
        return False
    if before:
        scanned_of(driver.builder).take(before)
        del out[:-1]
    scanned_of(driver.builder).control(driver.base + position, character)
    driver.move_to(position + 1)
    return True


def _fail(driver: Driver, scanner: Scanner | JsonPayload) -> bool:
    """Ends a payload whose scanner failed, and lets the text there be handled as a mismatch."""
    out: list[str] = []
    literal_scanner = _literal_scanner(driver)
    driver.payload.fail(0 if literal_scanner is None else literal_scanner.open_brackets)
    scanner.finish(out)
    if not isinstance(scanner, JsonPayload):
        report_faults(driver, scanner)
    # A call that is certain can't be taken back: it ends here, with the arguments read so far.
    if driver.island < 0:
        place = driver.base + driver.position
        scanned_of(driver.builder).fail("".join(out), scanner.failure, place)
        driver.end_at(place)
        # Only in a section can a call that fails cost the calls beside it.
        if driver.payload.open_brackets and driver.builder.group is not None:
            driver.payload.end()
            driver.read_by(pass_bad_call)
            return True
    elif isinstance(scanner, JsonPayload) and scanner.refused_at >= 0:
        # Where the scanner stopped depends on the chunks; where it refused the text does not.
        driver.move_to(max(driver.island + 1, scanner.refused_at - driver.base))
    return mismatch(driver, in_payload=True)
