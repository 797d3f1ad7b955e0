"""Scans one object with bare keys and bare words as its text arrives, and emits it as JSON.

Example: of `{city:'Oslo',days:2}` it emits `{"city": "Oslo", "days": 2}`. A format chooses the
quotes of its strings: `<|"|>` or `'`. A string between quotes of one character has the escapes of
JavaScript; a longer quote has none, so the string is all text up to the next one. Text without
quotes is `true`, `false`, `null` or a number, and any other word is a string. No later text makes
what was emitted wrong: strings are emitted at once, except for the longest tail that may become
their closing quote; a word is emitted at its end, a key with its value.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from toolgrammar.core.payloads.json.tokens import MAX_DEPTH, TOO_DEEP, as_json, in_strings, shown
from toolgrammar.core.payloads.literals.bare_values import (
    TEMPLATE,
    DamagedQuotes,
    may_be_quoted,
    opened_quote,
    read_escape,
    string_runs,
    word_as_json,
)
from toolgrammar.core.payloads.literals.markup_around import (
    DELIMITED,
    ENDED,
    KEY_STOPS,
    WAITS,
    WORD_STOPS,
    markup_around,
)
from toolgrammar.core.payloads.literals.payload_faults import BEGIN, Fault
from toolgrammar.core.payloads.literals.wanted_types import WantedTypes
from toolgrammar.grammar.roles import BARE_QUOTES
from toolgrammar.patterns.partial import begun_length
from toolgrammar.values.patterns import anywhere, blanks, late

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from toolgrammar.core.machine.machine import Step
    from toolgrammar.core.payloads.json.guide import Guide
    from toolgrammar.core.payloads.json.tokens import ChunkMemo

# What the scanner waits for. The order is that of `_HANDLERS`.
(
    _START,  # the opening brace
    _KEY,  # a key or the end of the object
    _KEY_WORD,  # the rest of a bare key
    _KEY_STRING,  # the rest of a quoted key
    _COLON,  # the colon after a quoted key
    _VALUE,  # a value, or the end of a member that has none
    _ITEM,  # an item or the end of the array
    _STRING,  # the rest of a string
    _WORD,  # the rest of a bare word
    _AFTER,  # a comma or a closer after a value
) = range(10)

_WANTED: Final = {
    _START: "an object",
    _KEY: "a key or `}`",
    _KEY_WORD: "a colon after a key",
    _COLON: "a colon after a key",
    _VALUE: "a value",
    _ITEM: "an item or `]`",
}
_BLANKS = late(r"\s+")
_KEY_RUN = anywhere(rf"[^{re.escape(KEY_STOPS)}]*")
_WORD_RUN = anywhere(rf"[^{re.escape(WORD_STOPS)}]*")


class BareScanner:
    """Reads one object piece by piece; the joined pieces are JSON."""

    open_brackets = 0

    def __init__(
        self,
        *,
        quotes: Sequence[str] = BARE_QUOTES,
        max_depth: int = MAX_DEPTH,
        step: Step | None = None,
        guide: Guide | None = None,
    ) -> None:
        """Makes a scanner for one object.

        Args:
            quotes: The quotes of strings.
            max_depth: How deep brackets may nest.
            step: The step that reads the object, if markup around it may end it.
            guide: What the schema wants of the object; None if it wants nothing.
        """
        self._types = WantedTypes(guide)
        self._step = step
        self._quotes = tuple(sorted(quotes, key=len, reverse=True))
        self._max_depth = max_depth
        self._state = _START
        self._stack: list[str] = []  # the closers that are due
        self._counts: list[int] = []  # for each of them, how many values were emitted
        self._key: list[str] = []  # the JSON text of the key, without its quotes
        self._quote = ""  # the quote of the open string
        self._run, self._same = string_runs(self._quotes[0][0])  # of the open string
        self._word: list[str] = []
        self._damaged: DamagedQuotes | None = None  # in a string with a quote of several characters
        self.done, self.failed, self.failure = False, False, ""
        self.faults: list[Fault] = []
        self._odd_quote = ""  # a bare word with a quote inside that opens or closes nothing
        self._expression = ""  # text that may be an expression but was read as text
        self._base = 0  # the offset of the text that is fed
        self._final = False  # whether the message ends with the text that is fed

    def expect(self, *, base: int, final: bool) -> None:
        """Sets the offset of the text that is fed next, and whether the message ends with it."""
        self._base, self._final = base, final

    def feed(self, text: str, position: int, out: list[str]) -> int:
        """Returns the offset of the first character not consumed; safe pieces go to `out`."""
        while position < len(text) and not (self.done or self.failed):
            end = _HANDLERS[self._state](self, text, position, out)
            if end == position:  # undecided: it waits
                break
            position = end
        return position

    def run_on(self) -> ChunkMemo[str] | None:
        """Returns a memo of the JSON of chunks that only continue a string."""
        held = self._state != _STRING or self._quote == TEMPLATE
        held = held or (self._damaged is not None and self._damaged.waits)
        return None if held else in_strings(self._run.pattern)

    def finish(self, out: list[str]) -> bool:
        """Appends what closes the object, without a change of state; whether it was complete."""
        if self.done:
            return True
        if self._state == _STRING:
            out.append('"')
        out.append("".join(reversed(self._stack)))
        return False

    # The states. Each returns the offset after the text that it read, or its own if it needs more.

    def _start(self, text: str, at: int, out: list[str]) -> int:
        if text[at] == "{":
            return self._open(text, at, out)
        return self._blank_or_refuse(text, at)

    def _key_or_end(self, text: str, at: int, out: list[str]) -> int:
        """Begins a key, or closes the object."""
        character = text[at]
        if character.isspace():
            return blanks.match(text, at).end()
        if character == "}":
            return self._close(at, out)
        if self._counts[0] and self._ends_before(text, at, out):  # no markup ends `{`
            return at
        self._key = []
        opened = self._opened(text, at)
        if opened is None:
            return at
        if opened:
            self._state = _KEY_STRING
            return at + len(opened)
        if character in KEY_STOPS:
            return self._refuse(text, at)
        self._state = _KEY_WORD
        return self._key_word(text, at, out)

    def _key_word(self, text: str, at: int, _out: list[str]) -> int:
        """Continues a bare key, up to its colon."""
        end, how = self._word_part(text, at, key=True)
        if how == WAITS:
            return end
        if text[end] != ":":  # or the key extends into the markup after the object
            return self._refuse(text, end)
        self._key = [as_json(self._taken_word())[1:-1]]
        self._state = _VALUE
        return end + 1

    def _key_string(self, text: str, at: int, _out: list[str]) -> int:
        return self._string_part(text, at, self._key, _COLON)

    def _colon(self, text: str, at: int, _out: list[str]) -> int:
        if text[at] == ":":
            self._state = _VALUE
            return at + 1
        return self._blank_or_refuse(text, at)

    def _value(self, text: str, at: int, out: list[str]) -> int:
        """Begins a value, or ends a member without one or an array."""
        character = text[at]
        if character.isspace():
            return blanks.match(text, at).end()
        if character in ",}" and self._state == _VALUE:  # `{a: }`
            self._begin(out)
            self._types.missing(self._key)
            out.append('""')
            self._state = _AFTER
            return self._after(text, at, out)
        if character == "]" and self._state == _ITEM:
            return self._close(at, out)
        if character in ",}]":
            return self._refuse(text, at)
        if character in "{[":
            return self._open(text, at, out)
        opened = self._opened(text, at)
        if opened is None:
            return at
        if opened:
            self._begin(out)
            out.append('"')
            self._state = _STRING
            return at + len(opened)
        self._state = _WORD
        return self._bare_word(text, at, out)

    def _string(self, text: str, at: int, out: list[str]) -> int:
        end = self._string_part(text, at, out, _AFTER)
        if self._state == _AFTER:
            out.append('"')
        return end

    def _bare_word(self, text: str, at: int, out: list[str]) -> int:
        """Continues a bare word, and emits it at its end."""
        end, how = self._word_part(text, at, key=False)
        if how == WAITS:
            return end
        if how == ENDED and not "".join(self._word).strip():  # markup instead of a value
            return self._refuse(text, end)
        self._begin(out)
        written = word_as_json(self._taken_word())
        if written[0] == '"':
            self._expression = self._expression or written
            self._types.text(self._key)
        out.append(written)
        self._state = _AFTER
        return self._after(text, end, out)

    def _after(self, text: str, at: int, out: list[str]) -> int:
        """Reads the comma or the closer after a value."""
        character = text[at]
        if character == ",":
            self._state = _KEY if self._stack[-1] == "}" else _ITEM
            return at + 1
        if character == self._stack[-1]:
            return self._close(at, out)
        if self._ends_before(text, at, out):
            return at
        return self._blank_or_refuse(text, at)

    def _ends_before(self, text: str, at: int, out: list[str]) -> bool:
        """Closes all if the markup around the object continues; also true if it may continue."""
        if self._step is None or text[at].isspace():
            return False
        stands = markup_around(self._step).stands(text, at, final=self._final)
        if stands:
            closers = "".join(reversed(self._stack))
            out.append(closers)
            self._end(closers)
        return stands is not False

    # Shared by the states

    def _word_part(self, text: str, at: int, *, key: bool) -> tuple[int, int]:
        """Reads the next part of a bare key or word; returns its end, and what ends it."""
        if self._step is None:
            end = (_KEY_RUN if key else _WORD_RUN).match(text, at).end()
            how = WAITS if end == len(text) else DELIMITED
        else:
            first = not (key or self._word)
            end, how = markup_around(self._step).read(
                text, at, key=key, first=first, final=self._final
            )
        if end > at:
            self._word.append(text[at:end])
        return end, how

    def _taken_word(self) -> str:
        """Returns the bare word that was read; one with a quote may have been meant as a string."""
        word = "".join(self._word).rstrip()
        self._word = []
        if may_be_quoted(word, self._quotes, is_key=self._state == _KEY_WORD):
            self._odd_quote = self._odd_quote or word
        return word

    def _opened(self, text: str, at: int) -> str | None:
        """Opens the string whose quote is here; "" if there is none, None if that is undecided."""
        quote = opened_quote(text, at, self._quotes)
        if quote:
            self._quote = quote
            self._run, self._same = string_runs(quote[0])
            self._damaged = DamagedQuotes(quote) if len(quote) > 1 else None
        return quote

    def _string_part(self, text: str, at: int, sink: list[str], then: int) -> int:
        """Continues a string; at its closing quote the state becomes `then`."""
        quote = self._quote
        if len(quote) == 1:  # with escapes
            if run := self._same.match(text, at) or self._run.match(text, at):
                piece = run.group()
                if quote == TEMPLATE:
                    self._word.append(piece)
                sink.append(piece if run.re is self._same else as_json(piece)[1:-1])
                return run.end()
            if text[at] != quote:  # an escape, or half a surrogate pair
                end, is_half = read_escape(text, at, sink)
                if is_half:
                    place = self._base + at, self._base + end
                    self.faults.append(Fault("lone-surrogate", "", *place, "\ufffd"))
                return end
            if "${" in "".join(self._word):
                self._expression = self._expression or "${"
            self._word = []
            self._state = then
            return at + 1
        found = text.find(quote, at)
        end = found if found >= 0 else len(text) - begun_length(text, at, quote)
        assert self._damaged is not None
        self._damaged.look(text[at:end])
        sink.append(as_json(text[at:end])[1:-1])
        if found < 0:
            return end
        self._state = then
        self._odd_quote = self._odd_quote or self._damaged.end()
        return end + len(quote)

    def _begin(self, out: list[str]) -> None:
        """Emits the separator and the key before a value."""
        if not self._stack:
            return
        before = ", " if self._counts[-1] else ""  # JSON's comma comes with the value
        self._counts[-1] += 1
        if self._stack[-1] == "}":
            before += f'"{"".join(self._key)}": '
        out.append(before)

    def _open(self, text: str, at: int, out: list[str]) -> int:
        if len(self._stack) >= self._max_depth:
            return self._fail(TOO_DEEP, at)
        self._begin(out)
        out.append(text[at])
        is_object = text[at] == "{"
        self._types.open(self._key, is_object=is_object)
        self._stack.append("}" if is_object else "]")
        self._counts.append(0)
        self._state = _KEY if is_object else _ITEM
        return at + 1

    def _close(self, at: int, out: list[str]) -> int:
        out.append(self._stack.pop())
        self._counts.pop()
        self._types.close()
        self._state = _AFTER
        if not self._stack:
            self._end("")
        return at + 1

    def _end(self, put_in: str) -> None:
        """Ends the object, and notes its faults; `put_in` are closers that the text lacks."""
        self.done = True
        self.faults += self._types.faults()
        if odd := self._odd_quote[:40]:
            message = f"Found a quote in `{odd}` that may have lost its partner; kept it"
            self.faults.append(Fault("missing-quote", message))
        if put_in:
            self.faults.append(Fault("bracket", replacement=put_in, is_sure=True))
        if self._expression:
            # `${name}` is a JavaScript template; `today()` is an expression.
            code = "template" if self._expression == "${" else "bare-text"
            shown = self._expression[:42].strip('"')
            message = f"Found `{shown}` where a literal should stand; kept as text"
            self.faults.append(Fault(code, message, BEGIN))

    def _blank_or_refuse(self, text: str, at: int) -> int:
        blanks = _BLANKS.match(text, at)
        return self._refuse(text, at) if blanks is None else blanks.end()

    def _refuse(self, text: str, at: int) -> int:
        wanted = _WANTED.get(self._state) or f"a comma or `{self._stack[-1]}` after a value"
        return self._fail(f"Found `{shown(text[at])}`; the object wants {wanted}", at)

    def _fail(self, failure: str, at: int) -> int:
        self.failed, self.failure = True, failure
        return at


# Behind the class, so that the names of its methods are known.
_HANDLERS: tuple[Callable[[BareScanner, str, int, list[str]], int], ...] = (
    BareScanner._start,
    BareScanner._key_or_end,
    BareScanner._key_word,
    BareScanner._key_string,
    BareScanner._colon,
    BareScanner._value,
    BareScanner._value,
    BareScanner._string,
    BareScanner._bare_word,
    BareScanner._after,
)
