"""Doubts a call because of the text behind its arguments, so that it is not executable.

Example: in `{"to": ["a@b.c",<tool_call>` brackets are open where another call opens, so the call gets
the doubt `bracket`. Text in a value is judged in `driver/raw/value_doubts.py`.
"""

from __future__ import annotations

import re
from itertools import chain
from typing import TYPE_CHECKING

from toolgrammar.core.machine.expressions import sample_text
from toolgrammar.core.machine.repairs import repairs_of
from toolgrammar.core.message.reports import doubt, doubt_open
from toolgrammar.core.payloads.raw.raw_tokens import ends_line
from toolgrammar.grammar.roles import CLOSING_LINES
from toolgrammar.patterns.damaged_marks import marks_of
from toolgrammar.values.patterns import anywhere, blanks, late
from toolgrammar.values.spans import Span

if TYPE_CHECKING:
    from toolgrammar.core.state.driver import Driver

NEAR = 160
"""The number of characters before or after a place in which markup or words are searched."""
ends_with_closer = late(r"(?:</(?P<name>[^<>\s/]{1,64})>|```\w{0,16})\s{0,64}\Z")
_LINE_REST = anywhere(r"[ \t]{0,64}(?:\r?\n)?")
_LINE_ENDED = late(r"[^\r\n]\r?\n\Z")
_FIRST_WORD = late(r"[\w-]{1,64}(?![\w-])")
_LISTED_KEY = late(r"[\"'`*>+-]{0,3}[ \t]{0,8}[\"'`*]{0,2}([\w-]{1,64})[\"'`*]{0,2}[ \t]{0,8}[:=]")
"""The key of an argument as prose lists it: `- days: 3`, `**days**: 3`."""
_KEY = late(r"([^\W\d][\w-]{0,63}):(?:\s|\Z)")
_KEY_BEGUN = late(r"(?:[^\W\d][\w-]{0,63}:?)?\Z")
_ARGUMENT = late(
    r"""["'*-]{0,2}[ \t]?[a-z_][\w-]{0,63}
    (?:["'][ \t]*:|["']?(?:[ \t]*(?:[:=;|](?=\S)|<<)|[ \t]++[^\n]*[\w"'\]}/][ \t\r]*(?:\n|\Z)))""",
    re.VERBOSE,
)
"""A line that begins like an argument and does not end like a sentence."""
_MARKUP = frozenset("<>{}|]")


def doubt_inner_argument(driver: Driver, opener: str, end: int) -> None:
    """Doubts a call if the opener of another argument seems to stand in a value, or after the call.

    Args:
        driver: the driver.
        opener: the text that looks like an opener.
        end: the index in the buffer at which the diagnostic is reported.
    """
    place = driver.base + end
    message = f"Found `{opener[:40]}`; it may begin another argument"
    doubt_open(driver.builder, "inner-argument", message, Span(place, place))


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
        driver.payload.note_open_brackets(are_open=False)  # they are reported
        message = "Found the opener of a call or a thought in the midst of a payload; it may be cut"
        doubt_open(builder, "bracket", message, Span(driver.last_end, driver.last_end))
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
    if draft is None or draft.has_all_arguments or not draft.arguments:
        return False
    # A damaged closer, as `</fuction>`, was left out. The buffer may have dropped it, too.
    if "/" in driver.builder.source.slice(driver.last_end, driver.base + place):
        return False
    # A call with all its arguments is complete, unless only a line end ended its last value.
    last = driver.previous
    is_closed = last is not None and not last.role and not ends_line(last.terminal)
    given = draft.arguments.keys()
    return not is_closed or spec is None or not given >= spec.properties.keys()


def may_end_argument(driver: Driver, closer: str) -> bool:
    """Whether a stray closer may be that of a call's first argument, whose opener is lost.

    As in `<function name="f"aram name="a"></param>`. A misspelt or repeated closer does not count.
    """
    builder, previous = driver.builder, driver.previous
    if builder.has_arguments or not closer.startswith("</"):
        return False
    if previous is not None and previous.terminal.text.strip() == closer:
        return False
    # Only a closer that the format has can be that of an argument.
    spec, terminals = builder.spec(), driver.node.machine.tables.terminals
    takes_any = spec is None or bool(spec.properties)
    return takes_any and any(sample_text(each).strip() == closer for each in terminals)


def doubt_line_behind(driver: Driver) -> bool:
    """Doubts a call if the next line may be one of its arguments, damaged.

    Only the line right after the call counts. It begins with the name of an argument that was not
    given, looks like an argument without its colon or blank, or stands before another argument or
    behind one without a value.

    Returns:
        False if more text is needed.
    """
    builder, place, last = driver.builder, driver.position, driver.previous
    if last is not None and last.terminal.name in CLOSING_LINES:
        # The mark of a here-document stands alone in its line, whose end is not read yet.
        place = _LINE_REST.match(driver.buffer, place).end()
        if driver.buffer[place:] in ("", "\r") and not driver.final:
            return False
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
    line = first.strip()
    # The line may go on in the next chunk, and the next one may still begin with a key.
    may_grow = not end or (line != "" and _KEY_BEGUN.match(rest) is not None)
    if may_grow and not driver.final and len(behind) < NEAR:
        return False
    # The server ended the text before the line showed what it is.
    is_begun = may_grow and builder.end.is_cut and line != ""
    # The key may stand alone, since its value may be on the next line, or in a list of Markdown.
    words = (_FIRST_WORD.match(behind), _LISTED_KEY.match(behind))
    # After a call that has the argument `limit`, a line with that word is prose.
    awaited = any(word is not None and builder.awaits(word[word.lastindex or 0]) for word in words)
    next_key = _KEY.match(rest) if line else None
    # What an argument without a value should hold may stand below its key.
    lacks_value = line != "" and builder.draft.arguments.get(builder.draft.key) == ""
    if (
        awaited
        or is_begun
        or lacks_value
        or _ARGUMENT.match(behind)
        or (next_key and (next_key[1].islower() or builder.awaits(next_key[1])))
    ):
        doubt_inner_argument(driver, line, place)
    return True


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
    openers = [sample_text(each) for _, each in driver.node.machine.start.tokens]
    # A fence of three backticks that lost one is two backticks.
    is_fence = any(not each.strip("`") for each in openers)
    if (is_fence and "``" in behind) or marks_of(tuple(openers)).find(behind) is not None:
        message = "Found what may open another call behind the last one, which may be an example"
        place = Span(candidate.end, candidate.end)
        doubt(builder, candidate.draft, "quoted-call", message, place)


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
    if draft is None or previous is None or previous.kind != "regex" or previous.role:
        return False
    value = draft.arguments.get(draft.key)
    if not isinstance(value, str) or "\n" not in value:
        return False
    return driver.builder.source.slice(driver.last_end - 1, driver.last_end) == "\n"


def is_mark(character: str) -> bool:
    """Whether a character often begins markup and seldom begins prose."""
    return character in _MARKUP
