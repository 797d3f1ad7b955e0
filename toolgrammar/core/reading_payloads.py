"""Reads payloads: finds which one begins, and has its scanner read on until its value is whole."""

from __future__ import annotations

from typing import TYPE_CHECKING, cast

from toolgrammar.core.bad_calls import pass_bad_call
from toolgrammar.core.json_payload import JsonPayload
from toolgrammar.core.json_tokens import MAX_DEPTH
from toolgrammar.core.json_typing import needs_typing
from toolgrammar.core.json_whole import read_whole
from toolgrammar.core.leaving import end_before_text, leave
from toolgrammar.core.machine import MAX_TOKEN
from toolgrammar.core.mismatch import mismatch
from toolgrammar.core.payload_beginnings import damaged_beginning, open_implied, read_fence_end
from toolgrammar.core.raw_reader import RawReader, read_raw
from toolgrammar.core.roles import ANY_JSON, JSON_LIKE, RAW_LIKE, STRICT_JSON
from toolgrammar.core.scan_json import JsonScanner
from toolgrammar.core.scanners import scanner_for
from toolgrammar.core.undecided import Undecided
from toolgrammar.core.unreadable_payloads import holds_arguments, pass_unreadable
from toolgrammar.values.patterns import blanks
from toolgrammar.values.spans import Span

if TYPE_CHECKING:
    from toolgrammar.core.driver import Driver
    from toolgrammar.core.machine import Node
    from toolgrammar.core.scan_bare import BareScanner
    from toolgrammar.core.scan_quoted_python import QuotedPythonScanner
    from toolgrammar.core.scanners import Scanner
    from toolgrammar.core.steps import Step

MAX_ISLAND = 4096
"""Characters from an opener to the payload or the name: more is no island."""


# Which payload begins


def find_payload(driver: Driver) -> bool:
    """Enters the payload that begins where no token stands; False where more text is needed."""
    buffer, position, node = driver.buffer, driver.position, driver.node
    solid = driver.behind_blanks()
    start = position if node.exact else solid
    for step in node.payloads:
        name = step.terminal.name
        begin = start if name in RAW_LIKE else solid
        if begin == len(buffer):
            if not driver.final:
                return False
            if node.end is not None:
                break  # the grammar lets the text end before the payload
        if step.begun is not None and not driver.final and step.begun.match(buffer, begin):
            return False
        if step.begins.match(buffer, begin):
            return _enter(driver, step, begin)
    if start == len(buffer) and (
        driver.final or (node.accepts_text and driver.island < 0 and start - position <= MAX_TOKEN)
    ):
        return False
    if node.accepts_text and driver.island < 0:
        return end_before_text(driver)
    damaged = damaged_beginning(driver, start)
    if damaged is None:
        payloads = [] if driver.builder.strict else node.payloads
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
        decided: whether it is no raw text instead.
        as_text: whether a string stands there that may hold the object.
    """
    if driver.island >= 0:
        if start - driver.island > MAX_ISLAND and not driver.island_payload:
            return mismatch(driver)
        driver.island_payload = True
    for role in step.before:
        driver.close(role, driver.last_end)
    if driver.unit < 0:
        driver.unit = driver.base + start
    driver.back = None
    driver.position = start
    driver.step = step
    if step.terminal.name in RAW_LIKE:
        return _enter_raw(driver, step, start)
    if step.otherwise is not None and not decided:
        _commit_payload(driver, step)
        driver.undecided = Undecided(driver, step, step.otherwise, start)
        driver.run = read_undecided
        return True
    return _enter_scanned(driver, step, start, as_text=as_text)


def _enter_scanned(driver: Driver, step: Step, start: int, *, as_text: bool) -> bool:
    """Begins a payload that a scanner reads; where all of it is there already, ends it too."""
    builder, name = driver.builder, step.terminal.name
    builder.scanned.begin(
        step.leaf, driver.base + start, driver.unit, may_be_arguments=driver.node.takes_arguments
    )
    if builder.draft is not None and name in ("BARE_OBJECT", "ELEMENTS"):
        builder.draft.unescaped = True
    _commit_payload(driver, step)
    # The fast reader knows the default depth alone.
    if name in STRICT_JSON and driver.limits_depth >= MAX_DEPTH:
        object_only = name == "JSON_OBJECT" and not as_text
        whole = read_whole(driver.buffer, start, object_only=object_only)
        guide = builder.guide(step.leaf)
        if whole is not None and guide is not None and needs_typing(whole[0], guide):
            whole = None
        if whole is not None and _goes_on(driver, step.node, whole[1]):
            value, end = whole
            builder.scanned.take_whole(value, driver.buffer[start:end], driver.base + end)
            return _leave(driver, end)
    driver.scanner = _scanner(driver, step, name, as_text=as_text)
    driver.run = read_scanned
    return True


def _enter_raw(driver: Driver, step: Step, start: int) -> bool:
    """Begins a raw payload at an index of the buffer."""
    driver.step = step
    raw_end = driver.node.end_of_raw(step)
    before = driver.previous is not None and "\n" in driver.previous.terminal.trail
    driver.builder.raws.begin(
        step.leaf,
        driver.base + start,
        driver.unit,
        before=before,
        closes_line=raw_end.closes_line,
        typed=step.terminal.name == "RAW",
    )
    _commit_payload(driver, step)
    if driver.builder.draft is not None:
        driver.builder.draft.unescaped = True
    driver.raw = RawReader(driver, raw_end, start)
    if driver.among is not None and step.leaf == "reasoning":
        driver.raw.others = driver.among.other_ends(driver, step.node)
    driver.run = read_raw
    return True


def read_undecided(driver: Driver) -> bool:
    """Reads on in what may be JSON or raw text; once that is known, from its beginning."""
    undecided = driver.undecided
    assert undecided is not None
    step = undecided.judge()
    if step is None:
        return False
    driver.undecided = None
    start = undecided.rewind()
    if step is undecided.raw:
        _doubt_text(driver, step, driver.base + start)
        return _enter_raw(driver, step, start)
    return _enter(driver, step, start, decided=True)


def _doubt_text(driver: Driver, step: Step, start: int) -> None:
    """Doubts a value that begins as JSON and is none, where the schema does not ask for text."""
    builder = driver.builder
    guide = builder.guide(step.leaf)
    wants_text = guide is not None and guide.types is not None and guide.takes_text
    if step.leaf != "value" or builder.draft is None or wants_text:
        return
    if builder.source.slice(start, start + 1) not in ("{", "[", '"'):
        return  # a word or a number, with which text begins too
    builder.draft.doubts.append("bare-text")
    place = Span(max(0, start), max(0, start))
    builder.report("bare-text", "error", "Found a value that is no JSON; kept as text", place)


def _goes_on(driver: Driver, node: Node, end: int) -> bool:
    """Whether what stands behind a whole payload leaves no doubt that it ends there."""
    buffer = driver.buffer
    place = blanks.match(buffer, end).end()
    if place == len(buffer):
        return driver.final
    if node.accepts_text or driver.builder.strict:
        return True
    tokens, anchors = node.token, node.repairs.pattern
    return bool(tokens.match(buffer, place) or anchors.match(buffer, place))


def _scanner(driver: Driver, step: Step, name: str, *, as_text: bool) -> Scanner | JsonPayload:
    """Makes the scanner of a payload: JSON that may be an object is mended as it comes."""
    builder = driver.builder
    if builder.strict or name not in JSON_LIKE:
        mending = None if builder.strict and name == "PYTHON_ARGUMENTS" else step
        scanner = scanner_for(step.terminal, builder.spec(), driver.limits_depth, mending)
        if name == "PYTHON_ARGUMENTS" and mending is not None and builder.draft is not None:
            cast("QuotedPythonScanner", scanner).is_markdown = builder.draft.is_markdown
        return scanner
    return JsonPayload(
        step,
        driver.start_node,
        builder.guide(step.leaf),
        object_only=name not in ANY_JSON and not as_text,
        backticks=name == "TEMPLATE_OBJECT",
        max_depth=driver.limits_depth,
        careful=driver.island >= 0 and not driver.called,
    )


def _commit_payload(driver: Driver, step: Step) -> None:
    """Makes the island certain, now that it has a payload: of a call with a name, or no call's."""
    outside = step.leaf in ("reasoning", "content", "text")
    if driver.island >= 0 and step.leaf and (driver.called or outside):
        driver.commit()


# What a scanner reads


def read_scanned(driver: Driver) -> bool:
    """Has the scanner of the payload read on; False where more text is needed."""
    scanner = driver.scanner
    assert scanner is not None
    out: list[str] = []
    if isinstance(scanner, JsonPayload):
        return _scan_mending(driver, scanner, out)
    scanned = driver.builder.scanned
    if driver.step is not None and _mends(driver, driver.step):
        _scan_ended(driver, cast("BareScanner | QuotedPythonScanner", scanner), out)
    else:
        driver.position = scanner.feed(driver.buffer, driver.position, out)
    while scanner.failed and _take_control(driver, scanner, out):
        # What stands before a mended character was given out before the report of it.
        driver.position = scanner.feed(driver.buffer, driver.position, out)
    if out:
        scanned.take("".join(out))
    if scanner.done:
        if scanner.doubt:
            typed = driver.step is not None and driver.step.terminal.name == "ELEMENTS"
            doubt = scanned.doubt_types if typed else scanned.doubt_quote
            doubt(scanner.doubt, driver.base + driver.position)
        tell_mended(driver, scanner)
        if scanner.bare_text and driver.builder.header.bare == "literal":
            scanned.doubt_expression(scanner.bare_text, driver.base + driver.position)
        if driver.step is not None and driver.step.terminal.name not in JSON_LIKE:
            scanned.doubt_twice(driver.base + driver.position)
        scanned.end(driver.base + driver.position)
        return leave(driver, driver.position)
    if scanner.failed:
        return _fail(driver, scanner)
    return False


def _mends(driver: Driver, step: Step, *names: str) -> bool:
    """Whether the scanner of a payload, one of these if some are named, mends what is damaged."""
    name = step.terminal.name
    mends = name == "BARE_OBJECT" or (name == "PYTHON_ARGUMENTS" and not driver.builder.strict)
    return mends and (not names or name in names)


def tell_mended(driver: Driver, scanner: Scanner) -> None:
    """Tells what a scanner mended in the payload that ends here."""
    if driver.step is None or not scanner.mended:
        return
    scanned = driver.builder.scanned
    if driver.step.terminal.name == "BARE_OBJECT":
        scanned.put_in(cast("BareScanner", scanner).put_in, driver.base + driver.position)
    else:
        scanned.mend_python(cast("QuotedPythonScanner", scanner).faults)


def _scan_ended(driver: Driver, scanner: BareScanner | QuotedPythonScanner, out: list[str]) -> None:
    """Reads on in a payload that may have ended before the last chunk."""
    position, scanner.final, scanner.base = driver.position, driver.final, driver.base
    driver.position = scanner.feed(driver.buffer, position, out)
    if scanner.unread:
        # What was looked at behind the payload is read once more, as what it is.
        start = driver.base + position - len(scanner.unread)
        driver.stand_before(scanner.unread + driver.buffer[position:], start)


def _scan_mending(driver: Driver, scanner: JsonPayload, out: list[str]) -> bool:
    """Reads on in a JSON payload that is mended as it comes."""
    position = driver.position
    end = scanner.feed(driver.buffer, position, out, base=driver.base, final=driver.final)
    driver.position = end
    scanned = driver.builder.scanned
    if out:
        scanned.take("".join(out))
    if scanner.failed:
        return _fail(driver, scanner)
    if not scanner.done:
        return False
    if scanner.unread:
        # What was looked at behind the payload is read once more, as what it is.
        driver.position = position - len(scanner.unread)
        if driver.position <= 0:  # the character before has to be there, too
            offset = driver.base + driver.position
            driver.stand_before(scanner.unread + driver.buffer[position:], offset)
    scanned.mend(scanner, driver.base + driver.position)
    scanned.end(driver.base + driver.position)
    return _leave(driver, driver.position)


def _leave(driver: Driver, end: int) -> bool:
    """Ends a payload at an index, or passes the end of the fence around it first."""
    if not driver.fenced:
        return leave(driver, end)
    driver.position = end
    driver.run = read_fence_end
    return True


def _take_control(driver: Driver, scanner: Scanner, out: list[str]) -> bool:
    """Escapes a raw control character inside a JSON string: a call's text stays inside it."""
    position = driver.position
    character = driver.buffer[position : position + 1]
    if not character or character >= " " or not isinstance(scanner, JsonScanner):
        return False
    before = "".join(out)
    if not scanner.take_control(character, out):
        return False
    if before:
        driver.builder.scanned.take(before)
        del out[:-1]
    driver.builder.scanned.control(driver.base + position, character)
    driver.position = position + 1
    return True


def _fail(driver: Driver, scanner: Scanner | JsonPayload) -> bool:
    """Ends a payload where it can't go on; what stands there does not fit the island."""
    out: list[str] = []
    driver.open_brackets = 0
    if driver.step is not None and _mends(driver, driver.step, "PYTHON_ARGUMENTS"):
        python = cast("QuotedPythonScanner", scanner)
        driver.open_brackets = python.open_brackets
        if word := python.word_behind:
            offset = driver.base + driver.position - len(word)
            driver.stand_before(word + driver.buffer[driver.position :], offset)
    scanner.finish(out)
    if not isinstance(scanner, JsonPayload):
        tell_mended(driver, scanner)
    if driver.island < 0:
        place = driver.base + driver.position
        driver.builder.scanned.fail("".join(out), scanner.failure, place)
        driver.last_end = place
        if driver.open_brackets and driver.builder.group is not None:
            driver.scanner, driver.run = None, pass_bad_call
            return True
    elif isinstance(scanner, JsonPayload) and scanner.refused_at >= 0:
        # How far the scanner went to see it depends on the pieces that came.
        driver.position = max(driver.island + 1, scanner.refused_at - driver.base)
    return mismatch(driver, in_payload=True)
