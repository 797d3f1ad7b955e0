"""Reads what stands in a JSON text without quotes: numbers, literals, and text that should be one."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, NamedTuple

from toolgrammar.core.json_look import CLOSING_QUOTES, More, Undecided
from toolgrammar.core.json_state import BARE_KEY, COLON, KEY, TEXT, WORD
from toolgrammar.core.json_strings import Strings
from toolgrammar.core.json_tokens import MAX_DIGITS, as_json
from toolgrammar.core.json_typing import typed_number
from toolgrammar.values.patterns import anywhere, late

if TYPE_CHECKING:
    from toolgrammar.core.json_guide import Guide
    from toolgrammar.core.json_repairs import Repair

_STRICT_NUMBER = late(r"-?(?:0|[1-9][0-9]*+)(?:\.[0-9]++)?(?:[eE][+-]?[0-9]++)?")
_DECIMAL = late(r"([+-]?)([0-9]*)(\.?)([0-9]*)((?:[eE][+-]?[0-9]+)?)")
_BASED = late(r"([+-]?)0(?:[xX]([0-9a-fA-F]+)|[bB]([01]+)|[oO]([0-7]+))")
_GROUPED = late(r"[+-]?[0-9]+(?:_[0-9]+)+(?:\.[0-9]+)?")
_ZEROS = late(r"([+-]?)0+([0-9]+)")
_LITERALS: Final = {"true": "true", "false": "false", "null": "null", "none": "null"}
_NONFINITE: Final = {
    "nan": "NaN",
    "infinity": "1e999",
    "+infinity": "1e999",
    "-infinity": "-1e999",
    "inf": "1e999",
    "-inf": "-1e999",
}

_WORD_RUN = anywhere(r"[\w.+\-]*+")
_TEXT_RUN = late("[^\\s,\\[\\]{}()\"'/\\\\\\x00-\\x1f\ud800-\udfff]++")
_KEY_RUN = late("[^:=,{}\\[\\]\"'`\u201c\u201d\u201e\u2018\u2019\\n\\r\ud800-\udfff]++")
_PAD = late(r"[^\S\n\r]++")
_LONGEST_LITERAL: Final = 9


class Scalar(NamedTuple):
    """A number or literal as JSON."""

    text: str
    """Its JSON text."""
    code: str
    """The code of its repair; "" for strict JSON."""


def scalar_of(word: str, wanted: Guide | None) -> Scalar | None:
    """Gives the number or literal that a word is; None for text.

    Raises:
        ValueError: an integer that is too long to be read.
    """
    if _STRICT_NUMBER.fullmatch(word):
        if len(word) > MAX_DIGITS and len(word.lstrip("-")) > MAX_DIGITS and word[1:].isdigit():
            raise ValueError(word[:20])
        return Scalar(word, "")
    low = word.lower() if len(word) <= _LONGEST_LITERAL else ""
    if low in _LITERALS:
        return Scalar(_LITERALS[low], "" if word == _LITERALS[low] else "literal")
    if low == "undefined":
        return Scalar("null", "undefined")
    if low in _NONFINITE:
        return Scalar(_NONFINITE[low], "nonfinite")
    if len(word) > MAX_DIGITS or not any(map(str.isdigit, word)):
        return None
    return _odd_number(word, wanted)


def _odd_number(word: str, wanted: Guide | None) -> Scalar | None:
    types = wanted.types if wanted is not None else None
    is_number = types is None or "integer" in types or "number" in types
    zeros = _ZEROS.fullmatch(word)
    if zeros is not None and types is None:
        return None
    if not is_number and "string" in (types or ()) and _is_number(word):
        return Scalar(as_json(word), "number")
    if zeros is not None:
        return Scalar(zeros[1].replace("+", "") + zeros[2], "number") if is_number else None
    based = _BASED.fullmatch(word)
    if based is not None:
        digits, base = next(
            (digits, base)
            for digits, base in zip(based.groups()[1:], (16, 2, 8), strict=True)
            if digits
        )
        return Scalar(based[1].replace("+", "") + str(int(digits, base)), "number")
    if _GROUPED.fullmatch(word):
        word = word.replace("_", "")
        if _STRICT_NUMBER.fullmatch(word):
            return Scalar(word, "number")
    match = _DECIMAL.fullmatch(word)
    if match is None or not (match[2] or match[4]) or not match[0].isascii():
        return None
    sign, whole, point, fraction, power = match.groups()
    if len(whole) > 1 and whole[0] == "0":
        return None
    after = f".{fraction or '0'}" if point else ""
    return Scalar(f"{sign.replace('+', '')}{whole or '0'}{after}{power}", "number")


def _is_number(word: str) -> bool:
    """Whether a word is a number in some form."""
    if _BASED.fullmatch(word) or _GROUPED.fullmatch(word):
        return True
    match = _DECIMAL.fullmatch(word)
    return match is not None and bool(match[2] or match[4])


class Words(Strings):
    """Reads words, text and keys without quotes, as far as they have come."""

    __slots__ = ("failure", "pad", "pairs", "pieces", "text_repair", "word_from")

    def set_up(self, guide: Guide | None, *, backticks: bool) -> None:
        """Sets what a new reader knows."""
        super().set_up(guide, backticks=backticks)
        self.failure = ""
        self.pieces: list[str] = []
        """What has come of the word or the key."""
        self.word_from = 0
        self.pad = ""
        """White space that is dropped where the text without quotes ends."""
        self.pairs: list[str] = []
        """The closers that are due inside text without quotes."""
        self.text_repair: Repair | None = None

    # Words

    def begin_word(self) -> None:
        """Begins what may be a number, a literal, or text."""
        self.pieces = []
        self.word_from = self.base + self.pos
        self.state = WORD

    def read_word(self) -> None:
        """Goes on in a word; at its end, tells what it is."""
        if (end := _WORD_RUN.match(self.text, self.pos).end()) > self.pos:
            self.pieces.append(self.text[self.pos : end])
            self.pos = end
            return
        self.end_word()

    def end_word(self) -> None:
        """Judges the word that ends at `pos`."""
        word = "".join(self.pieces)
        wanted = self.slot()
        try:
            scalar = scalar_of(word, wanted) if word else None
        except ValueError:
            self.failure = "number too long"
            return
        if scalar is not None and self._word_ends():
            self.give_scalar(word, scalar, wanted)
        else:
            self.begin_text(word, wanted)

    def _word_ends(self) -> bool:
        """Whether what follows the word at `pos` ends it."""
        self.look(self.pos)
        try:
            return self._delimited(self.pos)
        except Undecided:
            return True

    def _delimited(self, index: int) -> bool:
        character = self.at(index)
        if not character or character in ",}])\n\r" or not self.stack:
            return True  # the root ends where no word goes on
        if character in "{[" and not self.stack[-1].is_object:
            return True
        start, index = index, self.past_pad(index)
        character = self.at(index)
        if not character or character in ",}])\n\r":
            return True
        if character in "/#" and index > start:
            return character == "#" or self.at(index + 1) in ("/", "*", "")
        if character == "/":
            return self.at(index + 1) == "*"
        if self.ends_frame(index):
            return True
        frame = self.stack[-1]
        if frame.is_object:
            return character in CLOSING_QUOTES and self.reads_key(index, frame)
        return self.begins_value(index)

    def give_scalar(self, word: str, scalar: Scalar, wanted: Guide | None) -> None:
        """Gives out a number or literal that ends at `pos`."""
        start, end = self.word_from - self.base, self.pos
        text = scalar.text
        self.pos = start
        self.begin_value()
        self.pos = end
        typed = None
        if wanted is not None and scalar.code in ("", "number") and text[0] in "-0123456789":
            typed = typed_number(text, wanted)
        text = typed or text
        if scalar.code:
            self.repair(scalar.code, start, end, text)
        elif typed is not None:
            self.retype(self.word_from, self.base + end)
        self.out.append(text)
        self.value_ended()

    # Text without quotes

    def begin_text(self, word: str, wanted: Guide | None) -> None:
        """Gives out the begin of text without quotes."""
        start, end = self.word_from - self.base, self.pos
        self.pos = start
        self.begin_value()
        self.pos = end
        repair = self.repair("bare-text", start, end, join=False)
        repair.doubt = wanted is None or wanted.types is None or "string" not in wanted.types
        self.edit(repair, self.word_from, self.word_from, '"')
        self.text_repair = repair
        self.out.append(f'"{word}')
        self.pad, self.pairs = "", []
        self.state = TEXT

    def read_text(self) -> None:
        """Goes on in text without quotes."""
        text, start = self.text, self.pos
        match = _TEXT_RUN.match(text, start)
        if match is not None:
            self._say(match.group(), match.end())
            return
        character = text[start]
        if character in "\n\r" and self.pairs:
            self._say(character, start + 1, written=as_json(character)[1:-1])
        elif character in ",}])\n\r":
            self._delimiter_in_text(character)
        elif (pad := _PAD.match(text, start)) is not None:
            self.pad += pad.group()
            self.pos = pad.end()
        elif character in "{[(":
            self.pairs.append({"{": "}", "[": "]", "(": ")"}[character])
            self._say(character, start + 1)
        elif character in "\"'":
            self._quote_in_text(start)
        elif character == "/":
            self._slash_in_text(start)
        else:
            written = (
                "\ufffd" if character >= " " and character != "\\" else as_json(character)[1:-1]
            )
            self._say(character, start + 1, written=written)

    def _delimiter_in_text(self, character: str) -> None:
        """Takes a comma or closer: it ends the text, unless the text opened the pair itself."""
        if self.pairs and character in (self.pairs[-1], ","):
            if character != ",":
                self.pairs.pop()
            self._say(character, self.pos + 1)
        else:
            self.end_text()

    def _say(self, raw: str, end: int, *, written: str | None = None) -> None:
        assert self.text_repair is not None
        if self.pad:
            padding = as_json(self.pad)[1:-1]
            if padding != self.pad:
                before = self.base + end - len(raw)
                self.edit(self.text_repair, before - len(self.pad), before, padding)
            self.out.append(padding)
            self.pad = ""
        if written is not None and written != raw:
            self.edit(self.text_repair, self.base + end - len(raw), self.base + end, written)
        self.out.append(raw if written is None else written)
        self.pos = end

    def _quote_in_text(self, start: int) -> None:
        """Takes a quote in text without quotes: before a delimiter, its partner is missing."""
        self.look(start)
        try:
            character = self.at(self.blank(start + 1))
            ends = not self.pairs and (not character or character in ",}]:")
        except Undecided:
            ends = False
        if not ends:
            quote = self.text[start]
            self._say(quote, start + 1, written='\\"' if quote == '"' else quote)
            return
        repair = self.text_repair
        assert repair is not None
        repair.code, repair.doubt = "missing-quote", True
        repair.edits = [each for each in repair.edits if each[0] < self.base + start]
        self._say(self.text[start], start + 1, written='"')
        repair.end = self.base + start + 1
        self.text_repair = None
        self.value_ended()

    def _slash_in_text(self, start: int) -> None:
        if self.pad and not self.pairs:
            if start + 1 == len(self.text) and not self.final:
                raise More
            if self.text[start + 1 : start + 2] in ("/", "*"):
                self.end_text()
                return
        self._say("/", start + 1)

    def end_text(self) -> None:
        """Ends text without quotes at `pos`; white space before it is no part of it."""
        repair = self.text_repair
        assert repair is not None
        end = self.base + self.pos - len(self.pad)
        self.edit(repair, end, end, '"')
        repair.end = end
        self.out.append('"')
        self.text_repair = None
        self.value_ended()
        if self.pad:
            self.hold(_spaces(self.pad), self.pos - len(self.pad))
            if _spaces(self.pad) != self.pad:
                self.repair("space", self.pos - len(self.pad), self.pos, _spaces(self.pad))
        self.pad = ""

    # Keys without quotes

    def begin_bare_key(self) -> None:
        """Begins a key without quotes."""
        self.pieces = []
        self.word_from = self.base + self.pos
        self.key_from = (len(self.held), self.base + self.pos, len(self.repairs))
        self.state = BARE_KEY

    def read_bare_key(self) -> None:
        """Goes on in a key without quotes; at its end, tells whether it is one."""
        match = _KEY_RUN.match(self.text, self.pos)
        if match is not None:
            self.pieces.append(match.group())
            self.pos = match.end()
            return
        character = self.text[self.pos]
        if character >= "\ud800" and character <= "\udfff":
            self.pieces.append("\ufffd")
            self.pos += 1
        elif character in CLOSING_QUOTES and self._quote_ends_key():
            self._end_bare_key(quoted=True)
        elif character in CLOSING_QUOTES and not "".join(self.pieces).strip():
            self.pieces.append(character)
            self.pos += 1
        elif character in CLOSING_QUOTES or character in ":={[":
            self._end_bare_key(quoted=False)
        else:
            self.drop_bare_key()

    def _quote_ends_key(self) -> bool:
        self.look(self.pos)
        try:
            character = self.at(self.blank(self.pos + 1))
        except Undecided:
            return False
        return character in (":", "=")

    def _end_bare_key(self, *, quoted: bool) -> None:
        raw = "".join(self.pieces)
        key = raw.rstrip()
        rest = raw[len(key) :]
        start = self.word_from - self.base
        written = as_json(key)
        if quoted:
            code, key = "missing-quote", raw
            written, rest = as_json(raw), ""
            self.pos += 1
            end = self.pos
        else:
            code, end = "bare-key", start + len(key)
        self.repair(code, start, end, written, join=False)
        self.hold(written, start)
        if rest:
            self.hold(_spaces(rest), end)
            if _spaces(rest) != rest:
                self.repair("space", end, end + len(rest), _spaces(rest))
        self.stack[-1].key = key
        self.state = COLON

    def drop_bare_key(self) -> None:
        """Leaves out a key that has no value, up to `pos`."""
        start = self.word_from - self.base
        self.leave_out(start, self.pos)

    def leave_out(self, start: int, end: int) -> None:
        """Leaves out a key without a value, or a value without a key."""
        frame = self.stack[-1]
        frame.dropped = True
        frame.key = ""
        self.repair("missing-value", start, end, "")
        self.state = KEY


def _spaces(text: str) -> str:
    """Gives white space with nothing in it that JSON does not take."""
    return "".join(each for each in text if each in " \t\n\r")
