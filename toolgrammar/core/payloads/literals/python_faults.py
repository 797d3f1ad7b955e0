r"""What Python does not take as it was meant, in the arguments of a call, and how it is mended.

Example: in `send(to\_user='Ann', msg='it's done')` the backslash is left out and the quote in `it's`
is kept as a part of the string.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, NamedTuple

from toolgrammar.values.schemas import admitted_types

if TYPE_CHECKING:
    from collections.abc import Mapping
    from collections.abc import Set as AbstractSet

    from toolgrammar.core.payloads.literals.python_strings import PythonStringReader
    from toolgrammar.values.json_types import JsonSchema

_QUOTE: Final = "Found a quote inside a string; Python wants it escaped"
_BACKSLASH: Final = "Found a backslash before an underscore, as in Markdown; left it out"
_LONE: Final = "Found an object whose keys are the parameters; took its members as the arguments"
_NO_OBJECT: Final = "Found an object where the first parameter takes none"


class Fault(NamedTuple):
    """What Python does not take as it was meant."""

    code: str
    message: str
    start: int
    """Offset where it stands."""
    end: int
    replacement: str | None
    """What makes it Python; None where the text is kept as it is."""
    is_sure: bool
    """Whether nothing else can be meant."""


class Faults(list[Fault]):
    """The faults of one call, in the order in which they were seen."""

    is_markdown = False
    """Whether underscores stand behind backslashes in names, so that those in strings do too."""

    def use_markdown(self) -> None:
        """Reads underscores in strings as those of the name: behind backslashes."""
        self.is_markdown = True

    def note_name(self, written: str, start: int) -> None:
        """Notes the backslashes in a name that begins at an offset."""
        for place, character in enumerate(written, start):
            if character == "\\":
                self.is_markdown = True
                self.append(Fault("backslash", _BACKSLASH, place, place + 1, "", is_sure=True))

    def note_string(self, text: str, base: int, reader: PythonStringReader, *, named: bool) -> None:
        """Notes what a reader took as a part of its string, and what it left out.

        Args:
            text: what was read.
            base: the offset of its first character.
            reader: the reader.
            named: whether the names of arguments tell what a quote belongs to.
        """
        for at in reader.kept:
            # Behind `=` the quote may open another argument's value.
            is_sure = named and text[at - 1 : at] != "="
            start, written = base + at, f"\\{text[at]}"
            self.append(Fault("inner-quote", _QUOTE, start, start + 1, written, is_sure))
        for at in reader.left_out:
            self.note_name("\\", base + at)
        reader.forget()

    def note_object(
        self,
        place: int,
        keys: AbstractSet[str],
        properties: Mapping[str, JsonSchema],
        *,
        is_lone: bool,
    ) -> bool:
        """Notes an object that is the first argument; returns whether its members are arguments.

        That is one that stands alone, as in `f({'city': 'Oslo'})`, and has the names of parameters
        as its keys.
        """
        first = next(iter(properties))
        types = admitted_types(properties[first])
        takes_none = types is not None and "object" not in types
        if is_lone and keys <= properties.keys():
            # Else the first parameter may want the object itself.
            is_sure = types is None or takes_none or first in keys
            self.append(Fault("lone-object", _LONE, place, place, "**", is_sure))
            return True
        if takes_none:
            self.append(Fault("lone-object", _NO_OBJECT, place, place, None, is_sure=False))
        return False
