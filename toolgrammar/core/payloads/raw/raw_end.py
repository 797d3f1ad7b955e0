"""Finds where a raw payload ends: at the first closer without a partner inside.

A raw value has no escapes, so a closer inside it looks like its own. Three rules decide:

- a closer counts only if the grammar accepts the text after it;
- the tags of a call that is quoted inside the value balance: its opener (recognised only if a child
  tag or its own closer follows) pushes, its closer pops, and while one is open no closer ends
  the value;
- the value's own tag may be quoted too: its closer then pairs, unless the call's closer follows.

An opener of another call never ends a string: a file that documents a format must not run.
Example: of `<parameter=p>a </parameter> b</parameter></function>` the value is `a </parameter> b`.
"""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING

from toolgrammar.core.machine.expressions import sample_text
from toolgrammar.core.machine.near_marks import near_mark
from toolgrammar.core.machine.near_tokens import near_closer
from toolgrammar.core.machine.repairs import repairs_of
from toolgrammar.core.payloads.raw.raw_tokens import (
    BLANKS,
    STRAY,
    TokenPatterns,
    after_outer,
    begins_word,
    ends_line,
    is_bracket,
    is_tag,
    leads,
    outer_closers,
)
from toolgrammar.core.payloads.raw.value_marks import ValueMarks
from toolgrammar.grammar.call_evidence import is_of_calls
from toolgrammar.patterns.beginnings import first_characters, without
from toolgrammar.patterns.fences import NESTED
from toolgrammar.patterns.partial import (
    BEGUN,
    MOST_BLANKS,
    alternation,
    partial,
    tail_that_begins,
    unnamed,
)
from toolgrammar.patterns.quick_search import behind_blanks, quick_search
from toolgrammar.values.patterns import compile_pattern, late

if TYPE_CHECKING:
    import re

    from toolgrammar.core.machine.machine import Node
    from toolgrammar.grammar.terminals import Terminal
    from toolgrammar.patterns.quick_search import Search

_LOOKS_ON = late(r"\$|\\[bZ]|\(\?!(?!\)|\(\?#)")
"""Matches parts of an expression that may depend on more text, except the guard of stray tags."""
_BLANKS_IN_FRONT = rf"\s{{0,{MOST_BLANKS}}}"
"""The expression in the tables for a closer that may begin with white space."""


class RawEnd(TokenPatterns):
    """The end of a raw payload before one node, as regular expressions made on demand."""

    def __init__(self, node: Node, role: str) -> None:
        super().__init__(node)
        self.role = role
        self.closes_line = any("\n" in terminal.lead for _, terminal in node.tokens)
        """Whether the closer is at the start of a line of its own."""
        opener = self.machine.tables.call_opener
        first = {group for group, _ in node.tokens}
        # `]]>` may be before the closing tag, in one token with it.
        self.in_cdata = any(sample_text(each).lstrip().startswith("]]>") for _, each in node.tokens)
        """Whether it is CDATA, in which only its own closer is markup."""
        self.nests = (
            not self.fenced
            and role in ("value", "input", "body")
            and bool(opener)
            # If the opener of the next call ends the payload, it can't open a quoted one inside it.
            and not any(f"t{head[0]}" in first for head in opener[2:])
        )
        openers, terminals = self.machine.tables.value_openers, self.machine.tables.terminals
        begin = [terminals[each[0]] for each in openers]
        self.is_thought = role == "reasoning"
        """Whether it is reasoning, which the model may forget to close."""
        self.is_prose = role in ("reasoning", "content")
        self.tagged = any(map(is_tag, begin)) and not any(map(is_bracket, begin))
        """Whether the opener of an argument is more than a bracket and the key: not in prose."""
        self.call_closes_alone = bool(opener) and leads(node, opener[0])
        """Whether the payload's closer is the call's closer, so that quoted calls pair with it."""
        self.closes_call = {
            f"closer_{group}"
            for group, terminal in node.tokens
            if self.call_closes_alone and "call" in self.forced(group, terminal, "")[2].closes
        }
        """The closers that also close the call, as groups of the expressions."""
        self.looks_on = False
        """Whether a closer may depend on the character after it; set with the expressions."""
        self.repeats = False
        """Whether a closer repeats the call's name or key; set once `search` was computed."""
        self._other_closers: dict[bool, re.Pattern[str]] = {}
        self.other_closer_beginnings: re.Pattern[str] | None = None
        """Matches text that may still become such a closer; set with the expression."""
        self._beside: dict[bool, re.Pattern[str]] = {}

    @cached_property
    def marks(self) -> ValueMarks:
        """The markup that may be damaged in the payload."""
        takes = self.role in ("value", "input", "body") and not self.in_cdata
        # A line such as `path: a`: the closer of the value is the end of its line.
        in_line = self.role == "value" and all(ends_line(each) for _, each in self.node.tokens)
        return ValueMarks(self, takes=takes, pairs=self.pairs, in_line=in_line)

    def opens_by_line(self, match: re.Match[str]) -> bool:
        """Whether the payload ends at an opener of a call that counts only at the start of a line.

        In `<|python_tag|>send({"name": "f", "parameters": {}})` the object is a part of the code.
        An opener that only calls have ends a payload anywhere.
        """
        step = self.node.steps.get((match.lastgroup or "").removeprefix("closer_"))
        return step is not None and "call" in step.closes_before and not is_of_calls(match[0], "")

    def closes(self, match: re.Match[str]) -> bool:
        """Whether a match is the payload's own closer, whatever stands before it."""
        return str(match.lastgroup).startswith("closer_") and not self.opens_by_line(match)

    @property
    def pairs(self) -> bool:
        """Whether the payload's own closers pair with the openers of values that it quotes."""
        return bool(self._value_closers())

    @cached_property
    def search(self) -> re.Pattern[str]:
        """Finds the next closer, or tag of a quoted call, that the text after it confirms."""
        expression = alternation(self.sure)
        found = compile_pattern(expression)
        # `$`, `\b`, `\Z` or a negative look-ahead needs the text after a closer: a stream waits for it.
        self.looks_on = _LOOKS_ON.search(expression) is not None
        self.repeats = any("_SAME_" in group for group in found.groupindex)
        return found

    @cached_property
    def find(self) -> Search:
        """Finds what `search` finds, from an index of a text on; it is fast on long texts."""
        # Alternatives that begin with optional white space are tried at every character; see
        # `quick_search.py`.
        if self.find_solid is None:
            return quick_search(self.search, self.sure)
        return behind_blanks(self.search, self.find_solid)

    @cached_property
    def find_solid(self) -> Search | None:
        """Finds the same without white space at the start of a closer; None if none has any."""
        return None if self.solid is None else quick_search(self.solid, self.solid_parts)

    @cached_property
    def solid(self) -> re.Pattern[str] | None:
        """Matches what `find_solid` finds."""
        return (
            None if self.solid_parts == self.sure else compile_pattern("|".join(self.solid_parts))
        )

    @cached_property
    def sure(self) -> list[str]:
        """The expressions of the alternatives of `search`."""
        return self.parts()

    @cached_property
    def is_beside_calls(self) -> bool:
        """Whether the opener of a call ends it, too, as prose: a damaged call may then be in it."""
        if not self.is_prose:
            return False
        # `Thought:` has no closer, so the next opener ends it. `<think>` has a closer: calls may be
        # inside it, unless the grammar lets their opener end it, too.
        return (self.is_thought and self.node.ends_by_opener) or any(
            self.node.steps[group].opens and is_of_calls(terminal.text, "")
            for group, terminal in self.node.tokens
        )

    @cached_property
    def closers(self) -> list[str]:
        """The expressions of `sure`, without those of openers of calls, which may end reasoning."""
        # The opener of a call ends reasoning, but does not close it.
        islands = self._islands()
        return [each for each in self.sure if each not in islands]

    @cached_property
    def solid_parts(self) -> list[str]:
        """The expressions of `sure`, without white space at the start of a closer."""
        return [each.removeprefix(_BLANKS_IN_FRONT) for each in self.sure]

    @cached_property
    def solid_plain(self) -> re.Pattern[str]:
        """Matches a chunk in which nothing can begin that `solid`, or else `search`, finds."""
        return self.plain if self.solid is None else without(first_characters(self.solid.pattern))

    @cached_property
    def final(self) -> re.Pattern[str]:
        """Finds an end that the end of the text may have cut, if `search` finds none."""
        return compile_pattern(alternation(self.parts(final=True)))

    @cached_property
    def bare(self) -> re.Pattern[str]:
        """Finds what `final` may find, whatever follows: it is small, and excludes most texts."""
        parts = [
            unnamed(self.forced(group, terminal, "")[0])
            for group, terminal in self.node.tokens
            if self._unit(group, terminal, final=True) != self._unit(group, terminal, final=False)
        ]
        if self.nests:
            parts += [unnamed(each.pattern) for each in repairs_of(self.node).anchors.values()]
        return compile_pattern(alternation(parts))

    @cached_property
    def beginnings(self) -> re.Pattern[str]:
        """Finds the tail of the text that may become a match of `search`."""
        return tail_that_begins(self.sure)

    @cached_property
    def search_or_begun(self) -> re.Pattern[str]:
        """Finds the first match of `search` or `beginnings`; `BEGUN` is the group of the latter."""
        return compile_pattern(f"{self.search.pattern}|{self.beginnings.pattern}(?P<{BEGUN}>)")

    @cached_property
    def own_beginnings(self) -> re.Pattern[str]:
        """Finds the tail of the text that may become the payload's own closer."""
        return tail_that_begins(
            self._unit(group, each, final=False) for group, each in self.node.tokens
        )

    @cached_property
    def plain(self) -> re.Pattern[str]:
        """Matches a chunk in which nothing can begin that `search` finds."""
        return without(first_characters(self.search.pattern))

    def is_plain(self, text: str, start: int, end: int) -> bool:
        """Whether nothing that `search` finds can begin between two indexes."""
        return start == end or self.plain.fullmatch(text, start, end) is not None

    @cached_property
    def outer_beginnings(self) -> re.Pattern[str]:
        """Matches text that may still become a closer of the markup around the payload."""
        return tail_that_begins(self._outer_closers(final=False))

    @cached_property
    def closing_call(self) -> re.Pattern[str]:
        """Matches the call's closer after the payload's own."""
        return compile_pattern(self._closers_of_call())

    @cached_property
    def closing_call_beginnings(self) -> re.Pattern[str]:
        """Matches text that may still become a match of `closing_call`."""
        return tail_that_begins([self._closers_of_call()])

    def _closers_of_call(self) -> str:
        if not self.nests or self.call_closes_alone:
            return "(?!)"
        closer = self.sequence(self.machine.tables.call_opener[0], "closed")
        return f"{BLANKS}(?:{'|'.join((closer, *self._ways_out()))})"

    def beside(self, *, final: bool) -> re.Pattern[str]:
        """Matches markup that is not the payload's own closer."""
        found = self._beside.get(final)
        if found is None:
            parts = (*self._outer_closers(final=final), *self._tags())
            found = self._beside[final] = compile_pattern(alternation(parts))
        return found

    def other_closer(self, *, final: bool) -> re.Pattern[str]:
        """Matches, after the payload's closer, one that is not the call's, and the text after it.

        It is in the place of the call's closer: another call, the closer of a section or the end of
        the text follows it.
        """
        found = self._other_closers.get(final)
        if found is None:
            behind = (self.forced(group, each, "")[1] for group, each in self.node.tokens)
            paths = [path for node in behind if (path := repairs_of(node).to_text)]
            outside = {id(path[-1].node): path[-1].node for path in paths}
            follow = "|".join(after_outer(self, n, final=final) for n in outside.values())
            found = compile_pattern(f"{BLANKS}{STRAY}(?:{follow or '(?!)'})")
            self._other_closers[final] = found
            if not final:
                self.other_closer_beginnings = compile_pattern(f"(?:{partial(found.pattern)})\\Z")
        return found

    def parts(self, *, final: bool = False) -> list[str]:
        """Lists the expressions of the ends of the payload, and of tags of a call quoted in it."""
        closers = [self._unit(group, terminal, final=final) for group, terminal in self.node.tokens]
        if self.fenced:
            closers.append(NESTED)
        # The order is that of trying: the first alternative that matches counts.
        # A closer is tried before the tags of quoted calls: it may be one of them. Markup that is
        # spelled right is no misspelt closer: `<|call:end|>` resembles `<|arg:end|>`.
        closers += [*self._islands(), *self._outer_closers(final=final), *self._tags()]
        return [*closers, *self._near_closers(), *self._value_closers()]

    def _outer_closers(self, *, final: bool) -> list[str]:
        """Writes the closers of the markup around the payload; in CDATA all markup is text."""
        return outer_closers(self, final=final) if self.nests and not self.in_cdata else []

    def _islands(self) -> list[str]:
        """Writes the openers of calls, if a thought may have ended before one."""
        if not self.is_thought:
            return []
        own = {terminal.name for _, terminal in self.node.tokens}
        # `<think>` in a thought is a word; `<tool_call>` may be a call after a thought without
        # its closer.
        openers = [each for _, each in self.machine.start.tokens if each.name not in own]
        marks = [each for each in openers if is_of_calls(each.text or sample_text(each), "")]
        return [f"{self.named(each, '')}(?P<island_{at}>)" for at, each in enumerate(marks)]

    def _near_closers(self) -> list[str]:
        """Writes misspelt closers of an argument, each with the text that must follow it."""
        found = []
        for group, terminal in self.node.tokens:
            step = self.node.steps[group]
            near, word = near_closer(step, f"near_own_{group}")
            # `</paramter>` with `</function>` after it.
            if near and self.nests and not self.in_cdata:
                own = unnamed(self.machine.expressions.pattern(terminal))
                follow = self.follow(f"n{group}", step.node, final=False, own=own)
                found.append(f"{near}{follow}(?P<near_closer_{group}>)")
                self.words[f"near_own_{group}"] = word
        return found

    def _tags(self) -> list[str]:
        """Writes the tags of a quoted call."""
        parts: list[str] = []
        if self.nests:
            closer, follow, *heads = self.machine.tables.call_opener
            terminals = self.machine.tables.terminals
            following = "|".join(self.named(terminals[n], "") for n in follow)
            after = f"(?={BLANKS}(?:{following}))" if follow else ""
            # An expression that begins with its literal, not with a group, is searched faster.
            named = any(terminals[n].kind == "same" for n in closer)
            for number, head in enumerate(heads):
                opener = self.sequence(head, f"opened_{number}" if named else "")
                parts.append(f"{opener}(?P<call_opener_{number}>){after}")
            # If the payload's closer is the call's, it is searched for already.
            if not self.call_closes_alone or named:
                parts.append(f"{self.sequence(closer, 'closed')}(?P<call_closer>)")
            values = self.machine.tables.value_openers
            for number, value in enumerate(values):
                # A key without a prefix must be a whole word, not the end of one.
                alone = begins_word(self.machine.tables.terminals[value[0]])
                opener = (r"(?<!\w)" if alone else "") + self.sequence(value, f"key_{number}")
                parts.append(f"{opener}(?P<value_opener_{number}>)")
            written = (terminals[each[0]].text for each in values)
            near, word = near_mark(next(filter(None, written), ""), "near_word")
            # `<paramter=b>` at the start of a line; the look-behind is after `<`, so that the
            # expression begins with a literal.
            if near[:1] == "<" and self.tagged:
                parts.append(rf"<(?<=\n<){near[1:]}(?P<near_opener>)")
                self.words["near_word"] = word
        return parts

    def _value_closers(self) -> list[str]:
        """Writes the closers of a value that pair with its own opener inside it.

        The text after them does not matter: they are counted against the openers.
        """
        if not self.nests or not self.machine.tables.value_openers:
            return []
        found = []
        for group, terminal in self.node.tokens:
            text, _, last = self.forced(group, terminal, "v")
            # It pairs with the openers of arguments, so it has to close one.
            if "argument" in last.closes:
                found.append(f"{text}(?P<value_closer_{group}>)")
        return found

    @cached_property
    def value_closing(self) -> re.Pattern[str]:
        """Matches the value's own closer, whatever follows it."""
        return compile_pattern(alternation(self._value_closers()))

    def _ways_out(self) -> list[str]:
        """Writes the closers of the call that are part of others, after the payload's own."""
        found = []
        for group, terminal in self.node.tokens:
            _, behind, last = self.forced(group, terminal, "")
            if "argument" not in last.closes:
                continue
            for inner, first in behind.tokens:
                step = behind.steps[inner]
                if first.kind == "literal" and not step.opens:
                    text, _, out = self.forced(inner, first, "", node=behind)
                    if "call" in out.closes:
                        found.append(text)
        return found

    def _unit(self, group: str, terminal: Terminal, *, final: bool) -> str:
        """Writes one closer: the tokens that the grammar forces, and what may follow them."""
        text, node, _ = self.forced(group, terminal, "u")
        follow = self.follow(group, node, final=final, own=unnamed(text))
        return f"{text}{follow}(?P<closer_{group}>)"
