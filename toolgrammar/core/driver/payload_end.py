"""Ends a payload, or a call that has no closer, and the roles that the grammar closes with it.

Example: in `<tool_call>{"name": "f", "arguments": {"x": 1}}` the last brace of `{"x": 1}` ends the
payload, and the driver reads tokens again. The text behind a call may show that its object was closed
too early: of `[TOOL_CALLS]order[ARGS]{"kind": "rye"}, "kilos": 25}` the call is doubted.
"""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING, Final

from toolgrammar.core.arguments.raw_values import raws_of
from toolgrammar.core.calls import call_ends
from toolgrammar.core.driver.mismatch import give_back_nameless
from toolgrammar.core.evidence.member_behind import MOST, begins_second, goes_on, goes_on_in_list
from toolgrammar.core.evidence.no_arguments import is_of_all
from toolgrammar.core.evidence.used import touches
from toolgrammar.core.machine.repairs import repairs_of
from toolgrammar.core.mending.mending import text_of
from toolgrammar.core.state.doubts import doubt_line_behind, doubt_open_brackets
from toolgrammar.core.trust.beside_arguments import holds_beside, report_rest
from toolgrammar.grammar.roles import CLOSING_LINES
from toolgrammar.patterns.partial import tail_that_begins
from toolgrammar.values.patterns import late

if TYPE_CHECKING:
    import re
    from collections.abc import Callable

    from toolgrammar.core.machine.machine import Node, Step
    from toolgrammar.core.state.driver import Driver

_BRACKETS: Final = frozenset({"bracket", "missing-close-tag"})
"""Codes of repairs by which an object is closed."""
_DELIMITERS: Final = frozenset({"bracket", "comma"})
"""Codes of repairs that insert a delimiter between members or items."""
_ITEM_BEHIND: Final = r"""\s{0,16}["'\u201c][^"'\u201d\n]{1,64}["'\u201d]\s{0,16}[\]},]"""
_ITEM = late(_ITEM_BEHIND)
"""A string with a comma or a bracket behind it."""
_ENDS_ITEM: Final = frozenset("]}{[<(`\r\n")
"""Characters that end a list or a line, or begin another item, a closer of a section, or a fence."""


def judge_call_end(driver: Driver, step: Step | None = None) -> bool:
    """Doubts a call if its arguments seem to go on in the text after it.

    Args:
        driver: the driver, at the end of the call.
        step: the token or payload that ends the call; None if the text after it ends the call.

    Returns:
        False if more text is needed.
    """
    # This step does not end the call, so what follows is markup of the same call.
    if step is not None and "call" not in step.closes:
        return True
    # A None in the list means that more text may still show it. The call then waits, unless another
    # check has found it already.
    found = [_is_closed_twice(driver), _is_called_again(driver)]
    # Only text can touch the bracket: a token of the format may stand right behind it.
    if step is None:
        found.append(_text_touches(driver))
    # If the format allows text here, `}, "kilos": 25}` is text; in a list of calls it is damage.
    takes_text = step is None or step.node.accepts_text
    if takes_text or not driver.builder.has_arguments:
        found.append(_arguments_go_on(driver))
    else:
        found.append(_arguments_go_on_in_list(driver))
    if takes_text:
        found += [_string_goes_on(driver), _begins_second(driver, step or driver.previous)]
    if any(found):
        assert driver.builder.draft is not None
        driver.builder.draft.doubts.append("skipped-markup")
        report_rest(driver.builder, driver.last_end)
    return any(found) or None not in found


def ends_call(step: Step) -> bool:
    """Whether a token or payload ends a call behind which its arguments may go on.

    So it is before text, and behind the bracket of a call in a list.
    """
    may_go_on = step.node.accepts_text or step.terminal.text.strip() in (")", "}")
    return "call" in step.closes and may_go_on


def _last_character(driver: Driver) -> str:
    """Returns the last character of the last token or payload."""
    return driver.builder.source.slice(driver.last_end - 1, driver.last_end)


def _text_behind(driver: Driver) -> str:
    """Returns the first `MOST` characters that were fed behind the last token or payload.

    Where a format is only tried, the source holds more than the driver was fed.
    """
    place, fed = driver.last_end, driver.base + len(driver.buffer)
    return driver.builder.source.slice(place, min(place + MOST, fed))


def _is_called_again(driver: Driver) -> bool | None:
    """Whether a parenthesis opens right after the call's own, as in `wipe()(path="/")`."""
    if _last_character(driver) != ")":
        return False
    behind = _text_behind(driver)
    return None if not behind and not driver.final else behind.startswith("(")


def _text_touches(driver: Driver) -> bool:
    """Whether text follows the last bracket of the open call without a blank."""
    behind = _text_behind(driver)
    return driver.builder.has_draft and behind != "" and touches(_last_character(driver), behind[0])


def _arguments_go_on(driver: Driver) -> bool | None:
    """Whether the arguments may go on in the text after a call; None if more text is needed."""
    builder = driver.builder
    # Only an object can be closed too early: a raw value ends at its own closer.
    if not builder.has_draft or _last_character(driver) != "}":
        return False
    rest = _text_behind(driver)
    if not builder.has_arguments:
        written, rest = rest.strip(), _behind_other_comma(rest)
        if not rest.strip():
            is_begun = written != "" and builder.end.is_cut
            return None if _may_grow(driver, rest) else is_begun
        return _begins_member(driver, rest, lambda key: is_of_all(key) or builder.awaits(key))
    return _begins_member(driver, rest, builder.awaits)


def _arguments_go_on_in_list(driver: Driver) -> bool | None:
    """Whether the arguments may go on behind a call of a list; None if more text is needed."""
    builder, rest = driver.builder, _text_behind(driver)
    if not builder.has_draft:
        return False
    final, is_cut = not _may_grow(driver, rest), driver.final and builder.end.is_cut
    return goes_on_in_list(
        _last_character(driver) + rest, 1, builder.awaits, final=final, is_cut=is_cut
    )


def _behind_other_comma(rest: str) -> str:
    """Returns what follows a call without arguments, without a character that stands for the comma.

    As in `{"name": "f"}7"arguments": {`. Behind a line end no character does.
    """
    first, written = rest.strip()[:1], rest.lstrip(" \t")
    is_other_comma = first != "" and first not in ',":' and written[0] not in _ENDS_ITEM
    return written[1:] if is_other_comma else rest


def _begins_member(driver: Driver, rest: str, awaits: Callable[[str], bool]) -> bool | None:
    """Whether a member begins in the text after a call; None if more text is needed."""
    builder, final = driver.builder, not _may_grow(driver, rest)
    # No message ends with the beginning of what may be all arguments: it is cut.
    is_cut = driver.final and (builder.end.is_cut or not builder.has_arguments)
    return goes_on(rest, awaits, final=final, is_cut=is_cut)


def _may_grow(driver: Driver, rest: str) -> bool:
    """Whether more of the text after a call may come, and matters."""
    return not driver.final and len(rest) < MOST


def _string_goes_on(driver: Driver) -> bool | None:
    """Whether a string goes on behind the closer of a call; None if more text is needed.

    Of `{"a": "say "}</tool_call>" now"}` the object lacks a bracket: its closer may be quoted. Of
    `{"a": ["x"} "y"]}` an item follows the bracket that closed its list.
    """
    builder, draft = driver.builder, driver.builder.draft
    if draft is None or not draft.repaired:
        return False
    mended = builder.diagnostics_of(draft)
    if _BRACKETS.isdisjoint(each.code for each in mended):
        return False
    rest = _text_behind(driver)
    if not rest:
        return False if driver.final else None
    if _ITEM.match(rest):
        return True
    if _may_grow(driver, rest) and _item_begun().match(rest):
        return None
    return rest[0] in "\"'" and _begins_member(driver, rest, lambda _: True)


@cache
def _item_begun() -> re.Pattern[str]:
    """Returns the expression of a text that may become an item; compiled when first used."""
    return tail_that_begins([_ITEM_BEHIND])


def _begins_second(driver: Driver, step: Step | None) -> bool | None:
    """Whether a second object of arguments follows the first directly; None if more text is needed.

    Args:
        driver: the driver, at the end of the call.
        step: the token or payload that was read last.
    """
    builder = driver.builder
    # Behind an envelope another one may follow, which is a call of its own.
    is_payload = step is not None and step.role == "arguments"
    if not is_payload or not builder.has_draft or _last_character(driver) != "}":
        return False
    spec, rest = builder.spec(), _text_behind(driver)
    final = not _may_grow(driver, rest)
    return begins_second(rest, lambda key: spec is None or key in spec.properties, final=final)


def _is_closed_twice(driver: Driver) -> bool | None:
    """Whether an unmatched brace follows a call that may lack one elsewhere.

    In `{"arguments": {"a": 1}, "b": 2}}` one is too many, and `b` may be an argument; behind
    `{"a": ["x", "b": 0}}` and `{"a": {}"b": 0}}`, in which a bracket or a comma was put in, something
    may be lost.
    """
    builder, draft = driver.builder, driver.builder.draft
    if draft is None:
        return False
    mended = (each.code for each in builder.diagnostics_of(draft))
    is_mended = draft.repaired and not _DELIMITERS.isdisjoint(mended)
    if not holds_beside(builder, draft) and not is_mended:
        return False
    behind = _text_behind(driver)
    # Only white space has come so far: the bracket may still follow.
    if not behind.strip() and _may_grow(driver, behind):
        return None
    return behind.lstrip().startswith("}") and _last_character(driver) == "}"


def leave(driver: Driver, end: int) -> bool:
    """Ends the payload at an index of the buffer and closes the roles that end with it."""
    step = driver.payload.current
    driver.pass_to(end)
    driver.payload.end()
    driver.note_read(step)
    # A value with no name before it, as in `<tool_call>{"x": 1}</tool_call>`, is data, not a call.
    if driver.island >= 0 and not driver.has_name and give_back_nameless(driver, step):
        return True
    driver.read_by(_close_after_payload)
    return _close_after_payload(driver)


def _close_after_payload(driver: Driver) -> bool:
    """Closes the roles that end with a payload and goes on to what follows it.

    Returns:
        False if more text is needed to judge the end of the payload, and of the call that it ends.
    """
    step = driver.previous
    assert step is not None
    if not (doubt_open_brackets(driver) and judge_call_end(driver, step)):
        return False
    driver.close(step.closes)
    driver.stand_on(step.node)
    # While the call is open its closer is expected, even if the grammar would accept text here.
    if driver.node.accepts_text and not driver.builder.has_draft:
        driver.to_text()
    else:
        driver.to_tokens()
    return True


def commit_if_delimited(driver: Driver) -> bool:
    """Commits a call that ends without a closer, if more of it than its name was read."""
    # `search is slow` is prose, `search?q=a is slow` is a call and prose.
    if driver.island >= 0 and driver.has_name and driver.builder.delimited:
        driver.commit()
    return driver.island < 0


def end_before_text(driver: Driver) -> bool:
    """Ends a call without a closer before text or the next call; False if more text is needed."""
    if not (doubt_line_behind(driver) and judge_call_end(driver)):
        return False
    driver.close_before_text()
    return True


def cut_payload(driver: Driver, node: Node, *, known: bool = True) -> None:
    """Truncates the call because the text ends inside its payload.

    Args:
        driver: the driver.
        node: the node after the payload.
        known: whether all of the rest is payload; False if it may be a closer that was cut.
    """
    path = repairs_of(node).to_end if known and not raws_of(driver.builder).left_out else None
    closers = "".join(text_of(step, driver) for step in path or ())
    # A line end before any other closer would be one of the payload.
    if path and path[0].terminal.name in CLOSING_LINES:
        closers = f"\n{closers}"
    call_ends.cut(driver.builder, driver.base + len(driver.buffer), closers=closers)
    driver.payload.end()
    driver.to_text()
