"""Writes the closers of the markup around a raw payload, which show that its own is missing.

Example: in `<parameter=a>x</function></tool_call>` the closer of the call ends the value `x`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from toolgrammar.core.machine.repairs import repairs_of
from toolgrammar.core.payloads.raw.raw_tags import LONG
from toolgrammar.patterns.partial import partial, unnamed

if TYPE_CHECKING:
    from toolgrammar.core.machine.machine import Node
    from toolgrammar.core.machine.repairs import Anchor
    from toolgrammar.core.payloads.raw.raw_tokens import TokenPatterns

_BLANKS = r"\s{0,256}"


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
    if anchor.closes or anchor.step.after:
        return None
    # The anchor alone closes nothing, as `</parameters>`: it counts only with the call's closer
    # after it.
    group = forced_group(node)
    if group is None or node.steps[group].opens:
        return None
    text, behind, last = end.forced(group, node.steps[group].terminal, "", node=node)
    return (rf"{pattern}\s{{0,16}}{text}", behind) if "call" in last.after else None


def forced_group(node: Node) -> str | None:
    """Returns the only literal that a node accepts; None if there is a choice."""
    alone = len(node.tokens) == 1 and not node.payloads and not node.accepts_text
    if not alone or node.end is not None or node.tokens[0][1].kind != "literal":
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
    return f"(?={_BLANKS}(?:{'|'.join(options)}))" if options else "(?!)"
