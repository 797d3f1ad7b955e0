"""Closes what is open where a JSON text ends; what is undecided by then is dropped.

Example: of `{"a": 1, "b": tr` the value is `{"a": 1}`, with a repair `truncated` that replaces
`, "b": tr` by `}`; a cut string keeps the text that has arrived.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from toolgrammar.core.payloads.json.other_scalars import WORDS
from toolgrammar.core.payloads.json.tokens import as_json
from toolgrammar.core.payloads.json.typing_rules import cut_container
from toolgrammar.core.payloads.mended.state import (
    BARE_KEY,
    COLON,
    COMMENT,
    STRING,
    TEXT,
    VALUE,
    WORD,
)

if TYPE_CHECKING:
    from toolgrammar.core.payloads.mended.gaps import Gaps
    from toolgrammar.core.payloads.mended.open_string import OpenString
    from toolgrammar.core.payloads.mended.state import State
    from toolgrammar.core.payloads.mended.words import WordReader

_LONGEST: Final = len("false")


class Ending:
    """Finishes the value at the end of the text."""

    def __init__(self, state: State, string: OpenString, words: WordReader, gaps: Gaps) -> None:
        self._source = state.source
        self._state = state
        self._string = string
        self._words = words
        self._gaps = gaps
        self.truncated = False
        """Whether the text ended inside the value."""
        self.before_markup = False
        """Whether markup ended the value while brackets were open, so that closers were put in."""

    def close(self, *, closed: bool, here: bool = False) -> None:
        """Closes the value at the end of the text.

        Args:
            closed: whether a marker follows that delimits the value.
            here: whether the value ends at the current position, not at the end of the text.
        """
        source, state = self._source, self._state
        end = source.base + (source.pos if here or not source.final else len(source.text))
        cut, tail = self._end_token(closed=closed)
        if state.failure:
            return
        self.truncated = cut or not closed
        if not state.stack and not tail:
            return
        self.before_markup = not self.truncated
        in_string = state.mode == STRING
        # In `{"to": ["a",` or `{"to": [` an item was to come. What an object lacks, its schema says.
        inner = state.stack[-1] if state.stack else None
        lacks_item = inner is not None and (
            not inner.members or (state.comma is not None and not inner.is_object)
        )
        start = self._cut_from()
        tail_and_closers = tail + state.closers(0)
        state.give(tail_and_closers)
        if in_string and len(tail) > 1:
            # The edit closes the string; the schema then types it.
            tail_and_closers = as_json(tail) + state.closers(0)
        # If markup follows, the text is not cut: only the closers are missing.
        code = "truncated" if self.truncated else "bracket"
        repair = state.repair(code, start - source.base, end - source.base, join=False)
        repair.edit(start, end, tail_and_closers)
        repair.judge(doubt=repair.doubt or lacks_item)
        state.close_all(truncated=self.truncated)

    def _cut_from(self) -> int:
        """Drops what is not emitted yet; returns its first offset in the source."""
        source, state, string = self._source, self._state, self._string
        starts = [source.base + source.pos]
        if state.mode in (WORD, BARE_KEY):
            starts.append(self._words.start)
        elif state.mode == STRING and string.in_key:
            starts.append(state.key_from[1])
        elif state.mode == STRING and string.typed is not None:
            starts.append(string.start)
        elif state.mode == COMMENT:
            starts.append(self._gaps.comment_from)
        held_from = state.drop_held()
        if held_from >= 0:
            starts.append(held_from)
        string.take_typed()
        # Repairs in dropped text are dropped with it.
        for repair in state.repairs[state.kept :]:
            starts += [edit[0] for edit in repair.edits]
        state.forget_repairs(state.kept)
        return min(starts)

    def _end_token(self, *, closed: bool) -> tuple[bool, str]:
        """Ends the unfinished token; returns whether it is cut, and the text that closes it."""
        mode = self._state.mode
        if mode == WORD:
            return self._end_word(closed=closed)
        # Text without quotes is emitted already: it is closed as it is.
        if mode == TEXT:
            self._words.cut_text()
            return not closed, '"'
        if mode == STRING and not self._string.in_key:
            return True, self._end_string()
        return mode in (STRING, BARE_KEY, COLON, VALUE, COMMENT), ""

    def _end_string(self) -> str:
        """Ends a cut string; returns the text that closes it, or its typed value."""
        source, state, string = self._source, self._state, self._string
        if string.typed is None:
            state.keep_repairs()
            return '"'
        wanted = state.slot()
        found = cut_container("".join(string.typed), wanted) if wanted is not None else None
        # The string was held back to be typed, so none of it is emitted: it is dropped.
        if found is None:
            return ""
        state.forget_repairs(string.repairs_before)
        state.begin_value(string.start - source.base)
        state.note("schema-type", string.start, source.base + source.pos)
        state.keep_repairs()
        source.go(string.start - source.base)
        return found

    def _end_word(self, *, closed: bool) -> tuple[bool, str]:
        """Ends a word at the end of the text; returns what `_end_token` does."""
        state, words = self._state, self._words
        word, scalar = words.word, words.scalar()
        if state.failure:
            return True, ""
        # `12` may have been the beginning of `123`, but `true` is complete.
        number = word[:1].isdigit() or word[:1] in ("+", "-", ".")
        if scalar is not None and (closed or not number):
            words.give_scalar(scalar)
            return False, ""
        low = word.lower()
        # `New Yo` begins no literal, so it is text; `tr` may have been `true`, and is dropped.
        if scalar is None and not number and not any(each.startswith(low) for each in WORDS):
            words.begin_text()
            return self._end_token(closed=closed)
        return True, ""

    def view(self) -> str:
        """Returns the text that would close the value now; the state does not change."""
        state, found = self._state, ""
        if state.mode == TEXT or (state.mode == STRING and self._string.is_value):
            found = '"'
        return found + state.closers(0)

    def literal(self) -> tuple[str, str] | None:
        """Returns the key and the text of a literal that is complete but not delimited yet.

        None once something was mended: the word may be the beginning of text without quotes.
        """
        state = self._state
        if state.mode != WORD or not state.strict or not state.stack:
            return None
        word = self._words.word_up_to(_LONGEST)
        return (state.stack[-1].key, word) if word in ("true", "false", "null") else None
