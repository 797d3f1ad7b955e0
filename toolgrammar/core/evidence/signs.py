"""Finds the signs of a call in a text.

Example: `<tool_call>` and `"arguments"` are signs of JSON in tags. A text that only mentions the format
contains some of them as well, so each sign has a weight, and its use counts, too (`used.py`).
"""

from __future__ import annotations

import re
from functools import cached_property
from typing import TYPE_CHECKING, NamedTuple

from toolgrammar.core.evidence.member_behind import begins_rest
from toolgrammar.core.evidence.named_tools import named_as_in_a_call
from toolgrammar.core.evidence.other_turns import OtherTurns
from toolgrammar.core.evidence.spellings import may_be_spelt_otherwise
from toolgrammar.core.evidence.used import (
    closing_lines,
    end_of_attribute,
    holds_object,
    is_label,
    is_quoted,
    is_used,
    quotations,
)
from toolgrammar.grammar.call_evidence import ANY_NAME, CERTAIN, weight_of
from toolgrammar.patterns.damaged_marks import marks_of
from toolgrammar.values.patterns import blanks, late

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
"""A special token, followed by an object whose first key is that of a name."""
_STRINGS = late(
    r"""\s{0,64}\[\s{0,16}(["'])(?P<name>[^\W\d][\w.]{0,63})\(\w{1,64}\s?=[^\n]{0,1024}\)\1\s{0,16}[,\]]"""
)
"""A list at the beginning of a text whose first item is a string with a Python call: `['f(a=1)']`."""


class ForeignCall(NamedTuple):
    """A text that is written like a call of some other format."""

    place: int
    """Its offset in the text."""
    text: str
    """Its beginning."""
    name: str
    """The name that it calls; "" if that is not a string."""


def foreign_call(text: str) -> ForeignCall | None:
    """Returns the first call of another format in a text; None if there is none."""
    found = _OBJECT.search(text) if "<|" in text or "\uff5c" in text else None
    found = found or _STRINGS.match(text)
    if found is None:
        return None
    return ForeignCall(found.start(), found[0].strip(), found["name"] or "")


_BESIDE_NAMES = "({[<:>"
"""A call has one of these characters beside the name of its tool."""
_MOST_PLACES = 64
"""The maximal number of places of one sign that are examined."""
_SPECIAL = ("<|", "\uff5c")
"""Parts of special tokens that hardly any other text contains."""


class Signs:
    """The signs of calls in one format, or of those that several formats share."""

    def __init__(
        self,
        signs: Iterable[tuple[str, int]],
        names: Sequence[str],
        closers: Iterable[str] = (),
        results: Iterable[str] = (),
        remains: Callable[[Iterable[str]], FindsRemains] | None = None,
    ) -> None:
        """Takes the signs and the markup around calls.

        Args:
            signs: the signs, each with its weight; one with weight 0 only counts before the name of a
                tool.
            names: the names of the known tools.
            closers: the closers of calls.
            results: the openers of results of tools.
            remains: returns the search for the rest of damaged calls, given the signs; called on first
                use.
        """
        self.weights: dict[str, int] = {}
        for text, weight in signs:
            # A sign may contain the name of a tool, as `<search>` does: then there is one for each tool.
            for name in names if ANY_NAME in text else ("",):
                self.weights[text.replace(ANY_NAME, name)] = weight
        self._by_first: dict[str, list[str]] = {}
        for text, weight in self.weights.items():
            # Those without weight count only beside a name (`named_as_in_a_call`).
            if weight:
                self._by_first.setdefault(text[0], []).append(text)
        self._marks = {
            text
            for text, weight in self.weights.items()
            if weight >= CERTAIN or (weight and weight_of(text) >= CERTAIN)
        }
        """The signs that only calls contain, such as their openers."""

        # `</search>` is a closer if the format names its tags after the tools.
        self._closers = (
            *closers,
            *(f"</{name}>" for name in names if f"</{name}>" in self.weights),
        )

        self._plain_closers = tuple(
            each for each in self._closers if not any(sign in each for sign in self.weights)
        )
        """The closers of calls that are no signs of one, since texts outside of calls end with them, too."""

        # `</tool_call>` differs from `<tool_call>` by one character, but is not a damaged opener.
        closers = {each for each in self._marks if each.startswith("</")}.union(self._closers)
        opening, others = self._marks - closers, tuple(sorted(closers))
        self._openers = marks_of(tuple(sorted(opening)), others)
        """Searches for damaged signs, except closers."""
        self._opening = tuple(sorted(opening, key=len, reverse=True))
        special = {each for each in opening if any(map(each.__contains__, _SPECIAL))}
        self._special = marks_of(tuple(sorted(special)), (*others, *sorted(opening - special)))
        """Searches for damaged special tokens, which resemble nothing in ordinary text."""

        self._other_turns = OtherTurns(results)
        # Not for all formats at once: what is a part of a call in one of them is prose in another.
        self._make_remains = remains

    def begin_other_turn(self, text: str) -> bool:
        """Whether another turn begins in a text: a user's, or the result of a tool."""
        return self._other_turns.begin_in(text)

    def begin_other_turn_in_thought(self, thought: str) -> bool:
        """Whether another turn begins in reasoning, and is not only mentioned there."""
        return self._other_turns.begin_in_thought(thought)

    @property
    def has_closers(self) -> bool:
        """Whether calls have closers."""
        return bool(self._closers)

    def behind_closers(self, text: str) -> str:
        """Returns the part of a text behind the last closer of a call in it."""
        ends = [at + len(closer) for closer in self._closers if (at := text.rfind(closer)) >= 0]
        return text[max(ends, default=0) :]

    def before_closer(self, text: str) -> str:
        """Returns the part of a text before the first closer of a call that is no sign of one, or ""."""
        places = [at for each in self._plain_closers if (at := text.find(each)) >= 0]
        return text[: min(places, default=0)]

    def close(self, text: str) -> bool:
        """Whether a text ends with the closer of a call."""
        return text.endswith(self._closers)

    def last_opener(self, text: str) -> tuple[int, str] | None:
        """Returns the place and the text of the opener at the end of a text, ignoring white space."""
        text = text.rstrip()
        found = next(filter(text.endswith, self._opening), None)
        return None if found is None else (len(text) - len(found), found)

    def show_use(self, text: str, opened: Sequence[tuple[int, str]]) -> bool:
        """Whether a text contains the markup of a call that goes on to the end of the text.

        A call ends with its payload, so one whose object is complete does not count.

        Args:
            text: the text.
            opened: openers in the text that only calls have, each with its place.
        """
        found = [sign for sign in self._marks if sign in text]
        damaged = self._openers.find(text)
        if not (found or opened or damaged):
            return False
        if damaged and is_used(text, damaged.start, damaged.start + len(damaged.text)):
            return True
        quoted = quotations(text)
        # `Action: search` at the beginning of a line: no bracket has to follow a label.
        if any(is_label(text, at := text.find(sign), at + len(sign)) for sign in found):
            return True
        places = [place for sign in found for place in _uses(text, sign, quoted)]
        places += [(at, sign) for at, sign in opened if _is_used(text, at, sign, quoted)]
        # `<tool_input>` opens an argument: a text that only mentions it has it in quotes.
        inner = [s for s in found if self.weights[s] >= CERTAIN and s[:1] == "<" != s[1:2] != "/"]
        places += [(at, s) for s in inner if not is_quoted(text, at := text.rfind(s))]
        # `<tool_call>{"name": "a"}` and then prose: the object is complete, and the call ends with it.
        return not all(holds_object(text, at + len(sign)) for at, sign in places)

    def hold_call(self, text: str, tools: Mapping[str, ToolSpec]) -> bool:
        """Whether a value contains the markup of a call, whole or not.

        Args:
            text: the value, as it was written.
            tools: the known tools by their names.
        """
        found = [sign for sign in self.weights if sign in text]
        if not self._marks.isdisjoint(found) or sum(self.weights[s] for s in found) >= CERTAIN:
            return True
        return bool(tools) and named_as_in_a_call(text, tools, self.weights) is not None

    def are_in(self, text: str, tools: Mapping[str, ToolSpec]) -> bool:
        """Whether a call may be written in a text.

        Args:
            text: the text.
            tools: the known tools by their names.
        """
        if foreign_call(text) is not None or self._may_be_of_call(text):
            return True
        if may_be_spelt_otherwise(text):
            return True  # reading the text in the usual spelling shows whether it is a call
        said = 0
        for first, signs in self._by_first.items():
            if first in text:  # searching one character is many times faster than a longer text
                for sign in signs:
                    if sign in text:
                        said += self.weights[sign]
                        if sign in self._marks:
                            return True
        if said >= CERTAIN or self._damaged_in(text, tools) is not None:
            return True
        if next(self.mended(text, tools), None) is not None:
            return True  # reading the repaired text shows whether it is a call
        if not tools:
            return False
        # Searching for every name costs one pass over the text for each, which most prose avoids.
        may = said > 0 or any(map(text.__contains__, _BESIDE_NAMES))
        return may and named_as_in_a_call(text, tools, self.weights) is not None

    def _may_be_of_call(self, text: str) -> bool:
        """Whether a text behind a call may belong to it: its value may have ended too early."""
        if begins_rest(text) or any(map(text.__contains__, self._plain_closers)):
            return True
        return next(closing_lines(text), None) is not None or end_of_attribute(text) is not None

    def first_in(
        self, text: str, tools: Mapping[str, ToolSpec], opened: Sequence[tuple[int, str]] = ()
    ) -> tuple[int, str, bool] | None:
        """Returns the place and the text of the first sign, and whether it is used as in a call.

        None if the text only mentions an opener.

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
        used += self._before_closer(text, found, quoted)
        damaged = self._special_in(text)
        if damaged is not None:
            used.append(damaged)
        named = named_as_in_a_call(text, tools, self.weights) if tools else None
        if named is not None:
            places.append(named)
            at, sign = named
            # A quote before the name that is closed in what was found is that of a JSON string.
            if text[at - 1 : at] in sign or not is_quoted(text, at) or _is_alone(text, at):
                used.append(named)
        foreign = foreign_call(text)
        if foreign is not None:
            (used if foreign.name in tools else places).append(foreign[:2])
        # An undamaged sign, or one with the name of a tool, is better evidence than a damaged one.
        remains = None
        if self.remains is not None and not used:
            remains = self.remains.find(text, tools)
        if remains is not None:
            used.append(remains)
        if not used and named is None and foreign is None and said < CERTAIN:
            return None
        at, sign = min(used or places, key=lambda place: (place[0], -len(place[1])))
        return at, sign, bool(used)

    def _before_closer(
        self, text: str, signs: Iterable[str], quoted: Sequence[tuple[int, int]]
    ) -> list[tuple[int, str]]:
        """Returns the closing tags right before the closer of a call, with which a value ends its call."""
        tags = [(text.index(sign), sign) for sign in signs if sign.startswith("</")]
        return [
            (at, tag)
            for at, tag in tags
            if text.startswith(self._closers, blanks.match(text, at + len(tag)).end())
            and not (is_quoted(text, at) or any(start < at < end for start, end in quoted))
        ]

    def _damaged_in(self, text: str, tools: Mapping[str, ToolSpec]) -> tuple[int, str] | None:
        """Returns the place and the text of damaged markup that is used as in a call."""
        found = self._special_in(text)
        return found or (None if self.remains is None else self.remains.find(text, tools))

    def mended(self, text: str, tools: Mapping[str, ToolSpec]) -> Iterator[MendedMark]:
        """Yields the ways to repair one damaged mark so that a call opens in a text."""
        return iter(()) if self.remains is None else self.remains.mended(text, tools)

    @cached_property
    def remains(self) -> FindsRemains | None:
        """The search for the rest of damaged calls; None for so many formats that it would be unreliable."""
        return None if self._make_remains is None else self._make_remains(self.weights)

    def _special_in(self, text: str) -> tuple[int, str] | None:
        """Returns the place and the text of a damaged special token that is used as in a call."""
        if not any(mark in text for mark in _SPECIAL):
            return None
        found = self._special.find(text)
        if found is None or not _is_used(text, found.start, found.text, quotations(text)):
            return None
        return found.start, found.text


class SeveralSigns:
    """The signs of calls in several formats."""

    __slots__ = ("_fixed", "_named")

    def __init__(self, fixed: Signs, named: Signs | None) -> None:
        """Takes the signs that do not depend on the tools, and those with the names of tools."""
        self._fixed, self._named = fixed, named

    def begin_other_turn(self, text: str) -> bool:
        """Whether another turn begins in a text, in one of the formats."""
        return self._fixed.begin_other_turn(text)

    def begin_other_turn_in_thought(self, thought: str) -> bool:
        """Whether another turn begins in reasoning, in one of the formats, and is not only mentioned."""
        return self._fixed.begin_other_turn_in_thought(thought)

    def behind_closers(self, text: str) -> str:
        """Returns the part of a text behind the last closer of a call in it."""
        text = self._fixed.behind_closers(text)
        return text if self._named is None else self._named.behind_closers(text)

    def show_use(self, text: str, opened: Sequence[tuple[int, str]]) -> bool:
        """Whether a text contains the markup of a call that goes on to the end of the text."""
        if self._fixed.show_use(text, opened):
            return True
        return self._named is not None and self._named.show_use(text, ())

    def hold_call(self, text: str, tools: Mapping[str, ToolSpec]) -> bool:
        """Whether a value contains the markup of a call, in one of the formats."""
        if self._fixed.hold_call(text, tools):
            return True
        return self._named is not None and self._named.hold_call(text, tools)


def _begins_line(text: str, words: str) -> bool:
    """Whether a line of a text begins with some words."""
    lines = text.replace("\r", "\n")  # a carriage return ends a line, too
    return lines.lstrip().startswith(words) or f"\n{words}" in lines


def _is_alone(text: str, at: int) -> bool:
    """Whether the text consists of what begins at a place, ignoring brackets and backticks around it."""
    alone = text.strip(" \t\r\n`[]")
    return text.startswith(alone, at) and "`" not in alone and alone[-1:] in (")", "}")


def _uses(text: str, sign: str, quoted: Sequence[tuple[int, int]]) -> Iterator[tuple[int, str]]:
    """Yields the places where a sign is used as in a call; only its first places are examined."""
    at = text.find(sign)
    for _ in range(_MOST_PLACES):
        if at < 0:
            return
        if _is_used(text, at, sign, quoted):
            yield at, sign
        at = text.find(sign, at + len(sign))


def _is_used(text: str, at: int, sign: str, quoted: Sequence[tuple[int, int]]) -> bool:
    """Whether the sign at a place is used as in a call, and is not quoted."""
    is_inside = any(start < at < end for start, end in quoted)
    return not is_inside and is_used(text, at, at + len(sign))
