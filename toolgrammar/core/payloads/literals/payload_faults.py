r"""Records where a payload is not written as it was meant, and how that is mended.

Example: in `send(to\_user='Ann', msg='it's done')` the backslash is dropped and the quote in `it's`
is kept as a part of the string. What may have been meant otherwise, and makes a whole value
ambiguous, is a fault without a replacement.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, NamedTuple

from toolgrammar.core.payloads.json.other_scalars import may_be_octal
from toolgrammar.core.payloads.json.tokens import as_json
from toolgrammar.values.patterns import late
from toolgrammar.values.schemas import admitted_types

if TYPE_CHECKING:
    from collections.abc import Mapping
    from collections.abc import Set as AbstractSet

    from toolgrammar.core.payloads.literals.python_strings import PythonStringReader
    from toolgrammar.values.json_types import JsonSchema

_QUOTE: Final = "Found a quote inside a string; Python wants it escaped"
_BACKSLASH: Final = "Found a backslash before an underscore, as in Markdown; left it out"
_LONE: Final = "Found an object whose keys are the parameters; took its members as the arguments"
_ZEROS: Final = "Found a whole number that begins with 0; Python has none"
_CODE: Final = "Found digits that begin with 0, as of a code; kept as text"
_NO_OBJECT: Final = "Found an object where the first parameter takes none"


_ZEROS_FIRST = late(r"[+-]?0[0-9_]*[0-9]")
_FEWEST_OF_CODE: Final = 3
"""The fewest digits of a code: `07` is a month or an hour."""

BEGIN, END = -2, -1
"""The beginning and the end of the payload, as places of a fault: the scanner need not know them."""


class Fault(NamedTuple):
    """A place where the text is not written as it was meant."""

    code: str
    """The code of its diagnostic; by `bracket` the driver knows of brackets that were left open."""
    message: str = ""
    """The message; "" for that of damaged JSON."""
    start: int = END
    """The offset where it begins."""
    end: int = END
    replacement: str | None = None
    """The text that mends it; None if the text is kept as it is."""
    is_sure: bool = False
    """Whether no other meaning is possible."""
    path: str = ""
    """The path of its argument, as `$.tags`; "" if it is not reported."""


def untyped(path: str) -> str:
    """Returns the message for a text that the schema at a path does not accept."""
    return f"Found text for `{path[:40]}` that its schema does not take; kept as text"


class Faults(list[Fault]):
    """The faults of the arguments of a Python call, in the order of detection."""

    is_markdown = False
    """Whether names have backslashes before underscores, so that strings have them too."""

    def use_markdown(self) -> None:
        """Sets `is_markdown`, because the name of the call has backslashes before underscores."""
        self.is_markdown = True

    def note_name(self, written: str, start: int) -> None:
        """Records the backslashes in a name that begins at an offset."""
        for place, character in enumerate(written, start):
            if character == "\\":
                self.is_markdown = True
                self.append(Fault("backslash", _BACKSLASH, place, place + 1, "", is_sure=True))

    def note_string(self, text: str, base: int, reader: PythonStringReader, *, named: bool) -> None:
        """Records the quotes that a reader kept in its string, what it dropped and what it doubts.

        Args:
            text: the text that was read.
            base: the offset of its first character.
            reader: the reader of the string.
            named: whether the names of arguments decide which string a quote belongs to.
        """
        # By their places: the order must not depend on how the text was cut.
        doubtful = {each.start: each for each in reader.doubtful}
        for at in sorted({*reader.kept, *reader.left_out, *doubtful}):
            if (odd := doubtful.get(at)) is not None:
                place = base + odd.start, base + odd.end
                self.append(Fault(odd.code, odd.message, *place, odd.replacement))
                continue
            if text[at] == "\\":
                self.note_name("\\", base + at)
                continue
            # After `=` the quote may open another argument's value.
            is_sure = named and text[at - 1 : at] != "="
            start, written = base + at, f"\\{text[at]}"
            self.append(Fault("inner-quote", _QUOTE, start, start + 1, written, is_sure))
        reader.forget()

    def note_zeros(self, word: str, end: int, schema: JsonSchema | None) -> str | None:
        """Records a whole number with leading zeros; returns the JSON of its text if it is kept.

        `zip=02134` may be a code: only a schema decides. `mode=0777` may be octal in any case.

        Args:
            word: the number, with its sign.
            end: the offset of its end.
            schema: the schema of its argument; None if it has none or is inside a container.
        """
        if not _ZEROS_FIRST.fullmatch(word):
            return None
        digits, types = word.lstrip("+-"), set(admitted_types(schema or {}) or ())
        is_short = len(digits.replace("_", "")) < _FEWEST_OF_CODE
        wants_number = not types.isdisjoint(("integer", "number"))
        is_number = wants_number and not may_be_octal(word)
        is_text = "string" in types and not wants_number
        if is_short and not is_text:
            return None
        start = end - len(digits)
        # No code has a sign, which may stand apart from the digits.
        if is_number or digits != word:
            number = digits.replace("_", "").lstrip("0") or "0"
            self.append(Fault("number", _ZEROS, start, end, number, is_sure=is_number))
            return None
        self.append(Fault("number", _CODE, start, end, f"'{word}'", is_sure=is_text))
        return as_json(word)

    def note_object(
        self,
        place: int,
        keys: AbstractSet[str],
        properties: Mapping[str, JsonSchema],
        *,
        is_lone: bool,
    ) -> bool:
        """Records an object as the first argument; returns whether its members are the arguments.

        They are if the object is the only argument, as in `f({'city': 'Oslo'})`, and its keys are
        names of parameters.
        """
        first = next(iter(properties))
        types = admitted_types(properties[first])
        takes_none = types is not None and "object" not in types
        if is_lone and keys <= properties.keys():
            # Otherwise the first parameter may want the object itself.
            is_sure = types is None or takes_none or first in keys
            self.append(Fault("lone-object", _LONE, place, place, "**", is_sure))
            return True
        if takes_none:
            self.append(Fault("lone-object", _NO_OBJECT, place, place, None, is_sure=False))
        return False
