"""Defines the terminals and rules of a compiled grammar, as plain data.

A terminal is one token or payload of a format: `<tool_call>` is a literal, `JSON_OBJECT` a payload.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from toolgrammar.grammar import roles
from toolgrammar.grammar.roles import MISSPELT
from toolgrammar.patterns import fences, heredocs
from toolgrammar.patterns.partial import partial

if TYPE_CHECKING:
    from collections.abc import Sequence

    from toolgrammar.grammar.header import Header

ANY_TOOL = "*"
"""The placeholder for the name of the only known tool."""

_EXPRESSIONS = {
    roles.COUNT_TERMINAL: "[0-9]+",
    roles.FENCE_TERMINAL: fences.OPENING,
    roles.MARK_TERMINAL: heredocs.OPENING,
}
"""The expressions of declared terminals that are no payloads and repeat nothing."""

TURN_ROLES = (("observation", ""), ("answer", ""))
"""The roles of terminals that begin another turn; they have no text of their own."""


class Terminal(NamedTuple):
    """A terminal of the grammar, as the driver uses it."""

    name: str
    """The name in the grammar, without the prefix of an import."""
    kind: str
    """`literal`, `regex`, `payload`, `same` or `tool`."""
    text: str
    """A literal as written, with white space at its edges; "" for other kinds."""
    pattern: str
    """The regular expression that reads it; "" for declared terminals."""
    partial: str
    """The regular expression of its proper beginnings; "" if there is none."""
    priority: int = 0
    groups: tuple[tuple[str, str], ...] = ()
    """Named groups that fill a role: pairs of group name in `pattern` and role."""
    marks: tuple[str, ...] = ()
    """The header's options of a declared terminal: the quotes of its strings, or the text before
    its tags. For a literal: a part of it and the other spellings of that part."""
    constants: tuple[tuple[str, str], ...] = ()
    """Roles that the header fills at this terminal, with their texts; the text `*` of a
    name is the only known tool."""
    length: int = 0
    """The length of the expression before its repeats were bounded, if any were: of two
    terminals that match, the longer expression wins."""

    @property
    def holds_name(self) -> bool:
        """Whether a named group of the pattern has the name of the call."""
        return any(role == "name" for _, role in self.groups)

    def with_header(self, header: Header) -> Terminal:
        """Returns the terminal with the options of a header."""
        said = (("name", header.names), ("key", header.keys), (MISSPELT, header.misspelt))
        constants = tuple((role, texts[self.name]) for role, texts in said if self.name in texts)
        # `observation` and `answer` list terminals; the other keys map them to texts.
        constants += tuple(each for each in TURN_ROLES if self.name in getattr(header, each[0]))
        # Other spellings of a part are allowed in every literal that contains it.
        is_alike = self.kind == "literal" and header.alike and header.alike[0] in self.text
        marks = header.alike if is_alike else header.marks_of(self.name)
        return self._replace(marks=marks, constants=constants)

    def fills(self, tools: Sequence[str]) -> tuple[tuple[str, str], ...]:
        """Returns the roles that it fills without text, with the only known tool inserted."""
        if ("name", ANY_TOOL) not in self.constants:
            return self.constants
        # Without a tool the name is "": a diagnostic reports that the call has none.
        known = tools[0] if tools else ""
        return tuple((r, known if r == "name" else text) for r, text in self.constants)

    def is_read(self, tools: Sequence[str]) -> bool:
        """Whether the tool that it represents is known; otherwise it is never read.

        Without names of tools, which most formats do not need, any tool may be known.
        """
        if ("name", ANY_TOOL) in self.constants:
            return len(tools) == 1
        return not tools or all(name in tools for role, name in self.constants if role == "name")

    @property
    def rank(self) -> int:
        """The length by which terminals of a kind are ordered."""
        return self.length or len(self.pattern)

    @property
    def is_fence(self) -> bool:
        """Whether it is the declared terminal that opens a block of code."""
        return self.pattern == fences.OPENING

    @property
    def is_mark(self) -> bool:
        """Whether it is the declared terminal that determines which line ends a payload."""
        return self.name == roles.MARK_TERMINAL and self.pattern == heredocs.OPENING

    @property
    def lead(self) -> str:
        """The white space that a literal begins with."""
        return self.text[: len(self.text) - len(self.text.lstrip())]

    @property
    def sample_start(self) -> str:
        """The character with which it begins, if that is fixed and not a word character."""
        # `\`, `(` and `[` are syntax of the expression, not text that it matches.
        first = (self.text.strip() or self.pattern)[:1]
        return first if first and not first.isalnum() and first not in '(\\[^"' else ""

    @property
    def trail(self) -> str:
        """The white space that a literal ends with."""
        return self.text[len(self.text.rstrip()) :]


def declared(name: str) -> Terminal | None:
    """Returns the terminal that a grammar only declares, or None if no scanner reads this name.

    Example: `%declare COUNT` gives an expression of digits, `%declare JSON_OBJECT` a payload.
    """
    expression = _EXPRESSIONS.get(name)
    if expression is not None:
        return Terminal(name, "regex", "", expression, partial(expression) or "")
    # The text that it repeats is known only while a message is read: it has no expression here.
    if name in roles.SAME_TERMINALS:
        return Terminal(name, "same", "", "", "")
    if name == roles.TOOL_TERMINAL:
        return Terminal(name, "tool", "", "", "")
    return Terminal(name, "payload", "", "", "") if name in roles.PAYLOAD_TERMINALS else None


class Production(NamedTuple):
    """A rule with its white-space literals, for writing."""

    origin: str
    role: str
    symbols: tuple[str, ...]
