"""Finds where the markup around an object of bare words goes on, though its brackets are open.

A bare word has no end of its own: if the object's bracket is missing, it would extend to the next
call's. So it ends before distinctive markup: markup that follows the object, or the opener of
a call. Short markup, as `)`, may be part of the word; it counts if the next call follows, and
after a value or a literal if the line ends. Example: of `{city: Oslo<end_call>` the word is
`Oslo`; of `{n: 5)` at the end of a line it is `5`, of `{city: Oslo (NO)` it is `Oslo (NO)`.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from toolgrammar.core.machine.caches import cached_on_argument
from toolgrammar.core.machine.repairs import repairs_of
from toolgrammar.grammar.payload_kinds import notation_of
from toolgrammar.patterns.beginnings import literal_start
from toolgrammar.patterns.partial import alternation, tail_that_begins, unnamed
from toolgrammar.tools.json_tokens import LITERAL
from toolgrammar.values.patterns import anywhere, compile_pattern

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from toolgrammar.core.machine.machine import Node, Step

DELIMITED, ENDED, WAITS = range(3)
"""The ends of a part of a word: a comma or a bracket, markup, or the end of the text so far."""
WORD_STOPS: Final = ",}]"
KEY_STOPS: Final = ":,{}[]"
"""The characters that a bare key can't contain."""

_DISTINCTIVE: Final = 3
"""The minimal length of distinctive markup, in characters."""
_LONGEST: Final = 1088
"""The maximal length of markup with the text that must follow it, in characters."""
_LITERAL: Final = rf"(?:{LITERAL}|-?[0-9]{{1,64}}(?:\.[0-9]{{1,64}})?)"
_OVER: Final = r"[ \t]{0,64};?[ \t]{0,64}(?://[^\r\n]{0,256})?"
"""The text that may be between a short closer and the end of its line."""


class MarkupAround:
    """The markup around one object."""

    def __init__(self, step: Step) -> None:
        """Collects the markup that may follow an object.

        Args:
            step: the step of the machine that reads the object.
        """
        machine, after = step.machine, step.node
        long: list[str] = []
        short: list[str] = []
        for _, terminal in after.tokens:
            begins = literal_start(terminal.pattern) if terminal.kind == "regex" else terminal.text
            # A terminal that repeats a name has no fixed text whose length could be measured.
            is_long = terminal.kind == "same" or len(begins.strip()) >= _DISTINCTIVE
            # Tolerant: markup with different white space in it ends a word, too.
            (long if is_long else short).append(machine.expressions.tolerant(terminal))
        openers = machine.start.openers()
        opener, closer = _any(openers), _any(short)
        long += [anchor.pattern for anchor in repairs_of(after).anchors.values()]
        ending = rf"(?:{closer}){_OVER}" if short else "(?!)"
        self.marks = _any([*long, *openers, rf"{ending}\s{{0,64}}(?:{opener})"])
        """The expression of the markup that ends a word."""
        self._runs = tuple(
            anywhere(rf"(?:(?!{self.marks})[^{re.escape(stops)}])*")
            for stops in (WORD_STOPS, KEY_STOPS)
        )
        """The matchers of a word and a key, up to that markup."""
        literal = rf"({_LITERAL})\s{{0,64}}{ending}"
        # In a stream the end of the text so far may be the middle of a line: `5)` may continue as
        # `5) of 9`.
        ends = (r"[\r\n]", r"(?:[\r\n]|\Z)")  # before and after the end of the text is known
        self.over = f"{literal}{ends[0]}"
        """The expression of a word that ends at the end of its line."""
        self._literal = tuple(compile_pattern(f"{literal}{end}") for end in ends)
        self._literal_begins = _Beginnings(rf"{literal}[\r\n]" if short else "")
        self._place = tuple(compile_pattern(f"{self.marks}|{ending}{end}") for end in ends)
        # Text that may become such markup is held back in a stream.
        self._begins = _Beginnings(
            _any([self.marks, rf"{ending}[\r\n]"] if short else [self.marks])
        )

    def read(self, text: str, at: int, *, key: bool, first: bool, final: bool) -> tuple[int, int]:
        """Returns the end of a part of a bare word, and what ends it.

        Args:
            text: contains the next part of the word.
            at: the index where the part begins.
            key: whether the word is a key.
            first: whether the part is the first one of the word.
            final: whether the text ends here.
        """
        # Only a whole word can be a literal.
        if first:
            literal = self._literal[final].match(text, at)
            if literal is not None:
                return literal.end(1), ENDED
            if not final and self._literal_begins.are_at(text, at):
                return at, WAITS
        end = self._runs[key].match(text, at).end()
        # The end of the text so far may cut markup: the word waits before it.
        if not final and len(text) - end < _LONGEST:
            # Place by place: most words are short, and a search would go on to the end of the text.
            for place in range(max(at, len(text) - _LONGEST), end):
                if self._begins.are_at(text, place):
                    return place, WAITS
        if end == len(text):
            return end, WAITS
        return end, DELIMITED if text[end] in (KEY_STOPS if key else WORD_STOPS) else ENDED

    def stands(self, text: str, at: int, *, final: bool) -> bool | None:
        """Whether markup continues where a token may begin; None if more text must decide."""
        if self._place[final].match(text, at):
            return True
        return None if not final and self._begins.are_at(text, at) else False


@cached_on_argument
def markup_around(step: Step) -> MarkupAround:
    """Returns the markup around an object of bare words, for the step that reads it."""
    return MarkupAround(step)


def word_expressions(nodes: Iterable[Node], quotes: str) -> Iterator[tuple[str, str]]:
    """Yields the expressions of a whole bare key and word, for a lexer without context.

    Args:
        nodes: the nodes of the grammar.
        quotes: the expression of the quotes of strings.
    """
    steps = (step for node in nodes for step in node.payloads)
    around = [markup_around(step) for step in steps if notation_of(step.terminal.name) == "bare"]
    marks = _any(each.marks for each in around)
    refused = _any([quotes, marks, *(each.over for each in around)])
    # A lexer without context can't know which object contains the word: the markup of any ends it.
    key = re.escape(KEY_STOPS)
    yield "B_KEY", rf"\s*(?!{quotes})(?!{marks})[^\s{key}](?:(?!{marks})[^{key}])*"
    yield "B_WORD", rf"\s*(?!{refused})[^\s,{{}}\[\]](?:(?!{marks})[^,}}\]])*"


def _any(patterns: Iterable[str]) -> str:
    # These patterns share some groups.
    return alternation(dict.fromkeys(map(unnamed, patterns)))


# No cached property of the frame: mypyc could not compile its module (`distribution/compiled.py`).
class _Beginnings:
    """The beginnings of an expression's matches, compiled when a stream first asks for them."""

    def __init__(self, expression: str) -> None:
        self._expression = expression
        self._pattern: re.Pattern[str] | None = None

    def are_at(self, text: str, place: int) -> bool:
        """Whether the text from an index on may become a match: `<end_c` of `<end_call>`."""
        if self._pattern is None:
            self._pattern = tail_that_begins([self._expression] if self._expression else [])
        return self._pattern.match(text, place) is not None
