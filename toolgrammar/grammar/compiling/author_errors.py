"""Translates Lark's errors about a grammar into the words of its author, at the right place.

Example: `Rule 'cal' used but not defined (in rule start)` becomes an error at that use, with a
hint.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from toolgrammar.grammar.compiling.places import Places
from toolgrammar.grammar.roles import DECLARED_TERMINALS, bare_name
from toolgrammar.values.patterns import late

if TYPE_CHECKING:
    from pathlib import Path

    from toolgrammar.grammar.compiling.source_text import Place
    from toolgrammar.values.errors import GrammarError

IGNORED = "`%ignore` is not read: white space between tokens is free already"
NOT_IGNORED = "drop the line; what else stands between tokens belongs into the rules"
GUIDE = "docs/writing-a-format.md says how a grammar is written"
_OTHER_MARK = late(r"\s*([A-Za-z_]\w*)\s*(:{0,2}=)")
_FIRST_WORD = late(r"\s*([a-z_]\w*)[ \t]+[^\s:]")
_GOES_ON = "a rule goes on in the next line only behind a `|`; write it in one line"
_STATEMENTS = "a rule reads `name: …` and a terminal `NAME: …`"
_IMPORTS = "an import reads `%import .common.text (TEXT)`"
# A line with NUL where Lark could not go on, and the hint.
_AT_SIGHT: tuple[tuple[str, str], ...] = (
    (r"\0?\s*(?:%import|import|from)\b", _IMPORTS),
    (
        r"[^\0]*\0['\"]",
        'a literal stands between `"` in one line; a line end in it is written `\\n`',
    ),
    # `/[^/]+/` ends at its second slash.
    (r"[^\0]*/\0", "an expression stands between `/`; a slash in it is written `\\/`"),
    (
        r"[^\0]*\0[/\\]",
        'an expression stands between `/`; a slash in it is written `\\/`, and `"` in a literal `\\"`',
    ),
    (r"[^\0]*\0(?:;|--)", "a statement ends with its line; a remark begins with `//`"),
    (r"[^\0]*(?:\0\s*\{|\{\0)", "what repeats is marked with `+`, `*`, `?` or `~2..5`"),
    (r"[^\0]*\0,", "parts follow each other without commas"),
    (
        r"\s*(?=[\w\0]*[a-z])(?=[\w\0]*[A-Z])[\w\0]+\s*(?:\.\d+)?:",
        "the name of a rule has lower-case letters, that of a terminal capitals",
    ),
    (r"", f"{_STATEMENTS}; alternatives stand behind `|`"),
)
_QUOTED = late(r"['`\"](\w+)['`\"]|\b(\w+)\)?$")

# A pattern for Lark's message, how its place is found, our code, message and hint; `{0}` is the
# first name in Lark's message.
_KNOWN: tuple[tuple[str, str, str, str, str], ...] = (
    (
        r"(?:Rule|Terminal) '(\w+)' defined more than once",
        "twice",
        "defined-twice",
        "`{0}` is defined a second time",
        "join both with `|`, or rename one",
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
        r"(?m)^[A-Z_0-9.]+[ \t]*:.*->",
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
    (r"Terminals \{'(\w+)'.*were marked to ignore", "use", "ignore", IGNORED, NOT_IGNORED),
    (
        r"Bad Range for \w+\('(\w+)'\) \((\S+) isn't",
        "use",
        "bad-repeat",
        "`{0}` is repeated `~{1}`, which ends before it begins",
        "write the smaller number first",
    ),
    (
        r'Error trying to process rule "range"',
        r"\.\.",
        "bad-range",
        "a range has one character on each side",
        'write `"a".."z"`, or an expression: `/[a-z]/`',
    ),
    (
        r"Duplicate Template Parameter \w+ \(in template (\w+)",
        "define",
        "template",
        "the template `{0}` has two parameters of one name",
        "rename one of them",
    ),
    (
        r"Can't extend terminal (\w+)",
        "changed",
        "not-imported",
        "`{0}` is read by a scanner, so nothing can be added to it",
        "define a terminal of your own, and write `({0} | MINE)` in the rule",
    ),
    (
        r"Wrong number of template arguments used for (\w+) \(expected (\d+), got (\d+)\) \(in \w+ (\w+)",
        "use",
        "template",
        "`{0}` takes {1} in its braces, found {2}",
        "its definition, `{0}{{…}}: …`, says what stands there",
    ),
    (
        r"Inlined rules \(_rule\) cannot use the \?rule modifier",
        "none",
        "modifier",
        "a rule begins with `?_`; a part with `_` is inlined already",
        "drop the `?`",
    ),
)

_BY_NAME = {
    "use": Places.use,
    "twice": Places.twice,
    "changed": Places.changed,
    "define": Places.definition,
    "written": Places.written,
}
"""How the place of a message is found by the first name in it."""


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
    whole = _line_of(places, file, line)
    # `call = …` or `call ::= …`, as other notations write a rule.
    if (mark := _OTHER_MARK.match(whole)) is not None:
        message = f"found `{mark[2]}` behind the name `{mark[1]}`"
        return places.at(file, line, mark.start(2) + 1).error("syntax", message, _STATEMENTS)
    # Before the token is examined: if a line begins wrongly, Lark reports a token of it that
    # may be right.
    if (goes_on := places.continued(file, line)) is not None:
        message = "this line goes on with the rule before it and does not say so"
        word = _FIRST_WORD.match(_line_of(places, file, goes_on.line))
        hint = f"{_GOES_ON}; a rule of its own has a colon: `{word[1]}: …`" if word else _GOES_ON
        return goes_on.error("unmarked-line", message, hint)
    place = places.at(file, line, column)
    # The line end itself is the token where something is missing.
    if token is not None and not token.strip():
        hint = f"close what is open: `(`, `[`; {_STATEMENTS}"
        hint = _IMPORTS if whole.lstrip().startswith("%import") else hint
        return place.error("syntax", "the line ends too early", hint)
    # Lark's lexer found no token: as much of the line as fits into a message is shown.
    shown = token or whole[column - 1 : column + 20]
    what = "which can't stand here" if token else "which is no part of a grammar"
    parted = f"{whole[: column - 1]}\0{whole[column - 1 :]}"
    # In the order of the table: the first match wins.
    hint = next(hint for pattern, hint in _AT_SIGHT if re.match(pattern, parted))
    return place.error("syntax", f"found `{shown}`, {what}", hint)


def too_deep(places: Places) -> GrammarError:
    """Returns the error for a grammar whose brackets nest deeper than Lark supports."""
    hint = "name its inner parts as rules of their own, `_part: …`"
    return places.start().error("too-deep", "a rule nests too deeply", hint)


def _line_of(places: Places, file: Path, line: int) -> str:
    text = next(text for path, text in places.files if path == file)
    return [*text.split("\n"), ""][line - 1]


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
            mend = hint.format(*names)
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
    if where == "none":
        return None
    # Without a name that Lark tells, the column is an expression of the text there.
    if where not in _BY_NAME:
        return places.matching(where)
    if not match.groups() or match[1] is None:
        return None
    # Lark names the rule or terminal around it last.
    within = match.groups()[-1] if len(match.groups()) > 1 else ""
    return places.use(match[1], within) if where == "use" else _BY_NAME[where](places, match[1])
