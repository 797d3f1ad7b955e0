"""Makes what reading several formats at once needs and messages share: openers, machines."""

from __future__ import annotations

from typing import TYPE_CHECKING

from toolgrammar.catalogue.openings import opener_pairs, openings
from toolgrammar.catalogue.several import AUTO
from toolgrammar.core.alternative import neutral_machine
from toolgrammar.core.among import Among
from toolgrammar.core.openers import Openers
from toolgrammar.core.plain_several import PlainSeveral
from toolgrammar.core.unread import Signs
from toolgrammar.parsing.machines import machine_of, settings_of

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from toolgrammar.catalogue.format import Format
    from toolgrammar.catalogue.openings import Opening
    from toolgrammar.catalogue.several import AnyOf
    from toolgrammar.core.alternative import Settings
    from toolgrammar.core.build import Builder
    from toolgrammar.core.machine import Machine
    from toolgrammar.core.plain_rules import PlainRules
    from toolgrammar.core.quotes import Quote
    from toolgrammar.core.reasoning_ends import ReasoningEnd
    from toolgrammar.values.tools import ToolSpec

_READERS_KEPT = 16


class Several:
    """Several formats with one set of tools."""

    def __init__(self, any_of: AnyOf, specs: Mapping[str, ToolSpec]) -> None:
        formats = any_of.formats
        found = openings(formats)
        self.wary = any_of.id == AUTO
        if self.wary:
            order = sorted(range(len(found)), key=lambda at: _rank(formats[at], found[at]))
            formats = tuple(formats[number] for number in order)
            found = [found[number] for number in order]
        self.formats = formats
        self.by_id = {each.id: each for each in formats}
        self.specs = specs
        self.start = neutral_machine()
        self.tags: Mapping[str, str] = {
            tag: opener for each in found for tag, opener in each.tags.items()
        }
        """What closes reasoning, each with what opens it."""
        self.quotes: Sequence[Sequence[Quote]] = [each.quotes for each in found]
        self.ends: Sequence[Sequence[ReasoningEnd]] = [each.ends for each in found]
        self.openers = Openers(
            opener_pairs(machine_of(format_, specs)) if each.names_tools else each.pairs
            for format_, each in zip(formats, found, strict=True)
        )
        # What is a sign in one format is plain text in another: only with the name of a tool do they
        # tell of a call.
        self.signs = Signs(((text, 0) for each in found for text in each.signs), ())
        """What shows in text that a call was written there, in one format or another."""
        self._loaded: dict[int, tuple[Machine, Settings]] = {}
        self.reading = PlainSeveral(self)
        """What reads most messages without a driver."""

    def load(self, number: int) -> tuple[Machine, Settings]:
        """Gives the machine and the settings of one of the formats."""
        loaded = self._loaded.get(number)
        if loaded is None:
            format_ = self.formats[number]
            loaded = machine_of(format_, self.specs), settings_of(format_)
            self._loaded[number] = loaded
        return loaded

    def rules(self, number: int) -> PlainRules | None:
        """Returns what reading a sound message of one of the formats depends on."""
        return self.formats[number].plain

    def among(self, builder: Builder) -> Among:
        """Gives what one message's driver asks where several formats may open."""
        return Among(self, builder)


def _rank(format_: Format, opening: Opening) -> tuple[bool, int, bool, str]:
    """Gives what a format is sorted by where nobody chose the formats.

    What takes any text would take that of the others too. Where few models tell, a name on the
    wire is better evidence than one that the format puts in.
    """
    names = bool(format_.header.names)
    return opening.takes_input, -len(format_.models), names, format_.id


def several_of(any_of: AnyOf, specs: Mapping[str, ToolSpec]) -> Several:
    """Gives what reading several formats with these tools needs; made once for their names."""
    key = tuple(sorted(specs))
    found: Several | None = any_of.readers.get(key)
    if found is None:
        if len(any_of.readers) >= _READERS_KEPT:
            any_of.readers.clear()
        found = any_of.readers[key] = Several(any_of, specs)
    return found
