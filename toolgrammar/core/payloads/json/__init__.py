"""Sound JSON: tokens, a scanner for pieces of it, whole values, and types by a tool's schema.

In: `{"city": "Os` and later `lo"}`. Out: the end of the value, what of it is certain so far, and at
last the value. The tokens are spelled in `tools/json_tokens.py`; begin there, then with `whole.py`,
which reads at C speed what is all there.

- `strict_scanner.py` with `scalar.py` reads strict JSON as it arrives, for `strict=True` and where a
  payload may be JSON or raw text.
- `guide.py` tells what a schema wants at each place, `typing_rules.py` gives a value its type;
  whether a whole value satisfies a schema is decided in `tools/fits.py`.
- `duplicates.py` finds keys that come twice; `other_scalars.py` reads `True` or `0x1F`.
- `chunk_memo.py` and `runs.py` are for streams: what a chunk of a string mostly is.

May import `tools` and `values`.
"""
