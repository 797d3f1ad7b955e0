"""Mends the markup of a certain call: inserts missing closers, and drops stray ones.

Example: a second `<tool_call>` after a complete object shows that the first call lacks its closer.

At text that the node does not accept, and that is not misspelt markup, the first case applies:

1. an anchor is here: the markup that the grammar expects before it is inserted;
2. a closer is here, all but its last tag: that tag is inserted;
3. markup is here that closes something which is not open: it is dropped;
4. words are here, and the next call or the closer of the section follows soon: they are text;
5. the arguments are complete, and text may follow the closers: these are inserted.

Nothing else is mended: the call ends unfinished.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from toolgrammar.core.arguments.raw_values import raws_of
from toolgrammar.core.calls import call_ends
from toolgrammar.core.evidence.member_behind import ends_too_early
from toolgrammar.core.evidence.named_tools import names_other_tool
from toolgrammar.core.evidence.used import touches
from toolgrammar.core.machine.expressions import markup_text
from toolgrammar.core.machine.lost_openers import lacks_opener
from toolgrammar.core.machine.machine import LONGEST_OPENER, Node, Step
from toolgrammar.core.machine.repairs import (
    BRACKETS,
    JUNK,
    JUNK_BEGINNINGS,
    begins_line,
    ends_line,
    repairs_of,
    without_last_tag,
)
from toolgrammar.core.mending.misspelt import mend_misspelt
from toolgrammar.core.mending.section_words import pass_words
from toolgrammar.core.mending.unreadable_calls import report_cut_nameless
from toolgrammar.core.message.reports import report_edit
from toolgrammar.core.state.doubts import (
    ended_with_line,
    is_mark,
    markup_follows,
    may_end_argument,
    may_lack_arguments,
)
from toolgrammar.core.trust.beside_arguments import holds_beside, rest_follows
from toolgrammar.values.patterns import blanks
from toolgrammar.values.spans import Span

if TYPE_CHECKING:
    from collections.abc import Sequence

    from toolgrammar.core.machine.repairs import Anchor
    from toolgrammar.core.state.driver import Driver

_LONGEST_MARKUP = 256  # The most characters to wait for while the text may become an anchor.


def step_back_to_call(driver: Driver, key: str) -> bool:
    """Takes back the last literal if the key after it is the name of a tool: a call begins there.

    Also true for an uncertain island whose opener stands there twice: it is given back.
    """
    back = driver.way_back
    if not names_other_tool(key, driver.builder.spec(), driver.node.machine.tool_names):
        return False
    if driver.island >= 0:
        return key == driver.builder.same("SAME_NAME")
    if back is None:
        return False
    # The text from the short literal on has to open a call.
    repairs = repairs_of(back.node)
    match = repairs.pattern.match(driver.buffer, back.start)
    name = match.lastgroup if match is not None else None
    if name is None or repairs.anchors[name].step.opens != "call":
        return False
    driver.step_back()
    return True


def mend(driver: Driver) -> bool | None:
    """Mends the markup at the driver's position; None if it can't, False to wait for more text."""
    node, buffer = driver.node, driver.buffer
    if node.payloads:
        return None  # a value is missing here, and none is made up
    place = blanks.match(buffer, driver.position).end()
    respelt = mend_misspelt(driver, place)
    if respelt is not None:
        return respelt
    repairs = repairs_of(node)
    # A stream waits for at most as much text as markup may have.
    if not driver.final and len(buffer) - place <= _LONGEST_MARKUP:
        waits = (repairs.beginnings, node.beginnings, JUNK_BEGINNINGS)
        if place == len(buffer) or any(pattern.match(buffer, place) for pattern in waits):
            return False
    anchor = _anchor(driver, place)
    if anchor is not None:
        return _insert_before_anchor(driver, anchor, place)
    if _complete_closer(driver, place):
        return True
    junk = JUNK.match(buffer, place)
    if junk is not None:
        _drop_junk(driver, place, junk.end())
        return True
    passed = pass_words(driver, place)
    if passed is not None:
        return passed
    return _end_before_text(driver, place)


def _insert_before_anchor(driver: Driver, anchor: Anchor, place: int) -> bool:
    """Inserts the markup that is missing before an anchor; False if more text is needed."""
    buffer, is_cut = driver.buffer, driver.builder.end.is_cut
    is_early = driver.has_name and ends_too_early(buffer, place, final=driver.final, is_cut=is_cut)
    if is_early is None:
        return False
    # `<|start|>assistant` may open a call, a thought or an answer: alone it does not show which.
    begins = anchor.step.opens != "" or "call" in anchor.step.closes_before
    begins = begins or driver.start_node.opener.match(buffer, place) is not None
    breaks_off = begins and may_lack_arguments(driver, place)
    doubtful = is_early or ended_with_line(driver) or breaks_off
    insert_markup(driver, anchor.path, doubtful=doubtful)
    driver.move_to(place)
    if driver.node.accepts_text and not driver.builder.has_draft:
        driver.to_text()  # the anchor opens an island, which may turn out not to be a call
    return True


def _end_before_text(driver: Driver, place: int) -> bool | None:
    """Inserts the closers of a call that has its arguments, before text or another call."""
    path = repairs_of(driver.node).to_text
    if path is None or not driver.builder.has_arguments:
        return None
    # The text may belong to the key, the string, or the value without a closer that it follows.
    last = driver.previous
    is_open = last is not None and last.role in ("key", "value")
    doubtful = is_open or (last is not None and last.terminal.name == "JSON_TEXT")
    doubtful = doubtful or may_lack_arguments(driver, place)
    if not doubtful:
        more = rest_follows(driver.builder, driver.buffer, place, final=driver.final)
        if more is None:
            return False
        doubtful = more or _is_glued(driver, place)
    if not doubtful and markup_follows(driver, place):
        follows = lacks_opener(
            path[-1].node, driver.buffer, place, driver.builder.tools, final=driver.final
        )
        if follows is None:
            return False
        doubtful = not follows
    insert_markup(driver, path, doubtful=doubtful)
    driver.move_to(place)  # depending on the chunks, the white space may be consumed already
    driver.close_before_text()
    return True


def _is_glued(driver: Driver, place: int) -> bool:
    r"""Whether text directly after a tag, a quote or a bracket may belong to that.

    In `</path>[\n<text>` the `[` may belong to a damaged tag, in `path=""a"/>` the `a"` to the
    attribute, in `{}a": 1}` the member to the object.
    """
    if driver.base + place != driver.last_end or place == len(driver.buffer):
        return False
    last = driver.previous
    if last is not None and last.terminal.text.strip().endswith((">", '"')):
        return True
    # Only behind the bracket of a payload: the bracket of the call itself follows all arguments.
    before = driver.builder.source.slice(driver.last_end - 1, driver.last_end)
    is_payload = last is not None and last.role != ""
    return is_payload and touches(before, driver.buffer[place])


def _complete_closer(driver: Driver, place: int) -> bool:
    """Inserts the last tag of a closer whose other tags stand here; returns whether it did."""
    for step in driver.node.steps.values():
        half, whole = without_last_tag(step), step.terminal.text.strip()
        if half and driver.buffer.startswith(half, place):
            end = driver.base + place + len(half)
            rest = whole[len(half) :]
            behind = place + len(half)
            others = (each.text.strip() for each in driver.node.machine.tables.terminals)
            # `</parameter>` may be half of several closers, so the choice may be wrong.
            shared = any(each.startswith(half) and half != each != whole for each in others)
            follows = driver.buffer[behind : behind + 1]
            doubtful = (shared and follows.strip() != "") or is_mark(follows)
            doubtful = doubtful and driver.builder.draft is not None
            message, span = f"Found `{half}` without `{rest}`; put it in", Span(end, end)
            report_edit(driver.builder, "missing-close-tag", message, span, rest, doubtful=doubtful)
            if driver.builder.draft is not None:
                driver.builder.draft.mend(*["missing-close-tag"] * doubtful)
            driver.move_to(behind)
            driver.end_at(end)
            driver.apply_without_text(step)
            return True
    return False


def _anchor(driver: Driver, place: int) -> Anchor | None:
    """Returns the anchor at an index, before which steps are missing; None if there is none."""
    repairs = repairs_of(driver.node)
    match = repairs.pattern.match(driver.buffer, place)
    if match is None or match.lastgroup is None:
        return None
    # If the repeated name is another one, the anchor closes something else.
    for name, value in match.groupdict().items():
        repeated = name.startswith("SAME_") and value
        if repeated and value != driver.builder.same(name.rpartition("_")[0]):
            return None
    return repairs.anchors[match.lastgroup]


def insert_markup(driver: Driver, path: Sequence[Step], *, doubtful: bool = False) -> None:
    """Inserts markup after the last token and reports it; `doubtful` makes the call doubtful."""
    builder = driver.builder
    place = driver.last_end
    text = _text_of_path(driver, path, place)
    draft = builder.draft
    doubtful = doubtful and draft is not None
    message = f"Found no `{text.strip()}` before what follows; put it in"
    report_edit(builder, "missing-close-tag", message, Span(place, place), text, doubtful=doubtful)
    if doubtful and draft is not None:
        draft.doubts.append("missing-close-tag")
    # Markup that is inserted after a complete call does not repair that call.
    if draft is not None and "call" not in path[0].closes_before:
        draft.mend()
        if any("call" in s.closes + s.closes_before for s in path):
            # It is not known whether arguments were to follow.
            if not builder.has_arguments:
                draft.cut()
            draft.close_unescaped()
    for step in path:
        driver.apply_without_text(step)


def missing_closers(driver: Driver, node: Node, place: int | None = None) -> str:
    """Returns the closers that a node lacks at an index of the buffer, by default at its end."""
    path = repairs_of(node).to_end
    place = len(driver.buffer) if place is None else place
    return _text_of_path(driver, path, driver.base + place) if path else ""


def closers_behind(driver: Driver, node: Node) -> str | None:
    """Returns the closers that are missing after a payload before `node`; None if not known."""
    if repairs_of(node).to_end is None:
        return "" if node.accepts_text else None
    return missing_closers(driver, node)


def is_cut_markup(driver: Driver, node: Node, position: int) -> bool:
    """Whether the rest of the text is the beginning of markup that fits, as it is or mended."""
    buffer, place = driver.buffer, blanks.match(driver.buffer, position).end()
    if len(buffer) - place > LONGEST_OPENER:
        return False  # longer than any markup
    if node.beginnings.match(buffer, position):
        return True
    # If a value may stand here, half a closer may be its beginning. Strict reading mends nothing.
    if node.payloads or driver.builder.strict or place == len(buffer):
        return False
    return repairs_of(node).beginnings.match(buffer, place) is not None


def cut_call(driver: Driver, *, root_open: bool = False) -> None:
    """Ends the call because the text ends inside its markup, and reports the missing closers."""
    end = driver.base + len(driver.buffer)
    # `get_t` at the end of the text may be half of `get_time`.
    last = driver.previous
    named = last is not None and (last.role == "name" or last.terminal.holds_name)
    if named and driver.last_end == end and call_ends.give_back_half_a_name(driver.builder, end):
        return
    report_cut_nameless(driver)
    left_out = raws_of(driver.builder).left_out
    place = driver.last_end - driver.base
    closers = "" if left_out else missing_closers(driver, driver.node, place)
    call_ends.cut(driver.builder, end, root_open=root_open, closers=closers, place=driver.last_end)


def _text_of_path(driver: Driver, path: Sequence[Step], place: int) -> str:
    """Returns the text of markup that is inserted at an offset."""
    before = driver.builder.source.slice(place - 1, place)
    previous = driver.previous if driver.last_end == place else None
    text, is_ended = "", previous is not None and ends_line(previous.terminal)
    for step in path:
        # A closer such as a fence stands alone on its line, which its own text does not show.
        breaks = is_ended or begins_line(step.terminal)
        text += "\n" * (breaks and (text or before)[-1:] != "\n") + text_of(step, driver)
        is_ended = ends_line(step.terminal)
    # A line break that the source has already is not inserted again.
    text = text.removeprefix("\n") if before == "\n" else text
    goes_on = driver.builder.source.slice(place, place + 1) not in ("", "\r", "\n")
    return f"{text}\n" if goes_on and is_ended else text


def text_of(step: Step, driver: Driver) -> str:
    """Returns the text of a token: the name that it repeats, or its own text."""
    if step.kind == "same":
        return driver.builder.same(step.terminal.name)
    return markup_text(step.terminal)


def _drop_junk(driver: Driver, start: int, end: int) -> None:
    """Drops markup between two indexes that closes nothing, and reports it."""
    builder = driver.builder
    span = Span(driver.base + start, driver.base + end)
    message = f"Found `{driver.buffer[start:end][:40]}`, which closes nothing; left it out"
    report_edit(builder, "stray-close-tag", message, span, "")
    if builder.draft is not None:
        # The bracket may belong to an argument, or to arguments that were closed too early.
        doubtful = driver.buffer[start:end] in BRACKETS and (
            builder.lacks_required or holds_beside(builder, builder.draft)
        )
        doubtful = doubtful or may_end_argument(driver, driver.buffer[start:end])
        # A fence with its language, as in "```yaml", opens a block: another call may begin there.
        doubtful = doubtful or driver.buffer[start:end].strip("`").isalpha()
        builder.mend(*["stray-close-tag"] * doubtful)
    # A call has no draft before its name.
    elif driver.in_call:
        builder.mend_next()
    driver.move_to(end)
    if driver.way_back is not None and end - driver.way_back.start > _LONGEST_MARKUP:
        driver.forget_way_back()  # after so much markup the last literal is not taken back
