"""Tells what a word of the format was meant to be that is spelled otherwise."""

from __future__ import annotations

import re
from functools import cached_property
from typing import TYPE_CHECKING, NamedTuple

from toolgrammar.core.loose import keys_of
from toolgrammar.core.partial import partial
from toolgrammar.values.diagnostics import Edit
from toolgrammar.values.patterns import compile_pattern, late
from toolgrammar.values.spans import Span

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from toolgrammar.core.driver import Driver
    from toolgrammar.core.machine import Node
    from toolgrammar.core.steps import Step

_OTHER_NAMES = frozenset({"args", "arguments", "input", "parameters", "params"})
"""What arguments are called in one format or another."""
_SHORTEST = 4
"""Letters of a word that one letter more or less does not make another word of."""
_LONGEST = 256
"""Characters of an opener."""
_BRACKET = 2
"""Characters of a literal that any text may hold."""
_WORDS = late(r"[^\s<>/|=\"'()\[\]{}]+")
_GROUP = late(r"\(\?P<\w+>")
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


def is_near(one: str, other: str) -> bool:
    """Whether one character is missing, too much or another one, or two are swapped."""
    if abs(len(one) - len(other)) > 1 or one == other:
        return False
    same = 0
    while same < min(len(one), len(other)) and one[same] == other[same]:
        same += 1
    if len(one) != len(other):
        shorter, longer = sorted((one, other), key=len)
        return shorter[same:] == longer[same + 1 :]
    swapped = one[same : same + 2] == other[same : same + 2][::-1]
    return one[same + 1 :] == other[same + 1 :] or (
        swapped and one[same + 2 :] == other[same + 2 :]
    )


def near_opener(step: Step, group: str) -> tuple[str, str]:
    """Gives an expression of what resembles the opener of an argument, and its longest word.

    Both are empty where the step opens none, or has no word that is long enough. What the group
    of the expression matches is a misspelling only if `is_near` says so.
    """
    keyed = any(each.leaf == "key" for each in step.node.steps.values())
    return near_mark(step.terminal.text, group) if keyed else ("", "")


def near_closer(step: Step, group: str) -> tuple[str, str]:
    """Gives the same of what resembles the closer of an argument."""
    closes = step.kind == "literal" and "argument" in step.after
    return near_mark(step.terminal.text, group) if closes else ("", "")


class NearOpener:
    """What resembles the opener of a call, a section or an argument."""

    def __init__(self, step: Step, pattern: str, word: str, *, in_text: bool) -> None:
        self.step = step
        """What reading the opener does."""
        self.pattern = pattern
        """An expression of it, with the group `near`, which must resemble the word."""
        self.word = word
        self.in_text = in_text
        """Whether only what must follow it tells it from text."""

    @property
    def unnamed(self) -> str:
        """The expression without its group."""
        return self.pattern.replace("?P<near>", "?:")

    def matches(self, text: str, place: int) -> bool | None:
        """Whether it stands at a place, whatever follows; None where more text may tell."""
        found = compile_pattern(self.pattern).match(text[place : place + _LONGEST])
        return None if found is None else is_near(found["near"], self.word)

    @cached_property
    def whole(self) -> re.Pattern[str]:
        """Matches it, in text with what must follow."""
        follow = f"(?={_following(self.step.node)})" if self.in_text else ""
        return compile_pattern(self.pattern + follow)

    @cached_property
    def begun(self) -> re.Pattern[str]:
        """Matches what may become that, up to the end of the text."""
        return compile_pattern(rf"(?:{partial(self.whole.pattern.replace('?P<near>', '?:'))})\Z")


def near_openers(node: Node) -> Iterator[NearOpener]:
    """Gives what resembles the openers of a node that begin with a bracket or a mark.

    One that begins with a letter would have all words of a text looked at.
    """
    for group, terminal in node.tokens:
        text = terminal.text.strip()
        pattern, word = near_mark(text, "near") if terminal.kind == "literal" else ("", "")
        if pattern and not (text[0].isalnum() or text.endswith(word)):
            yield NearOpener(node.steps[group], pattern, word, in_text=True)


def opens_at(node: Node, text: str, place: int) -> bool:
    """Whether an opener stands at a place, or one that may be misspelt."""
    if node.opener.match(text, place):
        return True
    return any(each.matches(text, place) for each in node.near_openers)


def _following(node: Node) -> str:
    """Writes what must follow a misspelt opener; behind a bracket what stands there, too."""
    options = []
    for group, terminal in node.tokens:
        pattern, step = node.machine.pattern(terminal), node.steps[group]
        if terminal.kind == "literal" and step.weight <= _BRACKET:
            second = "|".join(node.machine.pattern(each) for _, each in step.node.tokens)
            pattern = rf"{pattern}\s{{0,16}}(?:{second})" if second else "(?!)"
        options.append(_GROUP.sub("(?:", pattern))
    return rf"\s{{0,16}}(?:{'|'.join(options) or '(?!)'})"


def respelt_opener(driver: Driver) -> tuple[Step, re.Match[str]] | bool:
    """Gives the misspelt opener that an island begins with, and says so.

    False where more text tells, True where none stands there.
    """
    if driver.builder.strict or driver.position != driver.island:
        return True
    return _respelt(driver, driver.node.near_openers, driver.position)


def _respelt(
    driver: Driver, openers: Iterable[NearOpener], place: int
) -> tuple[Step, re.Match[str]] | bool:
    """Gives which of the openers is misspelt at a place; booleans as `respelt_opener`."""
    for each in openers:
        near = each.matches(driver.buffer, place)
        if near is False:
            continue
        match = each.whole.match(driver.buffer, place) if near else None
        if match is not None:
            report_misspelt(driver, place, match.end(), each.step.terminal.text.strip(), sure=True)
            return each.step, match
        if not driver.final and each.begun.match(driver.buffer, place):
            return False
    return True


def near_mark(text: str, group: str) -> tuple[str, str]:
    """Gives an expression of what resembles markup, and the longest word in it; see above."""
    words: list[str] = _WORDS.findall(text)
    word = max(words, key=len, default="")
    if len(word) < _SHORTEST:
        return "", ""
    before, _, behind = text.strip().partition(word)
    # What ends the word is not in it: else a longer text could be taken for it than a shorter one.
    character = rf"[^\s<>/{re.escape(behind[0])}]" if behind else r"\w"
    # One character off, or two swapped, leaves one of the halves as it is.
    half = (len(word) - 1) // 2
    rest = f"{character}{{{len(word) - half - 1},{len(word) - half + 1}}}"
    halves = f"{re.escape(word[:half])}{rest}|{rest}{re.escape(word[-half:])}"
    pattern = rf"{_spaced(before)}(?P<{group}>{halves}){_spaced(behind)}"
    return pattern, word


def _spaced(text: str) -> str:
    return r"\s{1,64}".join(map(re.escape, re.split(r"\s+", text)))


def respell(driver: Driver, place: int) -> bool | None:
    """Reads the opener, or closer, of an argument that is misspelt; False where more text tells."""
    node, buffer = driver.node, driver.buffer
    previous, openers = driver.previous, []
    behind_key = previous is not None and previous.leaf == "key"
    for group, terminal in node.tokens:
        step = node.steps[group]
        if behind_key and terminal.text.strip() == ">" and buffer.startswith("=", place):
            report_misspelt(driver, place, place + 1, ">", sure=True)
            _read_as(driver, step, place + 1)
            return True
        pattern, word = near_opener(step, "near")
        if not pattern and previous is not None and previous.leaf == "value":
            pattern, word = near_closer(step, "near")
        if pattern:
            openers.append(NearOpener(step, pattern, word, in_text=False))
    respelt = _respelt(driver, openers, place)
    if isinstance(respelt, bool):
        return None if respelt else False
    _read_as(driver, respelt[0], respelt[1].end())
    return True


def _read_as(driver: Driver, step: Step, end: int) -> None:
    """Reads what ends at an index as a literal."""
    driver.last_end = driver.base + end
    driver.position = end
    driver.pass_over(step)


def arguments_key(driver: Driver, step: Step, text: str, start: int, end: int) -> Meant | None:
    """Gives the key of the arguments where another key holds an object in its place.

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
    if draft is not None and draft.arguments_start >= 0 and not step.leaf:
        draft.beside.append(text.strip('"'))
    if step.leaf or draft is None or draft.name is None or draft.arguments_start >= 0:
        return Meant(step, text, end)
    word = text.strip('"')
    found = _key_like(driver.node, word)
    if found is not None and not _OBJECT.match(buffer, end):
        if not driver.final and _OBJECT_BEGUN.match(buffer, end):
            return None
        found = None
    if found is None:
        return Meant(step, text, end)
    meant, key = found
    text = meant.terminal.text.strip() or f'"{key}"'
    if text.endswith(":"):
        end = buffer.index(":", end) + 1
    report_misspelt(driver, start, end, text, sure=is_near(word, key))
    return Meant(meant, text, end)


def _key_like(node: Node, word: str) -> tuple[Step, str] | None:
    """Gives the key of the arguments that a word resembles, or stands for."""
    named = None
    for group, terminal in node.tokens:
        step = node.steps[group]
        if not (step.node.takes_arguments or (step.node.takes_colon and _leads_on(step.node))):
            continue
        for key in keys_of(terminal):
            if len(key) >= _SHORTEST and is_near(word, key):
                return step, key
            if word in _OTHER_NAMES and named is None:
                named = step, key
    return named


def _leads_on(node: Node) -> bool:
    """Whether arguments stand behind the colon."""
    colons = (node.steps[group] for group, each in node.tokens if each.text.strip() == ":")
    return any(step.node.takes_arguments for step in colons)


def report_misspelt(driver: Driver, start: int, end: int, text: str, *, sure: bool) -> None:
    """Tells of what stands between two indexes of the buffer, and what it is read as."""
    builder = driver.builder
    span = Span(max(0, driver.base + start), max(0, driver.base + end))
    builder.report(
        "misspelt",
        "warning" if sure else "error",
        f"Found `{driver.buffer[start:end][:40]}`; took it for `{text}`",
        span,
        edits=(Edit(span, text),),
    )
    if builder.draft is None:
        builder.mended_before = True
        return
    builder.draft.repaired = True
    if not sure:
        builder.draft.doubts.append("misspelt")
