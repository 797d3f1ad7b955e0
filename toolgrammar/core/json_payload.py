"""Reads a JSON payload inside a message: mended where it is damaged, up to what its grammar wants."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Final

from toolgrammar.core.json_duplicates import equal_duplicates
from toolgrammar.core.json_look import CLOSING_QUOTES, REACH, More
from toolgrammar.core.json_recover import RecoveringScanner, repairs_of
from toolgrammar.core.json_repairs import single
from toolgrammar.core.json_runs import inside_framed
from toolgrammar.core.json_unclosed import ended_before
from toolgrammar.core.mended_calls import doubt_quotes, strings_of
from toolgrammar.values.codes import DOUBTS
from toolgrammar.values.patterns import anywhere, late

if TYPE_CHECKING:
    import re

    from toolgrammar.core.json_ahead import LookAhead
    from toolgrammar.core.json_guide import Guide
    from toolgrammar.core.json_repairs import Repair
    from toolgrammar.core.machine import Node
    from toolgrammar.core.steps import Step
    from toolgrammar.values.json_types import JsonValue

_OF_JSON: Final = frozenset("{}],:\"'")
"""Characters that belong to the payload wherever a token may stand."""


_DISTINCTIVE: Final = 3
"""Characters of markup that stands for itself."""
_STRAYS = anywhere(
    r"(?:\s|[}\])]|</[^<>\s]{1,64}>|<[|\uff5c][^|<>\s]{1,64}[|\uff5c]>|```\w{0,16}){0,64}"
)
"""Closers that fit nowhere."""
_BRACKETS = late(r"[\s}\])]{0,64}")
_QUOTES: Final = ('"', "'", "`", "\\")
_NEXT = late(r",\s{0,64}\{")
_NEXT_OR_END = late(r",\s{0,64}[{}\]]")
_BEGUN = late(r"(?:,\s{0,64}|<[^<>\s]{0,64}|`{1,2})?")
_SCALAR = late(r"(?:true|false|null|-?\d[\d.eE+-]{0,64})")
_BETWEEN_OBJECTS = late(r"[}\]]\s{0,64},?\s{0,64}\{\s{0,64}\"")


class JsonPayload(RecoveringScanner):
    """A payload; the node behind it says what ends it."""

    __slots__ = ("_after", "_start", "refused_at")

    framed = True
    inside = inside_framed
    """Whether a chunk only goes on in a string."""

    def __init__(
        self,
        step: Step,
        start: Node,
        guide: Guide | None,
        *,
        object_only: bool,
        backticks: bool,
        max_depth: int,
        careful: bool = False,
    ) -> None:
        """Make a reader for one payload.

        Args:
            step: what reading the payload does.
            start: the node in which calls open.
            guide: what the schema wants of the payload.
            object_only: the root must be an object.
            backticks: backtick strings are legal.
            max_depth: how deep brackets may nest.
            careful: fail where a repair may guess wrong: it is not sure that this is a payload.
        """
        self._after = after = step.node
        self._start = start
        self.refused_at = -1
        """Offset of the first repair that a careful reading did not make, or -1."""
        super().__init__(
            guide,
            object_only=object_only,
            backticks=backticks,
            max_depth=max_depth,
            # A call that ends with its payload ends with the payload's last bracket.
            follows=None if after.accepts_text or "call" in step.after else self._follows,
            stops=self._stops,
        )
        self.sure_only = careful

    def repair(
        self,
        code: str,
        start: int,
        end: int,
        replacement: str | None = None,
        *,
        join: bool = True,
    ) -> Repair:
        """Notes a repair; a careful reading fails with one that may guess wrong."""
        if self.sure_only and code in DOUBTS:
            self.failure = "not sure to be JSON"
        repair = super().repair(code, start, end, replacement, join=join)
        if self.failure and self.refused_at < 0:
            self.refused_at = repair.start
        return repair

    def ends_at_brackets(self, start: int) -> bool:
        """Whether the open string ended before brackets, and its quote is missing."""
        if self.close_quote != '"' or self.width > 1 or self.in_key or not self.stack:
            return False
        return not (self.quotes or self.inner_quoted) and ended_before(self, start)

    def frame_follows(self, behind: int, index: int) -> bool:
        """Whether the markup around the payload goes on behind it.

        Args:
            behind: where the payload ends.
            index: where what stands there shows: behind all brackets and white space.
        """
        text, after, start = self.text, self._after, self._start
        shown = self._is_frame(text, index) or _NEXT.match(text, index)
        if not shown and not start.opener.match(text, index):
            self._wait_for(text, index, after)
            begun = _BEGUN.fullmatch(text[index : index + REACH])
            if not self.final and (begun or start.opener_beginnings.match(text, index)):
                raise More
            return False
        return (
            after.accepts_text
            or self.alone
            or after.token.match(text, behind) is not None
            or after.repairs.pattern.match(text, behind) is not None
        )

    def frame_goes_on(self, index: int, level: int) -> bool:
        """Whether, once a level is closed, the brackets below and the frame go on."""
        while level > 0 and self.at(index) == self.stack[level - 1].closer:
            level -= 1
            index = self.blank(index + 1)
        return level == 0 and not self.alone and self.may_end(index)

    def ends_frame(self, index: int) -> bool:
        """Whether markup that ends the payload stands here, though brackets are open."""
        text, after = self.text, self._after
        if text[index] in _OF_JSON or self.inner_quoted:
            return False
        self._wait_for(text, index, after)
        start, final = self._start, self.final
        match = (
            self._long_token(text, index)
            or after.repairs.pattern.match(text, index)
            or start.opener.match(text, index)
        )
        end = match.end() if match is not None else index
        if not final and (end == len(text) or start.opener_beginnings.match(text, index)):
            raise More
        if match is None and self.strict and self._is_cut(text, index):
            return True
        # A quote behind it shows that the markup is only mentioned.
        return match is not None and text[end : end + 1] not in CLOSING_QUOTES

    def markup_follows(self, index: int) -> bool:
        """Whether markup around the payload stands behind a quote, at most brackets before it.

        A string holds such markup at times, and quotes it then.
        """
        text, start = self.text, self._start
        run = _BRACKETS.match(text, index)
        place = index if run is None else run.end()
        if place == len(text) and not self.final and place - index < REACH:
            raise More
        match = self._long_token(text, place) or start.opener.match(text, place)
        if match is not None:
            if match.end() == len(text) and not self.final:
                raise More
            return text[match.end() : match.end() + 1] not in _QUOTES
        if not self.final and start.opener_beginnings.match(text, place):
            raise More
        self._wait_for(text, place, self._after)
        return False

    def _long_token(self, text: str, index: int) -> re.Match[str] | None:
        """Gives the token of what stands around the payload at an index, if it stands for itself."""
        match = self._after.token.match(text, index)
        return match if match is not None and len(match.group().strip()) >= _DISTINCTIVE else None

    def _is_frame(self, text: str, index: int) -> bool:
        """Whether markup of what stands around the payload goes on at an index."""
        if self._long_token(text, index) is not None:
            return True
        return self._after.repairs.pattern.match(text, index) is not None

    def _follows(self, look: LookAhead, index: int) -> bool:
        """Whether the grammar, or what is mended in it, goes on behind the payload."""
        after, text = self._after, look.text
        if after.token.match(text, index) or after.repairs.pattern.match(text, index):
            return True
        self._wait_for(text, index, after)
        return look.strict and (self._is_cut(text, index) or self._goes_on_damaged(text, index))

    def _is_cut(self, text: str, index: int) -> bool:
        """Whether the text ends in the markup that goes on behind the payload."""
        after = self._after
        begins = (after.beginnings, after.repairs.beginnings)
        is_end = self.final and index < len(text)
        return is_end and any(pattern.match(text, index) for pattern in begins)

    def _goes_on_damaged(self, text: str, index: int) -> bool:
        """Whether what stands behind a strict value can only be damage behind it."""
        place = _STRAYS.match(text, index).end()
        if self._next_call_follows(text, index):
            return True
        rest = text[place : place + REACH]
        if not self.final and len(rest) < REACH and _BEGUN.fullmatch(rest):
            raise More
        if not rest or _NEXT_OR_END.match(rest) or self._start.opener.match(text, place):
            return True
        if not self.final and self._start.opener_beginnings.match(text, place):
            raise More
        if place == index:
            return False
        after = self._after
        if after.token.match(text, place) or after.repairs.pattern.match(text, place):
            return True
        self._wait_for(text, place, after)
        return False

    def _next_call_follows(self, text: str, index: int) -> bool:
        """Whether the brace around the payload is missing: the next call of a list begins here."""
        for group, terminal in self._after.tokens:
            if terminal.text.strip() != "}":
                continue
            next_call = self._after.steps[group].next_call
            if next_call.pattern.match(text, index):
                return True
            if not self.final and next_call.begins.match(text, index):
                raise More
        return False

    def _stops(self, text: str, index: int) -> bool:
        """Whether markup that ends the payload in any case stands at a place for a token."""
        if text[index] in _OF_JSON:
            return False
        if self._is_frame(text, index):
            return True
        if opener := self._start.opener.match(text, index):
            return not self._is_scalar(text, index, opener.end())
        if not self.final and len(text) - index < REACH:
            if self._start.opener_beginnings.match(text, index):
                raise More
            self._wait_for(text, index, self._after)
        return False

    def _is_scalar(self, text: str, index: int, end: int) -> bool:
        """Whether what an opener that may be any word matches is a number or a word of JSON."""
        if text[index] != "-" and not text[index].isalnum():
            return False
        if end == len(text) and not self.final:
            raise More
        scalar = _SCALAR.match(text, index)
        return scalar is not None and scalar.end() >= end

    def _wait_for(self, text: str, index: int, after: Node) -> None:
        if self.final or len(text) - index >= REACH:
            return
        if after.beginnings.match(text, index) or after.repairs.beginnings.match(text, index):
            raise More

    def finish(self, out: list[str]) -> bool:
        """Append what closes the value where the text ends, or where it failed; True if whole."""
        if self.failed:
            out.append(self.view())
        elif not self.done:
            self.end(out, closed=False)
        return self.done

    def _holds_calls(self, value: JsonValue) -> bool:
        """Whether a string holds what may be the next call: its own quote may be missing."""
        return any(
            _BETWEEN_OBJECTS.search(part) or self._start.opener.search(part)
            for part in strings_of(value)
            if '"' in part
        )

    @property
    def closing_edit(self) -> tuple[int, int, str] | None:
        """What closes the payload where the text ended in it: from where, to where, and how."""
        last = self.repairs[-1] if self.repairs else None
        return last.edits[-1] if last is not None and last.code == "truncated" else None

    def settled(self, text: str) -> list[Repair]:
        """Gives the repairs in the order of the source, once the payload's JSON is `text`."""
        at_once = [repair for each in self.stretches for repair in repairs_of(each)]
        self.repairs[:] = at_once + single(self.repairs)
        self.stretches.clear()
        doubled = [each for each in self.repairs if each.code == "duplicate-key"]
        if doubled and text:
            for repair, equal in zip(doubled, equal_duplicates(text), strict=False):
                repair.doubt = not equal
        quoted = [each for each in self.repairs if each.code == "inner-quote" and not each.doubt]
        if quoted and text:
            value = json.loads(text)
            doubt_quotes(self.repairs, value)
            if self._holds_calls(value):
                for each in quoted:
                    each.doubt = True
        return sorted(self.repairs, key=lambda each: (each.start, each.end))
