"""Reads the strings of a JSON text that may be damaged, in any quotes, to their closing quote."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Final

from toolgrammar.core.json_bodies import Bodies
from toolgrammar.core.json_look import CLOSING_QUOTES, KEY_BODIES, More, Undecided
from toolgrammar.core.json_state import COLON, STRING
from toolgrammar.core.json_tokens import space_run
from toolgrammar.core.json_typing import typed_string
from toolgrammar.core.json_unclosed import closes_later
from toolgrammar.values.patterns import late

if TYPE_CHECKING:
    from toolgrammar.core.json_repairs import Repair

_QUOTES: Final = {quote: late(f"{quote}{{3,256}}") for quote in "\"'`"}
_LONGEST_GAP: Final = 256


class Strings(Bodies):
    """Reads one string at a time; the state says what comes after it."""

    __slots__ = ()

    def open_string(self, quote: str, *, key: bool, width: int = 1) -> None:
        """Begins a string whose quote stands at `pos`."""
        start = self.pos
        self.in_key = key
        self.close_quote = CLOSING_QUOTES[quote]
        self.width = width
        self.string_from = self.base + start
        self.escapes = self.quotes = self.kept_letter = self.inner_quoted = self.dollar = False
        self.style = None
        self.typed = None
        if not key:
            wanted = self.slot()
            if wanted is not None and not wanted.takes_text:
                self.typed = []
            else:
                self.begin_value()
        self.string_repairs = len(self.repairs)
        legal = quote == '"' or (quote == "`" and self.backticks and not key)
        if width == 2:
            self.style = self.repair("doubled-quotes", start, start + 2, '"', join=False)
        elif not legal or width == 3:
            self.style = self._new_style(start, start + width)
        if key:
            self.hold('"', start)
        elif self.typed is None:
            self.out.append('"')
        self.pos = start + width
        self.state = STRING
        self._set_plain()

    def _new_style(self, start: int, end: int) -> Repair:
        style = self.repair("quote-style", start, end, join=False)
        self.edit(style, self.base + start, self.base + end, '"')
        return style

    def _set_plain(self) -> None:
        self.is_plain = (
            self.close_quote == '"' and not self.in_key and self.typed is None and self.width == 1
        )

    def quote_in_string(self, start: int) -> None:
        """Ends the string at a quote, or takes the quote as a part of it."""
        self.look(start)
        if self._keep_run(start):
            return
        try:
            closes = self.width == 3 or self._closes(start + self.width)
        except Undecided:
            closes = True
            self._doubt_quotes()
        if closes:
            self._close_string(start)
            return
        if self.in_key and self._key_ends_at_colon():
            return
        if not self.in_key and self.stack and self.markup_follows(start + self.width):
            self._close_string(start)
            return
        self._keep_quotes(start, start + self.width)

    def _keep_run(self, start: int) -> bool:
        """Takes many quotes as a part of the string: only the last two of them can end it."""
        if self.width > 1 or self.in_key or not self.stack or self.close_quote not in _QUOTES:
            return False
        run = _QUOTES[self.close_quote].match(self.text, start)
        if run is None:
            return False
        self._keep_quotes(start, run.end() - 2)
        return True

    def _keep_quotes(self, start: int, end: int) -> None:
        """Takes quotes as a part of the string."""
        self.inner_quoted = True
        before = len(self.repairs)
        repair = self.repair("inner-quote", start, end)
        is_joined = len(self.repairs) == before
        repair.doubt = (is_joined and repair.doubt) or not self._is_sure(start)
        written = self.text[start:end]
        if self.close_quote == '"':
            written = written.replace('"', '\\"')
            self.edit(repair, self.base + start, self.base + end, written)
        elif self.close_quote == "`" and self.style is None:
            escaped = "".join(f"\\{quote}" for quote in written)
            self.edit(repair, self.base + start, self.base + end, escaped)
        self.take_body(written, end)

    def _doubt_quotes(self) -> None:
        """Doubts the quotes inside: the text reaches too far to tell that this one is no such."""
        for repair in self.repairs[self.string_repairs :] if self.inner_quoted else ():
            if repair.code == "inner-quote":
                repair.doubt = True

    def _is_sure(self, start: int) -> bool:
        """Whether the schema makes it sure which quote ends the string."""
        if not self.stack or self.in_key:
            return False
        frame = self.stack[-1]
        if frame.is_object:
            return frame.is_judged
        item = frame.guide.item() if frame.guide is not None else None
        if item is None or item.types is None or self.comma_quote == self.base + start:
            return False
        # Before a comma or a bracket it may be the end of an item whose neighbour is damaged.
        return self.at(self.blank(start + self.width)) not in (",", "]", "}", "")

    def _closes(self, index: int) -> bool:
        if self.in_key:
            return self._key_goes_on(index)
        if self.strict and self.goes_on_strictly(index):
            return True
        if not self.stack:
            return self.alone or self.at(index) == "" or self.may_end(self.blank(index))
        return self.goes_on(index)

    def _key_goes_on(self, index: int) -> bool:
        """Whether a colon, or what is mended where it is missing, goes on behind a key."""
        index = self.blank(index)
        character = self.at(index)
        if not character or character in ":=,}":
            return True
        return self.begins_value(index) and not self._ends_with_colon()

    def _ends_with_colon(self) -> bool:
        """Whether the key so far ends with its colon: then the quote before that is missing."""
        for piece in reversed(self.held[self.key_from[0] + 1 :]):
            if body := piece.rstrip(" \t\n\r"):
                return body[-1] == ":"
        return False

    def _key_ends_at_colon(self) -> bool:
        """Ends a key before its first colon, where no quote closes it; reads on from there."""
        style = self.style
        if len(self.repairs) > self.key_from[2] + (style is not None):
            return False
        if style is not None and len(style.edits) > 1:
            return False  # the key is not written as it was read
        begin = self.key_from[0] + 1
        body = "".join(self.held[begin:])
        colon = body.find(":", 0, _LONGEST_GAP)
        if colon < 0 or "\\" in body:
            return False
        offset = self.string_from + self.width + colon
        del self.held[begin:]
        self.held.append(body[:colon].rstrip(" \t\n\r"))
        self.text = body[colon:] + self.text[self.pos :]
        self.base, self.pos = offset, 0
        end = offset - (colon - len(self.held[-1]))
        self.insert("missing-quote", end - self.base, '"')
        if style is not None:
            style.end = end
        self.style = None
        self.held.append('"' + body[len(self.held[-1]) : colon])
        self._key_is_read(body[: len(self.held[-2])])
        return True

    def insert(self, code: str, place: int, text: str) -> Repair:
        """Notes that something is missing at a place."""
        return self.repair(code, place, place, text)

    def comma_in_string(self, start: int) -> None:
        """Takes a comma before a quote or the end of what has come."""
        end = space_run.match(self.text, start + 1).end()
        self.comma_quote = self.base + end
        if self.ends_before(start, end):
            self.end_unclosed(start)
        else:
            self.take_body(",", start + 1)

    def ends_before(self, start: int, quote: int) -> bool:
        """Whether the text from a quote reads as a key: then the string ends before `start`."""
        if quote == len(self.text):
            if self.final or quote - start > _LONGEST_GAP:
                return False
            raise More
        if self.in_key or not self.stack or self.text[quote] not in CLOSING_QUOTES:
            return False
        self.look(quote)
        try:
            if self.strict and self.text[quote] == '"' and self.goes_on_strictly(quote + 1):
                return False
            if self.strict and self.close_quote == '"' != self.text[quote]:
                # Strict JSON holds other quotes as text.
                if closes_later(self, quote):
                    return False
                self.look(quote)
            if not self.stack[-1].is_object:
                return self.text[quote] == '"' and not self.inner_quoted and self._is_item(quote)
            return self.reads_key(quote, self.stack[-1], at_end=False)
        except Undecided:
            return False

    def _is_item(self, quote: int) -> bool:
        """Whether a string in double quotes, and then a comma or the end of the array, stand here."""
        end = KEY_BODIES['"'].match(self.text, quote + 1, self._stop).end()
        if self.at(end) == "\\":
            self.at(end + 1)  # asks for more text where the escape may go on
        return self.at(end) == '"' and self.at(self.blank(end + 1)) in (",", "]")

    def end_unclosed(self, start: int) -> None:
        """Ends a string before `start`, where its quote is missing."""
        is_legal = self.backticks and self.close_quote == "`" and not self.in_key
        self.insert("missing-quote", start, "`" if is_legal else '"')
        if self.style is not None:
            self.style.end = self.base + start
        self.end_string(start, start)

    def _close_string(self, start: int) -> None:
        end = start + self.width
        if self.style is not None:
            self.restyle(start, end, '"')
        self.end_string(start, end)

    def end_string(self, start: int, end: int) -> None:
        """Ends the string that goes to `start`; `pos` goes to `end`."""
        self.pos = end
        self.is_plain = False
        if self.escapes and self.kept_letter:
            self.repair("mixed-escape", self.string_from - self.base, start)
        self.style = None
        if self.in_key:
            self.held.append('"')
            self._key_is_read(key_text(self.held[self.key_from[0] + 1 : -1]))
            return
        if self.typed is not None:
            self._end_typed(end)
        else:
            self.out.append('"')
        self.value_ended()

    def _end_typed(self, end: int) -> None:
        """Gives out a string of which the schema wants another type."""
        assert self.typed is not None
        body = "".join(self.typed)
        self.typed = None
        self.pos = self.string_from - self.base
        self.begin_value()
        self.pos = end
        wanted = self.slot()
        found = typed_string(body, wanted) if wanted is not None else None
        if found is None:
            self.out.append(f'"{body}"')
            return
        self.retype(self.string_from, self.base + end)
        self.out.append(found)

    def _key_is_read(self, key: str) -> None:
        self.stack[-1].key = key
        self.in_key = False
        self.state = COLON


def key_text(pieces: list[str]) -> str:
    """Gives the key whose JSON text, without quotes, comes in these pieces."""
    body = "".join(pieces)
    if "\\" not in body:
        return body
    key: str = json.loads(f'"{body}"')
    return key
