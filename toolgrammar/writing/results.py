"""Writes tool results as a format's wire text, by walking the rule `results` of its grammar."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Protocol

from toolgrammar.core.result_rules import RESULTS
from toolgrammar.core.roles import JSON_LIKE
from toolgrammar.core.sample import sample
from toolgrammar.values.errors import RenderError
from toolgrammar.values.patterns import compile_pattern

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from toolgrammar.core.tables import Production
    from toolgrammar.values.calls import ToolCall
    from toolgrammar.writing.render import Writable


class Answer(Protocol):
    """The result of a call, as far as writing needs it."""

    @property
    def call(self) -> ToolCall:
        """The call."""

    @property
    def content(self) -> str:
        """What the model is told."""


def render_results(fmt: Writable, results: Iterable[Answer], *, id_prefix: str = "call_") -> str:
    """Gives the wire text of results; "" for none.

    Args:
        fmt: the format.
        results: the results, in the order of the calls.
        id_prefix: what stands before the index in the id of a call that has none, where the
            format can't do without.

    Raises:
        RenderError: the format has no text of its own for results.
    """
    rules = fmt.tables.results
    if not rules:
        raise RenderError("the format has no text of its own for tool results")
    answers = list(results)
    text = _Writer(rules, answers, id_prefix).message() if answers else ""
    if text is None:
        names = ", ".join(answer.call.name for answer in answers)[:80]
        raise RenderError(f"the format has no way to write these results: {names}")
    return text


class _Writer:
    """Writes the results of one message."""

    def __init__(
        self, rules: Iterable[Production], answers: Sequence[Answer], id_prefix: str
    ) -> None:
        self._rules: dict[str, list[Production]] = {}
        for production in rules:
            self._rules.setdefault(production.origin, []).append(production)
        self._answers = answers
        self._id_prefix = id_prefix
        self._written = 0
        self._answer: Answer | None = None
        self._generated = False

    def message(self) -> str | None:
        """Gives the text of all results, or None where no alternative carries them all."""
        for production in self._rules[RESULTS]:
            self._written = 0
            text = self._symbols(production.symbols)
            if text is not None and self._written == len(self._answers):
                return text
        return None

    def _symbols(self, symbols: Sequence[str]) -> str | None:
        out = []
        for symbol in symbols:
            text = self._symbol(symbol)
            if text is None:
                return None
            out.append(text)
        return "".join(out)

    def _symbol(self, symbol: str) -> str | None:
        if symbol.startswith('"'):
            return symbol[1:]
        if symbol.startswith("/"):
            return sample(symbol[1:])
        productions = self._rules.get(symbol)
        if productions is None:
            return None  # a payload outside of a role: nothing to write there
        if any(symbol in production.symbols for production in productions):
            return self._repetition([p for p in productions if symbol not in p.symbols])
        if productions[0].role == "result":
            return self._result(productions)
        value = self._value(productions[0])
        if value is not None:
            return _fitting(productions, value)
        if not productions[0].role.startswith("_"):
            return None
        return self._first(productions)

    def _first(self, productions: Iterable[Production]) -> str | None:
        """Gives the first alternative that can be written."""
        before = self._written
        for production in productions:
            self._written = before
            text = self._symbols(production.symbols)
            if text is not None:
                return text
        return None

    def _repetition(self, units: list[Production]) -> str | None:
        """Gives a repetition for as long as there are results; at least once."""
        out = []
        while self._written < len(self._answers):
            before = self._written
            text = self._first(units)
            if text is None or self._written == before:
                self._written = before
                break
            out.append(text)
        return "".join(out) if out else None

    def _result(self, productions: list[Production]) -> str | None:
        """Gives the next result, by the alternative that tells most of it."""
        if self._written == len(self._answers):
            return None
        self._answer = self._answers[self._written]
        ranked = sorted(productions, key=lambda p: -sum(s in self._rules for s in p.symbols))
        self._generated = False
        found = self._first(ranked)
        if found is None:
            # The format can't do without an id, and the call has none.
            self._generated = True
            found = self._first(ranked)
        self._written += 1
        return found

    def _value(self, production: Production) -> str | None:
        """Gives what a role of the current result holds, or None where it holds nothing."""
        if self._answer is None:
            return None
        call = self._answer.call
        match production.role:
            case "name":
                return call.name
            case "content":
                return self._answer.content
            case "id":
                return call.id or (self._made_up(call, production) if self._generated else None)
            case "input":
                # The line that the call was written on; a body below it is not repeated.
                return (call.input or "").partition("\n")[0] or None
            case _:
                return None

    def _made_up(self, call: ToolCall, production: Production) -> str | None:
        """Gives an id for a call without; one that holds the name looks as `render` writes it."""
        for symbol in production.symbols:
            if symbol.startswith("/") and "(?P<name>" in symbol:
                return sample(symbol[1:], {"name": call.name}, self._written)
        return f"{self._id_prefix}{self._written}"


def _fitting(productions: Iterable[Production], value: str) -> str:
    """Gives a value as its rule writes it: between quotes only where it is a JSON string."""
    quoted = json.dumps(value, ensure_ascii=False)
    for production in productions:
        for symbol in production.symbols:
            if symbol in JSON_LIKE:
                return quoted
            if symbol.startswith("/") and not compile_pattern(symbol[1:]).fullmatch(value):
                return quoted if compile_pattern(symbol[1:]).fullmatch(quoted) else value
    return value
