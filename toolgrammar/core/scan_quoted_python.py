"""The arguments of one Python call whose strings may hold quotes that are not escaped."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, cast

from toolgrammar.core.python_quotes import Quotes
from toolgrammar.core.scan_python import PythonArgumentsScanner

if TYPE_CHECKING:
    from collections.abc import Sequence

    from toolgrammar.core.remembered import Remembered

_AFTER_VALUE = PythonArgumentsScanner._after_value  # noqa: SLF001 - the class above this one
_IN_WORD = PythonArgumentsScanner._in_word  # noqa: SLF001 - as above
_PLAIN = frozenset({"", "u"})
"""Prefixes of strings in which a quote can be escaped."""


class QuotedPythonScanner(PythonArgumentsScanner):
    """Reads the arguments; a quote that nothing may follow is a part of its string."""

    __slots__ = ("_quotes", "_rest", "_shift", "base", "final", "inner_quotes", "mended", "unread")

    def __init__(self, *, parameters: Sequence[str] = (), max_depth: int = 200) -> None:
        super().__init__(parameters=parameters, max_depth=max_depth)
        self._rest = ""  # a quote that waits, and what follows it so far
        self._shift = 0  # how far the text that is read begins before the one that was fed
        self._quotes = Quotes(parameters)
        self.mended = False
        self.base = 0
        """Offset in the source of the text that is fed."""
        self.final = False
        """Whether the text ends with what is fed."""
        self.inner_quotes: list[tuple[int, bool]] = []
        """Where quotes stand that are a part of a string, and whether that is sure."""
        self.unread = ""
        """What was taken before the last chunk and belongs to no argument."""

    def feed(self, text: str, position: int, out: list[str]) -> int:
        """Give the offset of the first character not consumed; safe pieces go to `out`."""
        end = super().feed(text, position, out)
        if self.final and self._rest and not self._is_over():
            return self._in_rest(text, len(text), out)  # what a quote waited for does not come
        return end

    def run_on(self) -> Remembered[str] | None:
        """Give chunks as JSON that only go on in a string which is given out, if one is open."""
        in_text = self._step is QuotedPythonScanner._in_quoted and not self._stack
        return self._reader.run_on() if in_text else super().run_on()

    @property
    def open_brackets(self) -> int:
        """How many brackets are open, with those of the arguments; 0 where a string may be."""
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
        self._reader.before = last

    def _begin_string(self, text: str, position: int, out: list[str]) -> None:
        prefix = self._word.lower()
        super()._begin_string(text, position, out)
        if not self.failed and prefix in _PLAIN:
            self._quotes = quotes = Quotes(self._parameters)
            quotes.named, quotes.nested = self._positional < 0, bool(self._stack)
            self._reader.quotes = quotes
            self._step = cast("Any", QuotedPythonScanner._in_quoted)

    # States

    def _in_quoted(self, text: str, position: int, out: list[str]) -> int:
        """Reads on in a string whose quotes are judged by what follows them."""
        reader = self._reader
        before = reader.before
        self._quotes.final = self.final
        position = super()._in_string(text, position, out)
        reader.before = text[-1]
        if reader.taken:
            self._note_quotes()
        if reader.waits:
            reader.waits = False
            reader.before = text[position - 1] if position else before
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
        if at + shift < position:
            self.unread = window[at : position - shift]
        return max(position, at + shift)

    def _is_over(self) -> bool:
        return self.done or self.failed

    def _note_quotes(self) -> None:
        """Notes the quotes that the last step took as a part of the string."""
        for place, before in self._reader.taken:
            sure = bool(self._parameters) and not self._stack and before != "="
            self.inner_quotes.append((self.base + self._shift + place, sure))
        self._reader.taken.clear()
        self.mended = True
