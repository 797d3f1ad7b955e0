"""Reads words of the format that are spelled otherwise as what they were meant to be.

Example: `<tool_cal>{"name": …` is read as `<tool_call>{"name": …`, with the edit that mends it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from toolgrammar.core.machine.near_marks import SHORTEST, NearOpener, is_near, may_be
from toolgrammar.core.machine.near_tokens import near_closer, near_opener
from toolgrammar.core.machine.relaxed_quotes import keys_of
from toolgrammar.core.trust.beside_arguments import note_beside
from toolgrammar.values.diagnostics import Edit
from toolgrammar.values.patterns import late
from toolgrammar.values.spans import Span

if TYPE_CHECKING:
    import re
    from collections.abc import Iterable

    from toolgrammar.core.machine.lost_openers import LostOpener
    from toolgrammar.core.machine.machine import Node, Step
    from toolgrammar.core.state.driver import Driver

_OTHER_NAMES = frozenset({"args", "arguments", "input", "parameters", "params"})
"""What arguments are called in one format or another."""
_IN_STRING = r'(?:"(?:\s|\\[nrt]){0,64})?'
_OBJECT = late(rf"\s{{0,16}}:\s{{0,64}}{_IN_STRING}\{{\s{{0,64}}[^\s}}]")
"""An object that holds something, or its text in a string."""
_OBJECT_BEGUN = late(rf"\s{{0,16}}(?::\s{{0,64}}{_IN_STRING}(?:\\|\{{\s{{0,64}})?)?\Z")


class Meant(NamedTuple):
    """The key that was meant, or that stands there."""

    step: Step
    text: str
    end: int
    """Index in the buffer behind what is written of it."""


def respelt_opener(driver: Driver) -> tuple[Step, re.Match[str]] | bool:
    """Returns the misspelt opener that an island begins with, and says so.

    False where more text tells, True where none stands there.
    """
    # Only the beginning of an island may be a misspelt opener.
    if driver.builder.strict or driver.position != driver.island:
        return True
    return _respelt(driver, driver.node.near_openers, driver.position)


def _respelt(
    driver: Driver, openers: Iterable[NearOpener | LostOpener], place: int
) -> tuple[Step, re.Match[str]] | bool:
    """Returns which of the openers is misspelt at a place; booleans as `respelt_opener`."""
    for each in openers:
        # The expression is wider than one slip.
        near = each.matches(driver.buffer, place)
        if near is False:
            continue
        match = each.whole.match(driver.buffer, place) if near else None
        if match is not None and isinstance(each, NearOpener):
            report_misspelt(driver, place, match.end(), each.text, sure=True)
            return driver.node.steps[each.group], match
        # With its opener missing, only the name of a known tool tells of a call.
        if match is not None and match["tool"] in driver.builder.tools:
            _put_in_opener(driver, place, each.text)
            return driver.node.steps[each.group], match
        # `<tool_ca` may become the right opener or a wrong one: the next chunk tells.
        if not driver.final and each.begun.match(driver.buffer, place):
            return False
    return True


def _put_in_opener(driver: Driver, place: int, text: str) -> None:
    """Says that an opener is put in at an index of the buffer."""
    builder, offset = driver.builder, max(0, driver.base + place)
    span = Span(offset, offset)
    builder.report(
        "missing-open-tag",
        "warning",
        f"Found no `{text.strip()}` before a call of a known tool; put it in",
        span,
        edits=(Edit(span, text),),
    )
    # The call is not open yet: it counts as repaired once it is.
    builder.mend_next()


def respell(driver: Driver, place: int) -> bool | None:
    """Reads the opener, or closer, of an argument that is misspelt; False where more text tells."""
    node, buffer = driver.node, driver.buffer
    previous, openers = driver.previous, []
    behind_key = previous is not None and previous.leaf == "key"
    for group, terminal in node.tokens:
        step = node.steps[group]
        # `<parameter=city=Rome` for `<parameter=city>Rome`.
        if behind_key and terminal.text.strip() == ">" and buffer.startswith("=", place):
            report_misspelt(driver, place, place + 1, ">", sure=True)
            _read_as(driver, step, place + 1)
            return True
        pattern, word = near_opener(step, "near")
        # Behind a value, `</paramter>` may stand for its closer.
        if not pattern and previous is not None and previous.leaf == "value":
            pattern, word = near_closer(step, "near")
        if pattern:
            openers.append(NearOpener(group, terminal.text.strip(), pattern, word, None))
    respelt = _respelt(driver, openers, place)
    if isinstance(respelt, bool):
        return None if respelt else False
    _read_as(driver, respelt[0], respelt[1].end())
    return True


def stands_misspelt_closer(driver: Driver, node: Node, place: int) -> bool | None:
    """Whether a misspelt closer of an argument stands at an index; None where more text tells."""
    # Strict reading knows no misspelling: such text is a part of the value.
    if driver.builder.strict:
        return False
    for group, terminal in node.tokens:
        pattern, word = near_closer(node.steps[group], "near")
        if not pattern:
            continue
        closer = NearOpener(group, terminal.text.strip(), pattern, word, None)
        # Only whether one stands there is asked: what reads it as the closer reports it.
        if closer.matches(driver.buffer, place):
            return True
        if not driver.final and closer.begun.match(driver.buffer, place):
            return None
    return False


def _read_as(driver: Driver, step: Step, end: int) -> None:
    """Reads what ends at an index as a literal."""
    driver.pass_to(end)
    driver.pass_over(step)


def arguments_key(driver: Driver, step: Step, text: str, start: int, end: int) -> Meant | None:
    """Returns the key of the arguments where another key holds an object in its place.

    Args:
        driver: the driver.
        step: what reading the key as any other does.
        text: the key as it is written.
        start: where it begins in the buffer.
        end: where it ends.

    Returns:
        What is read; None where more text tells.
    """
    builder, buffer = driver.builder, driver.buffer
    draft = None if builder.strict else builder.draft
    # No key of the arguments is missing here, or nothing tells yet that a call stands here.
    word = text.strip('"')
    if step.leaf or draft is None or draft.name is None or draft.arguments_start >= 0:
        if not step.leaf:
            note_beside(builder, word, driver.base + start)
        return Meant(step, text, end)
    found = _key_like(driver.node, word)
    # `"args": {"x": 1}` holds arguments; an empty object or a string may be anything.
    if found is not None and not _OBJECT.match(buffer, end):
        if not driver.final and _OBJECT_BEGUN.match(buffer, end):
            return None
        found = None
    if found is None:
        if any(may_be(word, each) for each in _keys(driver.node)):
            draft.beside.append(word)
        note_beside(builder, word, driver.base + start)
        return Meant(step, text, end)
    meant, key = found
    text = meant.terminal.text.strip() or f'"{key}"'
    # The grammar's token holds the colon too.
    if text.endswith(":"):
        end = buffer.index(":", end) + 1
    report_misspelt(driver, start, end, text, sure=is_near(word, key))
    return Meant(meant, text, end)


def _key_like(node: Node, word: str) -> tuple[Step, str] | None:
    """Returns the key of the arguments that a word resembles, or stands for."""
    named = None
    for key, step in _keys(node).items():
        # A slip goes before another name for the same.
        if len(key) >= SHORTEST and is_near(word, key):
            return step, key
        if word in _OTHER_NAMES and named is None:
            named = step, key
    return named


def _keys(node: Node) -> dict[str, Step]:
    """Returns the keys of the arguments in a node."""
    found = {}
    for group, terminal in node.tokens:
        step = node.steps[group]
        # A key with its colon, or one whose colon is a token of its own.
        if step.node.takes_arguments or (step.node.takes_colon and _leads_on(step.node)):
            found.update(dict.fromkeys(keys_of(terminal), step))
    return found


def _leads_on(node: Node) -> bool:
    """Whether arguments stand behind the colon."""
    colons = (node.steps[group] for group, each in node.tokens if each.text.strip() == ":")
    return any(step.node.takes_arguments for step in colons)


def report_misspelt(driver: Driver, start: int, end: int, text: str, *, sure: bool) -> None:
    """Reports what stands between two indexes of the buffer, and what it is read as."""
    builder = driver.builder
    span = Span(max(0, driver.base + start), max(0, driver.base + end))
    builder.report(
        "misspelt",
        "warning" if sure else "error",
        f"Found `{driver.buffer[start:end][:40]}`; took it for `{text}`",
        span,
        edits=(Edit(span, text),),
    )
    # A slip in the word itself leaves no doubt. Another word in its place, `args`, is a guess, and
    # a doubted call is not run.
    builder.mend(*["misspelt"] * (not sure))
