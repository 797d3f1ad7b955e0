"""Compares the strict reading with plain Lark, which reads the same grammar independently."""

from dataclasses import replace
from importlib import import_module

from toolgrammar.catalogue.format import Format
from toolgrammar.parsing.whole import parse
from toolgrammar.testing.breaches import broken, same
from toolgrammar.testing.cases import Case, format_of
from toolgrammar.testing.readings import deed
from toolgrammar.values.calls import ToolCall
from toolgrammar.values.errors import RenderError
from toolgrammar.values.tools import ToolSpec


def strict_oracle(case: Case) -> None:
    """Checks that plain Lark and the driver agree on each sound call, written canonically."""
    chosen = format_of(case)
    whole = parse(case.text, format=chosen, tools=case.tools, prefix=case.prefix, strict=True)
    # Only when the law runs: this imports Lark.
    transformer = import_module("toolgrammar.reference.tree_feed").ToolCallTransformer
    for call in whole.calls:
        try:
            # Written again, the call is in its plainest form, which both have to read.
            island = chosen.render([call])
        # Not every call that was read can be written: that is another law's question.
        except RenderError:
            continue
        # Lark's reading knows no schema, so the driver gets none either.
        known = [ToolSpec(call.name)]
        wanted = parse(island, format=chosen, tools=known, strict=True).calls
        try:
            found = transformer(tools=known).transform(chosen.tree(island, tools=known))
        except Exception as error:
            # Lark's exceptions begin so; they can't be named without importing it.
            if type(error).__name__.startswith("Unexpected") and _quotes_markup(chosen, call):
                continue  # patterns can't balance the tags that a raw value quotes
            broken("oracle", case, f"tree of {island!r}", "a tree", repr(error))
        deeds = [deed(each) for each in (found if isinstance(found, list | tuple) else [found])]
        same("oracle", case, f"calls in {island!r}", [deed(each) for each in wanted], deeds)


def agreeing_calls(case: Case) -> int:
    """Checks that plain Lark and the driver agree on each complete call, as it was written.

    Returns how many calls both read. Lark may refuse a call whose opener needs the text before it.
    """
    chosen = format_of(case)
    named = parse(case.text, format=chosen, tools=case.tools, prefix=case.prefix, strict=True)
    # Lark's reading knows no schema, so the driver gets none either.
    known = [ToolSpec(name) for name in dict.fromkeys(call.name for call in named.calls)]
    whole = parse(case.text, format=chosen, tools=known, prefix=case.prefix, strict=True)
    transformer = import_module("toolgrammar.reference.tree_feed").ToolCallTransformer
    agreed = 0
    for call in whole.calls:
        island = whole.source[call.span.start : call.span.end]
        # A repaired call was not in the language, so plain Lark has to refuse it.
        if call.status != "complete":
            continue
        try:
            found = transformer(tools=known).transform(chosen.tree(island, tools=known))
        except Exception as error:
            # As where an opener has to stand at the beginning of a line: the island alone has none
            # before it.
            if type(error).__name__.startswith("Unexpected"):
                continue
            raise
        read = found if isinstance(found, list | tuple) else [found]
        # Arguments that are copied from the call before are missing if a call is read alone.
        wanted = deed(_without_inherited(call, read[0]) if chosen.header.carry else call)
        same("oracle", case, f"calls in {island!r}", [wanted], [deed(each) for each in read])
        agreed += 1
    return agreed


def _without_inherited(call: ToolCall, alone: ToolCall) -> ToolCall:
    """Returns a call with those arguments that it has where it stands alone, too."""
    own = {key: value for key, value in call.arguments.items() if key in alone.arguments}
    return replace(call, arguments=own)


def _quotes_markup(chosen: Format, call: ToolCall) -> bool:
    """Whether a text of the call holds the character that the format's own markup begins with."""
    texts = [call.input or "", *(text for text in call.arguments.values() if isinstance(text, str))]
    literals = (terminal.sample_start for terminal in chosen.tables.terminals)
    first = {start for start in literals if start}
    return any(start in text for start in first for text in texts)
