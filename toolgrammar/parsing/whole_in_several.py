"""Reads a whole message in several formats, and learns from messages that the driver had to read.

After the driver has read `<tool_call>{"name": …` once, the shortcut knows which format opens so.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from toolgrammar.core.machine.retry_budget import CREDIT
from toolgrammar.core.several.known_beginnings import LONGEST, WholeMessage
from toolgrammar.core.shortcuts.whole.whole_reader import WholeReader
from toolgrammar.parsing.machines import machine_of
from toolgrammar.parsing.parser import DrivenParser
from toolgrammar.parsing.readers import readers_of
from toolgrammar.tools.specs import to_specs
from toolgrammar.values.calls import ParseResult

if TYPE_CHECKING:
    from collections.abc import Iterable

    from toolgrammar.catalogue.several import AnyOf
    from toolgrammar.parsing.readers import SeveralReaders
    from toolgrammar.values.limits import Limits

_MOST_FUSED = 2 * 16
"""The most readings of a call until its fused runs are known: each is made when seen twice."""


def read_several(
    entry: AnyOf, text: str, tools: Iterable[object] | None, id_seed: str, limits: Limits
) -> ParseResult | None:
    """Returns the result of a message in one of several formats; None if the driver has to read it.

    Args:
        entry: the formats.
        text: the message, within the limits on characters and depth.
        tools: the tools that the model had.
        id_seed: the seed of ids that the format requires but the message lacks.
        limits: the limits on length, depth and number of calls.
    """
    specs = to_specs(tools)
    several = readers_of(entry, specs)
    reading = several.reading
    # If many messages needed the driver, only some of the next ones are tried here.
    if not reading.budget.tries():
        return None
    message = WholeMessage(text, specs)
    calls = message.calls
    # If there are too many calls, the driver drops and reports the rest.
    if reading.run(message) and (limits.max_calls is None or len(calls) <= limits.max_calls):
        reading.budget.succeeded()
        # All calls of a message that is read here are in one format.
        chosen = several.by_id[calls[0].format] if calls else entry
        written, reasoning = "".join(message.parts).strip(), "".join(message.reasoning).strip()
        return ParseResult(tuple(calls), written, reasoning, (), chosen.id, text, chosen.digest)
    reading.budget.failed()
    result = DrivenParser(entry, tools=specs, id_seed=id_seed, limits=limits).run_whole(text)
    # Many sets of tools are used for one message only: nothing is learned from the first message,
    # since that takes longer than reading it.
    if reading.budget.left < CREDIT - 1 and result.calls and not result.diagnostics:
        _learn(entry, several, message, result)
    return result


def _learn(
    entry: AnyOf, several: SeveralReaders, message: WholeMessage, result: ParseResult
) -> None:
    """Learns from a sound message which format reads such a beginning, or the format's fused runs."""
    reading, specs, stopped = several.reading, message.tools, message.stopped
    if stopped is None:
        return
    place, start = stopped
    # The first call that ends after the offset at which the shortcut stopped.
    call = next((each for each in result.calls if each.span.end > start), None)
    read_in = call.format if call is not None else ""
    is_known = message.stuck >= 0 and several.formats[message.stuck].id == read_in
    # Reading it again costs time, so it becomes rarer if it taught nothing.
    if not is_known and reading.lessons.tries():
        parser = DrivenParser(entry, tools=specs)
        number, beginning = parser.reader_at(result.source, start, LONGEST)
        if number >= 0 and number != message.stuck:
            reading.remember(place, beginning, number)
            reading.lessons.renew()
            message.stick(number)
        else:
            reading.lessons.failed()
    # Once the format is known, its fused runs are learned from this message.
    rules = several.formats[message.stuck].plain if message.stuck >= 0 else None
    if rules is not None:
        machine = machine_of(several.by_id[rules.id], specs)
        node = place.node if place.last == message.stuck else None
        # Each reading makes one more fused run, up to the first that is not known; this message
        # pays for all later ones that begin like it.
        for _ in range(_MOST_FUSED if is_known else 1):
            if WholeReader(machine, rules, result.source, specs).run(node, start):
                break
