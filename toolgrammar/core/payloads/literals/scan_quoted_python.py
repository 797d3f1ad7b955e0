r"""The arguments of one Python call as models write them: what Python does not take is mended.

Example: in `send(to\_user='Ann', msg='it's done')` the backslash is left out and the quote in `it's`
is kept as a part of the string, each with a fault that says so.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any, NamedTuple, cast

from toolgrammar.core.payloads.literals.python_quotes import Quotes
from toolgrammar.core.payloads.literals.scan_python import PythonArgumentsScanner
from toolgrammar.values.schemas import admitted_types

if TYPE_CHECKING:
    from toolgrammar.core.payloads.json.chunk_memo import ChunkMemo
    from toolgrammar.values.tools import ToolSpec

_AFTER_VALUE = PythonArgumentsScanner._after_value  # noqa: SLF001 - the class above this one
_IN_WORD = PythonArgumentsScanner._in_word  # noqa: SLF001 - as above
_PLAIN = frozenset({"", "u"})
"""Prefixes of strings in which a quote can be escaped."""
_QUOTE = "Found a quote inside a string; Python wants it escaped"
_BACKSLASH = "Found a backslash before an underscore, as in Markdown; left it out"
_LONE = "Found an object whose keys are the parameters; took its members as the arguments"
_NO_OBJECT = "Found an object where the first parameter takes none"


class Fault(NamedTuple):
    """What Python does not take as it was meant."""

    code: str
    message: str
    start: int
    """Offset where it stands."""
    end: int
    replacement: str | None
    """What makes it Python; None where the text is kept as it is."""
    is_sure: bool
    """Whether nothing else can be meant."""


class QuotedPythonScanner(PythonArgumentsScanner):
    r"""Reads the arguments, and notes what it mended or what may be meant otherwise.

    A quote that nothing may follow is a part of its string. An object that stands alone and has the
    names of parameters as its keys is the arguments. `a\_b` is the name `a_b`, as in Markdown.
    """

    _takes_markdown = True

    def __init__(self, spec: ToolSpec | None = None, *, max_depth: int = 200) -> None:
        parameters = tuple(spec.properties) if spec is not None else ()
        super().__init__(parameters=parameters, max_depth=max_depth)
        self._spec = spec
        self._place = 0  # offset of the last value without a name
        self.is_markdown = False
        """Whether underscores stand behind backslashes, so that those in strings do too."""
        self._rest = ""  # a quote that waits, and what follows it so far
        self._shift = 0  # how far the text that is read begins before the one that was fed
        self._quotes = Quotes(parameters, named=False, nested=False)
        self.base = 0
        """Offset in the source of the text that is fed."""
        self.final = False
        """Whether the text ends with what is fed."""
        self.faults: list[Fault] = []
        self.unread = ""
        """What was taken before the last chunk and belongs to no argument."""

    @property
    def mended(self) -> bool:  # type: ignore[override]
        """Whether any fault was noted."""
        return bool(self.faults)

    def use_markdown(self) -> None:
        """Reads underscores in strings as those of the name: behind backslashes."""
        self.is_markdown = True

    def expect(self, *, base: int, final: bool) -> None:
        """Takes the offset of the text that is fed next, and whether the message ends with it."""
        self.base, self.final = base, final

    def feed(self, text: str, position: int, out: list[str]) -> int:
        """Returns the offset of the first character not consumed; safe pieces go to `out`."""
        end = super().feed(text, position, out)
        if self.final and self._rest and not self._is_over():
            return self._in_rest(text, len(text), out)  # what a quote waited for does not come
        return end

    def run_on(self) -> ChunkMemo[str] | None:
        """Returns chunks as JSON that only go on in a string which is given out, if one is open."""
        in_text = self._step is QuotedPythonScanner._in_quoted and not self._stack
        return self._reader.run_on() if in_text else super().run_on()

    @property
    def open_brackets(self) -> int:
        """How many brackets are open, with those of the arguments; 0 where a string may be."""
        # The last quote may yet stand inside of the string: brackets behind it don't count then.
        behind_string = self._step is _AFTER_VALUE and self._key == ""
        if behind_string or self._text_open or self._reader.failure:
            return 0
        return len(self._stack) + 1

    @property
    def word_behind(self) -> str:
        """What was taken behind a string as the prefix of another one, and is none."""
        return self._word if self._text_open and self._step is _IN_WORD else ""

    def passed(self, last: str) -> None:
        """Takes note of the last character of chunks that went on in the string."""
        self._reader.stand_behind(last)

    def _begin_string(self, text: str, position: int, out: list[str]) -> None:
        prefix = self._word.lower()
        super()._begin_string(text, position, out)
        # Python has no escape for a quote in a raw string, and an f-string is no plain text.
        if not self.failed and prefix in _PLAIN:
            named, nested = self._positional < 0, bool(self._stack)
            self._quotes = Quotes(self._parameters, named=named, nested=nested)
            self._reader.judge_quotes(self._quotes, is_markdown=self.is_markdown)
            self._step = cast("Any", QuotedPythonScanner._in_quoted)

    # States

    def _in_quoted(self, text: str, position: int, out: list[str]) -> int:
        """Reads on in a string whose quotes are judged by what follows them."""
        reader = self._reader
        before = reader.before
        self._quotes.look(final=self.final)
        position = super()._in_string(text, position, out)
        # The next chunk may begin with a quote that is judged by what stands before it.
        reader.stand_behind(text[-1])
        if reader.taken:
            self._note_quotes()
        if reader.waits:
            reader.stop_waiting(text[position - 1] if position else before)
            # The chunk counts as taken; the quote and what follows it are read again with the next.
            self._rest = text[position:]
            self._step = cast("Any", QuotedPythonScanner._in_rest)
            return len(text)
        return position

    def _in_rest(self, text: str, position: int, out: list[str]) -> int:
        """Looks at a quote that waits again, with what has come since."""
        window = self._rest + text[position:]
        self._shift = shift = position - len(self._rest)
        self._rest = ""
        self._step = cast("Any", QuotedPythonScanner._in_quoted)
        at = 0
        while at < len(window) and not self._is_over():
            at = self._step(self, window, at, out)
        self._shift = 0
        # The arguments ended before the end of what had waited: the rest belongs to others.
        if at + shift < position:
            self.unread = window[at : position - shift]
        return max(position, at + shift)

    def _is_over(self) -> bool:
        return self.done or self.failed

    def _note(
        self,
        code: str,
        place: int,
        message: str,
        written: str = "",
        replacement: str | None = None,
        *,
        is_sure: bool = True,
    ) -> None:
        fault = Fault(code, message, place, place + len(written), replacement, is_sure)
        self.faults.append(fault)

    def _note_quotes(self) -> None:
        """Notes what the last step took as a part of the string: quotes and backslashes."""
        for place, written, before in self._reader.taken:
            offset = self.base + self._shift + place
            if written == "\\":
                self._note("backslash", offset, _BACKSLASH, written, "")
                continue
            # Behind `=` the quote may open another argument's value; in a container no name tells.
            sure = bool(self._parameters) and not self._stack and before != "="
            self._note("inner-quote", offset, _QUOTE, written, f"\\{written}", is_sure=sure)
        self._reader.taken.clear()

    def _note_backslash(self, index: int) -> None:
        # A name with a backslash shows that strings have them, too.
        self.is_markdown = True
        self._note("backslash", self.base + self._shift + index, _BACKSLASH, "\\", "")

    def _name_by_position(self, text: str, position: int) -> bool:
        self._place = self.base + self._shift + position
        return super()._name_by_position(text, position)

    def _judge_object(self, *, is_lone: bool) -> None:
        """Judges an object that is the first of the arguments and has no name."""
        # Only an object that stands first and alone, as in `f({'city': 'Oslo'})`.
        if self._positional != 1 or self._given_out or not self._is_object():
            return
        keys = json.loads("".join(self._pieces)).keys()
        first, *_ = self._parameters
        types = admitted_types(self._spec.properties[first]) if self._spec is not None else None
        takes_none = types is not None and "object" not in types
        if is_lone and keys <= set(self._parameters):
            self._is_spread = True
            # Else the first parameter may want the object itself.
            is_sure = types is None or takes_none or first in keys
            self._note("lone-object", self._place, _LONE, "", "**", is_sure=is_sure)
        elif takes_none:
            self._note("lone-object", self._place, _NO_OBJECT, is_sure=False)
