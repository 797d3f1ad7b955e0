"""Tells where the markup around an object with bare words goes on, though its brackets are open.

A bare word has no end of its own: with the object's bracket missing, it would run on to the next
call's. So it ends before what stands for itself: markup that follows the object, or the opener of
a call. What is short, as `)`, may belong to the word; it counts where the next call follows, and
behind a value or a literal where the line ends. Example: of `{city: Oslo<end_call>` the word is
`Oslo`; of `{n: 5)` at the end of a line it is `5`, of `{city: Oslo (NO)` it is `Oslo (NO)`.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from toolgrammar.core.machine.kept import kept
from toolgrammar.core.machine.repairs import repairs_of
from toolgrammar.grammar.payload_kinds import notation_of
from toolgrammar.patterns.beginnings import literal_start
from toolgrammar.patterns.partial import any_of, tail_that_begins, unnamed
from toolgrammar.tools.json_tokens import LITERAL
from toolgrammar.values.patterns import anywhere, compile_pattern

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from toolgrammar.core.machine.machine import Node, Step

DELIMITED, ENDED, WAITS = range(3)
"""What ends a part of a word: a comma or a bracket, markup, or the end of the text so far."""
WORD_STOPS: Final = ",}]"
KEY_STOPS: Final = ":,{}[]"
"""The characters of which a bare key has none."""

_DISTINCTIVE: Final = 3
"""Characters of markup that stands for itself."""
_LONGEST: Final = 1088
"""Characters of markup, with what must follow it."""
_LITERAL: Final = rf"(?:{LITERAL}|-?[0-9]{{1,64}}(?:\.[0-9]{{1,64}})?)"
_OVER: Final = r"[ \t]{0,64};?[ \t]{0,64}(?://[^\r\n]{0,256})?"
"""What may stand between a short closer and the end of its line."""


class BareFrame:
    """The markup around one object."""

    def __init__(self, step: Step) -> None:
        """Finds out what may stand behind an object.

        Args:
            step: what reading the object does.
        """
        machine, after = step.machine, step.node
        long: list[str] = []
        short: list[str] = []
        for _, terminal in after.tokens:
            begins = literal_start(terminal.pattern) if terminal.kind == "regex" else terminal.text
            # A terminal that repeats a name has no text of its own to be measured.
            is_long = terminal.kind == "same" or len(begins.strip()) >= _DISTINCTIVE
            # Tolerant: markup with other white space in it ends a word all the same.
            (long if is_long else short).append(machine.expressions.tolerant(terminal))
        openers = machine.start.openers()
        opener, closer = _any(openers), _any(short)
        long += [anchor.pattern for anchor in repairs_of(after).anchors.values()]
        ending = rf"(?:{closer}){_OVER}" if short else "(?!)"
        self.marks = _any([*long, *openers, rf"{ending}\s{{0,64}}(?:{opener})"])
        """The expression of what ends a word."""
        self._runs = tuple(
            anywhere(rf"(?:(?!{self.marks})[^{re.escape(stops)}])*")
            for stops in (WORD_STOPS, KEY_STOPS)
        )
        """Read a word and a key up to that."""
        literal = rf"({_LITERAL})\s{{0,64}}{ending}"
        # In a stream the end of the text so far may be the middle of a line: `5)` may go on as `5)
        # of 9`.
        ends = (r"[\r\n]", r"(?:[\r\n]|\Z)")  # before the end of the text is known, and when it is
        self.over = f"{literal}{ends[0]}"
        """The expression of a word that ends where its line does."""
        self._literal = tuple(compile_pattern(f"{literal}{end}") for end in ends)
        self._literal_begins = _begun(rf"{literal}[\r\n]" if short else "")
        self._place = tuple(compile_pattern(f"{self.marks}|{ending}{end}") for end in ends)
        # What may become one of these is held back in a stream.
        self._begins = _begun(_any([self.marks, rf"{ending}[\r\n]"] if short else [self.marks]))

    def read(self, text: str, at: int, *, key: bool, first: bool, final: bool) -> tuple[int, int]:
        """Returns how far a bare word goes on, and what ends that.

        Args:
            text: holds the next part of the word.
            at: where it begins.
            key: whether the word is a key.
            first: the word begins there.
            final: the text ends here.
        """
        # Only a whole word can be a literal.
        if first:
            literal = self._literal[final].match(text, at)
            if literal is not None:
                return literal.end(1), ENDED
            if not final and self._literal_begins.match(text, at):
                return at, WAITS
        end = self._runs[key].match(text, at).end()
        # Markup may be cut where the text so far ends: the word waits before it.
        if not final and len(text) - end < _LONGEST:
            begun = self._begins.search(text, max(at, len(text) - _LONGEST))
            if begun is not None and begun.start() < end:
                return begun.start(), WAITS
        if end == len(text):
            return end, WAITS
        return end, DELIMITED if text[end] in (KEY_STOPS if key else WORD_STOPS) else ENDED

    def stands(self, text: str, at: int, *, final: bool) -> bool | None:
        """Whether the markup goes on where a token may begin; None where more text tells."""
        if self._place[final].match(text, at):
            return True
        return None if not final and self._begins.match(text, at) else False


@kept
def frame_of(step: Step) -> BareFrame:
    """Returns what stands around an object with bare words that a step reads."""
    return BareFrame(step)


def word_expressions(nodes: Iterable[Node], quotes: str) -> Iterator[tuple[str, str]]:
    """Returns the expressions of a whole bare key and word, for reading that knows no place.

    Args:
        nodes: those of the grammar.
        quotes: the expression of what strings stand between.
    """
    steps = (step for node in nodes for step in node.payloads)
    frames = [frame_of(step) for step in steps if notation_of(step.terminal.name) == "bare"]
    marks = _any(frame.marks for frame in frames)
    refused = _any([quotes, marks, *(frame.over for frame in frames)])
    # Reading that knows no place can't tell which object a word stands in: any of them ends it.
    key = re.escape(KEY_STOPS)
    yield "B_KEY", rf"\s*(?!{quotes})(?!{marks})[^\s{key}](?:(?!{marks})[^{key}])*"
    yield "B_WORD", rf"\s*(?!{refused})[^\s,{{}}\[\]](?:(?!{marks})[^,}}\]])*"


def _any(patterns: Iterable[str]) -> str:
    # These patterns share some groups.
    return any_of(dict.fromkeys(map(unnamed, patterns)))


def _begun(pattern: str) -> re.Pattern[str]:
    return tail_that_begins([pattern] if pattern else [])
