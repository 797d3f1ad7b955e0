"""Notes openers that are given back as text, since a call may be lost with them.

Example: `Hi <tool_call>{"na` is text with the error `truncated`: the text ends in the beginning of
a call that was not certain yet.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from toolgrammar.core.mending.mending import is_cut_markup
from toolgrammar.grammar.call_evidence import POSSIBLE, is_of_calls, letters_of
from toolgrammar.tools.json_tokens import SMART_QUOTES
from toolgrammar.values.patterns import blanks, late
from toolgrammar.values.spans import Span

if TYPE_CHECKING:
    from toolgrammar.core.message.build import Builder
    from toolgrammar.core.state.driver import Driver

_LONGEST = 64
"""The most characters of markup that the end of the text cuts."""
_QUOTES: Final = str.maketrans(dict.fromkeys("'" + SMART_QUOTES, '"'))
_EMPTY = late(r"\s*\[\s*\]\s*")
_BEHIND = late(
    r"""\s*+(?:[{}\[\]<(|/\uff5c]|["']\w|[\w.:/$@-]{1,256}[ \t]?[=({\[])"""
    r"""|(?:[^\S\n]*+\n\s*+|(?<=:)\s*+)?[\w.:/$@-]{0,256}\w(?:\s*+\Z|[ \t]*\r?\n|[^\w\s.,;!?])"""
    r"""|(?<=")\s*+,"""
)
"""Text that follows the opener in a call, such as the comma after `{"method": "tools/call"`.

In a sentence that mentions the opener, a word or punctuation of the sentence follows.
"""


def note_cut_opener(driver: Driver) -> None:
    """Notes the opener of an island that the end of the text cuts, if only calls begin like it."""
    builder, start = driver.builder, driver.island
    if builder.end.cut_opener is None and _is_cut(driver):
        is_certain = _begins_as_calls_alone(driver) or _names_a_tool(driver)
        # With several formats, another one may read the island, so a key is not enough.
        if is_certain or (driver.formats is None and _has_signs(driver)):
            builder.end.note_opener(driver.base + start, driver.base + len(driver.buffer))


def note_given_back(driver: Driver) -> None:
    """Notes the opener of an island that is given back, since it may have been that of a call."""
    place = driver.base + driver.island
    opener = driver.island_node.opener.match(driver.buffer, driver.island)
    # A bracket alone is no sign of a lost call.
    if opener is not None and letters_of(opener[0]):
        driver.builder.given_back[place] = driver.base + opener.end()


def _begins_as_calls_alone(driver: Driver) -> bool:
    """Whether the opener is markup that prose does not have, with text after it as in calls.

    An opener without such text is judged with the rest of the message (`unread`).
    """
    buffer, start = driver.buffer, driver.island
    opener = driver.island_node.opener.match(buffer, start)
    if opener is None:
        return False
    behind = opener.end()
    if not _BEHIND.match(buffer, behind):
        return False
    # `<tool_call>` between backticks is only mentioned, and one before `[]` calls nothing.
    is_inline = buffer[start - 1 : start] == "`" in buffer[behind:]
    if is_inline or _EMPTY.fullmatch(buffer, behind):
        return False
    # In a section, anything that opens is a call.
    is_in_section = driver.builder.group_before is not None
    return is_in_section or is_of_calls(opener[0], buffer[behind : behind + 1])


def _names_a_tool(driver: Driver) -> bool:
    """Whether the island names a given tool, has more text after it, and is not quoted."""
    buffer, start, draft = driver.buffer, driver.island, driver.builder.draft
    written, tools = buffer[start:].rstrip(), driver.builder.tools
    # In some formats an unclosed call is text, and a quoted one is text in any format.
    if driver.builder.header.unclosed == "text" or buffer[max(0, start - 1) : start] == "`":
        return False
    names = [*tools]
    # The name may be written in another way than it is read: `get\_time`.
    if draft is not None and draft.name in tools:
        names.append(draft.written_name)
    named = any(name in written[:-1] for name in names)  # a name at the end may go on
    return named and not written.endswith("```")


def _has_signs(driver: Driver) -> bool:
    """Whether the island has a key or a label of calls; without one, an object may be data."""
    written = driver.buffer[driver.island :].rstrip()
    if written.endswith("```"):
        return False  # the fence is closed, so its content was not cut
    # A key may have other quotes than JSON's, and is mended where more of the call comes.
    mended = written.translate(_QUOTES)
    weights = driver.island_node.machine.signs.weights
    found = (weight for sign, weight in weights.items() if sign in written or sign in mended)
    return sum(found) >= POSSIBLE


def may_be_cut(driver: Driver) -> bool:
    """Whether the text ends in the beginning of markup that fits, as it is or mended."""
    # A longer rest is no beginning of a tag, and a stream would look at it at each chunk.
    rest = len(driver.buffer) - driver.position
    return rest <= _LONGEST and is_cut_markup(driver, driver.node, driver.position)


def _is_cut(driver: Driver) -> bool:
    """Whether the text ends at a place where the call could go on."""
    buffer, position = driver.buffer, blanks.match(driver.buffer, driver.position).end()
    # The text ends in white space, or inside a token or payload that may stand here.
    if position == len(buffer) or may_be_cut(driver):
        return True
    begun = (step.begun for step in driver.node.payloads)
    return any(each is not None and each.match(buffer, position) for each in begun)


def report_cut_opener(builder: Builder) -> None:
    """Reports the beginning of a call at the end of a message, unless it is reported already."""
    if builder.end.cut_opener is None or builder.header.calls == "last":
        return
    start, end = builder.end.cut_opener
    # A call or an error that ends after the opener covers it already.
    ends = [each.span.end for each in builder.diagnostics if each.severity == "error"]
    ends += [call.span.end for call in builder.calls]
    if max(ends, default=-1) <= start:
        message = "Found the end of the text in the beginning of a call; it stays text"
        builder.report("truncated", "error", message, Span(start, end))
