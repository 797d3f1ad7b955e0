"""Mends the markup of a call that is certain: puts in what is missing, leaves out what is stray.

In this order, at a place that the node does not take:

1. an anchor is here: what the grammar wants before it is put in;
2. markup is here that closes something which is not open: it is left out;
3. words are here, and the next call or the closer of the section follows soon: they are text;
4. the opener of something is here that an outer part of the stack takes: what is open ends;
5. the arguments are there, and text may follow the closers: they are put in, the rest is text.

Nothing else is mended: the call ends as one that the text does not finish.

Example: a second `<tool_call>` behind a whole object shows that the first call lacks its closer.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from toolgrammar.core.arguments.raw_values import raws_of
from toolgrammar.core.calls import call_ends
from toolgrammar.core.evidence.member_behind import keyword_behind, stands_at
from toolgrammar.core.evidence.used import NEAR, begins, is_quoted
from toolgrammar.core.machine.lost_openers import stands_unopened
from toolgrammar.core.machine.repairs import (
    BRACKETS,
    JUNK,
    JUNK_BEGINNINGS,
    clipped,
    ends_line,
    landmarks_of,
    repairs_of,
    written,
)
from toolgrammar.core.mending.misspelt import respell
from toolgrammar.core.state.doubts import ended_with_line, is_mark, markup_follows
from toolgrammar.core.trust.beside_arguments import holds_beside
from toolgrammar.grammar.call_evidence import is_of_calls
from toolgrammar.values.diagnostics import Edit
from toolgrammar.values.patterns import blanks, late
from toolgrammar.values.spans import Span

if TYPE_CHECKING:
    from collections.abc import Sequence

    from toolgrammar.core.machine.machine import Node, Step
    from toolgrammar.core.state.driver import Driver

_LONGEST_MARKUP = 256  # Characters that are waited for while they may become an anchor.
_QUOTES = "`\"'"
_BETWEEN_CALLS = " \t\r\n,;"
_REACH = 512  # Characters that words between the calls of a section may have.


_MARKUP = late(r"[<>{}\[\]|`\uff5c]")
"""What words before the first call of a section don't hold."""
_FENCE = late(r"\s{0,64}(?P<fence>```\w{0,16})[ \t]{0,16}(?:\r?\n)?")
_FENCE_BEGINNINGS = late(r"\s{0,64}(?:`{1,2}|```\w{0,16}[ \t]{0,16}\r?)?\Z")


def skip_fence(driver: Driver) -> bool | None:
    """Leaves out a code fence between an opener and what it opens; None: there is none."""
    start = driver.position
    if not driver.final and _FENCE_BEGINNINGS.match(driver.buffer, start):
        return False
    match = _FENCE.match(driver.buffer, start)
    if match is None:
        return None
    span = Span(*(max(0, driver.base + place) for place in match.span("fence")))
    driver.builder.report(
        "around",
        "warning",
        "Found a code fence round the call; left it out",
        span,
        edits=(Edit(span, ""),),
    )
    driver.builder.mend_next()
    driver.move_to(match.end())
    return True


def step_back_to_call(driver: Driver, key: str) -> bool:
    """Steps back where what was read as a key is the name of a tool: a call begins there.

    A call that nothing but its opener is known of is given back; the opener stands there twice.
    """
    back = driver.back
    spec = driver.builder.spec()
    if key not in driver.node.machine.tool_names:
        return False
    # Where the tool has an argument of that name, or nobody knows its arguments, the key stays a
    # key.
    if spec is None or not spec.properties or key in spec.properties:
        return False
    if driver.island >= 0:
        return key == driver.builder.same("SAME_NAME")
    if back is None:
        return False
    # From the short literal on, what stands there has to open a call.
    repairs = repairs_of(back[1])
    match = repairs.pattern.match(driver.buffer, back[0])
    name = match.lastgroup if match is not None else None
    if name is None or repairs.anchors[name].step.opens != "call":
        return False
    driver.step_back()
    return True


def mend(driver: Driver) -> bool | None:
    """Mends where the driver stands; None where it can't, False where it needs more text."""
    node, buffer = driver.node, driver.buffer
    if node.payloads:
        return None  # what should stand here is a value, and none is made up
    place = _after_blanks(driver)
    respelt = respell(driver, place)
    if respelt is not None:
        return respelt
    repairs = repairs_of(node)
    # A stream waits for as much text as markup may have, and no longer.
    if not driver.final and len(buffer) - place <= _LONGEST_MARKUP:
        waits = (repairs.beginnings, node.beginnings, JUNK_BEGINNINGS)
        if place == len(buffer) or any(pattern.match(buffer, place) for pattern in waits):
            return False
    anchor = _anchor(driver, place)
    if anchor is not None:
        if (follows := keyword_behind(buffer, place, final=driver.final)) is None:
            return False
        put_in(driver, anchor, doubtful=follows or ended_with_line(driver))
        driver.move_to(place)
        if driver.node.accepts_text and not driver.builder.has_draft:
            driver.to_text()  # what opens here may turn out to be no call: then it is text
        return True
    if _complete_half(driver, place):
        return True
    junk = JUNK.match(buffer, place)
    if junk is not None:
        _leave_out(driver, place, junk.end())
        return True
    passed = pass_words(driver, place)
    if passed is not None:
        return passed
    return _end_before_text(driver, place)


def _end_before_text(driver: Driver, place: int) -> bool | None:
    """Puts in the closers of a call whose arguments are there, where text or a call follows."""
    path = repairs_of(driver.node).to_text
    if path is None or not driver.builder.has_arguments:
        return None
    # Text behind a value that lacks its own closer may belong to it, and text behind a string.
    last = driver.previous
    doubtful = last is not None and (last.leaf == "value" or last.terminal.name == "JSON_TEXT")
    # `</path>[\n<text>`: what stands right behind a tag may have damaged the next one.
    is_glued = driver.base + place == driver.last_end and place < len(driver.buffer)
    if is_glued and last is not None and last.terminal.text.strip().endswith(">"):
        doubtful = True
    if not doubtful and driver.buffer[place : place + 1] == ",":
        more = stands_at(driver.buffer, place, final=driver.final)
        if more is None:
            return False
        doubtful = more
    if not doubtful and markup_follows(driver, place):
        follows = stands_unopened(
            path[-1].node, driver.buffer, place, driver.builder.tools, final=driver.final
        )
        if follows is None:
            return False
        doubtful = not follows
    put_in(driver, path, doubtful=doubtful)
    driver.move_to(place)  # the white space before may be consumed already
    driver.close_before_text()
    return True


def pass_words(driver: Driver, place: int) -> bool | None:
    """Gives words between the calls of a section out as text, where markup of it follows soon.

    Before the first of them, the opener of the section has to stand there as calls have it.

    Returns:
        False where more text tells; None where nothing of the section follows.
    """
    builder, buffer = driver.builder, driver.buffer
    pattern = landmarks_of(driver.node)
    # Words in a call belong to it, not to the section.
    if pattern is None or builder.group is None or builder.has_draft:
        return None
    if driver.island >= 0 and not (buffer[place : place + 1].isalpha() and _opens_section(driver)):
        return None
    match = pattern.search(buffer, place, place + _REACH)
    if match is None:
        return None if driver.final or len(buffer) - place >= _REACH else False
    if buffer[match.start() - 1] in _QUOTES:
        return None  # what is quoted is not meant
    words = buffer[place : match.start()]
    if driver.island >= 0:
        if not begins(words) or _MARKUP.search(words):
            return None
        driver.commit()
    span = Span(max(0, driver.base + place), max(0, driver.base + match.start()))
    message = "Found text between the calls of a section; it is no call's"
    is_lost = _MARKUP.search(words) and any(map(str.isalnum, words))
    builder.report(
        "skipped-markup", "error" if is_lost else "warning", message, span, edits=(Edit(span, ""),)
    )
    driver.give_text(place, match.start())
    driver.move_to(match.start())
    # What opened before the words is no part of the call behind them: spans don't overlap.
    if driver.unit >= 0:
        driver.begin_unit(driver.base + match.start())
    return True


def _opens_section(driver: Driver) -> bool:
    """Whether an island is the opener of a section alone, and no sentence leads to it."""
    start = driver.island
    opener = driver.buffer[start : driver.position]
    before = driver.builder.source.slice(max(0, driver.base + start - NEAR), driver.base + start)
    return (
        driver.island_tokens == 1
        and not driver.builder.strict
        and is_of_calls(opener, "")
        and begins(before)
        and not is_quoted(before, len(before))
    )


def _complete_half(driver: Driver, place: int) -> bool:
    """Puts in the last tag of a closer of which the others stand here."""
    for step in driver.node.steps.values():
        half, whole = clipped(step), step.terminal.text.strip()
        if half and driver.buffer.startswith(half, place):
            end = driver.base + place + len(half)
            rest = whole[len(half) :]
            behind = place + len(half)
            others = (each.text.strip() for each in driver.node.machine.tables.terminals)
            # `</parameter>` may be the half of several closers: which was meant is a guess.
            shared = any(each.startswith(half) and half != each != whole for each in others)
            follows = driver.buffer[behind : behind + 1]
            doubtful = (shared and follows.strip() != "") or is_mark(follows)
            doubtful = doubtful and driver.builder.draft is not None
            driver.builder.report(
                "missing-close-tag",
                "error" if doubtful else "warning",
                f"Found `{half}` without `{rest}`; put it in",
                Span(max(0, end), max(0, end)),
                edits=(Edit(Span(max(0, end), max(0, end)), rest),),
            )
            if driver.builder.draft is not None:
                driver.builder.draft.mend(*["missing-close-tag"] * doubtful)
            driver.move_to(behind)
            driver.end_at(end)
            driver.pass_over(step)
            return True
    return False


def _anchor(driver: Driver, place: int) -> Sequence[Step] | None:
    """Returns what to put in before the anchor that stands here."""
    repairs = repairs_of(driver.node)
    match = repairs.pattern.match(driver.buffer, place)
    if match is None or match.lastgroup is None:
        return None
    # A repeated name that is another one closes something else.
    for name, value in match.groupdict().items():
        repeated = name.startswith("SAME_") and value
        if repeated and value != driver.builder.same(name.rpartition("_")[0]):
            return None
    return repairs.anchors[match.lastgroup].path


def put_in(driver: Driver, path: Sequence[Step], *, doubtful: bool = False) -> None:
    """Puts markup in behind what was read last, and says so; `doubtful`: the call is not run."""
    builder = driver.builder
    place = driver.last_end
    text = _written(driver, path, place)
    draft = builder.draft
    builder.report(
        "missing-close-tag",
        "error" if doubtful and draft is not None else "warning",
        f"Found no `{text.strip()}` before what follows; put it in",
        Span(max(0, place), max(0, place)),
        edits=(Edit(Span(max(0, place), max(0, place)), text),),
    )
    if doubtful and draft is not None:
        draft.doubts.append("missing-close-tag")
    # A call that was whole before is not repaired by what is put in behind it.
    if draft is not None and "call" not in path[0].before:
        draft.mend()
        # The call lacks a required argument, so the brace may belong further behind.
        if "}" in text and builder.lacks_required:
            draft.doubts.append("missing-close-tag")
        if any("call" in s.after + s.before for s in path):
            # Whether arguments were to come nobody knows.
            if not builder.has_arguments:
                draft.cut()
            draft.close_unescaped()
    for step in path:
        driver.pass_over(step)


def missing_closers(driver: Driver, node: Node, place: int | None = None) -> str:
    """Returns what is missing in a node at a place of the buffer, by default at its end."""
    path = repairs_of(node).to_end
    place = len(driver.buffer) if place is None else place
    return _written(driver, path, driver.base + place) if path else ""


def closers_behind(driver: Driver, node: Node) -> str | None:
    """Returns what is missing behind a payload before `node`; None where that is not known."""
    if repairs_of(node).to_end is None:
        return "" if node.accepts_text else None
    return missing_closers(driver, node)


def cut_here(driver: Driver, node: Node, position: int) -> bool:
    """Whether the rest of the text is the beginning of markup that fits, or fits after some."""
    buffer = driver.buffer
    if node.beginnings.match(buffer, position):
        return True
    place = blanks.match(buffer, position).end()
    # Where a value may stand, half a closer may be its beginning.
    closers = repairs_of(node).beginnings
    return place < len(buffer) and not node.payloads and closers.match(buffer, place) is not None


def cut_call(driver: Driver, *, root_open: bool = False) -> None:
    """Ends the call because the text ends inside its markup; says what is missing, and where."""
    end = driver.base + len(driver.buffer)
    # `get_t` at the end of the text may be half of `get_time`.
    named = driver.last_end == end and driver.previous is not None and fills_name(driver.previous)
    if named and call_ends.give_back_half_a_name(driver.builder, end):
        return
    if driver.builder.group is not None and not driver.builder.has_draft:
        _tell_of_nameless(driver)
    left_out = raws_of(driver.builder).left_out
    place = driver.last_end - driver.base
    closers = "" if left_out else missing_closers(driver, driver.node, place)
    call_ends.cut(driver.builder, end, root_open=root_open, closers=closers, place=driver.last_end)


def _tell_of_nameless(driver: Driver) -> None:
    """Reports a call of a section that the end of the text cuts before its name."""
    path = repairs_of(driver.node).to_end
    end = driver.base + len(driver.buffer)
    could_close = path and not any("call" in (*step.before, *step.after) for step in path)
    could_close = could_close and driver.unit < driver.last_end  # nothing of a call was left behind
    if could_close or not driver.builder.source.written(driver.unit, end).strip(_BETWEEN_CALLS):
        return
    message = "Found the end of the text before the name of a call; what came of it is left out"
    driver.builder.report("truncated", "error", message, Span(min(driver.unit, end), end))


def fills_name(step: Step) -> bool:
    """Whether a token is, or holds, the name of a tool."""
    return step.leaf == "name" or any(role == "name" for _, role in step.terminal.groups)


def _after_blanks(driver: Driver) -> int:
    """Returns the place behind white space, which may be consumed already."""
    return blanks.match(driver.buffer, driver.position).end()


def _written(driver: Driver, path: Sequence[Step], place: int) -> str:
    """Returns the text of markup that is put in at an offset."""
    text = "".join(text_of(step, driver) for step in path)
    # No second line break where the source has one.
    starts_line = text.startswith("\n") and driver.builder.source.slice(place - 1, place) == "\n"
    text = text[1:] if starts_line else text
    # A fence has to end its line.
    goes_on = driver.builder.source.slice(place, place + 1) not in ("", "\r", "\n")
    return f"{text}\n" if goes_on and ends_line(path[-1].terminal) else text


def text_of(step: Step, driver: Driver) -> str:
    """Returns what markup, or a repeated name, is written as."""
    if step.kind == "same":
        return driver.builder.same(step.terminal.name)
    return written(step.terminal)


def _leave_out(driver: Driver, start: int, end: int) -> None:
    builder = driver.builder
    span = Span(max(0, driver.base + start), max(0, driver.base + end))
    builder.report(
        "stray-close-tag",
        "warning",
        f"Found `{driver.buffer[start:end][:40]}`, which closes nothing; left it out",
        span,
        edits=(Edit(span, ""),),
    )
    if builder.draft is not None:
        # A bracket may have closed an argument, or be the one of arguments that closed too early.
        doubtful = driver.buffer[start:end] in BRACKETS and (
            builder.lacks_required or holds_beside(builder, builder.draft)
        )
        builder.mend(*["stray-close-tag"] * doubtful)
    driver.move_to(end)
    if driver.back is not None and end - driver.back[0] > _LONGEST_MARKUP:
        driver.forget_way_back()  # so much markup behind it shows that it stands for itself
