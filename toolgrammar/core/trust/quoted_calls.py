"""Doubts calls that may only be quoted, because of their surroundings.

Example: a call in a block of code, with prose around it, is an example. A call may also be part of the
payload of another one that could not be read, because its opener or something in it is damaged and
it was never closed.
"""

from __future__ import annotations

from dataclasses import replace
from string import whitespace
from typing import TYPE_CHECKING, Final

from toolgrammar.core.evidence.no_arguments import is_definition
from toolgrammar.core.evidence.paired_marks import calls_between_marks, open_quotations
from toolgrammar.core.evidence.plain_turns import begin_between_calls
from toolgrammar.core.evidence.spellings import ends_in_escape
from toolgrammar.core.message.quoted import SHOWING_FENCE
from toolgrammar.core.message.reports import doubt
from toolgrammar.core.trust.call_or_text import ends_in_code
from toolgrammar.core.trust.surroundings import (
    STRAIGHT,
    are_closed,
    closing_marks,
    element_around,
    ends_in_value,
    is_in_block,
    is_quoting_line,
    may_begin_block,
)
from toolgrammar.grammar.call_evidence import is_of_calls
from toolgrammar.tools.json_tokens import PLAIN
from toolgrammar.values.patterns import late
from toolgrammar.values.spans import Span

if TYPE_CHECKING:
    from collections.abc import Mapping

    from toolgrammar.core.evidence.signs import SeveralSigns, Signs
    from toolgrammar.core.message.build import Builder
    from toolgrammar.core.message.draft import Draft
    from toolgrammar.values.calls import ToolCall
    from toolgrammar.values.tools import ToolSpec

CODE: Final = "quoted-call"
_LONGEST_INDENT: Final = 64
"""The maximal indentation of a call that is counted, in characters."""
_OPEN_STRINGS: Final = frozenset({"missing-quote", "open-string"})
"""The codes of doubts about the end of a string, which may be behind its call."""
NESTED: Final = -2
"""Replaces the offset of a block of code: the call is a block itself, inside another one."""
_MOST_BLANKS: Final = 64
"""The maximal white space between an opener and its repetition, in characters."""
_INSIDE_STRING = late(rf"(?:[^{PLAIN}]++|\\.)*\"?")
"""The content of a JSON string: characters and escapes, and its closing quote if it has one."""
_LAST_OF_CUT: Final = 64
"""The number of characters at the end of a cut call in which the opening mark of a quotation is searched."""
_LONGEST_FENCE: Final = 80
"""The maximal number of characters of the line of a fence that are examined."""
_REST_OF_FENCE = late(r"\s*(?:(?:`{3,}|~{3,})[ \t]*(?:\r?\n\s*)?)?")


def stands_inside(
    text: str,
    signs: Signs | SeveralSigns,
    tools: Mapping[str, ToolSpec],
    opened: list[tuple[int, str]],
) -> bool:
    """Whether a call behind a text may be inside the payload of another call that begins in the text.

    Args:
        text: the text since the last call, or since that call was closed.
        signs: the signs of calls.
        tools: the known tools by their names.
        opened: openers in the text that only calls have, each with its place.
    """
    rest = signs.behind_closers(text)
    shift = len(text) - len(rest)
    # Openers before a closer are closed by it.
    behind = [(at - shift, sign) for at, sign in opened if at >= shift]
    # An object at the beginning of the text goes on over closers of calls in its strings.
    value = text if text.lstrip().startswith(("{", "[")) else rest
    return signs.show_use(rest, behind) or ends_in_value(value, tools)


def is_doubtful(text: str, signs: Signs | SeveralSigns, tools: Mapping[str, ToolSpec]) -> bool:
    """Whether a call behind a text may be quoted, so that the shortcuts leave it to the driver.

    Args:
        text: the text.
        signs: the signs of calls.
        tools: the known tools by their names.
    """
    if text.isspace():
        return False
    # A fence anywhere, or an open backtick in the last line; the driver decides.
    if "`" in text and ("```" in text or ends_in_code(text.rpartition("\n")[2])):
        return True
    # Whether a call stands before the text is left to the driver.
    if signs.begin_other_turn(text) or begin_between_calls(text) or closing_marks(text):
        return True
    # The whole text may be a JSON string.
    if text.startswith('"') or is_quoting_line(text, text.rfind("\n") + 1):
        return True
    if "~~~" in text or ends_in_escape(text) or element_around(text, ""):
        return True
    if may_begin_block(text) or open_quotations(text, ()):
        return True
    return stands_inside(text, signs, tools, [])


def doubt_shown(builder: Builder, draft: Draft, end: int) -> None:
    """Doubts the open call, which ends at an offset, if it may only be shown.

    So it is if it may be inside another call that was never closed, or in markup that only shows text,
    such as the quotation `> <tool_call>…`.
    """
    signs, turns = builder.around, builder.turns
    if signs is None:
        return
    start, text = _text_since_call(builder)
    # Calls without text between them are quoted together.
    closers = closing_marks(text or _cut_value(builder))
    if not closers and not text.strip():
        closers = turns.quotation_closers
    turns.stand_in_quotation(is_inside=_is_in_quotation(builder, start, text), closers=closers)
    turns.stand_behind_marks(open_quotations(text, turns.open_quotations))
    turns.stand_in_element(element_around(text, turns.element))
    turns.stand_in_block(is_inside=_is_in_block(builder, draft, text))
    is_between = bool(builder.calls) and begin_between_calls(text)
    if is_between or signs.begin_other_turn(text):
        turns.begin_other_turn()
    # If only the last call counts, the earlier ones are examples, and text.
    if builder.header.calls != "last":
        turns.leave_open(is_open=_is_in_open_call(builder, signs, draft, start, text))
        if turns.is_open:
            _doubt(builder, draft, "behind the beginning of another that nothing closes")
    elif ends_in_value(text, builder.tools):
        _doubt(builder, draft, "in a value that nothing closes")
    if is_definition(draft.arguments, builder.tools.get(draft.name or "")):
        # A prompt lists tools, and the examples that follow it are not meant as calls.
        turns.begin_other_turn()
        _doubt(builder, draft, "whose arguments are a schema, as in a list of tools")
    if _may_be_member(builder, draft):
        _doubt(builder, draft, "in the object of a doubtful one")
    if where := _shown_in(builder, draft, end):
        _doubt(builder, draft, where)


def _cut_value(builder: Builder) -> str:
    """Returns the end of the last call if the opener of another one may have cut it, or ""."""
    if not builder.calls or "bracket" not in builder.calls[-1].doubts:
        return ""
    end = builder.calls[-1].span.end
    return builder.source.slice(end - _LAST_OF_CUT, end)


def _may_be_member(builder: Builder, draft: Draft) -> bool:
    """Whether a call is a member, or the value of one, in the object of a doubtful call.

    In `{"f": {"a": "b"], "c": {}}}` the call `c` may be an argument of `f`, and of
    `{"name": "f"} "arguments": {"name": "c"}}` the second object may be its arguments.
    """
    if not builder.calls or not builder.calls[-1].doubts:
        return False
    source = builder.source
    if source.slice(draft.start, draft.start + 1) == '"':
        return True  # a key names the call
    before = source.slice(draft.start - _LONGEST_INDENT, draft.start).rstrip()
    return before.endswith(":") and before[:-1].rstrip().endswith(STRAIGHT)


def _is_in_block(builder: Builder, draft: Draft, text: str) -> bool:
    """Whether the open call is inside a block of code without a fence, such as the body of an `if`."""
    first = draft.start - _LONGEST_INDENT
    before = builder.source.slice(first, draft.start).rpartition("\n")[2]
    # The white space may belong to the text or to the opener.
    line = before or builder.source.slice(draft.start, draft.start + _LONGEST_INDENT)
    indent = len(line) - len(line.lstrip(" \t"))
    found = is_in_block(text.rpartition("\n")[0], indent)
    return builder.turns.in_block if found is None else found


def _is_in_open_call(
    builder: Builder, signs: Signs | SeveralSigns, draft: Draft, start: int, text: str
) -> bool:
    """Whether a call behind a text, which begins at an offset, may be inside another open call."""
    calls, tools = builder.calls, builder.tools
    if calls and _is_cut_in_text(calls[-1], signs, tools):
        return True  # the first closer behind it may be that of the call inside
    if builder.turns.is_open or (calls and _may_go_on(calls[-1], signs, text, tools)):
        rest = signs.behind_closers(text)
        # A call that could not be read stays open up to the next closer of a call.
        if len(rest) == len(text):
            return True
        start, text = start + len(text) - len(rest), rest
    if not text or ends_in_escape(text):
        return text != ""
    # An opener that is repeated is not an open call: models write `<search><search>` for one.
    opener = f"<{draft.written_name}>"
    is_opener = builder.source.slice(draft.start, draft.start + len(opener)) == opener
    if is_opener and text[-len(opener) - _MOST_BLANKS :].rstrip().endswith(opener):
        text = text.rstrip().removesuffix(opener)
    return stands_inside(text, signs, tools, openers_in(builder, start, text))


def _is_cut_in_text(
    call: ToolCall, signs: Signs | SeveralSigns, tools: Mapping[str, ToolSpec]
) -> bool:
    """Whether a call was cut off behind a text value that contains the markup of a call."""
    if call.status != "truncated":
        return False
    # Not in `raw_arguments`, which may contain the call's own markup between its arguments.
    texts = [value for value in call.arguments.values() if isinstance(value, str)]
    return any(signs.hold_call(text, tools) for text in texts)


def _may_go_on(
    call: ToolCall, signs: Signs | SeveralSigns, text: str, tools: Mapping[str, ToolSpec]
) -> bool:
    """Whether the text and the call behind this call may be inside one of its strings."""
    if not _OPEN_STRINGS.isdisjoint(call.doubts):
        return True
    # A file about calls, whose quotes are not escaped: the first call in it ended the one around it.
    if "inner-quote" in call.doubts and signs.hold_call(call.raw_arguments, tools):
        return True
    return call.status == "unreadable" and ends_in_value(f"{call.raw_arguments}{text}", tools)


def _shown_in(builder: Builder, draft: Draft, end: int) -> str:
    """Returns the surroundings by which a call up to an offset is only shown; "" if there are none."""
    turns = builder.turns
    # The order is that of the words in the report: one reason is enough.
    if turns.fence == NESTED:
        return "in a block that holds blocks of code"
    if 0 <= turns.fence <= draft.start and draft.name not in builder.tools:
        return "of no known tool in a block of code"
    if turns.in_block:
        return "in a block of code, which runs when its head says so"
    if turns.quotation:
        return "in a line that quotes, or in a comment of code"
    if turns.element:
        return f"before `{turns.element}`, in what is only shown"
    return "in a string of JSON, with its escapes" if _is_in_string(builder, draft, end) else ""


def _is_in_string(builder: Builder, draft: Draft, end: int) -> bool:
    r"""Whether the message up to an offset is a JSON string: `"Look.\n<tool_call>…`.

    The call was read with the escapes of that string, so its values are not the meant ones.
    """
    turns, source = builder.turns, builder.source
    if turns.string_end < 0:
        return False
    first = source.origin
    # A call that began in the prefix is not in a string of the message.
    begins = draft.start >= first and source.slice(first, first + 1) == '"'
    text = source.slice(first + turns.string_end, end) if begins else '"'
    is_string = _INSIDE_STRING.fullmatch(text) is not None
    turns.stand_in_string(end - first if is_string else -1, has_escapes="\\" in text)
    return is_string and turns.string_has_escapes


def _is_in_quotation(builder: Builder, start: int, text: str) -> bool:
    """Whether a call behind a text is in a line that quotes, such as one with `> ` at its beginning.

    Args:
        builder: the message.
        start: the offset of the text, or the end of the last call if there is no text.
        text: the text since the last call.
    """
    line = text.rfind("\n") + 1
    # Calls in one line, or in one section, are quoted together.
    if not line and builder.calls and builder.turns.quotation:
        return True
    if not line and builder.source.slice(start - 1, start) not in ("", "\n"):
        return False  # the line began before the text: `</think> > 3`
    return line < len(text) and is_quoting_line(text, line)


def _text_since_call(builder: Builder) -> tuple[int, str]:
    """Returns the text since the last call and its offset; markup between its parts is omitted."""
    if builder.candidate is not None:
        # The text behind a call that may be the last one waits with it.
        end = builder.candidate.end
        places = [(offset, text) for text, offset in builder.candidate.behind]
    else:
        end = builder.calls[-1].span.end if builder.calls else 0
        since, parts = builder.turns.parts_before, builder.text_parts
        places = [*zip(parts.offsets[since:], parts.texts[since:], strict=True)]
    # The payload of an envelope has no place, since the markup around it would have closed it.
    written = [*builder.source.prefix_parts, *places]
    found = [(offset, text) for offset, text in written if offset >= end]
    return (found[0][0] if found else end), "".join([text for _, text in found])


def _doubt(builder: Builder, draft: Draft, where: str) -> None:
    message = f"Found a call {where}; it may be quoted there"
    doubt(builder, draft, CODE, message, Span(draft.start, draft.start))


def openers_in(builder: Builder, start: int, text: str) -> list[tuple[int, str]]:
    """Returns the openers in a stretch of text that only calls have, each with its place in it."""
    found = []
    # The offsets grow, so the search from the end stops at the first one before the text.
    for place in reversed(builder.given_back):
        at, end = place - start, builder.given_back[place] - start
        if at < 0:
            break
        if at < end <= len(text) and is_of_calls(text[at:end], text[end : end + 1]):
            found.append((at, text[at:end]))
    return found[::-1]


def _stretches(builder: Builder) -> list[tuple[int, str]]:
    """Returns the text of the prefix and of the message in stretches, each with its offset."""
    return [*builder.source.prefix_parts, *builder.text_parts.stretches()]


def doubt_fenced(builder: Builder) -> None:
    """Doubts calls in blocks of code that are not alone there; called at the end of the message.

    Models also wrap their calls in blocks: if a call is all that the block contains, and the block ends
    the message, the call is meant. If the server cut the message, more could have followed.
    """
    fenced = builder.turns.fenced
    if not fenced:
        return
    last = max(fenced.values())
    stretches = _stretches(builder)
    parts = [text[max(0, last - start) :] for start, text in stretches if start + len(text) > last]
    # In a section without a closer, the rest behind the block is not text but skipped.
    skips = any(
        each.code == "skipped-markup" and each.severity == "error" and each.span.start > last
        for each in builder.diagnostics
    )
    is_alone = (
        not (skips or builder.end.is_cut) and _REST_OF_FENCE.fullmatch("".join(parts)) is not None
    )
    for index, fence in fenced.items():
        call = builder.calls[index]
        line = builder.source.slice(fence - _LONGEST_FENCE, fence)
        shows = SHOWING_FENCE.search(line) is not None
        # Only a call without repairs is taken as meant.
        is_sound = is_alone and fence == last and call.status == "complete" and not shows
        if CODE not in call.doubts and not is_sound:
            builder.calls[index] = replace(call, doubts=(*call.doubts, CODE))
            why = "in a language of texts" if shows else "that it is not alone in, or that goes on"
            message = f"Found a call in a block of code {why}"
            builder.report(CODE, "error", message, call.span)


def doubt_quoted(builder: Builder) -> None:
    """Doubts calls between quotation marks; called at the end of the message."""
    stretches = _stretches(builder) if builder.turns.quoted else []
    # Straight marks around the whole message are a habit of models, and not a quotation.
    is_alone = not "".join(text for _, text in stretches).strip("".join((*STRAIGHT, *whitespace)))
    behind = ""
    # From the last to the first, since the text behind each call is needed.
    for index, marks in sorted(builder.turns.quoted.items(), reverse=True):
        call = builder.calls[index]
        while stretches and stretches[-1][0] >= call.span.end:
            start, text = stretches.pop()
            # The bracket that ends a list is markup, and may be that of a link.
            is_link = text.startswith("(") and builder.source.slice(start - 1, start) == "]"
            behind = behind if text.isspace() else "]" * is_link + text
        is_closed = not is_alone and are_closed(marks, behind)
        # If the server cut the message, the closing mark may be missing.
        may_close = builder.end.is_cut and any(each.startswith(behind.lstrip()) for each in marks)
        if (is_closed or may_close) and CODE not in call.doubts:
            where = "between marks that quote" if is_closed else "behind a mark that quotes"
            _doubt_ended(builder, index, where)


def doubt_spoken(builder: Builder) -> None:
    """Doubts calls in quotations of several words; called at the end of the message."""
    spoken = builder.turns.spoken
    if not spoken:
        return
    calls = {index: builder.calls[index].span for index in spoken}
    for index in calls_between_marks(_stretches(builder), calls, is_cut=builder.end.is_cut):
        if CODE not in builder.calls[index].doubts:
            _doubt_ended(builder, index, "in a quotation of several words")


def _doubt_ended(builder: Builder, index: int, where: str) -> None:
    """Doubts a call that has ended."""
    call = builder.calls[index]
    builder.calls[index] = replace(call, doubts=(*call.doubts, CODE))
    builder.report(CODE, "error", f"Found a call {where}; it may be quoted there", call.span)
