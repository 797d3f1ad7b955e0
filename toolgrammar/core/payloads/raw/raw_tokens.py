"""Writes the tokens around a raw payload, and the text that must follow them, as expressions.

Examples: `</parameter>` counts as a closer if `<parameter=` or `</function>` follows: the expression
is the closer with a look-ahead for those two. In `<parameter=a>x</function></tool_call>` the closer
of the call ends the value, which lacks its own.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from toolgrammar.core.machine.expressions import sample_text
from toolgrammar.core.machine.near_tokens import near_opener
from toolgrammar.core.machine.relaxed_quotes import loose_pattern
from toolgrammar.core.machine.repairs import repairs_of, without_last_tag
from toolgrammar.patterns.beginnings import begins_blank, begins_indented, first_characters
from toolgrammar.patterns.partial import alternation, partial, unnamed

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from toolgrammar.core.machine.machine import Node, Step
    from toolgrammar.core.machine.repairs import Anchor
    from toolgrammar.grammar.terminals import Terminal

_TOKENS = ("literal", "regex", "same", "tool")
"""The kinds of terminals that are no payloads."""
LONG = 5
"""The minimal length of an outer closer in characters; a tag is longer than this."""


def is_tag(terminal: Terminal) -> bool:
    """Whether a terminal is a text of some length, in any case, without a name in it."""
    # A terminal with groups, as `<function=(?P<name>…)>`, matches another text in each call.
    return len(sample_text(terminal).strip()) > LONG and not terminal.groups


def is_bracket(terminal: Terminal) -> bool:
    """Whether an opener of an argument is so short that the key is most of it."""
    return terminal.kind != "regex" and not is_tag(terminal)


def ends_line(terminal: Terminal) -> bool:
    """Whether a terminal is the end of a line, without markup."""
    text = sample_text(terminal)
    return "\n" in text and not text.strip()


def begins_word(terminal: Terminal) -> bool:
    """Whether the text of a terminal begins with a letter, a digit or an underscore."""
    firsts = first_characters(terminal.pattern) if terminal.kind == "regex" else None
    # The key of `city: Oslo` is such a word; that of `<city>` follows a bracket.
    return bool(firsts) and all(each.isalnum() or each == "_" for each in firsts or ())


# `</x>` or `<|x|>`, also between fullwidth bars. Lengths are bounded: a text may contain `</` and no
# end of a tag.
_STRAY_TAG = r"(?:</[^<>\s]{1,64}(?: [^<>\s]{1,64})?>|<[|\uff5c][^|<>\s]{1,64}[|\uff5c]>)"
# Or a left-over fence.
STRAY = rf"(?:{_STRAY_TAG}|```\w{{0,16}})"
BLANKS = r"\s{0,256}"
"""White space that may be between a closer inside a raw value and the text after it."""

_LINE_ENDS = r"(?>(?:\s{0,255}\n)?)"
"""White space up to its last line end; atomic, so that no other line end is tried."""


def leads(node: Node, numbers: tuple[int, ...]) -> bool:
    """Whether a node accepts these terminals one after the other."""
    for number in numbers:
        step = node.steps.get(f"t{number}")
        if step is None:
            return False
        node = step.node
    return True


class TokenPatterns:
    """The expressions of the text that may follow a raw payload."""

    def __init__(self, node: Node) -> None:
        self.node = node
        self.machine = node.machine
        self.fenced = any(terminal.name == "SAME_FENCE" for _, terminal in node.tokens)
        """Whether it is a block of code, in which blocks balance instead of calls."""
        self.is_prose = False
        """Whether it is reasoning or text, which are no part of a call."""
        self.words: dict[str, str] = {}
        """The word that a group of the expressions must resemble, by the name of the group."""

    def sequence(self, numbers: tuple[int, ...], group: str) -> str:
        """Joins terminals; the first that may contain a name is captured under `group`."""
        out, named = [], False
        for number in numbers:
            terminal = self.machine.tables.terminals[number]
            text = self.named(terminal, "")
            # A closer contains a name only if it repeats one; an opener may contain any.
            names = ("same",) if group == "closed" else ("regex", "same", "tool")
            if group and terminal.kind in names and not named and not is_tag(terminal):
                text, named = f"(?P<{group}>{text})", True
            out.append(text)
        # The white space between is bounded, or a long run of it would be tried at every place.
        return r"\s{0,16}".join(out)

    def named(self, terminal: Terminal, group: str) -> str:
        """Writes a terminal, captured under a group if one is given."""
        text = unnamed(self.machine.expressions.pattern(terminal))
        return f"(?P<{group}>{text})" if group else text

    def forced(
        self, group: str, terminal: Terminal, prefix: str, node: Node | None = None
    ) -> tuple[str, Node, Step]:
        """Writes a token and those that must follow; returns the node after it and the last step.

        Args:
            group: the group of the token in the node.
            terminal: its terminal.
            prefix: the prefix of the groups of repeated names; "" for no groups.
            node: the node of the token; by default the one before the payload's closer.
        """
        step = (node or self.node).steps[group]
        text = self.named(terminal, self._same(terminal, prefix, group))
        for each in forced_steps(step, kinds=("literal", "same")):
            same = self._same(each.terminal, prefix, group)
            text += r"\s{0,16}" + self.named(each.terminal, same)
            step = each
        return text, step.node, step

    def _same(self, terminal: Terminal, prefix: str, group: str) -> str:
        repeated = prefix and terminal.kind == "same"
        return f"{prefix}_{terminal.name}_{group}" if repeated else ""

    def follow(self, group: str, node: Node, *, final: bool, own: str) -> str:
        """Writes the text that must follow a closer: the tokens that the node after it accepts."""
        # If anything may follow, there is no condition.
        if node.accepts_text or node.payloads or node.closes_at_end is not None or not node.tokens:
            return ""
        options: list[str] = []
        misspelt: list[str] = []
        for inner, terminal in node.tokens:
            text = self.named(terminal, "")
            step = node.steps[inner]
            if (
                # A literal of one or two characters, as `,`, is in prose too: it counts only with
                # the token that follows it.
                terminal.kind == "literal"
                and step.weight < 3
                and not step.closes
                and step.node.tokens
                and not step.node.payloads
            ):
                seconds = [t for _, t in step.node.tokens]
                found = [self.named(t, self._same(t, f"f{inner}", group)) for t in seconds]
                # The keys of the call that ends prose may have other quotes than JSON's. A value
                # that quotes such an object goes on.
                found += filter(None, map(loose_pattern, seconds if self.is_prose else ()))
                text += rf"\s{{0,16}}(?:{'|'.join(found)})"
            options.append(text)
            # `</parameter></invoke>` as one token, whose last tag is missing or misspelt.
            if half := without_last_tag(step):
                behind = "|".join(self.named(each, "") for _, each in step.node.tokens)
                rest = rf"\s{{0,16}}(?:{STRAY}\s{{0,16}})?(?:{behind})"
                misspelt.append(f"{re.escape(half)}{rest}")
            near, word = near_opener(step, f"near_{group}_{inner}")
            if near:
                misspelt.append(near)
                self.words[f"near_{group}_{inner}"] = word
        # Markup outside of the call confirms it as well: then the call's own closers are missing.
        options.extend(
            unnamed(anchor.pattern)
            for anchor in repairs_of(node).anchors.values()
            if anchor.step.opens
            or anchor.step.closes
            or anchor.step.closes_before
            or anchor.closes_more
        )
        options += misspelt
        # Between them a left-over fence may be, or another closer that is misspelt.
        stray = _STRAY_TAG if self.fenced else STRAY
        # The stray must not be the value's own closer, which is judged by itself. The comment in
        # the expression lets `raw_end.py` distinguish this look-ahead from others.
        guard = rf"(?!(?#guard){own})"
        return _behind_blanks(options, rf"(?:{guard}{stray}\s{{0,16}})??", final=final)


def _behind_blanks(options: Sequence[str], between: str, *, final: bool) -> str:
    """Writes that one of several expressions follows, after optional white space.

    Args:
        options: the expressions.
        between: the text that may be between the white space and that expression.
        final: whether the text has ended, which may cut what follows.
    """
    # If an expression does not begin with a blank, no shorter run of blanks has to be tried.
    solid = [each for each in options if not begins_blank(each)]
    # ` key:` begins with the blanks of its line: only the last line end can be before it.
    indented = [each for each in options if begins_blank(each) and begins_indented(each)]
    other = [each for each in options if begins_blank(each) and not begins_indented(each)]
    if final:
        for each in (solid, indented, other):
            each += [rf"(?:{begun})\Z" for option in each if (begun := partial(option))]
        solid.append(r"\Z")
    # Possessive: a run of white space is matched whole or not at all. The first place is written
    # even if no expression belongs to it.
    places = ((f"{BLANKS}+{between}", solid), (_LINE_ENDS, indented), (BLANKS, other))
    found = [f"{before}(?:{alternation(each)})" for before, each in places if each or each is solid]
    return f"(?={alternation(found)})"


def outer_closers(end: TokenPatterns, *, final: bool) -> list[str]:
    """Writes the closers that end the call, each with what the grammar forces after it."""
    found = []
    for anchor in repairs_of(end.node).anchors.values():
        # An anchor is markup that fits here once missing text is inserted before it.
        closer = _closer_of_call(end, anchor)
        if closer is None:
            continue
        pattern, behind = closer
        follow = after_outer(end, behind, final=final)
        found.append(f"{pattern}{follow}(?P<outer_{anchor.group}>)")
    return found


def _closer_of_call(end: TokenPatterns, anchor: Anchor) -> tuple[str, Node] | None:
    """Writes the closer that an anchor begins, and returns the node after it; None for others."""
    node = anchor.node
    # `}` or `]` is in any text: such a short text does not prove that the call ends.
    if anchor.step.opens or len(anchor.pattern) < LONG or node.payloads:
        return None
    # The names of groups must differ from those that the same anchor has elsewhere.
    pattern = anchor.pattern.replace(f"_{anchor.group}>", f"_o{anchor.group}>")
    if anchor.closes == "call":
        return pattern, node
    if anchor.closes or anchor.step.closes:
        return None
    # The anchor alone closes nothing, as `</parameters>`: it counts only with the call's closer
    # after it.
    group = _forced_group(node, kinds=("literal",))
    if group is None or node.steps[group].opens:
        return None
    text, behind, last = end.forced(group, node.steps[group].terminal, "", node=node)
    return (rf"{pattern}\s{{0,16}}{text}", behind) if "call" in last.closes else None


def forced_steps(step: Step, *, kinds: Sequence[str] = _TOKENS) -> Iterator[Step]:
    """Yields the steps of the tokens of some kinds that must follow a token.

    A token that closes a structure is the last one.
    """
    while not step.closes and (group := _forced_group(step.node, kinds=kinds)) is not None:
        step = step.node.steps[group]
        yield step


def _forced_group(node: Node, *, kinds: Sequence[str]) -> str | None:
    """Returns the only token that a node accepts; None if there is a choice, or its kind is other."""
    alone = len(node.tokens) == 1 and not node.payloads and not node.accepts_text
    if not alone or node.closes_at_end is not None or node.tokens[0][1].kind not in kinds:
        return None
    return node.tokens[0][0]


def after_outer(end: TokenPatterns, node: Node, *, final: bool) -> str:
    """Writes what must follow an outer closer: markup or the end of the text, not prose."""
    # If prose may follow, any text would match: then only an opener or the end confirms it.
    if not node.accepts_text:
        return end.follow("outer", node, final=final, own="(?!)") or "(?!)"
    options = [unnamed(part) for part in node.openers()]
    # The end of the text may cut the opener that follows: `</call>\n<cal`.
    if final:
        cut = "|".join(part for option in options if (part := partial(option)))
        options.append(rf"(?:{cut})?\Z" if cut else r"\Z")
    return f"(?={BLANKS}(?:{'|'.join(options)}))" if options else "(?!)"
