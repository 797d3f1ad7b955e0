"""Reads, repairs, streams and writes the tool calls of language models.

In: a model's text, `<tool_call>{"name": "now", "arguments": {}}</tool_call>`. Out: a `ParseResult`
with the call `now`. Each wire format is one Lark grammar; `toolgrammar.formats` lists them. To read
the code, begin with docs/architecture.md, then `parsing/parser.py`. Public names are imported on
first use, so that importing the package costs next to nothing.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

from toolgrammar.version import __version__ as __version__

if TYPE_CHECKING:
    from toolgrammar.bulk.batches import batch
    from toolgrammar.catalogue.format import Format, load_format
    from toolgrammar.catalogue.registry import any_of, formats
    from toolgrammar.catalogue.several import AnyOf
    from toolgrammar.parsing.detection import detect
    from toolgrammar.parsing.detections import Detection
    from toolgrammar.parsing.parser import Parser
    from toolgrammar.parsing.streams import astream, stream
    from toolgrammar.parsing.translation import translate
    from toolgrammar.parsing.whole import parse
    from toolgrammar.recovery.json_parser import JsonParser, recover_json
    from toolgrammar.recovery.json_result import RecoveredJson
    from toolgrammar.reference.tree_feed import ToolCallTransformer
    from toolgrammar.salvage.policy import Salvage, SalvagePolicy
    from toolgrammar.salvage.refusals import Refusal
    from toolgrammar.scoring.logs import score
    from toolgrammar.values.calls import ParseError, ParseResult, Status, ToolCall
    from toolgrammar.values.diagnostics import Diagnostic, Edit, Severity
    from toolgrammar.values.errors import (
        GrammarError,
        RenderError,
        ToolGrammarError,
        UnknownFormat,
    )
    from toolgrammar.values.events import (
        ArgumentsDelta,
        CallEnd,
        CallStart,
        Event,
        InputDelta,
        Problem,
        ReasoningDelta,
        TextDelta,
    )
    from toolgrammar.values.limits import Limits
    from toolgrammar.values.spans import Part, Span
    from toolgrammar.values.tools import ToolSpec

__all__ = [
    "AnyOf",
    "ArgumentsDelta",
    "CallEnd",
    "CallStart",
    "Detection",
    "Diagnostic",
    "Edit",
    "Event",
    "Format",
    "GrammarError",
    "InputDelta",
    "JsonParser",
    "Limits",
    "ParseError",
    "ParseResult",
    "Parser",
    "Part",
    "Problem",
    "ReasoningDelta",
    "RecoveredJson",
    "Refusal",
    "RenderError",
    "Salvage",
    "SalvagePolicy",
    "Severity",
    "Span",
    "Status",
    "TextDelta",
    "ToolCall",
    "ToolCallTransformer",
    "ToolGrammarError",
    "ToolSpec",
    "UnknownFormat",
    "any_of",
    "astream",
    "batch",
    "detect",
    "formats",
    "load_format",
    "parse",
    "recover_json",
    "score",
    "stream",
    "translate",
]

_NAMES_OF_MODULES = {
    "bulk.batches": ("batch",),
    "catalogue.format": ("Format", "load_format"),
    "catalogue.registry": ("any_of", "formats"),
    "catalogue.several": ("AnyOf",),
    "reference.tree_feed": ("ToolCallTransformer",),
    "scoring.logs": ("score",),
    "parsing.detection": ("detect",),
    "parsing.parser": ("Parser",),
    "parsing.streams": ("astream", "stream"),
    "parsing.translation": ("translate",),
    "parsing.whole": ("parse",),
    "recovery.json_parser": ("JsonParser", "recover_json"),
    "recovery.json_result": ("RecoveredJson",),
    "salvage.policy": ("Salvage", "SalvagePolicy"),
    "salvage.refusals": ("Refusal",),
    "values.calls": ("ParseError", "ParseResult", "Status", "ToolCall"),
    "parsing.detections": ("Detection",),
    "values.diagnostics": ("Diagnostic", "Edit", "Severity"),
    "values.errors": (
        "GrammarError",
        "RenderError",
        "ToolGrammarError",
        "UnknownFormat",
    ),
    "values.events": (
        "ArgumentsDelta",
        "CallEnd",
        "CallStart",
        "Event",
        "InputDelta",
        "Problem",
        "ReasoningDelta",
        "TextDelta",
    ),
    "values.limits": ("Limits",),
    "values.spans": ("Part", "Span"),
    "values.tools": ("ToolSpec",),
}
_MODULE_OF = {name: module for module, names in _NAMES_OF_MODULES.items() for name in names}


def __getattr__(name: str) -> object:
    """Imports a public name on first use and keeps it."""
    if name not in _MODULE_OF:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    value: object = getattr(import_module(f"{__name__}.{_MODULE_OF[name]}"), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    """Lists the public names, imported or not."""
    return sorted({*globals(), *__all__})
