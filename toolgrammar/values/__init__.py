"""The values that go in and out: calls, results, events, diagnostics, tools, limits.

All are frozen dataclasses with `to_dict` and `from_dict`. Begin with `calls`, `events` and
`diagnostics`; `codes` lists every code that a diagnostic or a doubt may bear. Imports nothing else of
the package.
"""
