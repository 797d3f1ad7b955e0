r"""Scans the arguments of one Python call as they arrive, and emits them as JSON.

Example: `'Oslo', days=2)` becomes `{"city": "Oslo", "days": 2}` if `city` is the first parameter.
What models write is not always Python: in `send(to\_user='Ann', msg='it's done')` the backslash is
dropped and the quote in `it's` is kept as a part of the string; both are recorded as faults.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Final, TypeAlias

from toolgrammar.core.payloads.json.tokens import MAX_DEPTH, TOO_DEEP, as_json
from toolgrammar.core.payloads.literals.payload_faults import Fault, Faults
from toolgrammar.core.payloads.literals.python_json import (
    CONTAINER_KINDS,
    DICTIONARY,
    LIST,
    LONGEST_WORD,
    NAMED_VALUES,
    PythonJson,
    read_scalar,
)
from toolgrammar.core.payloads.literals.python_strings import PREFIXES, PythonStringReader, Quotes
from toolgrammar.values.patterns import anywhere, late

if TYPE_CHECKING:
    import re
    from collections.abc import Callable, Mapping

    from toolgrammar.core.payloads.json.tokens import ChunkMemo
    from toolgrammar.values.json_types import JsonSchema

_Step: TypeAlias = "Callable[[PythonScanner, str, int, list[str]], int]"

# Everything but white space and ASCII punctuation; names are checked when they are complete.
_SOLID: Final = r"[^\x00-\x20!-\-/:-@\[-^`{-\x7f\s]"
# `1e-5`: the sign is not an operator here.
_WORD = late(rf"[0-9._]+[eE](?:[+-]{_SOLID}*)?{_SOLID}*|{_SOLID}+")
# `get\_user` is the name `get_user`, as in Markdown.
_NAME = late(rf"(?:{_SOLID}|\\(?=_))+")
_space = anywhere(r"\s*+")
_COMMA: Final = "Found two strings side by side in a list; Python joins them"
_ENDS: Final = ")]"
"""The characters that end the arguments: their closer, or else that of the list of calls."""


class PythonScanner:
    """Reads the arguments of one Python call, from after its `(` up to its `)`.

    Each state is a method that reads the text from an index on; if it returns its own index and
    keeps the state, it needs more text. Beyond Python's own literals it accepts `true`, `false`,
    `null`, leading zeros, line ends in any string, and keywords as argument names. `**{"a": 1}` is
    read as `a=1`.
    """

    bare_text = ""

    def __init__(
        self,
        properties: Mapping[str, JsonSchema] | None = None,
        *,
        max_depth: int = MAX_DEPTH,
        mends: bool = False,
    ) -> None:
        """Makes a scanner for the arguments of one call.

        Args:
            properties: the parameters, whose order names arguments by position, and their schemas.
            max_depth: how deep the JSON may nest; the arguments themselves are its first level.
            mends: whether text that is not Python is mended: a quote that nothing may follow is
                a part of its string; a single object whose keys are names of parameters
                is the arguments; a backslash before an underscore is dropped.
        """
        self._properties = properties or {}
        self._parameters = tuple(self._properties)
        self._max_depth = max_depth
        self._mends = mends
        self._step: _Step = PythonScanner._before_argument
        self._json = PythonJson()
        self._sign = ""  # before the number that is read
        self._word = ""  # the last word, as far as it has arrived
        self._reader = PythonStringReader()
        self._positional = 0  # positional arguments so far; -1 once a keyword has been read
        self._place = 0  # the offset of the last of them
        self._ended = False
        self._base, self._final = 0, False
        self.done, self.failed, self.failure = False, False, ""
        self._joins = False  # whether a string directly follows another one in a list
        self.faults = Faults()

    @property
    def open_brackets(self) -> int:
        """The number of open brackets, with that of the arguments; 0 if a string may be open."""
        if not self._mends:
            return 0
        # The last quote may turn out to be inside the string: then brackets don't count.
        behind_string = self._step is PythonScanner._after_value and self._json.key == ""
        if behind_string or self._json.text_open or self._reader.failure:
            return 0
        return len(self._json.stack) + 1

    def expect(self, *, base: int, final: bool) -> None:
        """Sets the offset of the text that is fed next, and whether the message ends with it."""
        self._base, self._final = base, final

    def feed(self, text: str, position: int, out: list[str]) -> int:
        """Appends JSON text to `out`; returns the offset of the first character not consumed."""
        while not (self.done or self.failed):
            step = self._step
            if step not in _WHERE_SPACE_COUNTS:
                position = _space.match(text, position).end()
            if position == len(text):
                break
            end = step(self, text, position, out)
            # The text after this index decides what is here.
            if end == position and self._step is step:
                break
            position = end
        return position

    def run_on(self) -> ChunkMemo[str] | None:
        """Returns a memo of the JSON of chunks that only continue an emitted string, or None."""
        # A string in a container is held until the container is complete.
        in_text = self._step is PythonScanner._in_string and not self._json.stack
        return self._reader.run_on() if in_text else None

    def finish(self, out: list[str]) -> bool:
        """Closes the JSON object where the text ended; returns whether the arguments were complete.

        Of a string the part that arrived is kept, of a container its complete items; a number or
        name that is not delimited and a key without value are dropped.
        """
        # A second call adds nothing.
        if not self.done and not self._ended:
            self._ended = True
            # A number may continue after the cut: `1` of `12`. `True` can't.
            is_word = self._step is PythonScanner._in_word and not self._json.text_open
            if is_word and not self.failed and self._word in NAMED_VALUES:
                self._take_scalar("", 0)
            whole = self._step is PythonScanner._after_value and not self.failed
            self._json.close_cut(out, whole=whole)
        return self.done

    # Arguments

    def _before_argument(self, text: str, position: int, out: list[str]) -> int:
        char = text[position]
        # Only examined: the closer is a token of the envelope.
        if char in _ENDS:
            self.done = True
            if self._joins:
                self.faults.insert(0, Fault("comma", _COMMA))
            self._json.end(out)
            return position
        self._json.begin("")
        if char == "*":
            return self._stars(text, position)
        # No name begins with it: it is a positional value, as in `f(1, 'x')`.
        if not (char.isdecimal() or char == "." or _WORD.match(char) is None):
            self._step = PythonScanner._in_first_word
        elif self._name_by_position(text, position):
            return self._begin_value(text, position, out)
        return position

    def _stars(self, text: str, position: int) -> int:
        """Reads `**` before an object whose members are arguments."""
        if position + 1 == len(text):
            return position
        if text[position + 1] != "*":
            return self._fail(text, position + 1, "`**` before an object")
        self._step = PythonScanner._before_spread
        return position + 2

    def _before_spread(self, text: str, position: int, out: list[str]) -> int:
        if text[position] != "{":
            return self._fail(text, position, "an object behind `**`")
        # As after a keyword, no positional value may follow.
        self._json.begin("", is_spread=True)
        self._positional = -1
        return self._begin_value(text, position, out)

    def _in_first_word(self, text: str, position: int, out: list[str]) -> int:
        """Reads the word at an argument's start: its name, a string's prefix or a named value."""
        end = self._word_end(_NAME if self._mends else _WORD, text, position)
        behind = text[end : end + 2]
        if self.failed:
            return end
        # The word may continue.
        if not behind or (behind == "\\" and self._mends):
            return position
        if behind[0] == "\\" and self._mends:
            return self._fail(text, end + 1, "`_` behind the backslash")
        word = text[position:end].replace("\\", "")
        # Before a quote the word is a prefix, as in `r'x'`.
        if behind[0] not in "'\"" and word.isidentifier():
            self._word = word
            self.faults.note_name(text[position:end], self._base + position)
            self._step = PythonScanner._after_first_word
            return end
        if not self._name_by_position(text, end):
            return end
        return self._begin_value(text, position, out)

    def _after_first_word(self, text: str, position: int, out: list[str]) -> int:
        if text[position] == "=":
            self._json.begin(self._word)
            self._positional = -1
            self._step = PythonScanner._before_value
            return position + 1
        # `f(True)` has a positional value, `f(word)` has not.
        if self._word not in NAMED_VALUES:
            return self._fail(text, position, f"`=` after the name `{self._word[:20]}`")
        if self._name_by_position(text, position):
            self._take_scalar(text, position)
        return position

    def _after_argument(self, text: str, position: int, out: list[str]) -> int:
        char = text[position]
        # `f(1 + 2)` fails here: an argument is a literal, not an expression.
        if char != "," and char not in _ENDS:
            return self._fail(text, position, "`,` or `)` after an argument")
        if self._json.is_object:
            # Only the first argument, without a name, may be an object of all arguments.
            if self._mends and self._positional == 1 and not self._json.begun:
                keys, is_lone = json.loads(self._json.holds).keys(), char != ","
                if self.faults.note_object(self._place, keys, self._properties, is_lone=is_lone):
                    self._json.spread()
        elif self._json.is_spread:
            return self._fail(text, position, "an object behind `**`")
        self._json.give_out(out)
        self._step = PythonScanner._before_argument
        return position + (char == ",")

    def _name_by_position(self, text: str, position: int) -> bool:
        """Names a positional argument after the next parameter; fails if none is left."""
        if not 0 <= self._positional < len(self._parameters):
            self._fail(text, position, "`name=` or `)`: no parameter for a positional value")
            return False
        self._json.begin(self._parameters[self._positional])
        self._place = self._base + position
        self._positional += 1
        return True

    # Values

    def _before_value(self, text: str, position: int, out: list[str]) -> int:
        if self._json.stack and not self._json.stack[-1].keyed:
            container = self._json.stack[-1]
            # Python accepts a comma before the closer: `[1, 2, ]`.
            if text[position] == container.closer:
                self._json.close(holds_value=False)
                self._step = PythonScanner._after_value
                return position + 1
            # JSON has strings alone as keys; no set holds a dict: `{{'a': 1}}` is a template's.
            barred = CONTAINER_KINDS if container.kind == DICTIONARY else "{["
            if container.wants_hashable and text[position] in barred:
                return self._fail(text, position, "a key, or an item of a set")
        return self._begin_value(text, position, out)

    def _begin_value(self, text: str, position: int, out: list[str]) -> int:
        """Opens the value whose first character is at `position`."""
        char = text[position]
        self._json.begin_item()
        self._sign = self._word = ""
        if char in "'\"":
            return self._begin_string(text, position, out)
        if char in CONTAINER_KINDS:
            if len(self._json.stack) + 1 >= self._max_depth:
                self.failed, self.failure = True, TOO_DEEP
                return position
            self._json.open(char)
            self._step = PythonScanner._before_value
            return position + 1
        if char in "+-":
            self._sign = char
            self._step = PythonScanner._after_sign
            return position + 1
        if _WORD.match(char) is None:
            return self._fail(text, position, "a value")
        self._step = PythonScanner._in_word
        return position

    def _after_sign(self, text: str, position: int, out: list[str]) -> int:
        if text[position] not in ".0123456789":
            return self._fail(text, position, "a number after the sign")
        self._step = PythonScanner._in_word
        return position

    def _in_word(self, text: str, position: int, out: list[str]) -> int:
        """Reads a number, a named value, or the prefix of a string."""
        end = self._word_end(_WORD, text, position)
        if self.failed:
            return end
        self._word = self._sign + text[position:end]
        if end == len(text):
            return position
        if text[end] in "'\"":
            self._begin_string(text, end, out)
        # A word after a string can only be the prefix of its next part: `'a' f'b'`.
        elif self._json.text_open:
            self._fail(text, end, "a quote: a string stands before")
        else:
            self._take_scalar(text, end)
        # It is not a part of the string before it: it may be the name of the next call.
        is_left = self._json.text_open and self._step is PythonScanner._in_word
        return position if is_left else end

    def _word_end(self, pattern: re.Pattern[str], text: str, position: int) -> int:
        """Returns the end of a word, which may be empty; fails if the word is too long."""
        match = pattern.match(text, position)
        end = position if match is None else match.end()
        longest = position + LONGEST_WORD - len(self._sign)
        return end if end <= longest else self._fail(text, longest, "a shorter name or number")

    def _take_scalar(self, text: str, position: int) -> None:
        scalar = read_scalar(self._word)
        if scalar is None:
            self._fail(text, position, f"a literal; `{self._word[:20]}` is none")
            return
        schema = None if self._json.stack else self._properties.get(self._json.name)
        kept = self.faults.note_zeros(self._word, self._base + position, schema)
        self._json.add(*scalar if kept is None else (kept, ""))
        self._step = PythonScanner._after_value

    def _after_value(self, text: str, position: int, out: list[str]) -> int:
        if not self._json.stack:
            return self._after_argument(text, position, out)
        container, char = self._json.stack[-1], text[position]
        if not (char == ":" and self._json.colon()):
            # `{'a': 1, 'b'}` is neither a dictionary nor a set.
            if container.kind == DICTIONARY and not container.keyed:
                return self._fail(text, position, "`:` after a key")
            if char == container.closer:
                self._json.close(holds_value=True)
                return position + 1
            if char != ",":
                return self._fail(text, position, f"`,` or `{container.closer}`")
            self._json.comma()
        self._step = PythonScanner._before_value
        return position + 1

    # Strings

    def _begin_string(self, text: str, position: int, out: list[str]) -> int:
        """Opens a string literal, or the next part of a string in several parts."""
        prefix = self._word.lower()
        if prefix not in PREFIXES:
            return self._fail(text, position, f"a literal; `{self._word[:20]}` opens no text")
        named, nested = self._positional < 0, bool(self._json.stack)
        quotes = Quotes(self._parameters, named=named, nested=nested) if self._mends else None
        is_markdown = self._mends and self.faults.is_markdown
        self._reader = PythonStringReader(prefix, quotes, is_markdown=is_markdown)
        self._step = PythonScanner._in_string
        self._json.begin_string(out)
        return position

    def _in_string(self, text: str, position: int, out: list[str]) -> int:
        reader = self._reader
        decoded, position = reader.feed(text, position, final=self._final)
        if decoded:
            self._json.add_text(as_json(decoded)[1:-1], out)
        if reader.is_odd:
            # In a container no name decides which string a quote belongs to.
            named = bool(self._parameters) and not self._json.stack
            self.faults.note_string(text, self._base, reader, named=named)
        if reader.closed:
            self._step = PythonScanner._after_string
        elif reader.failure:
            self.failed, self.failure = True, reader.failure
        return position

    def _after_string(self, text: str, position: int, out: list[str]) -> int:
        """Continues with a string directly after the last one, or closes the JSON string."""
        # Python joins `'a' 'b'`: the JSON string stays open until the next token.
        if text[position] in "'\"" or _WORD.match(text, position) is not None:
            self._sign = self._word = ""
            self._step = PythonScanner._in_word
            # In a list, a missing comma is more likely than two parts of one string.
            if self._json.stack and self._json.stack[-1].kind == LIST:
                self._joins = True
        else:
            self._json.end_string(out)
            self._step = PythonScanner._after_value
        return position

    # Faults

    def _fail(self, text: str, position: int, wanted: str) -> int:
        """Fails at an offset, and returns it."""
        self.failed = True
        self.failure = f"Found `{text[position]}`{self._json.place}; wanted {wanted}"
        return position


# Behind the class, so that the names of its methods are known.
_WHERE_SPACE_COUNTS: Final = frozenset(
    (PythonScanner._in_first_word, PythonScanner._in_word, PythonScanner._in_string)
)
