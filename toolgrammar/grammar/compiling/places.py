"""Finds the places of rules, terminals and literals in a grammar file and its imports.

Lark's compiled rules no longer have their places. Example: `common__json__name` is the rule `name`
of the file `common/json.lark`.
"""

from __future__ import annotations

import itertools
import re
from typing import TYPE_CHECKING

from toolgrammar.grammar import files
from toolgrammar.grammar.compiling.source_text import CHANGES, Place, SourceText, names_begin
from toolgrammar.grammar.roles import bare_name
from toolgrammar.values.patterns import late

if TYPE_CHECKING:
    from collections.abc import Callable, Container, Iterator
    from pathlib import Path

    from toolgrammar.grammar.compiling.source_text import Definition, Token

_HELPER = late(r"__(?P<owner>\w+?)_(?:star|plus|repeat|opt|maybe|anon)\w*_\d+")


class Places:
    """The places in a grammar and all that it imports."""

    def __init__(self, path: Path) -> None:
        """Parses a grammar and its imports."""
        self._texts = [
            SourceText(file, module, _text_of(file)) for module, file in files.grammar_files(path)
        ]

    @property
    def files(self) -> list[tuple[Path, str]]:
        """The files and their texts, the grammar itself first."""
        return [(text.path, text.text) for text in self._texts]

    def at(self, file: Path, line: int, column: int) -> Place:
        """Returns a place whose line and column are known."""
        return Place(file, line, max(1, column))

    def start(self) -> Place:
        """Returns the place of the first rule of the grammar, or its end if it has none."""
        main = self._texts[0]
        offset = main.definitions[0].name.offset if main.definitions else len(main.text)
        return main.place(offset)

    def definition(self, symbol: str) -> Place | None:
        """Returns the place where a rule or a terminal is defined, by the name that Lark gave it.

        Args:
            symbol: the name; one that an import, a repetition or a template changed is found, too.
        """
        found = self._find(symbol)
        if found is None:
            return None
        text, definition = found
        return text.place(definition.name.offset)

    def twice(self, name: str) -> Place | None:
        """Returns the second definition of a name, or the definition of an imported name."""
        for text in self._texts:
            same = [d for d in text.definitions if d.name.text == bare_name(name)]
            # Lark reports no place: the second one is more likely to be the mistake.
            if len(same) > 1:
                return text.place(same[1].name.offset)
        return self.definition(name)

    def use(self, name: str, within: str = "") -> Place | None:
        """Returns the place of the first use of a name, in one rule or anywhere.

        A use in a rule takes precedence over one in a directive.
        """
        bare = bare_name(name)
        for text, _, token in self._bodies(within):
            if token.text == bare:
                return text.place(token.offset)
        return self._first("name", lambda written: written == bare)

    def held_in_terminal(self, names: Container[str]) -> tuple[Place, str, str] | None:
        """Returns the first of some names that a terminal holds: its place, the terminal, the name."""
        for text, definition, token in self._bodies():
            holder = definition.name.text
            if holder.isupper() and token.kind == "name" and token.text in names:
                return text.place(token.offset), holder, token.text
        return None

    def changed(self, name: str) -> Place | None:
        """Returns the place where `%override` or `%extend` names a rule or a terminal."""
        for text in self._texts:
            for token, following in itertools.pairwise(text.tokens):
                if token.text in CHANGES and following.text == bare_name(name):
                    return text.place(following.offset)
        return None

    def written(self, raw: str, offset: int = -1, within: str = "") -> Place | None:
        """Returns the place of a literal or a regular expression, or of an offset in it."""
        for text, _, token in self._bodies(within):
            if token.text == raw:
                return self._inside(text, token, offset)
        return None

    @staticmethod
    def _inside(text: SourceText, token: Token, offset: int) -> Place:
        # After the quote or slash that opens the token.
        inside = min(offset + 1, len(token.text) - 1) if offset >= 0 else 0
        return text.place(token.offset + inside)

    def in_terminal(self, name: str, offset: int = -1) -> Place | None:
        """Returns the place of an offset in the expression of a terminal, or of its name."""
        found = self._find(name)
        if found is None:
            return None
        text, definition = found
        # Only in a definition of a single expression does its offset correspond to the file.
        if len(definition.body) == 1 and definition.body[0].kind == "regexp":
            return self._inside(text, definition.body[0], offset)
        return text.place(definition.name.offset)

    def directive(self, name: str) -> Place | None:
        """Returns the place of the first directive such as `%ignore`."""
        return self._first("directive", lambda written: written == name)

    def imports(self) -> Iterator[tuple[Place, str, tuple[tuple[str, Place], ...]]]:
        """Lists the imports: the place of the path, the path, and the names with their places."""
        for text in self._texts:
            for statement in text.statements():
                if statement[0].text != "%import" or len(statement) < 2:
                    continue
                to = names_begin(statement)
                path = "".join(token.text for token in statement[1:to])
                names = tuple(
                    (token.text, text.place(token.offset))
                    for token in statement[to:]
                    if token.kind == "name" and statement[to].text == "("
                )
                yield text.place(statement[1].offset), path, names

    def rules(self) -> list[tuple[str, Place]]:
        """Lists the rules that the grammar itself defines, with their places."""
        main = self._texts[0]
        return [
            (each.name.text, main.place(each.name.offset))
            for each in main.definitions
            # Lark distinguishes rules and terminals by their case alone.
            if not each.name.text.isupper()
        ]

    def names_in(self, file: Path) -> frozenset[str]:
        """Lists the names that a file defines, declares or imports."""
        text = next(text for text in self._texts if text.path == file)
        return frozenset(
            [*(each.name.text for each in text.definitions), *(t.text for t in text.brought())]
        )

    def declared(self) -> Iterator[tuple[Place, str]]:
        """Lists the names that the files declare, with their places."""
        for text in self._texts:
            for statement in text.statements():
                for token in statement[1:] if statement[0].text == "%declare" else ():
                    yield text.place(token.offset), token.text

    def undefined(self) -> Iterator[tuple[Place, str, frozenset[str]]]:
        """Lists the names that their file lacks, at their first use, with those that it has."""
        for text in self._texts:
            known = self.names_in(text.path)
            seen = set(known)
            for token in (token for each in text.definitions for token in each.uses()):
                if token.text not in seen:
                    seen.add(token.text)
                    yield text.place(token.offset), token.text, known

    def unused(self, roots: Container[str]) -> Iterator[tuple[Place, str]]:
        """Lists what the grammar defines, declares or imports and does not use, with its place.

        Args:
            roots: the names from which reading and writing begin.
        """
        main = self._texts[0]
        used = {each.name.text: {token.text for token in each.uses()} for each in main.definitions}
        names = [*(each.name for each in main.definitions), *main.brought()]
        # What an import is changed by is used by the file that it comes from.
        reached = {t.text for t in names if t.text in roots or self.changed(t.text) is not None}
        pending = [*reached]
        while pending:
            found = used.get(pending.pop(), set()) - reached
            reached |= found
            pending += found
        lost = {token.text for token in names} - reached
        # A rule that only an unused one leads to needs no finding of its own.
        inner = {name for each in lost for name in used.get(each, ()) if name != each}
        for token in names:
            if token.text in (lost - inner or lost):
                yield main.place(token.offset), token.text

    def holding(self, part: str) -> Place | None:
        """Returns the place of the literal that contains a text as it is spelled."""
        return self._first("string", lambda written: part in written)

    def matching(self, pattern: str) -> Place | None:
        """Returns the place of the first text that an expression matches."""
        found = ((text, re.search(pattern, text.text)) for text in self._texts)
        return next((text.place(match.start()) for text, match in found if match), None)

    def continued(self, file: Path, line: int) -> Place | None:
        """Returns the place of a line that continues a rule without `|`, if there is one."""
        text = next(text for text in self._texts if text.path == file)
        before: list[Token] = []
        for statement in text.statements():
            first = text.place(statement[0].offset)
            # Lark reports the line where it failed, which may be inside a statement.
            if first.line <= line <= text.place(statement[-1].offset).line:
                named = any(d.name.offset == statement[0].offset for d in text.definitions)
                goes_on = bool(before) and not before[0].text.startswith("%")
                # As `"<a>" name` in the line below `call: "<b>" name`: the `|` before it is
                # missing.
                if not named and goes_on and statement[0].kind in ("name", "string", "regexp"):
                    return first
                # The rule before ends with `|`, so its last alternative is missing.
                if named and before and before[-1].text == "|":
                    return text.place(before[-1].offset)
                return None
            before = statement
        return None

    def _find(self, symbol: str) -> tuple[SourceText, Definition] | None:
        """Finds a definition: in the file of the name's prefix, else in the first."""
        # `__call_star_0` is a part of the rule `call`.
        if helper := _HELPER.fullmatch(symbol):
            symbol = helper["owner"]
        bare = bare_name(symbol)
        prefix = symbol.removesuffix(bare).strip("_")
        ordered = sorted(
            self._texts, key=lambda text: not (prefix and text.module.endswith(prefix))
        )
        for text in ordered:
            for definition in text.definitions:
                # With its prefix, too: the author's own names may contain `__`, as those of
                # imports do.
                if definition.name.text in (bare, symbol):
                    return text, definition
        return None

    def _bodies(self, within: str = "") -> Iterator[tuple[SourceText, Definition, Token]]:
        """Yields the tokens of all definitions; first, once more, those of one rule if it is given.

        The same name or literal may be in many rules, of which Lark named this one.
        """
        found = self._find(within) if within else None
        every = [(text, each) for text in self._texts for each in text.definitions]
        for text, definition in every if found is None else (found, *every):
            for token in definition.body:
                yield text, definition, token

    def _first(self, kind: str, is_meant: Callable[[str], bool]) -> Place | None:
        """Returns the place of the first token of a kind whose text is meant."""
        for text in self._texts:
            for token in text.tokens:
                if token.kind == kind and is_meant(token.text):
                    return text.place(token.offset)
        return None


def _text_of(file: Path) -> str:
    try:
        return files.read_text(file)
    except UnicodeDecodeError as error:
        message = f"byte {error.start} is not UTF-8"
        raise Place(file, 1, 1).error("encoding", message, "save the grammar as UTF-8") from None
