"""Extracts the rule `results` of a grammar, which is used to write tool results, not to read.

It is not reachable from `start`, so it is not part of the LALR tables. Its rules are kept as
productions that spell their terminals: `"` and a literal, `/` and a regular expression,
or the name of a declared terminal.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from toolgrammar.grammar import roles
from toolgrammar.grammar.terminals import Production

if TYPE_CHECKING:
    from lark.grammar import Rule, Symbol  # noqa: TID251 - types only
    from lark.lexer import TerminalDef  # noqa: TID251 - a type only
    from lark.load_grammar import Grammar  # noqa: TID251 - a type only


def result_rules(grammar: Grammar) -> tuple[Production, ...]:
    """Returns the rules for writing results; () if the grammar has none."""
    # Most grammars have no results; Lark would refuse to compile a rule that does not exist.
    if all(str(name) != roles.RESULTS for name, *_ in grammar.rule_defs):
        return ()
    definitions, rules, _ = grammar.compile([roles.RESULTS], "*")
    terminals = {definition.name: definition for definition in definitions}
    return tuple(
        Production(
            rule.origin.name,
            _role(rule),
            tuple(_spelled(symbol, terminals) for symbol in rule.expansion),
        )
        for rule in rules
    )


def _role(rule: Rule) -> str:
    return roles.bare_name(rule.alias or rule.origin.name)


def _spelled(symbol: Symbol, terminals: dict[str, TerminalDef]) -> str:
    """Returns the spelling of a symbol in a production."""
    if not symbol.is_term:
        return symbol.name
    definition = terminals.get(symbol.name)
    # A declared terminal has no text: its name is used.
    if definition is None:
        return roles.bare_name(symbol.name)
    pattern = definition.pattern
    # The quote or slash in front identifies the kind when the production is written out.
    if pattern.type == "str" and not pattern.flags:
        return f'"{pattern.value}'
    return f"/{pattern.to_regexp()}"
