"""Writes the tokens of a grammar, and the text that must follow them, as regular expressions.

Example: `</parameter>` counts as a closer if `<parameter=` or `</function>` follows: the expression
is the closer with a look-ahead for those two.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from toolgrammar.core.machine.near_tokens import near_opener
from toolgrammar.core.machine.repairs import clipped, repairs_of
from toolgrammar.core.payloads.raw.raw_tags import is_tag
from toolgrammar.patterns.beginnings import begins_blank, begins_indented
from toolgrammar.patterns.partial import any_of, partial, unnamed

if TYPE_CHECKING:
    from collections.abc import Sequence

    from toolgrammar.core.machine.machine import Node, Step
    from toolgrammar.grammar.terminals import Terminal

# `</x>` or `<|x|>`, also between fullwidth bars. Lengths are bounded: a text may contain `</` and no
# end of a tag.
_STRAY_TAG = r"(?:</[^<>\s]{1,64}(?: [^<>\s]{1,64})?>|<[|\uff5c][^|<>\s]{1,64}[|\uff5c]>)"
# Or a left-over fence.
STRAY = rf"(?:{_STRAY_TAG}|```\w{{0,16}})"
BLANKS = r"\s{0,256}"
"""White space that may be between a closer inside a raw value and the text after it."""

_LINE_ENDS = r"(?>(?:\s{0,255}\n)?)"
"""Such white space up to its last line end; atomic, so that no other line end is tried."""


class TokenPatterns:
    """The expressions of the text that may follow a raw payload."""

    def __init__(self, node: Node) -> None:
        self.node = node
        self.machine = node.machine
        self.fenced = any(terminal.name == "SAME_FENCE" for _, terminal in node.tokens)
        """Whether it is a block of code, in which blocks balance instead of calls."""
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
        node = step.node
        # If the grammar has a choice, or something is closed, the text after it is not forced.
        while (
            len(node.tokens) == 1
            and not node.payloads
            and not node.accepts_text
            and node.end is None
            and node.tokens[0][1].kind in ("literal", "same")
            and not step.after
        ):
            inner, terminal = node.tokens[0]
            text += r"\s{0,16}" + self.named(terminal, self._same(terminal, prefix, group))
            step = node.steps[inner]
            node = step.node
        return text, node, step

    def _same(self, terminal: Terminal, prefix: str, group: str) -> str:
        repeated = prefix and terminal.kind == "same"
        return f"{prefix}_{terminal.name}_{group}" if repeated else ""

    def follow(self, group: str, node: Node, *, final: bool, own: str) -> str:
        """Writes the text that must follow a closer: the tokens that the node after it accepts."""
        # If anything may follow, there is no condition.
        if node.accepts_text or node.payloads or node.end is not None or not node.tokens:
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
                and not step.after
                and step.node.tokens
                and not step.node.payloads
            ):
                second = "|".join(
                    self.named(t, self._same(t, f"f{inner}", group)) for _, t in step.node.tokens
                )
                text += rf"\s{{0,16}}(?:{second})"
            options.append(text)
            # `</parameter></invoke>` as one token, whose last tag is missing or misspelt.
            if half := clipped(step):
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
            if anchor.step.opens or anchor.step.after or anchor.step.before or anchor.closes_more
        )
        options += misspelt
        if final:
            # The end of the text may cut the token that follows.
            cut = "|".join(part for option in options if (part := partial(option)))
            options.append(rf"(?:{cut})?\Z" if cut else r"\Z")
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
        final: whether the text has ended.
    """
    # If an expression does not begin with a blank, no shorter run of blanks has to be tried.
    solid = any_of(each for each in options if not begins_blank(each))
    blank = [each for each in options if begins_blank(each)]
    indented = "|".join(filter(begins_indented, blank))
    other = "|".join(each for each in blank if not begins_indented(each))
    # Possessive: a run of white space is matched whole or not at all.
    found = [f"{BLANKS}+{between}(?:{solid})"]
    # A token that the end cuts may begin with a blank too; a stream never asks for that.
    also = between if final else ""
    if indented:
        # ` key:` begins with the blanks of its line: only the last line end can be before it.
        found.append(f"{_LINE_ENDS}{also}(?:{indented})")
    if other:
        found.append(f"{BLANKS}{also}(?:{other})")
    return f"(?={'|'.join(found)})"
