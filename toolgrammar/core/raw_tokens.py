"""Writes the tokens of a grammar, and what must follow them, as regular expressions."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from toolgrammar.core.beginnings import begins_blank
from toolgrammar.core.misspelt import near_opener
from toolgrammar.core.partial import partial
from toolgrammar.core.raw_tags import is_tag
from toolgrammar.core.repairs import clipped

if TYPE_CHECKING:
    from toolgrammar.core.machine import Node
    from toolgrammar.core.steps import Step
    from toolgrammar.core.tables import Terminal

_STRAY_TAG = r"(?:</[^<>\s]{1,64}(?: [^<>\s]{1,64})?>|<[|\uff5c][^|<>\s]{1,64}[|\uff5c]>)"
STRAY = rf"(?:{_STRAY_TAG}|```\w{{0,16}})"
BLANKS = r"\s{0,256}"
"""White space that may stand between a closer inside a raw value and what follows it."""


class TokenPatterns:
    """The expressions of what stands behind a raw payload."""

    def __init__(self, node: Node) -> None:
        self.node = node
        self.machine = node.machine
        self.fenced = any(terminal.name == "SAME_FENCE" for _, terminal in node.tokens)
        """Whether it is a block of code: blocks inside it balance, not calls."""
        self.words: dict[str, str] = {}
        """By a group of the expressions, the word that it must resemble."""

    def sequence(self, numbers: tuple[int, ...], group: str) -> str:
        """Joins terminals; the first that may hold a name is captured under `group`."""
        out, named = [], False
        for number in numbers:
            terminal = self.machine.tables.terminals[number]
            text = self.named(terminal, "")
            names = ("same",) if group == "closed" else ("regex", "same", "tool")
            if group and terminal.kind in names and not named and not is_tag(terminal):
                text, named = f"(?P<{group}>{text})", True
            out.append(text)
        return r"\s{0,16}".join(out)

    @staticmethod
    def unnamed(pattern: str) -> str:
        """Gives an expression without the names of its groups."""
        return re.sub(r"\(\?P<\w+>", "(?:", pattern)

    def named(self, terminal: Terminal, group: str) -> str:
        """Writes a terminal, captured under a group where one is given."""
        text = self.unnamed(self.machine.pattern(terminal))
        return f"(?P<{group}>{text})" if group else text

    def forced(
        self, group: str, terminal: Terminal, prefix: str, node: Node | None = None
    ) -> tuple[str, Node, Step]:
        """Writes a token and those that must follow it; gives the node behind and the last step.

        Args:
            group: the token in the node.
            terminal: what it reads.
            prefix: of the groups of what repeats a name; empty for none.
            node: where the token stands; before the payload's closer where none is given.
        """
        step = (node or self.node).steps[group]
        text = self.named(terminal, self._same(terminal, prefix, group))
        node = step.node
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
        """Writes what must follow a closer: what the node behind it takes."""
        if node.accepts_text or node.payloads or node.end is not None or not node.tokens:
            return ""
        options: list[str] = []
        misspelt: list[str] = []
        for inner, terminal in node.tokens:
            text = self.named(terminal, "")
            step = node.steps[inner]
            if (
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
            if half := clipped(step):
                behind = "|".join(self.named(each, "") for _, each in step.node.tokens)
                rest = rf"\s{{0,16}}(?:{STRAY}\s{{0,16}})?(?:{behind})"
                misspelt.append(f"{re.escape(half)}{rest}")
            near, word = near_opener(step, f"near_{group}_{inner}")
            if near:
                misspelt.append(near)
                self.words[f"near_{group}_{inner}"] = word
        # What stands outside of the call tells as well: then its own closers are missing.
        options.extend(
            self.unnamed(anchor.pattern)
            for anchor in node.repairs.anchors.values()
            if anchor.step.opens or anchor.step.after or anchor.step.before or anchor.closes_more
        )
        options += misspelt
        if final:
            # The end of the text may cut what follows.
            cut = "|".join(part for option in options if (part := partial(option)))
            options.append(rf"(?:{cut})?\Z" if cut else r"\Z")
        # Between them a fence may be left over, or another closer that is misspelt.
        stray = _STRAY_TAG if self.fenced else STRAY
        guard = rf"(?!(?#guard){own})"
        between = rf"(?:{guard}{stray}\s{{0,16}})??"
        # Where what follows does not begin with a blank, no part of the blanks is tried apart.
        solid = "|".join(each for each in options if not begins_blank(each)) or "(?!)"
        blank = "|".join(filter(begins_blank, options))
        found = f"{BLANKS}+{between}(?:{solid})"
        # What the end cut may begin with a blank too; a stream never asks for that.
        also = between if final else ""
        return f"(?={found}|{BLANKS}{also}(?:{blank}))" if blank else f"(?={found})"
