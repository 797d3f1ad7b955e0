"""Tells whether a grammar lets a call end without a closer of its own."""

from toolgrammar.catalogue.format import Format
from toolgrammar.core.tables import Production, Tables


def ends_with_text(format: Format) -> bool:
    """Returns whether a call of this format may end with the text, or with what follows it.

    It may where the last part of a call is a raw value, or where its closer is optional.
    """
    tables = format.tables
    calls = [production for production in tables.productions if production.role == "call"]
    raw = {
        terminal.name
        for terminal in tables.terminals
        if terminal.kind == "payload" and terminal.name == "RAW"
    }
    return any(
        _last_terminals(production, tables, set()) & raw or _is_cut_short(production, calls)
        for production in calls
    )


def _last_terminals(production: Production, tables: Tables, visited: set[str]) -> set[str]:
    """Returns the terminals with which a rule may end."""
    if not production.symbols:
        return set()
    last = production.symbols[-1]
    rules = [other for other in tables.productions if other.origin == last]
    if not rules or last in visited:
        return {last}
    visited.add(last)
    return {name for rule in rules for name in _last_terminals(rule, tables, visited)}


def _is_cut_short(production: Production, others: list[Production]) -> bool:
    """Returns whether another rule is this one with more at its end."""
    length = len(production.symbols)
    return any(
        len(other.symbols) > length and other.symbols[:length] == production.symbols
        for other in others
    )
