"""Reads a whole message at once."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from toolgrammar.catalogue.format import Format
from toolgrammar.catalogue.registry import formats
from toolgrammar.core.json_tokens import MAX_DEPTH
from toolgrammar.core.patience import CREDIT
from toolgrammar.core.straight import reading_of
from toolgrammar.core.straight_rules import is_judged
from toolgrammar.parsing.bad_bytes import as_text
from toolgrammar.parsing.checks import check_limits, is_cut
from toolgrammar.parsing.machines import machine_of
from toolgrammar.parsing.parser import DrivenParser
from toolgrammar.tools.specs import recent_specs, to_specs
from toolgrammar.values.limits import Limits
from toolgrammar.values.making import make_result

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from toolgrammar.catalogue.registry import FormatsLike
    from toolgrammar.catalogue.several import AnyOf
    from toolgrammar.core.machine import Machine
    from toolgrammar.core.plain_rules import PlainRules
    from toolgrammar.values.calls import ParseResult
    from toolgrammar.values.diagnostics import Diagnostic
    from toolgrammar.values.tools import ToolSpec

_LIMITS = Limits()
_NO_TOOLS: Mapping[str, ToolSpec] = {}
_SHORT = 1_000_000
"""Characters up to which a message is within the usual limits."""


def parse(
    text: str | bytes | None,
    format: FormatsLike = "auto",
    *,
    tools: Iterable[object] | None = None,
    strict: bool = False,
    prefix: str = "",
    id_seed: str = "",
    finish_reason: str | None = None,
    limits: Limits = _LIMITS,
) -> ParseResult:
    """Returns what a message holds: its calls, its text, its reasoning and what was wrong.

    No text makes it raise; only a caller's mistake does.

    Args:
        text: what the model wrote. Bytes are read as UTF-8; None is an empty message.
        format: an id, an alias, a format or the path of a `.lark` file.
        tools: the tools that the model had, of any shape; their schemas give values their types.
        strict: accept only the language of the grammar and repair nothing.
        prefix: what the chat template had written of the answer before the model began.
        id_seed: what ids that the format leaves out are made from.
        finish_reason: why the server stopped; "length" says that the answer was cut.
        limits: bounds on length, depth and number of calls.

    Raises:
        UnknownFormat: no format has this id or alias.
        GrammarError: the grammar of the format is broken.
        TypeError: an argument has the wrong type.
    """
    content, problems = (text, ()) if type(text) is str else as_text(text)
    entry = format if type(format) is Format else formats.resolve_any(format)
    cut = finish_reason is not None and is_cut(finish_reason)
    if not (strict or prefix or cut):
        if isinstance(entry, Format):
            straight = _read_straight(entry, content, tools, limits)
        else:
            straight = _of_several(entry, content, tools, id_seed, limits)
        if straight is not None:
            return _with(straight, problems) if problems else straight
    parser = DrivenParser(
        entry,
        tools=tools,
        strict=strict,
        prefix=prefix,
        id_seed=id_seed,
        limits=limits,
    )
    result = parser.run_whole(content, finish_reason)
    return _with(result, problems)


def _with(result: ParseResult, problems: tuple[Diagnostic, ...]) -> ParseResult:
    """Puts what was wrong with the bytes before what was wrong with the text."""
    if not problems:
        return result
    return replace(result, diagnostics=(*problems, *result.diagnostics))


def _read_straight(
    entry: Format, text: str, tools: Iterable[object] | None, limits: Limits
) -> ParseResult | None:
    """Reads a message in which everything is as its format says; None where it is not."""
    plain = entry.plain
    if plain is None:
        return None
    if (limits is not _LIMITS or len(text) > _SHORT) and not _within(limits, text):
        return None
    if plain.entities and "&" in text:
        return None
    known = recent_specs.get(id(tools))
    if known is not None and known[0] == tools:  # the first question of `to_specs`
        specs: Mapping[str, ToolSpec] = known[1]
    else:
        specs = to_specs(tools) if tools is not None else _NO_TOOLS
    machine = plain.machine or machine_of(entry, specs)
    if not machine.straight.tries():
        return None
    reading = reading_of(machine, plain, text, specs)
    if not reading.run():
        machine.straight.failed()
        return None
    calls, parts = reading.calls, reading.parts
    reasoning = "".join(reading.reasoning).strip()
    written = "".join(parts) if parts else ""
    if (
        (
            written
            and (_shows_calls(machine, parts, specs) or _closes_unopened(plain, written, reasoning))
        )
        or (plain.judges and is_judged(plain, calls, specs))
        or (plain.has_lines and max(map(_count, (parts, reading.reasoning))) > 1)
        or (limits.max_calls is not None and len(calls) > limits.max_calls)
    ):
        machine.straight.failed()
        return None
    machine.straight.left = CREDIT
    if written:
        written = written.strip()
    return make_result(tuple(calls), written, reasoning, (), plain.id, text, plain.digest)


def _of_several(
    entry: AnyOf, text: str, tools: Iterable[object] | None, id_seed: str, limits: Limits
) -> ParseResult | None:
    """Reads a message of several formats; None where that is left to the driver."""
    if not _within(limits, text):
        return None
    # Messages of one format do without this import.
    from toolgrammar.parsing.whole_several import read_several

    return read_several(entry, text, tools, id_seed, limits)


def _count(parts: list[str]) -> int:
    """Counts the parts that are not blank."""
    return sum(not part.isspace() and part != "" for part in parts)


def _shows_calls(machine: Machine, parts: list[str], specs: Mapping[str, ToolSpec]) -> bool:
    """Whether a part of the text shows a call that was not read."""
    return any(machine.signs.are_in(part, specs) for part in parts)


def _closes_unopened(plain: PlainRules, written: str, reasoning: str) -> bool:
    """Whether the text holds what closes reasoning: where none was opened, that is reported."""
    return not reasoning and any(closer in written for closer in plain.closers)


def _within(limits: Limits, text: str) -> bool:
    """Whether no limit on characters or depth can strike: the fast reader knows one depth alone."""
    check_limits(limits)
    in_length = limits.max_chars is None or len(text) <= limits.max_chars
    return in_length and limits.depth >= MAX_DEPTH
