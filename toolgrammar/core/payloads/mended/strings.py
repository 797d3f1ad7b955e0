"""Reads the strings of a JSON text that may be damaged, in any quotes, to their closing quote.

The text after a quote decides whether it closes: `StringReader` asks `LookAhead`. Example: in
`{"a": "x, "b": 1}` the first string has no closing quote, but `, "b":` reads as the next
key, so it ends before that comma with a repair `missing-quote`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from toolgrammar.core.payloads.json.tokens import space_run, text_of
from toolgrammar.core.payloads.json.typing_rules import typed_string
from toolgrammar.core.payloads.mended.ahead import KEY_BODIES
from toolgrammar.core.payloads.mended.look import CLOSING_QUOTES, More, Undecided
from toolgrammar.core.payloads.mended.state import STRING
from toolgrammar.tools.json_tokens import COLONS, CONTROLS
from toolgrammar.values.patterns import anywhere, late

if TYPE_CHECKING:
    from toolgrammar.core.payloads.mended.ahead import LookAhead

_QUOTES: Final = {quote: late(f"{quote}{{3,256}}") for quote in "\"'`"}
_BRACKETS = anywhere(r"[}\]]*")
_CONTROL_RUN = anywhere(rf"[{CONTROLS}]*")
_LONGEST_GAP: Final = 256
_BEHIND_KEY: Final = f"{COLONS},}}"


class StringReader:
    """Reads one string at a time; the state decides what comes after it."""

    def __init__(self, look: LookAhead) -> None:
        self._look = look
        self._around = look.around
        self._source = look.source
        self._state = look.state
        self._string = look.string
        self._comma_quote = -1
        """The offset of a quote that directly follows a comma inside the string."""
        self._space = (0, 0)
        """The last white space in a string that was examined: start and end."""

    def open(self, quote: str, *, key: bool, width: int = 1) -> None:
        """Begins a string whose opening quote is at the current position."""
        state, string, start = self._state, self._string, self._source.pos
        wanted = None if key else state.slot()
        # Held back to its end, since `"5"` may become 5.
        typed = wanted is not None and not wanted.takes_text
        string.begin(CLOSING_QUOTES[quote], width, self._source.base + start, key=key, typed=typed)
        if string.is_value:
            state.begin_value(start)
        before, style = len(state.repairs), None
        legal = quote == '"' or (quote == "`" and string.backticks and not key)
        if width > 1 or not legal:
            code = "doubled-quotes" if width == 2 else "quote-style"
            style = state.repair(code, start, start + width, '"', join=False)
        string.open(style, before)
        if key:
            state.hold('"', start)
        elif not typed:
            state.give('"')
        self._source.go(start + width)
        state.expect(STRING)

    def read(self) -> None:
        """Continues a string."""
        text, start, framed = self._source.text, self._source.pos, self._around.framed
        end = self._string.run(framed=framed)
        # The whole chunk is part of the string.
        if end == len(text) and end > start:
            return
        character, string = text[end], self._string
        if character == string.close and text.startswith(character * string.width, end):
            self._quote(end)
        elif character == string.close and character != '"':
            string.one_of_three(end)
        elif character == ",":
            self._comma(end)
        elif character == "\\":
            self._string.backslash(end)
        elif character < " ":
            self._control(end)
        elif character == '"':
            self._string.other_quote(end)
        elif character in "}]":
            self._brackets(end)
        elif character == "<":
            self._markup(end)
        else:
            self._string.half_pairs(end)

    # What may end the string

    def _brackets(self, start: int) -> None:
        """Reads closing brackets, before which the string may have ended."""
        if self._around.ends_at_brackets(self._look, start):
            self._end_unclosed(start)
            return
        end = _BRACKETS.match(self._source.text, start).end()
        self._string.take(self._source.text[start:end], end)

    def _markup(self, start: int) -> None:
        """Reads the beginning of markup, before which the string may have ended."""
        if self._around.ends_at_markup(self._look, start):
            self._end_unclosed(start, "open-string")
        else:
            self._string.take("<", start + 1)

    def _control(self, start: int) -> None:
        """Reads control characters; a string may end before a line end and a key or markup."""
        end = _CONTROL_RUN.match(self._source.text, start).end()
        run = self._source.text[start:end]
        if "\n" not in run and "\r" not in run:
            self._string.controls(start, end)
            return
        behind = self._past_space(end)
        if self._ends_before(start, behind):
            self._end_unclosed(start)
        # A stream does not wait for the text after so much white space.
        elif behind - start <= _LONGEST_GAP and self._around.ends_at_markup(self._look, behind):
            self._end_unclosed(start, "open-string")
        else:
            self._string.controls(start, end)

    def _past_space(self, start: int) -> int:
        """Returns the end of white space; cached, since each line end in it asks for it."""
        base, (first, last) = self._source.base, self._space
        known = first <= base + start <= last
        end = space_run.match(self._source.text, last - base if known else start).end()
        self._space = (first if known else base + start, base + end)
        return end

    def _comma(self, start: int) -> None:
        """Reads a comma before a quote or the end of the text so far."""
        end = space_run.match(self._source.text, start + 1).end()
        self._comma_quote = self._source.base + end
        if self._ends_before(start, end):
            self._end_unclosed(start)
        else:
            self._string.take(",", start + 1)

    def _quote(self, start: int) -> None:
        """Ends the string at a quote, or makes the quote a part of it."""
        look, string = self._look, self._string
        look.begin(start)
        if self._keep_run(start):
            return
        behind = start + string.width
        try:
            closes = string.width == 3 or self._closes(behind)
        except Undecided:
            closes = True
            # Nothing in reach contradicts it, but the quotes inside are no longer certain.
            self._doubt_quotes()
        if closes:
            self._close(start)
        elif string.in_key and self._key_ends_at_colon():
            return
        elif not string.in_key and self._state.stack and self._around.markup_follows(look, behind):
            self._close(start)
        else:
            self._keep_quotes(start, behind)

    def _keep_run(self, start: int) -> bool:
        """Makes many quotes a part of the string: only the last two of them can end it."""
        string = self._string
        # Keys are short, and three quotes close a string that has three.
        if string.width > 1 or string.in_key or not self._state.stack:
            return False
        many = _QUOTES.get(string.close)
        run = many.match(self._source.text, start) if many is not None else None
        if run is None:
            return False
        self._keep_quotes(start, run.end() - 2)
        return True

    def _keep_quotes(self, start: int, end: int) -> None:
        """Makes quotes a part of the string."""
        state, string, base = self._state, self._string, self._source.base
        string.keep_quote()
        before = len(state.repairs)
        repair = state.repair("inner-quote", start, end)
        is_joined = len(state.repairs) == before
        repair.judge(doubt=(is_joined and repair.doubt) or not self._is_sure(start))
        written = self._source.text[start:end]
        if string.close == '"':
            written = written.replace('"', '\\"')
            repair.edit(base + start, base + end, written)
        elif string.close == "`" and string.style is None:
            # Between backticks that are allowed, the source needs an escape and JSON does not.
            repair.edit(base + start, base + end, "".join(f"\\{quote}" for quote in written))
        self._string.take(written, end)

    def _doubt_quotes(self) -> None:
        """Marks the quotes inside as a doubt: the look can't prove that this quote closes."""
        since = self._string.repairs_before
        for repair in self._state.repairs[since:] if self._string.inner_quoted else ():
            if repair.code == "inner-quote":
                repair.judge(doubt=True)

    def _is_sure(self, start: int) -> bool:
        """Whether the schema makes it certain which quote ends the string."""
        source, string = self._source, self._string
        if not self._state.stack or string.in_key:
            return False
        frame = self._state.stack[-1]
        if frame.is_object:
            return frame.is_judged
        item = frame.guide.item() if frame.guide is not None else None
        if item is None or item.types is None or self._comma_quote == source.base + start:
            return False
        # Before a comma or a bracket it may be the end of an item with a damaged neighbour.
        return source.at(source.blank(start + string.width)) not in (",", "]", "}", "")

    def _closes(self, index: int) -> bool:
        """Whether the string ends before an index, which is that of a quote."""
        look, source = self._look, self._source
        if self._string.in_key:
            return self._key_goes_on(index)
        # As long as all is strict JSON, a strict reader would end the string here, too.
        if self._state.strict and look.goes_on_strictly(index):
            return True
        if not self._state.stack:
            alone = self._around.alone or source.at(index) == ""
            return alone or look.may_end(source.blank(index))
        return look.goes_on(index)

    def _ends_before(self, start: int, quote: int) -> bool:
        """Whether the text from a quote on is a key or an item, so the string ends at `start`."""
        look, source, state, string = self._look, self._source, self._state, self._string
        text = source.text
        if quote == len(text):
            # A stream does not wait for the text after so much white space.
            if source.final or quote - start > _LONGEST_GAP:
                return False
            raise More
        if string.in_key or not state.stack or text[quote] not in CLOSING_QUOTES:
            return False
        look.begin(quote)
        try:
            # In `{"a": "x, "}` the quote after the comma closes the string itself.
            if state.strict and text[quote] == '"' and look.goes_on_strictly(quote + 1):
                return False
            if state.strict and string.close == '"' != text[quote]:
                # In strict JSON, other quotes are text.
                if look.closes_later(quote):
                    return False
                look.begin(quote)
            if not state.stack[-1].is_object:
                # In an array there is no colon: only a string in double quotes is the next item.
                return text[quote] == '"' and not string.inner_quoted and self._is_item(quote)
            return look.reads_key(quote, state.stack[-1], at_end=False)
        except Undecided:
            return False

    def _is_item(self, quote: int) -> bool:
        """Whether a string in double quotes, then a comma or the end of the array, are here."""
        source = self._source
        end = KEY_BODIES['"'].match(source.text, quote + 1, source.stop).end()
        if source.at(end) == "\\":
            source.at(end + 1)  # raises `More` if the escape may continue
        return source.at(end) == '"' and source.at(source.blank(end + 1)) in (",", "]")

    # Keys

    def _key_goes_on(self, index: int) -> bool:
        """Whether a colon follows a key, or text for which a missing colon is mended."""
        index = self._source.blank(index)
        character = self._source.at(index)
        if not character or character in _BEHIND_KEY:
            return True
        return self._look.begins_value(index) and not self._ends_with_colon()

    def _ends_with_colon(self) -> bool:
        """Whether the key so far ends with a colon: then its closing quote is missing."""
        for piece in reversed(self._state.key_pieces()):
            if body := piece.rstrip(" \t\n\r"):
                return body[-1] == ":"
        return False

    def _key_ends_at_colon(self) -> bool:
        """Ends a key without a closing quote before its first colon; continues from there."""
        state, source, string = self._state, self._source, self._string
        style = string.style
        # Offsets of repairs in the key would not fit the text that is read again below.
        if len(state.repairs) > state.key_from[2] + (style is not None):
            return False
        if style is not None and len(style.edits) > 1:
            return False  # the key is not spelled as in the source
        body = "".join(state.key_pieces())
        colon = body.find(":")
        if colon < 0 or "\\" in body:
            return False
        offset = string.start + string.width + colon
        key = body[:colon].rstrip(" \t\n\r")
        # `{"a: 1, "b": 2}`: the text from the colon on, read as part of the key, is read again.
        source.replace(body[colon:] + source.text[source.pos :], offset)
        end = offset - (colon - len(key))
        state.insert("missing-quote", end - offset, '"')
        if style is not None:
            style.extend(end)
        state.rewrite_key(key, '"' + body[len(key) : colon])
        string.end()
        state.end_key(key)
        return True

    # The end of the string

    def _end_unclosed(self, start: int, code: str = "missing-quote") -> None:
        """Ends a string before `start`, because its quote is missing."""
        string = self._string
        is_legal = string.is_template and not string.in_key
        self._state.insert(code, start, "`" if is_legal else '"')
        if string.style is not None:
            string.style.extend(self._source.base + start)
        self._end(start, start)

    def _close(self, start: int) -> None:
        end = start + self._string.width
        self._string.restyle(start, end, '"')
        self._end(start, end)

    def _end(self, start: int, end: int) -> None:
        """Ends the string at `start`, and moves the reader to `end`."""
        source, state, string = self._source, self._state, self._string
        source.go(end)
        # `C:\temp\dir`: `\d` escapes nothing, so `\t` may have been meant as two characters, too.
        if string.escapes and string.kept_letter:
            state.repair("mixed-escape", string.start - source.base, start)
        in_key = string.in_key
        string.end()
        if in_key:
            state.keep('"')
            state.end_key(text_of("".join(state.key_pieces()[:-1])))
            return
        if string.typed is not None:
            self._end_typed(end)
        else:
            state.give('"')
        state.end_value()

    def _end_typed(self, end: int) -> None:
        """Emits a string that the schema may convert to another type."""
        source, state, string = self._source, self._state, self._string
        wanted = state.slot()
        body = string.take_typed()
        state.begin_value(string.start - source.base)
        found = typed_string(body, wanted) if wanted is not None else None
        if found is None:
            state.give(f'"{body}"')
            return
        state.note("schema-type", string.start, source.base + end)
        state.give(found)
