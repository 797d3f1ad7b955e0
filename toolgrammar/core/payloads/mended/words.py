"""Reads JSON text that is not in quotes: numbers, literals, and strings and keys without quotes.

Example: in `{city: New York, "n": 07}` the key is read with a repair `bare-key`, the value up to
its comma as a string with `bare-text`, which is a doubt unless a schema wants a string there.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from toolgrammar.core.payloads.json.other_scalars import Scalar, scalar_of
from toolgrammar.core.payloads.json.tokens import as_json
from toolgrammar.core.payloads.json.typing_rules import typed_number
from toolgrammar.core.payloads.json.whole import has_surrogate
from toolgrammar.core.payloads.mended.look import CLOSING_QUOTES, More
from toolgrammar.core.payloads.mended.state import BARE_KEY, TEXT, WORD
from toolgrammar.tools.json_tokens import COLONS, HALVES, OTHER_COMMAS, PLAIN, SPACES
from toolgrammar.values.patterns import anywhere, late

if TYPE_CHECKING:
    from toolgrammar.core.payloads.mended.ahead import LookAhead
    from toolgrammar.core.payloads.mended.repairs import Repair

_WORD_RUN = anywhere(r"[\w.+\-]*+")
"""The characters of numbers and literals in all spellings of `other_scalars.py`; any other makes it text."""
_TEXT_RUN = late(rf"[^\s,\[\]{{}}()'/{PLAIN}{HALVES}]++")
_KEY_RUN = late(rf"[^{COLONS},{{}}\[\]\"'`\u201c\u201d\u201e\u2018\u2019\n\r{HALVES}]++")
_BEHIND_KEY: Final = f"{COLONS}{{["
_PAD = late(r"[^\S\n\r]++")
_THOUSANDS = late(r"0\d{2}")
_CLOSERS: Final = {"{": "}", "[": "]", "(": ")"}


class WordReader:
    """Reads words, text and keys without quotes, as far as they have arrived."""

    def __init__(self, look: LookAhead) -> None:
        self._look = look
        self._source = look.source
        self._state = look.state
        self._pieces: list[str] = []
        """The pieces of the word or the key so far."""
        self.start = 0
        """Its offset in the source."""
        self._pad = ""
        """White space that is dropped if the text without quotes ends after it."""
        self._pairs: list[str] = []
        """The closers of the brackets that are open inside text without quotes."""
        self._repair: Repair | None = None
        """The repair of the text without quotes."""

    @property
    def word(self) -> str:
        """The word or the key so far."""
        return "".join(self._pieces)

    def word_up_to(self, length: int) -> str:
        """Returns the word; "" if it has more than `length` pieces."""
        return self.word if len(self._pieces) <= length else ""

    def _begin(self, mode: int) -> None:
        self._pieces.clear()
        self.start = self._source.base + self._source.pos
        self._state.expect(mode)

    # Words

    def begin_word(self) -> None:
        """Begins a word that may be a number, a literal, or text."""
        self._begin(WORD)

    def read_word(self) -> None:
        """Continues a word; at its end, decides what it is."""
        source = self._source
        end = _WORD_RUN.match(source.text, source.pos).end()
        if end == source.pos:
            self.end_word()
            return
        self._pieces.append(source.text[source.pos : end])
        source.go(end)

    def end_word(self) -> None:
        """Classifies the word that ends at the current position."""
        scalar = self.scalar()
        if self._state.failure:
            return
        if scalar is not None and self._word_ends():
            self.give_scalar(scalar)
        else:
            self.begin_text()

    def scalar(self) -> Scalar | None:
        """Returns the number or literal that the word is, or None for text; fails if it is too long."""
        word = self.word
        try:
            return scalar_of(word, self._state.slot()) if word else None
        except ValueError:
            self._state.fail("number too long")
            return None

    def _word_ends(self) -> bool:
        """Whether the text after the word ends it."""
        start = self._source.pos
        return self._look.answer(start, lambda: self._delimited(start), otherwise=True)

    def _delimited(self, index: int) -> bool:
        """Whether the text at an index, after white space, ends the word."""
        look, source, stack = self._look, self._source, self._state.stack
        character = source.at(index)
        if not character or character in ",}])\n\r" or not stack:
            return True  # the root ends where no word continues
        # `[1 {"a": 2}]`: the comma is missing.
        if character in "{[" and not stack[-1].is_object:
            return True
        start, index = index, source.past_pad(index)
        character = source.at(index)
        if not character or character in ",}])\n\r":
            return True
        # `1 # why` has a comment, `1#2` has none.
        if character in "/#" and index > start:
            return character == "#" or source.at(index + 1) in ("/", "*", "")
        if character == "/":
            return source.at(index + 1) == "*"
        if look.around.ends_frame(look, index):
            return True
        # `{"a": 1 "b": 2}`: a comma is missing if a key follows; else the word is part of a text.
        if stack[-1].is_object:
            if character in OTHER_COMMAS:
                return look.parts_members(index, stack[-1])
            return character in CLOSING_QUOTES and look.reads_key(index, stack[-1])
        return look.begins_value(index)

    def give_scalar(self, scalar: Scalar) -> None:
        """Emits a number or literal that ends at the current position."""
        state, wanted = self._state, self._state.slot()
        start, end = self.start - self._source.base, self._source.pos
        state.begin_value(start)
        text, typed = scalar.text, None
        if wanted is not None and scalar.is_number:
            typed = typed_number(text, wanted)
        text = typed or text
        if scalar.code:
            repair = state.repair(scalar.code, start, end, text)
            # Of `[1,050]` the second item may be the thousands of the first: `1050`.
            frame = state.stack[-1] if state.stack else None
            is_item = frame is not None and not frame.is_object and frame.members > 1
            repair.judge(
                doubt=repair.doubt or (is_item and _THOUSANDS.fullmatch(self.word) is not None)
            )
        elif typed is not None:
            state.note("schema-type", self.start, self._source.base + end)
        state.give(text)
        state.end_value()

    # Text without quotes

    def begin_text(self) -> None:
        """Emits the word so far as the beginning of text without quotes."""
        state, wanted = self._state, self._state.slot()
        start = self.start - self._source.base
        state.begin_value(start)
        repair = state.repair("bare-text", start, self._source.pos, join=False)
        # If the schema wants a string, it is certain to be one.
        repair.judge(doubt=wanted is None or wanted.types is None or not wanted.takes_text)
        repair.edit(self.start, self.start, '"')
        self._repair = repair
        state.give(f'"{self.word}')
        self._pad = ""
        self._pairs.clear()
        state.expect(TEXT)

    def read_text(self) -> None:
        """Continues text without quotes."""
        text, start = self._source.text, self._source.pos
        match = _TEXT_RUN.match(text, start)
        if match is not None:
            self._say(match.group(), match.end())
            return
        character = text[start]
        # `run(a,\n b)`: inside a pair that the text opened, line ends and commas are part of the
        # text.
        if character in "\n\r" and self._pairs:
            self._say(character, start + 1, written=as_json(character)[1:-1])
        elif character in ",}])\n\r":
            self._delimiter(character, start)
        elif (pad := _PAD.match(text, start)) is not None:
            # Stored separately, since it is dropped at the end of the text.
            self._pad += pad.group()
            self._source.go(pad.end())
        elif character in _CLOSERS:
            self._pairs.append(_CLOSERS[character])
            self._say(character, start + 1)
        elif character in "\"'":
            self._quote(start)
        elif character == "/":
            self._slash(start)
        else:
            if character == "\\" and self._repair is not None:
                # As in `C:\\new`: an escape in a string that lost its quotes, or a character.
                self._repair.judge(doubt=True)
            # Half a surrogate pair is not a character; control characters and backslashes are
            # escaped.
            is_half = character >= " " and character != "\\"
            self._say(
                character, start + 1, written="\ufffd" if is_half else as_json(character)[1:-1]
            )

    def _delimiter(self, character: str, start: int) -> None:
        """Reads a comma or closer, which ends the text unless it is in a pair of the text."""
        if self._pairs and character in (self._pairs[-1], ","):
            if character != ",":
                self._pairs.pop()
            self._say(character, start + 1)
        else:
            self.end_text()

    def _say(self, raw: str, end: int, *, written: str | None = None) -> None:
        """Emits a part of the text, and the white space before it."""
        assert self._repair is not None
        state, before = self._state, self._source.base + end - len(raw)
        if self._pad:
            padding = as_json(self._pad)[1:-1]
            if padding != self._pad:
                self._repair.edit(before - len(self._pad), before, padding)
            state.give(padding)
            self._pad = ""
        if written is not None and written != raw:
            self._repair.edit(before, before + len(raw), written)
        state.give(raw if written is None else written)
        self._source.go(end)

    def _quote(self, start: int) -> None:
        """Reads a quote in text without quotes: before a delimiter, its partner is missing."""
        source, repair = self._source, self._repair
        # `{a: x", b: 1}`: the text before the quote lacks its opening quote.
        if self._pairs or not self._look.follows(start, ("", ",", "}", "]", ":")):
            quote = source.text[start]
            # `("Oslo"` was meant in quotes: the bracket is no text.
            if repair is not None and not self.word.strip("([{<"):
                repair.judge(doubt=True)
            self._say(quote, start + 1, written='\\"' if quote == '"' else quote)
            return
        assert repair is not None
        place = source.base + start
        repair.become("missing-quote", doubt=True)
        repair.rewrite(*(each for each in repair.edits if each[0] < place))
        self._say(source.text[start], start + 1, written='"')
        repair.extend(place + 1)
        self._repair = None
        self._state.end_value()

    def _slash(self, start: int) -> None:
        """Reads a slash in text without quotes: a comment ends the text."""
        source = self._source
        # `x // why` has a comment, `http://x` has none.
        if self._pad and not self._pairs:
            if start + 1 == len(source.text) and not source.final:
                raise More
            if source.text[start + 1 : start + 2] in ("/", "*"):
                self.end_text()
                return
        self._say("/", start + 1)

    def end_text(self) -> None:
        """Ends text without quotes; white space before the current position is not a part of it."""
        repair, state = self._repair, self._state
        assert repair is not None
        start = self._source.pos - len(self._pad)
        place = self._source.base + start
        repair.edit(place, place, '"')
        repair.extend(place)
        state.give('"')
        self._repair = None
        state.end_value()
        self._hold_space(self._pad, start)
        self._pad = ""

    def cut_text(self) -> None:
        """Ends text without quotes at the end of the whole text."""
        assert self._repair is not None
        self._source.go(self._source.pos - len(self._pad))
        self._repair.extend(self._source.base + self._source.pos)
        self._state.keep_repairs()

    def _hold_space(self, space: str, start: int) -> None:
        """Holds white space, without characters that JSON does not accept as white space."""
        if not space:
            return
        kept = "".join(each for each in space if each in SPACES)
        self._state.hold(kept, start)
        if kept != space:
            self._state.repair("space", start, start + len(space), kept)

    # Keys without quotes

    def begin_key(self) -> None:
        """Begins a key without quotes."""
        self._begin(BARE_KEY)
        self._state.begin_key(self._source.pos)

    def read_key(self) -> None:
        """Continues a key without quotes; at its end, decides whether it is one."""
        source = self._source
        match = _KEY_RUN.match(source.text, source.pos)
        if match is not None:
            self._pieces.append(match.group())
            source.go(match.end())
            return
        character = source.text[source.pos]
        if has_surrogate(character):
            self._pieces.append("\ufffd")
            source.go(source.pos + 1)
        # A key that lacks only its opening quote.
        elif character in CLOSING_QUOTES and self._look.follows(source.pos, (*COLONS,)):
            source.go(source.pos + 1)
            self._give_key("missing-quote", self.word, source.pos)
        elif character in CLOSING_QUOTES or character in _BEHIND_KEY:
            self._end_key()
        else:  # the key has no value
            # `{city, "n": 1}`
            self._state.leave_out(self.start - source.base, source.pos)

    def _end_key(self) -> None:
        raw = self.word
        key = raw.rstrip()
        end = self.start - self._source.base + len(key)
        self._give_key("bare-key", key, end)
        self._hold_space(raw[len(key) :], end)

    def _give_key(self, code: str, key: str, end: int) -> None:
        """Holds a key, in quotes."""
        state, start = self._state, self.start - self._source.base
        state.repair(code, start, end, as_json(key), join=False)
        state.hold(as_json(key), start)
        state.end_key(key)
