"""The arguments of one Python call, read as they arrive and given out as JSON text."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, TypeAlias

from toolgrammar.core.json_tokens import as_json
from toolgrammar.core.python_values import (
    BRACE,
    CLOSERS,
    CONTAINER_KINDS,
    DICTIONARY,
    LONGEST_WORD,
    NAMED_VALUES,
    ROUND,
    SET,
    STRING_PREFIXES,
    OpenContainer,
    PythonStringReader,
    encode_json,
    exponent_may_be_signed,
    read_scalar,
    skip_space,
)
from toolgrammar.values.patterns import late

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from toolgrammar.core.remembered import Remembered


_Step: TypeAlias = "Callable[[PythonArgumentsScanner, str, int, list[str]], int]"

# Everything but white space and ASCII punctuation; names are checked when they are whole.
_WORD = late(r"[^\x00-\x20!-\-/:-@\[-^`{-\x7f\s]+")
_ENDS: Final = ")]"
"""What ends the arguments: their closer, or that of the list of calls, where theirs is missing."""


class PythonArgumentsScanner:
    """Read the arguments of one Python call, from after its `(` up to its `)`.

    Each state is a method that takes the text on from a position; `feed` runs the current one.
    The JSON of a string argument is given out as it arrives, any other value when it is delimited.
    Beyond Python's own literals: `true`, `false`, `null`, leading zeros, line ends in any string,
    keywords as argument names. Lone surrogates stay in the JSON text as they are.

    Attributes:
        done: The matching `)` stands at the returned offset, or what stands there closes the list of
            the calls, so that it is missing; what was given out is a JSON object.
        failed: What stands at the returned offset cannot go on these arguments.
        failure: What stands there and what is wanted, as one sentence; empty unless failed.
    """

    __slots__ = (
        "_cut",
        "_ended",
        "_given_out",
        "_key",
        "_max_depth",
        "_name",
        "_parameters",
        "_pieces",
        "_positional",
        "_reader",
        "_stack",
        "_step",
        "_text_open",
        "_word",
        "done",
        "failed",
        "failure",
    )

    doubt, mended = "", False

    def __init__(self, *, parameters: Sequence[str] = (), max_depth: int = 200) -> None:
        self.done = False
        self.failed = False
        self.failure = ""
        self._parameters = parameters
        self._max_depth = max_depth  # of the JSON: the arguments themselves are its first level
        self._step: _Step = PythonArgumentsScanner._before_argument
        self._positional = 0  # positional arguments so far; -1 once a keyword has been read
        self._name = ""
        self._given_out = 0  # arguments whose JSON has begun
        self._pieces: list[str] = []  # the JSON of the current value, while it is held
        self._stack: list[OpenContainer] = []
        self._word = ""
        self._key: str | None = None  # the last value as a key; "" for a string; None: no key
        self._reader = PythonStringReader()
        self._text_open = False  # the JSON of a string was begun and its closing quote not written
        self._ended = False
        self._cut = False

    def feed(self, text: str, position: int, out: list[str]) -> int:
        """Append JSON text to `out`; give the offset of the first character not consumed."""
        while position < len(text) and not self.done and not self.failed:
            position = self._step(self, text, position, out)
        return position

    def passed(self, last: str) -> None:
        """Takes note of nothing."""

    def run_on(self) -> Remembered[str] | None:
        """Give chunks as JSON that only go on in a string which is given out, if one is open."""
        in_text = self._step is PythonArgumentsScanner._in_string and not self._stack
        return self._reader.run_on() if in_text else None

    def finish(self, out: list[str]) -> bool:
        """Close the JSON object where the text ended; give False when the arguments were cut.

        A string is kept as far as it came, a container with its whole items; a number or name
        that nothing delimits and a key without value are dropped.
        """
        if not self.done and not self._ended:
            self._ended = self._cut = True
            self._close_cut_value(out)
            out.append("}" if self._given_out else "{}")
        return not self._cut

    # States: each takes the text on from a position that holds a character.

    def _before_argument(self, text: str, position: int, out: list[str]) -> int:
        position = skip_space(text, position)
        if position == len(text):
            return position
        char = text[position]
        if char in _ENDS:
            self.done = True
            out.append("}" if self._given_out else "{}")
            return position
        if char.isdecimal() or char == "." or _WORD.match(char) is None:
            if not self._name_by_position(text, position):
                return position
            return self._begin_value(text, position, out)
        self._word = ""
        self._step = PythonArgumentsScanner._in_first_word
        return position

    def _in_first_word(self, text: str, position: int, out: list[str]) -> int:
        """Read the word at an argument's start: its name, a string's prefix or a named value."""
        position = self._extend_word(text, position)
        if position == len(text) or self.failed:
            return position
        if text[position] not in "'\"" and self._word.isidentifier():
            self._step = PythonArgumentsScanner._after_first_word
        elif self._name_by_position(text, position):
            self._step = PythonArgumentsScanner._in_word
        return position

    def _after_first_word(self, text: str, position: int, out: list[str]) -> int:
        position = skip_space(text, position)
        if position == len(text):
            return position
        if text[position] == "=":
            self._name = self._word
            self._positional = -1
            self._step = PythonArgumentsScanner._before_value
            return position + 1
        if self._word not in NAMED_VALUES:
            self._fail(text, position, f"`=` after the name `{self._word[:20]}`")
        elif self._name_by_position(text, position):
            self._take_scalar(text, position)
        return position

    def _before_value(self, text: str, position: int, out: list[str]) -> int:
        position = skip_space(text, position)
        if position == len(text):
            return position
        if self._stack and not self._stack[-1].keyed:
            container = self._stack[-1]
            if text[position] == CLOSERS[container.kind]:
                return self._close_container(position, holds_value=False)
            if container.kind == DICTIONARY and text[position] in CONTAINER_KINDS:
                self._fail(text, position, "a string as key")
                return position
        return self._begin_value(text, position, out)

    def _after_sign(self, text: str, position: int, out: list[str]) -> int:
        position = skip_space(text, position)
        if position < len(text):
            if text[position] in ".0123456789":
                self._step = PythonArgumentsScanner._in_word
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
        elif char in "+-" and exponent_may_be_signed(self._word):
            self._word += char
            position += 1
        elif self._text_open:
            self._fail(text, position, "a quote: a string stands before")
        else:
            self._take_scalar(text, position)
        return position

    def _in_string(self, text: str, position: int, out: list[str]) -> int:
        decoded, position = self._reader.feed(text, position)
        if decoded:
            (self._pieces if self._stack else out).append(as_json(decoded)[1:-1])
        if self._reader.closed:
            self._step = PythonArgumentsScanner._after_string
        elif self._reader.failure:
            self.failed = True
            self.failure = self._reader.failure
        return position

    def _after_string(self, text: str, position: int, out: list[str]) -> int:
        """Go on with a string written right after the last one, or close the JSON string."""
        position = skip_space(text, position)
        if position == len(text):
            return position
        if text[position] in "'\"" or _WORD.match(text, position) is not None:
            self._word = ""
            self._step = PythonArgumentsScanner._in_word
        else:
            self._close_string(out)
        return position

    def _after_value(self, text: str, position: int, out: list[str]) -> int:
        position = skip_space(text, position)
        if position == len(text):
            return position
        char = text[position]
        if self._stack:
            return self._after_item(text, position)
        if char != "," and char not in _ENDS:
            self._fail(text, position, "`,` or `)` after an argument")
            return position
        self._give_out(out)
        self._step = PythonArgumentsScanner._before_argument
        return position + (char == ",")

    def _after_item(self, text: str, position: int) -> int:
        container = self._stack[-1]
        char = text[position]
        if char == ":" and container.at_key and self._key is not None:
            if self._key:
                self._pieces[-1] = as_json(self._key)
            container.kind = DICTIONARY
            container.keyed = True
            self._pieces.append(": ")
        elif container.kind == DICTIONARY and not container.keyed:
            self._fail(text, position, "`:` after a key")
            return position
        elif char == ",":
            if container.kind == BRACE:
                container.kind = SET
            container.keyed = False
            container.commas += 1
            container.whole_until = len(self._pieces)
        elif char == CLOSERS[container.kind]:
            return self._close_container(position, holds_value=True)
        else:
            self._fail(text, position, f"`,` or `{CLOSERS[container.kind]}`")
            return position
        self._step = PythonArgumentsScanner._before_value
        return position + 1

    # Steps that the states share.

    def _fail(self, text: str, position: int, wanted: str) -> None:
        self.failed = True
        self.failure = f"Found `{text[position]}`; wanted {wanted}"

    def _name_by_position(self, text: str, position: int) -> bool:
        """Name a positional argument after the next parameter; fail where none is left."""
        if not 0 <= self._positional < len(self._parameters):
            self._fail(text, position, "`name=` or `)`: no parameter for a positional value")
            return False
        self._name = self._parameters[self._positional]
        self._positional += 1
        return True

    def _extend_word(self, text: str, position: int) -> int:
        word = _WORD.match(text, position)
        if word is None:
            return position
        end = min(word.end(), position + LONGEST_WORD - len(self._word))
        self._word += text[position:end]
        if end < word.end():
            self._fail(text, end, "a shorter name or number")
        return end

    def _begin_value(self, text: str, position: int, out: list[str]) -> int:
        """Open the value whose first character stands at `position`."""
        char = text[position]
        if self._stack and self._stack[-1].commas and not self._stack[-1].keyed:
            self._pieces.append(", ")
        self._word = ""
        if char in "'\"":
            self._begin_string(text, position, out)
        elif char in CONTAINER_KINDS:
            if len(self._stack) + 1 >= self._max_depth:
                self._fail(text, position, f"at most {self._max_depth} levels")
                return position
            self._stack.append(OpenContainer(CONTAINER_KINDS[char], len(self._pieces)))
            self._pieces.append("{" if char == "{" else "[")
            self._step = PythonArgumentsScanner._before_value
            return position + 1
        elif char in "+-":
            self._word = char
            self._step = PythonArgumentsScanner._after_sign
            return position + 1
        elif _WORD.match(char) is not None:
            self._step = PythonArgumentsScanner._in_word
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
        self._step = PythonArgumentsScanner._in_string
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
        self._step = PythonArgumentsScanner._after_value

    def _take_scalar(self, text: str, position: int) -> None:
        scalar = read_scalar(self._word)
        if scalar is None:
            self._fail(text, position, f"a literal; `{self._word[:20]}` is none")
            return
        value, self._key = scalar
        self._pieces.append(value)
        self._step = PythonArgumentsScanner._after_value

    def _close_container(self, position: int, *, holds_value: bool) -> int:
        container = self._stack.pop()
        if container.kind == ROUND and holds_value and not container.commas:
            self._pieces[container.opened_at] = ""  # parentheses around one value
        else:
            self._write_closer(container, empty=not holds_value)
        self._key = None
        self._step = PythonArgumentsScanner._after_value
        return position + 1

    def _write_closer(self, container: OpenContainer, *, empty: bool) -> None:
        """Close a container; braces around one value that no colon followed are a set."""
        is_object = container.kind == DICTIONARY or (container.kind == BRACE and empty)
        self._pieces[container.opened_at] = "{" if is_object else "["
        self._pieces.append("}" if is_object else "]")

    def _member_start(self) -> str:
        self._given_out += 1
        return f"{'{' if self._given_out == 1 else ', '}{as_json(self._name)}: "

    def _give_out(self, out: list[str]) -> None:
        """Write the held value; a string argument has been written as it came."""
        if self._pieces:
            out.append(self._member_start() + "".join(self._pieces))
            self._pieces.clear()

    def _close_cut_value(self, out: list[str]) -> None:
        """Write what is sure of the value at which the text ended."""
        whole = False  # whether the pieces end with a value that may be kept
        if self._text_open:
            self._close_string(out)
            whole = True
        elif not self.failed:
            if self._step is PythonArgumentsScanner._in_word and self._word in NAMED_VALUES:
                self._pieces.append(encode_json(NAMED_VALUES[self._word]))
                self._step = PythonArgumentsScanner._after_value
            whole = self._step is PythonArgumentsScanner._after_value
        while self._stack:
            container = self._stack.pop()
            if not whole or container.at_key:
                del self._pieces[container.whole_until :]
            # Parentheses without a comma may close around one value: no array can be promised.
            whole = container.kind != ROUND or container.commas > 0
            if whole:
                self._write_closer(container, empty=True)
        if whole:
            self._give_out(out)
