"""Doubts a call in which something stands that may have been meant otherwise: it is not run."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from toolgrammar.core.arguments.raw_values import raws_of
from toolgrammar.core.machine.expressions import sampled
from toolgrammar.core.machine.repairs import repairs_of
from toolgrammar.core.payloads.json.shapes import json_shape
from toolgrammar.patterns.damaged_marks import marks_of
from toolgrammar.values.patterns import late
from toolgrammar.values.spans import Span

if TYPE_CHECKING:
    from collections.abc import Iterable

    from toolgrammar.core.machine.machine import Step
    from toolgrammar.core.message.build import Builder
    from toolgrammar.core.payloads.raw.raw_end import RawEnd
    from toolgrammar.core.state.driver import Driver

NEAR = 160
"""Characters at the end of a text in which a closer may stand."""
ends_with_closer = late(r"(?:</(?P<name>[^<>\s/]{1,64})>|```\w{0,16})\s{0,64}\Z")
_ENDS_LINE = late(r"[ \t]*(?:[\r\n<]|\Z)")
_LINE_ENDED = late(r"[^\r\n]\r?\n\Z")
_IN_A_LINE = late(r"[^\W\d_](?:[^\r\n]*[^\s:.!?\u2026])?[ \t]*\Z")
"""Words of a sentence that has not ended."""
_GOES_ON = late(r"[ \t]\w|[.,;:!?)]")
_FIRST_WORD = late(r"[\w-]{1,64}(?![\w-])")
_KEY = late(r"([^\W\d][\w-]{0,63}):(?:\s|\Z)")
_KEY_BEGUN = late(r"(?:[^\W\d][\w-]{0,63}:?)?\Z")
_ARGUMENT = late(
    r"""["'*-]{0,2}[ \t]?[a-z_][\w-]{0,63}["']?
    (?:[ \t]*(?:[:=;|](?=\S)|<<)|[ \t]+[^\n]*[\w"'\]}/][ \t\r]*(?:\n|\Z))""",
    re.VERBOSE,
)
"""A line that begins as an argument does, and ends as no sentence."""
_MARKUP = frozenset("<>{}|]")


def doubt_sibling(driver: Driver, opener: str, end: int) -> None:
    """Doubts a call in whose value the opener of another argument seems to stand.

    Args:
        driver: the driver.
        opener: what stands in the value, or behind the call.
        end: index in the buffer where that ends.
    """
    builder, place = driver.builder, max(0, driver.base + end)
    if builder.draft is not None:
        builder.draft.doubts.append("inner-argument")
        builder.report(
            "inner-argument",
            "error",
            f"Found `{opener[:40]}`; it may begin another argument",
            Span(place, place),
        )


def doubt_line_behind(driver: Driver) -> bool:
    """Doubts a call that a line follows which may be one of its arguments, damaged.

    Only a line right behind the call counts: it begins with the name of another argument, looks like
    one without its colon or blank, or stands before another argument. False where more text tells.
    """
    builder, place = driver.builder, driver.position
    start = driver.base + place
    # Three characters: the last of a line that is not empty, and a line end of one or two.
    if builder.draft is None or not _LINE_ENDED.search(builder.source.slice(start - 3, start)):
        return True
    # The next call opens there: the line is no argument of this one.
    if driver.node.machine.start.token.match(driver.buffer, place):
        return True
    behind = driver.buffer[place : place + NEAR]
    first, end, rest = behind.partition("\n")
    # The line may go on in the next chunk, and the next one may still begin with a key.
    may_grow = not end or (first.strip() != "" and _KEY_BEGUN.match(rest) is not None)
    if may_grow and not driver.final and len(behind) < NEAR:
        return False
    match = _FIRST_WORD.match(behind)
    # `limit` behind a call that has its limit is a word.
    awaited = match is not None and builder.awaits(match[0])
    next_key = _KEY.match(rest) if first.strip() else None
    if (
        awaited
        or _ARGUMENT.match(behind)
        or (next_key and (next_key[1].islower() or builder.awaits(next_key[1])))
    ):
        doubt_sibling(driver, first.strip(), place)
    return True


def doubt_inner_closer(
    driver: Driver, closers: Iterable[tuple[str, int, bool]], end: int, *, mended: bool = False
) -> None:
    """Doubts a call in whose value the closer of that value ends a line, or markup follows it.

    Who speaks of a closer goes on behind it; but in a call that is damaged any may be the end.

    Args:
        driver: the driver.
        closers: those in the value that nothing opens there, with the offsets behind them, and
            whether they tell of damage by themselves.
        end: index in the buffer where the value ends.
        mended: whether something else than its own closer ends the value.
    """
    builder, place = driver.builder, max(0, driver.base + end)
    for closer, behind, sure in closers:
        draft, follows = builder.draft, builder.source.slice(behind, behind + 64)
        # A closer that prose speaks of, as in `end it with </content> and go on`, ends no line.
        tells = sure and _ENDS_LINE.match(follows)
        if draft is not None and (mended or draft.repaired or tells):
            draft.doubts.append("stray-close-tag")
            message = f"Found `{closer[:40]}` in the value before; the value may have ended there"
            builder.report("stray-close-tag", "error", message, Span(place, place))
            return


def doubt_closer(driver: Driver, end: int) -> None:
    """Doubts a call whose text ends with a closer that nothing in it opens.

    Args:
        driver: the driver, which has given out the text up to there.
        end: index in the buffer where the text ends.
    """
    builder = driver.builder
    stop = driver.base + end
    match = ends_with_closer.search(builder.source.slice(max(0, stop - NEAR), stop))
    if match is None or builder.draft is None:
        return
    # From the arguments on: the tag of the call itself stands before them.
    text = builder.source.slice(max(builder.draft.start, builder.draft.arguments_start), stop)
    # Each closer needs its opener in the value: `<b>bold</b>` is whole.
    if match["name"] is not None:
        name = re.escape(match["name"])
        opened, closed = (len(re.findall(rf"<{each}{name}\b", text)) for each in ("", "/"))
        odd = closed > opened
    else:
        # Fences have no direction: an odd number leaves one open.
        odd = text.count("```") % 2 == 1
    if not odd:
        return
    builder.draft.doubts.append("stray-close-tag")
    builder.report(
        "stray-close-tag",
        "error",
        f"Found `{match[0].strip()[:40]}` at the end of a text; it may close something else",
        Span(max(0, stop - len(match[0])), stop),
    )


def doubt_stopped(driver: Driver, step: Step, end: int) -> None:
    """Doubts a call whose closer a stop string took away, where it may have been none.

    Args:
        driver: the driver, which has given out the text up to there.
        step: the payload.
        end: index in the buffer where the text ends.
    """
    doubt_closer(driver, end)
    # A free-text call is easily named in prose, for nothing has to stand between its markup.
    if step.leaf == "input":
        _doubt_sentence(driver.builder)


def _doubt_sentence(builder: Builder) -> None:
    """Doubts a call without its closer that stands in a sentence: it may name the opener only."""
    draft, start = builder.draft, raws_of(builder).start
    if draft is None:
        return
    before = builder.source.slice(max(0, draft.start - NEAR), draft.start)
    # `Use <search> to find it`: words before the opener on its line, and words behind it.
    if _IN_A_LINE.search(before) and _GOES_ON.match(builder.source.slice(start, start + 2)):
        draft.doubts.append("missing-close-tag")
        message = "Found a call in a sentence, and not its closer; the sentence may go on"
        builder.report("missing-close-tag", "error", message, Span(draft.start, start))


def doubt_damaged(
    driver: Driver, raw: RawEnd, end: int, *, openers: bool = False, is_cut: bool = False
) -> None:
    """Doubts a call in whose value a closer or an opener of the format seems to stand damaged.

    Args:
        driver: the driver, which has given out the value up to its end.
        raw: what ends the value.
        end: index in the buffer where it ends.
        openers: whether an opener that is damaged tells.
        is_cut: whether the end of the message ends it.
    """
    builder, draft, stop = driver.builder, driver.builder.draft, driver.base + end
    start = raws_of(builder).start
    if draft is None or start < 0 or raw.role not in ("value", "input", "body"):
        return
    text = builder.source.slice(start, stop)
    # What a closer repeats is part of its spelling, so damage to that shows, too.
    same = builder.same("SAME_NAME"), builder.same("SAME_KEY"), builder.marks.fence
    found = raw.marks.damaged(text, *same, openers=openers, is_cut=is_cut)
    if found is not None:
        draft.doubts.append("misspelt")
        message = f"Found `{found.text[:40]}` in a value; it may be `{found.mark}`"
        builder.report("misspelt", "error", message, Span(start + found.start, stop))


def doubt_last(driver: Driver) -> None:
    """Doubts the call that seems to be the last, where the opener of another stands damaged behind.

    It is called where the message ends.
    """
    builder, candidate = driver.builder, driver.builder.candidate
    if candidate is None:
        return
    behind = "".join(text for text, _ in candidate.behind)
    # Where only the last call counts, a later one that is damaged would have made this one text.
    openers = [sampled(each) for _, each in driver.node.machine.start.tokens]
    # A fence that lost a backtick is two of them.
    is_fence = any(not each.strip("`") for each in openers)
    if (is_fence and "``" in behind) or marks_of(tuple(openers)).find(behind) is not None:
        candidate.draft.doubts.append("quoted-call")
        message = "Found what may open another call behind the last one, which may be an example"
        builder.report("quoted-call", "error", message, Span(candidate.end, candidate.end))


def doubt_quoted_opener(driver: Driver) -> None:
    """Doubts a call in whose value another call opens that nothing closes: it may be meant."""
    builder, place = driver.builder, max(0, driver.base + driver.position)
    if builder.draft is not None:
        builder.draft.doubts.append("missing-close-tag")
        message = "Found the opener of another call in a value, and one closer for both"
        builder.report("missing-close-tag", "error", message, Span(place, place))


def doubt_open_json(driver: Driver, end: int) -> None:
    """Doubts a call whose value lacks its closer and is JSON that has not ended there.

    Args:
        driver: the driver, whose payload that value is.
        end: index in the buffer where the value ends.
    """
    builder, stop = driver.builder, max(0, driver.base + end)
    text = builder.source.slice(raws_of(builder).start, stop).strip()
    # Of `{"html": "</search>` the rest may follow the closer that ended the value.
    if builder.draft is not None and text[:1] in ("{", "[") and json_shape(text) is None:
        builder.draft.doubts.append("missing-close-tag")
        message = (
            "Found a closer of the call inside of JSON that has not ended; it may be a part of it"
        )
        builder.report("missing-close-tag", "error", message, Span(stop, stop))


def doubt_paired_closer(driver: Driver, word: str, end: int) -> None:
    """Doubts a call whose value ends with a misspelt closer that may pair with a tag in it.

    Args:
        driver: the driver.
        word: the name in that closer.
        end: index in the buffer where the value ends.
    """
    builder, stop = driver.builder, max(0, driver.base + end)
    if builder.draft is not None and f"<{word}" in builder.source.slice(
        raws_of(builder).start, stop
    ):
        builder.draft.doubts.append("misspelt")
        message = f"Found `{word[:40]}` in a closer; it may close a tag in the value"
        builder.report("misspelt", "error", message, Span(stop, stop))


def markup_follows(driver: Driver, place: int) -> bool:
    """Whether markup, and no prose, seems to stand where the closers of a call are missing.

    Args:
        driver: the driver, before the closers are put in.
        place: index in the buffer of what follows.
    """
    node = driver.node
    if place >= len(driver.buffer):
        return False
    first = driver.buffer[place]
    # Markup is what begins as any token does that may stand here, or that mending would look for.
    anchors = [each.step for each in repairs_of(node).anchors.values()]
    marks = {step.terminal.text.strip()[:1] for step in (*node.steps.values(), *anchors)}
    # What was passed over before this place was markup that did not fit.
    left_out = driver.builder.source.slice(driver.last_end, driver.base + place).strip()
    return bool(left_out) or is_mark(first) or (first in marks and not first.isalnum())


def ended_with_line(driver: Driver) -> bool:
    """Whether several lines are the value that was read last, and a line end is all that ended it.

    Where the call's closer is missing behind such a value, its last lines may be prose.
    """
    draft, previous = driver.builder.draft, driver.previous
    # The value ended at a pattern of the envelope, such as a line end, and at no closer of its own.
    if draft is None or previous is None or previous.kind != "regex" or previous.leaf:
        return False
    value = draft.arguments.get(draft.key)
    if not isinstance(value, str) or "\n" not in value:
        return False
    return driver.builder.source.slice(driver.last_end - 1, driver.last_end) == "\n"


def is_mark(character: str) -> bool:
    """Whether text seldom begins with a character, and markup often does."""
    return character in _MARKUP
