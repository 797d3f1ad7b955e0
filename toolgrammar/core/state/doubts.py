"""Adds doubts to a call whose text is ambiguous, so that it is not executable.

Example: in `<parameter=x>a</content></function>` the value of `x` lacks its closer. It ends with
`</content>`, which nothing in it opens, so the call gets the doubt `stray-close-tag`.
"""

from __future__ import annotations

import re
from itertools import chain
from typing import TYPE_CHECKING

from toolgrammar.core.arguments.raw_values import raws_of
from toolgrammar.core.machine.expressions import sampled
from toolgrammar.core.machine.repairs import repairs_of
from toolgrammar.core.payloads.json.shapes import json_shape
from toolgrammar.core.payloads.raw.raw_tags import ends_line
from toolgrammar.patterns.damaged_marks import marks_of
from toolgrammar.values.patterns import blanks, late
from toolgrammar.values.spans import Span

if TYPE_CHECKING:
    from collections.abc import Iterable

    from toolgrammar.core.machine.machine import Step
    from toolgrammar.core.message.build import Builder
    from toolgrammar.core.payloads.raw.raw_end import RawEnd
    from toolgrammar.core.state.driver import Driver

NEAR = 160
"""The number of characters before or after a place in which markup or words are searched."""
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
    (?:[ \t]*(?:[:=;|](?=\S)|<<)|[ \t]++[^\n]*[\w"'\]}/][ \t\r]*(?:\n|\Z))""",
    re.VERBOSE,
)
"""A line that begins like an argument and does not end like a sentence."""
_BLOCK_END = late(r"^ {0,3}(?:`{3,9}|~{3,9})[ \t\r]{0,16}$", re.MULTILINE)
_MARKUP = frozenset("<>{}|]")


def doubt_sibling(driver: Driver, opener: str, end: int) -> None:
    """Doubts a call if the opener of another argument seems to stand in a value, or after the call.

    Args:
        driver: the driver.
        opener: the text that looks like an opener.
        end: the index in the buffer at which the diagnostic is reported.
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


def doubt_open_brackets(driver: Driver) -> bool:
    """Doubts a call if brackets of its payload are open where another call or a thought opens.

    The model may have broken off in it, to begin anew: `{"to": ["a@b.c",<tool_call>`.

    Returns:
        False if more text is needed.
    """
    builder, buffer, start = driver.builder, driver.buffer, driver.start_node
    if builder.draft is None or not driver.payload.lacks_closers:
        return True
    place = blanks.match(buffer, driver.position).end()
    if start.opener.match(buffer, place):
        driver.payload.note_open_brackets(are_open=False)  # it is told of
        builder.draft.doubts.append("bracket")
        message = "Found the opener of a call or a thought in the midst of a payload; it may be cut"
        builder.report("bracket", "error", message, Span(driver.last_end, driver.last_end))
        return True
    may_open = place == len(buffer) or start.opener_beginnings.match(buffer, place)
    return driver.final or not may_open


def may_lack_arguments(driver: Driver, place: int) -> bool:
    """Whether the open call may have more arguments, where its closer is missing.

    At the end of the text such a call is truncated, since nothing shows that its last argument came.

    Args:
        driver: the driver, behind an argument of the open call.
        place: the index of what stands there in place of the closer: another call, or text.
    """
    draft, spec = driver.builder.draft, driver.builder.spec()
    if draft is None or draft.has_payload or not draft.arguments:
        return False
    # A damaged closer, as `</fuction>`, was left out. The buffer may have dropped it, too.
    if "/" in driver.builder.source.slice(driver.last_end, driver.base + place):
        return False
    # With all arguments nothing is left to come, unless the last value ends with its line alone.
    last = driver.previous
    is_closed = last is not None and not last.leaf and not ends_line(last.terminal)
    given = draft.arguments.keys()
    return not is_closed or spec is None or not given >= spec.properties.keys()


def doubt_line_behind(driver: Driver) -> bool:
    """Doubts a call if the next line may be one of its arguments, damaged.

    Only the line right after the call counts. It begins with the name of an argument that was not
    given, looks like an argument without its colon or blank, or stands before another argument.

    Returns:
        False if more text is needed.
    """
    builder, place = driver.builder, driver.position
    start = driver.base + place
    # Three characters are enough: the last one of a line that is not empty, and a line end of one
    # or two.
    if builder.draft is None or not _LINE_ENDED.search(builder.source.slice(start - 3, start)):
        return True
    # The next call opens there, so the line is not an argument of this one.
    if driver.node.machine.start.token.match(driver.buffer, place):
        return True
    behind = driver.buffer[place : place + NEAR]
    first, end, rest = behind.partition("\n")
    # The line may go on in the next chunk, and the next one may still begin with a key.
    may_grow = not end or (first.strip() != "" and _KEY_BEGUN.match(rest) is not None)
    if may_grow and not driver.final and len(behind) < NEAR:
        return False
    match = _FIRST_WORD.match(behind)
    # After a call that has the argument `limit`, a line with that word is prose.
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
    """Doubts a call if its value contains its own closer at the end of a line or before markup.

    A closer that prose mentions is followed by more of its sentence. In a damaged call any closer
    in the value may be the real one.

    Args:
        driver: the driver.
        closers: the closers in the value that nothing there opens: text, the offset after it, and
            whether it is evidence of damage by itself.
        end: the index in the buffer where the value ends.
        mended: whether the value ends at something else than its own closer.
    """
    builder, place = driver.builder, max(0, driver.base + end)
    for closer, behind, sure in closers:
        draft, follows = builder.draft, builder.source.slice(behind, behind + 64)
        # A closer that prose mentions, as in `end it with </content> and go on`, does not end a
        # line.
        tells = sure and _ENDS_LINE.match(follows)
        if draft is not None and (mended or draft.repaired or tells):
            draft.doubts.append("stray-close-tag")
            message = f"Found `{closer[:40]}` in the value before; the value may have ended there"
            builder.report("stray-close-tag", "error", message, Span(place, place))
            return


def doubt_closer(driver: Driver, end: int) -> None:
    """Doubts a call whose text ends with a closer that nothing in it opens.

    Args:
        driver: the driver, which has emitted the text up to its end.
        end: the index in the buffer where the text ends.
    """
    builder = driver.builder
    stop = driver.base + end
    match = ends_with_closer.search(builder.source.slice(stop - NEAR, stop))
    if match is None or builder.draft is None:
        return
    # Only the arguments are searched: the tag of the call itself stands before them.
    text = builder.source.slice(max(builder.draft.start, builder.draft.arguments_start), stop)
    # Each closer needs its opener in the value: `<b>bold</b>` is whole.
    if match["name"] is not None:
        name = re.escape(match["name"])
        opened, closed = (len(re.findall(rf"<{each}{name}\b", text)) for each in ("", "/"))
        odd = closed > opened
    else:
        # A fence opens or closes a block alike, so an odd number leaves one open.
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
    """Doubts a call that a stop string ended without its closer, if the text may not be a call.

    Args:
        driver: the driver, which has emitted the text up to its end.
        step: the step of the payload.
        end: the index in the buffer where the text ends.
    """
    doubt_closer(driver, end)
    # The opener of a free-text call is easily mentioned in prose, as any text may follow it.
    if step.leaf == "input":
        _doubt_sentence(driver.builder)


def doubt_block_end(driver: Driver, end: int) -> None:
    r"""Doubts a call that the end of the text closes, if the block of code around it ends in it.

    Of "```\n🛠️ bash ls\n```" the last line belongs to the value, by the grammar, and to the block.

    Args:
        driver: the driver, which has emitted the value up to its end.
        end: the index in the buffer where the value ends.
    """
    builder, draft = driver.builder, driver.builder.draft
    if draft is None or builder.turns.fence < 0:
        return
    found = _BLOCK_END.search(builder.source.slice(raws_of(builder).start, driver.base + end))
    if found is not None:
        draft.doubts.append("missing-close-tag")
        message = (
            f"Found `{found[0].strip()}` in a value, which may close the block around its call"
        )
        builder.report("missing-close-tag", "error", message, Span(draft.start, driver.base + end))


def _doubt_sentence(builder: Builder) -> None:
    """Doubts a call without its closer inside a sentence, which may only mention the opener."""
    draft, start = builder.draft, raws_of(builder).start
    if draft is None:
        return
    before = builder.source.slice(draft.start - NEAR, draft.start)
    # As in `Use <search> to find it`: words stand before the opener on its line, and after it.
    if _IN_A_LINE.search(before) and _GOES_ON.match(builder.source.slice(start, start + 2)):
        draft.doubts.append("missing-close-tag")
        message = "Found a call in a sentence, and not its closer; the sentence may go on"
        builder.report("missing-close-tag", "error", message, Span(draft.start, start))


def doubt_damaged(
    driver: Driver, raw: RawEnd, end: int, *, openers: bool = False, is_cut: bool = False
) -> None:
    """Doubts a call if its value seems to contain a damaged closer or opener of the format.

    Args:
        driver: the driver, which has emitted the value up to its end.
        raw: the closers that end the value.
        end: the index in the buffer where the value ends.
        openers: whether a damaged opener counts as well.
        is_cut: whether the end of the message ends the value.
    """
    builder, draft, stop = driver.builder, driver.builder.draft, driver.base + end
    start = raws_of(builder).start
    if draft is None or start < 0 or raw.role not in ("value", "input", "body"):
        return
    text = builder.source.slice(start, stop)
    # The name, key or fence that a closer repeats is part of its spelling, so damage to it counts.
    same = builder.same("SAME_NAME"), builder.same("SAME_KEY"), builder.marks.fence
    found = raw.marks.damaged(text, *same, openers=openers, is_cut=is_cut)
    if found is not None:
        draft.doubts.append("misspelt")
        message = f"Found `{found.text[:40]}` in a value; it may be `{found.mark}`"
        builder.report("misspelt", "error", message, Span(start + found.start, stop))


def doubt_last(driver: Driver) -> None:
    """Doubts the last call of a message if a damaged opener of another call follows it.

    It is called at the end of the message, and matters in formats in which only the last call
    counts.
    """
    builder, candidate = driver.builder, driver.builder.candidate
    if candidate is None:
        return
    behind = "".join(text for text, _ in candidate.behind)
    # If the damaged opener is that of a later call, that call counts and this one is text.
    openers = [sampled(each) for _, each in driver.node.machine.start.tokens]
    # A fence of three backticks that lost one is two backticks.
    is_fence = any(not each.strip("`") for each in openers)
    if (is_fence and "``" in behind) or marks_of(tuple(openers)).find(behind) is not None:
        candidate.draft.doubts.append("quoted-call")
        message = "Found what may open another call behind the last one, which may be an example"
        builder.report("quoted-call", "error", message, Span(candidate.end, candidate.end))


def doubt_quoted_opener(driver: Driver) -> None:
    """Doubts a call if another call opens in its value and is not closed: it may be a real call."""
    builder, place = driver.builder, max(0, driver.base + driver.position)
    if builder.draft is not None:
        builder.draft.doubts.append("missing-close-tag")
        message = "Found the opener of another call in a value, and one closer for both"
        builder.report("missing-close-tag", "error", message, Span(place, place))


def doubt_open_json(driver: Driver, end: int) -> None:
    """Doubts a call whose value lacks its closer and is incomplete JSON.

    Args:
        driver: the driver, which reads the value as its payload.
        end: the index in the buffer where the value ends.
    """
    builder, stop = driver.builder, max(0, driver.base + end)
    text = builder.source.slice(raws_of(builder).start, stop).strip()
    # In `{"html": "</search>` the closer that ended the value may be part of the JSON.
    if builder.draft is not None and text[:1] in ("{", "[") and json_shape(text) is None:
        builder.draft.doubts.append("missing-close-tag")
        message = (
            "Found a closer of the call inside of JSON that has not ended; it may be a part of it"
        )
        builder.report("missing-close-tag", "error", message, Span(stop, stop))


def doubt_paired_closer(driver: Driver, word: str, end: int) -> None:
    """Doubts a call whose value ends with a misspelt closer that may close a tag in the value.

    Args:
        driver: the driver.
        word: the name in that closer.
        end: the index in the buffer where the value ends.
    """
    builder, stop = driver.builder, max(0, driver.base + end)
    if builder.draft is not None and f"<{word}" in builder.source.slice(
        raws_of(builder).start, stop
    ):
        builder.draft.doubts.append("misspelt")
        message = f"Found `{word[:40]}` in a closer; it may close a tag in the value"
        builder.report("misspelt", "error", message, Span(stop, stop))


def markup_follows(driver: Driver, place: int) -> bool:
    """Whether the text after a call without its closers looks like markup and not like prose.

    Args:
        driver: the driver, before the closers are inserted.
        place: the index in the buffer of the text that follows.
    """
    node = driver.node
    if place >= len(driver.buffer):
        return False
    first = driver.buffer[place]
    # Markup begins with the first character of a token that may stand here, or of one that mending
    # searches for.
    anchors = [each.step for each in repairs_of(node).anchors.values()]
    marks = {step.terminal.text.strip()[:1] for step in chain(node.steps.values(), anchors)}
    # Text that was skipped before this place was markup that did not fit.
    left_out = driver.builder.source.slice(driver.last_end, driver.base + place).strip()
    return bool(left_out) or is_mark(first) or (first in marks and not first.isalnum())


def ended_with_line(driver: Driver) -> bool:
    """Whether the last value has several lines and ended at a line end alone.

    If the call's closer is missing after such a value, its last lines may be prose.
    """
    draft, previous = driver.builder.draft, driver.previous
    # The value ended at a pattern of the envelope, such as a line end, not at a closer of its own.
    if draft is None or previous is None or previous.kind != "regex" or previous.leaf:
        return False
    value = draft.arguments.get(draft.key)
    if not isinstance(value, str) or "\n" not in value:
        return False
    return driver.builder.source.slice(driver.last_end - 1, driver.last_end) == "\n"


def is_mark(character: str) -> bool:
    """Whether a character often begins markup and seldom begins prose."""
    return character in _MARKUP
