"""Reads a whole message at once, by a shortcut if it is sound, else with the driver.

`Hi <tool_call>{"name": "now", "arguments": {}}</tool_call>` gives the text `Hi` and one call.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from toolgrammar.catalogue.format import Format
from toolgrammar.catalogue.registry import formats
from toolgrammar.core.payloads.json.tokens import MAX_DEPTH
from toolgrammar.core.shortcuts.whole.sound_message import read_sound
from toolgrammar.parsing.bad_bytes import as_text
from toolgrammar.parsing.checks import check_options, is_cut
from toolgrammar.parsing.machines import machine_of
from toolgrammar.parsing.parser import DrivenParser
from toolgrammar.parsing.parts import Reread
from toolgrammar.tools.specs import recent_specs, to_specs
from toolgrammar.values.limits import Limits

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from toolgrammar.catalogue.registry import FormatsLike
    from toolgrammar.catalogue.several import AnyOf
    from toolgrammar.values.calls import ParseResult
    from toolgrammar.values.diagnostics import Diagnostic
    from toolgrammar.values.tools import ToolSpec

_LIMITS = Limits()
_NO_TOOLS: Mapping[str, ToolSpec] = {}
_SHORT = 1_000_000
"""The length up to which a message is certainly within the default limits."""


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
    """Returns the calls, the text, the reasoning and the diagnostics of a message.

    No text raises; only a mistake of the caller does.

    Args:
        text: the text of a model. Bytes are decoded as UTF-8; None is an empty message.
        format: an id, an alias, a format or the path of a `.lark` file.
        tools: the tools that the model had, of any shape; their schemas give values their types.
        strict: accept only the language of the grammar and repair nothing.
        prefix: the beginning of the answer that the chat template wrote.
        id_seed: the seed of ids that the format requires but the message lacks.
        finish_reason: why the server stopped; "length" means that the answer was cut.
        limits: the limits on length, depth and number of calls.

    Raises:
        UnknownFormat: no format has this id or alias.
        GrammarError: the grammar of the format is broken.
        TypeError: an argument has the wrong type.
    """
    # Defaults need no check, and most calls pass none of these.
    if not (strict is False and prefix == "" and id_seed == "" and limits is _LIMITS):
        check_options(strict, prefix, id_seed, limits)
    content, problems = (text, ()) if type(text) is str else as_text(text)
    entry = format if type(format) is Format else formats.resolve_any(format)
    cut = finish_reason is not None and is_cut(finish_reason)
    # The shortcuts only read whole messages, by the default rules.
    if not (strict or prefix or cut):
        if isinstance(entry, Format):
            read = _by_shortcut(entry, content, tools, limits)
        else:
            read = _of_several(entry, content, tools, id_seed, limits)
        if read is not None:
            if problems:
                read = _with(read, problems)
            read.read_by(Reread(entry, tools, limits, id_seed))
            return read
    parser = DrivenParser(
        entry,
        tools=tools,
        strict=strict,
        prefix=prefix,
        id_seed=id_seed,
        limits=limits,
    )
    result = _with(parser.run_whole(content, finish_reason), problems)
    result.read_by(Reread(entry, tools, limits, id_seed, strict, prefix, cut))
    return result


def _with(result: ParseResult, problems: tuple[Diagnostic, ...]) -> ParseResult:
    """Returns the result with the diagnostics of its bytes before those of its text."""
    if not problems:
        return result
    return replace(result, diagnostics=(*problems, *result.diagnostics))


def _by_shortcut(
    entry: Format, text: str, tools: Iterable[object] | None, limits: Limits
) -> ParseResult | None:
    """Returns the result of a sound message; None if it has to be read by the driver."""
    plain = entry.plain
    if plain is None:
        return None
    # A short message is always within the default limits.
    if (limits is not _LIMITS or len(text) > _SHORT) and not _within(limits, text):
        return None
    # The shortcut does not decode entities.
    if plain.entities and "&" in text:
        return None
    # Callers often pass the same list of tools. It may have been changed in place, so its items
    # are compared.
    known = recent_specs.get(id(tools))
    if known is not None and known[0] == tools:  # inlined from `to_specs`
        specs: Mapping[str, ToolSpec] = known[1]
    else:
        specs = to_specs(tools) if tools is not None else _NO_TOOLS
    machine = plain.machine or machine_of(entry, specs)
    return read_sound(machine, plain, text, specs, limits.max_calls)


def _of_several(
    entry: AnyOf, text: str, tools: Iterable[object] | None, id_seed: str, limits: Limits
) -> ParseResult | None:
    """Returns the result of a message in several formats; None if the driver has to read it."""
    # The limits on characters and depth are checked here, the one on calls after reading.
    if not _within(limits, text):
        return None
    # Imported here, since messages of one format do not need it.
    from toolgrammar.parsing.whole_in_several import read_several

    return read_several(entry, text, tools, id_seed, limits)


def _within(limits: Limits, text: str) -> bool:
    """Whether the limits on characters and depth can't be exceeded by what the shortcut reads."""
    in_length = limits.max_chars is None or len(text) <= limits.max_chars
    return in_length and limits.depth >= MAX_DEPTH
