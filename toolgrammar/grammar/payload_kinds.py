"""Defines the declared terminals that scanners read: all their properties, in one table.

Example: `JSON_OBJECT` begins with a brace and is read by the scanner of JSON; `RAW` ends at its
closer.

Anything else that a payload needs is code, in the module that its row names: the scanner, the
writer, and the rules by which plain Lark reads it (`core/payloads/literals/bare.py` is short, with
its scanner in `scan_bare.py`). `tests/units/grammar/test_payload_kinds.py` tests each payload with
every law, from a sample there; `fuzz/grammars.py` draws grammars with those that it declares, and need
not have a new one. A new notation is another word of `Notation`. A few payloads need more: a payload without a distinctive first character declares how it begins in
`core/machine/expressions.py`; what a scanner mends, and what it doubts, it lists as faults
(`core/payloads/literals/payload_faults.py`); for a payload without a last character of its own,
`reference/tree_feed.py` shows the text after it. These find it by its notation: search for
`notation_of` and `named(`. A scanner whose brackets may be closed where the markup of the format goes
on asks `core/payloads/literals/markup_around.py`, and notes the fault `bracket`. What stands between a
key and its value is one of `COLONS` in `tools/json_tokens.py` (`:` and `=` are there): by them a call is
known that ends before its arguments do.
"""

from __future__ import annotations

from typing import Final, Literal, NamedTuple, TypeAlias

from toolgrammar.tools.json_tokens import LITERAL

Notation: TypeAlias = Literal["text", "raw", "json", "bare", "elements", "python"]

_OBJECT: Final = r"\{"
_VALUE: Final = r'["{\[\-0-9tfn]'
# No argument, `**{…}`, a keyword (`a=`, but not `a==`), or a positional value.
_PYTHON: Final = (
    r"\)|\*\*\s{0,16}\{|[^\W\d][\w\\]{0,255}\s{0,16}=(?!=)|[\"'\[{\-+\d]|[rRuU][\"']"
    rf"|(?:True|False|None|{LITERAL})\b"
)


class Payload(NamedTuple):
    """The properties of one declared terminal."""

    meaning: str
    """The kind of text that it reads, for lists."""
    notation: Notation
    """The notation in which it is written."""
    begins: str = ""
    """The expression of its beginning, `MARK` for the header's; "" if it may begin anyhow."""
    json_types: tuple[type, ...] = ()
    """For JSON, the types of the values that are written with it; empty for all."""
    object_only: bool = False
    """For JSON, whether no value other than an object may stand there."""
    header: str = ""
    """The key of the header with its options."""
    backticks: bool = False
    """Whether its strings may be between backticks."""
    unescaped: bool = False
    """Whether its strings may hold its own closer: a call whose closer is missing may go on behind it.

    As in `{to:<|"|>a} b<|"|>}`, whose quotes have no escapes.
    """
    has_end: bool = True
    """Whether its last character ends it; else the markup behind it does."""
    shown: str = ""
    """The name of the notation in lists of formats."""
    module: str = ""
    """Its module in `core/payloads/literals/`; "" if it is text or JSON."""


PAYLOADS: Final[dict[str, Payload]] = {
    "TEXT": Payload("text of the message, up to the next opener", "text"),
    "SKIPPED": Payload(
        "text between calls of a section that belongs to nobody: reported and dropped", "text"
    ),
    "RAW": Payload("text without escapes, up to the closer that the grammar allows next", "raw"),
    "RAW_STRING": Payload("the same, and a string whatever the schema says", "raw"),
    "JSON_OBJECT": Payload(
        "a JSON object", "json", _OBJECT, (dict,), object_only=True, shown="JSON"
    ),
    "JSON_VALUE": Payload("a JSON value", "json", _VALUE, shown="JSON"),
    "JSON_NUMBER": Payload(
        "a JSON value; a number where it is written", "json", _VALUE, (int, float)
    ),
    "JSON_BOOLEAN": Payload(
        "a JSON value; true or false where it is written", "json", _VALUE, (bool,)
    ),
    "JSON_NULL": Payload("a JSON value; null where it is written", "json", _VALUE, (type(None),)),
    "JSON_ARRAY": Payload(
        "a JSON value; an array where it is written", "json", _VALUE, (list, tuple)
    ),
    "JSON_TEXT": Payload("a JSON string: the payload is the text that it stands for", "json", '"'),
    "TEMPLATE_OBJECT": Payload(
        "a JSON object whose strings may be written between backticks",
        "json",
        _OBJECT,
        object_only=True,
        backticks=True,
        shown="JSON",
    ),
    "BARE_OBJECT": Payload(
        "an object with bare keys and words, its strings between the header's quotes",
        "bare",
        _OBJECT,
        header="quotes",
        unescaped=True,
        shown="words",
        module="bare",
    ),
    "ELEMENTS": Payload(
        "arguments as elements inside each other, with the header's text before each tag",
        "elements",
        r"MARK<[^\W\d]",
        header="element",
        unescaped=True,
        has_end=False,
        shown="words",
        module="elements",
    ),
    "PYTHON_ARGUMENTS": Payload(
        "the arguments of a Python call, up to its closing parenthesis",
        "python",
        _PYTHON,
        shown="Python",
        module="python",
    ),
}
"""The payloads, by the names of their terminals."""


def named(*notations: Notation) -> tuple[str, ...]:
    """Returns the names of the payloads in any of these notations."""
    return tuple(name for name, payload in PAYLOADS.items() if payload.notation in notations)


def notation_of(name: str) -> Notation | None:
    """Returns the notation of the payload of a terminal; None if it is not a payload."""
    found = PAYLOADS.get(name)
    return found.notation if found is not None else None
