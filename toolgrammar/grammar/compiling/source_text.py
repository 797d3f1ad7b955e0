"""Splits one grammar file into tokens and statements, which keep their places.

Example: `name: /[a-z]+/` is a definition of `name` whose body is one token, an expression.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, NamedTuple

from toolgrammar.values.errors import GrammarError
from toolgrammar.values.patterns import late

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

CHANGES = frozenset({"%override", "%extend"})
"""The directives that change what another file defines."""

# Comments come first, and `//` is never an empty expression.
_TOKEN = late(
    r"""
    (?P<comment>//[^\n]*|\#[^\n]*)
    |(?P<regexp>/(?!/)(?:\\/|\\\\|[^/])*?/[imslux]*)
    |(?P<string>"(?:\\"|\\\\|[^"\n])*?"i?)
    |(?P<directive>%[a-z]+)
    |(?P<name>[A-Za-z_]\w*)
    |(?P<line>\n)
    |(?P<mark>->|[^\s])
    """,
    re.VERBOSE,
)
_MODIFIERS = frozenset("!?")
_BEFORE_COLON = late(r"(?:\{[^{}\n]*\})?(?:\.[+-]?\d+)?[ \t]*:")


class Place(NamedTuple):
    """A place in a grammar file."""

    file: Path
    line: int
    """From 1."""
    column: int
    """From 1, in characters."""

    def error(self, code: str, message: str, hint: str) -> GrammarError:
        """Returns the error that points here."""
        return GrammarError(
            message,
            file=str(self.file),
            line=self.line,
            column=self.column,
            hint=hint,
            code=code,
        )


class Token(NamedTuple):
    """A word, a literal, an expression or a mark of the file."""

    kind: str
    text: str
    offset: int


class Definition(NamedTuple):
    """A rule or a terminal: its name, and the tokens after the colon."""

    name: Token
    body: tuple[Token, ...]
    parameters: frozenset[str]
    """The parameters of a template."""

    def uses(self) -> Iterator[Token]:
        """Returns the names in the body, without aliases and parameters."""
        before = self.name
        for token in self.body:
            if token.kind == "name" and before.text != "->" and token.text not in self.parameters:
                yield token
            before = token


class SourceText:
    """One file, split into tokens."""

    def __init__(self, path: Path, module: str, text: str) -> None:
        self.path = path
        self.module = module.removesuffix(".lark").replace("/", "__")
        self.text = text
        self.tokens = tuple(_tokens(text))
        self.definitions = tuple(self._definitions())

    def place(self, offset: int) -> Place:
        """Returns the line and the column of an offset."""
        line = self.text.count("\n", 0, offset) + 1
        return Place(self.path, line, offset - self.text.rfind("\n", 0, offset))

    def statements(self) -> Iterator[list[Token]]:
        """Returns the tokens between line ends; a line that begins with `|` is a continuation."""
        statement: list[Token] = []
        first = True
        for token in self.tokens:
            if token.kind == "line":
                first = True
                continue
            # A line that begins with `|` adds an alternative to the rule above it.
            if first and token.text != "|" and statement:
                yield statement
                statement = []
            first = False
            statement.append(token)
        if statement:
            yield statement

    def brought(self) -> Iterator[Token]:
        """Yields the names that the file declares or imports."""
        for statement in self.statements():
            if statement[0].text == "%declare":
                yield from (token for token in statement if token.kind == "name")
            elif statement[0].text == "%import":
                # Without brackets it is the last part of the path, or the name behind `->`.
                names = [t for t in statement[names_begin(statement) :] if t.kind == "name"]
                yield from names or statement[-1:]

    def _definitions(self) -> Iterator[Definition]:
        """Yields the rules and terminals that the file defines."""
        for statement in self.statements():
            # `?name: …` or `%override name: …`: the tokens before the name are dropped.
            head = [token for token in statement if token.text not in _MODIFIERS]
            if head and head[0].text in CHANGES:
                head = head[1:]
            if head and head[0].kind == "name":
                end = head[0].offset + len(head[0].text)
                # `name{parameters}.2:` has a template's parameters and a priority before the colon.
                if match := _BEFORE_COLON.match(self.text, end):
                    body = tuple(token for token in statement if token.offset >= match.end())
                    braces = (t.text for t in head[1:] if t.offset < match.end())
                    yield Definition(head[0], body, frozenset(braces))


def names_begin(statement: list[Token]) -> int:
    """Returns where the names of an import begin: at its bracket or `->`, else at its end."""
    # `%import .common.text.TEXT` has its only name in the path.
    return next(
        (at for at, token in enumerate(statement) if token.text in ("(", "->")), len(statement)
    )


def _tokens(text: str) -> Iterator[Token]:
    for match in _TOKEN.finditer(text):
        kind = match.lastgroup
        assert kind is not None
        if kind != "comment":
            yield Token(kind, match[0], match.start())
