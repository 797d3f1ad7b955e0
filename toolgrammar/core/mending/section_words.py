"""Passes over words between the opener of a section and its calls, and between its calls.

Example: in `<calls>First: <call f>{}</call></calls>` the words are no call, and the call is read.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from toolgrammar.core.evidence.used import NEAR, begins, is_quoted
from toolgrammar.core.machine.repairs import call_openers_of, landmarks_of
from toolgrammar.core.message.reports import report_edit
from toolgrammar.grammar.call_evidence import is_of_calls
from toolgrammar.values.patterns import late
from toolgrammar.values.spans import Span

if TYPE_CHECKING:
    from toolgrammar.core.state.driver import Driver

_QUOTES = "`\"'"
_REACH = 512  # The most characters of words between the calls of a section.
_MARKUP = late(r"[<>{}\[\]|`\uff5c]")
"""Characters that words before the first call of a section do not contain."""


def pass_words(driver: Driver, place: int) -> bool | None:
    """Emits words between the calls of a section as text, if markup of the section follows soon.

    Before the first call, the opener of the section has to look like one in use.

    Returns:
        False if more text is needed; None if no markup of the section follows.
    """
    builder, buffer = driver.builder, driver.buffer
    # A grammar with `SKIPPED` reads words there: with a call behind them the section is certain.
    skips = driver.island >= 0 and driver.node.skipping
    pattern = (call_openers_of if skips else landmarks_of)(driver.node)
    # Words in a call belong to it, not to the section.
    if pattern is None or builder.group is None or builder.has_draft:
        return None
    is_word = skips or buffer[place : place + 1].isalpha()
    if driver.island >= 0 and not (is_word and _opens_section(driver)):
        return None
    match = pattern.search(buffer, place, place + _REACH)
    if match is None:
        return None if driver.final or len(buffer) - place >= _REACH else False
    if buffer[match.start() - 1] in _QUOTES:
        return None  # quoted markup is not in use
    words = buffer[place : match.start()]
    if skips:
        driver.commit()
        driver.to_text()
        return True
    if driver.island >= 0:
        if not begins(words) or _MARKUP.search(words):
            return None
        driver.commit()
    span = Span(driver.base + place, driver.base + match.start())
    message = "Found text between the calls of a section; it is no call's"
    is_lost = _MARKUP.search(words) is not None and any(map(str.isalnum, words))
    report_edit(builder, "skipped-markup", message, span, "", doubtful=is_lost)
    driver.give_text(place, match.start())
    driver.move_to(match.start())
    # The next call begins after the words, since spans must not overlap.
    if driver.call_start >= 0:
        driver.note_call_start(driver.base + match.start(), in_call=driver.in_call)
    return True


def _opens_section(driver: Driver) -> bool:
    """Whether an island has only the opener of a section, which is not part of a sentence."""
    start = driver.island
    opener = driver.buffer[start : driver.position]
    before = driver.builder.source.slice(driver.base + start - NEAR, driver.base + start)
    is_known = not driver.builder.strict and is_of_calls(opener, "")
    return (
        driver.island_tokens == 1
        and (is_known or driver.node.skipping)
        and begins(before)
        and not is_quoted(before, len(before))
    )
