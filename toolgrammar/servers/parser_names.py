"""Defines the names of the parsers that the servers list, and finds the format of a name.

Example: `toolgrammar_hermes` reads the format with this id, and `toolgrammar` all formats. Only
grammar files are read for it, and no tables: a server loads its plugins in each of its processes,
most of which parse nothing.
"""

from __future__ import annotations

from functools import cache
from typing import Final, TypeVar

from toolgrammar.catalogue.registry import formats
from toolgrammar.catalogue.several import AUTO
from toolgrammar.grammar.files import grammar_files, read_text
from toolgrammar.values.patterns import late

ANY: Final = "toolgrammar"
"""The name of the parser that detects the format of each message."""
_PREFIX: Final = f"{ANY}_"
_COMMENT = late(r"(?m)^\s*//.*$")
_REASONING = late(r"\breasoning\b")
_IMPORTED = late(r"(?m)^\s*%import[^(\n]*\(([^)\n]*)\)")

ParserT = TypeVar("ParserT")


def tool_parser_names() -> list[str]:
    """Returns the names of all tool parsers."""
    # With a prefix, as both servers have parsers of their own with names such as `hermes`.
    return [ANY, *(_PREFIX + each for each in formats)]


def reasoning_parser_names() -> list[str]:
    """Returns the names of the reasoning parsers, one for each format that marks reasoning."""
    return [_PREFIX + each for each in formats if _marks_reasoning(each)]


def format_of(name: str) -> str:
    """Returns the id of the format that a parser reads; `auto` for all of them."""
    return AUTO if name == ANY else name.removeprefix(_PREFIX)


@cache
def parser_class(base: type[ParserT], name: str) -> type[ParserT]:
    """Returns the subclass that a server makes its parser of this name from, made on first use.

    Args:
        base: the parser of any format, in the server's own shape.
        name: the name in the server's list.
    """
    return type(name, (base,), {"format_id": format_of(name), "__module__": base.__module__})


def _marks_reasoning(format_id: str) -> bool:
    """Whether a grammar has the role of reasoning, in its own or an imported rule."""
    # By the texts, not the tables: a server asks for all names when it starts, and loading
    # the tables of every format would delay it.
    own, *others = _texts(format_id)
    if _REASONING.search(own):
        return True
    imported = {name.strip() for names in _IMPORTED.findall(own) for name in names.split(",")}
    # A library contains rules that the format may not import.
    lines = (line for text in others for line in text.split("\n"))
    return any(line.split(":")[0] in imported and _REASONING.search(line) for line in lines)


@cache
def _texts(format_id: str) -> list[str]:
    """Returns the texts of a grammar and of its imports, without comments."""
    files = [file for _, file in grammar_files(formats[format_id].path)]
    return [_COMMENT.sub("", read_text(file)) for file in files]
