"""Lists every code that a diagnostic or a doubt may have, with its severity and its meaning.

`CODES["comma"]` is `CodeEntry("comma", "warning", "A comma is missing or written otherwise.")`.
"""

from __future__ import annotations

from types import MappingProxyType
from typing import TYPE_CHECKING, Final, NamedTuple

from toolgrammar.values.diagnostics import Severity  # noqa: TC001 - a field's type

if TYPE_CHECKING:
    from collections.abc import Mapping


class CodeEntry(NamedTuple):
    """A code, its severity and its meaning. A code never changes its meaning."""

    code: str
    """The id, in kebab case."""
    severity: Severity
    """The severity, unless the meaning names an exception."""
    meaning: str
    """What was found in the text, and how it was handled."""
    doubt: bool = False
    """Whether the repair may have guessed wrong: the call is then not executable."""
    loss: bool = False
    """Whether an error with this code reports a loss: other calls of the message may still run."""
    late: bool = False
    """Whether an error with this code comes too late for the calls before it, which may have run."""
    spelling: bool = False
    """Whether the repair is of a mere spelling, which can't result in other keys or types. After any
    other repair the arguments must fit the schema of their tool."""


# Codes of calls and messages; the codes of JSON payloads are in the next table.
_CALLS = (
    CodeEntry("truncated", "error", "The text ends inside a call; what came is kept.", loss=True),
    CodeEntry(
        "missing-close-tag",
        "warning",
        "A closer of a call, section, array or block is missing after it; it is put in. An "
        "error, and a doubt, where a required argument is missing, markup follows, another call opens "
        "before all arguments came, or a value lacks its own closer before text.",
    ),
    CodeEntry(
        "missing-open-tag",
        "warning",
        "Text that only ever follows an opener names a known tool, and the opener is missing; it is "
        "put in.",
    ),
    CodeEntry(
        "stray-close-tag",
        "warning",
        "A closer stands where nothing is open; it is left out. An error where a value without "
        "escapes may have ended too early.",
        loss=True,
    ),
    CodeEntry(
        "skipped-markup",
        "error",
        "Markup or text between calls belongs to none, or markup of calls holds nothing. A warning "
        "where no word is lost. Beside or behind the arguments of a call an argument may stand, or "
        "the name of another tool, or all that was meant for a call without arguments: then it does "
        "not run; an info where the tool has no such argument.",
        loss=True,
    ),
    CodeEntry(
        "malformed-call",
        "error",
        "A call goes on as its format does not; the rest stays text.",
        loss=True,
    ),
    CodeEntry(
        "unread-call",
        "error",
        "A call was written in text and could not be read. A warning where the text may only speak of "
        "the format, or shows data.",
        loss=True,
    ),
    CodeEntry(
        "quoted-call",
        "error",
        "A call may only be shown: it stands in a block of code with something else, in a line "
        "that `> ` or a comment begins, in a comment of HTML or a tag such as `<pre>`, `<example>` and "
        "`[code]`, struck out with `~~`, right within “…”, «…», (…) or, beside other text, straight "
        "quotes; it is the definition of a tool; or it stands behind the beginning of another call that nothing closes, "
        "or, where only the last call counts, before what may be another. A warning in inline code, "
        "where it is text.",
        doubt=True,
    ),
    CodeEntry(
        "malformed-arguments",
        "error",
        "The arguments could not be read; the call is unreadable and has none.",
    ),
    CodeEntry("unreadable", "error", "There is no value to be read."),
    CodeEntry(
        "misspelt",
        "warning",
        "A word of the format is spelled otherwise; an error, and a doubt, where it is another word.",
    ),
    CodeEntry(
        "inner-argument",
        "error",
        "What may begin another argument stands in a value, or right behind a call; it is kept, unless the format drops arguments that the tool does not have.",
        doubt=True,
    ),
    CodeEntry(
        "invented-result",
        "error",
        "A call follows the result of a tool, a turn of the user, or a list of tools, that the model wrote itself.",
        doubt=True,
    ),
    CodeEntry(
        "final-answer",
        "error",
        "A call stands before the model's final answer, or behind it.",
        doubt=True,
    ),
    CodeEntry("empty-name", "error", "The name of a call is empty or blank: a doubt."),
    CodeEntry(
        "unplaced-input",
        "error",
        "The tool has no argument that the text of a free-text call can only be; beside other "
        "arguments it is a doubt, else the call is unreadable.",
        doubt=True,
    ),
    CodeEntry(
        "overlong-name",
        "error",
        "The name of a call is no tool's, and begins with that of one: something may have run into "
        "it.",
        doubt=True,
    ),
    CodeEntry(
        "lone-object",
        "error",
        "An object stands alone and without a name in the arguments of a Python call. A warning where "
        "its keys are the parameters, so that it is the arguments.",
        doubt=True,
    ),
    CodeEntry(
        "backslash",
        "warning",
        "An underscore follows a backslash, as in Markdown; the backslash is dropped.",
    ),
    CodeEntry("unknown-argument", "warning", "The tool has no argument of this name."),
    CodeEntry(
        "duplicate-id",
        "warning",
        "A call has the id of an earlier one, in a format whose calls name those that they depend on; "
        "it gets a new id.",
    ),
    CodeEntry(
        "unknown-dependency",
        "warning",
        "A call depends on an id that no call of the message has.",
    ),
    CodeEntry(
        "dependency-cycle",
        "warning",
        "Calls depend on each other in a circle; what points at the call itself or at a later one "
        "is removed.",
    ),
    CodeEntry(
        "doubled-name",
        "warning",
        "An API hands out the name of a call twice, or in pieces; it is read once. An error, and a "
        "doubt, where another name may be meant.",
    ),
    CodeEntry(
        "joined-calls",
        "warning",
        "An API hands out several objects as the arguments of one call: they are so many calls, or "
        "one whose arguments came twice. An error, and a doubt, where nothing tells which.",
    ),
    CodeEntry(
        "repeated-pieces",
        "warning",
        "An API streams the arguments of a call in pieces that each repeat all that came before; the "
        "last is read. An error, and a doubt, where a piece among them does not, or none is JSON.",
    ),
    CodeEntry(
        "missing-argument",
        "error",
        "A call lacks an argument that its format takes from the call before, and that has none or "
        "may not be meant.",
        doubt=True,
    ),
    CodeEntry(
        "schema-mismatch",
        "error",
        "A value that the wire writes as bare text does not fit its schema; it stays text.",
        doubt=True,
    ),
    CodeEntry(
        "schema-type", "info", "A JSON value has another type than its schema; it is converted."
    ),
    CodeEntry(
        "unopened-reasoning",
        "info",
        "Reasoning is closed that was not opened; the closer is text. `prefix` says what the "
        "prompt opened. An error where calls stand before it, which may be thoughts.",
        late=True,
    ),
    CodeEntry("invalid-utf8", "warning", "Bytes that are not UTF-8 are replaced by U+FFFD."),
    CodeEntry("limit-chars", "error", "The message is longer than `Limits.max_chars`.", loss=True),
    CodeEntry(
        "limit-calls", "error", "The message has more calls than `Limits.max_calls`.", loss=True
    ),
    CodeEntry(
        "limit-depth", "error", "A payload is nested deeper than `Limits.max_depth`.", loss=True
    ),
)

# Codes of JSON payloads, also of `recover_json`.
_JSON = (
    CodeEntry(
        "stray-comma",
        "warning",
        "A comma has nothing to part; it is dropped. An error, and a doubt, behind recovered JSON "
        "whose last bracket was mended.",
        spelling=True,
    ),
    CodeEntry("quote-style", "warning", "A string has other quotes than JSON's.", spelling=True),
    CodeEntry("template", "error", "A backtick string holds `${`; it is kept.", doubt=True),
    CodeEntry("doubled-quotes", "error", "Every quote is written twice.", doubt=True),
    CodeEntry(
        "bare-key",
        "warning",
        "A key has no quotes. An error, and a doubt, where it holds markup, a backslash "
        "or a line end.",
    ),
    CodeEntry(
        "bare-text",
        "error",
        "A value without quotes is read as a string; in JSON a warning where the schema says string.",
        doubt=True,
    ),
    CodeEntry(
        "literal", "warning", "`true`, `false` or `null` is spelled otherwise.", spelling=True
    ),
    CodeEntry("undefined", "error", "`undefined` is read as null.", doubt=True),
    CodeEntry(
        "bracket",
        "warning",
        "A bracket is missing or of the wrong kind. An error, and a doubt, where arguments are "
        "missing or follow it, where another call opens, or where something may be lost.",
    ),
    CodeEntry(
        "comment",
        "warning",
        "A comment is dropped; an error, and a doubt, where it begins with dots: it stands for values.",
        spelling=True,
    ),
    CodeEntry("comma", "warning", "A comma is missing or written otherwise."),
    CodeEntry("colon", "warning", "A colon is missing or written otherwise."),
    CodeEntry(
        "extra-closer",
        "warning",
        "A closing bracket has no partner and is dropped; an error, and a doubt, inside the value.",
    ),
    CodeEntry(
        "control", "warning", "A control character stands in a string as it is.", spelling=True
    ),
    CodeEntry(
        "escape",
        "warning",
        "A backslash escapes nothing; both characters are kept. An error, and a doubt, where it "
        "names a character that Unicode has not.",
    ),
    CodeEntry(
        "mixed-escape",
        "error",
        "A string has both unescaped and escaped backslashes: a path may have lost letters.",
        doubt=True,
    ),
    CodeEntry("unescaped-once", "warning", "The whole text is escaped once too often."),
    CodeEntry("decoded", "warning", "The arguments are a JSON string that holds an object."),
    CodeEntry(
        "space", "warning", "What is no JSON white space stands between tokens.", spelling=True
    ),
    CodeEntry(
        "inner-quote",
        "error",
        "A quote inside a string is not escaped; a warning where the schema makes it sure.",
        doubt=True,
    ),
    CodeEntry(
        "slipped-quote",
        "error",
        "A string ends with the comma or the bracket that is missing behind it.",
        doubt=True,
    ),
    CodeEntry(
        "malformed-name",
        "error",
        "The name of a call holds a blank at an end or a mark that is no part of it, or begins "
        "with what was meant for `functions.`.",
        doubt=True,
    ),
    CodeEntry(
        "missing-quote",
        "error",
        "A string lacks a quote; where it ends is a guess, and calls behind it are doubted as `quoted-call`.",
        doubt=True,
    ),
    CodeEntry(
        "open-string",
        "error",
        "A string has no closing quote and ends before the markup that closes its call; calls behind "
        "it may be text of the string, and are doubted as `quoted-call`.",
        doubt=True,
    ),
    CodeEntry("missing-value", "error", "A key has no value and is dropped.", doubt=True),
    CodeEntry(
        "duplicate-key",
        "error",
        "A key of the arguments stands twice and the last counts; a warning where both values are "
        "equal. Or a call says its name, id or arguments twice, and the first stay; or its arguments "
        "are a whole call.",
        doubt=True,
    ),
    CodeEntry("nonfinite", "error", "The value NaN or Infinity is no JSON number.", doubt=True),
    CodeEntry(
        "number",
        "warning",
        "A number is written otherwise than in JSON; an error, and a doubt, where it may be the "
        "thousands of the one before, or begins with 0, as a code or an octal number does.",
        spelling=True,
    ),
    CodeEntry(
        "lone-surrogate",
        "error",
        "Half a surrogate pair is replaced by U+FFFD.",
        doubt=True,
    ),
    CodeEntry(
        "around",
        "warning",
        "A fence or prose stands around the value; an error, and a doubt, where it may be a part of "
        "it: it touches the brace of an object, or stands in one line behind a mended bracket.",
    ),
    CodeEntry("extra-value", "error", "A second value follows and is not read.", doubt=True),
    CodeEntry("too-deep", "error", "The value is nested too deep to be read."),
    CodeEntry("refused", "error", "There is no JSON value in the text."),
)

# Read-only, since every part of the package shares this one table.
CODES: Final[Mapping[str, CodeEntry]] = MappingProxyType(
    {entry.code: entry for entry in (*_CALLS, *_JSON)}
)
"""Every code, by its id."""

LOSSES: Final = frozenset(entry.code for entry in CODES.values() if entry.loss)
"""The codes whose errors report a loss: calls of the same message may still be executable."""
OF_MESSAGES: Final = LOSSES | {entry.code for entry in CODES.values() if entry.late}
"""The codes whose errors tell of the message, and of no call in it: those may be executable."""

SPELLINGS: Final = frozenset(entry.code for entry in CODES.values() if entry.spelling)
"""The codes of repairs of a mere spelling."""
DOUBTS: Final = frozenset(entry.code for entry in CODES.values() if entry.doubt)
"""The codes that are always doubts; others are doubts only where their meaning says so."""
