"""Finds where a raw payload ends without compiling expressions for the names of the tools.

The expressions of an end are long, and most payloads end without the name of a tool. So two ends
are made once for a grammar, one that accepts no name and one that accepts any: if the wider one
finds a closer without a name, or both find the same, the names do not matter. Example: after
`</parameter>` both want `</function>`.
"""

from __future__ import annotations

from functools import cached_property, partial
from typing import TYPE_CHECKING, Any, Final, cast

from toolgrammar.core.machine.caches import cached_on_argument
from toolgrammar.core.payloads.raw.raw_end import RawEnd
from toolgrammar.patterns.beginnings import first_characters
from toolgrammar.patterns.quick_search import Between, BetweenPatterns
from toolgrammar.values.patterns import late

if TYPE_CHECKING:
    import re

    from toolgrammar.core.machine.machine import Machine, Node, Step
    from toolgrammar.patterns.quick_search import Search

_ANY_NAME: Final = r"[\w.-]{1,256}"
_PLAIN_NAME = late(_ANY_NAME)
_GROUP = late(r"\(\?P<(\w+)>")
# Two of them, since a format may treat a lone tool differently.
_NO_NAMES: Final = ("\0", "\1")
"""Names that no tool has."""


@cached_on_argument
def end_of_raw(step: Step) -> RawEnd:
    """Returns the end of the raw payload that a step reads."""
    node, role = step.node, step.role
    # A closer may exclude text after it: with names in that, the wider machine would find less.
    has_names = any(terminal.kind == "tool" for _, terminal in node.tokens)
    around = None if has_names else _around(node.machine)
    if around is None:
        return RawEnd(node, role)
    less, more = (_shared(machine.node(node.stack), role) for machine in around)
    # An expression that begins with a name would begin with anything.
    is_led = all(first_characters(each) for each in more.sure if _ANY_NAME in each)
    return NamedEnd(node, role, less, more) if is_led else RawEnd(node, role)


def _around(machine: Machine) -> tuple[Machine, Machine] | None:
    """Returns the machines without names and with any; None if a name is not a plain word."""
    names, tables = machine.tool_names, machine.tables
    if machine.expressions.any_name or not names or not tables.names_tools or names[0] in _NO_NAMES:
        return None
    # A name such as `a b` is not among those that the wider machine accepts.
    if not all(map(_PLAIN_NAME.fullmatch, names)):
        return None
    is_lone = len(names) == 1  # the format may omit the name of a lone tool
    found: tuple[Machine, Machine] | None = tables.around.get(is_lone)
    if found is None:
        none, kind = _NO_NAMES[: min(len(names), 2)], type(machine)
        found = kind(tables, none), kind(tables, none, any_name=_ANY_NAME)
        tables.around[is_lone] = found
    return found


def _shared(node: Node, role: str) -> RawEnd:
    key = RawEnd, role
    found: RawEnd | None = node.cache.get(key)
    if found is None:
        found = node.cache[key] = RawEnd(node, role)
    return found


class NamedEnd(RawEnd):
    """The end of a raw payload, found by the two ends between which it lies."""

    def __init__(self, node: Node, role: str, less: RawEnd, more: RawEnd) -> None:
        super().__init__(node, role)
        self._less = less
        self._more = more

    @cached_property
    def search(self) -> re.Pattern[str]:
        """See `RawEnd.search`."""
        found = self._between("search", self._nameless)
        self.looks_on, self.repeats = self._more.looks_on, self._more.repeats
        self.words = self._more.words
        return found

    @cached_property
    def solid(self) -> re.Pattern[str] | None:
        """See `RawEnd.solid`."""
        return None if self._more.solid is None else self._between("solid", self._nameless)

    @cached_property
    def find(self) -> Search:
        """See `RawEnd.find`."""
        _ = self.search  # it sets `looks_on`, `repeats` and `words`
        less, more = self._less, self._more
        return Between(lambda: less.find, more.find, lambda: self._of_base("find"), self._nameless)

    @cached_property
    def find_solid(self) -> Search | None:
        """See `RawEnd.find_solid`."""
        more = self._more.find_solid
        if more is None:
            return None
        make = partial(self._of_base, "find_solid")
        return Between(lambda: cast("Search", self._less.find_solid), more, make, self._nameless)

    @cached_property
    def plain(self) -> re.Pattern[str]:
        """See `RawEnd.plain`."""
        return self._more.plain

    @cached_property
    def solid_plain(self) -> re.Pattern[str]:
        """See `RawEnd.solid_plain`."""
        return self._more.solid_plain

    @cached_property
    def beginnings(self) -> re.Pattern[str]:
        """See `RawEnd.beginnings`."""
        return self._between("beginnings")

    @cached_property
    def search_or_begun(self) -> re.Pattern[str]:
        """See `RawEnd.search_or_begun`."""
        return self._between("search_or_begun")

    @cached_property
    def _nameless(self) -> frozenset[str]:
        """The groups of the alternatives of `search` in which no name stands."""
        shared = (each for each in self._more.sure if _ANY_NAME not in each)
        return frozenset(group for each in shared for group in _GROUP.findall(each))

    def _between(self, name: str, shared: frozenset[str] = frozenset()) -> re.Pattern[str]:
        """Returns a pattern between those that the two ends have under this name."""
        less, more = partial(getattr, self._less, name), getattr(self._more, name)
        found = BetweenPatterns(less, more, partial(self._of_base, name), shared)
        return cast("re.Pattern[str]", found)

    def _of_base(self, name: str) -> Any:
        """Computes the attribute of the base class with this name."""
        # A cached property can't be asked for by `super()`: its function is called instead.
        return vars(RawEnd)[name].func(self)
