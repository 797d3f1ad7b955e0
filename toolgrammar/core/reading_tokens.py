"""Reads the envelope of an island: one token after the other, and what each does."""

from __future__ import annotations

from typing import TYPE_CHECKING

from toolgrammar.core import marks
from toolgrammar.core.draft import decoded_token
from toolgrammar.core.leaving import end_before_text
from toolgrammar.core.loose import as_strict, code_of, is_loose
from toolgrammar.core.machine import MAX_TOKEN
from toolgrammar.core.mending import step_back_to_call
from toolgrammar.core.mismatch import give_back_nameless, mismatch
from toolgrammar.core.misspelt import arguments_key, report_misspelt, respelt_opener
from toolgrammar.core.partial import MOST_BLANKS
from toolgrammar.core.reading_payloads import MAX_ISLAND, find_payload
from toolgrammar.core.role_effects import fill_role, open_role
from toolgrammar.core.roles import MISSPELT
from toolgrammar.values.diagnostics import Edit
from toolgrammar.values.spans import Span

if TYPE_CHECKING:
    import re

    from toolgrammar.core.driver import Driver
    from toolgrammar.core.machine import Node
    from toolgrammar.core.steps import Step

MOST_TOKENS = 48
"""Tokens from an opener to what makes the call certain: more are read again and again."""
SECTION_EVIDENCE = 16
"""Characters of a section's opener that are evidence without a call behind them."""
LINES = frozenset({"SAME_FENCE", "SAME_MARK"})
"""Repeated tokens that are a line of their own."""
SHORT = 3
"""Characters of a literal that stands for itself."""


def read_token(driver: Driver) -> bool:
    """Reads one token; where a payload stands instead, enters it; False for more text."""
    buffer, position, node = driver.buffer, driver.position, driver.node
    if not node.exact and buffer[position + MOST_BLANKS : position + MOST_BLANKS + 1].isspace():
        passed = _pass_blanks(driver)
        if passed is not None:
            return passed
        position = driver.position
    if not driver.final and _waits(node, buffer, position):
        return False
    match = _match(driver, node, position)
    if match is None or _is_near_opener(node, match):
        return _read_misfit(driver)
    group = match.lastgroup
    assert group is not None
    step = node.steps[group]
    start, end = match.span(group)
    driver.island_tokens += 1
    is_no_island = end - driver.island > MAX_ISLAND or driver.island_tokens > MOST_TOKENS
    if end - start > MAX_TOKEN or (driver.island >= 0 and is_no_island):
        return mismatch(driver)
    if node.accepts_text and driver.island < 0 and "call" in step.before:
        return end_before_text(driver)
    text = match.group(group)
    if step.terminal.name == "JSON_STRING" and not step.leaf:
        meant = arguments_key(driver, step, text, start, end)
        if meant is None:
            return False
        step, text, end = meant
    if is_loose(step.terminal, text):
        strict = _report_loose(driver, step, text, start, end)
        text = strict if step.leaf else text
    if step.kind == "same" and not driver.builder.repeats(step.terminal.name, text):
        return mismatch(driver)
    if step.leaf == "key" and step_back_to_call(driver, text):
        return mismatch(driver)
    short = driver.island < 0 and step.kind == "literal" and step.weight < SHORT
    short = short and not step.after  # what closed stays closed
    driver.back = (start, node, driver.last_end, driver.previous) if short else None
    driver.position = end
    _take(driver, step, text, start, end, match)
    return True


def _waits(node: Node, buffer: str, position: int) -> bool:
    """Whether the tail of the text may still become a token, or a longer one."""
    if len(buffer) - position > MAX_TOKEN + 64:
        return False
    if node.beginnings.match(buffer, position):
        return True
    return not node.exact and not buffer[position:].strip()


def _match(driver: Driver, node: Node, position: int) -> re.Match[str] | None:
    """Gives the token at an index: one that has to name a known tool and does not is none."""
    match = node.token.match(driver.buffer, position)
    without: frozenset[str] = frozenset()
    while match is not None:
        step = node.steps[match.lastgroup or ""]
        if not (step.terminal.groups and step.names_stranger(match, driver.builder.tools)):
            break
        without |= {match.lastgroup or ""}
        match = node.token_without(without).match(driver.buffer, position)
    return match


def _is_near_opener(node: Node, match: re.Match[str]) -> bool:
    """Whether what stands for an opener resembles it so much that any call may follow."""
    if MISSPELT not in dict(node.steps[match.lastgroup or ""].constants):
        return False
    return any(each.matches(match.string, match.start()) for each in node.near_openers)


def _read_misfit(driver: Driver) -> bool:
    """Reads what is none of the tokens that may stand there: a misspelt opener, or a payload."""
    if driver.final and driver.builder.cut_by_server:
        # What ends a call here may be the beginning of its next argument.
        begun = driver.node.beginnings.match(driver.buffer, driver.position) is not None
        driver.builder.ended_open = driver.builder.ended_open or begun
    respelt = respelt_opener(driver)
    if respelt is True:
        return find_payload(driver)
    if respelt is False:
        return False
    step, match = respelt
    start, driver.position = match.span()
    driver.back = None
    _take(driver, step, step.terminal.text, start, driver.position, match)
    return True


def _pass_blanks(driver: Driver) -> bool | None:
    """Passes a long run of white space but for what a token may begin with; None where that is all.

    Where text may follow, so much white space is a part of it.
    """
    end = driver.behind_blanks()
    if driver.island >= 0 and end - driver.island > MAX_ISLAND:
        return mismatch(driver)
    if driver.island < 0 and driver.node.accepts_text:
        return end_before_text(driver) if end - driver.position > MAX_TOKEN else None
    driver.position = max(driver.position, end - MOST_BLANKS)
    return None


_NOT_AS = ("without JSON's quotes", "where the format spells it otherwise")


def _report_loose(driver: Driver, step: Step, text: str, start: int, end: int) -> str:
    """Notes a key or string of the envelope that is quoted otherwise than in JSON; gives it so."""
    builder = driver.builder
    strict = as_strict(step.terminal, text)
    is_key = step.node.takes_colon or step.kind == "literal"
    code = code_of(step.terminal, text, is_key=is_key)
    span = Span(max(0, driver.base + start), max(0, driver.base + end))
    written = builder.source.slice(span.start, driver.base + end)
    # What a name without one of its quotes has lost besides, only the tools tell.
    is_name = step.leaf == "name" and code == "missing-quote"
    doubtful = is_name and decoded_token(strict) not in builder.tools
    draft = builder.draft
    # Where the call began as the format spells it, what is like a tag may stand in a value.
    is_odd = code == "misspelt" and draft is not None and not draft.repaired
    builder.report(
        code,
        "error" if doubtful or is_odd else "warning",
        f"Found `{written[:40]}` {_NOT_AS[code == 'misspelt']}",
        span,
        edits=(Edit(span, strict),),
    )
    if draft is not None:
        draft.repaired = True
        draft.doubts += [code] * is_odd
    else:
        builder.mended_before = True
    if doubtful:
        builder.doubted_before.append(code)
    return strict


def _take(
    driver: Driver, step: Step, text: str, start: int, end: int, match: re.Match[str]
) -> None:
    """Does what a token does: closes, opens, fills a role, moves on."""
    builder, base, before = driver.builder, driver.base, driver.node
    for role in step.before:
        driver.close(role, driver.last_end)
    if driver.unit < 0 or step.opens:
        driver.unit = base + start
    if step.opens:
        open_role(builder, step.opens)
    _fill(driver, step, text, base + start, match)
    if builder.argument_start < 0 and driver.called and not step.leaf:
        builder.token_start = base + start
    driver.last_end = base + end
    if driver.island >= 0 and not driver.called and give_back_nameless(driver, step):
        return
    if driver.final and "call" in step.after:
        # Where a name ends the call and the text, no closer tells that it goes no further; nor
        # where what the text ends with may begin an argument, or looks at what stands behind it.
        names = [group for group, role in step.terminal.groups if role == "name" and match[group]]
        builder.ended_open = any(
            not driver.buffer[match.end(name) :].strip()
            or before.beginnings.match(driver.buffer, start)
            for name in names
        )
        if builder.cut_by_server and _looks_on(step):
            rest = driver.buffer[driver.position :]
            builder.ended_open = builder.ended_open or not rest.strip()
    for role in step.after:
        driver.close(role, driver.last_end)
    driver.node = node = step.node
    driver.previous = step
    if driver.island >= 0:
        _perhaps_commit(driver, step, text)
    if node.accepts_text and not builder.has_draft:
        _end_island(driver, node)


def _fill(driver: Driver, step: Step, text: str, start: int, match: re.Match[str]) -> None:
    """Hands on the roles that a token, or a named group in it, fills."""
    builder = driver.builder
    if step.terminal.is_fence:
        builder.last_fence = text
    if step.terminal.is_mark:
        builder.last_mark = marks.word(text)
    if driver.final and step.leaf == "value":
        # Nothing shows that the last word of a text is whole, unless the call may end there.
        at_end = driver.position == len(driver.buffer)
        builder.raws.cuts_token = at_end and step.kind == "regex" and step.node.end is None
    for role, value in (*step.constants, *step.filled(match, text)):
        if role == MISSPELT:
            place = start - driver.base
            report_misspelt(driver, place, place + len(text), value, sure=True)
        fill_role(builder, role, value, start, driver.unit)
        driver.called = driver.called or role == "name"


def _looks_on(step: Step) -> bool:
    """Whether what stands behind a token tells that it is whole: a line that is nothing else."""
    return step.terminal.name in LINES or any(
        mark in step.terminal.pattern for mark in ("$", r"\Z")
    )


def _end_island(driver: Driver, node: Node) -> None:
    """Returns to text after an island, or into a section."""
    # A short section opener is evidence only together with a call or its closer.
    short = node.skipping and driver.position - driver.island < SECTION_EVIDENCE
    if driver.island >= 0 and not short:
        driver.commit()
    if driver.island < 0:
        driver.to_text()


def _perhaps_commit(driver: Driver, step: Step, text: str) -> None:
    """Makes the island certain where its call is whole, or a distinctive token follows its name."""
    if not driver.called:
        return
    builder = driver.builder
    if not builder.has_draft:
        driver.commit()
    elif (
        step.leaf != "name"
        and "name" not in dict(step.constants)
        and not any(role == "name" for _, role in step.terminal.groups)
    ):
        if step.kind == "same" or (not step.leaf and len(text.strip()) >= 3):
            driver.commit()
        else:
            builder.note_delimiter(step)
