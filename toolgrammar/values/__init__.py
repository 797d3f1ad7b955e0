"""Defines the values that callers pass in and get back: calls, results, events, diagnostics, tools.

Those that a parser returns are frozen dataclasses with `to_dict` and `from_dict`. Begin with `calls`,
`events` and `diagnostics`; `codes` lists every code that a diagnostic or a doubt may have. Imports
nothing else of the package.
"""
