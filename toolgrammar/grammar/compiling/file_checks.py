"""Checks the files of a grammar before Lark reads them: what they import, use and lack.

Example: `call: "<call>" nmae` uses a name that the file does not have; the nearest is `name`.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from toolgrammar.grammar.files import grammar_folder, grammar_paths, imported_file, read_text
from toolgrammar.grammar.header_values import nearest
from toolgrammar.grammar.roles import DECLARED_TERMINALS
from toolgrammar.values.errors import raise_first

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping
    from pathlib import Path

    from toolgrammar.grammar.compiling.places import Places
    from toolgrammar.grammar.compiling.source_text import Place
    from toolgrammar.values.errors import GrammarError


def check_files(places: Places) -> None:
    """Checks that what a grammar imports and uses exists.

    Raises:
        GrammarError: a file or a name is missing, or files import each other. It is the first of
            several findings; the others are its notes.
    """
    # A name that an import lacks is not defined either: that follows, and is told later.
    raise_first(list(_imports(places)))
    raise_first([*_undefined(places), *_declared(places), *_without_start(places)])


def _imports(places: Places) -> Iterator[GrammarError]:
    """Finds imports of files and names that do not exist, and files that import each other."""
    edges: dict[Path, list[tuple[Path, Place, str]]] = {}
    for place, path, names in places.imports():
        # Without a dot, the path means Lark's own library.
        if not path.startswith("."):
            yield from _library(place, path, names_follow=bool(names))
            continue
        file = imported_file(place.file.parent, path[1:], names_follow=bool(names))
        if file is not None:
            edges.setdefault(place.file.resolve(), []).append((file.resolve(), place, path))
        shown = path.lstrip(".").replace(".", "/")
        if file is not None:
            wanted = names or ((path.rpartition(".")[2], place),)
            yield from _names(places, file, path, wanted)
        # `%import .common.text`: the last part is read as a name in `common.lark`.
        elif not names and imported_file(place.file.parent, path[1:], names_follow=True):
            message = f"`%import {path}` names a file and nothing in it"
            yield place.error("missing-import", message, f"write `%import {path} (NAME)`")
        else:
            message = f"`%import {path}` leads to no file"
            folder, _, name = shown.rpartition("/")
            near = nearest(name, [each.stem for each in grammar_paths(grammar_folder() / folder)])
            hint = (
                f"{near}looked for {shown}.lark among the shipped grammars, then beside this file"
            )
            yield place.error("missing-import", message, hint)
    yield from _circles(edges, places.files[0][0].resolve())


def _library(place: Place, path: str, *, names_follow: bool) -> Iterator[GrammarError]:
    """Finds an import without a dot, from Lark's library, that names a file that exists here."""
    if imported_file(place.file.parent, path, names_follow=names_follow) is not None:
        message = f"`%import {path}` lacks its dot: without it, the library of Lark is meant"
        yield place.error("missing-import", message, f"write `%import .{path}`")


def _circles(
    edges: Mapping[Path, list[tuple[Path, Place, str]]], main: Path
) -> Iterator[GrammarError]:
    """Finds imports that lead back to their own file.

    Args:
        edges: the imports of each file: the imported file, the place and the path.
        main: the grammar.
    """
    done: set[Path] = set()
    trail: list[Path] = [main]
    pending = [iter(edges.get(main, ()))]
    while pending:
        edge = next(pending[-1], None)
        if edge is None:
            done.add(trail.pop())
            pending.pop()
            continue
        file, place, path = edge
        # Only the files on the trail: meeting one that was finished before is not a circle.
        if file in trail:
            others = ", ".join(other.name for other in trail[trail.index(file) + 1 :])
            leads = f"leads back to {file.name} by {others}" if others else "imports its own file"
            hint = "drop it, or move what both files need into a third one"
            yield place.error("endless-import", f"`%import {path}` {leads}", hint)
        elif file not in done:
            trail.append(file)
            pending.append(iter(edges.get(file, ())))


def _names(
    places: Places, file: Path, path: str, wanted: Iterable[tuple[str, Place]]
) -> Iterator[GrammarError]:
    """Finds the names of an import that its file does not have."""
    known = places.names_in(file)
    for name, place in wanted:
        # The hint is chosen among the names of that file.
        if name not in known:
            message = f"`{path}` has no `{name}`"
            hint = f"{nearest(name, known)}it has {', '.join(sorted(known))}"
            yield place.error("missing-import", message, hint)


def _undefined(places: Places) -> Iterator[GrammarError]:
    """Finds names that are used and neither defined, declared nor imported."""
    for place, name, known in places.undefined():
        hint = _home_of(name)
        if name in ("r", "re"):
            hint = "an expression stands between slashes alone: `/[a-z]+/`"
        elif not hint:
            hint = f"{nearest(name, [*known, *DECLARED_TERMINALS])}define `{name}`, or import it"
        yield place.error("undefined-name", f"`{name}` is used and not defined", hint)


def _declared(places: Places) -> Iterator[GrammarError]:
    """Finds declared names that are no names of terminals."""
    for place, name in places.declared():
        if not name.isupper():
            hint = f"{nearest(name, DECLARED_TERMINALS)}rules are defined, not declared: `name: …`"
            message = f"`{name}` is declared, and is no terminal"
            yield place.error("undeclared-terminal", message, hint)


def _home_of(name: str) -> str:
    """Returns the hint for a declared terminal; "" for another name."""
    if name not in DECLARED_TERMINALS:
        return ""
    # A forgotten declared terminal is more likely than a forgotten one of the author's own.
    for path in grammar_paths(grammar_folder() / "common"):
        if re.search(rf"(?m)^%declare\b.*\b{name}\b", read_text(path)):
            return f"write `%import .common.{path.stem} ({name})`"
    return f"write `%declare {name}`"


def _without_start(places: Places) -> Iterator[GrammarError]:
    """Finds a format, or a library that is compiled as one, without the rule for a message."""
    if "start" not in places.names_in(places.files[0][0]):
        message = "there is no rule `start`, which is the whole message"
        hint = "write `start: (TEXT | call)*`, and import TEXT"
        yield places.start().error("missing-start", message, hint)
