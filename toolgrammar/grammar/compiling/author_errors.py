"""Translates Lark's errors about a grammar into the words of its author, at the right place.

Example: `Rule 'cal' used but not defined (in rule start)` becomes an error at that use, with a
hint.
"""

from __future__ import annotations

import difflib
import re
from typing import TYPE_CHECKING

from toolgrammar.grammar.files import imported_file
from toolgrammar.grammar.roles import DECLARED_TERMINALS, bare_name
from toolgrammar.values.patterns import late

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from pathlib import Path

    from toolgrammar.grammar.compiling.places import Place, Places
    from toolgrammar.values.errors import GrammarError

GUIDE = "docs/writing-a-format.md says how a grammar is written"
_OTHER_MARK = late(r"\s*([A-Za-z_]\w*)\s*(:{0,2}=)")
_MIXED = late(r"\s*(?=\w*[a-z])(?=\w*[A-Z])\w+\s*(?:\.\d+)?:")
_GOES_ON = "a rule goes on in the next line only behind a `|`; write it in one line"
_QUOTED = late(r"['`\"](\w+)['`\"]|\b(\w+)\)?$")

# A pattern for Lark's message, how its place is found, our code, message and hint; `{0}` is the
# first name in Lark's message.
_KNOWN: tuple[tuple[str, str, str, str, str], ...] = (
    (
        r"(?:Rule|Terminal|Template) '(\w+)' used but not defined \(in \w+ (\w+)\)",
        "use",
        "undefined-name",
        "`{0}` is used and not defined",
        "",
    ),
    (
        r"(?:Rule|Terminal) '(\w+)' defined more than once",
        "twice",
        "defined-twice",
        "`{0}` is defined a second time",
        "join both with `|`, or rename one",
    ),
    (
        r"Using an undefined rule: NonTerminal\('(start)'\)",
        "start",
        "missing-start",
        "there is no rule `start`, which is the whole message",
        "write `start: (TEXT | call)*`, and import TEXT",
    ),
    (
        r"Rules aren't allowed inside terminals \(NonTerminal\('(\w+)'\) in (\w+)\)",
        "use",
        "rule-in-terminal",
        "the terminal `{1}` holds the rule `{0}`; terminals hold only terminals",
        "write `{1}` in lower case as a rule, or `{0}` in capitals as a terminal",
    ),
    (
        r"Recursion in terminal '(\w+)'",
        "define",
        "endless-terminal",
        "the terminal `{0}` holds itself",
        "only rules may; write it in lower case, or use `+` and `*`",
    ),
    (
        r"Rule (\w+) is marked for expansion .*alias=(\w+)",
        "define",
        "alias-in-part",
        "`{0}` begins with `_` and has no meaning, so no `-> {1}` may stand in it",
        "name the rule `{1}`, or put the alias into the rule that uses it",
    ),
    (
        r"Rules defined twice: \s*\* <(\w+)",
        "define",
        "same-alternative",
        "two alternatives of `{0}` are the same once `[]` and `?` are written out",
        "drop one of them, or make only one of them optional",
    ),
    (
        r"Terminals cannot be empty \((\w+)\)",
        "define",
        "empty-terminal",
        "the terminal `{0}` has no pattern",
        "give it a literal or an expression, or `%declare` a declared terminal",
    ),
    (
        r"Empty terminals are not allowed \((.+)\)",
        "written",
        "empty-terminal",
        "{0} is a literal without a character",
        "drop it, or make the rule optional: `[…]`",
    ),
    (
        r"Aliasing not allowed in terminals",
        "none",
        "alias-in-terminal",
        "a terminal has an alias `->`; only the alternatives of a rule have one",
        "move the alias to the rule that uses the terminal",
    ),
    (
        r"Symbol already defined|Cannot import '(\w+)'",
        "use",
        "defined-twice",
        "`{0}` is imported a second time",
        "import it once",
    ),
    (
        r"(?:Cannot override a nonexisting rule|Can't extend rule) (\w+)",
        "changed",
        "not-imported",
        "`{0}` is to be changed, and this file does not import it",
        "name it in the import, beside the rules that use it: `%import .other_format (start, {0})`",
    ),
    (
        r"Nothing was imported from grammar",
        "none",
        "missing-import",
        "an import names nothing",
        "write `%import .common.text (TEXT)`",
    ),
    (
        r"Inlined rules \(_rule\) cannot use the \?rule modifier",
        "none",
        "modifier",
        "a rule begins with `?_`; a part with `_` is inlined already",
        "drop the `?`",
    ),
)


def syntax_error(
    places: Places, file: Path, line: int, column: int, token: str | None
) -> GrammarError:
    """Returns the error for a line that is not a statement of a grammar.

    Args:
        places: the places in the grammar.
        file: the file.
        line: the line that can't be read.
        column: the column in it.
        token: the token there, or None if there is no token.
    """
    # `call = …` or `call ::= …`, as other notations write a rule.
    if (mark := _OTHER_MARK.match(_line_of(places, file, line))) is not None:
        message = f"found `{mark[2]}` behind the name `{mark[1]}`"
        hint = "a rule reads `name: …` and a terminal `NAME: …`"
        return places.at(file, line, mark.start(2) + 1).error("syntax", message, hint)
    # Before the token is examined: if a line begins wrongly, Lark reports a token of it that
    # may be right.
    if (goes_on := places.continued(file, line)) is not None:
        message = "this line goes on with the rule before it and does not say so"
        return goes_on.error("unmarked-line", message, _GOES_ON)
    place = places.at(file, line, column)
    whole = _line_of(places, file, line)
    # Lark's lexer found no token: often something is not closed.
    if token is None:
        # As much of the line as fits into a message.
        shown = whole[column - 1 : column + 20]
        if shown.startswith(('"', "'")):
            hint = 'a literal stands between `"` in one line; a line end in it is written `\\n`'
        elif shown.startswith(("/", "\\")):
            hint = "an expression stands between `/`; a slash in it is written `\\/`"
        else:
            hint = "a rule reads `name: …` and a terminal `NAME: …`"
        return place.error("syntax", f"found `{shown}`, which is no part of a grammar", hint)
    # The line end itself is the token where something is missing.
    if not token.strip():
        message = "the line ends too early"
        hint = "close what is open: `(`, `[`; a rule reads `name: …` and a terminal `NAME: …`"
        if whole.lstrip().startswith("%import"):
            hint = "an import reads `%import .common.text (TEXT)`"
        return place.error("syntax", message, hint)
    message = f"found `{token}`, which can't stand here"
    hint = "a rule reads `name: …`; alternatives stand behind `|`"
    if _MIXED.match(whole):
        hint = "the name of a rule has lower-case letters, that of a terminal capitals"
    return place.error("syntax", message, hint)


def too_deep(places: Places) -> GrammarError:
    """Returns the error for a grammar whose brackets nest deeper than Lark supports."""
    hint = "name its inner parts as rules of their own, `_part: …`"
    return places.start().error("too-deep", "a rule nests too deeply", hint)


def _line_of(places: Places, file: Path, line: int) -> str:
    text = next(text for path, text in places.files if path == file)
    return [*text.split("\n"), ""][line - 1]


def check_imports(places: Places) -> None:
    """Checks that the files and names of imports exist.

    Raises:
        GrammarError: a file, or a name in it, is missing, or files import each other.
    """
    edges: dict[Path, list[tuple[Path, Place, str]]] = {}
    for place, path, names in places.imports():
        # Without a dot, the path means Lark's own library.
        if not path.startswith("."):
            _check_library(place, path, names_follow=bool(names))
            continue
        file = imported_file(place.file.parent, path[1:], names_follow=bool(names))
        if file is not None:
            edges.setdefault(place.file.resolve(), []).append((file.resolve(), place, path))
        shown = path.lstrip(".").replace(".", "/")
        if file is not None:
            wanted = names or ((path.rpartition(".")[2], place),)
            _check_names(places, file, path, wanted)
        # `%import .common.text`: the last part is read as a name in `common.lark`.
        elif not names and imported_file(place.file.parent, path[1:], names_follow=True):
            message = f"`%import {path}` names a file and nothing in it"
            raise place.error("missing-import", message, f"write `%import {path} (NAME)`")
        else:
            message = f"`%import {path}` leads to no file"
            hint = f"looked for {shown}.lark among the shipped grammars, then beside this file"
            raise place.error("missing-import", message, hint)
    _check_circles(edges, places.files[0][0].resolve())


def _check_library(place: Place, path: str, *, names_follow: bool) -> None:
    """Raises if an import without a dot, from Lark's library, names a file that exists here."""
    if imported_file(place.file.parent, path, names_follow=names_follow) is not None:
        message = f"`%import {path}` lacks its dot: without it, the library of Lark is meant"
        raise place.error("missing-import", message, f"write `%import .{path}`")


def _check_circles(edges: Mapping[Path, list[tuple[Path, Place, str]]], main: Path) -> None:
    """Raises for imports that lead back to their own file.

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
            raise place.error("endless-import", f"`%import {path}` {leads}", hint)
        if file not in done:
            trail.append(file)
            pending.append(iter(edges.get(file, ())))


def _check_names(
    places: Places, file: Path, path: str, wanted: Iterable[tuple[str, Place]]
) -> None:
    known = places.names_in(file)
    for name, place in wanted:
        # The hint is chosen among the names of that file.
        if name not in known:
            message = f"`{path}` has no `{name}`"
            hint = f"{nearest(name, known)}it has {', '.join(sorted(known))}"
            raise place.error("missing-import", message, hint)


def translated(problem: Exception, places: Places) -> GrammarError:
    """Returns the error for an exception that Lark raised about a grammar of valid lines."""
    whole = str(problem.args[0] if problem.args else problem)
    if isinstance(problem, OSError):
        message = "an import leads to no file of the library of Lark"
        hint = "a path of ours begins with a dot: `%import .common.text (TEXT)`"
        # Lark reports which file is missing, but not which import names it.
        undotted = (place for place, path, _ in places.imports() if not path.startswith("."))
        return next(undotted, places.start()).error("missing-import", message, hint)
    if len(problem.args) > 1:  # Lark passes the literal on, with Python's own error
        place = places.holding(whole) or places.start()
        hint = 'in a literal stand \\n, \\t, \\\\, \\" and \\uXXXX; write any other backslash twice'
        return place.error("bad-escape", "a literal has an escape that means nothing", hint)
    # In the order of the table: the first match wins.
    for pattern, where, code, message, hint in _KNOWN:
        match = re.search(pattern, whole)
        if match is not None:
            names = [bare_name(name or "") for name in match.groups()]
            mend = hint.format(*names) or _definition_hint(names[0])
            place = _place(places, where, match) or places.start()
            return place.error(code, message.format(*names), mend)
    said = whole.split("\n", maxsplit=1)[0].strip()
    # Lark says nothing where a terminal holds one that has no pattern.
    if not said and (held := places.held_in_terminal(DECLARED_TERMINALS)) is not None:
        place, owner, name = held
        message = f"the terminal `{owner}` holds `{name}`, which has no pattern: a scanner reads it"
        hint = f"write both into a rule, `_{owner.lower()}: …`"
        return place.error("declared-in-terminal", message, hint)
    named = _QUOTED.search(said)
    # A message that is not in the table is shown as Lark wrote it, at the name in it.
    found = places.use(named[1] or named[2]) if named else None
    return (found or places.start()).error("grammar", said, GUIDE)


def _place(places: Places, where: str, match: re.Match[str]) -> Place | None:
    """Returns the place for a known message, by the second column of `_KNOWN`."""
    names = match.groups()
    if not names or names[0] is None or where == "none":
        return None
    match where:
        case "use":
            return places.use(names[0], names[1] if len(names) > 1 else "")
        case "twice":
            return places.twice(names[0])
        case "changed":
            return places.changed(names[0])
        case "define":
            return places.definition(names[0])
        case "written":
            return places.written(names[0])
        case _:
            return places.start()


def _definition_hint(name: str) -> str:
    # A forgotten declared terminal is more likely than a forgotten one of the author's own.
    if name in DECLARED_TERMINALS:
        return f"`%declare {name}`, or import it from `.common`"
    near = nearest(name, DECLARED_TERMINALS) if name.isupper() else ""
    return f"{near}define `{name}`, or import it"


def nearest(name: str, known: Iterable[str]) -> str:
    """Returns the start of a hint that names the most similar known name, or ""."""
    found = difflib.get_close_matches(name, list(known), 1)
    return f"nearest: `{found[0]}`; " if found else ""
