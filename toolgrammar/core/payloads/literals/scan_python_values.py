"""One value in Python's notation, read as it arrives and given out as JSON text.

Example: `{'a': (1, None), 2: 'x' 'y'}` becomes `{"a": [1, null], "2": "xy"}`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeAlias

from toolgrammar.core.payloads.json.tokens import TooDeep, as_json
from toolgrammar.core.payloads.literals.python_quotes import STRING_PREFIXES
from toolgrammar.core.payloads.literals.python_values import (
    BRACE,
    CLOSERS,
    CONTAINER_KINDS,
    DICTIONARY,
    LIST,
    LONGEST_WORD,
    NAMED_VALUES,
    ROUND,
    OpenContainer,
    PythonStringReader,
    encode_json,
    exponent_may_be_signed,
    read_scalar,
    skip_space,
)
from toolgrammar.values.patterns import late

if TYPE_CHECKING:
    from collections.abc import Callable


_Step: TypeAlias = "Callable[[PythonValues, str, int, list[str]], int]"

# Everything but white space and ASCII punctuation; names are checked when they are whole.
WORD = late(r"[^\x00-\x20!-\-/:-@\[-^`{-\x7f\s]+")


class PythonValues:
    """Reads the values of arguments; what stands between them is for the class below this one.

    Each state is a method that takes the text on from a position that holds a character.
    """

    def __init__(self, max_depth: int) -> None:
        self.done = False
        self.failed = False
        self.failure = ""
        self.doubt = ""
        """The beginning of a string that stands right behind another in a list; mostly empty."""
        self._max_depth = max_depth  # of the JSON: the arguments themselves are its first level
        self._step: _Step = PythonValues._before_value
        self._name = ""  # of the argument whose value is read
        self._pieces: list[str] = []  # the JSON of the current value, while it is held
        self._stack: list[OpenContainer] = []
        self._word = ""
        self._key: str | None = None  # the last value as a key; "" for a string; None: no key
        self._reader = PythonStringReader()
        self._text_open = False  # the JSON of a string was begun and its closing quote not written

    def _after_argument(self, text: str, position: int, out: list[str]) -> int:
        """Go on behind the value of an argument."""
        raise NotImplementedError

    def _member_start(self) -> str:
        """Returns the JSON that stands before the value of an argument."""
        raise NotImplementedError

    def _give_out(self, out: list[str]) -> None:
        """Write the held value; a string argument has been written as it came."""
        raise NotImplementedError

    def _fail(self, text: str, position: int, wanted: str) -> None:
        self.failed = True
        place = f" in the argument `{self._name[:64]}`" if self._name else ""
        self.failure = f"Found `{text[position]}`{place}; wanted {wanted}"

    def _before_value(self, text: str, position: int, out: list[str]) -> int:
        position = skip_space(text, position)
        if position == len(text):
            return position
        if self._stack and not self._stack[-1].keyed:
            container = self._stack[-1]
            # Python takes a comma before the closer: `[1, 2, ]`.
            if text[position] == CLOSERS[container.kind]:
                return self._close_container(position, holds_value=False)
            # `{(1, 2): 3}`: JSON has only strings as keys.
            if container.kind == DICTIONARY and text[position] in CONTAINER_KINDS:
                self._fail(text, position, "a string as key")
                return position
        return self._begin_value(text, position, out)

    def _after_sign(self, text: str, position: int, out: list[str]) -> int:
        position = skip_space(text, position)
        if position < len(text):
            if text[position] in ".0123456789":
                self._step = PythonValues._in_word
            else:
                self._fail(text, position, "a number after the sign")
        return position

    def _in_word(self, text: str, position: int, out: list[str]) -> int:
        position = self._extend_word(text, position)
        if position == len(text) or self.failed:
            return position
        char = text[position]
        if char in "'\"":
            self._begin_string(text, position, out)
        # `1e-5`: the sign is no operator here.
        elif char in "+-" and exponent_may_be_signed(self._word):
            self._word += char
            position += 1
        # A word behind a string can only be the prefix of its next part: `'a' f'b'`.
        elif self._text_open:
            self._fail(text, position, "a quote: a string stands before")
        else:
            self._take_scalar(text, position)
        return position

    def _in_string(self, text: str, position: int, out: list[str]) -> int:
        decoded, position = self._reader.feed(text, position)
        if decoded:
            # In a container it is held: `{` may turn out to begin a set, whose JSON begins
            # otherwise.
            (self._pieces if self._stack else out).append(as_json(decoded)[1:-1])
        if self._reader.closed:
            self._step = PythonValues._after_string
        elif self._reader.failure:
            self.failed = True
            self.failure = self._reader.failure
        return position

    def _after_string(self, text: str, position: int, out: list[str]) -> int:
        """Go on with a string written right after the last one, or close the JSON string."""
        position = skip_space(text, position)
        if position == len(text):
            return position
        # Python joins `'a' 'b'`: until the next mark, the JSON string stays open.
        if text[position] in "'\"" or WORD.match(text, position) is not None:
            self._word = ""
            self._step = PythonValues._in_word
            # In a list a comma is missing more often than two strings are meant to be one.
            if self._stack and self._stack[-1].kind == LIST:
                self.doubt = self.doubt or text[position]
        else:
            self._close_string(out)
        return position

    def _after_value(self, text: str, position: int, out: list[str]) -> int:
        position = skip_space(text, position)
        if position == len(text):
            return position
        return (
            self._after_item(text, position)
            if self._stack
            else self._after_argument(text, position, out)
        )

    def _after_item(self, text: str, position: int) -> int:
        container = self._stack[-1]
        char = text[position]
        if char == ":" and container.at_key and self._key is not None:
            # A number or a named value as key becomes its text, `2` `"2"`; a string is one already.
            if self._key:
                self._pieces[-1] = as_json(self._key)
            container.read_key()
            self._pieces.append(": ")
        # `{'a': 1, 'b'}` is neither a dictionary nor a set.
        elif container.kind == DICTIONARY and not container.keyed:
            self._fail(text, position, "`:` after a key")
            return position
        elif char == ",":
            container.separate(len(self._pieces))
        elif char == CLOSERS[container.kind]:
            return self._close_container(position, holds_value=True)
        else:
            self._fail(text, position, f"`,` or `{CLOSERS[container.kind]}`")
            return position
        self._step = PythonValues._before_value
        return position + 1

    def _extend_word(self, text: str, position: int) -> int:
        word = WORD.match(text, position)
        if word is None:
            return position
        # A word is held until it ends: a text without blanks or marks must not be held for ever.
        end = min(word.end(), position + LONGEST_WORD - len(self._word))
        self._word += text[position:end]
        if end < word.end():
            self._fail(text, end, "a shorter name or number")
        return end

    def _begin_value(self, text: str, position: int, out: list[str]) -> int:
        """Open the value whose first character stands at `position`."""
        char = text[position]
        # JSON's comma comes with the next item, so that one before a closer is not written.
        if self._stack and self._stack[-1].commas and not self._stack[-1].keyed:
            self._pieces.append(", ")
        self._word = ""
        if char in "'\"":
            self._begin_string(text, position, out)
        elif char in CONTAINER_KINDS:
            if len(self._stack) + 1 >= self._max_depth:
                self._fail(text, position, f"at most {self._max_depth} levels")
                self.failure = TooDeep(self.failure)
                return position
            self._stack.append(OpenContainer(CONTAINER_KINDS[char], len(self._pieces)))
            self._pieces.append("{" if char == "{" else "[")
            self._step = PythonValues._before_value
            return position + 1
        elif char in "+-":
            self._word = char
            self._step = PythonValues._after_sign
            return position + 1
        elif WORD.match(char) is not None:
            self._step = PythonValues._in_word
        else:
            self._fail(text, position, "a value")
        return position

    def _begin_string(self, text: str, position: int, out: list[str]) -> None:
        """Open a string literal, or the next part of a string written in several."""
        prefix = self._word.lower()
        if prefix not in STRING_PREFIXES:
            self._fail(text, position, f"a literal; `{self._word[:20]}` opens no text")
            return
        self._reader = PythonStringReader(prefix)
        self._step = PythonValues._in_string
        # `'a' 'b'`: the second part goes on in the same JSON string.
        if self._text_open:
            return
        self._text_open = True
        if self._stack:
            self._pieces.append('"')
        else:
            out.append(self._member_start() + '"')

    def _close_string(self, out: list[str]) -> None:
        (self._pieces if self._stack else out).append('"')
        self._text_open = False
        self._key = ""
        self._step = PythonValues._after_value

    def _take_scalar(self, text: str, position: int) -> None:
        scalar = read_scalar(self._word)
        if scalar is None:
            self._fail(text, position, f"a literal; `{self._word[:20]}` is none")
            return
        value, self._key = scalar
        self._pieces.append(value)
        self._step = PythonValues._after_value

    def _close_container(self, position: int, *, holds_value: bool) -> int:
        container = self._stack.pop()
        if container.kind == ROUND and holds_value and not container.commas:
            self._pieces[container.opened_at] = ""  # parentheses around one value
        else:
            self._write_closer(container, empty=not holds_value)
        # A container is no key.
        self._key = None
        self._step = PythonValues._after_value
        return position + 1

    def _write_closer(self, container: OpenContainer, *, empty: bool) -> None:
        """Close a container; braces around one value that no colon followed are a set."""
        # `{}` is a dictionary.
        is_object = container.kind == DICTIONARY or (container.kind == BRACE and empty)
        self._pieces[container.opened_at] = "{" if is_object else "["
        self._pieces.append("}" if is_object else "]")

    def _close_cut_value(self, out: list[str]) -> None:
        """Write what is sure of the value at which the text ended."""
        whole = False  # whether the pieces end with a value that may be kept
        if self._text_open:
            self._close_string(out)
            whole = True
        elif not self.failed:
            # A number may go on behind the cut: `1` of `12`. `True` can't.
            if self._step is PythonValues._in_word and self._word in NAMED_VALUES:
                self._pieces.append(encode_json(NAMED_VALUES[self._word]))
                self._step = PythonValues._after_value
            whole = self._step is PythonValues._after_value
        while self._stack:
            container = self._stack.pop()
            # Half an item, and a key without its value, are dropped.
            if not whole or container.at_key:
                del self._pieces[container.whole_until :]
            # Parentheses without a comma may close around one value: no array can be promised.
            whole = container.kind != ROUND or container.commas > 0
            if whole:
                self._write_closer(container, empty=True)
        if whole:
            self._give_out(out)
