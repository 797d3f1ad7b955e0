"""Doubts a call because of the content, or the end, of one of its values without escapes.

Example: in `<parameter=x>a</content></function>` the value of `x` lacks its closer. It ends with
`</content>`, which nothing in it opens, so the call gets the doubt `stray-close-tag`.
"""

from __future__ import annotations

import re
from itertools import islice
from typing import TYPE_CHECKING, Final

from toolgrammar.core.arguments.raw_values import raws_of
from toolgrammar.core.message.reports import doubt_open
from toolgrammar.core.payloads.json.typing_rules import is_broken_json, json_shape
from toolgrammar.core.state.doubts import NEAR, ends_with_closer
from toolgrammar.patterns.fences import opens_inside
from toolgrammar.patterns.heredocs import marks_in
from toolgrammar.values.patterns import late
from toolgrammar.values.spans import Span

if TYPE_CHECKING:
    from collections.abc import Sequence

    from toolgrammar.core.driver.raw.state import StrayCloser
    from toolgrammar.core.machine.machine import Step
    from toolgrammar.core.message.build import Builder
    from toolgrammar.core.payloads.raw.raw_end import RawEnd
    from toolgrammar.core.state.driver import Driver

_ENDS_LINE = late(r"[ \t]*(?:[\r\n<]|\Z)")
_GLUED = late(r"\w{2}|[>&/(\[{=@#^~+%]")
"""A word, or a character that may replace the first one of a tag; no sentence goes on like this."""
_IN_A_LINE = late(r"[^\W\d_](?:[^\r\n]*[^\s:.!?\u2026])?[ \t]*\Z")
"""Words of a sentence that has not ended."""
_GOES_ON = late(r"[ \t]\w|[.,;:!?)]")
_CLOSING_LINE = late(r"^</(?P<name>[^<>\s/]{1,64})>[ \t\r]{0,16}$", re.MULTILINE)
"""A line that is a closing tag."""
_MOST_LINES: Final = 16
"""The maximal number of such lines that are examined: each costs a pass over the text."""
_TAG_OF_ENTITY = late(r"&(?:lt|#60|#x3[cC]);/?[\w:.-]{0,64}")
_BLANK_LINE = late(r"[ \t]*\r?\n[ \t]*\r?\n")
_TURN_END = late(r"(?:<[|\uff5c][^\s<>]{1,64}[|\uff5c]>|</s>)\s*\Z")
"""A token that ends a turn in chat templates: `<|im_end|>`."""
_FENCE = late(r"\s*(`{3,9})")
_BLOCK_END = late(r"^ {0,3}(?:`{3,9}|~{3,9})[ \t\r]{0,16}$", re.MULTILINE)


def doubt_inner_closer(
    driver: Driver, closers: Sequence[StrayCloser], end: int, *, mended: bool = False
) -> None:
    """Doubts a call if its value contains its own closer at the end of a line or before markup.

    A closer that prose mentions is followed by more of its sentence. In a damaged call any closer
    in the value may be the real one.

    Args:
        driver: the driver.
        closers: the closers in the value that nothing there opens.
        end: the index in the buffer where the value ends.
        mended: whether the value ends at something else than its own closer.
    """
    builder, place = driver.builder, driver.base + end
    if not closers:
        return
    value = builder.source.slice(raws_of(builder).start, place)
    element, last = _closed_element(builder, value), place - len(value) + len(value.rstrip())
    for closer, behind, sure in closers:
        draft, follows = builder.draft, builder.source.slice(behind, behind + 64)
        # A closer that prose mentions, as in `end it with </content> and go on`, does not end a
        # line. Nor does a word follow it without a blank, except where a tag lost its beginning, as
        # in `</content>&text>`.
        is_glued = closer.endswith(">") and _GLUED.match(follows)
        # Right before the value's end it is written twice.
        is_doubled = behind >= last
        tells = is_doubled or (sure and (_ENDS_LINE.match(follows) or is_glued))
        tells = tells and closer != element
        if draft is not None and (mended or draft.repaired or tells):
            message = f"Found `{closer[:40]}` in the value before; the value may have ended there"
            doubt_open(builder, "stray-close-tag", message, Span(place, place))
            return


def _closed_element(builder: Builder, value: str) -> str:
    """Returns the closer with the key of a value if the value opens it each time; or "".

    As `</content>` in `<content type="html">…</content>`: with attributes, its opener is no argument.
    """
    key = builder.same("SAME_KEY")
    opened = len(re.findall(rf"<{re.escape(key)}\b", value)) if key else 0
    return f"</{key}>" if opened and opened >= value.count(f"</{key}>") else ""


def doubt_begun(driver: Driver, end: int) -> None:
    """Doubts a call whose free text ended where another call opens, if the model broke off before it.

    It did if there is no text and the tool requires an argument, or if the text is in a paragraph of its
    own: `Sorry, let me try again.`

    Args:
        driver: the driver, which has emitted the text up to its end.
        end: the index in the buffer where the text ends.
    """
    builder, draft = driver.builder, driver.builder.draft
    if draft is None:
        return
    start, place = raws_of(builder).start, driver.base + end
    text = "".join(draft.inputs or ())
    if not text.strip():
        if not builder.lacks_required:
            return
        message = "Found no text where the tool requires one, and the opener of another call"
    elif _BLANK_LINE.match(builder.source.slice(start, start + NEAR)):
        message = "Found no text behind its label, and words and another call below an empty line"
    else:
        return
    draft.cut()
    hint = "the call is not complete: do not run it"
    builder.report("truncated", "error", message, Span(start, place), hint=hint)


def doubt_closer(driver: Driver, end: int, *, in_lines: bool = False) -> None:
    """Doubts a call whose text ends with a closer that nothing in it opens.

    Args:
        driver: the driver, which has emitted the text up to its end.
        end: the index in the buffer where the text ends.
        in_lines: whether a line that is a closing tag counts as well: no closer has ended the text,
            and `</e>` may be what damage left of `</code>`.
    """
    builder, stop = driver.builder, driver.base + end
    draft = builder.draft
    near = builder.source.slice(stop - NEAR, stop)
    if draft is None or not (in_lines or ends_with_closer.search(near)):
        return
    # Only the arguments are searched: the tag of the call itself stands before them.
    start = max(draft.start, draft.arguments_start)
    text = builder.source.slice(start, stop)
    last = ends_with_closer.search(text, max(0, len(text) - NEAR))
    lines = islice(_CLOSING_LINE.finditer(text), _MOST_LINES) if in_lines else ()
    for closer in (*filter(None, [last]), *lines):
        if not _is_unopened(closer, text):
            continue
        where = "at the end of" if closer is last else "in"
        message = f"Found `{closer[0].strip()[:40]}` {where} a text; it may close something else"
        place = Span(start + closer.start(), start + closer.end())
        doubt_open(builder, "stray-close-tag", message, place)
        return


def _is_unopened(closer: re.Match[str], text: str) -> bool:
    """Whether nothing in a text opens a closing tag or a fence: `<b>bold</b>` is whole."""
    if closer["name"] is None:
        # A fence opens or closes a block alike, so an odd number leaves one open.
        return text.count("```") % 2 == 1
    name = re.escape(closer["name"])
    opened, closed = (len(re.findall(rf"<{each}{name}\b", text)) for each in ("", "/"))
    return closed > opened


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
    builder, stop = driver.builder, driver.base + end
    start = raws_of(builder).start
    if builder.draft is None or raw.role not in ("value", "input", "body"):
        return
    text = builder.source.slice(start, stop)
    # A tag behind an entity, `&lt;/arg>`, is meant as text, although its other bracket is no
    # entity.
    if raw.role in builder.header.entities:
        text = _TAG_OF_ENTITY.sub(lambda tag: "_" * len(tag[0]), text)
    # The name, key or fence that a closer repeats is part of its spelling, so damage to it counts.
    same = builder.same("SAME_NAME"), builder.same("SAME_KEY"), builder.same("SAME_FENCE")
    found = raw.marks.damaged(text, *same, openers=openers, is_cut=is_cut)
    if found is not None:
        message = f"Found `{found.text[:40]}` in a value; it may be `{found.mark}`"
        doubt_open(builder, "misspelt", message, Span(start + found.start, stop))


def doubt_inner_block(driver: Driver, raw: RawEnd, end: int) -> None:
    """Doubts a call whose value may have ended with the closer of a block inside of it.

    As of a here-document that holds `<<EOF` and ends with `EOF`, or of a block of code that holds the
    line "```py" and ends with "```".

    Args:
        driver: the driver, which has emitted the value up to its end.
        raw: the closers that end the value.
        end: the index in the buffer where the value ends.
    """
    builder, stop = driver.builder, driver.base + end
    start, opener, fence = raws_of(builder).start, "", _FENCE.match(driver.buffer, end)
    if any(terminal.name == "SAME_MARK" for _, terminal in raw.node.tokens):
        mark = builder.same("SAME_MARK")
        opener = f"`<<{mark[:40]}`" if mark in marks_in(builder.source.slice(start, stop)) else ""
    # Where the format pairs fences, the reader of the value counts the blocks inside.
    elif fence is not None and not raw.fenced:
        is_inside = opens_inside(builder.source.slice(start, stop), len(fence[1]))
        opener = "a fence with a word" if is_inside else ""
    if opener:
        message = f"Found {opener} in the value before; the value may have ended too early"
        doubt_open(builder, "stray-close-tag", message, Span(start, stop))


def doubt_unended(driver: Driver, end: int) -> None:
    """Doubts a call whose value lacks its closer, and is incomplete JSON or empty.

    Args:
        driver: the driver, which reads the value as its payload.
        end: the index in the buffer where the value ends.
    """
    builder, stop = driver.builder, driver.base + end
    text = builder.source.slice(raws_of(builder).start, stop).strip()
    # In `{"html": "</search>` the closer that ended the value may be part of the JSON.
    if text[:1] in ("{", "[") and json_shape(text) is None:
        message = (
            "Found a closer of the call inside of JSON that has not ended; it may be a part of it"
        )
    elif not text:
        message = "Found neither a value nor its closer; it may have been cut"
    else:
        return
    doubt_open(builder, "missing-close-tag", message, Span(stop, stop))


def doubt_quoted_opener(driver: Driver) -> None:
    """Doubts a call if another call opens in its value and is not closed: it may be a real call."""
    place = driver.base + driver.position
    message = "Found the opener of another call in a value, and one closer for both"
    doubt_open(driver.builder, "missing-close-tag", message, Span(place, place))


def doubt_open_end(driver: Driver, end: int) -> None:
    """Doubts a call whose value the end of the text ends, if the value seems to be damaged JSON.

    Examples: `"tides in` lacks its closing quote, `"amount": 2}` its brace. The call is also
    doubted if the value ends with a token of the chat template that a server should have removed.

    Args:
        driver: the driver, which has emitted the value up to its end.
        end: the index in the buffer where the value ends.
    """
    builder = driver.builder
    start, stop = raws_of(builder).start, driver.base + end
    if turn_end := _TURN_END.search(builder.source.slice(max(start, stop - NEAR), stop)):
        message = (
            f"Found `{turn_end[0].strip()}` at the end of a value; it may end the model's turn"
        )
        doubt_open(builder, "stray-close-tag", message, Span(start, stop))
    # If the text of a value decides its type, `RawValues` judges the value.
    elif builder.header.types == "shape" or not builder.has_draft:
        return
    elif is_broken_json(builder.source.slice(start, stop), None):
        message = "Found text that may be damaged JSON, and the end of the message; kept as text"
        doubt_open(builder, "bare-text", message, Span(start, stop))


def doubt_block_end(driver: Driver, end: int) -> None:
    r"""Doubts a call that the end of the text closes, if its value contains the end of its block.

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
        message = (
            f"Found `{found[0].strip()}` in a value, which may close the block around its call"
        )
        doubt_open(builder, "missing-close-tag", message, Span(draft.start, driver.base + end))


def doubt_stopped(driver: Driver, step: Step, end: int) -> None:
    """Doubts a call that a stop string ended without its closer, if the text may not be a call.

    Args:
        driver: the driver, which has emitted the text up to its end.
        step: the step of the payload.
        end: the index in the buffer where the text ends.
    """
    doubt_closer(driver, end, in_lines=True)
    # The opener of a free-text call is easily mentioned in prose, as any text may follow it.
    if step.role == "input":
        _doubt_sentence(driver.builder)


def _doubt_sentence(builder: Builder) -> None:
    """Doubts a call without its closer inside a sentence, which may only mention the opener."""
    draft, start = builder.draft, raws_of(builder).start
    if draft is None:
        return
    before = builder.source.slice(draft.start - NEAR, draft.start)
    # As in `Use <search> to find it`: words stand before the opener on its line, and after it.
    if _IN_A_LINE.search(before) and _GOES_ON.match(builder.source.slice(start, start + 2)):
        message = "Found a call in a sentence, and not its closer; the sentence may go on"
        doubt_open(builder, "missing-close-tag", message, Span(draft.start, start))
