"""Learns fused runs: a run of tokens that was seen twice is fused into one expression.

The expression matches exactly where the node's own expressions, one after the other, would choose
the same tokens: a lookahead guards each token against those that the node prefers, and no token
backtracks. Example: the tokens before the arguments of `<tool_call>{"name": "f", "arguments": {}}`
are fused when they are read for the second time.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, NamedTuple

from toolgrammar.core.driver.payload_end import ends_call
from toolgrammar.core.machine.caches import cached_on_argument
from toolgrammar.core.shortcuts.whole import fused_tokens
from toolgrammar.core.shortcuts.whole.fused_tokens import SCANNED, WHOLE_MATCH, FusedTokens
from toolgrammar.core.shortcuts.whole.shortcut_rules import needs_driver
from toolgrammar.grammar.payload_kinds import PAYLOADS, named
from toolgrammar.grammar.roles import GROUP_ROLES, RAW_LIKE
from toolgrammar.patterns.beginnings import first_characters
from toolgrammar.patterns.partial import MAX_TOKEN, normalised
from toolgrammar.patterns.pattern_trees import has_one_way
from toolgrammar.values.patterns import blanks

if TYPE_CHECKING:
    from toolgrammar.core.machine.machine import Node, Step

SIGHTINGS: Final = 2
"""The number of times that a run is read before it is fused: compiling costs more than reading."""
MOST_FUSED: Final = 8
"""The most fused runs that one node keeps."""
_LONGEST: Final = 16
"""The most tokens of a run."""
_REMEMBERED: Final = 64
"""The most runs of a node that are counted."""
_LEAF_MARKS: Final = {"name": fused_tokens.NAME, "id": fused_tokens.ID, "key": fused_tokens.KEY}
_SAME_MARKS: Final = {"SAME_NAME": fused_tokens.SAME_NAME, "SAME_KEY": fused_tokens.SAME_KEY}
_CLOSING_MARKS: Final = {
    "call": fused_tokens.END_CALL,
    "argument": fused_tokens.END_ARGUMENT,
    "calls": fused_tokens.END_GROUP,
    "parallel": fused_tokens.END_GROUP,
}
_JSON_STARTS: Final = frozenset('"{[-0123456789tfn')
JSON_STARTS: Final = {name: PAYLOADS[name].begins for name in named("json") if name != "JSON_TEXT"}
"""The payloads in JSON, each with the expression of the beginning of its text."""


class Run(NamedTuple):
    """The tokens of a run, as they were read."""

    nodes: list[Node]
    """The nodes before each token, and the node behind the run."""
    steps: list[Step]
    payload: Step | None
    """The payload that the run leads to; None if it leads to text."""


class Learned:
    """The runs of tokens that were seen from one node on."""

    def __init__(self) -> None:
        self.fused_runs: list[FusedTokens] = []
        """The runs that were seen often enough, each fused into one expression."""
        self.sightings: dict[tuple[int, ...], int] = {}
        """The number of times that each run was seen."""


@cached_on_argument
def learned_from(_node: Node) -> Learned:
    """Returns what was learned from a node on; nothing at first."""
    return Learned()


def learn(node: Node, text: str, position: int, *, in_call: bool) -> FusedTokens | None:
    """Reads the run of tokens at `position`; fuses it when it was seen often enough."""
    run = _read(node, text, position, in_call=in_call)
    learned = learned_from(node)
    if run is None or len(learned.fused_runs) >= MOST_FUSED:
        return None
    # Steps live as long as their node, so their ids identify them.
    key = (*map(id, run.steps), id(run.payload))
    sightings = learned.sightings
    count = sightings.get(key, 0) + 1
    if len(sightings) >= _REMEMBERED:
        # All counts are dropped, which is simpler than a choice: a common run is counted again
        # soon.
        sightings.clear()
    sightings[key] = count
    # Equal, not greater, so that a run that can't be fused is tried only once.
    if count != SIGHTINGS:
        return None
    fused = fuse(run)
    if fused is not None:
        learned.fused_runs.append(fused)
    return fused


def _read(node: Node, text: str, position: int, *, in_call: bool) -> Run | None:
    """Returns the run of tokens up to a payload or to text; None if it can't be fused."""
    nodes: list[Node] = [node]
    steps: list[Step] = []
    # A run that begins in a call follows a payload of it.
    certain = in_call
    while len(steps) < _LONGEST:
        match = node.token.match(text, position)
        if match is None:
            payload = _payload(node, text, position)
            # A call without a closer of its own ends before the text that follows.
            ends = in_call and node.accepts_text and (certain or _is_delimited(steps))
            return Run(nodes, steps, payload) if steps and (payload is not None or ends) else None
        group = match.lastgroup
        assert group is not None
        step = node.steps[group]
        # The driver reads a token of this length as text.
        if match.end() - position > MAX_TOKEN:
            return None
        # The next call opens, and this one has no closer: the driver has to judge the end of the
        # call.
        if node.accepts_text and in_call and "call" in step.closes_before:
            return None
        # One token may end a call and begin the next, as `}, {` does.
        in_call = in_call and "call" not in step.closes_before + step.closes
        if (step.role or step.terminal.groups) and "call" not in step.closes:
            in_call = True
        position, node = match.end(), step.node
        nodes.append(node)
        steps.append(step)
        if node.accepts_text and not in_call:
            # The text would end a call without a name.
            return None if "call" in node.after_text[0] else Run(nodes, steps, None)
    return None


def _is_delimited(steps: list[Step]) -> bool:
    """Whether a literal follows the name in a run, without which text does not end the call."""
    named = [step.role == "name" or step.terminal.holds_name for step in steps]
    behind = steps[len(named) - named[::-1].index(True) :] if any(named) else []
    return any(step.kind in ("literal", "same") for step in behind)


def _payload(node: Node, text: str, position: int) -> Step | None:
    solid = blanks.match(text, position).end()
    # If white space counts at this node, raw text begins with it.
    if (position if node.blanks_matter else solid) == len(text):
        return None
    for step in node.payloads:
        begins = _beginning(step)
        if begins is None:
            return None
        # Raw text, which begins with any character, comes last.
        if not begins or step.begins.match(text, solid):
            return step
    return None


def _beginning(payload: Step) -> str | None:
    """Returns the expression of a payload's beginning: "" if raw, None if no run may end there."""
    name = payload.terminal.name
    if name in RAW_LIKE:
        return ""
    if name in SCANNED:
        return payload.begins.pattern
    return JSON_STARTS.get(name)


def fuse(run: Run) -> FusedTokens | None:
    """Returns the fused run of a run; None if it has a role that needs the driver."""
    parts: list[str] = []
    marks: list[tuple[int, str]] = []
    beside = ""
    for number, step in enumerate(run.steps):
        group = f"g{number}"
        pattern, found = _guarded_token(run.nodes[number], step, group)
        parts.append(pattern)
        marked = _marks(run, number, found, beside)
        if marked is None:
            return None
        marks.extend(marked)
        # Raw arguments begin with the mark before their first key; behind the name the next one
        # counts.
        if not step.role:
            beside = group
        elif step.role == "name":
            beside = ""
    payload, end = run.payload, run.nodes[-1]
    if payload is not None:
        # A role closes before the payload, and no token of the run has the mark for that.
        if payload.closes_before:
            return None
        parts.append(_before_payload(end, payload))
    else:
        marks = [_to_the_end(mark, f"g{len(run.steps) - 1}") for mark in marks]
    # The trim of a raw value depends on whether the grammar writes a line end before it.
    before = "\n" in run.steps[-1].terminal.trail
    may_go_on = payload is None and ends_call(run.steps[-1])
    return FusedTokens("".join(parts), marks, end, payload, before=before, may_go_on=may_go_on)


def _to_the_end(mark: tuple[int, str], last: str) -> tuple[int, str]:
    """Returns a mark without a capture of its own, if the end of its token is that of the run."""
    kind, group = mark
    ends_run = kind in (fused_tokens.END_CALL, fused_tokens.END_GROUP) and group == last
    return (kind, WHOLE_MATCH) if ends_run else mark


def _marks(
    run: Run, number: int, found: list[tuple[str, str]], beside: str
) -> list[tuple[int, str]] | None:
    """Returns the marks of one token; None if it needs the driver.

    Args:
        run: the run.
        number: the place of the token in it.
        found: groups of the token, each with the role that it fills.
        beside: the last token before that fills no role: raw arguments begin with it.
    """
    step, group = run.steps[number], f"g{number}"
    # A role that closes before the first token ended before the run, which has no group there.
    if needs_driver(step) or (step.closes_before and not number):
        return None
    marks = [(_CLOSING_MARKS[role], f"g{number - 1}") for role in step.closes_before]
    start_mark = _start_mark(run, number)
    if start_mark is not None:
        marks.append((start_mark, group))
    if step.opens in GROUP_ROLES:
        marks.append((fused_tokens.BEGIN_GROUP, group))
    for name, role in found:
        if role == "key":
            marks.append((fused_tokens.FIRST_KEY, beside or name))
        marks.append((_LEAF_MARKS[role], name))
    if step.kind == "same":
        marks.append((_SAME_MARKS[step.terminal.name], group))
    return marks + [(_CLOSING_MARKS[role], group) for role in step.closes]


def _start_mark(run: Run, number: int) -> int | None:
    """Returns the mark that notes a token with which a call may begin; None for other tokens.

    `FIRST_CALL_START` has an effect only if no earlier token of the island is noted.
    """
    step = run.steps[number]
    begins = step.opens or "call" in step.closes_before
    # The token follows the end of a call, as the comma in a list does.
    if number and "call" in run.steps[number - 1].closes:
        begins = True
    if begins or (not number and run.nodes[0].accepts_text):
        return fused_tokens.CALL_START
    return None if number else fused_tokens.FIRST_CALL_START


def _guarded_token(node: Node, step: Step, group: str) -> tuple[str, list[tuple[str, str]]]:
    """Writes one token, guarded against the tokens that the node prefers, and lists its roles."""
    machine = node.machine
    whole = machine.expressions.exact(step.terminal)
    names = {name: f"{group}_{place}" for place, (name, _) in enumerate(step.terminal.groups)}
    found = [(names[name], role) for name, role in step.terminal.groups]
    if step.role and step.role not in dict(step.terminal.groups).values():
        found.insert(0, (group, step.role))
    preferred = []
    mine = first_characters(whole)
    # The node tries its tokens in this order: only those before this one are preferred to it.
    for _, terminal in node.tokens:
        if terminal is step.terminal:
            break
        other = machine.expressions.tolerant(terminal)
        # Two fixed tokens can match at one place only if one begins with the other.
        # As `<|` and `<|end|>` do; `<call>` and `</call>` need no guard.
        if terminal.kind == step.kind == "literal" and not whole.startswith(other):
            continue
        firsts = first_characters(other)
        # No guard where the first characters already exclude each other.
        if mine is None or firsts is None or mine & firsts:
            preferred.append(normalised(other, {}))
    guard = f"(?!{'|'.join(preferred)})" if preferred else ""
    written = normalised(whole, names)
    # A pattern that matches in only one way needs no atomic group.
    token = f"{guard}(?P<{group}>{written if has_one_way(whole) else f'(?>{written})'})"
    if node.blanks_matter:
        return token, found
    if mine is not None and not any(map(str.isspace, mine)):
        return rf"\s*+{token}", found
    # The token may begin with white space itself; tokens behind the white space are preferred.
    others = [
        normalised(machine.expressions.tolerant(t), {})
        for _, t in node.tokens
        if t is not step.terminal
    ]
    behind = rf"(?!\s+(?:{'|'.join(others)}))" if others else ""
    return rf"{behind}(?>\s*{token})", found


def _before_payload(node: Node, payload: Step) -> str:
    """Returns the expression of a payload's beginning, where no token of the node matches."""
    name = payload.terminal.name
    begins = _beginning(payload)
    guards = []
    for _, terminal in node.tokens:
        pattern = node.machine.expressions.pattern(terminal)
        firsts = first_characters(pattern)
        # A token that can't begin as JSON does needs no guard before JSON.
        if name not in JSON_STARTS or firsts is None or firsts & _JSON_STARTS:
            guards.append(normalised(pattern, {}))
    if not begins:
        guards += (rf"\s*+(?:{start})" for start in map(_beginning, node.payloads) if start)
    guard = f"(?!{'|'.join(guards)})" if guards else ""
    if node.blanks_matter and begins:
        return rf"{guard}\s*+(?={begins})"  # only tokens and raw text begin at the very place
    blanks = "" if node.blanks_matter else r"\s*+"
    any_character = r"(?=[\s\S])"  # where the text ends the driver decides
    return f"{blanks}{guard}{f'(?={begins})' if begins else any_character}"
