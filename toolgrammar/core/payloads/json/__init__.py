"""Reads JSON: tokens, an incremental scanner, whole values, types by a schema, misspelt scalars.

In: `{"city": "Os` and later `lo"}`. Out: the end of the value, the part of it that is certain so
far, and finally the value. The tokens are defined in `tools/json_tokens.py`; begin there, then read
`whole.py`, which reads complete values at C speed.

- `strict_scanner.py` reads strict JSON as it arrives, for `strict=True` and where a payload may be
  JSON or raw text.
- `guide.py` looks up what a schema wants at each place, `typing_rules.py` converts values to it, or
  types raw ones by their shape; whether a whole value satisfies a schema is decided in
  `tools/fits.py`.
- `whole.py` also finds keys that an object repeats. `other_scalars.py` reads `True` or `0x1F`, which
  are no sound JSON: it serves the readers of damaged JSON.
- `tokens.py` has the patterns, and those of chunks that only continue a string, as most of a stream
  do, with a memo of the chunks that match.

May import `tools` and `values`.
"""
