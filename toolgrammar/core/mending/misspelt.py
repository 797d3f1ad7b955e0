"""Reads misspelt markup and keys of a format as the correct ones.

Example: `<tool_cal>{"name": …` is read as `<tool_call>{"name": …`, with the edit that mends it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, Literal, NamedTuple

from toolgrammar.core.evidence.no_arguments import KEYS_OF_ARGUMENTS
from toolgrammar.core.machine.near_marks import SHORTEST, NearOpener, is_near, may_be
from toolgrammar.core.machine.near_tokens import near_closer, near_opener
from toolgrammar.core.machine.relaxed_quotes import as_strict, is_loose, keys_of
from toolgrammar.core.message.reports import report_edit
from toolgrammar.core.payloads.json.tokens import decoded_token
from toolgrammar.core.trust.beside_arguments import note_beside
from toolgrammar.patterns.distances import is_within
from toolgrammar.values.patterns import late
from toolgrammar.values.spans import Span

if TYPE_CHECKING:
    import re
    from collections.abc import Iterable

    from toolgrammar.core.machine.lost_openers import LostOpener
    from toolgrammar.core.machine.machine import Node, Step
    from toolgrammar.core.state.driver import Driver

_IN_STRING = r'(?:"(?:\s|\\[nrt]){0,64})?'
_OBJECT = late(rf"\s{{0,16}}:\s{{0,64}}{_IN_STRING}\{{\s{{0,64}}[^\s}}]")
"""A colon and a non-empty object, or the text of one in a string."""
_OBJECT_BEGUN = late(rf"\s{{0,16}}(?::\s{{0,64}}{_IN_STRING}(?:\\|\{{\s{{0,64}})?)?\Z")
_LONG_KEY: Final = 9
"""The least letters of a key, as `arguments`, that is recognised with `_MOST` wrong ones."""
_MOST: Final = 3


class Meant(NamedTuple):
    """The reading of a key: as the arguments' key, or as it is written."""

    step: Step
    text: str
    end: int
    """The index in the buffer after the key."""


def misspelt_opener_here(driver: Driver) -> tuple[Step, re.Match[str]] | Literal[False] | None:
    """Returns and reports the misspelt or missing opener at the beginning of an island.

    Returns:
        The step of the opener and its match; False if more text is needed, None if there is none.
    """
    # Only the beginning of an island may be a misspelt opener.
    if driver.builder.strict or driver.position != driver.island:
        return None
    return _misspelt_opener(driver, driver.node.near_openers, driver.position)


def _misspelt_opener(
    driver: Driver, openers: Iterable[NearOpener | LostOpener], place: int
) -> tuple[Step, re.Match[str]] | Literal[False] | None:
    """Returns the opener that stands misspelt at an index, or what `misspelt_opener_here` returns."""
    buffer = driver.buffer
    for each in openers:
        if isinstance(each, NearOpener):
            # The expression matches more than the misspellings that count, so `matches` decides.
            near = each.matches(buffer, place)
            if near is False:
                continue
            match = each.whole.match(buffer, place) if near else None
            if match is not None:
                report_misspelt(driver, place, match.end(), each.text, sure=True)
                return driver.node.steps[each.group], match
            # `<tool_ca` may become the right opener or a misspelt one: the next chunk decides.
            if not driver.final and each.begun.match(buffer, place):
                return False
            continue
        # If the opener is missing, only the name of a known tool shows that a call begins.
        stands = each.is_missing_before(buffer, place, driver.builder.tools, final=driver.final)
        match = each.whole.match(buffer, place) if stands else None
        if match is not None:
            _report_inserted_opener(driver, place, each.text)
            return driver.node.steps[each.group], match
        if stands is None:
            return False
    return None


def _report_inserted_opener(driver: Driver, place: int, text: str) -> None:
    """Reports an opener that is inserted at an index of the buffer."""
    builder, offset = driver.builder, driver.base + place
    message = f"Found no `{text.strip()}` before a call of a known tool; put it in"
    report_edit(builder, "missing-open-tag", message, Span(offset, offset), text)
    # The call is not open yet, so the repair is noted for the next call.
    builder.mend_next()


def mend_misspelt(driver: Driver, place: int) -> bool | None:
    """Reads a misspelt opener or closer of an argument; None if there is none, False to wait."""
    node, buffer = driver.node, driver.buffer
    previous, openers = driver.previous, []
    behind_key = previous is not None and previous.role == "key"
    for group, terminal in node.tokens:
        step = node.steps[group]
        # An example is `<parameter=city=Rome` for `<parameter=city>Rome`.
        if behind_key and terminal.text.strip() == ">" and buffer.startswith("=", place):
            report_misspelt(driver, place, place + 1, ">", sure=True)
            _read_as(driver, step, place + 1)
            return True
        pattern, word = near_opener(step, "near")
        # `</paramter>` may be the misspelt closer of a value.
        if not pattern:
            pattern, word = near_closer(step, "near")
        if pattern:
            openers.append(NearOpener(group, terminal.text.strip(), pattern, word, None))
    respelt = _misspelt_opener(driver, openers, place)
    if not respelt:
        return respelt
    _read_as(driver, respelt[0], respelt[1].end())
    return True


def misspelt_closer_follows(driver: Driver, node: Node, place: int) -> bool | None:
    """Whether a misspelt closer of an argument stands at an index; None if more text is needed."""
    # Strict reading accepts no misspelling: such text is part of the value.
    if driver.builder.strict:
        return False
    for group, terminal in node.tokens:
        pattern, word = near_closer(node.steps[group], "near")
        if not pattern:
            continue
        closer = NearOpener(group, terminal.text.strip(), pattern, word, None)
        # This only checks for it: the function that reads it as the closer reports it.
        if closer.matches(driver.buffer, place):
            return True
        if not driver.final and closer.begun.match(driver.buffer, place):
            return None
    return False


def _read_as(driver: Driver, step: Step, end: int) -> None:
    """Reads the text up to an index as the token of a step."""
    driver.pass_to(end)
    driver.apply_without_text(step)


def arguments_key(driver: Driver, step: Step, text: str, start: int, end: int) -> Meant | None:
    """Reads another key as that of the arguments, if it stands before an object in its place.

    Args:
        driver: the driver.
        step: the step of the key if it is read as any other key.
        text: the key as it is written.
        start: the index in the buffer where it begins.
        end: the index where it ends.

    Returns:
        How the key is read; None if more text is needed.
    """
    builder, buffer = driver.builder, driver.buffer
    draft = None if builder.strict else builder.draft
    # The arguments' key is not missing here, or nothing shows yet that this is a call.
    is_other = is_loose(step.terminal, text)
    word = decoded_token(as_strict(step.terminal, text) if is_other else text)
    if step.role or draft is None or draft.name is None or draft.arguments_start >= 0:
        if not step.role:
            note_beside(builder, word, Span(driver.base + start, driver.base + end))
        return Meant(step, text, end)
    found = _key_like(driver.node, word)
    # `"args": {"x": 1}` has arguments; an empty object or a string may be anything.
    if found is not None and not _OBJECT.match(buffer, end):
        if not driver.final and _OBJECT_BEGUN.match(buffer, end):
            return None
        found = None
    if found is None:
        if any(_may_be_left_of(word, each) for each in _keys(driver.node)):
            draft.beside.append(word)
        note_beside(builder, word, Span(driver.base + start, driver.base + end))
        return Meant(step, text, end)
    meant, key = found
    text = meant.terminal.text.strip() or f'"{key}"'
    # The grammar's token may include the colon.
    if text.endswith(":"):
        end = buffer.index(":", end) + 1
    report_misspelt(driver, start, end, text, sure=is_near(word, key))
    return Meant(meant, text, end)


def _key_like(node: Node, word: str) -> tuple[Step, str] | None:
    """Returns the arguments' key that a word resembles or is another name of, and its step."""
    named = None
    for key, step in _keys(node).items():
        # A misspelling comes before another name for the arguments.
        if len(key) >= SHORTEST and is_near(word, key):
            return step, key
        if word in KEYS_OF_ARGUMENTS and named is None:
            named = step, key
    return named


def _may_be_left_of(word: str, key: str) -> bool:
    """Whether a word may be what damage to one to three letters has left of a key: `uments`."""
    return may_be(word, key) or (len(key) >= _LONG_KEY and is_within(_MOST, key, word))


def _keys(node: Node) -> dict[str, Step]:
    """Returns the arguments' keys in a node, with their steps."""
    found = {}
    for group, terminal in node.tokens:
        step = node.steps[group]
        # The token of the key includes its colon, or the colon is a token of its own.
        if step.node.takes_arguments or (step.node.takes_colon and _leads_on(step.node)):
            found.update(dict.fromkeys(keys_of(terminal), step))
    return found


def _leads_on(node: Node) -> bool:
    """Whether arguments follow the colon of a node."""
    colons = (node.steps[group] for group, each in node.tokens if each.text.strip() == ":")
    return any(step.node.takes_arguments for step in colons)


def report_misspelt(driver: Driver, start: int, end: int, text: str, *, sure: bool) -> None:
    """Reports misspelt text between two indexes of the buffer.

    Args:
        driver: the driver.
        start: the index where it begins.
        end: the index where it ends.
        text: the text that it is read as.
        sure: whether it can only be that; if not, the call is doubted.
    """
    builder = driver.builder
    span = Span(driver.base + start, driver.base + end)
    message = f"Found `{driver.buffer[start:end][:40]}`; took it for `{text}`"
    report_edit(builder, "misspelt", message, span, text, doubtful=not sure)
    # A misspelling of the word itself leaves no doubt. Another word in its place, `args`, is a
    # guess, so the call is doubted.
    builder.mend(*["misspelt"] * (not sure))
