"""The arguments of one Python call, read as they arrive and given out as JSON text.

Example: `'Oslo', days=2)` becomes `{"city": "Oslo", "days": 2}` where `city` is the first parameter.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final, cast

from toolgrammar.core.payloads.json.tokens import as_json
from toolgrammar.core.payloads.literals.python_values import NAMED_VALUES, skip_space
from toolgrammar.core.payloads.literals.scan_python_values import WORD, PythonValues

if TYPE_CHECKING:
    from collections.abc import Sequence

    from toolgrammar.core.payloads.json.chunk_memo import ChunkMemo

_ENDS: Final = ")]"
"""What ends the arguments: their closer, or that of the list of calls, where theirs is missing."""


class PythonArgumentsScanner(PythonValues):
    """Read the arguments of one Python call, from after its `(` up to its `)`.

    Each state is a method that takes the text on from a position; `feed` runs the current one.
    The JSON of a string argument is given out as it arrives, any other value when it is delimited.
    Beyond Python's own literals: `true`, `false`, `null`, leading zeros, line ends in any string,
    keywords as argument names. Lone surrogates stay in the JSON text as they are. `**{"a": 1}` is
    the same as `a=1`.

    Attributes:
        done: The matching `)` stands at the returned offset, or what stands there closes the list of
            the calls, so that it is missing; what was given out is a JSON object.
        failed: What stands at the returned offset cannot go on these arguments.
        failure: What stands there and what is wanted, as one sentence; empty unless failed.
    """

    bare_text, mended = "", False
    _takes_markdown = False
    """Whether `a\\_b` is read as the name `a_b`."""

    def __init__(self, *, parameters: Sequence[str] = (), max_depth: int = 200) -> None:
        super().__init__(max_depth)
        self._parameters = parameters
        self._step = cast("Any", PythonArgumentsScanner._before_argument)
        self._positional = 0  # positional arguments so far; -1 once a keyword has been read
        self._given_out = 0  # arguments whose JSON has begun
        self._is_spread = False  # whether the members of the current value are arguments
        self._ended = False
        self._cut = False

    def feed(self, text: str, position: int, out: list[str]) -> int:
        """Append JSON text to `out`; give the offset of the first character not consumed."""
        while position < len(text) and not self.done and not self.failed:
            position = self._step(self, text, position, out)
        return position

    def passed(self, last: str) -> None:
        """Takes note of nothing."""

    def run_on(self) -> ChunkMemo[str] | None:
        """Returns chunks as JSON that only go on in a string which is given out, if one is open."""
        # A string in a container is held until the container is whole.
        in_text = self._step is PythonArgumentsScanner._in_string and not self._stack
        return self._reader.run_on() if in_text else None

    def finish(self, out: list[str]) -> bool:
        """Close the JSON object where the text ended; give False when the arguments were cut.

        A string is kept as far as it came, a container with its whole items; a number or name
        that nothing delimits and a key without value are dropped.
        """
        # A second call adds nothing.
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
        # Looked at and not read: the closer is a token of the envelope.
        if char in _ENDS:
            self.done = True
            out.append("}" if self._given_out else "{}")
            return position
        self._name = ""
        if char == "*":
            self._step = cast("Any", PythonArgumentsScanner._after_star)
            return position + 1
        # No name begins so: it is a value by position, as in `f(1, 'x')`.
        if char.isdecimal() or char == "." or WORD.match(char) is None:
            if not self._name_by_position(text, position):
                return position
            return self._begin_value(text, position, out)
        self._word = ""
        self._step = cast("Any", PythonArgumentsScanner._in_first_word)
        return position

    def _after_star(self, text: str, position: int, out: list[str]) -> int:
        """Read the second star of `**` before an object whose members are arguments."""
        if text[position] != "*":
            self._fail(text, position, "`**` before an object")
            return position
        self._step = cast("Any", PythonArgumentsScanner._before_spread)
        return position + 1

    def _before_spread(self, text: str, position: int, out: list[str]) -> int:
        position = skip_space(text, position)
        if position == len(text):
            return position
        if text[position] != "{":
            self._fail(text, position, "an object behind `**`")
            return position
        # As behind a keyword, no value by position may follow.
        self._is_spread, self._positional = True, -1
        return self._begin_value(text, position, out)

    def _in_first_word(self, text: str, position: int, out: list[str]) -> int:
        """Read the word at an argument's start: its name, a string's prefix or a named value."""
        position = self._extend_word(text, position)
        if position == len(text) or self.failed:
            return position
        if text[position] == "\\" and self._takes_markdown:
            self._step = cast("Any", PythonArgumentsScanner._behind_backslash)
            return position + 1
        # Before a quote the word is a prefix, as in `r'x'`.
        if text[position] not in "'\"" and self._word.isidentifier():
            self._step = cast("Any", PythonArgumentsScanner._after_first_word)
        elif self._name_by_position(text, position):
            self._step = PythonArgumentsScanner._in_word
        return position

    def _behind_backslash(self, text: str, position: int, out: list[str]) -> int:
        """Leave out a backslash that Markdown wants before an underscore."""
        self._step = cast("Any", PythonArgumentsScanner._in_first_word)
        if text[position] == "_":
            self._note_backslash(position - 1)
        else:
            self._fail(text, position, "`_` behind the backslash")
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
        # `f(True)` is a value by position, `f(word)` is none.
        if self._word not in NAMED_VALUES:
            self._fail(text, position, f"`=` after the name `{self._word[:20]}`")
        elif self._name_by_position(text, position):
            self._take_scalar(text, position)
        return position

    def _after_argument(self, text: str, position: int, out: list[str]) -> int:
        char = text[position]
        # `f(1 + 2)` fails here: an argument is a literal, and no expression.
        if char != "," and char not in _ENDS:
            self._fail(text, position, "`,` or `)` after an argument")
            return position
        if self._pieces:  # all but a string, which has been written as it came
            self._judge_object(is_lone=char != ",")
            if self._is_spread and not self._is_object():
                self._fail(text, position, "an object behind `**`")
                return position
            self._give_out(out)
        self._step = cast("Any", PythonArgumentsScanner._before_argument)
        return position + (char == ",")

    # Steps that the states share.

    def _judge_object(self, *, is_lone: bool) -> None:
        """Judge a value that stands without a name."""

    def _note_backslash(self, index: int) -> None:
        """Note a backslash that is left out, at an index of the text that is read."""

    def _is_object(self) -> bool:
        return bool(self._pieces) and self._pieces[0] == "{" and self._pieces[-1] == "}"

    def _name_by_position(self, text: str, position: int) -> bool:
        """Name a positional argument after the next parameter; fail where none is left."""
        # -1: a keyword was read before.
        if not 0 <= self._positional < len(self._parameters):
            self._fail(text, position, "`name=` or `)`: no parameter for a positional value")
            return False
        self._name = self._parameters[self._positional]
        self._positional += 1
        return True

    def _member_start(self) -> str:
        self._given_out += 1
        return f"{'{' if self._given_out == 1 else ', '}{as_json(self._name)}: "

    def _give_out(self, out: list[str]) -> None:
        """Write the held value; a string argument has been written as it came."""
        if self._is_spread:
            self._is_spread = False
            # Without their braces, the members go on in the object of the arguments.
            members = "".join(self._pieces)[1:-1]
            if members.strip():
                out.append(("{" if not self._given_out else ", ") + members)
                self._given_out += 1
        elif self._pieces:
            out.append(self._member_start() + "".join(self._pieces))
        self._pieces.clear()
