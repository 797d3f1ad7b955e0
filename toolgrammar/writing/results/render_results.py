r"""Writes tool results as a format's wire text, by walking the rule `results` of its grammar.

In: the result `{"temp": 3}` of a call. Out: `<tool_response>{"temp": 3}</tool_response>`;
a closer in the result itself is written so that it closes nothing: `<\/tool_response>`.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Final, Literal, Protocol, TypeAlias

from toolgrammar.core.payloads.raw.entities import encoded
from toolgrammar.grammar.roles import JSON_LIKE, RESULTS
from toolgrammar.patterns.sample import sample
from toolgrammar.values.errors import RenderError, check_several, check_type, described
from toolgrammar.values.patterns import compile_pattern
from toolgrammar.writing.read_back import calls_in
from toolgrammar.writing.results.markup import Markup
from toolgrammar.writing.results.quoted import as_unicode
from toolgrammar.writing.results.read_results import ResultReader

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from toolgrammar.grammar.terminals import Production
    from toolgrammar.values.calls import ToolCall
    from toolgrammar.writing.read_back import Writable

OnMarkup: TypeAlias = Literal["escape", "refuse"]
"""How markup in a result is handled."""
# Breaking one call may show another: so often the text is read again.
_PASSES: Final = 8


class Answer(Protocol):
    """The result of a call, as far as writing needs it."""

    @property
    def call(self) -> ToolCall:
        """The call."""

    @property
    def content(self) -> str:
        """The text for the model."""


def render_results(
    fmt: Writable,
    results: Iterable[Answer],
    *,
    id_prefix: str = "call_",
    on_markup: OnMarkup,
    known: Iterable[str] = (),
) -> str:
    """Returns the wire text of results; "" for none.

    Args:
        fmt: the format.
        results: the results, in the order of the calls.
        id_prefix: what stands before the index in the id of a call that has none, where the
            format can't do without.
        on_markup: what becomes of markup of the format and of special tokens in a name, an id or
            a content: `escape` writes it so that it is none, `refuse` raises.
        known: the names of other tools that a content might call.

    Raises:
        RenderError: the format has no text of its own for results, can't carry these, or one of
            them holds markup that is to be refused.
    """
    rules = fmt.tables.results
    if not rules:
        raise RenderError("the format has no text of its own for tool results")
    mend = "an engine's report has them; AnsweredCall(call, content) makes one"
    check_several("results", results, "a list of results", mend)
    answers = list(results)
    for place, answer in enumerate(answers):
        if not (hasattr(answer, "call") and hasattr(answer, "content")):
            raise TypeError(
                f"results[{place}] must have a call and a content, got {described(answer)}"
            )
    check_type("id_prefix", id_prefix, str)
    if not answers:
        return ""
    markup = Markup(fmt.header, fmt.tables)
    writer = _Writer(fmt, markup, answers, id_prefix, refuses=on_markup == "refuse", known=known)
    text = writer.message()
    names = ", ".join(answer.call.name for answer in answers)[:80]
    if text is None:
        raise RenderError(f"the format has no way to write these results: {names}")
    # The law of results: what was written is read back by the same rule, each content unchanged.
    found = ResultReader(rules, markup).read(text)
    if found is None or [each.content for each in found] != writer.contents:
        what = f"they would be others: {names}; tried {text!r:.200}"
        raise RenderError(f"the format can't carry these results: {what}")
    return text


class _Writer:
    """Writes the results of one message."""

    def __init__(
        self,
        fmt: Writable,
        markup: Markup,
        answers: Sequence[Answer],
        id_prefix: str,
        *,
        refuses: bool,
        known: Iterable[str],
    ) -> None:
        self._rules: dict[str, list[Production]] = {}
        for production in fmt.tables.results:
            self._rules.setdefault(production.origin, []).append(production)
        self.contents: list[str] = []
        """The contents that were written, in their order."""
        self._fmt = fmt
        self._markup = markup
        self._refuses = refuses
        self._answers = answers
        self._names = sorted({*known, *(answer.call.name for answer in answers)})
        self._id_prefix = id_prefix
        self._written = 0
        self._answer: Answer | None = None
        self._generated = False

    def message(self) -> str | None:
        """Returns the text of all results, or None if no alternative carries them all."""
        # Formats may write one result otherwise than several, as alternatives of `results`.
        for production in self._rules[RESULTS]:
            self._written = 0
            self.contents.clear()
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
        # A role whose value is there is a leaf; a rule with `_` is structure and holds others.
        if value is not None:
            return self._fitting(productions, value)
        if not productions[0].role.startswith("_"):
            return None
        return self._first(productions)

    def _first(self, productions: Iterable[Production]) -> str | None:
        """Returns the first alternative that can be written."""
        written, contents = self._written, len(self.contents)
        for production in productions:
            text = self._symbols(production.symbols)
            if text is not None:
                return text
            self._written = written
            del self.contents[contents:]
        return None

    def _repetition(self, units: list[Production]) -> str | None:
        """Returns a repetition for as long as there are results; at least once."""
        out = []
        while self._written < len(self._answers):
            before = self._written
            text = self._first(units)
            # A round that takes no result would go on without end.
            if text is None or self._written == before:
                self._written = before
                break
            out.append(text)
        return "".join(out) if out else None

    def _result(self, productions: list[Production]) -> str | None:
        """Returns the text of the next result, by the alternative that writes most of its parts."""
        if self._written == len(self._answers):
            return None
        self._answer = self._answers[self._written]
        # More roles in the alternative mean that it says more: name and id before the name alone.
        ranked = sorted(productions, key=lambda p: -sum(s in self._rules for s in p.symbols))
        self._generated = False
        found = self._first(ranked)
        if found is None:
            # The format can't do without an id, and the call has none.
            self._generated = True
            found = self._first(ranked)
        # Counted even if nothing was found: the code that tries alternatives resets it.
        self._written += 1
        return found

    def _value(self, production: Production) -> str | None:
        """Returns what a role of the current result holds, or None if it holds nothing."""
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

    def _fitting(self, productions: Sequence[Production], value: str) -> str:
        """Returns a value as its rule writes it, without markup that a reader would fall for."""
        is_content = productions[0].role == "content"
        # A quoted string has an escape for any character, so that no content has to be broken.
        quoted = json.dumps(value, ensure_ascii=False)
        if _is_quoted(productions, value, quoted):
            text, back = self._markup.escaped(quoted, as_unicode), value
        # `&lt;` is as good as the character, where the reader decodes entities.
        elif is_content and "content" in self._fmt.header.entities:
            text = self._markup.escaped(encoded(value, quotes=False), _as_entity)
            back = text
        else:
            text = back = self._without_markup(value, is_content=is_content)
        if is_content:
            self.contents.append(back)
        return text

    def _without_markup(self, value: str, *, is_content: bool) -> str:
        """Returns raw text in which all markup is broken, or raises where it is to be refused."""
        if is_content:
            # A line end may stand after it, and some markup is a line.
            text = self._without_calls(self._markup.broken(f"{value}\n"))[:-1]
        else:
            # Names and ids end with their line.
            text = self._markup.broken(value, is_name=True).replace("\n", "\\n")
        if self._refuses and text != value:
            assert self._answer is not None
            found = self._markup.find(value) or "what reads as a call, or a line end"
            what = "content" if is_content else "call"
            raise RenderError(
                f"the {what} of the result of {self._answer.call.name!r:.80} holds markup: {found}"
            )
        return text

    def _without_calls(self, text: str) -> str:
        """Breaks what the format would read as a call: markup that needs no opener of its own."""
        for _ in range(_PASSES):
            found = calls_in(self._fmt, text, self._names)
            if not found:
                # Some formats read a call without any opener, as `search(q="x")`: no markup to
                # break.
                return text
            places = [call.span.start + 1 for call in found]
            # One character after its start, so that the name or the bracket is broken, not what
            # precedes.
            edges = zip([0, *places], [*places, len(text)], strict=True)
            text = "\\".join(text[start:end] for start, end in edges)
        raise RenderError("the format can't carry a content: it would be read as a call")

    def _made_up(self, call: ToolCall, production: Production) -> str | None:
        """Returns an id for a call without; one that holds the name looks as `render` writes it."""
        for symbol in production.symbols:
            if symbol.startswith("/") and "(?P<name>" in symbol:
                return sample(symbol[1:], {"name": call.name}, self._written)
        return f"{self._id_prefix}{self._written}"


def _as_entity(character: str) -> str:
    return f"&#{ord(character)};"


def _is_quoted(productions: Iterable[Production], value: str, quoted: str) -> bool:
    """Whether a rule reads a value between quotes alone."""
    for production in productions:
        for symbol in production.symbols:
            if symbol in JSON_LIKE:
                return True
            if symbol.startswith("/") and not compile_pattern(symbol[1:]).fullmatch(value):
                # The bare value does not fit this expression: whether it wants quotes is the
                # question.
                return bool(compile_pattern(symbol[1:]).fullmatch(quoted))
    return False
