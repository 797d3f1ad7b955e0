"""Makes the readers of several formats at once, which all their messages share.

For two formats, one search finds the openers of both, such as `<tool_call>` and `[TOOL_CALLS]`.
"""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING

from toolgrammar.catalogue.openings import opener_pairs, openings
from toolgrammar.catalogue.several import AUTO
from toolgrammar.core.evidence.mended_marks import MarksOfAny
from toolgrammar.core.evidence.remains import RemainsOfAny
from toolgrammar.core.evidence.signs import SeveralSigns, Signs
from toolgrammar.core.message.settings import Settings
from toolgrammar.core.several.known_beginnings import KnownBeginnings
from toolgrammar.core.several.openers import AnyOpeners, OpenerSet
from toolgrammar.core.several.tried_format import neutral_machine
from toolgrammar.core.several.try_formats import TriedFormats
from toolgrammar.grammar.call_evidence import ANY_NAME, MENTIONED, is_of_any_call
from toolgrammar.parsing.machines import machine_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from toolgrammar.catalogue.format import Format
    from toolgrammar.catalogue.openings import Opening
    from toolgrammar.catalogue.several import AnyOf
    from toolgrammar.core.evidence.remains import FindsRemains
    from toolgrammar.core.machine.machine import Machine
    from toolgrammar.core.message.build import Builder
    from toolgrammar.core.several.tried_format import Traits
    from toolgrammar.core.shortcuts.whole.shortcut_rules import ShortcutRules
    from toolgrammar.values.tools import ToolSpec

_READERS_KEPT = 64
_FEW = 4
"""The most formats whose damaged calls are all searched: each costs a search of its own."""


class SeveralFormats:
    """Several formats in the order in which they are preferred, with what they need for any tools."""

    def __init__(self, any_of: AnyOf) -> None:
        formats = any_of.formats
        found = openings(formats)
        self.is_auto = any_of.id == AUTO
        # From here on a format is its index: of equals, the one with the lower index is preferred.
        others = range(any_of.named, len(found))
        order = [
            *range(any_of.named),
            *sorted(others, key=lambda number: _rank(formats[number], found[number])),
        ]
        formats = tuple(formats[number] for number in order)
        found = [found[number] for number in order]
        self.formats = formats
        self.traits: Sequence[Traits] = found
        self.by_id = {each.id: each for each in formats}
        self.start = neutral_machine()
        self.tags: Mapping[str, str] = {
            tag: opener for each in reversed(found) for tag, opener in each.tags.items()
        }
        """The closers of reasoning, each with its opener."""
        # In `auto`, other formats read the text after a lost opener.
        lost = [[] if self.is_auto else each.lost for each in found]
        pairs = ([*each.pairs, *more] for each, more in zip(found, lost, strict=True))
        self.openers = AnyOpeners(OpenerSet(pairs))
        """The openers, except those that contain the names of tools."""
        self.named = {
            number: frozenset(each.pairs) for number, each in enumerate(found) if each.names_tools
        }
        """The other openers of each format that has openers with the names of tools, by its index."""
        # A sign of one format is plain text in another: most signs show a call only together with
        # the name of a tool.
        weighed = sorted({sign for each in found for sign in each.signs})
        # A sign that contains the name of a tool is made when the tools are known.
        texts = {text for text, _ in weighed if ANY_NAME not in text}
        certain = frozenset(filter(is_of_any_call, texts))
        self.signs = Signs(
            ((text, MENTIONED if text in certain else 0) for text in sorted(texts)),
            (),
            sorted(text for text in certain if text.startswith("</")),
            remains=self._remains,
        )
        """The signs that a call of any of the formats was written in a text."""
        closers = sorted({text for each in found for text in each.closers})
        results = sorted({text for each in found for text in each.results})
        self.around = Signs(weighed, (), closers, results)
        """The signs of all formats for text around a call, except those with names of tools."""
        self.with_names = [sign for sign in weighed if ANY_NAME in sign[0]]
        self._marks = {mark for each in found for mark in each.marks}

    def _remains(self, _signs: Iterable[str]) -> RemainsOfAny:
        """Returns the search for damaged calls: by all signs of likely formats, by marks of the others.

        A damaged tag with the name of a caller's tool is not looked for.
        """
        is_few = len(self.formats) <= _FEW
        return RemainsOfAny(self._remains_for, None if is_few else MarksOfAny(self._marks))

    def _remains_for(self, tools: Mapping[str, ToolSpec]) -> Iterator[FindsRemains]:
        """Yields the searches of the formats that are likely with these tools."""
        likely = (each for name in tools for each in self._made_for.get(name, ()))
        for format_ in self.formats if len(self.formats) <= _FEW else dict.fromkeys(likely):
            remains = machine_of(format_, {}).signs.remains
            if remains is not None:
                yield remains

    @cached_property
    def _made_for(self) -> Mapping[str, Sequence[Format]]:
        """The formats that know a tool, or whose calls do not name it, by the name of the tool."""
        found: dict[str, list[Format]] = {}
        for each in self.formats:
            for name in {*each.header.names.values(), *each.header.tools}:
                found.setdefault(name, []).append(each)
        return found


class SeveralReaders:
    """The readers of several formats for one set of tools."""

    def __init__(self, shared: SeveralFormats, specs: Mapping[str, ToolSpec]) -> None:
        self.formats, self.by_id, self.is_auto = shared.formats, shared.by_id, shared.is_auto
        self.start, self.traits, self.tags = shared.start, shared.traits, shared.tags
        self.signs = shared.signs
        more = Signs(shared.with_names, tuple(sorted(specs))) if shared.with_names else None
        self.around = SeveralSigns(shared.around, more)
        self.specs = specs
        self.openers = shared.openers
        # Only openers that contain the names of tools are made for each set of tools.
        if shared.named:
            named = [self._named(number, shared) for number in range(len(shared.formats))]
            self.openers = shared.openers.beside(OpenerSet(named))
        self.no_calls = next(filter(None, (each.header.no_calls for each in shared.formats)), "")
        """The name by which one of the formats says that no tool is called; it applies to all."""
        # Loaded on first use: a message needs the machines of only a few formats.
        self._loaded: dict[int, tuple[Machine, Settings]] = {}
        self.reading = KnownBeginnings(self)
        """The shortcut that reads most messages without the driver."""

    def _named(self, number: int, shared: SeveralFormats) -> list[tuple[str, str]]:
        """Lists the openers of a format that contain the names of tools."""
        fixed = shared.named.get(number)
        if fixed is None:
            return []
        pairs = opener_pairs(machine_of(shared.formats[number], self.specs))
        return [pair for pair in pairs if pair not in fixed]

    def load(self, number: int) -> tuple[Machine, Settings]:
        """Returns the machine and the settings of one of the formats."""
        loaded = self._loaded.get(number)
        if loaded is None:
            format_ = self.formats[number]
            # A name by which one format says that it calls no tool is not a call in the others.
            header = format_.header._replace(no_calls=format_.header.no_calls or self.no_calls)
            loaded = machine_of(format_, self.specs), Settings(header, format_.tables)
            self._loaded[number] = loaded
        return loaded

    def rules(self, number: int) -> ShortcutRules | None:
        """Returns the rules by which a shortcut reads one of the formats; None if none can."""
        return self.formats[number].plain

    def among(self, builder: Builder) -> TriedFormats:
        """Returns the object that chooses between the formats for the driver of one message."""
        return TriedFormats(self, builder)


def _rank(format_: Format, opening: Opening) -> tuple[bool, int, bool, str]:
    """Returns the sort key of a format in `auto`.

    Formats with free text come last, since they would accept the calls of the others too. Formats
    of more models come first; among equals, a name on the wire is better evidence than a name that
    the header supplies.
    """
    header = format_.header
    # A format that lists tools reads their names on the wire, and puts one in beside them.
    puts_in_name = bool(header.names) and not header.tools
    return opening.takes_input, -len(format_.models), puts_in_name, format_.id


def readers_of(any_of: AnyOf, specs: Mapping[str, ToolSpec]) -> SeveralReaders:
    """Returns the readers of several formats and these tools, cached by the names of the tools."""
    # Openers and machines depend on the names alone.
    key = tuple(sorted(specs))
    found: SeveralReaders | None = any_of.readers.get(key)
    if found is None:
        # The key `None` has the part that does not depend on the tools.
        shared = any_of.readers.get(None) or SeveralFormats(any_of)
        if len(any_of.readers) >= _READERS_KEPT:
            any_of.readers.clear()
        any_of.readers[None] = shared
        found = any_of.readers[key] = SeveralReaders(shared, specs)
    return found
