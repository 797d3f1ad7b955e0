"""Reads the bodies of strings in a JSON text that may be damaged: escapes, controls, halves of pairs."""

from __future__ import annotations

import re
from functools import cache
from typing import Final

from toolgrammar.core.json_look import More
from toolgrammar.core.json_repairs import RunRepair
from toolgrammar.core.json_runs import BRACKETS, UNIT
from toolgrammar.core.json_state import State
from toolgrammar.core.json_tokens import as_json, space_run
from toolgrammar.values.patterns import Matcher, anywhere, late

LEAST: Final = 64
"""Characters of text that make it worth while to mend a part of a string at once."""
_CONTROLS: Final = r"\x00-\x1f"
_SURROGATES: Final = "\ud800-\udfff"


@cache
def _run(close: str, brackets: str) -> Matcher:
    """Gives what is read at once inside a string.

    A comma before a quote is not: the string may end before it, where its quote is missing. Nor
    are closing brackets, where markup stands around the value, unless a word goes on behind them.

    Args:
        close: the quote that closes the string.
        brackets: the closing brackets, or nothing.
    """
    stops = {'"', close, *brackets}
    plain = "".join(sorted(stops)) + r"\\," + _CONTROLS + _SURROGATES
    opening = "".join(sorted({'"', "'", close}))
    comma = rf",(?![ \t\r\n]*+(?:[{opening}]|\Z))"
    goes_on = f"|{BRACKETS}" if brackets else ""
    return anywhere(rf"(?:[^{plain}]++|{comma}|{UNIT}{goes_on})*+").match


_FRAME: Final = r"}\]"
_BRACKETS = anywhere(r"[}\]]*")
_HEX = anywhere(r"[0-9a-fA-F]{0,4}")
_LOW = late(r"\\u[dD][c-fC-F][0-9a-fA-F]{2}")
_LOW_BEGUN = late(r"(?:\\(?:u(?:[dD](?:[c-fC-F][0-9a-fA-F]?)?)?)?)?\Z")
_HALVES = anywhere(f"[{_SURROGATES}]*")
_CONTROL_RUN = anywhere(r"[\x00-\x1f]*")
_CONTROL_ESCAPE = late(r"(?:[^\\]|\\[^bfnrt])*+\\[bfnrt]", re.DOTALL)


class Bodies(State):
    """Reads on in the open string up to what may end it."""

    __slots__ = ()

    framed = False
    """Whether markup stands around the value."""

    def read_string(self) -> None:
        """Goes on in a string."""
        text, start = self.text, self.pos
        end = _run(self.close_quote, _FRAME if self.framed else "")(text, start).end()
        if end > start:
            piece = text[start:end]
            self.note_escapes(piece)
            if self.close_quote == "`":
                self._look_for_template(piece)
            self.put(piece)
            self.pos = end
            if end == len(text):
                return
            if len(text) - end >= LEAST and self._mends(end):
                return
        character = text[end]
        if character == self.close_quote and text.startswith(character * self.width, end):
            self.quote_in_string(end)
        elif character == self.close_quote and character != '"':
            self._one_of_three(end)
        elif character == ",":
            self.comma_in_string(end)
        elif character == "\\":
            self._backslash(end)
        elif character < " ":
            self._control(end)
        elif character == '"':
            self._other_quote(end)
        elif character in "}]":
            self._brackets(end)
        else:
            self._half_pairs(end)

    def _brackets(self, start: int) -> None:
        """Takes closing brackets, before which the string may have ended."""
        if self.ends_at_brackets(start):
            self.end_unclosed(start)
            return
        end = _BRACKETS.match(self.text, start).end()
        self.take_body(self.text[start:end], end)

    def ends_at_brackets(self, _start: int) -> bool:
        """Whether the string ended before brackets, and its quote is missing."""
        return False

    def _mends(self, start: int) -> bool:
        """Mends what begins here at once; tells if it does."""
        if self.close_quote != '"' or self.width > 1 or not self.stack or self.typed is not None:
            return False
        frame, quotes, quoted = self.stack[-1], "", self.inner_quoted
        if self.in_key:
            # The first damage of a key may be that its quote is missing.
            if len(self.repairs) == self.key_from[2]:
                return False
            quotes = "" if self.sure_only else "key"
        elif frame.guide is None and not self.sure_only and (self.stops is None or quoted):
            quotes = "object" if frame.is_object else "array"
            if frame.is_object and len(self.stack) == 1 and '"' in self.refuses:
                quotes = "last"
        if not quotes and self.text[start] == '"':
            return False
        from toolgrammar.core.json_body_runs import (  # most texts need none of it
            BodyRun,
            body_run,
            has_quote,
            keeps_letter,
            mended,
        )

        match = body_run(quotes=quotes, quoted=quoted, framed=self.framed).match(self.text, start)
        if match is None:
            return False
        body = match.group()
        written = mended(body)
        self.note_escapes(body)
        self.kept_letter = self.kept_letter or keeps_letter(body)
        doubts: tuple[str, ...] = ()
        if quotes and '"' in body and has_quote(body):
            self.inner_quoted = True
            doubts = ("inner-quote",)
        run = BodyRun(body, self.base + start, frame.place(), doubts)
        if self.in_key:
            self.repairs.append(RunRepair(run))  # a key may still be left out with it
        else:
            self.stretches.append(run)
        self.strict = False
        self.put(written)
        self.pos = match.end()
        return True

    def note_escapes(self, piece: str) -> None:
        """Notes whether a piece of a string escapes a control character."""
        if "\\" not in piece:
            return
        if not self.escapes and _CONTROL_ESCAPE.match(piece):
            self.escapes = True
        self.quotes = self.quotes or '\\"' in piece

    def _half_pairs(self, start: int) -> None:
        """Replaces halves of surrogate pairs, as many as stand here together."""
        end = _HALVES.match(self.text, start).end()
        self.repair("lone-surrogate", start, end, "\ufffd" * (end - start))
        self.take_body("\ufffd" * (end - start), end)

    def _look_for_template(self, piece: str) -> None:
        """Notes where a backtick string is a template: what it stands for is not known."""
        if self.style is not None and ("${" in piece or (self.dollar and piece[0] == "{")):
            self.style.code, self.style.doubt = "template", True
        self.dollar = piece[-1] == "$"

    def take_body(self, piece: str, end: int) -> None:
        """Adds a piece to the string; the text is read to `end`."""
        self.put(piece)
        self.pos = end

    def _one_of_three(self, start: int) -> None:
        """Takes a quote of the kind of which three close the string."""
        if start + self.width > len(self.text) and not self.final:
            raise More
        self.take_body(self.close_quote, start + 1)

    def _other_quote(self, start: int) -> None:
        """Takes a double quote that does not close the string."""
        is_cut = start + self.width > len(self.text) and not self.final
        if self.width > 1 and self.close_quote == '"' and is_cut:
            raise More
        if self.style is not None:
            self.restyle(start, start + 1, '\\"')
        self.take_body('\\"', start + 1)

    def restyle(self, start: int, end: int, text: str) -> None:
        """Adds an edit to the repair of the string's quotes."""
        assert self.style is not None
        self.edit(self.style, self.base + start, self.base + end, text)
        self.style.end = self.base + end

    def _control(self, start: int) -> None:
        end = _CONTROL_RUN.match(self.text, start).end()
        run = self.text[start:end]
        if "\n" in run or "\r" in run:
            quote = self._past_space(end)
            if self.ends_before(start, quote):
                self.end_unclosed(start)
                return
        written = as_json(run)[1:-1]
        if self.style is not None and (self.width == 3 or self.close_quote == "`"):
            self.restyle(start, end, written)
        elif self.close_quote != "`":
            self.repair("control", start, end, written)
        self.take_body(written, end)

    def _past_space(self, start: int) -> int:
        """Gives where white space ends; each line end in it asks, so that it is kept."""
        base, (first, last) = self.base, self.space
        known = first <= base + start <= last
        end = space_run.match(self.text, last - base if known else start).end()
        self.space = (first if known else base + start, base + end)
        return end

    def _backslash(self, start: int) -> None:
        text = self.text
        if start + 1 == len(text):
            raise More
        character = text[start + 1]
        if character == "u":
            self._unicode_escape(start)
        elif character in '"\\/bfnrt':
            self.escapes = self.escapes or character in "bfnrt"
            self.quotes = self.quotes or character == '"'
            self.take_body(text[start : start + 2], start + 2)
        elif character in "'`" or character == self.close_quote:
            if self.style is not None and character == self.close_quote:
                self.restyle(start, start + 1, "")
            elif not (self.backticks and self.close_quote == "`"):
                self.repair("escape", start, start + 2, character)
            self.take_body(character, start + 2)
        else:
            self._keep_backslash(start, letter=character.isalpha())

    def _keep_backslash(self, start: int, *, letter: bool) -> None:
        if not (self.backticks and self.close_quote == "`"):
            self.repair("escape", start, start + 1, "\\\\")
            self.kept_letter = self.kept_letter or letter
        self.take_body("\\\\", start + 1)

    def _unicode_escape(self, start: int) -> None:
        text = self.text
        end = _HEX.match(text, start + 2).end()
        if end < start + 6:
            if end == len(text):
                raise More
            self._keep_backslash(start, letter=True)
            return
        code = int(text[start + 2 : end], 16)
        if not 0xD800 <= code < 0xE000:
            self.take_body(text[start:end], end)
            return
        if code < 0xDC00:
            low = _LOW.match(text, end)
            if low is not None:
                self.take_body(text[start : low.end()], low.end())
                return
            if _LOW_BEGUN.match(text, end):
                raise More
        self.repair("lone-surrogate", start, end, "\ufffd")
        self.take_body("\ufffd", end)

    # What may end the string

    def quote_in_string(self, start: int) -> None:
        """Ends the string at a quote, or takes the quote as a part of it."""
        raise NotImplementedError

    def comma_in_string(self, start: int) -> None:
        """Takes a comma before a quote or the end of what has come."""
        raise NotImplementedError

    def ends_before(self, start: int, quote: int) -> bool:
        """Whether the text from a quote reads as a key: then the string ends before `start`."""
        raise NotImplementedError

    def end_unclosed(self, start: int) -> None:
        """Ends a string before `start`, where its quote is missing."""
        raise NotImplementedError
