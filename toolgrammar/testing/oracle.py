"""Holds the strict reading against plain Lark, which reads the same grammar on its own."""

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
    """Holds plain Lark's reading of each sound call, written canonically, against the driver's."""
    chosen = format_of(case)
    whole = parse(case.text, format=chosen, tools=case.tools, prefix=case.prefix, strict=True)
    transformer = import_module("toolgrammar.core.tree_calls").ToolCallTransformer
    for call in whole.calls:
        try:
            island = chosen.render([call])
        except RenderError:
            continue
        # Lark's reading knows no schema, so the driver gets none either.
        known = [ToolSpec(call.name)]
        wanted = parse(island, format=chosen, tools=known, strict=True).calls
        try:
            found = transformer(tools=known).transform(chosen.tree(island, tools=known))
        except Exception as error:
            if type(error).__name__.startswith("Unexpected") and _quotes_markup(chosen, call):
                continue  # patterns can't balance the tags that a raw value quotes
            broken("oracle", case, f"tree of {island!r}", "a tree", repr(error))
        deeds = [deed(each) for each in (found if isinstance(found, list | tuple) else [found])]
        same("oracle", case, f"calls in {island!r}", [deed(each) for each in wanted], deeds)


def _quotes_markup(chosen: Format, call: ToolCall) -> bool:
    """Whether a text of the call holds the character that the format's own markup begins with."""
    texts = [call.input or "", *(text for text in call.arguments.values() if isinstance(text, str))]
    literals = (terminal.sample_start for terminal in chosen.tables.terminals)
    first = {start for start in literals if start}
    return any(start in text for start in first for text in texts)
