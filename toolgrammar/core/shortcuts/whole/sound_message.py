"""Reads a whole message by the shortcut, if it is sound and nothing in it needs the driver.

Example: `Ok. <tool_call>{"name": "f", "arguments": {}}</tool_call>` gives the result at once. In
`Use <tool_call> so.` the reader finds only text, but the driver has to judge the sign of a call in
it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from toolgrammar.core.shortcuts.whole.shortcut_rules import is_judged
from toolgrammar.core.shortcuts.whole.whole_reader import WholeReader
from toolgrammar.core.trust.stray_reasoning_closer import closes_unopened
from toolgrammar.values.calls import ParseResult

if TYPE_CHECKING:
    from collections.abc import Mapping

    from toolgrammar.core.machine.machine import Machine
    from toolgrammar.core.shortcuts.whole.shortcut_rules import ShortcutRules
    from toolgrammar.values.tools import ToolSpec


def read_sound(
    machine: Machine,
    rules: ShortcutRules,
    text: str,
    tools: Mapping[str, ToolSpec],
    max_calls: int | None,
) -> ParseResult | None:
    """Returns the result of a sound message; None if the driver has to read it.

    Args:
        machine: the machine of the format, with these tools.
        rules: what the shortcut has to know of the format.
        text: the whole message.
        tools: the known tools by their names.
        max_calls: the calls that a message may have, or None.
    """
    # If messages of this format often fail here, only some of them are tried.
    budget = machine.whole_budget
    if not budget.tries():
        return None
    reading = WholeReader(machine, rules, text, tools)
    if not reading.run() or _needs_driver(reading, max_calls):
        budget.failed()
        return None
    # A success restores the tries that failures have used up.
    budget.succeeded()
    written = "".join(reading.parts).strip() if reading.parts else ""
    reasoning = "".join(reading.reasoning).strip() if reading.reasoning else ""
    return ParseResult(tuple(reading.calls), written, reasoning, (), rules.id, text, rules.digest)


def _needs_driver(reading: WholeReader, max_calls: int | None) -> bool:
    """Whether a sound message still needs the driver's judgement.

    That is prose that shows a lost call, a closer of reasoning that nothing opened, or a call that
    the rules of the format judge.
    """
    rules, tools, parts = reading.rules, reading.tools, reading.parts
    if parts and _closes_unopened(reading):
        return True
    if (parts or reading.thoughts) and _shows_calls(reading):
        return True
    if rules.judges and is_judged(rules, reading.calls, tools):
        return True
    # These envelopes are separate messages, whose texts are joined with line ends.
    if rules.has_lines and (_count(parts) > 1 or _count(reading.reasoning) > 1):
        return True
    return max_calls is not None and len(reading.calls) > max_calls


def _closes_unopened(reading: WholeReader) -> bool:
    """Whether the text has a closer of reasoning that nothing opened, which the driver reports."""
    # If a call may have ended the reasoning, its closer may follow.
    if any(map(str.strip, reading.reasoning)) and not reading.left_open:
        return False
    written = "".join(reading.parts)
    if any(closer in written for closer in reading.rules.closers):
        return True
    return closes_unopened(reading.text, reading.calls, reading.parts)


def _shows_calls(reading: WholeReader) -> bool:
    """Whether a part of the text or a thought has signs of a call that was not read."""
    signs, tools = reading.machine.signs, reading.tools
    return any(signs.are_in(part, tools) for part in (*reading.parts, *reading.thoughts))


def _count(parts: list[str]) -> int:
    """Counts the parts that are not blank."""
    return sum(not part.isspace() and part != "" for part in parts)
