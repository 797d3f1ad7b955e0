"""Finds what shows in a text that a call was written there.

Example: `<tool_call>` and `"arguments"` are signs of JSON in tags. A text that only speaks of the format has
some of them as well, so each has a weight, and how it is used counts too (`used.py`).
"""

from __future__ import annotations

import re
from functools import cached_property
from typing import TYPE_CHECKING, NamedTuple

from toolgrammar.core.evidence.member_behind import begins_in_string
from toolgrammar.core.evidence.named_tools import named_as_in_a_call
from toolgrammar.core.evidence.other_turns import OtherTurns
from toolgrammar.core.evidence.spellings import may_be_spelt_otherwise
from toolgrammar.core.evidence.used import (
    holds_object,
    is_label,
    is_quoted,
    is_used,
    quotations,
)
from toolgrammar.grammar.call_evidence import ANY_NAME, CERTAIN, weight_of
from toolgrammar.patterns.damaged_marks import marks_of
from toolgrammar.values.patterns import late

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

    from toolgrammar.core.evidence.mended_marks import MendedMark
    from toolgrammar.core.evidence.remains import FindsRemains
    from toolgrammar.values.tools import ToolSpec

_OBJECT = late(
    r"""<[|\uff5c][\w\u2581 ]{1,32}[|\uff5c]>\s{0,16}(?:\[\s{0,16})?\{\s{0,16}
    "(?:func|function|function_name|tool|tool_name|name)"\s{0,16}:\s{0,16}
    (?:\{|"(?P<name>[^"\n]{0,256}))""",
    re.VERBOSE,
)
"""A special token, and an object that begins with the key of a name right behind it."""
_STRINGS = late(
    r"""\s{0,64}\[\s{0,16}(["'])(?P<name>[^\W\d][\w.]{0,63})\(\w{1,64}\s?=[^\n]{0,1024}\)\1\s{0,16}[,\]]"""
)
"""A list at the beginning, and the first string in it is a call in Python: `['f(a=1)']`."""


class ForeignCall(NamedTuple):
    """What is written like a call."""

    place: int
    """Where it stands in the text."""
    text: str
    """Its beginning."""
    name: str
    """What it calls; "" where that is no string."""


def foreign_call(text: str) -> ForeignCall | None:
    """Returns the first of them in a text; None where there is none."""
    found = _OBJECT.search(text) if "<|" in text or "\uff5c" in text else None
    found = found or _STRINGS.match(text)
    if found is None:
        return None
    return ForeignCall(found.start(), found[0].strip(), found["name"] or "")


_BESIDE_NAMES = "({[<:"
"""One of them stands beside the name of a tool where a call was written."""
_MOST_PLACES = 64
"""Places of one sign that are looked at."""
_SPECIAL = ("<|", "\uff5c")
"""What special tokens hold, and hardly any text."""


class Signs:
    """What shows in a text that a call was written there."""

    def __init__(
        self,
        signs: Iterable[tuple[str, int]],
        names: Sequence[str],
        closers: Iterable[str] = (),
        results: Iterable[str] = (),
        remains: Callable[[Iterable[str]], FindsRemains] | None = None,
    ) -> None:
        """Takes what shows a call, and what may stand round one.

        Args:
            signs: the signs, each with its weight; one of no weight only tells of a call where the
                name of a tool follows it.
            names: the names of the known tools.
            closers: what ends calls.
            results: what begins the results of tools.
            remains: makes of the signs what finds the rest of a damaged call, once it is asked for.
        """
        self.weights: dict[str, int] = {}
        for text, weight in signs:
            # A sign may hold the name of a tool, as `<search>`: it is one sign for each tool.
            for name in names if ANY_NAME in text else ("",):
                self.weights[text.replace(ANY_NAME, name)] = weight
        self._by_first: dict[str, list[str]] = {}
        for text, weight in self.weights.items():
            # Those without weight are looked for only beside a name (`named_as_in_a_call`).
            if weight:
                self._by_first.setdefault(text[0], []).append(text)
        self._marks = {
            text
            for text, weight in self.weights.items()
            if weight >= CERTAIN or (weight and weight_of(text) >= CERTAIN)
        }
        """Those that are markup of calls alone, openers too."""

        # `</search>` is a closer where the format names its tags by the tools.
        self._closers = (
            *closers,
            *(f"</{name}>" for name in names if f"</{name}>" in self.weights),
        )

        # `</tool_call>` is one character off `<tool_call>`, and must not pass for a damaged opener.
        closers = {each for each in self._marks if each.startswith("</")}.union(self._closers)
        opening, others = self._marks - closers, tuple(sorted(closers))
        self._openers = marks_of(tuple(sorted(opening)), others)
        """What opens calls and what is in them, as it may stand damaged."""
        self._opening = tuple(sorted(opening, key=len, reverse=True))
        special = {each for each in opening if any(map(each.__contains__, _SPECIAL))}
        self._special = marks_of(tuple(sorted(special)), (*others, *sorted(opening - special)))
        """Of those the special tokens: texts have none that is like them."""

        self._other_turns = OtherTurns(results)
        # Of all formats, what one writes is prose in another one.
        self._make_remains = remains

    def begin_other_turn(self, text: str) -> bool:
        """Whether a turn begins in a text that is not the model's: a user's, or a tool's result."""
        return self._other_turns.begin_in(text)

    @property
    def has_closers(self) -> bool:
        """Whether calls end with markup of their own."""
        return bool(self._closers)

    def behind_closers(self, text: str) -> str:
        """Returns what of a text stands behind the last closer of a call in it."""
        ends = [at + len(closer) for closer in self._closers if (at := text.rfind(closer)) >= 0]
        return text[max(ends, default=0) :]

    def last_opener(self, text: str) -> tuple[int, str] | None:
        """Returns the opener that a text ends with, but for white space, and its place."""
        text = text.rstrip()
        found = next(filter(text.endswith, self._opening), None)
        return None if found is None else (len(text) - len(found), found)

    def show_use(self, text: str, opened: Sequence[tuple[int, str]]) -> bool:
        """Whether the markup of a call that goes on to the end of a text stands in it.

        An object that is whole ends what it is the payload of.

        Args:
            text: the text.
            opened: openers in it that only calls have, each with its place.
        """
        found = [sign for sign in self._marks if sign in text]
        damaged = self._openers.find(text)
        if not (found or opened or damaged):
            return False
        if damaged and is_used(text, damaged.start, damaged.start + len(damaged.text)):
            return True
        quoted = quotations(text)
        # `Action: search` at the beginning of a line: a label needs no bracket behind it.
        if any(is_label(text, at := text.find(sign), at + len(sign)) for sign in found):
            return True
        places = [place for sign in found for place in _uses(text, sign, quoted)]
        places += [(at, sign) for at, sign in opened if _is_used(text, at, sign, quoted)]
        # `<tool_input>` opens an argument: who only speaks of it puts it in quotes.
        inner = [s for s in found if self.weights[s] >= CERTAIN and s[:1] == "<" != s[1:2] != "/"]
        places += [(at, s) for s in inner if not is_quoted(text, at := text.rfind(s))]
        # `<tool_call>{"name": "a"}` and then prose: the object is over, and so is what it stood in.
        return not all(holds_object(text, at + len(sign)) for at, sign in places)

    def are_in(self, text: str, tools: Mapping[str, ToolSpec]) -> bool:
        """Whether a call may be written in a text.

        Args:
            text: the text.
            tools: the known tools by their names.
        """
        if begins_in_string(text) or foreign_call(text) is not None:
            return True
        if may_be_spelt_otherwise(text):
            return True  # the driver finds out whether a call stands there
        said = 0
        for first, signs in self._by_first.items():
            if first in text:  # one character is looked for at many times the speed of a text
                for sign in signs:
                    if sign in text:
                        said += self.weights[sign]
                        if sign in self._marks:
                            return True
        if said >= CERTAIN or self._damaged_in(text) is not None:
            return True
        if next(self.mended(text), None) is not None:
            return True  # the driver finds out whether a call stands there then
        if not tools:
            return False
        # To look for every name costs a pass over the text for each: most prose is spared it.
        may = said > 0 or any(map(text.__contains__, _BESIDE_NAMES))
        return may and named_as_in_a_call(text, tools, self.weights) is not None

    def first_in(
        self, text: str, tools: Mapping[str, ToolSpec], opened: Sequence[tuple[int, str]] = ()
    ) -> tuple[int, str, bool] | None:
        """Returns the first place of one in a text, what stands there, and whether a call was meant.

        None where the text does no more than name an opener.

        Args:
            text: the text.
            tools: the known tools by their names.
            opened: openers in the text that only calls have, each with its place.
        """
        found = [sign for signs in self._by_first.values() for sign in signs if sign in text]
        places = [(text.index(sign), sign) for sign in found]
        said = sum(self.weights[sign] for sign in found)
        quoted = quotations(text)
        used = [
            place for sign in found if sign in self._marks for place in _uses(text, sign, quoted)
        ]
        used += [(at, sign) for at, sign in opened if _is_used(text, at, sign, quoted)]
        damaged = self._special_in(text)
        if damaged is not None:
            used.append(damaged)
        named = named_as_in_a_call(text, tools, self.weights) if tools else None
        if named is not None:
            places.append(named)
            at, sign = named
            # A quote that ends in what was found belongs to it: it is a string of JSON.
            if text[at - 1 : at] in sign or not is_quoted(text, at) or _is_alone(text, at):
                used.append(named)
        foreign = foreign_call(text)
        if foreign is not None:
            (used if foreign.name in tools else places).append(foreign[:2])
        # What is whole, or names a tool, tells more than what is only like a sign.
        remains = self.remains.find(text) if self.remains is not None and not used else None
        if remains is not None:
            used.append(remains)
        if not used and named is None and foreign is None and said < CERTAIN:
            return None
        at, sign = min(used or places, key=lambda place: (place[0], -len(place[1])))
        return at, sign, bool(used)

    def _damaged_in(self, text: str) -> tuple[int, str] | None:
        """Gives markup of calls that stands damaged, as a call uses it, and its place."""
        found = self._special_in(text)
        return found or (self.remains.find(text) if self.remains is not None else None)

    def mended(self, text: str) -> Iterator[MendedMark]:
        """Yields the ways to put one damaged mark right so that a call opens in a text."""
        return iter(()) if self.remains is None else self.remains.mended(text)

    @cached_property
    def remains(self) -> FindsRemains | None:
        """What finds the rest of a damaged call; None where the formats are too many to tell."""
        return None if self._make_remains is None else self._make_remains(self.weights)

    def _special_in(self, text: str) -> tuple[int, str] | None:
        """Gives a special token of calls that stands damaged, and its place."""
        if not any(mark in text for mark in _SPECIAL):
            return None
        found = self._special.find(text)
        if found is None or not _is_used(text, found.start, found.text, quotations(text)):
            return None
        return found.start, found.text


class SeveralSigns:
    """What shows in a text that a call of one of several formats was written there."""

    __slots__ = ("_fixed", "_named")

    def __init__(self, fixed: Signs, named: Signs | None) -> None:
        """Takes the signs that are the same whatever the tools are, and those with their names."""
        self._fixed, self._named = fixed, named

    def begin_other_turn(self, text: str) -> bool:
        """Whether a turn begins in a text that is not the model's, in one of the formats."""
        return self._fixed.begin_other_turn(text)

    def behind_closers(self, text: str) -> str:
        """Returns what of a text stands behind the last closer of a call in it."""
        text = self._fixed.behind_closers(text)
        return text if self._named is None else self._named.behind_closers(text)

    def show_use(self, text: str, opened: Sequence[tuple[int, str]]) -> bool:
        """Whether the markup of a call that goes on to the end of a text stands in it."""
        if self._fixed.show_use(text, opened):
            return True
        return self._named is not None and self._named.show_use(text, ())


def _begins_line(text: str, words: str) -> bool:
    """Whether a line of a text begins with some words."""
    lines = text.replace("\r", "\n")  # which ends a line, too
    return lines.lstrip().startswith(words) or f"\n{words}" in lines


def _is_alone(text: str, at: int) -> bool:
    """Whether what begins at a place is all there is, but for brackets and marks of code."""
    alone = text.strip(" \t\r\n`[]")
    return text.startswith(alone, at) and "`" not in alone and alone[-1:] in (")", "}")


def _uses(text: str, sign: str, quoted: Sequence[tuple[int, int]]) -> Iterator[tuple[int, str]]:
    """Yields the places where a sign is used as a call uses it, of the first few that it has."""
    at = text.find(sign)
    for _ in range(_MOST_PLACES):
        if at < 0:
            return
        if _is_used(text, at, sign, quoted):
            yield at, sign
        at = text.find(sign, at + len(sign))


def _is_used(text: str, at: int, sign: str, quoted: Sequence[tuple[int, int]]) -> bool:
    """Whether what stands at a place is used as a call uses it, and not quoted."""
    is_inside = any(start < at < end for start, end in quoted)
    return not is_inside and is_used(text, at, at + len(sign))
