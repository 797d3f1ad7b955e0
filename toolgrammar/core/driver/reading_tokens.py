"""Reads the envelope of an island token by token, and fills and closes the roles of each token.

Example: `<tool_call>{"name": "f", "arguments": {}}` is read as tokens up to the object `{}`.
"""

from __future__ import annotations

from itertools import chain
from typing import TYPE_CHECKING

from toolgrammar.core.arguments.raw_values import fill_role, raws_of
from toolgrammar.core.calls.places import places_in
from toolgrammar.core.calls.role_effects import open_role, plain_name, plain_text
from toolgrammar.core.driver.mismatch import give_back_nameless, mismatch
from toolgrammar.core.driver.payload_end import commit_if_delimited, end_before_text, judge_call_end
from toolgrammar.core.driver.reading_payloads import MAX_ISLAND, find_payload
from toolgrammar.core.machine.machine import LONGEST_OPENER, Node, Step
from toolgrammar.core.machine.relaxed_quotes import as_strict, is_loose, repair_code
from toolgrammar.core.mending.mending import step_back_to_call
from toolgrammar.core.mending.misspelt import arguments_key, misspelt_opener_here, report_misspelt
from toolgrammar.core.payloads.json.other_scalars import WORDS
from toolgrammar.core.payloads.json.tokens import decoded_token
from toolgrammar.grammar.roles import CLOSING_LINES, KNOWN_TOOL, MISSPELT
from toolgrammar.patterns import heredocs
from toolgrammar.patterns.partial import MAX_TOKEN, MOST_BLANKS
from toolgrammar.values.diagnostics import Edit
from toolgrammar.values.spans import Span

if TYPE_CHECKING:
    import re

    from toolgrammar.core.message.build import Builder
    from toolgrammar.core.state.driver import Driver

MOST_TOKENS = 48
"""The most tokens from an opener to what makes its call certain: a longer island is text.

Without a limit, the same tokens would be read again from each opener among them.
"""
_SECTION_EVIDENCE = 16
"""The least characters of a section's opener that are evidence of a section without a call."""
_LONGEST_MARKS = 8
"""The maximal number of characters before the key that the closer of a value repeats, as in `--- body`."""
_SHORT = 3
"""A literal with fewer characters may be taken back by what follows it."""


def read_token(driver: Driver) -> bool:
    """Reads one token, or enters the payload that stands there; False if more text is needed."""
    buffer, position, node = driver.buffer, driver.position, driver.node
    # Each round would search a long run of white space again, so it is skipped once.
    if (
        not node.blanks_matter
        and buffer[position + MOST_BLANKS : position + MOST_BLANKS + 1].isspace()
    ):
        passed = _pass_blanks(driver)
        if passed is not None:
            return passed
        position = driver.position
    # `<tool_call` may become `<tool_call>` or `<tool_calls>`: the text decides, not the chunk.
    if not driver.final and may_become_token(node, buffer, position):
        return False
    match = _match_token(driver, node, position)
    if match is None or _is_near_opener(node, match):
        return _read_misfit(driver)
    group = match.lastgroup
    assert group is not None
    step = node.steps[group]
    start, end = match.span(group)
    # If an opener could be far from its call, its text would be read again from each opener in it.
    is_long = end - driver.island > MAX_ISLAND and not driver.island_payload
    is_no_island = driver.count_token() > MOST_TOKENS or is_long
    if end - start > MAX_TOKEN or (driver.island >= 0 and is_no_island):
        return _give_up(driver)
    # The next call opens here, and the last one lacks its closer: the last one ends here.
    if node.accepts_text and driver.has_name and "call" in step.closes_before:
        return end_before_text(driver) if commit_if_delimited(driver) else mismatch(driver)
    text = match.group(group)
    # A key of the call object may be another spelling of the arguments' key: `"args"`.
    if step.terminal.name == "JSON_STRING" and not step.role:
        meant = arguments_key(driver, step, text, start, end)
        if meant is None:
            return False
        step, text, end = meant
    # `'name'`, or `name` without quotes, is accepted where the grammar has `"name"`.
    if is_loose(step.terminal, text):
        strict = _report_loose(driver, step, text, start, end)
        text = strict if step.role else text
    # A closer may have to repeat a name: `</search>` closes only `<search>`.
    if step.kind == "same" and not driver.builder.repeats(step.terminal.name, text):
        return mismatch(driver)
    # The key is the name of a tool: the call before lacks its closer, and the next one begins.
    if step.role == "key" and step_back_to_call(driver, text):
        return mismatch(driver)
    # A `<` or `,` may belong to markup that the grammar does not expect, so it can be taken back.
    is_short = step.kind == "literal" and step.weight < _SHORT
    # A role that was closed can't be opened again, and an uncertain island is given back whole.
    can_step_back = is_short and driver.island < 0 and not step.closes
    driver.keep_way_back(start, can_step_back=can_step_back)
    driver.move_to(end)
    _apply_token(driver, step, text, start, end, match)
    return True


def _give_up(driver: Driver) -> bool:
    """Gives up an island whose beginning is too long; a call with a name is reported as lost."""
    start, named = driver.base + driver.island, driver.island >= 0 and driver.has_name
    # The span ends with the last token: how much white space was skipped after it depends on the
    # chunks.
    span = Span(start, driver.last_end)
    reads_on = mismatch(driver)
    if named and driver.in_text:
        message = (
            f"Found a call whose beginning has more than {MAX_TOKEN:,} characters in a token, or too "
            "many tokens; it is text"
        )
        hint = "read long values as RAW or as JSON: they have no limit"
        driver.builder.report("unread-call", "error", message, span, hint=hint)
    return reads_on


def may_become_token(node: Node, text: str, position: int) -> bool:
    """Whether the end of a text, from an index on, may still become a token, or a longer one."""
    # Text that is longer than any token can't become one.
    if len(text) - position > LONGEST_OPENER:
        return False
    if node.beginnings.match(text, position):
        return True
    # White space may be a token, or stand before one.
    return not node.blanks_matter and not text[position:].strip()


def _match_token(driver: Driver, node: Node, position: int) -> re.Match[str] | None:
    """Returns the token at an index; skips tokens that have to name a known tool and do not."""
    match = node.token.match(driver.buffer, position)
    without: frozenset[str] = frozenset()
    while match is not None:
        step = node.steps[match.lastgroup or ""]
        may_name = step.terminal.groups or step.role == "name"
        if not (may_name and _names_unknown_tool(driver.builder, step, match)):
            break
        # A broader token may match the same text.
        without |= {match.lastgroup or ""}
        match = node.token_without(without).match(driver.buffer, position)
    return match


def _names_unknown_tool(builder: Builder, step: Step, match: re.Match[str]) -> bool:
    """Whether a token names an unknown tool where the name has to be that of a known one."""
    names = [match[group] for group, role in step.terminal.groups if role == KNOWN_TOOL]
    # In such a format the calls of unknown tools are text. They are refused at the name, while the
    # island is uncertain, so that the brackets and the fence around them become text, too.
    if step.role == "name" and builder.header.misfit == "text":
        text = match[match.lastgroup or 0]
        text = as_strict(step.terminal, text) if is_loose(step.terminal, text) else text
        names.append(plain_text(builder, "name", text))
    return any(name is not None and plain_name(name) not in builder.tools for name in names)


def _is_near_opener(node: Node, match: re.Match[str]) -> bool:
    """Whether a misspelt opener is so near to the correct one that any name may follow."""
    if MISSPELT not in dict(node.steps[match.lastgroup or ""].constants):
        return False
    return any(each.matches(match.string, match.start()) for each in node.near_openers)


def _read_misfit(driver: Driver) -> bool:
    """Reads text that matches no token of the node: a misspelt opener, or a payload."""
    if driver.final and driver.builder.end.is_cut:
        # The text that ends a call here may be the beginning of its next argument.
        begun = driver.node.beginnings.match(driver.buffer, driver.position) is not None
        if begun:
            driver.builder.end.leave_open()
    # This comes before the search for a payload, since raw text would include a misspelt opener.
    respelt = misspelt_opener_here(driver)
    if respelt is None:
        return find_payload(driver)
    if respelt is False:
        return False
    step, match = respelt
    start, end = match.span()
    driver.move_to(end)
    driver.forget_way_back()
    _apply_token(driver, step, step.terminal.text, start, end, match)
    # An inserted opener has no text of its own, so it stays a guess until a call follows.
    if driver.builder.group is not None and start == driver.position:
        driver.builder.group.open_late()
    return True


def _pass_blanks(driver: Driver) -> bool | None:
    """Skips a long run of white space, except for what a token may begin with.

    Returns:
        None if the driver reads a token next; else the result of the round, as the island was given
        up or the call ended: so much white space belongs to the text after it.
    """
    end = driver.behind_blanks()
    # Something else stands between here and the blank that was seen ahead.
    if end - driver.position <= MOST_BLANKS:
        return None
    # Without a limit, the same white space would be read again from each of many openers.
    if driver.island >= 0 and end - driver.island > MAX_ISLAND:
        return _give_up(driver)
    if driver.island < 0 and driver.node.accepts_text:
        return end_before_text(driver) if end - driver.position > MAX_TOKEN else None
    # A token may need some white space before it, so the last of it is kept.
    driver.move_to(max(driver.position, end - MOST_BLANKS))
    return None


def _report_loose(driver: Driver, step: Step, text: str, start: int, end: int) -> str:
    """Reports a key or string of the envelope that is not written as JSON; returns it as JSON."""
    builder = driver.builder
    strict = as_strict(step.terminal, text)
    is_key = step.node.takes_colon or step.kind == "literal"
    code = repair_code(step.terminal, text, is_key=is_key)
    span = Span(driver.base + start, driver.base + end)
    written = builder.source.slice(span.start, driver.base + end)
    # A name that lacks one of its quotes may lack more, and `null` is a word of JSON: only the known
    # tools can confirm it.
    is_odd_name = code == "missing-quote" or text.lower() in WORDS
    doubtful = step.role == "name" and is_odd_name and decoded_token(strict) not in builder.tools
    draft = builder.draft
    # In a call without damage so far, text that resembles a tag may be part of a value.
    is_odd = code == "misspelt" and draft is not None and not draft.repaired
    severity = "error" if doubtful or is_odd else "warning"
    oddity = (
        "where the format spells it otherwise" if code == "misspelt" else "without JSON's quotes"
    )
    message = f"Found `{written[:40]}` {oddity}"
    builder.report(code, severity, message, span, edits=(Edit(span, strict),))
    builder.mend(*[code] * is_odd)
    if doubtful:
        builder.doubted_before.append(code)
    return strict


def _apply_token(
    driver: Driver, step: Step, text: str, start: int, end: int, match: re.Match[str]
) -> None:
    """Applies a token: closes, opens and fills its roles, then moves on to the next node."""
    builder, base, before = driver.builder, driver.base, driver.node
    driver.close(step.closes_before)
    if driver.call_start < 0 or step.opens:
        driver.note_call_start(base + start, in_call=step.opens == "call")
    if step.opens:
        open_role(builder, step.opens)
    _fill_roles(driver, step, text, base + start, match)
    if not builder.has_arguments and driver.has_name and not step.role:
        builder.note_token(base + start)
    driver.end_at(base + end)
    # A call that ends without a name is not a call.
    if driver.island >= 0 and not driver.has_name and give_back_nameless(driver, step):
        return
    if driver.final and "call" in step.closes:
        builder.end.leave_open(is_open=_may_go_on(driver, before, step, start, match))
    driver.note_read(step)
    if judge_call_end(driver, step):
        _close_after_token(driver, step, text)
    else:
        driver.read_by(_read_after_call)


def _may_go_on(driver: Driver, node: Node, step: Step, start: int, match: re.Match[str]) -> bool:
    """Whether a call may go on where its last token and the text end.

    Args:
        driver: the driver.
        node: the node before the token.
        step: the step of the token.
        start: the index in the buffer where the token begins.
        match: the token, with its named groups.
    """
    # If a name ends both the call and the text, no closer shows that the name is whole.
    names = [group for group, role in step.terminal.groups if role == "name" and match[group]]
    if any(not driver.buffer[match.end(name) :].strip() for name in names):
        return True
    # A token with a name may begin an argument; at another one a stream would wait for the line.
    may_grow = bool(names) or (driver.builder.end.is_cut and _needs_lookahead(step))
    return may_grow and node.beginnings.match(driver.buffer, start) is not None


def _read_after_call(driver: Driver) -> bool:
    """Looks at the text after a token that ends its call; False if more text is needed."""
    step = driver.previous
    assert step is not None
    if not judge_call_end(driver, step):
        return False
    driver.to_tokens()
    _close_after_token(driver, step, step.terminal.text)
    return True


def _close_after_token(driver: Driver, step: Step, text: str) -> None:
    """Closes the roles that end with a token and moves on to the next node."""
    driver.close(step.closes)
    driver.follow(step)
    node = step.node
    _commit_if_evident(driver, step, text)
    if node.accepts_text and not driver.builder.has_draft:
        _end_island(driver, node)


def _fill_roles(driver: Driver, step: Step, text: str, start: int, match: re.Match[str]) -> None:
    """Fills the roles of a token and of the named groups in it."""
    builder = driver.builder
    _note_repeated(driver, step, text, start)
    if driver.final and step.role == "value":
        # Nothing shows that the last word of the text is whole, unless the call may end there.
        at_end = driver.position == len(driver.buffer)
        is_cut = at_end and step.kind == "regex" and step.node.closes_at_end is None
        raws_of(builder).note_cut_token(is_cut=is_cut)
    places = places_in(builder)
    for role, value in chain(step.constants, step.filled(match, text)):
        if role == MISSPELT:
            place = start - driver.base
            report_misspelt(driver, place, place + len(text), value, sure=True)
        fill_role(builder, role, value, start, driver.call_start)
        if role == "name":
            driver.note_name()
        if places is not None and role not in dict(step.constants):
            own = (group for group, filled in step.terminal.groups if filled == role)
            group = next((each for each in own if match[each] is not None), match.lastgroup or 0)
            first, last = match.span(group)
            places.note(builder, role, driver.base + first, driver.base + last)


def _note_repeated(driver: Driver, step: Step, text: str, start: int) -> None:
    """Notes a fence or mark that a closer has to repeat, or such a closer of a value."""
    builder = driver.builder
    if step.terminal.is_fence:
        builder.to_repeat["SAME_FENCE"] = text
    if step.terminal.is_mark:
        builder.to_repeat["SAME_MARK"] = heredocs.word(text)
        if text != (whole := heredocs.quoted_alike(text)):
            place = start - driver.base
            report_misspelt(driver, place, place + len(text), whole, sure=True)
    # The closer of a free text is that of its call, too.
    is_of_text = step.terminal.name == "SAME_NAME" and builder.draft and builder.draft.inputs
    if is_of_text or step.terminal.name in ("SAME_KEY", "SAME_MARK"):
        before = builder.source.slice(start - _LONGEST_MARKS, start)
        builder.turns.close_value(before, text.strip())


def _needs_lookahead(step: Step) -> bool:
    """Whether a token is whole only if a certain text follows it, such as the end of its line."""
    return step.terminal.name in CLOSING_LINES or any(
        mark in step.terminal.pattern for mark in ("$", r"\Z")
    )


def _end_island(driver: Driver, node: Node) -> None:
    """Returns to text after an island, or into a section."""
    # A short section opener is evidence only together with a call or its closer.
    short = node.skipping and driver.position - driver.island < _SECTION_EVIDENCE
    if driver.island >= 0 and not short:
        driver.commit()
    if driver.island < 0:
        driver.to_text()


def _commit_if_evident(driver: Driver, step: Step, text: str) -> None:
    """Makes a call certain if it is whole, or has a distinctive token after its name.

    The first call of an island makes the island certain.
    """
    if not driver.has_name:
        return
    builder = driver.builder
    if not builder.has_draft:
        driver.commit()
    # The name is no evidence, since `{"name": "Ann"` is data as well; a token after it is evidence.
    elif (
        step.role != "name" and "name" not in dict(step.constants) and not step.terminal.holds_name
    ):
        # Punctuation alone is weak: `f(` makes the call certain only at the end of the text.
        if step.kind == "same" or (not step.role and len(text.strip()) >= 3):
            driver.commit()
        else:
            builder.note_delimiter(step)
