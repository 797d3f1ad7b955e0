"""Reads a whole message in several formats, and learns from those that the driver had to read."""

from __future__ import annotations

from typing import TYPE_CHECKING

from toolgrammar.core.patience import CREDIT
from toolgrammar.core.plain_several import LONGEST
from toolgrammar.core.straight import read_straight
from toolgrammar.parsing.machines import machine_of
from toolgrammar.parsing.parser import DrivenParser
from toolgrammar.parsing.readers import several_of
from toolgrammar.tools.specs import to_specs
from toolgrammar.values.making import make_result

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from toolgrammar.catalogue.several import AnyOf
    from toolgrammar.core.plain_several import Place
    from toolgrammar.parsing.readers import Several
    from toolgrammar.values.calls import ParseResult, ToolCall
    from toolgrammar.values.limits import Limits
    from toolgrammar.values.tools import ToolSpec


def read_several(
    entry: AnyOf, text: str, tools: Iterable[object] | None, id_seed: str, limits: Limits
) -> ParseResult | None:
    """Reads a message of any of several formats; None where that is left to the driver.

    Args:
        entry: the formats.
        text: the message, within the limits on characters and depth.
        tools: the tools that the model had.
        id_seed: what ids that the format leaves out are made from.
        limits: bounds on length, depth and number of calls.
    """
    specs = to_specs(tools)
    several = several_of(entry, specs)
    reading = several.reading
    if not reading.patience.tries():
        return None
    calls: list[ToolCall] = []
    parts: list[str] = []
    unknown: list[tuple[Place, int]] = []
    is_plain = reading.run(text, specs, calls, parts, unknown)
    if is_plain and (limits.max_calls is None or len(calls) <= limits.max_calls):
        reading.patience.left = CREDIT
        chosen = several.by_id[calls[0].format] if calls else entry
        written = "".join(parts).strip()
        return make_result(tuple(calls), written, "", (), chosen.id, text, chosen.digest)
    reading.patience.failed()
    result = DrivenParser(entry, tools=specs, id_seed=id_seed, limits=limits).run_whole(text)
    if result.calls and not result.diagnostics:
        _learn(entry, several, specs, result, unknown)
    return result


def _learn(
    entry: AnyOf,
    several: Several,
    specs: Mapping[str, ToolSpec],
    result: ParseResult,
    unknown: list[tuple[Place, int]],
) -> None:
    """Learns from a sound message which format reads what begins so, and the lanes of its calls."""
    reading = several.reading
    for place, start in unknown if reading.lessons.tries() else ():
        call = next((each for each in result.calls if each.span.end > start), None)
        if call is None:
            return
        number = several.formats.index(several.by_id[call.format])
        parser = DrivenParser(entry, tools=specs)
        beginning = parser.beginning_of(result.source, start, number, LONGEST)
        if beginning:
            reading.remember(place, beginning, number)
        else:
            reading.lessons.failed()
    rules = several.by_id[result.calls[0].format].plain
    if rules is not None:
        machine = machine_of(several.by_id[rules.id], specs)
        read_straight(machine, rules, result.source, specs)
