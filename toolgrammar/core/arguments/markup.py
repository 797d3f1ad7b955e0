"""Finds where the markup after a JSON payload begins, even if the payload lacks quotes or brackets.

Example: in `{"q": "x</tool_call><tool_call>` the string, and with it the payload, ends before the
markup, unless a quote follows that closes the string.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from toolgrammar.core.machine.next_calls import next_call_of
from toolgrammar.core.machine.repairs import repairs_of
from toolgrammar.core.payloads.json.tokens import inside_framed
from toolgrammar.core.payloads.mended.ahead import Around
from toolgrammar.core.payloads.mended.look import CLOSING_QUOTES, REACH, More
from toolgrammar.core.trust.mended_values import strings_of
from toolgrammar.tools.json_tokens import LITERAL
from toolgrammar.values.patterns import anywhere, blanks, late

if TYPE_CHECKING:
    import re
    from collections.abc import Callable

    from toolgrammar.core.machine.machine import Node, Step
    from toolgrammar.core.payloads.mended.ahead import LookAhead
    from toolgrammar.core.payloads.mended.look import Source
    from toolgrammar.values.json_types import JsonValue

_OF_JSON: Final = frozenset("{}],:\"'")
"""Characters that belong to the payload at any place outside of strings."""
_DISTINCTIVE: Final = 3
"""The least number of characters of markup that is evidence by itself."""
_STRAY = late(  # A bracket, `</args>` or a fence; a closer may lack a character at an end.
    r"\s+|[}\])]|<?[/|\uff5c][^|<>\s\"]{1,64}\|?>?|```\w{0,16}"
)
_STRAY_BEGUN = late(r"(?:,\s{0,64}|[</|\uff5c][^<>\s]{0,64}|`{1,2})?")
"""The beginning of a stray closer, or the comma before a next member."""
_MOST_STRAYS: Final = 64
"""The most stray closers, which the grammar does not accept there, that are passed over."""
_BRACKETS = anywhere(r"[\s}\])]{0,64}")
_QUOTES: Final = ('"', "'", "`", "\\")
_NEXT = late(r",\s{0,64}\{")  # The next call of a list.
_NEXT_OR_END = late(r",\s{0,64}[{}\]]")
_SCALAR = late(rf"(?:{LITERAL}|-?\d[\d.eE+-]{{0,64}})")
_ENDS = late(r"\\\"|\"\s{0,64}(?:[,}\]]|\Z)")  # A quote that may end a string.
_RUN = anywhere(r"(?:[}\]]\s{0,64}){0,64}")
_BRACKET = late(r"[}\]]")
_MEMBER = late(r',\s{0,64}"?')  # A comma, and the quote of the next key.
_BETWEEN_OBJECTS = late(r"[}\]]\s{0,64},?\s{0,64}\{\s{0,64}\"")  # As `}, {"`.


class Markup(Around):
    """The markup of a message around one payload, as the node after the payload defines it."""

    framed = True
    inside = inside_framed

    def __init__(self, step: Step, start: Node) -> None:
        """Makes the markup around one payload.

        Args:
            step: the step of the payload.
            start: the node in which calls open.
        """
        self._after = after = step.node
        self._start = start
        # No markup follows a call that ends with its payload, so the last bracket ends both.
        self.alone = after.accepts_text or "call" in step.closes

    def follows(self, look: LookAhead, index: int) -> bool:
        """Whether markup of the envelope, sound or mended, follows the payload at an index."""
        source = look.source
        if self._is_frame(source, index, long=False):
            return True
        # The chunk may have ended inside the markup: `</tool_c`.
        self._wait_for(source, index)
        is_strict = look.state.strict
        return is_strict and (self._is_cut(source, index) or self._goes_on_damaged(source, index))

    def stops(self, look: LookAhead, index: int) -> bool:
        """Whether markup that always ends the payload stands at an index outside of its strings."""
        source = look.source
        # A grammar may have `}` as a token of the envelope, but here it belongs to the payload.
        if source.text[index] in _OF_JSON:
            return False
        if self._is_frame(source, index):
            return True
        if opener := self._start.opener.match(source.text, index):
            # An opener that is a bare word also matches `true` and `12`.
            return not _is_scalar(source, index, opener.end())
        if not source.final and len(source.text) - index < REACH:
            self._wait_for_opener(source, index)
            self._wait_for(source, index)
        return False

    def ends_frame(self, look: LookAhead, index: int) -> bool:
        """Whether markup ends the payload at an index, although brackets are open."""
        source, after, start = look.source, self._after, self._start
        text = source.text
        # In a string with unescaped quotes, as in `say "</tool_call>"`, markup may be quoted.
        if text[index] in _OF_JSON or look.string.inner_quoted:
            return False
        self._wait_for(source, index)
        match = (
            # Short tokens such as `}` are not evidence by themselves, as strings often contain
            # them.
            self._long_token(text, index)
            or repairs_of(after).pattern.match(text, index)
            or start.opener.match(text, index)
        )
        end = match.end() if match is not None else index
        # The character after the markup decides, and has not come yet.
        if not source.final and end == len(text):
            raise More
        self._wait_for_opener(source, index)
        if match is None:
            return look.state.strict and self._is_cut(source, index)
        # A quote after the markup shows that it is only mentioned.
        return text[end : end + 1] not in CLOSING_QUOTES

    def markup_follows(self, look: LookAhead, index: int) -> bool:
        """Whether markup of the envelope follows a quote, with only brackets between them.

        Markup inside a string is usually quoted there, so a quote after it makes this false.
        """
        source, start = look.source, self._start
        text = source.text
        place = _BRACKETS.match(text, index).end()
        # Only brackets have come so far, and the text after them is not known.
        if place == len(text) and not source.final and place - index < REACH:
            raise More
        # A short opener may be there already, `{`, and the longer one `{"tool_calls": ` still come.
        self._wait_for_opener(source, place)
        match = self._long_token(text, place) or start.opener.match(text, place)
        if match is not None:
            if match.end() == len(text) and not source.final:
                raise More
            return text[match.end() : match.end() + 1] not in _QUOTES
        self._wait_for(source, place)
        return False

    def frame_goes_on(self, look: LookAhead, index: int, level: int) -> bool:
        """Whether the brackets of the levels below one, then the envelope, follow at an index."""
        source, stack = look.source, look.state.stack
        # Outer objects may close here as well: `"}}</tool_call>` closes two.
        while level > 0 and source.at(index) == stack[level - 1].closer:
            level -= 1
            index = source.blank(index + 1)
        return level == 0 and not self.alone and look.may_end(index)

    def ends_at_brackets(self, look: LookAhead, index: int) -> bool:
        """Whether the open string ended before the brackets at an index, without its quote."""
        return _may_lack_quote(look) and _ended_before(
            look, index, lambda behind, at: self._goes_on(look.source, behind, at)
        )

    def ends_at_markup(self, look: LookAhead, index: int) -> bool:
        """Whether the open string ended before markup, without its quote and brackets.

        A string may contain the markup of a call as text. So the closer of the call has to stand
        here, and after it the opener of the next call or the closer of the section; and the next
        quote, if it is near, must not close the string.
        """
        source, start = look.source, self._start
        if not _may_lack_quote(look):
            return False
        closer = self._closer(source.text, index)
        if closer is None:
            self._wait_for(source, index)
            return False
        # `v</tool_call>` at the end of a sentence may be only mentioned; with `<tool_call>` after
        # it, it is markup in use.
        node, end = closer
        place = blanks.match(source.text, end).end()
        match = start.opener.match(source.text, place) or node.token.match(source.text, place)
        if match is not None and len(match.group().strip()) >= _DISTINCTIVE:
            return not look.closes_later(match.end())
        if not source.final and place - index < REACH:
            begins = (start.opener_beginnings, node.beginnings)
            if place == len(source.text) or any(
                pattern.match(source.text, place) for pattern in begins
            ):
                raise More
        return False

    def _closer(self, text: str, index: int) -> tuple[Node, int] | None:
        """Returns the node after the markup at an index, and the index after that; None if none."""
        after = self._after
        # A token that the grammar accepts comes before one that fits only with a repair.
        if (match := self._long_token(text, index)) is not None:
            return after.steps[match.lastgroup or ""].node, match.end()
        repairs = repairs_of(after)
        if (match := repairs.pattern.match(text, index)) is not None:
            return repairs.anchors[match.lastgroup or ""].node, match.end()
        return None

    def holds_calls(self, value: JsonValue) -> bool:
        """Whether a string contains what may be the next call, as if its own quote was missing."""
        return any(
            _BETWEEN_OBJECTS.search(part) or self._start.opener.search(part)
            for part in strings_of(value)
            if '"' in part
        )

    def _goes_on(self, source: Source, behind: int, index: int) -> bool:
        """Whether the markup of the envelope follows the payload.

        Args:
            source: the text.
            behind: the index after the payload.
            index: the index after all brackets and white space that follow it.
        """
        text, start = source.text, self._start
        shown = self._is_frame(source, index) or _NEXT.match(text, index)
        if not shown and not start.opener.match(text, index):
            self._wait_for(source, index)
            begun = _STRAY_BEGUN.fullmatch(text[index : index + REACH])
            if not source.final and begun:
                raise More
            self._wait_for_opener(source, index)
            return False
        # If the payload ends the call, the opener may follow directly. Otherwise the envelope's own
        # token has to stand before it.
        return self._after.accepts_text or self.alone or self._is_frame(source, behind, long=False)

    def _long_token(self, text: str, index: int) -> re.Match[str] | None:
        """Returns the envelope's token at an index, if it is long enough to be evidence."""
        match = self._after.token.match(text, index)
        return match if match is not None and len(match.group().strip()) >= _DISTINCTIVE else None

    def _is_frame(self, source: Source, index: int, *, long: bool = True) -> bool:
        """Whether the envelope's markup stands at an index; `long`: a distinctive token only.

        Raises:
            More: the next character decides, as for `/@@end$/`.
        """
        after, text = self._after, source.text
        token = self._long_token(text, index) if long else after.token.match(text, index)
        if token is None:
            return repairs_of(after).pattern.match(text, index) is not None
        if not (source.final or after.blanks_matter) and after.beginnings.match(text, index):
            raise More
        return True

    def _is_cut(self, source: Source, index: int) -> bool:
        """Whether the text ends inside the markup after the payload."""
        # Elsewhere than at the end of the text a beginning that goes on otherwise is not markup.
        return source.final and index < len(source.text) and self._may_begin(source, index)

    def _may_begin(self, source: Source, index: int) -> bool:
        """Whether the rest of the text may become the markup after the payload."""
        begins = (self._after.beginnings, repairs_of(self._after).beginnings)
        return any(pattern.match(source.text, index) for pattern in begins)

    def _goes_on_damaged(self, source: Source, index: int) -> bool:
        """Whether the text after a strict value can only be damaged markup."""
        text = source.text
        if self._next_call_follows(source, index):
            return True
        place = index
        for _ in range(_MOST_STRAYS):
            stray = _STRAY.match(text, place)
            if stray is None or (place > index and self._is_frame(source, place)):
                break
            place = stray.end()
        rest = text[place : place + REACH]
        if not source.final and len(rest) < REACH and _STRAY_BEGUN.fullmatch(rest):
            raise More
        # After stray closers, if there are any, the text ends, the list goes on, or the next call
        # opens.
        if not rest or _NEXT_OR_END.match(rest) or self._start.opener.match(text, place):
            return True
        self._wait_for_opener(source, place)
        # Without a stray closer, this is the index at which `follows` has looked for the envelope.
        if place == index:
            return _prose_follows(source, index)
        if self._is_frame(source, place, long=False):
            return True
        self._wait_for(source, place)
        return False

    def _next_call_follows(self, source: Source, index: int) -> bool:
        """Whether the next call of a list begins here, without the brace around the payload."""
        for group, terminal in self._after.tokens:
            # An example is `[{"name": "a", "arguments": {}, {"name": "b"`, where the envelope's
            # brace is missing.
            if terminal.text.strip() != "}":
                continue
            next_call = next_call_of(self._after.steps[group].node)
            if next_call.pattern.match(source.text, index):
                return True
            if not source.final and next_call.begun.match(source.text, index):
                raise More
        return False

    def _wait_for(self, source: Source, index: int) -> None:
        """Raises `More` if the markup after the payload may begin at an index."""
        is_near = not source.final and len(source.text) - index < REACH
        if is_near and self._may_begin(source, index):
            raise More

    def _wait_for_opener(self, source: Source, index: int) -> None:
        """Raises `More` if an opener may begin at an index."""
        if not source.final and self._start.opener_beginnings.match(source.text, index):
            raise More


def _prose_follows(source: Source, index: int) -> bool:
    """Whether prose follows a strict value on a later line, and no quote in it can end a string.

    Raises:
        More: such a quote may still come.
    """
    rest = source.text[index : index + REACH]
    if "\n" not in source.text[max(0, index - REACH) : index].rpartition("}")[2]:
        return False
    quote = _ENDS.search(rest)
    if len(rest) < REACH and not source.final and (quote is None or quote.end() == len(rest)):
        raise More
    return quote is None


def _is_scalar(source: Source, index: int, end: int) -> bool:
    """Whether the match of an opener, which may be any word, is a number or literal of JSON.

    Raises:
        More: the match may go on in the next chunk.
    """
    text = source.text
    # An opener that does not begin like a word or number can't be a scalar.
    if text[index] != "-" and not text[index].isalnum():
        return False
    if end == len(text) and not source.final:
        raise More
    scalar = _SCALAR.match(text, index)
    return scalar is not None and scalar.end() >= end


def _may_lack_quote(look: LookAhead) -> bool:
    """Whether the closing quote of the open string may be missing."""
    string = look.string
    # Strings in other quotes, and keys, have rules of their own.
    if string.close != '"' or string.width > 1 or string.in_key or not look.state.stack:
        return False
    # A string with quotes in it may contain JSON, to which brackets in it belong.
    return not string.quotes and not string.inner_quoted


def _ended_before(look: LookAhead, start: int, frame_follows: Callable[[int, int], bool]) -> bool:
    """Whether the open string ended at an index, where a closing bracket stands.

    The brackets have to close open levels. After them a member of an outer object has to follow, or
    the markup of the envelope. A string may contain all that as text: its own quote then comes
    later, with strict JSON after it. So the next quote decides, if it is near.

    Args:
        look: the lookahead in the text.
        start: the index.
        frame_follows: whether the envelope follows the payload, by the index after the payload and
            the index of the text after all brackets and white space.

    Raises:
        More: the text so far does not decide.
    """
    text, final, stack = look.source.text, look.source.final, look.state.stack
    index = _RUN.match(text, start).end()
    if index == len(text):
        if not final and index - start < REACH:
            raise More
        return False  # the text may have been cut inside the string
    level, behind = len(stack) - 1, start
    for bracket in _BRACKET.finditer(text, start, index):
        # With one bracket too many, or another kind, the rest does not belong to the payload.
        if level < 0 or bracket.group() != stack[level].closer:
            break
        level, behind = level - 1, bracket.end()
    if behind == start:
        return False
    if level < 0:
        return frame_follows(behind, index) and not look.closes_later(index)
    return not text[behind:index].strip() and _begins_member(look, index, level)


def _begins_member(look: LookAhead, index: int, level: int) -> bool:
    """Whether a comma and a key of the object at a level stand here, not the string's own end."""
    text, frame = look.source.text, look.state.stack[level]
    match = _MEMBER.match(text, index)
    if match is None or not frame.is_object:
        return False
    quote = match.end() - 1
    # The match ends with the comma or a blank: the key has no quote, or it has not come yet.
    if text[quote] != '"' and match.end() == len(text) and not look.source.final:
        raise More
    if text[quote] != '"':
        return False
    return look.answer(
        quote,
        lambda: not look.goes_on_strictly(quote + 1) and look.reads_key(quote, frame, at_end=False),
        otherwise=False,
    )
