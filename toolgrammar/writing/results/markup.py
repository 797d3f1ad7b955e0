r"""Finds text that a model or a server would read as markup in untrusted text, and breaks it.

Markup is what a format's grammar spells with brackets, what its lines begin with, what closes a
result, what begins and ends turns, and special tokens of the model: those that look like one
(`<|im_end|>`) and those that the header names. The content `a </tool_response> b` becomes `a <\/tool_response> b`.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Literal, TypeAlias

from toolgrammar.grammar.roles import LEAF_ROLES
from toolgrammar.values.patterns import compile_pattern

if TYPE_CHECKING:
    from collections.abc import Callable, Container, Iterable, Iterator, Mapping

    from toolgrammar.grammar.header import Header
    from toolgrammar.grammar.tables import Tables
    from toolgrammar.grammar.terminals import Production

Writer: TypeAlias = Literal["tool", "user", "model"]
SPECIAL = (
    r"<\|[^\s<>|]{1,64}\|>",
    r"<｜[^\s<>｜]{1,64}｜>",  # noqa: RUF001 - DeepSeek's bars
)
"""Tokens that look special, whatever the format: ChatML's, and those of DeepSeek."""
_LINE_ENDS = r"\n\r\x0b\x0c\x1c-\x1e\x85\u2028\u2029"
"""What Unicode takes for the end of a line: a model may do so, too."""
# Blanks before what begins a line do not matter to a reader.
LINE_START = rf"(?<![^{_LINE_ENDS}])[^\S{_LINE_ENDS}]*"
"""The expression of the start of a line, with the blanks there."""
BEHIND_LINE_END = f"(?<=[{_LINE_ENDS}])"
"""The expression of a place right behind the end of a line."""
_ANCHORED = "(?m:^"
_SHORTEST = 3
"""Characters of what is markup by its look; the closer of a result may be shorter."""
# How often a text is searched again for markup that other markup hid.
_PASSES = 8


class Markup:
    """The markup of one format."""

    def __init__(self, header: Header, tables: Tables, writer: Writer = "tool") -> None:
        """Finds the markup in a grammar.

        Args:
            header: the header of the grammar.
            tables: the grammar, compiled.
            writer: who wrote the texts. Users and models paste code and write about other models: in
                their texts only the format's own tokens and literals count, in those of a model none
                of its calls, which are told from text by reading them.
        """
        # In the tables a literal has a quote in front, an expression a slash.
        wire = [s[1:].strip() for p in tables.results for s in p.symbols if s.startswith('"')]
        literals = {*(t.text.strip() for t in tables.terminals), *wire}
        # Servers stop at `\n\nHuman:`, and what begins a turn is the word alone.
        stops = [text.strip() for text in header.stop]
        own = " ".join([*_tags([*literals, *stops]), *header.special])
        special = [each for each in SPECIAL if writer == "tool" or re.search(each, own)]
        tags = _tags([*(wire if writer == "model" else literals), *stops])
        marks = marks_of_turns(header.turns)
        # `<|im_start|>` alone, too: behind it stands a role, which may be one that has no turn.
        tokens = {token for mark in marks for each in SPECIAL for token in re.findall(each, mark)}
        tags.update(header.special, _closers(tables.results, {"content"}), marks, tokens)
        # A stop string without brackets, such as `Observation:`, counts only at the start of a line.
        lines = {text for text in (*stops, *wire) if len(text) >= _SHORTEST}
        # Such as a fence of code, or the bracket of a list.
        expressions = (t.pattern for t in tables.terminals) if writer == "tool" else ()
        anchored = {each for each in expressions if each.startswith(_ANCHORED)}
        self.tags = _any_of(special, tags)
        """The expression of markup that counts anywhere."""
        self._tags = compile_pattern(self.tags)
        # `">` ends a name in an attribute, and stands in every page of HTML.
        ends = _closers(tables.results, LEAF_ROLES)
        self._tags_of_names = compile_pattern(_any_of(special, {*tags, *ends}))
        self._lines = compile_pattern(
            "|".join(
                [
                    *(LINE_START + re.escape(line) for line in sorted(lines - tags)),
                    # Several patterns are joined: their named groups could bear the same name
                    # twice.
                    *(re.sub(r"\(\?P<\w+>", "(?:", pattern) for pattern in sorted(anchored)),
                ]
            )
            # Nothing begins a line in this format: an expression that never matches.
            or r"(?!)"
        )

    def find(self, text: str) -> str:
        """Returns the first markup of a text, or an empty string."""
        match = self._tags.search(text) or self._lines.search(text)
        return match[0].strip() if match else ""

    def escaped(self, text: str, escape: Callable[[str], str]) -> str:
        """Returns a text with the first character of each markup escaped."""
        for _ in range(_PASSES):
            # Where markup was hidden by other markup before it, it is found in the next pass.
            text, tags = self._tags.subn(lambda match: at(match[0], 0, escape), text)
            text, lines = self._lines.subn(lambda match: at(match[0], 0, escape), text)
            if not (tags or lines):
                break
        return text

    def broken(self, text: str, *, is_name: bool = False) -> str:
        r"""Returns a text with a visible `\` in each markup: in a tag, or before a line.

        Args:
            text: the text.
            is_name: whether it is a name or an id, which other closers end than a content.
        """
        found = self._tags_of_names if is_name else self._tags
        for _ in range(_PASSES):
            # Behind the bracket, `<\tool_call>` stays readable; a line is broken before its first
            # character.
            text, tags = found.subn(lambda match: at(match[0], 1, slash), text)
            text, lines = self._lines.subn(lambda match: at(match[0], 0, slash), text)
            if not (tags or lines):
                break
        return text


def marks_of_turns(turns: Mapping[str, str]) -> set[str]:
    """Returns what begins and ends turns: `<|user|>` and `<|end|>` of `<|user|>{content}<|end|>`."""
    parts = (part for turn in turns.values() for part in turn.split("{content}"))
    # What is shorter stands in every text.
    return {mark for part in parts if len(mark := part.strip()) >= _SHORTEST}


def at(markup: str, place: int, change: Callable[[str], str]) -> str:
    """Returns markup with one of its characters changed, counted behind white space."""
    # A tag of one character has no second one.
    place = min(place + len(markup) - len(markup.lstrip()), len(markup) - 1)
    return markup[:place] + change(markup[place]) + markup[place + 1 :]


def slash(character: str) -> str:
    r"""Returns a character with a visible `\` before it."""
    return f"\\{character}"


def _tags(literals: Iterable[str]) -> set[str]:
    """Returns the tags among some literals; of `<invoke name="` what precedes the quote."""
    # Other markup with quotes is a piece of JSON: `[{"name": "`. One or two characters, such as `[`,
    # occur in every text.
    found = (text for text in literals if text[:1] == "<" or (text[:1] == "[" and '"' not in text))
    tags = (text.partition('"')[0].rstrip() for text in found)
    return {tag for tag in tags if len(tag) >= _SHORTEST}


def _any_of(expressions: Iterable[str], texts: Iterable[str]) -> str:
    """Returns the expression of any of some expressions and texts."""
    # The longest first: `<tool_call_end>` must not be taken for `<tool_call`.
    ranked = sorted(texts, key=lambda text: (-len(text), text))
    return "|".join([*expressions, *map(re.escape, ranked)]) or r"(?!)"


def _closers(rules: Iterable[Production], played: Container[str]) -> Iterator[str]:
    """Yields the literals right after a role of a result, if one character is not all."""
    rules = list(rules)
    leaves = {production.origin for production in rules if production.role in played}
    for production in rules:
        # A closer of one character, as in `"…"`, would break every text that holds it.
        for symbol, behind in zip(production.symbols, production.symbols[1:], strict=False):
            if symbol in leaves and behind.startswith('"') and len(behind[1:].strip()) > 1:
                yield behind[1:].strip()
